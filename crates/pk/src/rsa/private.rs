//! The private operation x^d mod n in batches, which signing and decryption share: by the Chinese
//! remainder theorem, blinded, and checked before a result leaves.
//!
//! For the input x < n and a fresh random r, the *blind*, there are two programs, each run over a whole batch:
//!
//! 1. modulo p: c = x r^e, a = (q^-1 mod p) c^(dp - 1) mod p and u = (q^-1 mod p) r^(e - 1) mod p; b and v
//!    modulo q in the same way; in constant time;
//! 2. modulo n: c^(d - 1) = a q + b p and r^(e - 1) = u q + v p, then y = c^(d - 1) r^(e - 1) x, which leaves;
//!    then y as it left comes in again, and y^e is compared with x. One wrong half of step 1 would give a y
//!    with gcd(y^e - x, n) = p or q (Boneh, `DeMillo` and Lipton, 1997): it must never leave this module.
//!
//! As c^(d - 1) = x^(d - 1) r^(1 - e), no blind has to be inverted. One that shares a prime with n (which
//! happens by chance less often than factoring n does) gives a wrong y.

use super::key::{KeyError, PrivateKey, PublicKey, Secret};
use super::programs;
use super::verify::VerifyingKey;
use crate::batch::fail_all;
use crate::integer::{division, nonzero, octets, random_below, resized};
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtLt};
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::{Constants, Engine, EngineError, Job, Modulus, Outcome, Programs};
use zeroize::Zeroizing;

/// A private key's numbers, prepared for an engine; wiped on drop.
pub(super) struct PreparedKey {
    verifying: VerifyingKey,
    p: Half,
    q: Half,
    /// The program modulo n.
    whole: Arc<Programs>,
    /// q and p, the factors of the halves modulo n.
    primes: Arc<Constants>,
    /// e - 1, for jobs that bring their exponent.
    less_one: Option<BoxedUint>,
}

/// The constants of one prime's part of the operation.
struct Half {
    modulus: Arc<Modulus>,
    /// The program modulo this prime.
    program: Arc<Programs>,
    /// (d mod (prime - 1)) - 1, as wide as the prime.
    exponent: Zeroizing<BoxedUint>,
    /// The other prime's inverse modulo this one.
    coefficient: Arc<Constants>,
}

impl Half {
    fn new(
        engine: &Engine,
        verifying: &VerifyingKey,
        prime: &BoxedUint,
        exponent: &BoxedUint,
        coefficient: &BoxedUint,
    ) -> Result<Self, KeyError> {
        let modulus = engine.modulus(prime)?;
        Ok(Self {
            program: Self::program(engine, verifying, &modulus, exponent)?,
            coefficient: engine.constants(&modulus, &[(coefficient, 0)])?,
            exponent: Zeroizing::new(less_one(exponent)),
            modulus,
        })
    }

    fn program(
        engine: &Engine,
        verifying: &VerifyingKey,
        modulus: &Modulus,
        exponent: &BoxedUint,
    ) -> Result<Arc<Programs>, EngineError> {
        let n_bits = verifying.public_key().n().bits_precision();
        let (class, length) = (modulus.class(), exponent.bits_precision());
        programs::prime(engine, class, n_bits, length, verifying.exponent())
    }

    /// The same prime with another exponent.
    fn with_exponent(
        &self,
        engine: &Engine,
        verifying: &VerifyingKey,
        exponent: &BoxedUint,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            modulus: Arc::clone(&self.modulus),
            program: Self::program(engine, verifying, &self.modulus, exponent)?,
            exponent: Zeroizing::new(less_one(exponent)),
            coefficient: Arc::clone(&self.coefficient),
        })
    }
}

impl PreparedKey {
    /// Prepares the key.
    ///
    /// # Errors
    /// [`KeyError::Engine`] if the engine refuses a modulus.
    pub(super) fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, KeyError> {
        let (public, secret) = (key.public_key(), &key.secret);
        let pinv = inverse_of_p(secret);
        let verifying = VerifyingKey::new(engine, public)?;
        let n = verifying.modulus();
        Ok(Self {
            p: Half::new(engine, &verifying, &secret.p, &secret.dp, &secret.qinv)?,
            q: Half::new(engine, &verifying, &secret.q, &secret.dq, &pinv)?,
            whole: programs::modulus(engine, n.class(), verifying.exponent())?,
            primes: engine.constants(n, &[(&secret.q, 2), (&secret.p, 2)])?,
            less_one: verifying.scalar().map(less_one),
            verifying,
        })
    }

    /// The key with the same primes, the public exponent of `verifying`, and its inverses modulo p - 1 and
    /// q - 1.
    pub(super) fn with_exponents(
        &self,
        engine: &Engine,
        verifying: VerifyingKey,
        [dp, dq]: [Zeroizing<BoxedUint>; 2],
    ) -> Result<Self, EngineError> {
        let class = verifying.modulus().class();
        Ok(Self {
            p: self.p.with_exponent(engine, &verifying, &dp)?,
            q: self.q.with_exponent(engine, &verifying, &dq)?,
            whole: programs::modulus(engine, class, verifying.exponent())?,
            primes: Arc::clone(&self.primes),
            less_one: verifying.scalar().map(less_one),
            verifying,
        })
    }

    /// The public half.
    pub(super) fn public_key(&self) -> &PublicKey {
        self.verifying.public_key()
    }

    /// The public half, prepared.
    pub(super) fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying
    }
}

/// An exponent less 1, as wide. Exponents are odd.
fn less_one(exponent: &BoxedUint) -> BoxedUint {
    exponent.wrapping_sub(BoxedUint::one())
}

/// p^-1 mod q. As q qinv = 1 + k p for some k, it is -k mod q; and 0 < k < q, as qinv < p.
fn inverse_of_p(secret: &Secret) -> Zeroizing<BoxedUint> {
    let product = Zeroizing::new(secret.q.concatenating_mul(&*secret.qinv));
    let (k, _) = division(&product, &nonzero(&secret.p));
    let k = resized(&k, secret.q.bits_precision());
    Zeroizing::new(secret.q.wrapping_sub(&*k))
}

/// The random number generator failed.
#[derive(Debug)]
pub(super) struct NoRandomness;

/// A result was wrong, and is withheld.
#[derive(Debug, PartialEq)]
pub(super) struct Fault;

/// One private operation: x^d mod n.
pub(super) struct PrivateOperation<'a> {
    key: &'a PreparedKey,
    /// The number x, below n.
    x: Zeroizing<BoxedUint>,
}

impl<'a> PrivateOperation<'a> {
    /// The operation on x < n.
    pub(super) fn new(key: &'a PreparedKey, x: Zeroizing<BoxedUint>) -> Self {
        debug_assert!(x.ct_lt(key.public_key().n()).to_bool());
        Self { key, x }
    }
}

/// x^d mod n for every `Ok` operation,
/// big-endian and as long as the modulus; `Err` entries pass through in order. Time and memory
/// access depend on no secret.
pub(super) fn run<R, E>(
    engine: &Engine,
    rng: &mut R,
    operations: &[Result<PrivateOperation<'_>, E>],
) -> Vec<Result<Zeroizing<Vec<u8>>, E>>
where
    R: TryCryptoRng + ?Sized,
    E: Clone + From<Fault> + From<NoRandomness> + From<EngineError>,
{
    let valid: Vec<&PrivateOperation<'_>> = operations.iter().flatten().collect();
    let draw =
        |operation: &&PrivateOperation<'_>| random_below(rng, operation.key.public_key().n());
    let Some(blinds) = valid.iter().map(draw).collect::<Option<Vec<_>>>() else {
        return fail_all(operations, &NoRandomness.into());
    };
    let mut results = match compute(engine, &valid, &blinds) {
        Ok(results) => results.into_iter(),
        Err(error) => return fail_all(operations, &error.into()),
    };
    operations
        .iter()
        .map(|operation| {
            let operation = operation.as_ref().map_err(E::clone)?;
            let y = results
                .next()
                .expect("every valid operation has a result")?;
            Ok(octets(&y, operation.key.public_key().size()))
        })
        .collect()
}

/// x^d mod n for every operation, or [`Fault`], by a blind for each.
fn compute(
    engine: &Engine,
    operations: &[&PrivateOperation<'_>],
    blinds: &[Zeroizing<BoxedUint>],
) -> Result<Vec<Result<Zeroizing<BoxedUint>, Fault>>, EngineError> {
    let half = |key, half, x, blind| -> Job<'_> {
        let key: &PreparedKey = key;
        let half: &Half = half;
        let blind: &BoxedUint = blind;
        let exponent: &BoxedUint = &half.exponent;
        Job {
            programs: &half.program,
            modulus: &half.modulus,
            constants: Some(&half.coefficient),
            inputs: vec![x, blind],
            scalars: key.less_one.iter().chain([exponent]).collect(),
        }
    };
    let jobs: Vec<Job<'_>> = operations
        .iter()
        .zip(blinds)
        .flat_map(|(operation, blind)| {
            let PrivateOperation { key, x } = operation;
            [&key.p, &key.q].map(|prime| half(key, prime, &**x, blind))
        })
        .collect();
    let halves = engine.execute_each(&jobs)?;
    let pairs: Vec<_> = halves.chunks_exact(2).map(pair).collect();

    let jobs: Vec<Job<'_>> = operations
        .iter()
        .zip(&pairs)
        .filter_map(|(operation, pair)| {
            let PrivateOperation { key, x } = operation;
            let halves = (*pair)?.into_iter().flatten().map(|integer| &**integer);
            Some(Job {
                programs: &key.whole,
                modulus: key.verifying.modulus(),
                constants: Some(&key.primes),
                inputs: halves.chain([&**x]).collect(),
                scalars: key.verifying.scalar().into_iter().collect(),
            })
        })
        .collect();
    let mut outcomes = engine.execute_each(&jobs)?.into_iter();
    let results = pairs.iter().map(|pair| {
        let answer = pair.as_ref().and_then(|_| outcomes.next());
        match answer {
            Some(Ok(mut outcome)) if outcome.flags[..] == [true] => {
                Ok(outcome.integers.swap_remove(0))
            }
            _ => Err(Fault),
        }
    });
    Ok(results.collect())
}

/// The results modulo p and q; `None` if redundant channels found one of them wrong twice.
fn pair(halves: &[Result<Outcome, EngineError>]) -> Option<[&[Zeroizing<BoxedUint>]; 2]> {
    match halves {
        [Ok(p), Ok(q)] => Some([p, q].map(|half| &half.integers[..])),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use num_bigint::BigUint;
    use sunzi_engine::Backend;

    pub(in crate::rsa) fn engine() -> Engine {
        Engine::new(Backend::best()).unwrap()
    }

    pub(in crate::rsa) fn private_key() -> PrivateKey {
        let file = include_bytes!("../../tests/fixtures/rsa1024.pkcs8.pem");
        PrivateKey::from_pem_or_der(file, None)
            .unwrap()
            .permit_1024()
    }

    pub(in crate::rsa) fn big(x: &BoxedUint) -> BigUint {
        BigUint::from_bytes_be(&x.to_be_bytes())
    }

    /// Keys whose primes have the same length, lengths that differ by a bit, and unequal odd lengths.
    fn keys_of_every_shape() -> Vec<PrivateKey> {
        let files: [&[u8]; 2] = [
            include_bytes!("../../tests/fixtures/rsa2047.pkcs8.pem"),
            include_bytes!("../../tests/fixtures/rsa1128.unequal.pkcs8.pem"),
        ];
        let read = |file| PrivateKey::from_pem_or_der(file, None).unwrap();
        let mut keys: Vec<_> = files.map(|file| read(file).permit_1024()).into();
        keys.push(private_key());
        // The shorter prime first.
        let Secret { p, q, d, .. } = &keys[1].secret;
        let public = keys[1].public_key();
        let swapped = PrivateKey::from_components(public.n(), public.e(), d, q, p);
        keys.push(swapped.unwrap().permit_1024());
        keys
    }

    /// A key of every shape, and copies with one wrong value each: enough to reveal a prime.
    pub(in crate::rsa) fn faulty_keys(engine: &Engine) -> Vec<(PrivateKey, Vec<PreparedKey>)> {
        let keys = keys_of_every_shape().into_iter();
        keys.map(|key| {
            let faulty = faulty_forms(engine, &key);
            (key, faulty)
        })
        .collect()
    }

    /// The number with another second bit.
    fn flipped(x: &BoxedUint) -> BoxedUint {
        let mut x = x.clone();
        x.as_mut_words()[0] ^= 2;
        x
    }

    /// One of a key's halves.
    type OfKey = fn(&mut PreparedKey) -> &mut Half;

    /// The key with a wrong value in each place.
    fn faulty_forms(engine: &Engine, key: &PrivateKey) -> Vec<PreparedKey> {
        let secret = &key.secret;
        let pinv = inverse_of_p(secret);
        let halves: [(OfKey, &BoxedUint, &BoxedUint); 2] = [
            (|key| &mut key.p, &secret.p, &secret.qinv),
            (|key| &mut key.q, &secret.q, &pinv),
        ];
        let faults: [fn(&Engine, &mut Half, &BoxedUint, &BoxedUint); 3] = [
            |_, half, _, _| half.exponent.as_mut_words()[0] ^= 2,
            |engine, half, _, coefficient| {
                let wrong = flipped(coefficient);
                half.coefficient = engine.constants(&half.modulus, &[(&wrong, 0)]).unwrap();
            },
            |engine, half, prime, coefficient| {
                let wrong = prime.wrapping_add(BoxedUint::from(2u32));
                half.modulus = engine.modulus(&wrong).unwrap();
                half.coefficient = engine
                    .constants(&half.modulus, &[(coefficient, 0)])
                    .unwrap();
            },
        ];
        let prepared = || PreparedKey::new(engine, key).unwrap();
        let mut keys = Vec::new();
        for (half, prime, coefficient) in halves {
            for fault in faults {
                let mut key = prepared();
                fault(engine, half(&mut key), prime, coefficient);
                keys.push(key);
            }
        }
        let wrong_primes = [
            [&flipped(&secret.q), &*secret.p],
            [&*secret.q, &flipped(&secret.p)],
        ];
        for primes in wrong_primes {
            let mut key = prepared();
            let n = key.verifying.modulus();
            key.primes = engine
                .constants(n, &primes.map(|prime| (prime, 2)))
                .unwrap();
            keys.push(key);
        }
        keys
    }

    /// The danger that the check averts: with one wrong half, gcd(y^e - x, n) is a prime of the key.
    #[test]
    fn a_wrong_half_would_reveal_a_prime() {
        use num_integer::Integer;
        let key = private_key();
        let (public, secret) = (key.public_key(), &key.secret);
        let (n, e) = (big(public.n()), BigUint::from(public.e()));
        let (p, q) = (big(&secret.p), big(&secret.q));
        let x = BigUint::from(0x1234_5678u32);
        let a = x.modpow(&big(&secret.dp), &p) * q.modinv(&p).unwrap() % &p;
        let b = (&x + 1u32).modpow(&big(&secret.dq), &q) * p.modinv(&q).unwrap() % &q;
        let y = (a * &q + b * &p) % &n;
        let difference = (y.modpow(&e, &n) + &n - x) % &n;
        assert_eq!(difference.gcd(&n), p);
    }

    /// The largest and smallest halves, and those on either side of where n has to be subtracted.
    #[test]
    fn recombination_at_its_bounds() {
        let engine = engine();
        let key = PreparedKey::new(&engine, &private_key()).unwrap();
        let private = private_key();
        let (p, q) = (&private.secret.p, &private.secret.q);
        let n = big(key.public_key().n());
        let values = |prime: &BoxedUint| {
            let width = prime.bits_precision();
            let [zero, one] = [0u32, 1].map(|x| (*resized(&BoxedUint::from(x), width)).clone());
            let last = prime.wrapping_sub(&one);
            let half = prime.shr(1);
            let above = half.wrapping_add(&one);
            [zero, one, half, above, last]
        };
        // Halves of 1.
        let (u, v) = (&*private.secret.qinv, inverse_of_p(&private.secret));
        let one = BoxedUint::one();
        for a in &values(p) {
            for b in &values(q) {
                let job = Job {
                    programs: &key.whole,
                    modulus: key.verifying.modulus(),
                    constants: Some(&key.primes),
                    inputs: vec![a, u, b, &v, &one],
                    scalars: vec![],
                };
                let outcome = engine.execute(&[job]).unwrap().swap_remove(0);
                let expected = (big(a) * big(q) + big(b) * big(p)) % &n;
                assert_eq!(big(&outcome.integers[0]), expected);
            }
        }
    }

    /// A blind that shares a prime with n: an error, not a wrong result.
    #[test]
    fn a_blind_that_shares_a_prime() {
        let engine = engine();
        let key = PreparedKey::new(&engine, &private_key()).unwrap();
        let width = key.public_key().n().bits_precision();
        let bad = PrivateOperation {
            key: &key,
            x: resized(&BoxedUint::from(2u32), width),
        };
        let blind = resized(&private_key().secret.p, width);
        assert_eq!(compute(&engine, &[&bad], &[blind]), Ok(vec![Err(Fault)]));
    }
}
