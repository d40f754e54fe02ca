//! The group of one number. What is not arithmetic it leaves to the group of the layout `spread`.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]

use std::borrow::Cow;

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use super::{
    OctetModulus, Weights,
    constants::OctetPlan,
    kernels::{self, Constants, Digits},
};
use crate::{
    device::Member,
    group::Group,
    instructions::Ifma,
    kept::own,
    program::{OwnTable, Step},
    residues::avx512::spread::{SpreadGroup, SpreadNumbers, SpreadTable},
};

/// A group of one number.
pub(super) struct OctetGroup<'a> {
    general: SpreadGroup<'a, 1>,
    plan: Cow<'a, OctetPlan>,
    weights: Cow<'a, Weights>,
    digits: Digits,
}

impl<'a> OctetGroup<'a> {
    pub(super) fn new(kernels: Ifma, members: &[Member<'a>]) -> Self {
        let modulus: &'a OctetModulus = own(members[0].modulus);
        Self {
            general: SpreadGroup::of(kernels, vec![&modulus.general]),
            plan: Cow::Borrowed(&modulus.plan.octet),
            weights: Cow::Borrowed(&modulus.weights),
            digits: Digits::new(),
        }
    }

    /// The constants, and the digits' memory.
    fn parts(&mut self) -> (Constants<'_>, &mut Digits) {
        let constants = Constants {
            plan: &self.plan,
            weights: &self.weights,
        };
        (constants, &mut self.digits)
    }
}

impl Group for OctetGroup<'_> {
    type Numbers = SpreadNumbers<1>;
    type Table = SpreadTable<1>;

    const WIDTH: usize = 1;

    fn zero(&self) -> SpreadNumbers<1> {
        self.general.zero()
    }

    fn copy(&self, from: &SpreadNumbers<1>, to: &mut SpreadNumbers<1>) {
        self.general.copy(from, to);
    }

    fn enter(&self, words: &[&[Word]], out: &mut SpreadNumbers<1>) {
        self.general.enter(words, out);
        // SAFETY: the general group has a proof of AVX-512F and IFMA, which the function is compiled for.
        unsafe { kernels::tighten(&self.plan, out) };
    }

    fn one(&self, out: &mut SpreadNumbers<1>) {
        self.general.one(out);
    }

    fn montgomery_square(&self, out: &mut SpreadNumbers<1>) {
        self.general.montgomery_square(out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut SpreadNumbers<1>) {
        self.general.own_constants(members, numbers, out);
    }

    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut SpreadNumbers<1>,
    ) {
        self.general.select_own(members, table, digits, out);
    }

    fn multiply(&mut self, x: &mut SpreadNumbers<1>, y: &SpreadNumbers<1>) {
        let (constants, digits) = self.parts();
        // SAFETY: as in `enter`.
        unsafe { kernels::multiply(constants, digits, x, y) };
    }

    fn square_times(&mut self, x: &mut SpreadNumbers<1>, times: u32) {
        let (constants, digits) = self.parts();
        // SAFETY: as in `enter`.
        unsafe { kernels::square_times(constants, digits, x, times) };
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &SpreadNumbers<1>, &SpreadNumbers<1>)],
        out: &mut SpreadNumbers<1>,
    ) {
        let (constants, digits) = self.parts();
        // SAFETY: as in `enter`.
        unsafe { kernels::sum_of_products(constants, digits, terms, out) };
    }

    fn combine(
        &self,
        terms: &[(i32, &SpreadNumbers<1>)],
        _lift: u64,
        _fold: bool,
        _spare: &mut SpreadNumbers<1>,
        out: &mut SpreadNumbers<1>,
    ) {
        // SAFETY: as in `enter`.
        unsafe { kernels::combine(&self.plan, terms, out) };
    }

    fn run_steps(&mut self, registers: &mut [SpreadNumbers<1>], steps: &[Step]) -> usize {
        let (constants, digits) = self.parts();
        // SAFETY: as in `enter`.
        unsafe { kernels::run(constants, digits, registers, steps) }
    }

    fn choose(&self, bits: &[u64], x: &mut SpreadNumbers<1>, y: &SpreadNumbers<1>) {
        self.general.choose(bits, x, y);
    }

    fn table(&self, entries: usize, is_secret: bool) -> SpreadTable<1> {
        self.general.table(entries, is_secret)
    }

    fn store(&self, table: &mut SpreadTable<1>, entry: usize, numbers: &SpreadNumbers<1>) {
        self.general.store(table, entry, numbers);
    }

    fn store_at(&self, table: &mut SpreadTable<1>, entries: &[u64], numbers: &SpreadNumbers<1>) {
        self.general.store_at(table, entries, numbers);
    }

    fn load(&self, table: &SpreadTable<1>, entry: usize, out: &mut SpreadNumbers<1>) {
        self.general.load(table, entry, out);
    }

    fn select(&mut self, table: &SpreadTable<1>, indices: &[u64], out: &mut SpreadNumbers<1>) {
        self.general.select(table, indices, out);
    }

    fn select_public(&self, table: &SpreadTable<1>, indices: &[u64], out: &mut SpreadNumbers<1>) {
        self.general.select_public(table, indices, out);
    }

    fn leave(&mut self, x: &SpreadNumbers<1>, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        self.general.leave(x, count)
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &SpreadNumbers<1>,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool {
        kernels::is_tight(x, &self.plan) && self.general.is_within(x, member, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_word(&self, x: &mut SpreadNumbers<1>, place: u64) {
        self.general.flip_word(x, place);
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut SpreadTable<1>, place: u64) {
        self.general.flip_entry(table, place);
    }

    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let whole = self.general.flip_weight(place);
        self.with_constants_of_general(operation);
        self.general.restore(whole);
    }

    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        self.general.flip_constant(place);
        self.with_constants_of_general(operation);
        self.general.flip_constant(place);
    }
}

#[cfg(any(test, feature = "testing"))]
impl OctetGroup<'_> {
    /// Runs `operation` with constants made anew from those of the general group, which are faulty.
    fn with_constants_of_general(&mut self, operation: impl FnOnce(&mut Self)) {
        let whole = (self.plan.clone(), self.weights.clone());
        let (plan, [to_quotient, scaled_p]) = self.general.constants();
        let (own, weights) = (
            OctetPlan::new(plan),
            Weights::new(plan, to_quotient, scaled_p),
        );
        (self.plan, self.weights) = (Cow::Owned(own), Cow::Owned(weights));
        operation(self);
        (self.plan, self.weights) = whole;
    }
}
