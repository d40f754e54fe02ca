//! Arithmetic modulo a prime: the trait by which a group computes with numbers, whatever they are made of.

use crypto_bigint::Word;
use zeroize::{Zeroize, Zeroizing};

use crate::{
    program::{
        Register, Span,
        formulas::{Formula, Segment},
    },
    words::primes::prime::{Integer, Prime},
};

/// A kept number; wiped on drop.
pub(in crate::words) type Kept<A> = Zeroizing<<A as Arithmetic>::Number>;

/// The code of a formula: it runs on the registers that the span names, with the formula's digits, the first one lowest.
pub(in crate::words) type Code<A> = fn(A, &mut [Kept<A>], &Span, u64);

/// A prime whose formulas are compiled.
pub(in crate::words) trait Compiled: Prime {
    /// The code of a formula with this arithmetic, if it is compiled.
    fn code<A: Arithmetic<Prime = Self>>(segment: Segment) -> Option<Code<A>>;
}

/// Arithmetic modulo one prime P, compiled for instructions of a processor. A value of the type is a proof that the
/// processor has them.
pub(in crate::words) trait Arithmetic: Copy {
    /// P, with the formulas that are compiled for it.
    type Prime: Compiled;

    /// A number, as it is kept: its limbs or words, the lowest first.
    type Number: Copy + Default + Zeroize + AsRef<[u64]> + AsMut<[u64]>;

    /// 1, without a Montgomery factor.
    const ONE: Self::Number;

    /// The exponent of the Montgomery factor, a power of two.
    const FACTOR_BITS: u32;

    /// The square of the Montgomery factor modulo P.
    const FACTOR_SQUARED: Self::Number;

    /// The number that is an integer below `2^256`, in any number of words.
    fn entered(words: &[Word]) -> Self::Number;

    /// The canonical integer that a number is modulo P.
    fn integer(x: &Self::Number) -> Integer;

    /// Numbers whose words are one after the other.
    fn numbers(words: &[u64]) -> &[Self::Number];

    /// Runs the formula M, with its digits, the first one lowest.
    fn run_formula<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        self,
        registers: &mut [Kept<Self>],
        span: &Span,
        digits: u64,
    );

    /// The sum of products, of which those with `true` are subtracted.
    fn sum_of_products(self, terms: &[(bool, &Kept<Self>, &Kept<Self>)]) -> Self::Number;

    /// Squares x `times` times.
    fn square_times(self, x: &mut Self::Number, times: u32);

    /// The sum of multiples. Requires factors of at most `2^10` in sum.
    fn combine(self, terms: &[(i32, &Kept<Self>)]) -> Self::Number;

    /// The entry with this index, which is secret: all entries are read, and all but one are masked away.
    fn select(self, entries: &[Self::Number], index: u64) -> Self::Number;

    /// Whether a number is within the bound of those that are kept.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_kept(x: &Self::Number) -> bool;

    /// Flips the bit of a number that `place` selects.
    #[cfg(any(test, feature = "testing"))]
    fn flip(x: &mut Self::Number, place: u64);
}

/// The registers of a formula's inputs and outputs.
#[inline]
pub(super) fn registers_of<const IN: usize, const OUT: usize>(
    span: &Span,
) -> (&[Register; IN], &[Option<Register>; OUT]) {
    let (Some(inputs), Some(outputs)) = (span.inputs.first_chunk(), span.outputs.first_chunk())
    else {
        unreachable!("a span has the inputs and outputs of its formula");
    };
    (inputs, outputs)
}
