//! Verdicts of checks, which are public, of secret numbers.

use core::hint::black_box;

/// The same verdict, made public. A function of its own in the executable, too: the one place where it decides a
/// branch, so that nothing that follows depends on the numbers that it was computed from.
#[inline(never)]
pub(crate) fn public(verdict: bool) -> bool {
    // Two calls that the compiler does not make one of.
    if verdict {
        black_box(true)
    } else {
        black_box(false)
    }
}

/// Whether both are the same bytes: public. Constant time, but for the answer.
pub(crate) fn are_equal(x: &[u8], y: &[u8]) -> bool {
    let difference = x.iter().zip(y).fold(0, |any, (x, y)| any | (x ^ y));
    x.len() == y.len() && public(difference == 0)
}
