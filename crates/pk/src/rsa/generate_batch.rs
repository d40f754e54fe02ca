//! Generation of RSA keys by the batch: the candidates of all keys share the engine's groups.

use super::generate::{E, check_size, of_primes};
use super::key::{KeyError, PrivateKey};
use super::private::{self, PreparedKey, PrivateOperation};
use super::sign::SignError;
use crate::integer::{equal, octets};
use crate::primes::{Kind, Progress, Wanted, search};
use crypto_bigint::{BoxedUint, RandomBits};
use rand_core::CryptoRng;
use std::ops::ControlFlow;
use sunzi_engine::{Engine, Exponent, Task};
use zeroize::Zeroizing;

impl PrivateKey {
    /// New keys of one size, `count` of them: [`generate`](Self::generate) by the batch, several times
    /// faster.
    ///
    /// The method, the ranges of numbers and the conditions on keys are those of
    /// [`generate`](Self::generate), but for the test of primality: Miller-Rabin only, with as many rounds
    /// as keep the error below 2^-128 for each prime (see [`primes`](crate::primes); FIPS 186-5,
    /// appendix C.1, has this choice). Each key has passed a pairwise consistency test.
    ///
    /// `watch` is called before each batch of tests with the number of primes found, two for each key, and
    /// may end the search.
    ///
    /// # Errors
    /// The errors of [`generate`](Self::generate), [`KeyError::Cancelled`], [`KeyError::Primes`] for a broken
    /// generator, and [`KeyError::Engine`].
    pub fn generate_batch<R: CryptoRng + ?Sized>(
        engine: &Engine,
        rng: &mut R,
        bits: u32,
        count: usize,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Self>, KeyError> {
        let coprime_to = Some(E as u32);
        generate(engine, rng, Kind::Any, coprime_to, bits, count, watch)
    }

    /// New keys of two safe primes each, p and q for which (p - 1)/2 and (q - 1)/2 are prime, too, as
    /// [partially blind signatures](super::blind::partial) need them; otherwise as
    /// [`generate_batch`](Self::generate_batch). Safe primes are rare: a key takes tens of times as long.
    ///
    /// # Errors
    /// The errors of [`generate_batch`](Self::generate_batch).
    pub fn generate_safe_batch<R: CryptoRng + ?Sized>(
        engine: &Engine,
        rng: &mut R,
        bits: u32,
        count: usize,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Self>, KeyError> {
        // (p - 1)/2 is a prime above e: e does not divide p - 1.
        generate(engine, rng, Kind::Safe, None, bits, count, watch)
    }
}

/// New keys of primes of this kind, for which p - 1 and q - 1 are coprime to the public exponent.
fn generate<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: Kind,
    coprime_to: Option<u32>,
    bits: u32,
    count: usize,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<PrivateKey>, KeyError> {
    check_size(bits)?;
    let mut keys = Vec::new();
    while keys.len() < count {
        let (before, left) = (2 * keys.len(), count - keys.len());
        let mut primes = |before: usize, bits, left| {
            let wanted = Wanted {
                kind,
                bits,
                coprime_to,
            };
            let mut watch = |progress: Progress| {
                watch(Progress {
                    found: before + progress.found,
                    wanted: 2 * count,
                    ..progress
                })
            };
            search(engine, rng, wanted, left, &mut watch)
        };
        let p = primes(before, bits.div_ceil(2), left)?;
        let q = primes(before + left, bits / 2, left)?;
        for (p, q) in p.iter().zip(&q) {
            keys.extend(of_primes(bits, p, q)?);
        }
    }
    if are_consistent(engine, rng, &keys)? {
        Ok(keys)
    } else {
        Err(KeyError::Inconsistent)
    }
}

/// Whether every key decrypts a random number that was encrypted with its public half, with d and by the
/// Chinese remainder theorem: the test of NIST SP 800-56B, revision 2, section 6.4.1.1.
fn are_consistent<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    keys: &[PrivateKey],
) -> Result<bool, KeyError> {
    let prepared = keys.iter().map(|key| PreparedKey::new(engine, key));
    let prepared = prepared.collect::<Result<Vec<_>, _>>()?;
    let mut messages = Vec::with_capacity(keys.len());
    for key in keys {
        // With its top bit cleared m is below n.
        let precision = key.public_key().n().bits_precision();
        let m = BoxedUint::random_bits_with_precision(rng, key.bits() - 1, precision);
        messages.push(Zeroizing::new(m));
    }
    let e = BoxedUint::from(E);
    let moduli = prepared.iter().map(|key| key.verifying_key().modulus());
    let pairs = moduli.clone().zip(&messages);
    let encryptions: Vec<_> = pairs
        .map(|(n, m)| Task::power(n, m, Exponent::Public(&e)))
        .collect();
    let ciphertexts = engine.run(&encryptions)?;
    let numbers = moduli.zip(&ciphertexts).zip(keys);
    let decryptions: Vec<_> = numbers
        .map(|((n, c), key)| Task::power(n, c, Exponent::Secret(&key.secret.d)))
        .collect();
    let by_d = engine.run(&decryptions)?;
    let operations: Vec<_> = prepared
        .iter()
        .zip(&ciphertexts)
        .map(|(key, c)| Ok(PrivateOperation::new(key, c.clone())))
        .collect();
    let by_primes: Vec<Result<_, SignError>> = private::run(engine, rng, &operations);
    let results = keys.iter().zip(&messages).zip(by_d).zip(by_primes);
    let mut consistent = true;
    for (((key, m), by_d), by_primes) in results {
        let expected = octets(m, key.public_key().size());
        consistent &= equal(m, &by_d) && by_primes.is_ok_and(|y| *y == *expected);
    }
    Ok(consistent)
}
