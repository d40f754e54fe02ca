//! The arithmetic of formulas on numbers in registers.

use core::marker::PhantomData;

use super::{
    calls::{AddProduct, Calls, Carry, ReducedProduct, ReducedSquare, Reduction, Square},
    columns,
    prime::Prime,
    word::Word,
};
use crate::program::formulas::Arith;

/// Numbers of N limbs in words W, modulo the prime F.
pub(super) struct Lanes<W, F, const N: usize, const D: usize> {
    /// The formula's digits in each lane, if it has any: the lowest bit is that of this time.
    digits: Option<W>,
    prime: PhantomData<F>,
}

/// A number whose limbs are below `2^52`. What is only a factor need not be [cut](columns::cut): the compiler knows of each
/// number in a formula whether it was, so that this takes no instruction.
#[derive(Clone, Copy)]
pub(in crate::limbs) struct Tight<W, const N: usize> {
    limbs: [W; N],
    is_cut: bool,
}

impl<W: Word, const N: usize> Tight<W, N> {
    /// The number with these limbs, all below `2^52`.
    #[inline(always)]
    pub(super) fn new(limbs: [W; N]) -> Self {
        Self {
            limbs,
            is_cut: true,
        }
    }

    /// The number that has been carried, but not [cut](columns::cut).
    #[inline(always)]
    fn carried(limbs: [W; N]) -> Self {
        Self {
            limbs,
            is_cut: false,
        }
    }

    /// The limbs as factors.
    #[inline(always)]
    pub(super) fn factors(&self) -> &[W; N] {
        &self.limbs
    }

    /// The limbs, all below `2^52`.
    #[inline(always)]
    pub(super) fn limbs(self) -> [W; N] {
        if self.is_cut {
            self.limbs
        } else {
            columns::cut(self.limbs)
        }
    }
}

/// A number in signed columns.
#[derive(Clone, Copy)]
pub(super) struct Loose<W, const N: usize>(pub(super) [W; N]);

impl<W: Calls, F: Prime<N, D>, const N: usize, const D: usize> Lanes<W, F, N, D> {
    #[inline(always)]
    pub(super) fn new(digits: Option<W>) -> Self {
        const { assert!(D == 2 * N) };
        Self {
            digits,
            prime: PhantomData,
        }
    }

    /// All ones in the lanes where the formula's digit is 1, if it has one, and zeros in the others.
    #[inline(always)]
    fn mask(&self) -> Option<W> {
        self.digits
            .map(|digits| W::splat(0).sub(digits.lowest::<1>()))
    }

    /// y in the lanes of the mask, x in the others.
    #[inline(always)]
    fn blend(mask: W, x: Tight<W, N>, y: Tight<W, N>) -> Tight<W, N> {
        let mut blended = x;
        for k in 0..N {
            blended.limbs[k] = x.limbs[k].blend(y.limbs[k], mask);
        }
        blended.is_cut &= y.is_cut;
        blended
    }

    /// Whether columns may be negative when they are reduced.
    const SIGNED: bool = F::SIGNED || W::NEAREST;

    /// Whether products and reductions are functions of their own: of numbers of more than five limbs, a product has over a
    /// hundred instructions.
    const CALLS: bool = N > 5;

    #[inline(always)]
    pub(super) fn add_product(columns: &mut [W; D], x: &[W; N], y: &[W; N]) {
        if Self::CALLS {
            let factors = [x, y];
            W::call(AddProduct { columns, factors });
        } else {
            F::add_product(columns, x, y);
        }
    }

    /// The columns of `x y`.
    #[inline(always)]
    pub(super) fn product(x: &[W; N], y: &[W; N]) -> [W; D] {
        if Self::CALLS {
            let mut sum: [W; D] = columns::zero();
            Self::add_product(&mut sum, x, y);
            sum
        } else {
            F::product(x, y)
        }
    }

    /// `sum += x y`, which is begun by the first of its products.
    #[inline(always)]
    pub(super) fn add_to_sum(sum: &mut [W; D], is_begun: &mut bool, [x, y]: [&[W; N]; 2]) {
        if *is_begun {
            Self::add_product(sum, x, y);
        } else {
            *sum = Self::product(x, y);
            *is_begun = true;
        }
    }

    #[inline(always)]
    pub(super) fn columns_of_square(x: &[W; N]) -> [W; D] {
        if Self::CALLS {
            W::call(Square(x))
        } else {
            F::square(x)
        }
    }

    #[inline(always)]
    pub(super) fn reduce(columns: [W; D]) -> [W; N] {
        if Self::CALLS {
            W::call(Reduction::<F, W, N, D> {
                prime: PhantomData,
                columns: &columns,
            })
        } else {
            F::reduce(columns)
        }
    }

    #[inline(always)]
    fn carry_lifted(columns: [W; N]) -> [W; N] {
        if Self::CALLS {
            W::call(Carry::<F, W, N, D> {
                prime: PhantomData,
                columns: &columns,
            })
        } else {
            F::carry_lifted(columns)
        }
    }

    /// The tight number of columns from 0 on, or of low halves that may be negative and were not lifted.
    #[inline(always)]
    pub(super) fn tight(columns: [W; N]) -> Tight<W, N> {
        Tight::carried(
            if W::FREE_FACTORS || F::is_lifted::<W>() && !F::CARRY_SUBTRACTS {
                F::carry(columns)
            } else {
                Self::carry_lifted(columns)
            },
        )
    }
}

impl<W: Calls, F: Prime<N, D>, const N: usize, const D: usize> Arith for Lanes<W, F, N, D> {
    type Tight = Tight<W, N>;
    type Loose = Loose<W, N>;

    #[inline(always)]
    fn next_digit(&mut self) {
        if let Some(digits) = &mut self.digits {
            *digits = digits.shift_right::<1>();
        }
    }

    #[inline(always)]
    fn multiply(&mut self, x: Tight<W, N>, y: Tight<W, N>) -> Loose<W, N> {
        if Self::CALLS {
            return Loose(W::call(ReducedProduct::<F, W, N, D> {
                prime: PhantomData,
                factors: [x.factors(), y.factors()],
            }));
        }
        Loose(F::multiply(x.factors(), y.factors()))
    }

    #[inline(always)]
    fn square(&mut self, x: Tight<W, N>) -> Loose<W, N> {
        if Self::CALLS {
            return Loose(W::call(ReducedSquare::<F, W, N, D> {
                prime: PhantomData,
                x: x.factors(),
            }));
        }
        Loose(F::multiply_by_itself(x.factors()))
    }

    #[inline(always)]
    fn sum_of_products<const T: usize>(
        &mut self,
        terms: [(bool, Tight<W, N>, Tight<W, N>); T],
    ) -> Loose<W, N> {
        let mut sum: [W; D] = columns::zero();
        let mut is_begun = false;
        if Self::SIGNED {
            // By reference: long numbers would be moved.
            for (negative, x, y) in &terms {
                if *negative {
                    Self::add_to_sum(&mut sum, &mut is_begun, [x.factors(), y.factors()]);
                }
            }
            if is_begun {
                F::negate(&mut sum);
            }
        }
        for (negative, x, y) in &terms {
            if !negative {
                Self::add_to_sum(&mut sum, &mut is_begun, [x.factors(), y.factors()]);
            } else if !Self::SIGNED {
                let zero = Loose([W::splat(0); N]);
                let x = self.loosen(*x);
                let x = self.subtract(zero, x);
                let x = self.carry_signed(x);
                Self::add_to_sum(&mut sum, &mut is_begun, [x.factors(), y.factors()]);
            }
        }
        Loose(Self::reduce(sum))
    }

    #[inline(always)]
    fn multiply_less_square(
        &mut self,
        [x, y]: [Tight<W, N>; 2],
        z: Tight<W, N>,
        factor: u32,
    ) -> Loose<W, N> {
        if Self::SIGNED {
            let square: [W; D] = columns::scale(Self::columns_of_square(z.factors()), factor);
            let mut sum = Self::product(x.factors(), y.factors());
            if F::is_lifted::<W>() {
                // One for the lift of the square, one for what exceeds it.
                sum = F::plus_lifts(sum, 2 * u64::from(factor));
            }
            for (column, square) in sum.iter_mut().zip(square) {
                *column = column.sub(square);
            }
            return Loose(Self::reduce(sum));
        }
        let (product, square) = (self.multiply(x, y), self.square(z));
        let square = self.scale(square, factor);
        self.subtract(product, square)
    }

    #[inline(always)]
    fn multiply_small(&mut self, x: Tight<W, N>, factor: u32) -> Loose<W, N> {
        Loose(F::multiply_small(*x.factors(), factor))
    }

    #[inline(always)]
    fn loosen(&mut self, x: Tight<W, N>) -> Loose<W, N> {
        Loose(x.limbs())
    }

    #[inline(always)]
    fn add(&mut self, x: Loose<W, N>, y: Loose<W, N>) -> Loose<W, N> {
        let mut sum = x.0;
        for (x, y) in sum.iter_mut().zip(y.0) {
            *x = x.add(y);
        }
        Loose(sum)
    }

    #[inline(always)]
    fn subtract(&mut self, x: Loose<W, N>, y: Loose<W, N>) -> Loose<W, N> {
        let mut difference = x.0;
        for (x, y) in difference.iter_mut().zip(y.0) {
            *x = x.sub(y);
        }
        Loose(difference)
    }

    #[inline(always)]
    fn scale(&mut self, x: Loose<W, N>, factor: u32) -> Loose<W, N> {
        Loose(columns::scale(x.0, factor))
    }

    #[inline(always)]
    fn carry(&mut self, x: Loose<W, N>) -> Tight<W, N> {
        Self::tight(x.0)
    }

    #[inline(always)]
    fn carry_signed(&mut self, x: Loose<W, N>) -> Tight<W, N> {
        Tight::carried(Self::carry_lifted(x.0))
    }

    #[inline(always)]
    fn swap_by_digit(&mut self, x: Tight<W, N>, y: Tight<W, N>) -> [Tight<W, N>; 2] {
        match self.mask() {
            Some(mask) => [Self::blend(mask, x, y), Self::blend(mask, y, x)],
            None => [x, y],
        }
    }

    #[inline(always)]
    fn negate_by_digit(&mut self, x: Tight<W, N>) -> Tight<W, N> {
        let Some(mask) = self.mask() else {
            return x;
        };
        let negative = self.subtract(Loose([W::splat(0); N]), Loose(x.limbs()));
        let negative = self.carry_signed(negative);
        Self::blend(mask, x, negative)
    }
}
