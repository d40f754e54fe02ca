//! Numbers modulo P in four words, where a processor has instructions with two carries.

use core::{array, marker::PhantomData};

use crypto_bigint::Word;
use zeroize::Zeroizing;

use crate::{
    program::{
        Span,
        formulas::{Arith, Formula},
    },
    words::{
        primes::{
            arithmetic::{Arithmetic, Compiled, Kept, registers_of},
            instructions::Instructions,
            integers,
            number::mask,
            prime::{Integer, Prime},
        },
        two_carries::TwoCarries,
        wide::{self, Wide, Words},
    },
};

/// A prime with arithmetic on numbers of four words, which stand for what they are modulo P.
pub(in crate::words) trait InFourWords: Prime {
    /// The exponent of the Montgomery factor, a power of two.
    const FACTOR_BITS: u32;

    /// The square of the Montgomery factor modulo P.
    const FACTOR_SQUARED: Words;

    /// The number that an integer is.
    fn entered(integer: Words) -> Words;

    /// A product of two numbers modulo P, times the inverse of the Montgomery factor if there is one.
    fn reduction(instructions: TwoCarries, product: Wide) -> Words;

    /// The sum of products of two numbers, reduced likewise. There are less than `2^16`, of which those with `true` are subtracted.
    fn products<'a>(
        instructions: TwoCarries,
        terms: impl Iterator<Item = (bool, &'a Words, &'a Words)>,
    ) -> Words;

    /// `x + y`.
    fn sum(x: &Words, y: &Words) -> Words;

    /// `x - y`.
    fn difference(x: &Words, y: &Words) -> Words;

    /// `factor x` for a factor from 1 to `2^32`.
    fn multiple(x: &Words, factor: u32) -> Words;

    /// Whether it is a number that is kept.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_kept(x: &Words) -> bool;
}

/// Arithmetic modulo F.
pub(in crate::words) struct FourWords<F> {
    instructions: TwoCarries,
    prime: PhantomData<F>,
}

impl<F> Clone for FourWords<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for FourWords<F> {}

impl<F: InFourWords> From<TwoCarries> for FourWords<F> {
    fn from(instructions: TwoCarries) -> Self {
        Self {
            instructions,
            prime: PhantomData,
        }
    }
}

impl<F: InFourWords> FourWords<F> {
    /// `x y`.
    #[inline(always)]
    fn product(self, x: &Words, y: &Words) -> Words {
        F::reduction(self.instructions, wide::product(self.instructions, x, y))
    }

    /// `x^2`.
    #[inline(always)]
    fn square(self, x: &Words) -> Words {
        F::reduction(self.instructions, wide::square(self.instructions, x))
    }
}

/// The arithmetic of formulas.
struct WordScalars<F> {
    field: FourWords<F>,
    /// The formula's digits, the one of this time lowest.
    digits: u64,
    /// All ones if that is 1, else 0.
    digit: u64,
}

impl<F> WordScalars<F> {
    /// y where the digit is 1, else x.
    #[inline(always)]
    fn blend(&self, x: &Words, y: &Words) -> Words {
        let mut words = *x;
        for k in 0..4 {
            words[k] ^= (x[k] ^ y[k]) & self.digit;
        }
        words
    }
}

impl<F: InFourWords> Arith for WordScalars<F> {
    type Tight = Words;
    type Loose = Words;

    #[inline(always)]
    fn next_digit(&mut self) {
        self.digits >>= 1;
        self.digit = mask(self.digits & 1);
    }

    #[inline(always)]
    fn multiply(&mut self, x: Words, y: Words) -> Words {
        self.field.product(&x, &y)
    }

    #[inline(always)]
    fn square(&mut self, x: Words) -> Words {
        self.field.square(&x)
    }

    #[inline(always)]
    fn sum_of_products<const N: usize>(&mut self, terms: [(bool, Words, Words); N]) -> Words {
        let terms = terms.iter();
        let terms = terms.map(|(negative, x, y)| (*negative, x, y));
        F::products(self.field.instructions, terms)
    }

    #[inline(always)]
    fn multiply_less_square(&mut self, [x, y]: [Words; 2], z: Words, factor: u32) -> Words {
        let (product, square) = (self.multiply(x, y), self.square(z));
        let square = self.scale(square, factor);
        self.subtract(product, square)
    }

    #[inline(always)]
    fn multiply_small(&mut self, x: Words, factor: u32) -> Words {
        F::multiple(&x, factor)
    }

    #[inline(always)]
    fn loosen(&mut self, x: Words) -> Words {
        x
    }

    #[inline(always)]
    fn add(&mut self, x: Words, y: Words) -> Words {
        F::sum(&x, &y)
    }

    #[inline(always)]
    fn subtract(&mut self, x: Words, y: Words) -> Words {
        F::difference(&x, &y)
    }

    #[inline(always)]
    fn scale(&mut self, x: Words, factor: u32) -> Words {
        F::multiple(&x, factor)
    }

    #[inline(always)]
    fn carry(&mut self, x: Words) -> Words {
        x
    }

    #[inline(always)]
    fn carry_signed(&mut self, x: Words) -> Words {
        x
    }

    #[inline(always)]
    fn swap_by_digit(&mut self, x: Words, y: Words) -> [Words; 2] {
        [self.blend(&x, &y), self.blend(&y, &x)]
    }

    #[inline(always)]
    fn negate_by_digit(&mut self, x: Words) -> Words {
        self.blend(&x, &F::difference(&[0; 4], &x))
    }
}

impl<F: Compiled + InFourWords> Arithmetic for FourWords<F> {
    type Prime = F;
    type Number = Words;

    const ONE: Words = [1, 0, 0, 0];
    const FACTOR_BITS: u32 = <F as InFourWords>::FACTOR_BITS;
    const FACTOR_SQUARED: Words = <F as InFourWords>::FACTOR_SQUARED;

    fn entered(words: &[Word]) -> Words {
        let mut number = [0; 4];
        for (number, &word) in number.iter_mut().zip(words) {
            *number = word;
        }
        F::entered(number)
    }

    fn integer(x: &Words) -> Integer {
        let [x0, x1, x2, x3] = *x;
        integers::canonical::<F>(Zeroizing::new([x0, x1, x2, x3, 0]))
    }

    fn numbers(words: &[u64]) -> &[Words] {
        words.as_chunks().0
    }

    fn run_formula<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        self,
        registers: &mut [Kept<Self>],
        span: &Span,
        digits: u64,
    ) {
        let (places, outputs) = registers_of::<IN, OUT>(span);
        let inputs = array::from_fn(|k| *registers[places[k].index()]);
        let mut scalars = WordScalars {
            field: self,
            digits,
            digit: mask(digits & 1),
        };
        let results = M::compute_repeatedly(&mut scalars, inputs, span.times);
        for (register, result) in outputs.iter().zip(results) {
            if let Some(register) = register {
                *registers[register.index()] = result;
            }
        }
    }

    fn sum_of_products(self, terms: &[(bool, &Kept<Self>, &Kept<Self>)]) -> Words {
        let terms = terms.iter();
        let terms = terms.map(|&(negative, x, y)| (negative, &**x, &**y));
        F::products(self.instructions, terms)
    }

    fn square_times(self, x: &mut Words, times: u32) {
        for _ in 0..times {
            *x = self.square(x);
        }
    }

    fn combine(self, terms: &[(i32, &Kept<Self>)]) -> Words {
        let mut sum = [0; 4];
        for (factor, x) in terms {
            let multiple = F::multiple(x, factor.unsigned_abs());
            sum = if *factor < 0 {
                F::difference(&sum, &multiple)
            } else {
                F::sum(&sum, &multiple)
            };
        }
        sum
    }

    fn select(self, entries: &[Words], index: u64) -> Words {
        self.instructions.select(entries, index)
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_kept(x: &Words) -> bool {
        F::is_kept(x)
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip(x: &mut Words, place: u64) {
        x[(place / 64) as usize % 4] ^= 1 << (place % 64);
    }
}
