//! The interface of the kernels that run over all lanes of a group. Devices implement it.

use core::any::Any;

use zeroize::Zeroize;

use crate::{
    lookup::LaneTable,
    residues::{
        lanes::{LaneModuli, LaneNumbers, LaneScratch, Operand},
        plan::{Matrix, Plan, PreparedModulus},
    },
    row::Row,
};

/// A term of a sum of products, `(negative, x, y)`: `x y`, or `-x y` if `negative`.
pub(crate) type Term<'a, const L: usize> = (bool, &'a LaneNumbers<L>, &'a LaneNumbers<L>);

/// The kernels of a device with lane layouts.
///
/// All operands are stored residues within the plan's bounds: at most `x_a` in base A and `x_b` in base B and in
/// redundant channels. All results are, too, as both bounds are at least `4 2^w`. *Normalized* residues are below `2
/// m`. The time depends only on the plan, the group's width, and the number of terms or entries.
pub(crate) trait Kernels: Copy + Send + Sync {
    /// The type of a stored residue in a table.
    type Entry: Copy + Default + Zeroize + Send;

    /// The constants in residues of a modulus that this device has prepared.
    fn modulus(prepared: &(dyn Any + Send + Sync)) -> &PreparedModulus;

    /// The low bits of a value, as many as an entry holds.
    fn entry(value: u64) -> Self::Entry;

    /// The value of an entry.
    fn value(entry: Self::Entry) -> u64;

    /// `x := x y A^-1` modulo P, lane by lane: RNS Montgomery multiplication.
    ///
    /// Requires integers with `|x y| < A P`. Ensures a result that is congruent, above `-P` and
    /// below `c P`. Leaves its `rh` and `h` in the scratch space.
    ///
    /// The first extension is not corrected: `q' = sum qh_i A/a_i` may exceed the quotient `q` by a
    /// multiple of A, but is at most `(c - 1) A`, and adds at most `(c - 1) P` to the result. The
    /// second extension is exact (Kawamura et al., with offset 1/2 and without truncation).
    fn montgomery<const L: usize>(
        self,
        plan: &Plan,
        moduli: &LaneModuli<L>,
        x: &mut LaneNumbers<L>,
        y: Operand<'_, L>,
        scratch: &mut LaneScratch<L>,
    );

    /// `out := sum of (+-) x y R^-1` in each channel separately: the residues of the sum divided by
    /// R, which are normalized.
    fn dot<const L: usize>(self, plan: &Plan, terms: &[Term<'_, L>], out: &mut LaneNumbers<L>);

    /// `x := x + y`: the sums of normalized residues, below `4 m`.
    fn add<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>);

    /// `x := x - y`: the normalized residues of x, plus `2 m` minus those of y, below `4 m`.
    fn subtract<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>);

    /// `x := factor x`, or `x := -factor x` if `negative`; residues of at most `2 m`. Requires
    /// `factor < 2^16`.
    fn scale<const L: usize>(
        self,
        plan: &Plan,
        x: &mut LaneNumbers<L>,
        factor: u32,
        negative: bool,
    );

    /// `out :=` each lane's entry of the table. Requires, for each lane, a mask of all ones for one
    /// entry and masks of zeros for the others. All entries are read.
    fn select<const L: usize>(
        self,
        table: &LaneTable<Self::Entry, L>,
        masks: &[Row<Self::Entry, L>],
        out: &mut LaneNumbers<L>,
    );

    /// `out :=` the stored residues of integers below `2^bits`, normalized. Requires digits below
    /// `2^w`: the residues are `sum_k d_k |2^(wk)|_m`, times `g_j` in base B.
    fn enter<const L: usize>(self, plan: &Plan, digits: &[Row<u64, L>], out: &mut LaneNumbers<L>);

    /// `digits :=` the integers `sum rh_j B/b_j - h B`, in digits of `w` bits in two's complement.
    /// Requires integers above `-P` and below `c P`, as products are. Leaves `rh` and `h` in the
    /// scratch space.
    fn leave<const L: usize>(
        self,
        plan: &Plan,
        x: &LaneNumbers<L>,
        scratch: &mut LaneScratch<L>,
        digits: &mut [Row<u64, L>],
    );

    /// `differences :=` the canonical residues of `sum_k weights[.][k] inputs[k] R^-1` less the stored ones of x, a row
    /// for each redundant channel: 0 where they agree. The weights are a matrix of
    /// [`Checks`](crate::residues::plan::Checks), the inputs the values that it extends.
    fn compare<const L: usize>(
        self,
        plan: &Plan,
        weights: &Matrix,
        inputs: &[Row<u64, L>],
        x: &LaneNumbers<L>,
        differences: &mut [Row<u64, L>],
    );
}
