//! Numbers of a group in lanes, constants of their moduli, and scratch space.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    residues::plan::{Plan, PreparedModulus},
    row::Row,
};

/// One number per lane: a row of stored residues for each channel of base A, then of base B, then
/// for each redundant one.
///
/// A residue of X is stored as `|X|` in channel `a_i`, and as `|X g_j|` in channel `b_j` and in
/// redundant ones ([`Plan::storage_factor`]). It may be any representative of at most `Bounds::x_a` or
/// `Bounds::x_b`.
#[derive(Default)]
pub(crate) struct LaneNumbers<const L: usize> {
    pub(crate) channels: Vec<Row<u64, L>>,
}

impl<const L: usize> LaneNumbers<L> {
    /// The number 0 in every lane.
    pub(crate) fn zero(plan: &Plan) -> Self {
        Self {
            channels: vec![Row([0; L]); plan.channels.len()],
        }
    }

    /// Sets every lane to the same residues.
    pub(crate) fn fill(&mut self, residues: impl IntoIterator<Item = u64>) {
        for (row, residue) in self.channels.iter_mut().zip(residues) {
            *row = Row([residue; L]);
        }
    }

    /// Sets each lane to its own residues.
    pub(crate) fn transpose(&mut self, residues: &[&[u64]]) {
        for (channel, row) in self.channels.iter_mut().enumerate() {
            for (lane, residues) in row.iter_mut().zip(residues) {
                *lane = residues[channel];
            }
        }
    }
}

impl<const L: usize> Drop for LaneNumbers<L> {
    fn drop(&mut self) {
        self.channels.zeroize();
    }
}

/// The constants of the moduli of a group, each in the lane of its number.
pub(crate) struct LaneModuli<const L: usize> {
    /// [`PreparedModulus::to_quotient`], per channel of A.
    pub(crate) to_quotient: Zeroizing<Vec<Row<u64, L>>>,
    /// [`PreparedModulus::scaled_p`], per channel of B and redundant channel.
    pub(crate) scaled_p: Zeroizing<Vec<Row<u64, L>>>,
    /// `A^2 mod P`, as a number.
    pub(crate) a_squared: LaneNumbers<L>,
}

impl<const L: usize> LaneModuli<L> {
    /// The constants of L moduli of one plan.
    pub(crate) fn new(moduli: &[&PreparedModulus]) -> Self {
        let transpose = |constants: fn(&PreparedModulus) -> &[u64]| {
            (0..constants(moduli[0]).len())
                .map(|channel| Row(core::array::from_fn(|l| constants(moduli[l])[channel])))
                .collect()
        };
        Self {
            to_quotient: Zeroizing::new(transpose(|modulus| &modulus.to_quotient)),
            scaled_p: Zeroizing::new(transpose(|modulus| &modulus.scaled_p)),
            a_squared: LaneNumbers {
                channels: transpose(|modulus| &modulus.a_squared),
            },
        }
    }
}

/// Scratch space for the intermediate values of a product; wiped on drop.
pub(crate) struct LaneScratch<const L: usize> {
    /// The quotient digits `qh_i`, a row for each channel of A.
    pub(crate) qh: Zeroizing<Vec<Row<u64, L>>>,
    /// The digits `rh_j`, a row for each channel of B, followed by the Cox quotient h.
    pub(crate) rh: Zeroizing<Vec<Row<u64, L>>>,
    /// The sums of an extension, a row for each of its outputs.
    pub(crate) sums: Zeroizing<Vec<Row<u64, L>>>,
    /// The differences of the number that was compared last, a row for each redundant channel.
    pub(crate) differences: Zeroizing<Vec<Row<u64, L>>>,
}

impl<const L: usize> LaneScratch<L> {
    pub(crate) fn new(plan: &Plan) -> Self {
        let lanes = |count| Zeroizing::new(vec![Row([0; L]); count]);
        Self {
            qh: lanes(plan.a.len()),
            rh: lanes(plan.b.len() + 1),
            sums: lanes(plan.a.len().max(plan.channels_beyond_a().len())),
            differences: lanes(plan.redundant.len()),
        }
    }
}

/// The second operand of a product.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a, const L: usize> {
    /// The first operand itself: the product is a square.
    Itself,
    /// Another number.
    Other(&'a LaneNumbers<L>),
}
