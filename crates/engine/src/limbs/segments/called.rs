//! Arithmetic whose every operation is a function of its own, for tests: with intervals a formula is thousands of
//! instructions where its operations are inlined, and the compiler takes minutes for all formulas of all primes.

use crate::program::formulas::Arith;

/// The same arithmetic, called.
pub(super) struct Called<A>(pub(super) A);

impl<A: Arith> Arith for Called<A> {
    type Tight = A::Tight;
    type Loose = A::Loose;

    fn next_digit(&mut self) {
        self.0.next_digit();
    }

    #[inline(never)]
    fn multiply(&mut self, x: A::Tight, y: A::Tight) -> A::Loose {
        self.0.multiply(x, y)
    }

    #[inline(never)]
    fn square(&mut self, x: A::Tight) -> A::Loose {
        self.0.square(x)
    }

    #[inline(never)]
    fn sum_of_products<const N: usize>(
        &mut self,
        terms: [(bool, A::Tight, A::Tight); N],
    ) -> A::Loose {
        self.0.sum_of_products(terms)
    }

    #[inline(never)]
    fn multiply_less_square(
        &mut self,
        factors: [A::Tight; 2],
        z: A::Tight,
        factor: u32,
    ) -> A::Loose {
        self.0.multiply_less_square(factors, z, factor)
    }

    #[inline(never)]
    fn multiply_small(&mut self, x: A::Tight, factor: u32) -> A::Loose {
        self.0.multiply_small(x, factor)
    }

    #[inline(never)]
    fn loosen(&mut self, x: A::Tight) -> A::Loose {
        self.0.loosen(x)
    }

    #[inline(never)]
    fn add(&mut self, x: A::Loose, y: A::Loose) -> A::Loose {
        self.0.add(x, y)
    }

    #[inline(never)]
    fn subtract(&mut self, x: A::Loose, y: A::Loose) -> A::Loose {
        self.0.subtract(x, y)
    }

    #[inline(never)]
    fn scale(&mut self, x: A::Loose, factor: u32) -> A::Loose {
        self.0.scale(x, factor)
    }

    #[inline(never)]
    fn carry(&mut self, x: A::Loose) -> A::Tight {
        self.0.carry(x)
    }

    #[inline(never)]
    fn carry_signed(&mut self, x: A::Loose) -> A::Tight {
        self.0.carry_signed(x)
    }

    #[inline(never)]
    fn swap_by_digit(&mut self, x: A::Tight, y: A::Tight) -> [A::Tight; 2] {
        self.0.swap_by_digit(x, y)
    }

    #[inline(never)]
    fn negate_by_digit(&mut self, x: A::Tight) -> A::Tight {
        self.0.negate_by_digit(x)
    }
}
