//! Paillier keys as numbers, and the conditions that they must satisfy.

use crate::integer::{division, equal, nonzero, passes_base_two, power, resized};
use crate::primes::PrimeError;
use core::fmt;
use crypto_bigint::{BoxedUint, ConcatenatingMul, Gcd, Odd, RandomMod, Resize};
use rand_core::CryptoRng;
use sunzi_engine::{EngineError, public_length};
use zeroize::Zeroizing;

/// Length of the shortest modulus n, in bits.
pub const MIN_BITS: u32 = 2048;
/// Length of the longest modulus n, in bits. Ciphertexts are twice as long.
pub const MAX_BITS: u32 = 4096;

/// The reason why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The modulus is too short or too long.
    #[error("the modulus n has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    ModulusSize(u32),
    /// The modulus is even.
    #[error("the modulus n is even: it cannot be a product of two odd primes")]
    EvenModulus,
    /// The base of short randomness is out of range.
    #[error("the base of short randomness is not from 2 to n^2 - 1")]
    BaseRange,
    /// The key has no base of short randomness.
    #[error(
        "the public key has no base of short randomness: encrypt with full randomness, or have the \
         key's owner make one"
    )]
    NoBase,
    /// A prime is too short for the modulus.
    #[error(
        "prime {name} has {bits} bits: at least a quarter of the modulus' {modulus} are needed"
    )]
    PrimeSize {
        /// `p` or `q`.
        name: char,
        /// Length of the prime, in bits.
        bits: u32,
        /// Length of the modulus, in bits.
        modulus: u32,
    },
    /// The two primes are equal.
    #[error("p = q: the two primes must differ")]
    EqualPrimes,
    /// A factor is not prime.
    #[error("{0} is not prime")]
    NotPrime(char),
    /// n shares a prime with (p - 1)(q - 1).
    #[error("p divides q - 1, or q divides p - 1: n and (p - 1)(q - 1) must be coprime")]
    NotCoprime,
    /// The primes do not allow short randomness.
    #[error(
        "short randomness needs primes that are 3 modulo 4 with gcd(p - 1, q - 1) = 2, which these are \
         not"
    )]
    NotShort,
    /// The text is no key in JSON.
    #[error("not a Paillier key in JSON: {0}")]
    Json(String),
    /// The watcher ended the search for primes.
    #[error("the making of keys was cancelled")]
    Cancelled,
    /// The search for primes ended without them.
    #[error(transparent)]
    Primes(Box<PrimeError>),
    /// A new key failed its test: this machine computes wrongly.
    #[error(
        "the new key failed its consistency test and was withheld: this machine computes wrongly"
    )]
    Inconsistent,
    /// The engine refuses a modulus.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<PrimeError> for KeyError {
    fn from(error: PrimeError) -> Self {
        match error {
            PrimeError::Cancelled => Self::Cancelled,
            PrimeError::Engine(error) => Self::Engine(error),
            error => Self::Primes(Box::new(error)),
        }
    }
}

/// A Paillier public key: the modulus n, with g = n + 1, and if its owner made one a base of short
/// randomness.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    pub(super) n: Odd<BoxedUint>,
    square: Odd<BoxedUint>,
    pub(super) short_base: Option<BoxedUint>,
}

impl PublicKey {
    /// The key with modulus n.
    ///
    /// # Errors
    /// [`KeyError::ModulusSize`] unless n has [`MIN_BITS`] to [`MAX_BITS`] bits, [`KeyError::EvenModulus`].
    pub fn new(n: &BoxedUint) -> Result<Self, KeyError> {
        // n may come from secret primes: with its public length nothing depends on their lengths.
        let bits = public_length(n);
        if !(MIN_BITS..=MAX_BITS).contains(&bits) {
            return Err(KeyError::ModulusSize(bits));
        }
        let n = Resize::resize(n, bits).into_odd();
        let n: Odd<BoxedUint> = Option::from(n).ok_or(KeyError::EvenModulus)?;
        let square = n.concatenating_mul(n.as_ref());
        let square = Resize::resize(&square, public_length(&square)).into_odd();
        Ok(Self {
            square: Option::from(square).ok_or(KeyError::EvenModulus)?,
            n,
            short_base: None,
        })
    }

    /// The same key with this base of short randomness: `(-y^2)^n mod n^2` for a random y, which nobody but the key's
    /// owner can distinguish from other numbers. Take it from the source of n.
    ///
    /// # Errors
    /// [`KeyError::BaseRange`].
    pub fn with_short_base(self, base: &BoxedUint) -> Result<Self, KeyError> {
        let square: &BoxedUint = self.square.as_ref();
        let in_range = base.bits_vartime() > 1 && base.cmp_vartime(square).is_lt();
        if !in_range {
            return Err(KeyError::BaseRange);
        }
        let base = Resize::resize(base, square.bits_precision());
        Ok(Self {
            short_base: Some(base),
            ..self
        })
    }

    /// The modulus n: plaintexts are the numbers below it.
    pub fn n(&self) -> &BoxedUint {
        self.n.as_ref()
    }

    /// n^2: ciphertexts are numbers below it.
    pub fn n_squared(&self) -> &BoxedUint {
        self.square.as_ref()
    }

    /// The base of short randomness, if there is one.
    pub fn short_base(&self) -> Option<&BoxedUint> {
        self.short_base.as_ref()
    }

    /// Length of the modulus n in bits.
    pub fn bits(&self) -> u32 {
        self.n().bits_vartime()
    }

    /// Length of a plaintext in bytes.
    pub fn plaintext_size(&self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Length of a ciphertext in bytes: twice that of a plaintext.
    pub fn ciphertext_size(&self) -> usize {
        2 * self.plaintext_size()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("bits", &self.bits())
            .field("has_short_base", &self.short_base.is_some())
            .finish_non_exhaustive()
    }
}

/// A Paillier private key: the primes p and q of n = p q; wiped on drop.
#[derive(Clone)]
pub struct PrivateKey {
    pub(super) public: PublicKey,
    pub(super) p: Zeroizing<BoxedUint>,
    pub(super) q: Zeroizing<BoxedUint>,
}

impl PrivateKey {
    /// The key with these primes, which must satisfy all of the following:
    ///
    /// - n = p q has [`MIN_BITS`] to [`MAX_BITS`] bits, and each prime a quarter of them at least;
    /// - p and q differ, and neither divides the other less one;
    /// - p and q pass the test of Solovay and Strassen to base 2. This finds damaged keys. It does not find
    ///   composites chosen to pass the test: do not use keys that others generated.
    ///
    /// # Errors
    /// The [`KeyError`] that names the first condition violated.
    pub fn from_primes(p: &BoxedUint, q: &BoxedUint) -> Result<Self, KeyError> {
        // Longer numbers are not worth multiplying.
        let bits = public_length(p).saturating_add(public_length(q));
        if bits > MAX_BITS + 1 {
            return Err(KeyError::ModulusSize(bits));
        }
        let n = p.concatenating_mul(q);
        let public = PublicKey::new(&n)?;
        let checked = |name, prime: &BoxedUint| {
            let (bits, modulus) = (public_length(prime), public.bits());
            if bits < modulus / 4 {
                return Err(KeyError::PrimeSize {
                    name,
                    bits,
                    modulus,
                });
            }
            Ok(resized(prime, bits.next_multiple_of(64)))
        };
        let (p, q) = (checked('p', p)?, checked('q', q)?);
        if equal(&p, &q) {
            return Err(KeyError::EqualPrimes);
        }
        for (name, prime) in [('p', &p), ('q', &q)] {
            let odd: Option<Odd<BoxedUint>> = Odd::new((**prime).clone()).into();
            let odd = Zeroizing::new(odd.ok_or(KeyError::NotPrime(name))?);
            if !passes_base_two(&odd) {
                return Err(KeyError::NotPrime(name));
            }
        }
        for (x, y) in [(&p, &q), (&q, &p)] {
            let (_, remainder) = division(&less_one(x), &nonzero(y));
            if remainder.is_zero().into() {
                return Err(KeyError::NotCoprime);
            }
        }
        Ok(Self { public, p, q })
    }

    /// The same key with a new base of short randomness in its public half: `(-y^2)^n mod n^2` for a random
    /// y (Damgard, Jurik and Nielsen, 2010, section 4.2).
    ///
    /// # Errors
    /// [`KeyError::NotShort`] if the primes are not 3 modulo 4 with gcd(p - 1, q - 1) = 2.
    pub fn with_new_short_base<R: CryptoRng + ?Sized>(self, rng: &mut R) -> Result<Self, KeyError> {
        let is_blum = |prime: &BoxedUint| prime.as_words()[0] % 4 == 3;
        let bits = self.p.bits_precision().max(self.q.bits_precision());
        let [p1, q1] = [&self.p, &self.q].map(|prime| resized(&less_one(prime), bits));
        let gcd = Zeroizing::new(p1.gcd(&*q1));
        let two = BoxedUint::from(2u32);
        if !is_blum(&self.p) || !is_blum(&self.q) || !equal(&gcd, &two) {
            return Err(KeyError::NotShort);
        }
        let (n, square) = (&self.public.n, &self.public.square);
        let y = Zeroizing::new(BoxedUint::random_mod_vartime(rng, n.as_nz_ref()));
        let h = Zeroizing::new(y.mul_mod(&y, n.as_nz_ref()));
        let h = Zeroizing::new(h.neg_mod(n.as_nz_ref()));
        let h = resized(&h, square.as_ref().bits_precision());
        let base = power(&h, n.as_ref(), square);
        let public = self.public.clone().with_short_base(&base)?;
        Ok(Self { public, ..self })
    }

    /// The same key with this public half, which may have a base of short randomness.
    pub(super) fn with_public(self, public: PublicKey) -> Self {
        Self { public, ..self }
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The primes p and q.
    pub fn primes(&self) -> [&BoxedUint; 2] {
        [&self.p, &self.q]
    }
}

impl fmt::Debug for PrivateKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

/// x - 1 for x > 0.
pub(super) fn less_one(x: &BoxedUint) -> Zeroizing<BoxedUint> {
    Zeroizing::new(x.wrapping_sub(BoxedUint::one()))
}
