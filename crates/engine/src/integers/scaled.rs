//! Integers times powers of a Montgomery factor.

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Word};
use zeroize::Zeroizing;

/// `integer factor^form mod P`, for a modulus P in words. The time depends only on the sizes and
/// the form.
pub(crate) fn times_power(
    integer: &BoxedUint,
    factor: &BoxedUint,
    form: i32,
    p: &[Word],
) -> Zeroizing<BoxedUint> {
    let p = Zeroizing::new(BoxedUint::from_words(p.iter().copied()));
    let Some(p) = NonZero::new((*p).clone()).into_option().map(Zeroizing::new) else {
        return Zeroizing::new(BoxedUint::zero());
    };
    let mut product = remainder(integer, &p);
    for _ in 0..form {
        let scaled = Zeroizing::new(product.concatenating_mul(factor));
        product = remainder(&scaled, &p);
    }
    product
}

/// `x mod P`, in constant time. (`BoxedUint::rem` would leave the quotient unwiped, which tells as
/// much as P.)
#[inline(never)]
pub(crate) fn remainder(x: &BoxedUint, p: &NonZero<BoxedUint>) -> Zeroizing<BoxedUint> {
    let (quotient, remainder) = x.div_rem(p);
    drop(Zeroizing::new(quotient));
    Zeroizing::new(remainder)
}
