//! Numbers modulo P in four words, for primes a multiple of which is a little less than `2^256`, where a processor has
//! instructions with two carries.

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
            prime::{Integer, PseudoMersenne},
        },
        two_carries::TwoCarries,
        wide::{self, Wide, Words},
    },
};

/// Arithmetic modulo F. Numbers are any below `2^256`, which counts as REST, and stand for what they are modulo F.
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

impl<F: PseudoMersenne> From<TwoCarries> for FourWords<F> {
    fn from(instructions: TwoCarries) -> Self {
        // The bounds below rest on this. Numbers are then also below 3 P.
        const { assert!(F::REST < 1 << 34 && F::FACTOR_BITS == 0) };
        Self {
            instructions,
            prime: PhantomData,
        }
    }
}

impl<F: PseudoMersenne> FourWords<F> {
    /// `x + above 2^256` for `above` below `2^56`.
    #[inline(always)]
    fn folded(x: Words, above: u64) -> Words {
        let product = u128::from(above) * u128::from(F::REST);
        wide::plus_two_words(x, [product as u64, (product >> 64) as u64], F::REST)
    }

    /// `x + y`.
    #[inline(always)]
    fn sum(x: &Words, y: &Words) -> Words {
        wide::sum(*x, *y, F::REST)
    }

    /// `x - y`.
    #[inline(always)]
    fn difference(x: &Words, y: &Words) -> Words {
        wide::difference(*x, *y, F::REST)
    }

    /// `factor x` for a factor below `2^32`.
    #[inline(always)]
    fn multiple(x: &Words, factor: u32) -> Words {
        let (mut multiple, mut above) = ([0; 4], 0);
        for k in 0..4 {
            (multiple[k], above) = x[k].carrying_mul_add(factor.into(), 0, above);
        }
        Self::folded(multiple, above)
    }

    /// A sum of products modulo P, out of which there were `above` carries, less than `2^16`.
    #[inline(always)]
    fn reduced(self, sum: Wide, above: u64) -> Words {
        debug_assert!(above >> 16 == 0);
        let (sum, carry) = wide::fold(self.instructions, sum, F::REST);
        Self::folded(sum, carry + above * F::REST)
    }

    /// `x y`.
    #[inline(always)]
    fn product(self, x: &Words, y: &Words) -> Words {
        self.reduced(wide::product(self.instructions, x, y), 0)
    }

    /// `x^2`.
    #[inline(always)]
    fn square(self, x: &Words) -> Words {
        self.reduced(wide::square(self.instructions, x), 0)
    }

    /// The sum of less than `2^16` products, of which those with `true` are subtracted.
    #[inline(always)]
    fn products<'a>(self, terms: impl Iterator<Item = (bool, &'a Words, &'a Words)>) -> Words {
        let (mut sum, mut above) = ([0; 8], 0);
        for (place, (negative, x, y)) in terms.enumerate() {
            let x = if negative {
                Self::difference(&[0; 4], x)
            } else {
                *x
            };
            let product = wide::product(self.instructions, &x, y);
            if place == 0 {
                sum = product;
                continue;
            }
            let mut carry = false;
            for k in 0..8 {
                (sum[k], carry) = sum[k].carrying_add(product[k], carry);
            }
            above += u64::from(carry);
        }
        self.reduced(sum, above)
    }
}

/// The arithmetic of formulas.
struct WordScalars<F> {
    field: FourWords<F>,
    /// All ones if the formula's digit is 1, else 0.
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

impl<F: PseudoMersenne> Arith for WordScalars<F> {
    type Tight = Words;
    type Loose = Words;

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
        self.field
            .products(terms.map(|(negative, x, y)| (*negative, x, y)))
    }

    #[inline(always)]
    fn multiply_less_square(&mut self, [x, y]: [Words; 2], z: Words, factor: u32) -> Words {
        let (product, square) = (self.multiply(x, y), self.square(z));
        let square = self.scale(square, factor);
        self.subtract(product, square)
    }

    #[inline(always)]
    fn multiply_small(&mut self, x: Words, factor: u32) -> Words {
        FourWords::<F>::multiple(&x, factor)
    }

    #[inline(always)]
    fn loosen(&mut self, x: Words) -> Words {
        x
    }

    #[inline(always)]
    fn add(&mut self, x: Words, y: Words) -> Words {
        FourWords::<F>::sum(&x, &y)
    }

    #[inline(always)]
    fn subtract(&mut self, x: Words, y: Words) -> Words {
        FourWords::<F>::difference(&x, &y)
    }

    #[inline(always)]
    fn scale(&mut self, x: Words, factor: u32) -> Words {
        FourWords::<F>::multiple(&x, factor)
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
        self.blend(&x, &FourWords::<F>::difference(&[0; 4], &x))
    }
}

impl<F: Compiled + PseudoMersenne> Arithmetic for FourWords<F> {
    type Prime = F;
    type Number = Words;

    const ONE: Words = [1, 0, 0, 0];
    const FACTOR_BITS: u32 = 0;
    const FACTOR_SQUARED: Words = [1, 0, 0, 0];

    fn entered(words: &[Word]) -> Words {
        let mut number = [0; 4];
        for (number, &word) in number.iter_mut().zip(words) {
            *number = word;
        }
        number
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
        digit: u64,
    ) {
        let (places, outputs) = registers_of::<IN, OUT>(span);
        let inputs = array::from_fn(|k| *registers[places[k].index()]);
        let mut scalars = WordScalars {
            field: self,
            digit: mask(digit),
        };
        let results: [Words; OUT] = M::compute(&mut scalars, inputs);
        for (register, result) in outputs.iter().zip(results) {
            if let Some(register) = register {
                *registers[register.index()] = result;
            }
        }
    }

    fn sum_of_products(self, terms: &[(bool, &Kept<Self>, &Kept<Self>)]) -> Words {
        let terms = terms.iter();
        self.products(terms.map(|&(negative, x, y)| (negative, &**x, &**y)))
    }

    fn square_times(self, x: &mut Words, times: u32) {
        for _ in 0..times {
            *x = self.square(x);
        }
    }

    fn combine(self, terms: &[(i32, &Kept<Self>)]) -> Words {
        let mut sum = [0; 4];
        for (factor, x) in terms {
            let multiple = Self::multiple(x, factor.unsigned_abs());
            sum = if *factor < 0 {
                Self::difference(&sum, &multiple)
            } else {
                Self::sum(&sum, &multiple)
            };
        }
        sum
    }

    fn select(self, entries: &[Words], index: u64) -> Words {
        self.instructions.select(entries, index)
    }

    /// Every number of four words is.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_kept(_: &Words) -> bool {
        true
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip(x: &mut Words, place: u64) {
        x[(place / 64) as usize % 4] ^= 1 << (place % 64);
    }
}
