//! The keys that are measured with.

use crate::failure::Failure;
use crypto_bigint::{BoxedUint, ConcatenatingMul, Limb, NonZero, Resize};
use crypto_primes::hazmat::{SetBits, SmallFactorsSieveFactory};
use crypto_primes::{Flavor, is_prime, sieve_and_find};
use rayon::prelude::*;
use sunzi_engine::Engine;
use sunzi_pk::rsa::{PrivateKey, SigningKey};
use sunzi_pk::system_rng;

/// The public exponent F4, which nearly every key has.
const E: u32 = 65537;

/// Keys of one size.
pub(super) struct KeyRing {
    /// The size of the keys, in bits.
    pub(super) bits: u32,
    /// The keys.
    pub(super) keys: Vec<PrivateKey>,
    /// The engine on each backend, with the keys prepared for it.
    pub(super) engines: Vec<(Engine, Vec<SigningKey>)>,
}

impl KeyRing {
    /// Makes `count` keys of `bits` bits and prepares them for each engine.
    pub(super) fn new(bits: u32, count: usize, engines: Vec<Engine>) -> Result<Self, Failure> {
        let keys = make(bits, count)?;
        let engines = engines.into_iter().map(|engine| {
            let prepared = keys.iter().map(|key| SigningKey::new(&engine, key));
            let prepared = prepared
                .collect::<Result<_, _>>()
                .map_err(Failure::from_error)?;
            Ok((engine, prepared))
        });
        Ok(Self {
            bits,
            engines: engines.collect::<Result<_, Failure>>()?,
            keys,
        })
    }
}

/// Makes `count` different keys from few primes: 64 primes for 1024 keys. Two keys may have a prime
/// in common, which makes them insecure but does not change their times.
fn make(bits: u32, count: usize) -> Result<Vec<PrivateKey>, Failure> {
    let side = (1..=count).find(|side| side * side >= count).unwrap_or(0);
    let primes: Vec<_> = (0..2 * side)
        .into_par_iter()
        .map(|index| {
            let length = if index % 2 == 0 {
                bits.div_ceil(2)
            } else {
                bits / 2
            };
            prime(length).map(|prime| Resize::resize(prime, length.next_multiple_of(64)))
        })
        .collect::<Result<_, _>>()?;
    (0..count)
        .map(|index| {
            let (p, q) = (&primes[2 * (index / side)], &primes[2 * (index % side) + 1]);
            key(p, q)
        })
        .collect()
}

/// A random prime of `bits` bits with the top two bits set that is not 1 modulo `e`.
fn prime(bits: u32) -> Result<BoxedUint, Failure> {
    let e = NonZero::new(Limb::from(E)).expect("e is not zero");
    let sieve = SmallFactorsSieveFactory::new(Flavor::Any, bits, SetBits::TwoMsb)
        .map_err(Failure::from_error)?;
    sieve_and_find(&mut system_rng(), sieve, |_, p: &BoxedUint| {
        p.rem_limb(e) != Limb::ONE && is_prime(Flavor::Any, p)
    })
    .map_err(Failure::from_error)?
    .ok_or_else(|| Failure::new(format!("no prime of {bits} bits was found")))
}

/// The key with the primes `p` and `q`.
fn key(p: &BoxedUint, q: &BoxedUint) -> Result<PrivateKey, Failure> {
    let less_one = |x: &BoxedUint| x.wrapping_sub(BoxedUint::one());
    let n = p.concatenating_mul(q);
    let phi = less_one(p).concatenating_mul(&less_one(q));
    let phi = NonZero::new(phi).into_option();
    let phi = phi.ok_or_else(|| Failure::new("a prime is 1"))?;
    let e = BoxedUint::from(E).resize(phi.bits_precision());
    let d = e.invert_mod(&phi).into_option();
    let d = d.ok_or_else(|| Failure::new("e divides a prime less 1"))?;
    PrivateKey::from_components(&n, E.into(), &d, p, q).map_err(Failure::from_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_of_the_size_and_all_different() {
        for (bits, count) in [(2048, 1), (2048, 5), (2049, 2)] {
            let keys = make(bits, count).unwrap();
            assert_eq!(keys.len(), count);
            assert!(keys.iter().all(|key| key.bits() == bits));
            let mut moduli: Vec<_> = keys
                .iter()
                .map(|key| key.public_key().fingerprint())
                .collect();
            moduli.sort_unstable();
            moduli.dedup();
            assert_eq!(moduli.len(), count);
        }
    }
}
