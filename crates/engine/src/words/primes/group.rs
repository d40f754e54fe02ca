//! Groups of one number.

use core::slice;

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing", debug_assertions))]
use crate::program::Magnitude;
use crate::{
    device::{Member, Outcome, Work},
    group::Group,
    integers::inverse,
    interpreter,
    kept::own,
    program::{OwnTable, Span, formulas::Segment},
    words::primes::{
        arithmetic::{Arithmetic, Code, Compiled, Kept},
        integers::{self, PrimeConstants},
        number::mask,
    },
};

/// Runs the work with this arithmetic, one member after the other.
pub(super) fn run<A: Arithmetic>(arithmetic: A, work: &Work<'_>) -> Vec<Outcome> {
    let run = |member| {
        let work = Work {
            members: slice::from_ref(member),
            ..*work
        };
        interpreter::run(&work, |members| PrimeGroup {
            arithmetic,
            constants: members[0].constants.map(own),
            last: None,
        })
    };
    work.members.iter().flat_map(run).collect()
}

/// A group of one number.
struct PrimeGroup<'a, A: Arithmetic> {
    arithmetic: A,
    /// The constants of the modulus, if the program has any.
    constants: Option<&'a PrimeConstants>,
    /// The formula that was run last, and its code: most formulas are repeated.
    last: Option<(Segment, Code<A>)>,
}

impl<A: Arithmetic> PrimeGroup<'_, A> {
    /// The constants of the modulus from one on.
    fn constants_from(&self, first: u64) -> &[A::Number] {
        let constants = self
            .constants
            .expect("the engine has checked that a member brings the program's constants");
        &constants.all::<A>()[first as usize..]
    }
}

impl<A: Arithmetic> Group for PrimeGroup<'_, A> {
    type Numbers = Kept<A>;
    type Table = Zeroizing<Vec<A::Number>>;

    const WIDTH: usize = 1;

    fn zero(&self) -> Kept<A> {
        Kept::<A>::default()
    }

    fn copy(&self, from: &Kept<A>, to: &mut Kept<A>) {
        **to = **from;
    }

    fn enter(&self, words: &[&[Word]], out: &mut Kept<A>) {
        **out = A::entered(words[0]);
    }

    fn one(&self, out: &mut Kept<A>) {
        **out = A::ONE;
    }

    fn montgomery_square(&self, out: &mut Kept<A>) {
        **out = A::FACTOR_SQUARED;
    }

    fn own_constants(&self, _: &[Member<'_>], numbers: &[u64], out: &mut Kept<A>) {
        **out = self.constants_from(numbers[0])[0];
    }

    fn select_own(&self, _: &[Member<'_>], table: OwnTable, digits: &[u64], out: &mut Kept<A>) {
        let entries = &self.constants_from(table.first.into())[..table.len()];
        **out = self.arithmetic.select(entries, digits[0]);
    }

    fn multiply(&mut self, x: &mut Kept<A>, y: &Kept<A>) {
        **x = self.arithmetic.sum_of_products(&[(false, &*x, y)]);
    }

    fn multiply_into(&mut self, x: &Kept<A>, y: &Kept<A>, out: &mut Kept<A>) {
        **out = self.arithmetic.sum_of_products(&[(false, x, y)]);
    }

    fn square_times(&mut self, x: &mut Kept<A>, times: u32) {
        self.arithmetic.square_times(x, times);
    }

    fn sum_of_products(&mut self, terms: &[(bool, &Kept<A>, &Kept<A>)], out: &mut Kept<A>) {
        **out = self.arithmetic.sum_of_products(terms);
    }

    fn combine(
        &self,
        terms: &[(i32, &Kept<A>)],
        _lift: u64,
        _fold: bool,
        _spare: &mut Kept<A>,
        out: &mut Kept<A>,
    ) {
        **out = self.arithmetic.combine(terms);
    }

    fn run_segment(
        &mut self,
        registers: &mut [Kept<A>],
        span: &Span,
        digits: Option<&[u64]>,
    ) -> bool {
        let code = match self.last {
            Some((segment, code)) if segment == span.segment => code,
            _ => match A::Prime::code::<A>(span.segment) {
                Some(code) => code,
                None => return false,
            },
        };
        self.last = Some((span.segment, code));
        code(
            self.arithmetic,
            registers,
            span,
            digits.map_or(0, |digits| digits[0]),
        );
        true
    }

    fn invert(&mut self, x: &Kept<A>, out: &mut Kept<A>) -> bool {
        let mut integer = A::integer(x);
        inverse::invert(&mut *integer, &integers::prime::<A::Prime>());
        **out = A::entered(&*integer);
        // x had the Montgomery factor once, if there is one: its inverse lacks it twice.
        if A::FACTOR_BITS > 0 {
            let square = Zeroizing::new(A::FACTOR_SQUARED);
            self.multiply(out, &square);
            self.multiply(out, &square);
        }
        true
    }

    fn choose(&self, bits: &[u64], x: &mut Kept<A>, y: &Kept<A>) {
        let mask = mask(bits[0]);
        for (x, &y) in x.as_mut().iter_mut().zip((**y).as_ref()) {
            *x ^= (*x ^ y) & mask;
        }
    }

    fn table(&self, entries: usize, _: bool) -> Zeroizing<Vec<A::Number>> {
        Zeroizing::new(vec![A::Number::default(); entries])
    }

    fn store(&self, table: &mut Zeroizing<Vec<A::Number>>, entry: usize, numbers: &Kept<A>) {
        table[entry] = **numbers;
    }

    fn store_at(&self, table: &mut Zeroizing<Vec<A::Number>>, entries: &[u64], numbers: &Kept<A>) {
        table[entries[0] as usize] = **numbers;
    }

    fn load(&self, table: &Zeroizing<Vec<A::Number>>, entry: usize, out: &mut Kept<A>) {
        **out = table[entry];
    }

    fn select(&mut self, table: &Zeroizing<Vec<A::Number>>, indices: &[u64], out: &mut Kept<A>) {
        **out = self.arithmetic.select(table, indices[0]);
    }

    fn select_public(&self, table: &Zeroizing<Vec<A::Number>>, indices: &[u64], out: &mut Kept<A>) {
        **out = table[indices[0] as usize];
    }

    fn leave(&mut self, x: &Kept<A>, _: usize) -> Vec<Zeroizing<BoxedUint>> {
        let words = A::integer(x);
        vec![Zeroizing::new(BoxedUint::from_words(words.iter().copied()))]
    }

    /// Whether a number is within the bound of those that are kept. It stands for all numbers congruent to it, and has no
    /// other magnitude.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(&self, x: &Kept<A>, _: usize, _: &Magnitude) -> bool {
        A::is_kept(x)
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_word(&self, x: &mut Kept<A>, place: u64) {
        A::flip(x, place);
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut Zeroizing<Vec<A::Number>>, place: u64) {
        let (entry, rest) = (place as usize % table.len(), place / table.len() as u64);
        A::flip(&mut table[entry], rest);
    }

    /// Runs it as it is: the prime and all that follows from it are in the code.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_weight(&mut self, _: u64, operation: impl FnOnce(&mut Self)) {
        operation(self);
    }

    /// The same.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_constant(&mut self, _: u64, operation: impl FnOnce(&mut Self)) {
        operation(self);
    }
}
