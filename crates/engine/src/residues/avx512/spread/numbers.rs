//! Numbers spread over the lanes, and the constants and scratch space of their products.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    instructions::vector::WIDTH,
    residues::avx512::spread::constants::{Octet, SpreadPlan, octets},
    row::Row,
};

/// N numbers, one after the other. Each has the channels of base A, padded to whole rows, then
/// those of base B. Residues are stored as in [`LaneNumbers`](crate::residues::lanes::LaneNumbers).
/// Wiped on drop.
#[derive(Default)]
pub(crate) struct SpreadNumbers<const N: usize> {
    pub(in crate::residues::avx512) rows: Vec<Octet>,
}

impl<const N: usize> SpreadNumbers<N> {
    /// The number 0, N times.
    pub(super) fn zero(spread: &SpreadPlan) -> Self {
        Self {
            rows: vec![Row([0; WIDTH]); N * (spread.a.len() + spread.b.len())],
        }
    }

    /// The rows of base A, and those of base B, of each number.
    pub(super) fn split(&self, rows_a: usize) -> [(&[Octet], &[Octet]); N] {
        core::array::from_fn(|n| self.of(n).split_at(rows_a))
    }

    /// [`Self::split`] for mutable rows.
    pub(super) fn split_mut(&mut self, rows_a: usize) -> [(&mut [Octet], &mut [Octet]); N] {
        let rows = self.rows.len() / N;
        let mut numbers = self.rows.chunks_exact_mut(rows);
        core::array::from_fn(|_| {
            let number = numbers.next().unwrap_or_default();
            number.split_at_mut(rows_a)
        })
    }

    /// The rows of one number.
    pub(super) fn of(&self, n: usize) -> &[Octet] {
        let rows = self.rows.len() / N;
        &self.rows[n * rows..(n + 1) * rows]
    }

    /// The rows of one number, mutable.
    pub(super) fn of_mut(&mut self, n: usize) -> &mut [Octet] {
        let rows = self.rows.len() / N;
        &mut self.rows[n * rows..(n + 1) * rows]
    }

    /// Sets one number to these stored residues, the first `channels_a` of which are in base A.
    pub(super) fn set(&mut self, n: usize, residues: &[u64], channels_a: usize) {
        let (in_a, in_b) = residues.split_at(channels_a);
        let rows = Zeroizing::new([octets(in_a), octets(in_b)].concat());
        self.of_mut(n).copy_from_slice(&rows);
    }
}

impl<const N: usize> Drop for SpreadNumbers<N> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// The constants of the group's moduli, one after the other; wiped on drop.
pub(super) struct SpreadModuli<const N: usize> {
    /// `PreparedModulus::to_quotient`, per channel of A.
    pub(super) to_quotient: [Zeroizing<Vec<Octet>>; N],
    /// `PreparedModulus::scaled_p`, per channel of B.
    pub(super) scaled_p: [Zeroizing<Vec<Octet>>; N],
    /// `A^2 mod P`, as numbers.
    pub(super) a_squared: SpreadNumbers<N>,
}

/// Scratch space for the intermediate values of a product; wiped on drop.
pub(super) struct SpreadScratch<const N: usize> {
    /// The quotient digits `qh_i` of each number.
    pub(super) qh: [Zeroizing<Vec<Octet>>; N],
    /// The digits `rh_j` of each number, followed by the Cox quotient h in the next lane.
    pub(super) rh: [Zeroizing<Vec<Octet>>; N],
    /// The masks of a look-up.
    pub(super) masks: Zeroizing<Vec<[u64; N]>>,
}

/// A table of numbers: for each number its entries in order, each in whole rows. Wiped on drop.
pub(crate) struct SpreadTable<const N: usize> {
    pub(super) entries: usize,
    pub(super) rows: Vec<Octet>,
}

impl<const N: usize> SpreadTable<N> {
    /// The rows of all entries of one number.
    pub(super) fn of(&self, n: usize) -> &[Octet] {
        let rows = self.rows.len() / N;
        &self.rows[n * rows..(n + 1) * rows]
    }
}

impl<const N: usize> Drop for SpreadTable<N> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}
