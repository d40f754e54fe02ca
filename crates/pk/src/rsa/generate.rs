//! Generation of RSA keys, by FIPS 186-5, appendix A.1.3 (random primes that are probably prime).

use super::from_primes::private_exponent;
use super::key::{KeyError, PrivateKey};
use super::sizes::{MAX_GENERATED_BITS, MIN_BITS};
use crate::integer::{equal, power, resized};
use crypto_bigint::{
    BitOps, BoxedUint, ConcatenatingMul, ConcatenatingSquare, CtLt, CtSelect, Limb, NonZero, Odd,
    RandomBits,
};
use crypto_primes::Flavor;
use crypto_primes::fips::{FipsOptions, is_prime};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Public exponent of generated keys: the Fermat prime F4 = 2^16 + 1.
pub(super) const E: u64 = 65_537;

/// Bound on the probability that a composite passes as a prime: 2^-128.
const ERROR_BOUND: u32 = 128;

impl PrivateKey {
    /// Generates a key of [`MIN_BITS`] to [`MAX_GENERATED_BITS`] bits, with e = 65,537.
    ///
    /// A key shorter than [`MIN_SIGNING_BITS`](super::MIN_SIGNING_BITS) only verifies until
    /// [`permit_1024`](Self::permit_1024) is called.
    ///
    /// The method is that of FIPS 186-5, appendix A.1.3. Every candidate for a prime is drawn anew
    /// from `rng` (there is no search upwards from a random number, which would favour primes after
    /// long gaps): uniform among the odd numbers from sqrt(2) 2^(k - 1) to 2^k, where k is half the
    /// size of the modulus, so that n has exactly `bits` bits. p - 1 and q - 1 are coprime to e, and
    /// |p - q| exceeds 2^(bits/2 - 100). A prime has passed trial division by the first 2,048 primes,
    /// Miller-Rabin with random bases (as many as appendix C.1 asks of random candidates for an error
    /// below 2^-128), and a strong Lucas test. d = e^-1 mod lcm(p - 1, q - 1), and exceeds
    /// 2^(bits/2).
    ///
    /// The standard knows even sizes from 2048 bits only; for an odd one p is the longer prime. `rng` must meet the
    /// standard's requirements on random number generators. No laboratory has validated this.
    ///
    /// Before the key is returned it passes a pairwise consistency test: it decrypts a random number
    /// that was encrypted with its public half, by d and by the Chinese remainder theorem.
    ///
    /// # Errors
    /// [`KeyError::GeneratedSize`]; [`KeyError::NoPrime`] if `rng` is broken, since the search ends
    /// after 10 candidates for each bit of the modulus, of which a working generator fails to find a
    /// prime with a probability below 2^-47; [`KeyError::Inconsistent`] if the machine is.
    pub fn generate<R: CryptoRng + ?Sized>(bits: u32, rng: &mut R) -> Result<Self, KeyError> {
        check_size(bits)?;
        let key = generate(bits, rng)?;
        if is_consistent(&key, rng) {
            Ok(key)
        } else {
            Err(KeyError::Inconsistent)
        }
    }
}

/// Refuses sizes of keys that are not generated.
pub(super) fn check_size(bits: u32) -> Result<(), KeyError> {
    if (MIN_BITS..=MAX_GENERATED_BITS).contains(&bits) {
        Ok(())
    } else {
        let min = MIN_BITS;
        Err(KeyError::GeneratedSize { bits, min })
    }
}

/// A new key of a size that has been checked.
fn generate<R: CryptoRng + ?Sized>(bits: u32, rng: &mut R) -> Result<PrivateKey, KeyError> {
    loop {
        let p = random_prime(rng, bits.div_ceil(2))?;
        let q = random_prime(rng, bits / 2)?;
        if let Some(key) = of_primes(bits, &p, &q)? {
            return Ok(key);
        }
    }
}

/// The key of these primes, unless they are too close to each other or d is too small, both of which
/// are so improbable that it never happens. Requires primes that are not 1 mod e.
pub(super) fn of_primes(
    bits: u32,
    p: &BoxedUint,
    q: &BoxedUint,
) -> Result<Option<PrivateKey>, KeyError> {
    let q = resized(q, p.bits_precision());
    let difference = Zeroizing::new(BoxedUint::ct_select(
        &p.wrapping_sub(&*q),
        &q.wrapping_sub(p),
        p.ct_lt(&q),
    ));
    if difference.bits() <= bits / 2 - 100 {
        return Ok(None);
    }
    let d = private_exponent(E, p, &q).expect("e is coprime to p - 1 and q - 1");
    if d.bits() <= bits / 2 {
        return Ok(None);
    }
    let n = p.concatenating_mul(&*q);
    PrivateKey::from_components(&n, E, &d, p, &q).map(Some)
}

/// A random prime of exactly `bits` bits above sqrt(2) 2^(bits - 1) that is not 1 mod e.
fn random_prime<R: CryptoRng + ?Sized>(
    rng: &mut R,
    bits: u32,
) -> Result<Zeroizing<BoxedUint>, KeyError> {
    let options = FipsOptions::with_error_bound(bits, ERROR_BOUND)
        .expect("primes of 512 bits and more have a number of rounds for this bound")
        .with_trial_division_test()
        .with_lucas_test();
    let e = NonZero::new(Limb::from(E as u32)).expect("e is not zero");
    let candidates = 20 * bits;
    for _ in 0..candidates {
        let mut candidate = Zeroizing::new(BoxedUint::random_bits(rng, bits));
        // Smaller numbers would be drawn again, and even ones are made odd.
        candidate.set_bit_vartime(bits - 1, true);
        candidate.set_bit_vartime(0, true);
        // As e is prime, it is coprime to p - 1 unless p = 1 mod e.
        if is_large(&candidate, bits)
            && candidate.rem_limb(e) != Limb::ONE
            && is_prime(rng, Flavor::Any, &*candidate, options)
        {
            return Ok(candidate);
        }
    }
    Err(KeyError::NoPrime(candidates))
}

/// Whether a number of `bits` bits is at least sqrt(2) 2^(bits - 1), which is to say that its square
/// has twice as many bits.
fn is_large(number: &BoxedUint, bits: u32) -> bool {
    Zeroizing::new(number.concatenating_square()).bits() == 2 * bits
}

/// Whether the key decrypts a random number m that was encrypted with its public half, c = m^e mod n:
/// the pairwise consistency test of NIST SP 800-56B, revision 2, section 6.4.1.1. It is done with d,
/// and with the numbers for the Chinese remainder theorem, as these are what operations use.
fn is_consistent<R: CryptoRng + ?Sized>(key: &PrivateKey, rng: &mut R) -> bool {
    let (public, secret) = (key.public_key(), &key.secret);
    // With its top bit cleared m is below n; it is neither 0 nor 1, except by a broken generator.
    let m =
        BoxedUint::random_bits_with_precision(rng, public.bits() - 1, public.n().bits_precision());
    let m = Zeroizing::new(m);
    let e = BoxedUint::from(public.e());
    let c = power(&m, &e, public.odd_n());
    if *power(&c, &secret.d, public.odd_n()) != *m {
        return false;
    }
    let half = |prime: &BoxedUint, exponent: &BoxedUint| {
        let prime = Zeroizing::new(Odd::new(prime.clone()).expect("p and q are odd"));
        let c = Zeroizing::new(c.rem(prime.as_nz_ref()));
        (power(&c, exponent, &prime), prime)
    };
    let (a, p) = half(&secret.p, &secret.dp);
    let (b, _) = half(&secret.q, &secret.dq);
    // m = b + q ((a - b) q^-1 mod p), by Garner.
    let width = p.as_nz_ref().bits_precision();
    let b_mod_p = resized(&b.rem(p.as_nz_ref()), width);
    let difference = Zeroizing::new(a.sub_mod(&b_mod_p, p.as_nz_ref()));
    let h = Zeroizing::new(difference.mul_mod(&secret.qinv, p.as_nz_ref()));
    let recombined = Zeroizing::new(h.concatenating_mul(&*secret.q));
    let width = recombined.bits_precision();
    let recombined = Zeroizing::new(recombined.wrapping_add(&*resized(&b, width)));
    equal(&recombined, &m)
}

#[cfg(test)]
mod tests {
    use super::super::key::Secret;
    use super::super::private::tests::private_key;
    use super::*;
    use crate::system_rng;

    #[test]
    fn primes_of_every_size_have_a_number_of_rounds() {
        for bits in (MIN_BITS / 2..=MAX_GENERATED_BITS / 2).step_by(256) {
            assert!(
                FipsOptions::with_error_bound(bits, ERROR_BOUND).is_some(),
                "{bits}"
            );
        }
    }

    #[test]
    fn the_least_prime_is_the_square_root_of_two() {
        // sqrt(2) 2^7 = 181.02
        for (number, large) in [(181u32, false), (182, true), (255, true), (128, false)] {
            assert_eq!(is_large(&BoxedUint::from(number), 8), large, "{number}");
        }
    }

    /// A key with any wrong number, as faults make it, fails.
    #[test]
    fn the_pairwise_consistency_test_finds_every_wrong_number() {
        let key = private_key();
        assert!(is_consistent(&key, &mut system_rng()));
        let numbers: [fn(&mut Secret) -> &mut BoxedUint; 6] = [
            |secret| &mut secret.d,
            |secret| &mut secret.p,
            |secret| &mut secret.q,
            |secret| &mut secret.dp,
            |secret| &mut secret.dq,
            |secret| &mut secret.qinv,
        ];
        for (index, number) in numbers.into_iter().enumerate() {
            for bit in [1, 200, 500] {
                let mut wrong = key.clone();
                let number = number(&mut wrong.secret);
                number.set_bit_vartime(bit, !number.bit_vartime(bit));
                assert!(
                    !is_consistent(&wrong, &mut system_rng()),
                    "number {index}, bit {bit}"
                );
            }
        }
    }
}
