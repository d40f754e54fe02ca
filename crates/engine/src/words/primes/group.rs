//! Groups of one number in limbs.

use core::{marker::PhantomData, slice};

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing", debug_assertions))]
use crate::program::Magnitude;
use crate::{
    device::{Member, Outcome, Work},
    group::Group,
    interpreter,
    kept::own,
    program::{OwnTable, Span, formulas::Segment},
    words::primes::{
        compiled::Compiled,
        instructions::{Code, Instructions, PrimeNumber},
        integers::{PrimeConstants, entered, integer},
        number::mask,
        prime::{LIMBS, Limbs},
    },
};

/// Runs the work modulo F with these instructions, one member after the other.
pub(super) fn run<F: Compiled, I: Instructions>(instructions: I, work: &Work<'_>) -> Vec<Outcome> {
    let run = |member| {
        let work = Work {
            members: slice::from_ref(member),
            ..*work
        };
        interpreter::run(&work, |members| PrimeGroup::<F, I> {
            instructions,
            constants: members[0].constants.map(own),
            last: None,
            prime: PhantomData,
        })
    };
    work.members.iter().flat_map(run).collect()
}

/// A group of one number modulo F.
struct PrimeGroup<'a, F, I> {
    instructions: I,
    /// The constants of the modulus, if the program has any.
    constants: Option<&'a PrimeConstants>,
    /// The formula that was run last, and its code: most formulas are repeated.
    last: Option<(Segment, Code<I>)>,
    prime: PhantomData<F>,
}

impl<F: Compiled, I: Instructions> PrimeGroup<'_, F, I> {
    /// The constants of the modulus from one on.
    fn constants_from(&self, first: u64) -> &[Limbs] {
        let constants = self
            .constants
            .expect("the engine has checked that a member brings the program's constants");
        &constants.all()[first as usize..]
    }
}

impl<F: Compiled, I: Instructions> Group for PrimeGroup<'_, F, I> {
    type Numbers = PrimeNumber;
    type Table = Zeroizing<Vec<Limbs>>;

    const WIDTH: usize = 1;

    fn zero(&self) -> PrimeNumber {
        PrimeNumber::default()
    }

    fn copy(&self, from: &PrimeNumber, to: &mut PrimeNumber) {
        **to = **from;
    }

    fn enter(&self, words: &[&[Word]], out: &mut PrimeNumber) {
        **out = entered::<F>(words[0]);
    }

    fn one(&self, out: &mut PrimeNumber) {
        **out = [1, 0, 0, 0, 0];
    }

    fn montgomery_square(&self, out: &mut PrimeNumber) {
        **out = F::FACTOR_SQUARED;
    }

    fn own_constants(&self, _: &[Member<'_>], numbers: &[u64], out: &mut PrimeNumber) {
        **out = self.constants_from(numbers[0])[0];
    }

    fn select_own(&self, _: &[Member<'_>], table: OwnTable, digits: &[u64], out: &mut PrimeNumber) {
        let entries = &self.constants_from(table.first.into())[..table.len()];
        **out = self.instructions.select(entries, digits[0]);
    }

    fn multiply(&mut self, x: &mut PrimeNumber, y: &PrimeNumber) {
        **x = self.instructions.sum_of_products::<F>(&[(false, &*x, y)]);
    }

    fn multiply_into(&mut self, x: &PrimeNumber, y: &PrimeNumber, out: &mut PrimeNumber) {
        **out = self.instructions.sum_of_products::<F>(&[(false, x, y)]);
    }

    fn square_times(&mut self, x: &mut PrimeNumber, times: u32) {
        self.instructions.square_times::<F>(x, times);
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &PrimeNumber, &PrimeNumber)],
        out: &mut PrimeNumber,
    ) {
        **out = self.instructions.sum_of_products::<F>(terms);
    }

    fn combine(
        &self,
        terms: &[(i32, &PrimeNumber)],
        _lift: u64,
        _fold: bool,
        _spare: &mut PrimeNumber,
        out: &mut PrimeNumber,
    ) {
        **out = self.instructions.combine::<F>(terms);
    }

    fn run_segment(
        &mut self,
        registers: &mut [PrimeNumber],
        span: &Span,
        digits: Option<&[u64]>,
    ) -> bool {
        let code = match self.last {
            Some((segment, code)) if segment == span.segment => code,
            _ => match F::code::<I>(span.segment) {
                Some(code) => code,
                None => return false,
            },
        };
        self.last = Some((span.segment, code));
        code(
            self.instructions,
            registers,
            span,
            digits.map_or(0, |digits| digits[0]),
        );
        true
    }

    fn choose(&self, bits: &[u64], x: &mut PrimeNumber, y: &PrimeNumber) {
        let mask = mask(bits[0]);
        for (x, &y) in x.iter_mut().zip(y.iter()) {
            *x ^= (*x ^ y) & mask;
        }
    }

    fn table(&self, entries: usize, _: bool) -> Zeroizing<Vec<Limbs>> {
        Zeroizing::new(vec![[0; LIMBS]; entries])
    }

    fn store(&self, table: &mut Zeroizing<Vec<Limbs>>, entry: usize, numbers: &PrimeNumber) {
        table[entry] = **numbers;
    }

    fn store_at(&self, table: &mut Zeroizing<Vec<Limbs>>, entries: &[u64], numbers: &PrimeNumber) {
        table[entries[0] as usize] = **numbers;
    }

    fn load(&self, table: &Zeroizing<Vec<Limbs>>, entry: usize, out: &mut PrimeNumber) {
        **out = table[entry];
    }

    fn select(&mut self, table: &Zeroizing<Vec<Limbs>>, indices: &[u64], out: &mut PrimeNumber) {
        **out = self.instructions.select(table, indices[0]);
    }

    fn select_public(&self, table: &Zeroizing<Vec<Limbs>>, indices: &[u64], out: &mut PrimeNumber) {
        **out = table[indices[0] as usize];
    }

    fn leave(&mut self, x: &PrimeNumber, _: usize) -> Vec<Zeroizing<BoxedUint>> {
        let words = integer::<F>(x);
        vec![Zeroizing::new(BoxedUint::from_words(words.iter().copied()))]
    }

    /// Whether a number is within the bound of those that are kept. It stands for all numbers congruent to it, and has no
    /// other magnitude.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(&self, x: &PrimeNumber, _: usize, _: &Magnitude) -> bool {
        let [lower @ .., top] = **x;
        lower.iter().all(|&limb| limb <= F::TIGHT.limb) && top <= F::TIGHT.top
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_word(&self, x: &mut PrimeNumber, place: u64) {
        flip::<F>(x, place);
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut Zeroizing<Vec<Limbs>>, place: u64) {
        let (entry, rest) = (place as usize % table.len(), place / table.len() as u64);
        flip::<F>(&mut table[entry], rest);
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

/// Flips the bit of a limb that `place` selects.
#[cfg(any(test, feature = "testing"))]
fn flip<F: Compiled>(limbs: &mut Limbs, place: u64) {
    let limb = (place / u64::from(F::BITS)) as usize % LIMBS;
    // The highest limb of some primes has fewer bits.
    let bits = if limb + 1 < LIMBS {
        F::BITS
    } else {
        F::P[limb].ilog2() + 1
    };
    limbs[limb] ^= 1 << (place % u64::from(bits));
}
