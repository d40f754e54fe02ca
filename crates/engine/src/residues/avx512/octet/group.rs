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
    kernels::{self, Constants, Digits, Number},
    tape::Tape,
};
use crate::{
    device::Member,
    group::Group,
    instructions::Ifma,
    integers::inverse,
    kept::own,
    lookup::{masks, write_masks},
    program::{OwnTable, Program},
    residues::avx512::spread::{SpreadGroup, SpreadNumbers},
};

/// A group of one number.
pub(super) struct OctetGroup<'a> {
    general: SpreadGroup<'a, 1>,
    /// The words of the modulus.
    modulus: &'a [Word],
    plan: Cow<'a, OctetPlan>,
    weights: Cow<'a, Weights>,
    digits: Digits,
    /// The masks of a look-up.
    masks: Zeroizing<Vec<[u64; 1]>>,
    /// The registers that a run of the tape has given, and the operation before which its operations give the same.
    #[cfg(debug_assertions)]
    expected: Option<(usize, Vec<Number>)>,
}

impl<'a> OctetGroup<'a> {
    pub(super) fn new(kernels: Ifma, members: &[Member<'a>]) -> Self {
        let modulus: &'a OctetModulus = own(members[0].modulus);
        Self {
            general: SpreadGroup::of(kernels, vec![&modulus.general]),
            modulus: &modulus.general.residues.words,
            plan: Cow::Borrowed(&modulus.plan.octet),
            weights: Cow::Borrowed(&modulus.weights),
            digits: Digits::new(),
            masks: Zeroizing::default(),
            #[cfg(debug_assertions)]
            expected: None,
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

    /// Runs instructions of a tape.
    fn run_words(&mut self, registers: &mut [Number], words: &[u64]) {
        let (constants, digits) = self.parts();
        // SAFETY: the general group has a proof of AVX-512F and IFMA, which the function is compiled for.
        unsafe { kernels::run(constants, digits, registers, words) };
    }

    /// Asserts that a run of the tape that ends before this operation has given the same registers as its operations.
    #[cfg(debug_assertions)]
    fn compare(&mut self, registers: &[Number], program: &Program, operation: usize) {
        if let Some((_, expected)) = self.expected.take_if(|(end, _)| *end == operation) {
            let mut pairs = registers.iter().zip(&expected).take(program.registers());
            assert!(pairs.all(|(x, y)| x.is_same(y, &self.plan)));
        }
    }

    /// Calls `make` of the general group, and takes over the number that it makes.
    fn take(
        &self,
        out: &mut Number,
        make: impl FnOnce(&SpreadGroup<'a, 1>, &mut SpreadNumbers<1>),
    ) {
        let mut number = self.general.zero();
        make(&self.general, &mut number);
        (out.a, out.b) = (number.rows[0], number.rows[1]);
    }

    /// The number as the general group has it.
    fn give(&self, x: &Number) -> SpreadNumbers<1> {
        let mut number = self.general.zero();
        number.rows.copy_from_slice(&[x.a, x.b]);
        number
    }
}

impl Group for OctetGroup<'_> {
    type Numbers = Number;
    type Table = Vec<Number>;

    const WIDTH: usize = 1;

    fn zero(&self) -> Number {
        Number::default()
    }

    fn copy(&self, from: &Number, to: &mut Number) {
        (to.a, to.b) = (from.a, from.b);
    }

    fn enter(&self, words: &[&[Word]], out: &mut Number) {
        self.take(out, |general, number| general.enter(words, number));
        // SAFETY: the general group has a proof of AVX-512F and IFMA, which the function is compiled for.
        unsafe { kernels::tighten(&self.plan, out) };
    }

    fn one(&self, out: &mut Number) {
        self.take(out, Group::one);
    }

    fn montgomery_square(&self, out: &mut Number) {
        self.take(out, Group::montgomery_square);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut Number) {
        self.take(out, |general, number| {
            general.own_constants(members, numbers, number);
        });
    }

    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut Number,
    ) {
        self.take(out, |general, number| {
            general.select_own(members, table, digits, number);
        });
    }

    fn multiply(&mut self, x: &mut Number, y: &Number) {
        let (constants, digits) = self.parts();
        // SAFETY: as in `enter`.
        unsafe { kernels::multiply(constants, digits, x, y) };
    }

    fn square_times(&mut self, x: &mut Number, times: u32) {
        let (constants, digits) = self.parts();
        // SAFETY: as in `enter`.
        unsafe { kernels::square_times(constants, digits, x, times) };
    }

    fn sum_of_products(&mut self, terms: &[(bool, &Number, &Number)], out: &mut Number) {
        let (constants, digits) = self.parts();
        // SAFETY: as in `enter`.
        unsafe { kernels::sum_of_products(constants, digits, terms, out) };
    }

    fn combine(
        &self,
        terms: &[(i32, &Number)],
        _lift: u64,
        _fold: bool,
        _spare: &mut Number,
        out: &mut Number,
    ) {
        // SAFETY: as in `enter`.
        unsafe { kernels::combine(&self.plan, terms, out) };
    }

    fn registers(&self, program: &Program) -> usize {
        let tape = program.compiled(Tape::new);
        tape.map_or(program.registers(), Tape::registers)
    }

    fn run_steps(&mut self, registers: &mut [Number], program: &Program, first: usize) -> usize {
        #[cfg(debug_assertions)]
        self.compare(registers, program, first);
        let run = program
            .compiled(Tape::new)
            .and_then(|tape| tape.run_from(first));
        let Some((steps, words)) = run else {
            return 0;
        };
        // Builds with debug assertions compute operation by operation, and compare the results.
        #[cfg(debug_assertions)]
        {
            let mut results = registers.to_vec();
            self.run_words(&mut results, words);
            self.expected = Some((first + steps, results));
            0
        }
        #[cfg(not(debug_assertions))]
        {
            self.run_words(registers, words);
            steps
        }
    }

    fn invert(&mut self, x: &Number, out: &mut Number) -> bool {
        let mut integer = Zeroizing::new(vec![0; self.modulus.len()]);
        for left in self.leave(x, 1) {
            let words = left.as_words().iter();
            integer
                .iter_mut()
                .zip(words)
                .for_each(|(to, &from)| *to = from);
        }
        inverse::invert(&mut integer, self.modulus);
        self.enter(&[&integer], out);
        // x had the Montgomery factor once: its inverse lacks it twice.
        let mut square = self.zero();
        self.montgomery_square(&mut square);
        self.multiply(out, &square);
        self.multiply(out, &square);
        true
    }

    fn choose(&self, bits: &[u64], x: &mut Number, y: &Number) {
        let masks: Zeroizing<Vec<[u64; 1]>> = masks(2, bits, |masks| masks);
        let both = [x.clone(), y.clone()];
        // SAFETY: as in `enter`.
        unsafe { kernels::select(&both, &masks, x) };
    }

    fn table(&self, entries: usize, _: bool) -> Vec<Number> {
        vec![Number::default(); entries]
    }

    fn store(&self, table: &mut Vec<Number>, entry: usize, number: &Number) {
        self.copy(number, &mut table[entry]);
    }

    fn store_at(&self, table: &mut Vec<Number>, entries: &[u64], number: &Number) {
        self.store(table, entries[0] as usize, number);
    }

    fn load(&self, table: &Vec<Number>, entry: usize, out: &mut Number) {
        self.copy(&table[entry], out);
    }

    fn select(&mut self, table: &Vec<Number>, indices: &[u64], out: &mut Number) {
        write_masks(&mut self.masks, table.len(), indices, |masks| masks);
        // SAFETY: as in `enter`.
        unsafe { kernels::select(table, &self.masks, out) };
    }

    fn select_public(&self, table: &Vec<Number>, indices: &[u64], out: &mut Number) {
        self.load(table, indices[0] as usize, out);
    }

    fn leave(&mut self, x: &Number, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        let number = self.give(x);
        self.general.leave(&number, count)
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(&self, x: &Number, member: usize, magnitude: &crate::program::Magnitude) -> bool {
        x.is_tight(&self.plan) && self.general.is_within(&self.give(x), member, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_word(&self, x: &mut Number, place: u64) {
        let mut number = self.give(x);
        self.general.flip_word(&mut number, place);
        (x.a, x.b) = (number.rows[0], number.rows[1]);
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut Vec<Number>, place: u64) {
        let entry = (place >> 40) as usize % table.len();
        self.flip_word(&mut table[entry], place);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choices::Split,
        residues::{avx512::octet::SizedPlan, plan::SizePlan},
        row::Row,
    };

    /// Any 64 bits of a lane become tight, and so do the largest sums of products and combinations; residues are right.
    #[test]
    fn extreme_lanes() {
        if let Err(missing) = Ifma::detect() {
            println!("SKIPPED: {missing}");
            return;
        }
        let sized = SizedPlan::new(384, (), Split::Fixed).unwrap();
        let (plan, bounds) = (&sized.octet, sized.octet.bounds);
        let number = |value| Number {
            a: Row([value; 8]),
            b: Row([value; 8]),
        };
        let is = |x: &Number, value: i128| {
            let channels = sized
                .plan
                .channels
                .iter()
                .map(|channel| i128::from(channel.m));
            let lanes = x.a.iter().chain(x.b.iter()).zip(channels);
            let mut lanes = lanes.map(|(&lane, m)| (value - i128::from(lane)).rem_euclid(m));
            x.is_tight(plan) && lanes.all(|difference| difference == 0)
        };
        for value in [
            0,
            1,
            (1 << 50) - 1,
            1 << 50,
            1 << 63,
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut x = number(value);
            // SAFETY: detected above.
            unsafe { kernels::tighten(plan, &mut x) };
            assert!(is(&x, value.into()), "{value}");
        }
        let largest = number(bounds.x_a);
        let value = i128::from(bounds.x_a);
        let mut out = Number::default();
        for [f, g] in [[1023, 1], [-1023, 1], [-512, -512], [2, -2], [1, -1023]] {
            // SAFETY: detected above.
            unsafe { kernels::combine(plan, &[(f, &largest), (g, &largest)], &mut out) };
            assert!(is(&out, i128::from(f + g) * value), "{f}, {g}");
        }
        // The moduli themselves are above all weights.
        let weights = Weights {
            to_quotient: Zeroizing::new(plan.a.m),
            a_to_b: Zeroizing::new([plan.b.m; 8]),
        };
        let constants = Constants {
            plan,
            weights: &weights,
        };
        for negative in [false, true] {
            let terms = vec![(negative, &largest, &largest); 1 << 10];
            // SAFETY: detected above. Bounds of intermediate values are asserted within.
            unsafe { kernels::sum_of_products(constants, &mut Digits::new(), &terms, &mut out) };
            assert!(out.is_tight(plan), "{negative}");
        }
    }
}
