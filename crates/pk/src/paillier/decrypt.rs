//! Decryption, by the two primes, and checked before a plaintext leaves.
//!
//! With `c = (1 + n m) r^n`, `x = c^(p - 1) = 1 - n m mod p^2`, as the order of r^n divides p - 1 there.
//! So x - 1 is a multiple of p, and `m = -(x - 1)/p q^-1 mod p`; the same holds for q (Paillier, 1999,
//! section 7). There are three programs, each over a whole batch:
//!
//! 1. modulo p^2 and q^2: x, in constant time;
//! 2. modulo n: m from both values (x - 1)/p, by the Chinese remainder theorem;
//! 3. modulo p^2 and q^2 again: whether `x = 1 - n m` for m as it leaves.
//!
//! A plaintext that is wrong modulo one prime only would reveal the other one to anyone who knows the right plaintext:
//! gcd(m - m', n). The check finds any x that is not 1 modulo p, which is the result of an error in its computation,
//! and any error in later steps. An x that belongs to another ciphertext would pass; therefore c enters a second time
//! in step 1, in another way, and must equal the base of the power.
//!
//! **No blinding.** Times and addresses depend on lengths only, as those of all powers to secret exponents do, for any
//! ciphertext. RSA's private operation also multiplies its base by a random blind, against observers of more than the
//! time of a computation (power, radiation), and can afford it: the public key shows whether the result is right, for
//! any blind. Here a blind would be a random encryption u of 0, and nothing could distinguish it from an encryption of
//! another number: a fault in u would leave a wrong plaintext, and in one of its two residues one that reveals the
//! primes, which the check above could not see. If such observers are a greater danger than faults, decrypt the results
//! of [`randomize_batch`](super::randomize_batch): that is this blinding, fresh for each ciphertext. The exponents p -
//! 1 and q - 1 stay the same, as they do in RSA; `Engine::builder().random_bases(n)` changes the residues that stand
//! for the numbers.

use super::batch::CHUNK;
use super::encrypt::ciphertext;
use super::error::PaillierError;
use super::key::{KeyError, PrivateKey, PublicKey, less_one};
use super::programs;
use crate::integer::resized;
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtLt, Resize, Word};
use std::sync::Arc;
use sunzi_engine::{
    Constants, Engine, EngineError, Exponent, Job, Modulus, Programs, Task, public_length,
};
use zeroize::Zeroizing;

/// A private key prepared for an engine; cheap to clone. The numbers are wiped when the last clone is
/// dropped.
#[derive(Clone)]
pub struct DecryptionKey(Arc<DecryptionKeyData>);

/// Data of the key, shared by its clones.
struct DecryptionKeyData {
    public: PublicKey,
    p: Half,
    q: Half,
    n: Arc<Modulus>,
    recombine: Arc<Programs>,
    /// The factors of the two values (x - 1)/p and (x - 1)/q.
    weights: Arc<Constants>,
}

/// The constants of one prime's part of decryption.
struct Half {
    square: Arc<Modulus>,
    power: Arc<Programs>,
    check: Arc<Programs>,
    /// n modulo the square.
    n: Arc<Constants>,
    /// 2 to the power of the size class, modulo the square.
    shift: Arc<Constants>,
    /// The prime less one.
    exponent: Zeroizing<BoxedUint>,
    /// The prime's inverse modulo 2^w, for its precision w.
    inverse: Zeroizing<BoxedUint>,
}

impl Half {
    fn new(engine: &Engine, public: &PublicKey, prime: &BoxedUint) -> Result<Self, EngineError> {
        let square = Zeroizing::new(prime.concatenating_mul(prime));
        let square = engine.modulus(&square)?;
        let class = square.class();
        let n = engine.constants(&square, &[(public.n(), 0)])?;
        let shift = BoxedUint::one_with_precision(class + 64).shl(class);
        let shift = engine.constants(&square, &[(&shift, 1)])?;
        let (exponent, inverse) = (less_one(prime), inverse_of_odd(prime));
        // Words of the prime and of its square are left there, and the next functions, which build programs, copy unused
        // parts of the stack to the heap: those of an `Option` that is `None`.
        wipe_stack();
        let precision = public.n_squared().bits_precision();
        Ok(Self {
            power: programs::power_modulo_square(engine, class, precision, public_length(prime))?,
            check: programs::check(engine, class, public.n().bits_precision())?,
            n,
            shift,
            exponent,
            inverse,
            square,
        })
    }

    /// (x - 1)/p, for x = 1 modulo p. For another x, which the check finds, it is some number.
    fn quotient(&self, x: &BoxedUint) -> Zeroizing<BoxedUint> {
        let precision = self.inverse.bits_precision();
        // The quotient is below p: its low half is all of it.
        let low = Zeroizing::new(Resize::resize_unchecked(
            x,
            x.bits_precision().max(precision),
        ));
        let low = Zeroizing::new(truncated(&low, precision).wrapping_sub(BoxedUint::one()));
        Zeroizing::new(low.wrapping_mul(&*self.inverse))
    }
}

/// The lowest bits of x, in this precision.
fn truncated(x: &BoxedUint, precision: u32) -> Zeroizing<BoxedUint> {
    let words = (precision / Word::BITS) as usize;
    Zeroizing::new(BoxedUint::from_words(x.as_words()[..words].iter().copied()))
}

/// x^-1 modulo 2^w for an odd x of precision w, by Newton's iteration.
fn inverse_of_odd(x: &BoxedUint) -> Zeroizing<BoxedUint> {
    // x is its own inverse modulo 8.
    let mut inverse = Zeroizing::new(x.clone());
    let two = resized(&BoxedUint::from(2u32), x.bits_precision());
    let mut right = 3;
    while right < x.bits_precision() {
        let product = Zeroizing::new(x.wrapping_mul(&*inverse));
        let error = Zeroizing::new(two.wrapping_sub(&*product));
        inverse = Zeroizing::new(inverse.wrapping_mul(&*error));
        right *= 2;
    }
    inverse
}

/// The factor of (x - 1)/p modulo n: -q^-1 modulo p, and 0 modulo q. That is `-q^(-2) q`, and `q^(-2) = q^(p - 3)`
/// modulo p comes from the engine, which leaves no copies in memory.
fn weight(
    engine: &Engine,
    p: &BoxedUint,
    q: &BoxedUint,
) -> Result<Zeroizing<BoxedUint>, EngineError> {
    let modulus = engine.modulus(p)?;
    // As in `Half::new`: the engine builds the power's program.
    wipe_stack();
    let three = resized(&BoxedUint::from(3u32), p.bits_precision());
    let exponent = Zeroizing::new(p.wrapping_sub(&*three));
    let power = Task::power(&modulus, q, Exponent::Secret(&exponent));
    let power = engine.run(&[power])?.swap_remove(0);
    let negative = Zeroizing::new(p.wrapping_sub(&*resized(&power, p.bits_precision())));
    Ok(Zeroizing::new(q.concatenating_mul(&*negative)))
}

impl DecryptionKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`KeyError::Engine`] if the engine refuses a modulus.
    pub fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, KeyError> {
        let public = key.public_key();
        let n = engine.modulus(public.n())?;
        let precision = public.n().bits_precision();
        let [first, second] = [(&key.p, &key.q), (&key.q, &key.p)];
        let first = weight(engine, first.0, first.1)?;
        let second = weight(engine, second.0, second.1)?;
        let [first, second] = [first, second].map(|weight| resized_down(&weight, precision));
        let key = Self(Arc::new(DecryptionKeyData {
            p: Half::new(engine, public, &key.p)?,
            q: Half::new(engine, public, &key.q)?,
            recombine: programs::recombine(engine, n.class())?,
            weights: engine.constants(&n, &[(&first, 1), (&second, 1)])?,
            public: public.clone(),
            n,
        }));
        // Words of the weights are left there, and a library may copy unused parts of the stack.
        wipe_stack();
        Ok(key)
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }
}

/// A number below n in the precision of n: a product of numbers of whole words may have more.
fn resized_down(x: &BoxedUint, precision: u32) -> Zeroizing<BoxedUint> {
    truncated(&resized(x, x.bits_precision().max(precision)), precision)
}

impl fmt::Debug for DecryptionKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DecryptionKey")
            .field(&self.0.public)
            .finish()
    }
}

/// The plaintexts of these ciphertexts, numbers below n.
///
/// The time depends on no secret. Each plaintext is checked before it leaves: `c^(p - 1) = 1 - n m` modulo p^2 and q^2.
/// Ciphertexts are not blinded, as no check could distinguish a wrong blind from a right one: against observers of more
/// than time, decrypt the results of [`randomize_batch`](super::randomize_batch), the same plaintexts in fresh
/// ciphertexts.
///
/// # Errors
/// For each item [`PaillierError::CiphertextRange`] for a number that is not from 1 to n^2 - 1,
/// [`PaillierError::Fault`] for a plaintext that was computed wrongly, or a ciphertext that shares a prime
/// with n, and [`PaillierError::Engine`].
pub fn decrypt_batch(
    engine: &Engine,
    key: &DecryptionKey,
    ciphertexts: &[BoxedUint],
) -> Vec<Result<Zeroizing<BoxedUint>, PaillierError>> {
    let mut results = Vec::with_capacity(ciphertexts.len());
    for chunk in ciphertexts.chunks(CHUNK) {
        let checked = chunk.iter().map(|c| ciphertext(&key.0.public, c));
        let checked: Vec<_> = checked.collect();
        let valid: Vec<&BoxedUint> = checked.iter().flatten().collect();
        match compute(engine, &key.0, &valid) {
            Ok(plaintexts) => {
                let mut plaintexts = plaintexts.into_iter();
                results.extend(checked.iter().map(|c| match c {
                    Ok(_) => plaintexts.next().unwrap_or(Err(PaillierError::Fault)),
                    Err(error) => Err(error.clone()),
                }));
            }
            Err(error) => {
                let error = PaillierError::Engine(error);
                results.extend(
                    checked
                        .into_iter()
                        .map(|c| Err(c.err().unwrap_or(error.clone()))),
                );
            }
        }
    }
    results
}

/// The pieces of `bits` bits of a ciphertext, the lowest first.
fn pieces(c: &BoxedUint, bits: u32) -> Vec<BoxedUint> {
    let words = c.as_words().chunks((bits / Word::BITS) as usize);
    words
        .map(|piece| BoxedUint::from_words(piece.iter().copied()))
        .collect()
}

fn compute(
    engine: &Engine,
    key: &DecryptionKeyData,
    ciphertexts: &[&BoxedUint],
) -> Result<Vec<Result<Zeroizing<BoxedUint>, PaillierError>>, EngineError> {
    let halves = [&key.p, &key.q];
    let pieces: Vec<[Vec<BoxedUint>; 2]> = ciphertexts
        .iter()
        .map(|c| halves.map(|half| pieces(c, half.square.class())))
        .collect();
    let jobs: Vec<Job<'_>> = ciphertexts
        .iter()
        .zip(&pieces)
        .flat_map(|(&c, pieces)| {
            [0, 1].map(|i| Job {
                programs: &halves[i].power,
                modulus: &halves[i].square,
                constants: Some(&halves[i].shift),
                inputs: core::iter::once(c).chain(&pieces[i]).collect(),
                scalars: vec![&halves[i].exponent],
            })
        })
        .collect();
    let powers = engine.execute(&jobs)?;
    let quotients: Vec<[Zeroizing<BoxedUint>; 2]> = powers
        .chunks_exact(2)
        .map(|x| [0, 1].map(|i| halves[i].quotient(&x[i].integers[0])))
        .collect();
    let jobs: Vec<Job<'_>> = quotients
        .iter()
        .map(|[a, b]| Job {
            programs: &key.recombine,
            modulus: &key.n,
            constants: Some(&key.weights),
            inputs: vec![a, b],
            scalars: Vec::new(),
        })
        .collect();
    let plaintexts = engine.execute(&jobs)?;
    let jobs: Vec<Job<'_>> = plaintexts
        .iter()
        .zip(powers.chunks_exact(2))
        .flat_map(|(m, x)| {
            [0, 1].map(|i| Job {
                programs: &halves[i].check,
                modulus: &halves[i].square,
                constants: Some(&halves[i].n),
                inputs: vec![&*m.integers[0], &*x[i].integers[0]],
                scalars: Vec::new(),
            })
        })
        .collect();
    let checks = engine.execute(&jobs)?;
    drop(jobs);
    let results = plaintexts
        .into_iter()
        .zip(powers.chunks_exact(2))
        .zip(checks.chunks_exact(2));
    let result = |((mut m, x), checks): ((sunzi_engine::Outcome, &[_]), &[_])| {
        let flags = |outcomes: &[sunzi_engine::Outcome]| {
            outcomes.iter().all(|outcome| outcome.flags[..] == [true])
        };
        let is_reduced = m.integers[0].ct_lt(key.public.n()).to_bool();
        if flags(x) && flags(checks) && is_reduced {
            Ok(m.integers.swap_remove(0))
        } else {
            Err(PaillierError::Fault)
        }
    };
    Ok(results.map(result).collect())
}
