//! What a lane backend brings: the kernels that walk over all lanes of a group.

use zeroize::Zeroize;

use super::{LaneConstants, Numbers, Operand, Scratch, Table};
use crate::backend::{plan::Plan, row::Row};

/// The arithmetic of a backend.
///
/// Implementations must do exactly what each function says, for any operands within the
/// plan's bounds, in a time that depends on the plan and the group's width only.
pub(crate) trait Kernels: Copy + Send + Sync {
    /// How a stored residue lies in a table of powers.
    type Entry: Copy + Default + Zeroize + Send;

    /// The low bits of a value, as many as an entry has.
    fn entry(value: u64) -> Self::Entry;

    /// `x := x y A^-1` modulo P, lane by lane: RNS Montgomery multiplication.
    ///
    /// Operands are integers up to `2 c P`, stored within the plan's bounds. The result is
    /// congruent, below `c P`, and stored within the bounds. The first extension is left
    /// uncorrected: `q' = sum qh_i A/a_i` exceeds `q` by a multiple of A, which adds less
    /// than `(c - 1) P` to the result. The second is exact (Kawamura's, with offset 1/2 and
    /// no truncation). Leaves `rh` and `h` of the result in the scratch space.
    fn montgomery<const L: usize>(
        self,
        plan: &Plan,
        constants: &LaneConstants<L>,
        x: &mut Numbers<L>,
        y: Operand<'_, L>,
        scratch: &mut Scratch<L>,
    );

    /// `x := x + y` modulo P for numbers below `c P` each: the sum is below `2 c P`, every
    /// residue of it below `4 m`.
    fn add<const L: usize>(self, plan: &Plan, x: &mut Numbers<L>, y: &Numbers<L>);

    /// Each lane's entry of the table, where the lane's mask is all ones: every entry is read,
    /// and all but one are masked away.
    fn select<const L: usize>(
        self,
        table: &Table<Self::Entry, L>,
        masks: &[Row<Self::Entry, L>],
        out: &mut Numbers<L>,
    );

    /// The stored residues of integers below `2^bits`, given in digits of `w` bits:
    /// `sum_k d_k |2^(wk)|_m`. Every residue is below `2 m`.
    fn enter<const L: usize>(self, plan: &Plan, digits: &[Row<u64, L>], out: &mut Numbers<L>);

    /// The integer of the product just computed, from its `rh` and `h`:
    /// `sum rh_j B/b_j - h B`, in digits of `w` bits.
    fn leave<const L: usize>(self, plan: &Plan, scratch: &Scratch<L>, digits: &mut [Row<u64, L>]);
}
