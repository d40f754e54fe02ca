//! The kernels behind run-time detection. This file has all calls of functions with target features for
//! groups in lanes.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]

use core::any::Any;

use crate::{
    instructions::Ifma,
    kept::own,
    lookup::LaneTable,
    residues::{
        avx512::{
            lanes::{convert, product, select},
            modulus::IfmaModulus,
        },
        lanes::{Kernels, LaneModuli, LaneNumbers, LaneScratch, Operand, Term},
        plan::{Matrix, Plan, PreparedModulus},
    },
    row::Row,
};

impl Kernels for Ifma {
    type Entry = u64;

    fn modulus(prepared: &(dyn Any + Send + Sync)) -> &PreparedModulus {
        &own::<IfmaModulus>(prepared).residues
    }

    fn entry(value: u64) -> u64 {
        value
    }

    fn value(entry: u64) -> u64 {
        entry
    }

    fn montgomery<const L: usize>(
        self,
        plan: &Plan,
        moduli: &LaneModuli<L>,
        x: &mut LaneNumbers<L>,
        y: Operand<'_, L>,
        scratch: &mut LaneScratch<L>,
    ) {
        // SAFETY: `self` exists, so `detect` has found AVX-512F and IFMA, which the function is
        // compiled for.
        unsafe { product::montgomery(plan, moduli, x, y, scratch) }
    }

    fn add<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        // SAFETY: as above.
        unsafe { convert::add(plan, x, y) }
    }

    fn select<const L: usize>(
        self,
        table: &LaneTable<u64, L>,
        masks: &[Row<u64, L>],
        out: &mut LaneNumbers<L>,
    ) {
        // SAFETY: as above.
        unsafe { select::select(table, masks, out) }
    }

    fn enter<const L: usize>(self, plan: &Plan, digits: &[Row<u64, L>], out: &mut LaneNumbers<L>) {
        // SAFETY: as above.
        unsafe { convert::enter(plan, digits, out) }
    }

    fn leave<const L: usize>(
        self,
        plan: &Plan,
        x: &LaneNumbers<L>,
        scratch: &mut LaneScratch<L>,
        digits: &mut [Row<u64, L>],
    ) {
        // SAFETY: as above.
        unsafe { convert::leave(plan, x, scratch, digits) }
    }

    fn compare<const L: usize>(
        self,
        plan: &Plan,
        weights: &Matrix,
        inputs: &[Row<u64, L>],
        x: &LaneNumbers<L>,
        differences: &mut [Row<u64, L>],
    ) {
        // SAFETY: as above.
        unsafe { convert::compare(plan, weights, inputs, x, differences) }
    }

    fn subtract<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        // SAFETY: as above.
        unsafe { convert::subtract(plan, x, y) }
    }

    fn scale<const L: usize>(
        self,
        plan: &Plan,
        x: &mut LaneNumbers<L>,
        factor: u32,
        negative: bool,
    ) {
        // SAFETY: as above.
        unsafe { convert::scale(plan, x, factor, negative) }
    }

    fn dot<const L: usize>(self, plan: &Plan, terms: &[Term<'_, L>], out: &mut LaneNumbers<L>) {
        // SAFETY: as above.
        unsafe { convert::dot(plan, terms, out) }
    }
}
