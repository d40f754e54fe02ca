//! Arithmetic on integers of different precisions, without overflow.

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Resize};

/// The same integer in the smallest precision of whole words, at least one: "0" is read as an integer of no
/// words, which not all functions of the library accept.
pub(crate) fn trimmed(x: &BoxedUint) -> BoxedUint {
    let x = x.resize_unchecked(x.bits_precision().max(64));
    let bits = x.bits_vartime().next_multiple_of(64).max(64);
    x.resize_unchecked(bits)
}

/// `x + y`.
pub(crate) fn add(x: &BoxedUint, y: &BoxedUint) -> BoxedUint {
    let bits = x.bits_precision().max(y.bits_precision()) + 64;
    trimmed(&x.resize_unchecked(bits).wrapping_add(y))
}

/// `x - y`, or `None` if it is negative.
pub(crate) fn sub(x: &BoxedUint, y: &BoxedUint) -> Option<BoxedUint> {
    let bits = x.bits_precision().max(y.bits_precision());
    let (difference, borrow) = x
        .resize_unchecked(bits)
        .underflowing_sub(y.resize_unchecked(bits));
    (!borrow.to_bool()).then(|| trimmed(&difference))
}

/// `x y`.
pub(crate) fn mul(x: &BoxedUint, y: &BoxedUint) -> BoxedUint {
    trimmed(&x.concatenating_mul(y))
}

/// `x 2^bits`.
pub(crate) fn shl(x: &BoxedUint, bits: u32) -> BoxedUint {
    let wide = x.resize_unchecked((x.bits_precision() + bits).next_multiple_of(64));
    trimmed(&wide.unbounded_shl_vartime(bits))
}

/// `floor(x / 2^bits)`.
pub(crate) fn shr(x: &BoxedUint, bits: u32) -> BoxedUint {
    trimmed(&x.unbounded_shr_vartime(bits))
}

/// `floor(x / y)` and `x mod y`, or `None` for `y = 0`.
pub(crate) fn div_rem(x: &BoxedUint, y: &BoxedUint) -> Option<(BoxedUint, BoxedUint)> {
    let y = Option::<NonZero<BoxedUint>>::from(NonZero::new(trimmed(y)))?;
    let x = x.resize_unchecked(x.bits_precision().max(y.as_ref().bits_precision()));
    let (quotient, remainder) = x.div_rem_vartime(&y);
    Some((trimmed(&quotient), trimmed(&remainder)))
}

/// `x` as a `u128`, if it fits.
pub(crate) fn to_u128(x: &BoxedUint) -> Option<u128> {
    if x.bits_vartime() > 128 {
        return None;
    }
    let words = x.as_words().iter().rev();
    Some(words.fold(0, |value, &word| (value << 64) | u128::from(word)))
}

/// `x / y` as a fraction for drawing, 0 for `y = 0`. The quotient must be below 2^64.
pub(crate) fn ratio(x: &BoxedUint, y: &BoxedUint) -> f64 {
    const BITS: u32 = 40;
    let quotient = div_rem(&shl(x, BITS), y).and_then(|(quotient, _)| to_u128(&quotient));
    quotient.unwrap_or(0) as f64 / (1u64 << BITS) as f64
}

/// `x` in decimal digits.
pub(crate) fn decimal(x: &BoxedUint) -> String {
    x.to_string_radix_vartime(10)
}
