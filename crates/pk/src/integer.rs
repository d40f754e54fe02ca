//! Arithmetic of secret integers outside the engine: copies are wiped, and times depend on precisions
//! only.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{
    BoxedUint, Choice, CtEq, CtLt, CtSelect, NonZero, Odd, RandomBits, Resize, Word,
};
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

/// Whether two numbers are equal, in time that depends on their precisions only.
pub(crate) fn equal(a: &BoxedUint, b: &BoxedUint) -> bool {
    let bits = a.bits_precision().max(b.bits_precision());
    resized(a, bits).ct_eq(&*resized(b, bits)).to_bool()
}

/// A copy of the number with a precision of `bits`, in which it must fit. (Resizing an owned number
/// instead would leave its old memory unwiped.)
#[inline(never)]
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
#[inline(never)]
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

/// Whether an odd number above 3 passes the test of Solovay and Strassen to base 2, as all primes and few
/// others do: `2^((p - 1)/2)` is 1 modulo p if p is 1 or 7 modulo 8, and p - 1 otherwise. Takes constant time.
#[inline(never)]
pub(crate) fn passes_base_two(p: &Odd<BoxedUint>) -> bool {
    let precision = p.as_ref().bits_precision();
    let one = BoxedUint::one_with_precision(precision);
    let two = one.wrapping_add(&one);
    let half = Zeroizing::new(p.as_ref().shr(1));
    let power = power(&two, &half, p);
    // The second bit and the third one are equal if p is 1 or 7 modulo 8.
    let word = p.as_ref().as_words()[0];
    let is_residue = Choice::from_u8_lsb(((word >> 1 ^ word >> 2 ^ 1) & 1) as u8);
    let minus_one = Zeroizing::new(p.as_ref().wrapping_sub(&one));
    let symbol = Zeroizing::new(BoxedUint::ct_select(&minus_one, &one, is_residue));
    power.ct_eq(&*symbol).to_bool()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(n: u64) -> bool {
        let n = resized(&BoxedUint::from(n), 64);
        passes_base_two(&Odd::new((*n).clone()).unwrap())
    }

    /// All odd numbers below 2000 but 561, 1105, 1729 and 1905 (the Euler-Jacobi pseudoprimes to base 2, OEIS
    /// A047713) pass if they are prime, and only then.
    #[test]
    fn primes_pass_and_few_others() {
        let is_prime = |n: u64| (2..n).all(|divisor| !n.is_multiple_of(divisor));
        for n in (5..2000).step_by(2) {
            let pseudoprime = [561, 1105, 1729, 1905].contains(&n);
            assert_eq!(passes(n), is_prime(n) || pseudoprime, "{n}");
        }
    }
}
