//! The private operation x^d mod n in batches, which signing and decryption share: by the Chinese
//! remainder theorem, blinded, and checked before a result leaves.
//!
//! For the input x < n and a fresh random r, with every step over the whole batch:
//!
//! 1. blind: c = x r^e mod n;
//! 2. a = (q^-1 mod p) c^dp mod p and b = (p^-1 mod q) c^dq mod q, in constant time;
//! 3. recombine: c^d = a q + b p - (0 or n), for a q + b p < 2n and is congruent to c^dp mod p
//!    and to c^dq mod q;
//! 4. unblind: y = c^d r^-1 mod n;
//! 5. check: y^e mod n = x, or the result is an error. One wrong half of step 2 would give a y
//!    with gcd(y^e - x, n) = p or q (Boneh, `DeMillo` and Lipton, 1997): it must never leave.
//!
//! Steps 1, 2, 4 and 5 are batches of the engine; r and its inverse come from [`blinding`].

use super::blinding::{self, Blind, Blinding};
use super::key::{KeyError, PrivateKey, PublicKey, equal, inverse, octets, resized};
use super::verify::VerifyingKey;
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtAssign, CtLt, Odd};
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::{Engine, Exponent, Modulus, Task};
use zeroize::Zeroizing;

/// A private key's numbers, prepared for an engine; wiped on drop.
pub(super) struct PreparedKey {
    verifying: VerifyingKey,
    blinding: Blinding,
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

impl PreparedKey {
    /// Prepares the key.
    ///
    /// # Errors
    /// [`KeyError::Engine`] if the engine refuses a modulus.
    pub(super) fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, KeyError> {
        let secret = &key.secret;
        let odd_q: Odd<BoxedUint> =
            Option::from(secret.q.to_odd()).ok_or(KeyError::NotPrime('q'))?;
        let pinv = inverse(&secret.p, &Zeroizing::new(odd_q)).ok_or(KeyError::NotPrime('q'))?;
        Ok(Self {
            verifying: VerifyingKey::new(engine, key.public_key())?,
            blinding: Blinding::new(key.public_key().odd_n()),
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

/// The random number generator failed.
#[derive(Debug)]
pub(super) struct NoRandomness;

/// A result was wrong, and is withheld.
#[derive(Debug, PartialEq)]
pub(super) struct Fault;

/// One private operation: x^d mod n is wanted.
pub(super) struct Job<'a> {
    key: &'a PreparedKey,
    /// Below n.
    x: Zeroizing<BoxedUint>,
}

impl<'a> Job<'a> {
    /// The operation on x < n.
    pub(super) fn new(key: &'a PreparedKey, x: Zeroizing<BoxedUint>) -> Self {
        debug_assert!(x.ct_lt(key.public_key().n()).to_bool());
        Self { key, x }
    }
}

/// x^d mod n for every job that there is, big-endian and as long as the modulus; errors stay in
/// their places. Time and memory access depend on no secret.
pub(super) fn run<R: TryCryptoRng + ?Sized, E: Clone + From<Fault> + From<NoRandomness>>(
    engine: &Engine,
    rng: &mut R,
    jobs: &[Result<Job<'_>, E>],
) -> Vec<Result<Zeroizing<Vec<u8>>, E>> {
    let valid: Vec<&Job<'_>> = jobs.iter().flatten().collect();
    let keys: Vec<&Blinding> = valid.iter().map(|job| &job.key.blinding).collect();
    let Ok(blinds) = blinding::draw(rng, &keys) else {
        return jobs.iter().map(|_| Err(NoRandomness.into())).collect();
    };
    let mut results = private_operations(engine, &valid, &blinds).into_iter();
    jobs.iter()
        .map(|job| {
            let job = job.as_ref().map_err(E::clone)?;
            let y = results.next().expect("there is a result for every job")?;
            Ok(octets(&y, job.key.public_key().size()))
        })
        .collect()
}

/// x^d mod n for every job, or [`Fault`].
fn private_operations(
    engine: &Engine,
    jobs: &[&Job<'_>],
    blinds: &[Blind],
) -> Vec<Result<Zeroizing<BoxedUint>, Fault>> {
    let run = |tasks: &[Task<'_>]| -> Vec<Zeroizing<BoxedUint>> {
        engine.run(tasks).into_iter().map(Zeroizing::new).collect()
    };

    let tasks: Vec<_> = jobs
        .iter()
        .zip(blinds)
        .map(|(job, blind)| job.key.verifying.raise(&blind.r).times(&job.x))
        .collect();
    let blinded = run(&tasks);

    let tasks: Vec<_> = jobs
        .iter()
        .zip(&blinded)
        .flat_map(|(job, c)| [&job.key.p, &job.key.q].map(|half| half.raise(c)))
        .collect();
    let halves = run(&tasks);

    let powers: Vec<_> = jobs
        .iter()
        .zip(halves.chunks_exact(2))
        .map(|(job, ab)| job.key.recombine(&ab[0], &ab[1]))
        .collect();

    let one = BoxedUint::one();
    let tasks: Vec<_> = jobs
        .iter()
        .zip(powers.iter().zip(blinds))
        .map(|(job, (power, blind))| {
            let n = job.key.verifying.modulus();
            Task::power(n, power, Exponent::Public(&one)).times(&blind.inverse)
        })
        .collect();
    let results = run(&tasks);

    let tasks: Vec<_> = jobs
        .iter()
        .zip(&results)
        .map(|(job, y)| job.key.verifying.raise(y))
        .collect();
    let checks = run(&tasks);
    jobs.iter()
        .zip(results.into_iter().zip(&checks))
        .map(|(job, (y, check))| {
            if equal(check, &job.x) {
                Ok(y)
            } else {
                Err(Fault)
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

impl PreparedKey {
    /// a q + b p mod n for a < p and b < q, as wide as n; in constant time.
    fn recombine(&self, a: &BoxedUint, b: &BoxedUint) -> Zeroizing<BoxedUint> {
        let Self { p, q, .. } = self;
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

    fn prepared() -> PreparedKey {
        PreparedKey::new(&engine(), &private_key()).unwrap()
    }

    pub(in crate::rsa) fn big(x: &BoxedUint) -> BigUint {
        BigUint::from_bytes_be(&x.to_be_bytes())
    }

    /// Keys of which one value in one half is wrong: enough to reveal a prime.
    pub(in crate::rsa) fn faulty_keys(engine: &Engine) -> Vec<PreparedKey> {
        let halves: [fn(&mut PreparedKey) -> &mut Half; 2] = [|key| &mut key.p, |key| &mut key.q];
        let flip = |x: &mut Zeroizing<BoxedUint>| x.as_mut_words()[0] ^= 2;
        let faults: [&dyn Fn(&mut Half); 4] = [
            &|half| flip(&mut half.exponent),
            &|half| flip(&mut half.coefficient),
            &|half| flip(&mut half.prime),
            &|half| {
                let wrong = half.prime.wrapping_add(BoxedUint::from(2u32));
                half.modulus = engine.modulus(&wrong).unwrap();
            },
        ];
        let mut keys = Vec::new();
        for half in halves {
            for fault in faults {
                let mut key = PreparedKey::new(engine, &private_key()).unwrap();
                fault(half(&mut key));
                keys.push(key);
            }
        }
        keys
    }

    /// What the check prevents: with one wrong half, gcd(y^e - x, n) is a prime of the key.
    #[test]
    fn a_wrong_half_would_reveal_a_prime() {
        use num_integer::Integer;
        let key = prepared();
        let (n, e) = (
            big(key.public_key().n()),
            BigUint::from(key.public_key().e()),
        );
        let (p, q) = (big(&key.p.prime), big(&key.q.prime));
        let x = BigUint::from(0x1234_5678u32);
        let half = |half: &Half, x: &BigUint| {
            let prime = big(&half.prime);
            x.modpow(&big(&half.exponent), &prime) * big(&half.coefficient) % prime
        };
        let y = (half(&key.p, &x) * &q + half(&key.q, &(&x + 1u32)) * &p) % &n;
        let difference = (y.modpow(&e, &n) + &n - x) % &n;
        assert_eq!(difference.gcd(&n), p);
    }

    /// The largest and smallest halves, and those on either side of the subtraction of n.
    #[test]
    fn recombination_at_its_bounds() {
        let key = prepared();
        let (p, q) = (key.p.prime.clone(), key.q.prime.clone());
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

    /// A blind that shares a prime with n has no inverse: an error, not a wrong result.
    #[test]
    fn a_blind_without_an_inverse() {
        let key = prepared();
        let width = key.public_key().n().bits_precision();
        let bad = Job {
            key: &key,
            x: resized(&BoxedUint::from(2u32), width),
        };
        let blind = Blind {
            r: resized(&key.p.prime, width),
            inverse: resized(&BoxedUint::zero(), width),
        };
        assert_eq!(
            private_operations(&engine(), &[&bad], &[blind]),
            [Err(Fault)]
        );
    }
}
