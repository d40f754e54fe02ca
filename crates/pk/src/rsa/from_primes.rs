//! Keys of two given primes.

use super::key::{KeyError, PrivateKey, PublicKey, checked_prime_size};
use super::sizes::MAX_BITS;
use crate::integer::{nonzero, resized};
use crypto_bigint::{BoxedUint, ConcatenatingMul, Gcd};
use sunzi_engine::public_length;
use zeroize::Zeroizing;

impl PrivateKey {
    /// The key of two primes and a public exponent: n = p q, and d = e^-1 mod lcm(p - 1, q - 1). The numbers must satisfy
    /// the conditions of [`from_components`](Self::from_components). Takes constant time.
    ///
    /// # Errors
    /// The [`KeyError`] that names the first condition violated; [`KeyError::PrivateExponentMismatch`] if e has no inverse.
    pub fn from_primes(e: u64, p: &BoxedUint, q: &BoxedUint) -> Result<Self, KeyError> {
        for (name, prime) in [("p", p), ("q", q)] {
            let bits = u64::from(public_length(prime));
            if bits > u64::from(MAX_BITS) {
                return Err(KeyError::NumberSize { name, bits });
            }
        }
        let n = p.concatenating_mul(q);
        let public = PublicKey::new(&n, e)?;
        let p = checked_prime_size('p', p, &public)?;
        let q = checked_prime_size('q', q, &public)?;
        let bits = p.bits_precision().max(q.bits_precision());
        let (p, q) = (resized(&p, bits), resized(&q, bits));
        let d = private_exponent(e, &p, &q).ok_or(KeyError::PrivateExponentMismatch)?;
        Self::from_components(&n, e, &d, &p, &q)
    }
}

/// The private exponent d = e^-1 mod lcm(p - 1, q - 1), if e has an inverse, for p and q above 1 and of the same
/// precision. Takes constant time.
pub(super) fn private_exponent(
    e: u64,
    p: &BoxedUint,
    q: &BoxedUint,
) -> Option<Zeroizing<BoxedUint>> {
    let p1 = nonzero(&p.wrapping_sub(BoxedUint::one()));
    let q1 = nonzero(&q.wrapping_sub(BoxedUint::one()));
    let gcd = nonzero(&p1.gcd(&q1));
    let product = Zeroizing::new(p1.concatenating_mul(&**q1));
    let lcm = nonzero(&product.wrapping_div(&gcd));
    let e = BoxedUint::from(e);
    let inverse = resized(&e, lcm.bits_precision()).invert_mod(&lcm);
    Option::from(inverse).map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use super::super::private::tests::private_key;
    use super::*;
    use crate::system_rng;

    /// The key that was taken apart comes back, whichever prime is the first. (Files may have another d, modulo
    /// (p - 1) (q - 1).)
    #[test]
    fn keys_of_their_primes() {
        let key = PrivateKey::generate(1024, &mut system_rng()).unwrap();
        let e = key.public_key().e();
        for (p, q) in [
            (&key.secret.p, &key.secret.q),
            (&key.secret.q, &key.secret.p),
        ] {
            let again = PrivateKey::from_primes(e, p, q).unwrap();
            assert_eq!(again.public_key(), key.public_key());
            assert_eq!(again.secret.d, key.secret.d);
        }
    }

    /// Numbers that are no primes of a key are refused, and nothing panics.
    #[test]
    fn numbers_that_are_no_primes() {
        let key = private_key();
        let (p, q, e) = (&*key.secret.p, &*key.secret.q, key.public_key().e());
        let refused =
            |p: &BoxedUint, q: &BoxedUint, e| PrivateKey::from_primes(e, p, q).unwrap_err();
        let [zero, one] = [0u64, 1].map(BoxedUint::from);
        assert_eq!(refused(&zero, q, e), KeyError::ModulusSize(0));
        assert!(matches!(refused(&one, q, e), KeyError::ModulusSize(_)));
        let long = key.public_key().n();
        assert!(matches!(
            refused(&one, long, e),
            KeyError::PrimeSize { name: 'p', .. }
        ));
        assert!(matches!(
            refused(long, &one, e),
            KeyError::PrimeSize { name: 'q', .. }
        ));
        let longer = BoxedUint::max(16_448);
        assert!(matches!(
            refused(&longer, q, e),
            KeyError::NumberSize { name: "p", .. }
        ));
        assert_eq!(refused(p, p, e), KeyError::EqualPrimes);
        let even = p.wrapping_sub(BoxedUint::one());
        assert_eq!(refused(&even, q, e), KeyError::EvenModulus);
        let composite = p.wrapping_add(BoxedUint::from(2u64));
        assert!(matches!(
            refused(&composite, q, e),
            KeyError::NotPrime('p') | KeyError::PrivateExponentMismatch
        ));
        assert_eq!(refused(p, q, 4), KeyError::EvenExponent(4));
    }
}
