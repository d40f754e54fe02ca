//! Numbers in five limbs, and the arithmetic of formulas on them.

use core::{hint::black_box, marker::PhantomData};

use crate::{
    program::formulas::Arith,
    words::primes::{
        bound::Bound,
        prime::{LIMBS, Limbs, Prime},
    },
};

/// All ones for 1, and zero for 0. The compiler does not see that there are only two values.
#[inline]
pub(in crate::words) fn mask(bit: u64) -> u64 {
    black_box(bit.wrapping_neg())
}

/// A number: the sum of its limbs times their weights, which has a bound.
#[derive(Clone, Copy)]
pub(in crate::words) struct Number {
    pub(in crate::words) limbs: Limbs,
    bound: Bound,
}

impl Number {
    #[inline(always)]
    pub(in crate::words) fn new(limbs: Limbs, bound: Bound) -> Self {
        debug_assert!(limbs[..LIMBS - 1].iter().all(|&limb| limb <= bound.limb));
        debug_assert!(limbs[LIMBS - 1] <= bound.top);
        Self { limbs, bound }
    }
}

/// A sum of products in columns.
struct Sum<F: Prime> {
    columns: F::Columns,
    /// The sum of the products of both factors' largest limbs, by their bounds: at most [`Prime::CAPACITY`].
    weight: u128,
    /// The sum of the products of both factors' values, by their bounds and in units of the highest limb's weight.
    value: u128,
}

/// The arithmetic of formulas modulo F.
pub(in crate::words) struct Scalars<F> {
    /// The formula's digits, the one of this time lowest.
    digits: u64,
    /// All ones if that is 1, else 0.
    digit: u64,
    prime: PhantomData<F>,
}

impl<F: Prime> Scalars<F> {
    /// The arithmetic for digits of 0 or 1, of which the lowest bit is the first.
    #[inline(always)]
    pub(in crate::words) fn new(digits: u64) -> Self {
        Self {
            digits,
            digit: mask(digits & 1),
            prime: PhantomData,
        }
    }

    /// The number within the bound of those that are kept.
    #[inline(always)]
    pub(in crate::words) fn tight(x: Number) -> Number {
        if x.bound.is_within(F::TIGHT) {
            return x;
        }
        debug_assert!(x.bound.largest() <= 1 << 62);
        Number::new(F::carry(x.limbs), F::TIGHT)
    }

    /// The sum of no products.
    #[inline(always)]
    fn no_products() -> Sum<F> {
        Sum {
            columns: F::NO_COLUMNS,
            weight: 0,
            value: 0,
        }
    }

    /// A bound of the products of limbs.
    #[inline(always)]
    fn weight(x: Number, y: Number) -> u128 {
        u128::from(x.bound.largest()) * u128::from(y.bound.largest())
    }

    /// The weight of the highest limbs of x, with all that is below.
    #[inline(always)]
    fn value(x: Number) -> u128 {
        u128::from(x.bound.top + (x.bound.limb >> F::BITS) + 1)
    }

    #[inline(always)]
    fn add_to(sum: &mut Sum<F>, x: Number, y: Number) {
        F::add_product(&mut sum.columns, &x.limbs, &y.limbs);
        sum.weight += Self::weight(x, y);
        sum.value += Self::value(x) * Self::value(y);
    }

    #[inline(always)]
    fn reduce(sum: &Sum<F>) -> Number {
        debug_assert!(sum.weight <= F::CAPACITY);
        Number::new(F::reduce(sum.columns), F::reduced(sum.value))
    }

    /// -x, plus a multiple of P.
    #[inline(always)]
    fn negated(x: Number) -> Number {
        let (multiple, bound) = F::multiple_above(x.bound);
        let mut limbs = multiple;
        for k in 0..LIMBS {
            limbs[k] -= x.limbs[k];
        }
        Number::new(limbs, bound)
    }

    /// y where the digit is 1, else x.
    #[inline(always)]
    fn blend(&self, x: Number, y: Number) -> Number {
        let mut limbs = x.limbs;
        for k in 0..LIMBS {
            limbs[k] ^= (x.limbs[k] ^ y.limbs[k]) & self.digit;
        }
        Number::new(limbs, x.bound.max(y.bound))
    }

    /// The sum of at most [`Prime::AT_ONCE`] products of tight numbers.
    #[inline(always)]
    pub(in crate::words) fn sum(terms: impl Iterator<Item = (bool, Number, Number)>) -> Number {
        let mut sum = Self::no_products();
        for (negative, x, y) in terms {
            let x = if negative { Self::negated(x) } else { x };
            Self::add_to(&mut sum, x, y);
        }
        Self::reduce(&sum)
    }
}

impl<F: Prime> Arith for Scalars<F> {
    type Tight = Number;
    type Loose = Number;

    #[inline(always)]
    fn next_digit(&mut self) {
        *self = Self::new(self.digits >> 1);
    }

    #[inline(always)]
    fn as_input(&mut self, x: Number) -> Number {
        Number::new(Self::tight(x).limbs, F::TIGHT)
    }

    #[inline(always)]
    fn multiply(&mut self, x: Number, y: Number) -> Number {
        self.sum_of_products([(false, x, y)])
    }

    #[inline(always)]
    fn square(&mut self, x: Number) -> Number {
        let x = if Self::weight(x, x) > F::CAPACITY {
            Self::tight(x)
        } else {
            x
        };
        Self::reduce(&Sum {
            columns: F::square(&x.limbs),
            weight: Self::weight(x, x),
            value: Self::value(x) * Self::value(x),
        })
    }

    #[inline(always)]
    fn sum_of_products<const N: usize>(
        &mut self,
        mut terms: [(bool, Number, Number); N],
    ) -> Number {
        let mut weight = 0;
        for (negative, x, y) in &mut terms {
            if *negative {
                *x = Self::negated(*x);
            }
            weight += Self::weight(*x, *y);
        }
        if weight > F::CAPACITY {
            for (_, x, y) in &mut terms {
                (*x, *y) = (Self::tight(*x), Self::tight(*y));
            }
        }
        let mut sum = Self::no_products();
        for (_, x, y) in terms {
            Self::add_to(&mut sum, x, y);
        }
        Self::reduce(&sum)
    }

    #[inline(always)]
    fn multiply_less_square(&mut self, [x, y]: [Number; 2], z: Number, factor: u32) -> Number {
        let (product, square) = (self.multiply(x, y), self.square(z));
        let square = self.scale(square, factor);
        self.subtract(product, square)
    }

    #[inline(always)]
    fn multiply_small(&mut self, x: Number, factor: u32) -> Number {
        /// Bits that a number can be multiplied by and keep its limbs below `2^63`.
        const BITS: u32 = 9;
        let x = Self::tight(x);
        let high = self.scale(x, factor >> BITS);
        let high = Self::tight(high);
        let high = self.scale(high, 1 << BITS);
        let low = self.scale(x, factor & ((1 << BITS) - 1));
        self.add(high, low)
    }

    #[inline(always)]
    fn loosen(&mut self, x: Number) -> Number {
        x
    }

    #[inline(always)]
    fn add(&mut self, x: Number, y: Number) -> Number {
        let mut limbs = x.limbs;
        for k in 0..LIMBS {
            limbs[k] += y.limbs[k];
        }
        Number::new(limbs, x.bound.plus(y.bound))
    }

    #[inline(always)]
    fn subtract(&mut self, x: Number, y: Number) -> Number {
        self.add(x, Self::negated(y))
    }

    #[inline(always)]
    fn scale(&mut self, x: Number, factor: u32) -> Number {
        let factor = u64::from(factor);
        let mut limbs = x.limbs;
        for limb in &mut limbs {
            *limb *= factor;
        }
        Number::new(limbs, x.bound.times(factor))
    }

    /// The same number: products carry factors whose limbs are too large.
    #[inline(always)]
    fn carry(&mut self, x: Number) -> Number {
        if x.bound.largest() > F::LARGEST_FACTOR {
            return Self::tight(x);
        }
        x
    }

    #[inline(always)]
    fn carry_signed(&mut self, x: Number) -> Number {
        self.carry(x)
    }

    #[inline(always)]
    fn swap_by_digit(&mut self, x: Number, y: Number) -> [Number; 2] {
        [self.blend(x, y), self.blend(y, x)]
    }

    #[inline(always)]
    fn negate_by_digit(&mut self, x: Number) -> Number {
        self.blend(x, Self::negated(x))
    }
}
