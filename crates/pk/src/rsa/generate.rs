//! Generation of RSA keys, after FIPS 186-5, appendix A.1.3 (probable primes).

use super::key::{KeyError, MAX_GENERATED_BITS, MIN_BITS, PrivateKey, nonzero, resized};
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtLt, CtSelect, Gcd, Limb, NonZero};
use crypto_primes::fips::{FipsOptions, is_prime};
use crypto_primes::hazmat::{SetBits, SmallFactorsSieveFactory};
use crypto_primes::{Flavor, sieve_and_find};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Public exponent of generated keys: the Fermat prime F4 = 2^16 + 1.
const E: u64 = 65_537;

/// Bound on the probability that a composite passes as a prime: 2^-128.
const ERROR_BOUND: u32 = 128;

impl PrivateKey {
    /// A new key of [`MIN_BITS`] to [`MAX_GENERATED_BITS`] bits, with e = 65,537.
    ///
    /// A key shorter than [`MIN_SIGNING_BITS`](super::MIN_SIGNING_BITS) only verifies until
    /// [`permit_1024`](Self::permit_1024) is called.
    ///
    /// As in FIPS 186-5, appendix A.1.3, both primes have their two top bits set, so that n has
    /// exactly `bits` bits; they differ by more than 2^(bits/2 - 100); p - 1 and q - 1 are coprime
    /// to e; d = e^-1 mod lcm(p - 1, q - 1) exceeds 2^(bits/2). Primes are tested by Miller-Rabin,
    /// with enough random bases for an error below 2^-128, and by a strong Lucas test.
    ///
    /// # Errors
    /// [`KeyError::GeneratedSize`].
    pub fn generate<R: CryptoRng + ?Sized>(bits: u32, rng: &mut R) -> Result<Self, KeyError> {
        if (MIN_BITS..=MAX_GENERATED_BITS).contains(&bits) {
            generate(bits, rng)
        } else {
            Err(KeyError::GeneratedSize {
                bits,
                min: MIN_BITS,
            })
        }
    }
}

/// A new key of a size that has been checked.
fn generate<R: CryptoRng + ?Sized>(bits: u32, rng: &mut R) -> Result<PrivateKey, KeyError> {
    loop {
        let p = random_prime(rng, bits.div_ceil(2));
        let q = random_prime(rng, bits / 2);
        let q = resized(&q, p.bits_precision());
        let difference = Zeroizing::new(BoxedUint::ct_select(
            &p.wrapping_sub(&*q),
            &q.wrapping_sub(&*p),
            p.ct_lt(&q),
        ));
        if difference.bits() <= bits / 2 - 100 {
            continue;
        }
        let d = private_exponent(&p, &q);
        // A small difference or a small d is so improbable that this branch is never taken.
        if d.bits() <= bits / 2 {
            continue;
        }
        let n = p.concatenating_mul(&*q);
        return PrivateKey::from_components(&n, E, &d, &p, &q);
    }
}

/// A random prime of exactly `bits` bits whose two top bits are set and which is not 1 mod e.
fn random_prime<R: CryptoRng + ?Sized>(rng: &mut R, bits: u32) -> Zeroizing<BoxedUint> {
    let options = FipsOptions::with_error_bound(bits, ERROR_BOUND)
        .expect("primes of 512 bits and more have a number of rounds for this bound")
        .with_lucas_test();
    let sieve = SmallFactorsSieveFactory::new(Flavor::Any, bits, SetBits::TwoMsb)
        .expect("the size is not tiny");
    let e = NonZero::new(Limb::from(E as u32)).expect("e is not zero");
    // As e is prime, it is coprime to p - 1 unless p = 1 mod e.
    let prime = sieve_and_find(rng, sieve, |rng, p: &BoxedUint| {
        p.rem_limb(e) != Limb::ONE && is_prime(rng, Flavor::Any, p, options)
    });
    Zeroizing::new(
        prime
            .expect("the size fits the type")
            .expect("the sieve never ends"),
    )
}

/// The private exponent d = e^-1 mod lcm(p - 1, q - 1), for p and q of the same precision. Takes
/// constant time.
fn private_exponent(p: &BoxedUint, q: &BoxedUint) -> Zeroizing<BoxedUint> {
    let p1 = nonzero(&p.wrapping_sub(BoxedUint::one()));
    let q1 = nonzero(&q.wrapping_sub(BoxedUint::one()));
    let gcd = nonzero(&p1.gcd(&q1));
    let product = Zeroizing::new(p1.concatenating_mul(&**q1));
    let lcm = nonzero(&product.wrapping_div(&gcd));
    let e = BoxedUint::from(E);
    let inverse = resized(&e, lcm.bits_precision()).invert_mod(&lcm);
    Zeroizing::new(Option::from(inverse).expect("e is coprime to p - 1 and q - 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_of_every_size_have_a_number_of_rounds() {
        for bits in (MIN_BITS / 2..=MAX_GENERATED_BITS / 2).step_by(256) {
            assert!(
                FipsOptions::with_error_bound(bits, ERROR_BOUND).is_some(),
                "{bits}"
            );
        }
    }
}
