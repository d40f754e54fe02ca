//! Kernels of long numbers as functions of their own.

use core::marker::PhantomData;

use super::{columns, prime::Prime, word::Word};

/// A computation, with what it reads. Its code is inlined into the function that computes it.
pub(in crate::limbs) trait Kernel {
    type Output;

    /// Computes it: an implementation is `#[inline(always)]`, and so is what it calls.
    fn compute(self) -> Self::Output;
}

/// A word for which kernels are functions of their own. Those of long numbers are, lest segments exceed the instruction cache.
pub(in crate::limbs) trait Calls: Word {
    /// Computes a kernel, in a function of its own as far as the compiler keeps it: of some primes' formulas it does not
    /// (docs/engine/segments.md).
    fn call<K: Kernel>(kernel: K) -> K::Output;
}

/// Implements [`Calls`] for a word, with target features that the callers of segments have detected. Where `call` itself is
/// always inlined, signatures with P-521 are verified 5 to 9% slower.
macro_rules! calls {
    ($features:literal $(,)?) => {
        fn call<K: $crate::limbs::segments::calls::Kernel>(kernel: K) -> K::Output {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn compiled<K: $crate::limbs::segments::calls::Kernel>(kernel: K) -> K::Output {
                kernel.compute()
            }
            // SAFETY: segments run only after detection of these features.
            unsafe { compiled(kernel) }
        }
    };
}
pub(super) use calls;

/// `columns += x y`.
pub(super) struct AddProduct<'a, W, const N: usize, const D: usize> {
    pub(super) columns: &'a mut [W; D],
    pub(super) factors: [&'a [W; N]; 2],
}

impl<W: Word, const N: usize, const D: usize> Kernel for AddProduct<'_, W, N, D> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let [x, y] = self.factors;
        columns::add_product(self.columns, x, y);
    }
}

/// The columns of the square of a number.
pub(super) struct Square<'a, W, const N: usize, const D: usize>(pub(super) &'a [W; N]);

impl<W: Word, const N: usize, const D: usize> Kernel for Square<'_, W, N, D> {
    type Output = [W; D];

    #[inline(always)]
    fn compute(self) -> [W; D] {
        columns::square(self.0)
    }
}

/// The columns of the sum of the products of some pairs.
pub(super) struct SumOfProducts<'a, W, const N: usize, const D: usize>(
    pub(super) &'a [[&'a [W; N]; 2]],
);

impl<W: Word, const N: usize, const D: usize> Kernel for SumOfProducts<'_, W, N, D> {
    type Output = [W; D];

    #[inline(always)]
    fn compute(self) -> [W; D] {
        columns::plus_products(columns::zero(), self.0)
    }
}

/// The product of two numbers modulo the prime F, in loose columns.
pub(super) struct ReducedProduct<'a, F, W, const N: usize, const D: usize> {
    pub(super) prime: PhantomData<F>,
    pub(super) factors: [&'a [W; N]; 2],
}

impl<F: Prime<N, D>, W: Word, const N: usize, const D: usize> Kernel
    for ReducedProduct<'_, F, W, N, D>
{
    type Output = [W; N];

    #[inline(always)]
    fn compute(self) -> [W; N] {
        let [x, y] = self.factors;
        F::multiply(x, y)
    }
}

/// The square of a number modulo the prime F, in loose columns.
pub(super) struct ReducedSquare<'a, F, W, const N: usize, const D: usize> {
    pub(super) prime: PhantomData<F>,
    pub(super) x: &'a [W; N],
}

impl<F: Prime<N, D>, W: Word, const N: usize, const D: usize> Kernel
    for ReducedSquare<'_, F, W, N, D>
{
    type Output = [W; N];

    #[inline(always)]
    fn compute(self) -> [W; N] {
        F::multiply_by_itself(self.x)
    }
}

/// [`Prime::reduce`] modulo F.
pub(super) struct Reduction<'a, F, W, const N: usize, const D: usize> {
    pub(super) prime: PhantomData<F>,
    pub(super) columns: &'a [W; D],
}

impl<F: Prime<N, D>, W: Word, const N: usize, const D: usize> Kernel for Reduction<'_, F, W, N, D> {
    type Output = [W; N];

    #[inline(always)]
    fn compute(self) -> [W; N] {
        F::reduce(*self.columns)
    }
}

/// [`Prime::carry_lifted`] modulo F.
pub(super) struct Carry<'a, F, W, const N: usize, const D: usize> {
    pub(super) prime: PhantomData<F>,
    pub(super) columns: &'a [W; N],
}

impl<F: Prime<N, D>, W: Word, const N: usize, const D: usize> Kernel for Carry<'_, F, W, N, D> {
    type Output = [W; N];

    #[inline(always)]
    fn compute(self) -> [W; N] {
        F::carry_lifted(*self.columns)
    }
}
