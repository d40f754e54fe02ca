//! Signing in batches: the private operation by the Chinese remainder theorem, blinded, and
//! checked before a result leaves.
//!
//! For the encoded message m and a fresh random r, with every step over the whole batch:
//!
//! 1. blind: c = m r^e mod n;
//! 2. a = (q^-1 mod p) c^dp mod p and b = (p^-1 mod q) c^dq mod q, in constant time;
//! 3. recombine: c^d = a q + b p - (0 or n), for a q + b p < 2n and is congruent to c^dp mod p
//!    and to c^dq mod q;
//! 4. unblind: s = c^d r^-1 mod n;
//! 5. check: s^e mod n = m, or the result is an error. One wrong half of step 2 would give an s
//!    with gcd(s^e - m, n) = p or q (Boneh, `DeMillo` and Lipton, 1997): it must never leave.
//!
//! Steps 1, 2, 4 and 5 are batches of the engine. The inverses of step 4 are found together for
//! the signatures of one key (Montgomery's trick): one inversion and three products for each.

use super::key::{KeyError, PrivateKey, PublicKey, equal, inverse, resized};
use super::verify::VerifyingKey;
use super::{CHUNK, Scheme};
use crate::Digest;
use crate::padding::{pkcs1v15, pss};
use core::fmt;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtAssign, CtLt, Odd, RandomBits};
use rand_core::TryCryptoRng;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use sunzi_engine::{Engine, Exponent, Modulus, Task};
use zeroize::Zeroizing;

/// A private key prepared for an engine; cheap to clone. Wiped when the last clone goes.
#[derive(Clone)]
pub struct SigningKey(Arc<Prepared>);

struct Prepared {
    verifying: VerifyingKey,
    /// Montgomery constants of n, for the inversion of blinds.
    monty: BoxedMontyParams,
    p: Half,
    q: Half,
}

/// What one prime's lane needs.
struct Half {
    modulus: Arc<Modulus>,
    prime: Zeroizing<BoxedUint>,
    /// d mod (prime - 1), as wide as the prime.
    exponent: Zeroizing<BoxedUint>,
    /// The other prime's inverse modulo this one.
    coefficient: Zeroizing<BoxedUint>,
}

impl SigningKey {
    /// Prepares the key.
    ///
    /// # Errors
    /// [`KeyError::TooShortToSign`], or [`KeyError::Engine`] if the engine refuses a modulus.
    pub fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, KeyError> {
        key.check_may_sign()?;
        let secret = &key.secret;
        let odd_q: Odd<BoxedUint> =
            Option::from(secret.q.to_odd()).ok_or(KeyError::NotPrime('q'))?;
        let pinv = inverse(&secret.p, &Zeroizing::new(odd_q)).ok_or(KeyError::NotPrime('q'))?;
        Ok(Self(Arc::new(Prepared {
            verifying: VerifyingKey::new(engine, key.public_key())?,
            monty: BoxedMontyParams::new_vartime(key.public_key().odd_n().clone()),
            p: Half {
                modulus: engine.modulus(&secret.p)?,
                prime: secret.p.clone(),
                exponent: secret.dp.clone(),
                coefficient: secret.qinv.clone(),
            },
            q: Half {
                modulus: engine.modulus(&secret.q)?,
                prime: secret.q.clone(),
                exponent: secret.dq.clone(),
                coefficient: pinv,
            },
        })))
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        self.0.verifying.public_key()
    }

    /// The public half, prepared.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.0.verifying
    }
}

impl fmt::Debug for SigningKey {
    /// The public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey")
            .field(self.public_key())
            .finish()
    }
}

/// A digest to sign.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// With which key.
    pub key: &'a SigningKey,
    /// How.
    pub scheme: Scheme,
    /// The digest of the message.
    pub digest: Digest,
}

/// Why there is no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The hash and salt do not fit the key.
    #[error("a key of {bits} bits is too short for this scheme with {hash}")]
    KeyTooShort {
        /// Bit length of the modulus.
        bits: u32,
        /// The hash function.
        hash: crate::Hash,
    },
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The result did not verify: a fault in the computation, or a key whose numbers are wrong.
    #[error("the signature was computed wrongly and has been withheld: a fault, or a bad key")]
    Fault,
}

/// Signs any mix of keys, sizes, schemes and hashes; the results, each as long as its modulus,
/// are in the requests' order. Every signature is blinded with fresh randomness and verified
/// before it is returned; time and memory access depend on no secret.
pub fn sign_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Vec<u8>, SignError>> {
    requests
        .chunks(CHUNK)
        .flat_map(|chunk| sign_chunk(engine, rng, chunk))
        .collect()
}

fn sign_chunk<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Vec<u8>, SignError>> {
    let jobs: Vec<_> = requests
        .iter()
        .map(|request| Job::new(rng, request))
        .collect();
    let valid: Vec<&Job<'_>> = jobs.iter().flatten().collect();
    let mut signatures = private_operations(engine, &valid).into_iter();
    jobs.iter()
        .map(|job| {
            let job = job.as_ref().map_err(SignError::clone)?;
            let s = signatures
                .next()
                .expect("there is a result for every job")?;
            let bytes = s.to_be_bytes();
            Ok(bytes[bytes.len() - job.key.public_key().size()..].to_vec())
        })
        .collect()
}

/// One private operation: m^d mod n is wanted.
struct Job<'a> {
    key: &'a SigningKey,
    /// The encoded message, below n.
    m: Zeroizing<BoxedUint>,
    /// The blind, in 1..n.
    r: Zeroizing<BoxedUint>,
}

impl<'a> Job<'a> {
    fn new<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
        request: &SignRequest<'a>,
    ) -> Result<Self, SignError> {
        let key = request.key.public_key();
        let em = encode(rng, request)?;
        let m = BoxedUint::from_be_slice(&em, key.n().bits_precision())
            .expect("an encoded message is no longer than the modulus");
        debug_assert!(m.cmp_vartime(key.n()).is_lt());
        let r = random_below(rng, key.n())?;
        Ok(Self {
            key: request.key,
            m: Zeroizing::new(m),
            r,
        })
    }
}

fn encode<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    request: &SignRequest<'_>,
) -> Result<Vec<u8>, SignError> {
    let key = request.key.public_key();
    let hash = request.digest.hash();
    let em = match request.scheme {
        Scheme::Pkcs1v15 => pkcs1v15::encode(&request.digest, key.size()),
        Scheme::Pss { salt_len } => {
            let salt_len = salt_len.for_signing(hash);
            if salt_len > key.size() {
                None
            } else {
                let mut salt = vec![0; salt_len];
                rng.try_fill_bytes(&mut salt)
                    .map_err(|_| SignError::Random)?;
                pss::encode(&request.digest, &salt, key.bits() - 1)
            }
        }
    };
    em.ok_or(SignError::KeyTooShort {
        bits: key.bits(),
        hash,
    })
}

/// A uniform number in 1..n, by rejection; how many draws it takes tells nothing about it.
fn random_below<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    n: &BoxedUint,
) -> Result<Zeroizing<BoxedUint>, SignError> {
    // Each draw succeeds with probability above 1/2, unless the generator is broken.
    for _ in 0..128 {
        let r =
            BoxedUint::try_random_bits_with_precision(rng, n.bits_vartime(), n.bits_precision())
                .map(Zeroizing::new)
                .map_err(|_| SignError::Random)?;
        if (r.is_nonzero() & r.ct_lt(n)).to_bool() {
            return Ok(r);
        }
    }
    Err(SignError::Random)
}

/// m^d mod n for every job, or [`SignError::Fault`].
fn private_operations(
    engine: &Engine,
    jobs: &[&Job<'_>],
) -> Vec<Result<Zeroizing<BoxedUint>, SignError>> {
    let run = |tasks: &[Task<'_>]| -> Vec<Zeroizing<BoxedUint>> {
        engine.run(tasks).into_iter().map(Zeroizing::new).collect()
    };

    let tasks: Vec<_> = jobs
        .iter()
        .map(|job| job.key.0.verifying.raise(&job.r).times(&job.m))
        .collect();
    let blinded = run(&tasks);

    let tasks: Vec<_> = jobs
        .iter()
        .zip(&blinded)
        .flat_map(|(job, c)| [&job.key.0.p, &job.key.0.q].map(|half| half.raise(c)))
        .collect();
    let halves = run(&tasks);

    let powers: Vec<_> = jobs
        .iter()
        .zip(halves.chunks_exact(2))
        .map(|(job, ab)| job.key.recombine(&ab[0], &ab[1]))
        .collect();

    let inverses = invert_blinds(jobs);
    let one = BoxedUint::one();
    let tasks: Vec<_> = jobs
        .iter()
        .zip(powers.iter().zip(&inverses))
        .map(|(job, (power, inverse))| {
            let n = job.key.0.verifying.modulus();
            Task::power(n, power, Exponent::Public(&one)).times(inverse)
        })
        .collect();
    let signatures = run(&tasks);

    let tasks: Vec<_> = jobs
        .iter()
        .zip(&signatures)
        .map(|(job, s)| job.key.0.verifying.raise(s))
        .collect();
    let checks = run(&tasks);
    jobs.iter()
        .zip(signatures.into_iter().zip(&checks))
        .map(|(job, (s, check))| {
            if equal(check, &job.m) {
                Ok(s)
            } else {
                Err(SignError::Fault)
            }
        })
        .collect()
}

impl Half {
    /// This prime's part of c^d, times the other prime's inverse.
    fn raise<'a>(&'a self, c: &'a BoxedUint) -> Task<'a> {
        Task::power(&self.modulus, c, Exponent::Secret(&self.exponent)).times(&self.coefficient)
    }
}

impl SigningKey {
    /// a q + b p mod n for a < p and b < q, as wide as n; in constant time.
    fn recombine(&self, a: &BoxedUint, b: &BoxedUint) -> Zeroizing<BoxedUint> {
        let Prepared { p, q, .. } = &*self.0;
        let n = self.public_key().n();
        // Both products are below n, their sum below 2n: one more bit than n has.
        let bits = n.bits_precision();
        let wide = bits + 1;
        let aq = Zeroizing::new(a.concatenating_mul(&*q.prime));
        let bp = Zeroizing::new(b.concatenating_mul(&*p.prime));
        let mut sum = resized(&aq, wide);
        sum.wrapping_add_assign(&*resized(&bp, wide));
        let (less_n, borrow) = sum.underflowing_sub(&*resized(n, wide));
        let less_n = Zeroizing::new(less_n);
        sum.ct_assign(&less_n, !borrow);
        resized(&sum, bits)
    }
}

/// How many inverses share one inversion: enough that its cost is lost among their products,
/// few enough that a batch of one key keeps every thread busy.
const SHARED_INVERSION: usize = 128;

/// r^-1 mod n for every job. Where r has none (it shares a prime with n, which happens by chance
/// less often than factoring n does), zero, which the final check refuses.
fn invert_blinds(jobs: &[&Job<'_>]) -> Vec<Zeroizing<BoxedUint>> {
    let mut by_key: HashMap<*const Prepared, Vec<usize>> = HashMap::new();
    for (i, job) in jobs.iter().enumerate() {
        by_key.entry(Arc::as_ptr(&job.key.0)).or_default().push(i);
    }
    let groups: Vec<&[usize]> = by_key
        .values()
        .flat_map(|group| group.chunks(SHARED_INVERSION))
        .collect();
    let inverted: Vec<(usize, Zeroizing<BoxedUint>)> = groups
        .par_iter()
        .flat_map_iter(|group| {
            let monty = &jobs[group[0]].key.0.monty;
            let blinds: Vec<_> = group.iter().map(|&i| &*jobs[i].r).collect();
            group.iter().copied().zip(invert_together(&blinds, monty))
        })
        .collect();
    let mut inverses = vec![Zeroizing::new(BoxedUint::zero()); jobs.len()];
    for (i, inverse) in inverted {
        inverses[i] = inverse;
    }
    inverses
}

/// The inverses of numbers below the odd modulus, in constant time. With the products
/// `t_i = r_0 ... r_(i-1)`, each `r_i^-1 = t_i t_(i+1)^-1` and `t_i^-1 = r_i t_(i+1)^-1`: from the
/// inverse of the last product, all follow backwards.
fn invert_together(r: &[&BoxedUint], modulus: &BoxedMontyParams) -> Vec<Zeroizing<BoxedUint>> {
    let monty = |x: &BoxedUint| Zeroizing::new(BoxedMontyForm::new(x.clone(), modulus));
    let r: Vec<_> = r.iter().map(|r| monty(r)).collect();
    let mut product = Zeroizing::new(BoxedMontyForm::one(modulus));
    let mut products = Vec::with_capacity(r.len());
    for r in &r {
        products.push(product.clone());
        product = Zeroizing::new(product.mul(r));
    }
    let zero = BoxedMontyForm::zero(modulus);
    let mut inverse = Zeroizing::new(product.invert().unwrap_or(zero));
    let mut inverses: Vec<_> = r
        .iter()
        .zip(&products)
        .rev()
        .map(|(r, product)| {
            let this = Zeroizing::new(inverse.mul(product));
            inverse = Zeroizing::new(inverse.mul(r));
            Zeroizing::new(this.retrieve())
        })
        .collect();
    inverses.reverse();
    inverses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hash, system_rng};
    use num_bigint::BigUint;
    use sunzi_engine::Backend;

    fn engine() -> Engine {
        Engine::new(Backend::best()).unwrap()
    }

    fn private_key() -> PrivateKey {
        let file = include_bytes!("../../tests/fixtures/rsa1024.pkcs8.pem");
        PrivateKey::from_pem_or_der(file, None)
            .unwrap()
            .permit_1024()
    }

    fn sign(engine: &Engine, keys: &[&SigningKey]) -> Vec<Result<Vec<u8>, SignError>> {
        let digest = Hash::Sha256.digest(b"message");
        let requests: Vec<_> = keys
            .iter()
            .map(|&key| SignRequest {
                key,
                scheme: Scheme::Pkcs1v15,
                digest,
            })
            .collect();
        sign_batch(engine, &mut system_rng(), &requests)
    }

    /// One wrong value in one half is enough to reveal a prime: no such signature may leave, and
    /// the others of the batch must.
    #[test]
    fn a_wrong_half_is_withheld_and_its_neighbours_are_not() {
        let engine = engine();
        let good = SigningKey::new(&engine, &private_key()).unwrap();
        let flip = |x: &mut Zeroizing<BoxedUint>| x.as_mut_words()[0] ^= 2;
        let faults: [fn(&mut Prepared) -> &mut Half; 2] = [|key| &mut key.p, |key| &mut key.q];
        let values: [fn(&mut Half) -> &mut Zeroizing<BoxedUint>; 3] = [
            |half| &mut half.exponent,
            |half| &mut half.coefficient,
            |half| &mut half.prime,
        ];
        for half in faults {
            for value in values {
                let mut bad = SigningKey::new(&engine, &private_key()).unwrap();
                flip(value(half(Arc::get_mut(&mut bad.0).unwrap())));
                let results = sign(&engine, &[&good, &bad, &good]);
                assert_eq!(results[1], Err(SignError::Fault));
                assert!(results[0].is_ok());
                assert_eq!(results[0], results[2]);
            }
            let mut bad = SigningKey::new(&engine, &private_key()).unwrap();
            let inner = Arc::get_mut(&mut bad.0).unwrap();
            let wrong = half(inner).prime.wrapping_add(BoxedUint::from(2u32));
            half(inner).modulus = engine.modulus(&wrong).unwrap();
            assert_eq!(sign(&engine, &[&bad]), [Err(SignError::Fault)]);
        }
    }

    /// What the check prevents: with one wrong half, gcd(s^e - m, n) is a prime of the key.
    #[test]
    fn a_wrong_half_would_reveal_a_prime() {
        use num_integer::Integer;
        let big = |x: &BoxedUint| BigUint::from_bytes_be(&x.to_be_bytes());
        let private = private_key();
        let key = SigningKey::new(&engine(), &private).unwrap();
        let (n, e) = (
            big(key.public_key().n()),
            BigUint::from(key.public_key().e()),
        );
        let (p, q) = (big(&key.0.p.prime), big(&key.0.q.prime));
        let m = BigUint::from(0x1234_5678u32);
        let half = |half: &Half, m: &BigUint| {
            let prime = big(&half.prime);
            m.modpow(&big(&half.exponent), &prime) * big(&half.coefficient) % prime
        };
        let s = (half(&key.0.p, &m) * &q + half(&key.0.q, &(&m + 1u32)) * &p) % &n;
        let difference = (s.modpow(&e, &n) + &n - m) % &n;
        assert_eq!(difference.gcd(&n), p);
    }

    /// The largest and smallest halves, and those on either side of the subtraction of n.
    #[test]
    fn recombination_at_its_bounds() {
        let big = |x: &BoxedUint| BigUint::from_bytes_be(&x.to_be_bytes());
        let key = SigningKey::new(&engine(), &private_key()).unwrap();
        let (p, q) = (key.0.p.prime.clone(), key.0.q.prime.clone());
        let n = big(key.public_key().n());
        let values = |prime: &BoxedUint| {
            let width = prime.bits_precision();
            let [zero, one] = [0u32, 1].map(|x| (*resized(&BoxedUint::from(x), width)).clone());
            let last = prime.wrapping_sub(&one);
            let half = prime.shr(1);
            let above = half.wrapping_add(&one);
            [zero, one, half, above, last]
        };
        for a in &values(&p) {
            for b in &values(&q) {
                let expected = (big(a) * big(&q) + big(b) * big(&p)) % &n;
                assert_eq!(big(&key.recombine(a, b)), expected);
            }
        }
    }

    #[test]
    fn inverses_found_together() {
        let key = SigningKey::new(&engine(), &private_key()).unwrap();
        let n = key.public_key().n();
        let big = |x: &BoxedUint| BigUint::from_bytes_be(&x.to_be_bytes());
        let mut rng = system_rng();
        let mut r: Vec<_> = (0..10)
            .map(|_| random_below(&mut rng, n).unwrap())
            .collect();
        r.push(resized(&BoxedUint::one(), n.bits_precision()));
        r.push(Zeroizing::new(n.wrapping_sub(BoxedUint::one())));
        let r: Vec<&BoxedUint> = r.iter().map(|r| &**r).collect();
        for count in [0, 1, 2, r.len()] {
            let inverses = invert_together(&r[..count], &key.0.monty);
            assert_eq!(inverses.len(), count);
            for (r, inverse) in r.iter().zip(&inverses) {
                assert_eq!(big(r) * big(inverse) % big(n), BigUint::from(1u32));
            }
        }
    }

    /// A blind that shares a prime with n has no inverse: an error, not a wrong signature.
    #[test]
    fn a_blind_without_an_inverse() {
        let engine = engine();
        let key = SigningKey::new(&engine, &private_key()).unwrap();
        let width = key.public_key().n().bits_precision();
        let m = || resized(&BoxedUint::from(2u32), width);
        let bad = Job {
            key: &key,
            m: m(),
            r: resized(&key.0.p.prime, width),
        };
        assert_eq!(
            private_operations(&engine, &[&bad]),
            [Err(SignError::Fault)]
        );
    }
}
