//! Arithmetic of secret integers outside the engine: copies are wiped, and times depend on precisions
//! only.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, CtEq, CtLt, NonZero, Odd, RandomBits, Resize, Word};
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

/// Whether two numbers are equal, in time that depends on their precisions only.
pub(crate) fn equal(a: &BoxedUint, b: &BoxedUint) -> bool {
    let bits = a.bits_precision().max(b.bits_precision());
    resized(a, bits).ct_eq(&*resized(b, bits)).to_bool()
}

/// A copy of the number with a precision of `bits`, in which it must fit. (Resizing an owned number
/// instead would leave its old memory unwiped.)
pub(crate) fn resized(x: &BoxedUint, bits: u32) -> Zeroizing<BoxedUint> {
    Zeroizing::new(Resize::resize(x, bits))
}

/// The number in `size` big-endian bytes, in which it must fit (I2OSP in RFC 8017, section 4.1).
pub(crate) fn octets(x: &BoxedUint, size: usize) -> Zeroizing<Vec<u8>> {
    let bytes = Zeroizing::new(x.to_be_bytes());
    let (leading, octets) = bytes.split_at(bytes.len() - size);
    debug_assert!(leading.iter().all(|&b| b == 0));
    Zeroizing::new(octets.to_vec())
}

/// A copy of the number, typed as nonzero. The caller has made sure that it is not 0.
pub(crate) fn nonzero(x: &BoxedUint) -> Zeroizing<NonZero<BoxedUint>> {
    Zeroizing::new(Option::from(x.to_nz()).expect("the caller has excluded zero"))
}

/// Quotient and remainder, in constant time. (`BoxedUint::rem` would leave the quotient unwiped.)
pub(crate) fn division(
    x: &BoxedUint,
    y: &NonZero<BoxedUint>,
) -> (Zeroizing<BoxedUint>, Zeroizing<BoxedUint>) {
    let (quotient, remainder) = x.div_rem(y);
    (Zeroizing::new(quotient), Zeroizing::new(remainder))
}

/// The lowest 64 bits.
pub(crate) fn low_u64(x: &BoxedUint) -> u64 {
    let words = x.as_words().iter().take((64 / Word::BITS) as usize);
    #[allow(
        clippy::useless_conversion,
        reason = "a word has 32 bits on some processors"
    )]
    let words = words.map(|&word| u64::from(word));
    words
        .zip(0..)
        .fold(0, |low, (word, k)| low | word << (k * Word::BITS))
}

/// A uniform number in 1..n, by rejection; none if the generator is broken or fails. How many draws it
/// takes tells nothing about it.
pub(crate) fn random_below<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    n: &BoxedUint,
) -> Option<Zeroizing<BoxedUint>> {
    // Each draw succeeds with probability above 1/2, unless the generator is broken.
    for _ in 0..128 {
        let (bits, precision) = (n.bits_vartime(), n.bits_precision());
        let r = BoxedUint::try_random_bits_with_precision(rng, bits, precision).ok()?;
        let r = Zeroizing::new(r);
        if (r.is_nonzero() & r.ct_lt(n)).to_bool() {
            return Some(r);
        }
    }
    None
}

/// base^exponent mod an odd modulus, for a base below it and of its precision, in constant time.
pub(crate) fn power(
    base: &BoxedUint,
    exponent: &BoxedUint,
    modulus: &Odd<BoxedUint>,
) -> Zeroizing<BoxedUint> {
    let parameters = BoxedMontyParams::new(modulus.clone());
    let form = Zeroizing::new(BoxedMontyForm::new(base.clone(), &parameters));
    let power = Zeroizing::new(form.pow(exponent));
    Zeroizing::new(power.retrieve())
}
