//! Encryption, and the operations on ciphertexts that need the public key alone.

use super::batch::{CHUNK, chunked};
use super::error::PaillierError;
use super::key::{KeyError, PublicKey};
use super::programs::{self, Payload, Randomness};
use crate::integer::{random_below, resized};
use core::fmt;
use crypto_bigint::{BoxedUint, CtLt, RandomBits};
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::program::fixed_base::Comb;
use sunzi_engine::{Constants, Engine, Exponent, FixedBase, Job, Modulus, Programs, Task};
use zeroize::Zeroizing;

/// The source of the random factors of ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// `r^n mod n^2` for a random r below n (Paillier, 1999).
    Full,
    /// `h^a mod n^2` for a random a of half the bits of n and the base of short randomness h in the public key
    /// (Damgard, Jurik and Nielsen, "A generalization of Paillier's public-key system with applications to electronic
    /// voting", 2010, section 4.2). By tables of the powers of h it takes a tenth of the time or less. The secrecy of
    /// ciphertexts rests on one more assumption: that `h^a` for such short a cannot be distinguished from other powers
    /// of h.
    Short,
}

/// A public key prepared for an engine; cheap to clone.
#[derive(Clone)]
pub struct EncryptionKey(Arc<EncryptionKeyData>);

/// Data of the key, shared by its clones.
struct EncryptionKeyData {
    public: PublicKey,
    method: Method,
    randomness: Randomness,
    /// n^2.
    square: Arc<Modulus>,
    encrypt: Arc<Programs>,
    randomize: Arc<Programs>,
    /// n, and the tables of h for short randomness.
    constants: Arc<Constants>,
    add: Arc<Programs>,
    add_plain: Arc<Programs>,
    /// n.
    n: Arc<Constants>,
}

/// Number of entries of the tables of a base of short randomness.
const TABLE_ENTRIES: usize = 1 << 11;

impl EncryptionKey {
    /// Prepares a key. For [`Method::Short`] the tables of its base are made, which takes as long as some
    /// tens of encryptions with full randomness.
    ///
    /// # Errors
    /// [`KeyError::NoBase`] if short randomness is asked for and the key has no base of it;
    /// [`KeyError::Engine`].
    pub fn new(engine: &Engine, key: &PublicKey, method: Method) -> Result<Self, KeyError> {
        let square = engine.modulus(key.n_squared())?;
        let class = square.class();
        let randomness = match method {
            Method::Full => Randomness::Full(key.bits()),
            Method::Short => Randomness::Short(Comb::new(key.bits().div_ceil(2), TABLE_ENTRIES)),
        };
        let mut constants: Vec<(&BoxedUint, i32)> = vec![(key.n(), 1)];
        let tables = match randomness {
            Randomness::Full(_) => None,
            Randomness::Short(comb) => {
                let base = key.short_base().ok_or(KeyError::NoBase)?;
                Some(engine.fixed_base(&square, base, comb)?)
            }
        };
        let entries = tables.iter().flat_map(FixedBase::entries);
        constants.extend(entries.map(|entry| (&**entry, 1)));
        Ok(Self(Arc::new(EncryptionKeyData {
            public: key.clone(),
            method,
            randomness,
            encrypt: programs::randomize(engine, class, Payload::Plaintext, randomness)?,
            randomize: programs::randomize(engine, class, Payload::Ciphertext, randomness)?,
            constants: engine.constants(&square, &constants)?,
            add: programs::add(engine, class)?,
            add_plain: programs::add_plain(engine, class)?,
            n: engine.constants(&square, &[(key.n(), 1)])?,
            square,
        })))
    }

    /// The key that was prepared.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }

    /// The source of random factors.
    pub fn method(&self) -> Method {
        self.0.method
    }

    /// The plaintext in the precision of n, if it is below n.
    fn plaintext(&self, m: &BoxedUint) -> Result<Zeroizing<BoxedUint>, PaillierError> {
        let n = self.0.public.n();
        if m.ct_lt(n).to_bool() {
            Ok(resized(m, n.bits_precision()))
        } else {
            Err(PaillierError::PlaintextRange)
        }
    }

    /// The ciphertext in the precision of n^2, if it is from 1 to n^2 - 1.
    fn ciphertext(&self, c: &BoxedUint) -> Result<BoxedUint, PaillierError> {
        ciphertext(&self.0.public, c)
    }

    /// A random number for one ciphertext: r below n, or a.
    fn draw<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<Zeroizing<BoxedUint>, PaillierError> {
        match self.0.randomness {
            Randomness::Full(_) => {
                random_below(rng, self.0.public.n()).ok_or(PaillierError::Random)
            }
            Randomness::Short(comb) => {
                let a = BoxedUint::try_random_bits(rng, comb.bits);
                a.map(Zeroizing::new).map_err(|_| PaillierError::Random)
            }
        }
    }

    /// The job that multiplies a payload by a random factor.
    fn job<'a>(
        &'a self,
        programs: &'a Arc<Programs>,
        payload: &'a BoxedUint,
        random: &'a BoxedUint,
    ) -> Job<'a> {
        let (inputs, scalars) = match self.0.randomness {
            Randomness::Full(_) => (vec![payload, random], vec![self.0.public.n()]),
            Randomness::Short(_) => (vec![payload], vec![random]),
        };
        Job {
            programs,
            modulus: &self.0.square,
            constants: Some(&self.0.constants),
            inputs,
            scalars,
        }
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptionKey")
            .field("public", &self.0.public)
            .field("method", &self.0.method)
            .finish_non_exhaustive()
    }
}

/// The ciphertext in the precision of n^2, if it is from 1 to n^2 - 1.
pub(super) fn ciphertext(key: &PublicKey, c: &BoxedUint) -> Result<BoxedUint, PaillierError> {
    use crypto_bigint::Resize;
    let square = key.n_squared();
    if c.cmp_vartime(square).is_lt() && !bool::from(c.is_zero()) {
        Ok(Resize::resize(c, square.bits_precision()))
    } else {
        Err(PaillierError::CiphertextRange)
    }
}

/// The ciphertexts of these plaintexts, which must be below n: `(1 + n m) r^n mod n^2`, or `h^a` for `r^n`.
///
/// Plaintexts and random numbers are secrets: the time depends on their number only. A ciphertext is not
/// checked before it leaves: no private number takes part, so that a fault can spoil a ciphertext, but not
/// reveal a key.
///
/// # Errors
/// For each item [`PaillierError::PlaintextRange`], [`PaillierError::Random`], [`PaillierError::Engine`].
pub fn encrypt_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    key: &EncryptionKey,
    plaintexts: &[BoxedUint],
) -> Vec<Result<BoxedUint, PaillierError>> {
    let payload = |m: &BoxedUint| key.plaintext(m);
    randomized(engine, rng, key, &key.0.encrypt, plaintexts, payload)
}

/// The same plaintexts in new ciphertexts: `c r^n mod n^2`, or `h^a` for `r^n`. Without the private key
/// nobody can match new ciphertexts to old ones.
///
/// # Errors
/// For each item [`PaillierError::CiphertextRange`], [`PaillierError::Random`], [`PaillierError::Engine`].
pub fn randomize_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    key: &EncryptionKey,
    ciphertexts: &[BoxedUint],
) -> Vec<Result<BoxedUint, PaillierError>> {
    let payload = |c: &BoxedUint| key.ciphertext(c).map(Zeroizing::new);
    randomized(engine, rng, key, &key.0.randomize, ciphertexts, payload)
}

fn randomized<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    key: &EncryptionKey,
    programs: &Arc<Programs>,
    numbers: &[BoxedUint],
    payload: impl Fn(&BoxedUint) -> Result<Zeroizing<BoxedUint>, PaillierError>,
) -> Vec<Result<BoxedUint, PaillierError>> {
    let mut results = Vec::with_capacity(numbers.len());
    for chunk in numbers.chunks(CHUNK) {
        let mut pair = |number| Ok((payload(number)?, key.draw(rng)?));
        let pairs: Vec<_> = chunk.iter().map(&mut pair).collect();
        results.extend(chunked(engine, &pairs, |(payload, random)| {
            key.job(programs, payload, random)
        }));
    }
    results
}

/// The encrypted sums of two encrypted numbers each, modulo n: `c d mod n^2`.
///
/// # Errors
/// For each item [`PaillierError::CiphertextRange`], [`PaillierError::Engine`].
pub fn add_batch(
    engine: &Engine,
    key: &EncryptionKey,
    pairs: &[(&BoxedUint, &BoxedUint)],
) -> Vec<Result<BoxedUint, PaillierError>> {
    let checked = |&(c, d): &(&BoxedUint, &BoxedUint)| Ok((key.ciphertext(c)?, key.ciphertext(d)?));
    let in_chunks = pairs.chunks(CHUNK).flat_map(|chunk| {
        let pairs: Vec<_> = chunk.iter().map(checked).collect();
        chunked(engine, &pairs, |(c, d)| Job {
            programs: &key.0.add,
            modulus: &key.0.square,
            constants: None,
            inputs: vec![c, d],
            scalars: Vec::new(),
        })
    });
    in_chunks.collect()
}

/// The encrypted sum of all these encrypted numbers, modulo n; of none, the ciphertext 1 of 0, which hides
/// nothing until it is [randomized](randomize_batch).
///
/// # Errors
/// [`PaillierError::CiphertextRange`] if one of them is out of range, [`PaillierError::Engine`].
pub fn sum(
    engine: &Engine,
    key: &EncryptionKey,
    ciphertexts: &[BoxedUint],
) -> Result<BoxedUint, PaillierError> {
    let checked = ciphertexts.iter().map(|c| key.ciphertext(c));
    let mut terms = checked.collect::<Result<Vec<_>, _>>()?;
    while terms.len() > 1 {
        let odd = (terms.len() % 2 == 1).then(|| terms.pop()).flatten();
        let pairs: Vec<_> = terms
            .chunks_exact(2)
            .map(|two| (&two[0], &two[1]))
            .collect();
        let sums = add_batch(engine, key, &pairs);
        terms = sums.into_iter().collect::<Result<_, _>>()?;
        terms.extend(odd);
    }
    let precision = key.0.public.n_squared().bits_precision();
    let nothing = BoxedUint::one_with_precision(precision);
    Ok(terms.pop().unwrap_or(nothing))
}

/// The encrypted sums of an encrypted and a plain number each, modulo n: `c (1 + n m) mod n^2`. The plain
/// number is a secret in the time that this takes; in the result it is hidden as well as the encrypted one.
///
/// # Errors
/// For each item [`PaillierError::CiphertextRange`], [`PaillierError::PlaintextRange`],
/// [`PaillierError::Engine`].
pub fn add_plain_batch(
    engine: &Engine,
    key: &EncryptionKey,
    pairs: &[(&BoxedUint, &BoxedUint)],
) -> Vec<Result<BoxedUint, PaillierError>> {
    let checked = |&(c, m): &(&BoxedUint, &BoxedUint)| Ok((key.ciphertext(c)?, key.plaintext(m)?));
    let in_chunks = pairs.chunks(CHUNK).flat_map(|chunk| {
        let pairs: Vec<_> = chunk.iter().map(checked).collect();
        chunked(engine, &pairs, |(c, m)| Job {
            programs: &key.0.add_plain,
            modulus: &key.0.square,
            constants: Some(&key.0.n),
            inputs: vec![m, c],
            scalars: Vec::new(),
        })
    });
    in_chunks.collect()
}

/// The encrypted products of an encrypted and a plain number below n each, modulo n: `c^k mod n^2`.
///
/// The plain number is a secret: the time depends on its precision only, so that a small factor of 64 bits
/// precision takes a small part of the time. For a negative factor -k take n - k, or negate the ciphertext
/// by [`negate_batch_vartime`].
///
/// # Errors
/// For each item [`PaillierError::CiphertextRange`], [`PaillierError::PlaintextRange`],
/// [`PaillierError::Engine`].
pub fn multiply_batch(
    engine: &Engine,
    key: &EncryptionKey,
    pairs: &[(&BoxedUint, &BoxedUint)],
) -> Vec<Result<BoxedUint, PaillierError>> {
    powers(engine, key, pairs, Exponent::Secret)
}

/// [`multiply_batch`] by public factors. The time depends on their values.
///
/// # Errors
/// The errors of [`multiply_batch`].
pub fn multiply_batch_vartime(
    engine: &Engine,
    key: &EncryptionKey,
    pairs: &[(&BoxedUint, &BoxedUint)],
) -> Vec<Result<BoxedUint, PaillierError>> {
    powers(engine, key, pairs, Exponent::Public)
}

fn powers<'a>(
    engine: &Engine,
    key: &EncryptionKey,
    pairs: &[(&BoxedUint, &'a BoxedUint)],
    exponent: fn(&'a BoxedUint) -> Exponent<'a>,
) -> Vec<Result<BoxedUint, PaillierError>> {
    let checked = |&(c, k): &(&BoxedUint, &'a BoxedUint)| {
        let c = key.ciphertext(c)?;
        if k.ct_lt(key.0.public.n()).to_bool() {
            Ok((c, k))
        } else {
            Err(PaillierError::PlaintextRange)
        }
    };
    let in_chunks = pairs.chunks(CHUNK).flat_map(|chunk| {
        let pairs: Vec<Result<_, PaillierError>> = chunk.iter().map(checked).collect();
        let task = |(c, k): &'_ (BoxedUint, &'a BoxedUint)| (c.clone(), exponent(k));
        let tasks: Vec<_> = pairs.iter().flatten().map(task).collect();
        let tasks: Vec<_> = tasks
            .iter()
            .map(|(c, k)| Task::power(&key.0.square, c, *k))
            .collect();
        let mut powers = match engine.run(&tasks) {
            Ok(powers) => powers.into_iter(),
            Err(error) => {
                let error = PaillierError::Engine(error);
                let fail = |pair: &Result<_, _>| Err(pair.as_ref().err().unwrap_or(&error).clone());
                return pairs.iter().map(fail).collect::<Vec<_>>();
            }
        };
        let result = |pair: Result<_, PaillierError>| {
            pair.map(|_| {
                let power = powers.next().expect("the engine answers every task");
                (*power).clone()
            })
        };
        pairs.into_iter().map(result).collect()
    });
    in_chunks.collect()
}

/// The encrypted opposites of encrypted numbers, modulo n: `c^-1 mod n^2`. Ciphertexts are public, and the
/// time depends on them.
///
/// # Errors
/// For each item [`PaillierError::CiphertextRange`], also if the number shares a prime with n.
pub fn negate_batch_vartime(
    key: &EncryptionKey,
    ciphertexts: &[BoxedUint],
) -> Vec<Result<BoxedUint, PaillierError>> {
    use rayon::prelude::*;
    let square = crypto_bigint::Odd::new(key.0.public.n_squared().clone());
    let square = square.expect("the square of an odd number is odd");
    let negate = |c: &BoxedUint| {
        let c = key.ciphertext(c)?;
        let inverse: Option<BoxedUint> = c.invert_odd_mod_vartime(&square).into();
        inverse.ok_or(PaillierError::CiphertextRange)
    };
    if sunzi_engine::available_threads() == 1 {
        ciphertexts.iter().map(negate).collect()
    } else {
        ciphertexts.par_iter().map(negate).collect()
    }
}
