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
//! Steps 1, 2, 4 and 5 are batches of the engine. The inverses of step 4 are found together for
//! the inputs of one key (Montgomery's trick): one inversion and three products for each.

use super::key::{KeyError, PrivateKey, PublicKey, equal, inverse, octets, resized};
use super::verify::VerifyingKey;
use core::ptr;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtAssign, CtLt, Odd, RandomBits};
use rand_core::TryCryptoRng;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use sunzi_engine::{Engine, Exponent, Modulus, Task};
use zeroize::Zeroizing;

/// A private key's numbers, prepared for an engine; wiped on drop.
pub(super) struct PreparedKey {
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
    /// The blind, in 1..n.
    r: Zeroizing<BoxedUint>,
}

impl<'a> Job<'a> {
    /// The operation on x < n, with a fresh blind.
    pub(super) fn new<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
        key: &'a PreparedKey,
        x: Zeroizing<BoxedUint>,
    ) -> Result<Self, NoRandomness> {
        debug_assert!(x.ct_lt(key.public_key().n()).to_bool());
        let r = random_below(rng, key.public_key().n())?;
        Ok(Self { key, x, r })
    }
}

/// x^d mod n for every job that there is, big-endian and as long as the modulus; errors stay in
/// their places. Time and memory access depend on no secret.
pub(super) fn run<E: Clone + From<Fault>>(
    engine: &Engine,
    jobs: &[Result<Job<'_>, E>],
) -> Vec<Result<Zeroizing<Vec<u8>>, E>> {
    let valid: Vec<&Job<'_>> = jobs.iter().flatten().collect();
    let mut results = private_operations(engine, &valid).into_iter();
    jobs.iter()
        .map(|job| {
            let job = job.as_ref().map_err(E::clone)?;
            let y = results.next().expect("there is a result for every job")?;
            Ok(octets(&y, job.key.public_key().size()))
        })
        .collect()
}

/// A uniform number in 1..n, by rejection; how many draws it takes tells nothing about it.
fn random_below<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    n: &BoxedUint,
) -> Result<Zeroizing<BoxedUint>, NoRandomness> {
    // Each draw succeeds with probability above 1/2, unless the generator is broken.
    for _ in 0..128 {
        let r =
            BoxedUint::try_random_bits_with_precision(rng, n.bits_vartime(), n.bits_precision())
                .map(Zeroizing::new)
                .map_err(|_| NoRandomness)?;
        if (r.is_nonzero() & r.ct_lt(n)).to_bool() {
            return Ok(r);
        }
    }
    Err(NoRandomness)
}

/// x^d mod n for every job, or [`Fault`].
fn private_operations(
    engine: &Engine,
    jobs: &[&Job<'_>],
) -> Vec<Result<Zeroizing<BoxedUint>, Fault>> {
    let run = |tasks: &[Task<'_>]| -> Vec<Zeroizing<BoxedUint>> {
        engine.run(tasks).into_iter().map(Zeroizing::new).collect()
    };

    let tasks: Vec<_> = jobs
        .iter()
        .map(|job| job.key.verifying.raise(&job.r).times(&job.x))
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

    let inverses = invert_blinds(jobs);
    let one = BoxedUint::one();
    let tasks: Vec<_> = jobs
        .iter()
        .zip(powers.iter().zip(&inverses))
        .map(|(job, (power, inverse))| {
            let n = job.key.verifying.modulus();
            Task::power(n, power, Exponent::Public(&one)).times(inverse)
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

/// How many inverses share one inversion: enough that its cost is lost among their products,
/// few enough that a batch of one key keeps every thread busy.
const SHARED_INVERSION: usize = 128;

/// r^-1 mod n for every job. Where r has none (it shares a prime with n, which happens by chance
/// less often than factoring n does), zero, which the final check refuses.
fn invert_blinds(jobs: &[&Job<'_>]) -> Vec<Zeroizing<BoxedUint>> {
    let mut by_key: HashMap<*const PreparedKey, Vec<usize>> = HashMap::new();
    for (i, job) in jobs.iter().enumerate() {
        by_key.entry(ptr::from_ref(job.key)).or_default().push(i);
    }
    let groups: Vec<&[usize]> = by_key
        .values()
        .flat_map(|group| group.chunks(SHARED_INVERSION))
        .collect();
    let inverted: Vec<(usize, Zeroizing<BoxedUint>)> = groups
        .par_iter()
        .flat_map_iter(|group| {
            let monty = &jobs[group[0]].key.monty;
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
pub(super) mod tests {
    use super::*;
    use crate::system_rng;
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

    fn big(x: &BoxedUint) -> BigUint {
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

    #[test]
    fn inverses_found_together() {
        let key = prepared();
        let n = key.public_key().n();
        let mut rng = system_rng();
        let mut r: Vec<_> = (0..10)
            .map(|_| random_below(&mut rng, n).unwrap())
            .collect();
        r.push(resized(&BoxedUint::one(), n.bits_precision()));
        r.push(Zeroizing::new(n.wrapping_sub(BoxedUint::one())));
        let r: Vec<&BoxedUint> = r.iter().map(|r| &**r).collect();
        for count in [0, 1, 2, r.len()] {
            let inverses = invert_together(&r[..count], &key.monty);
            assert_eq!(inverses.len(), count);
            for (r, inverse) in r.iter().zip(&inverses) {
                assert_eq!(big(r) * big(inverse) % big(n), BigUint::from(1u32));
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
            r: resized(&key.p.prime, width),
        };
        assert_eq!(private_operations(&engine(), &[&bad]), [Err(Fault)]);
    }
}
