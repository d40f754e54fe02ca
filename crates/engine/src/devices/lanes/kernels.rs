//! What a lane device brings: the kernels that run over all lanes of a group.

use core::any::Any;

use zeroize::Zeroize;

use super::{LaneConstants, LaneNumbers, LaneScratch, LaneTable, Operand};
use crate::{
    devices::row::Row,
    plan::{Plan, PreparedModulus},
};

/// A product of a sum: whether it is subtracted, and its factors.
pub(crate) type Term<'a, const L: usize> = (bool, &'a LaneNumbers<L>, &'a LaneNumbers<L>);

/// The arithmetic of a lane device.
///
/// Implementations must do exactly what each function says, for any operands within the
/// plan's bounds, in a time that depends on the plan and the group's width only. "Normalized"
/// residues are below `2 m`.
pub(crate) trait Kernels: Copy + Send + Sync {
    /// How a stored residue lies in a table.
    type Entry: Copy + Default + Zeroize + Send;

    /// The constants in residues of what this device made of a modulus.
    fn modulus(prepared: &(dyn Any + Send + Sync)) -> &PreparedModulus;

    /// The low bits of a value, as many as an entry has.
    fn entry(value: u64) -> Self::Entry;

    /// The value of an entry.
    fn value(entry: Self::Entry) -> u64;

    /// `x := x y A^-1` modulo P, lane by lane: RNS Montgomery multiplication.
    ///
    /// Requires residues within the plan's bounds, and integers with `|x y| < A P`. The result is
    /// congruent, above -P and below `c P`, and stored within the bounds. The first extension is
    /// left uncorrected: `q' = sum qh_i A/a_i` exceeds `q` by a multiple of A, which adds less
    /// than `(c - 1) P` to the result. The second is exact (Kawamura's, with offset 1/2 and
    /// no truncation).
    fn montgomery<const L: usize>(
        self,
        plan: &Plan,
        constants: &LaneConstants<L>,
        x: &mut LaneNumbers<L>,
        y: Operand<'_, L>,
        scratch: &mut LaneScratch<L>,
    );

    /// `out := sum of +- x y R^-1` in every channel by itself, residues below `4 m`.
    fn dot<const L: usize>(self, plan: &Plan, terms: &[Term<'_, L>], out: &mut LaneNumbers<L>);

    /// `x := x + y`: the sum of the normalized residues, below `4 m`.
    fn add<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>);

    /// `x := x - y`: the normalized residue of x, plus `2 m` less that of y; at most `4 m`.
    fn subtract<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>);

    /// `x := factor x` for `factor < 2^16`, residues at most `2 m`; then `x := -x`, if asked for.
    fn scale<const L: usize>(
        self,
        plan: &Plan,
        x: &mut LaneNumbers<L>,
        factor: u32,
        negative: bool,
    );

    /// Each lane's entry of the table, where the lane's mask is all ones: every entry is read,
    /// and all but one are masked away.
    fn select<const L: usize>(
        self,
        table: &LaneTable<Self::Entry, L>,
        masks: &[Row<Self::Entry, L>],
        out: &mut LaneNumbers<L>,
    );

    /// The stored residues of integers below `2^bits`, given in digits of `w` bits:
    /// `sum_k d_k |2^(wk)|_m`. Normalized.
    fn enter<const L: usize>(self, plan: &Plan, digits: &[Row<u64, L>], out: &mut LaneNumbers<L>);

    /// The integer of a number in the range of a product, `sum rh_j B/b_j - h B`, in digits of
    /// `w` bits in two's complement. Leaves `rh` and `h` in the scratch space.
    fn leave<const L: usize>(
        self,
        plan: &Plan,
        x: &LaneNumbers<L>,
        scratch: &mut LaneScratch<L>,
        digits: &mut [Row<u64, L>],
    );
}
