//! A group of numbers in residues, a lane each, and what the kernels work on.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    devices::row::Row,
    plan::{Plan, PreparedModulus},
};

/// One number a lane: its stored residues, base A's channels, then base B's.
///
/// In channel `a_i` a residue of X is stored as itself, in channel `b_j` as `|X g_j|`;
/// each as any representative up to `Bounds::x_a` or `Bounds::x_b`.
#[derive(Default)]
pub(crate) struct LaneNumbers<const L: usize> {
    pub(crate) channels: Vec<Row<u64, L>>,
}

impl<const L: usize> LaneNumbers<L> {
    pub(crate) fn zero(plan: &Plan) -> Self {
        Self {
            channels: vec![Row([0; L]); plan.a.len() + plan.b.len()],
        }
    }

    /// The same residues in every lane.
    pub(crate) fn fill(&mut self, residues: impl IntoIterator<Item = u64>) {
        for (row, residue) in self.channels.iter_mut().zip(residues) {
            *row = Row([residue; L]);
        }
    }

    /// A lane's own residues in each lane.
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

/// The constants of the moduli of a group, a lane each.
pub(crate) struct LaneConstants<const L: usize> {
    /// [`PreparedModulus::quotient`], per channel of A.
    pub(crate) quotient: Zeroizing<Vec<Row<u64, L>>>,
    /// [`PreparedModulus::scaled_p`], per channel of B.
    pub(crate) scaled_p: Zeroizing<Vec<Row<u64, L>>>,
    /// `A^2 mod P`.
    pub(crate) a_squared: LaneNumbers<L>,
}

impl<const L: usize> LaneConstants<L> {
    pub(crate) fn new(moduli: &[&PreparedModulus]) -> Self {
        let transpose = |constants: fn(&PreparedModulus) -> &[u64]| {
            (0..constants(moduli[0]).len())
                .map(|channel| Row(core::array::from_fn(|l| constants(moduli[l])[channel])))
                .collect()
        };
        Self {
            quotient: Zeroizing::new(transpose(|modulus| &modulus.quotient)),
            scaled_p: Zeroizing::new(transpose(|modulus| &modulus.scaled_p)),
            a_squared: LaneNumbers {
                channels: transpose(|modulus| &modulus.a_squared),
            },
        }
    }
}

/// What a product needs to write to on its way.
pub(crate) struct LaneScratch<const L: usize> {
    /// `qh_i`.
    pub(crate) qh: Zeroizing<Vec<Row<u64, L>>>,
    /// `rh_j`, and behind them the Cox quotient h.
    pub(crate) rh: Zeroizing<Vec<Row<u64, L>>>,
    /// Sums of a matrix product.
    pub(crate) sums: Zeroizing<Vec<Row<u64, L>>>,
}

impl<const L: usize> LaneScratch<L> {
    pub(crate) fn new(plan: &Plan) -> Self {
        let lanes = |count| Zeroizing::new(vec![Row([0; L]); count]);
        Self {
            qh: lanes(plan.a.len()),
            rh: lanes(plan.b.len() + 1),
            sums: lanes(plan.a.len().max(plan.b.len())),
        }
    }
}

/// The other operand of a product.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a, const L: usize> {
    /// The number itself: a square.
    Itself,
    /// Another number.
    Other(&'a LaneNumbers<L>),
}
