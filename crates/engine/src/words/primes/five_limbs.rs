//! Numbers modulo a prime in five limbs.

use core::marker::PhantomData;

use crypto_bigint::Word;
use zeroize::Zeroizing;

use crate::{
    program::{Span, formulas::Formula},
    words::primes::{
        arithmetic::{Arithmetic, Compiled, Kept},
        instructions::Instructions,
        integers,
        prime::{Integer, Limbs},
    },
};

/// Arithmetic modulo F with these instructions. Numbers are within [`Prime::TIGHT`](super::prime::Prime::TIGHT).
pub(in crate::words) struct FiveLimbs<F, I> {
    instructions: I,
    prime: PhantomData<F>,
}

impl<F, I: Copy> Clone for FiveLimbs<F, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F, I: Copy> Copy for FiveLimbs<F, I> {}

impl<F, I> From<I> for FiveLimbs<F, I> {
    fn from(instructions: I) -> Self {
        Self {
            instructions,
            prime: PhantomData,
        }
    }
}

impl<F: Compiled, I: Instructions> Arithmetic for FiveLimbs<F, I> {
    type Prime = F;
    type Number = Limbs;

    const ONE: Limbs = [1, 0, 0, 0, 0];
    const FACTOR_BITS: u32 = F::FACTOR_BITS;
    const FACTOR_SQUARED: Limbs = F::FACTOR_SQUARED;

    fn entered(words: &[Word]) -> Limbs {
        integers::entered::<F>(words)
    }

    fn integer(x: &Limbs) -> Integer {
        integers::canonical::<F>(Zeroizing::new(integers::joined::<F>(x)))
    }

    fn numbers(words: &[u64]) -> &[Limbs] {
        words.as_chunks().0
    }

    fn run_formula<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        self,
        registers: &mut [Kept<Self>],
        span: &Span,
        digits: u64,
    ) {
        self.instructions
            .run_formula::<F, M, IN, OUT>(registers, span, digits);
    }

    fn sum_of_products(self, terms: &[(bool, &Kept<Self>, &Kept<Self>)]) -> Limbs {
        self.instructions.sum_of_products::<F>(terms)
    }

    fn square_times(self, x: &mut Limbs, times: u32) {
        self.instructions.square_times::<F>(x, times);
    }

    fn combine(self, terms: &[(i32, &Kept<Self>)]) -> Limbs {
        self.instructions.combine::<F>(terms)
    }

    fn select(self, entries: &[Limbs], index: u64) -> Limbs {
        self.instructions.select(entries, index)
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_kept(x: &Limbs) -> bool {
        let [lower @ .., top] = x;
        lower.iter().all(|&limb| limb <= F::TIGHT.limb) && *top <= F::TIGHT.top
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip(x: &mut Limbs, place: u64) {
        let limb = (place / u64::from(F::BITS)) as usize % x.len();
        // The highest limb of some primes has fewer bits.
        let bits = if limb + 1 < x.len() {
            F::BITS
        } else {
            F::P[limb].ilog2() + 1
        };
        x[limb] ^= 1 << (place % u64::from(bits));
    }
}
