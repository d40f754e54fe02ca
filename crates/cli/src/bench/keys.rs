//! Keys to measure with.

use super::told;
use crate::failure::Failure;
use crypto_bigint::{BoxedUint, ConcatenatingMul, Limb, NonZero, Resize};
use crypto_primes::hazmat::{SetBits, SmallFactorsSieveFactory};
use crypto_primes::{Flavor, is_prime, sieve_and_find};
use rayon::prelude::*;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{PrivateKey, SigningKey};
use sunzi_pk::system_rng;

/// F4, the public exponent of nearly every key.
const E: u32 = 65537;

/// Keys of one size, and what each backend makes of them.
pub(super) struct KeyRing {
    pub(super) bits: u32,
    pub(super) keys: Vec<PrivateKey>,
    pub(super) engines: Vec<(Engine, Vec<SigningKey>)>,
}

impl KeyRing {
    pub(super) fn new(bits: u32, count: usize, backends: &[Backend]) -> Result<Self, Failure> {
        let keys = make(bits, count)?;
        let engines = backends.iter().map(|&backend| {
            let engine = Engine::new(backend).map_err(told)?;
            let prepared = keys.iter().map(|key| SigningKey::new(&engine, key));
            let prepared = prepared.collect::<Result<_, _>>().map_err(told)?;
            Ok((engine, prepared))
        });
        Ok(Self {
            bits,
            engines: engines.collect::<Result<_, Failure>>()?,
            keys,
        })
    }
}

/// `count` different keys. Two may have a prime in common, which makes them worthless as keys and
/// does not change their times: 1024 keys take 64 primes.
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

/// A prime with the top two bits set that is not 1 mod e.
fn prime(bits: u32) -> Result<BoxedUint, Failure> {
    let e = NonZero::new(Limb::from(E)).expect("e is not zero");
    let sieve = SmallFactorsSieveFactory::new(Flavor::Any, bits, SetBits::TwoMsb).map_err(told)?;
    sieve_and_find(&mut system_rng(), sieve, |_, p: &BoxedUint| {
        p.rem_limb(e) != Limb::ONE && is_prime(Flavor::Any, p)
    })
    .map_err(told)?
    .ok_or_else(|| Failure::new(format!("no prime of {bits} bits was found")))
}

fn key(p: &BoxedUint, q: &BoxedUint) -> Result<PrivateKey, Failure> {
    let less_one = |x: &BoxedUint| x.wrapping_sub(BoxedUint::one());
    let n = p.concatenating_mul(q);
    let phi = less_one(p).concatenating_mul(&less_one(q));
    let phi = NonZero::new(phi).into_option();
    let phi = phi.ok_or_else(|| Failure::new("a prime is 1"))?;
    let e = BoxedUint::from(E).resize(phi.bits_precision());
    let d = e.invert_mod(&phi).into_option();
    let d = d.ok_or_else(|| Failure::new("e divides a prime less 1"))?;
    PrivateKey::from_components(&n, E.into(), &d, p, q).map_err(told)
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
