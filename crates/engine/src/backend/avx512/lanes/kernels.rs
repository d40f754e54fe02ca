//! The backend's kernels behind run-time detection: its only calls of functions with
//! target features.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]

use super::{convert, product, select};
use crate::backend::{
    lanes::{Kernels, LaneConstants, Numbers, Operand, Scratch, Table},
    plan::Plan,
    row::Row,
};

/// Proof that this processor has AVX-512F and IFMA: the only way to get one is
/// detection.
#[derive(Clone, Copy)]
pub(crate) struct Ifma(());

impl Ifma {
    /// The kernels, if this processor has the instructions.
    pub(crate) fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma");
        present.then_some(Self(()))
    }
}

impl Kernels for Ifma {
    type Entry = u64;

    fn entry(value: u64) -> u64 {
        value
    }

    fn montgomery<const L: usize>(
        self,
        plan: &Plan,
        constants: &LaneConstants<L>,
        x: &mut Numbers<L>,
        y: Operand<'_, L>,
        scratch: &mut Scratch<L>,
    ) {
        // SAFETY: `self` exists, so that `detect` has found the features.
        unsafe { product::montgomery(plan, constants, x, y, scratch) }
    }

    fn add<const L: usize>(self, plan: &Plan, x: &mut Numbers<L>, y: &Numbers<L>) {
        // SAFETY: as above.
        unsafe { convert::add(plan, x, y) }
    }

    fn select<const L: usize>(
        self,
        table: &Table<u64, L>,
        masks: &[Row<u64, L>],
        out: &mut Numbers<L>,
    ) {
        // SAFETY: as above.
        unsafe { select::select(table, masks, out) }
    }

    fn enter<const L: usize>(self, plan: &Plan, digits: &[Row<u64, L>], out: &mut Numbers<L>) {
        // SAFETY: as above.
        unsafe { convert::enter(plan, digits, out) }
    }

    fn leave<const L: usize>(self, plan: &Plan, scratch: &Scratch<L>, digits: &mut [Row<u64, L>]) {
        // SAFETY: as above.
        unsafe { convert::leave(plan, scratch, digits) }
    }
}
