//! RSA keys as numbers, and the conditions that they must satisfy (RFC 8017, section 3).

use super::restriction::{PssRestriction, RestrictionError};
use super::sizes::{MAX_BITS, MAX_EXPONENT, MAX_GENERATED_BITS, MIN_BITS, MIN_SIGNING_BITS};
use crate::integer::{division, equal, nonzero, passes_base_two, resized};
use crate::key_file::KeyFileError;
use crate::primes::PrimeError;
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtLt, Odd, Resize};
use sunzi_engine::public_length;
use zeroize::Zeroizing;

/// Why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is no usable key file.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// The key is for another algorithm.
    #[error("not an RSA key: its algorithm is {0}")]
    NotRsa(String),
    /// The key has more than two primes.
    #[error("a key of more than two primes: only two-prime RSA is supported")]
    MultiPrime,
    /// A number of the key is longer than the longest modulus.
    #[error("{name} has {bits} bits: no number of a key has more than {MAX_BITS}")]
    NumberSize {
        /// The number, in words.
        name: &'static str,
        /// Its length, in bits.
        bits: u64,
    },
    /// The modulus is too short or too long.
    #[error("the modulus has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    ModulusSize(u32),
    /// The modulus is even.
    #[error("the modulus is even: it cannot be a product of two odd primes")]
    EvenModulus,
    /// The public exponent is even.
    #[error("the public exponent {0} is even: it has no inverse modulo p - 1")]
    EvenExponent(u64),
    /// The public exponent is out of range.
    #[error("the public exponent {0} is out of range: 3 to {MAX_EXPONENT} are supported")]
    ExponentRange(String),
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
    /// The product of the primes is not the modulus.
    #[error("p * q differs from the modulus n")]
    ProductMismatch,
    /// A factor is not prime.
    #[error("{0} is not prime")]
    NotPrime(char),
    /// The private exponent is not an inverse of the public one.
    #[error(
        "the private exponent d does not match: d < n and e * d = 1 mod (p - 1) and mod (q - 1) \
         must hold"
    )]
    PrivateExponentMismatch,
    /// A value for the Chinese remainder theorem does not match the other numbers.
    #[error("{0} does not match p, q and d")]
    CrtMismatch(&'static str),
    /// The key is too short to sign.
    #[error(
        "the key has {0} bits: signing needs {MIN_SIGNING_BITS} (shorter keys verify only, \
         unless explicitly permitted)"
    )]
    TooShortToSign(u32),
    /// The key is too short to decrypt.
    #[error(
        "the key has {0} bits: decrypting needs {MIN_SIGNING_BITS}, unless explicitly permitted"
    )]
    TooShortToDecrypt(u32),
    /// The key is too short to encrypt to.
    #[error(
        "the key has {0} bits: encrypting needs {MIN_SIGNING_BITS}, unless explicitly permitted"
    )]
    TooShortToEncrypt(u32),
    /// The key is restricted to RSASSA-PSS.
    #[error(transparent)]
    Restricted(#[from] RestrictionError),
    /// The engine refuses a modulus.
    #[error(transparent)]
    Engine(#[from] sunzi_engine::EngineError),
    /// Keys of this size are not generated.
    #[error("keys of {bits} bits are not generated: choose {min} to {MAX_GENERATED_BITS}")]
    GeneratedSize {
        /// Length of the modulus asked for, in bits.
        bits: u32,
        /// Length of the shortest modulus that is generated, in bits.
        min: u32,
    },
    /// No prime was found where one must be.
    #[error("no prime among {0} random numbers: the random number generator is broken")]
    NoPrime(u32),
    /// The watcher ended the search for primes.
    #[error("the making of keys was cancelled")]
    Cancelled,
    /// The search for the primes of several keys ended without them.
    #[error(transparent)]
    Primes(Box<PrimeError>),
    /// The new key does not decrypt its own ciphertext.
    #[error(
        "the new key failed its pairwise consistency test and was destroyed: this machine computes \
         wrongly"
    )]
    Inconsistent,
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

/// An RSA public key: an odd modulus n of [`MIN_BITS`] to [`MAX_BITS`] bits and an odd exponent e
/// from 3 to [`MAX_EXPONENT`].
///
/// Two keys are equal if their numbers are, independent of their permissions.
#[derive(Clone)]
pub struct PublicKey {
    /// The modulus, in whole words without leading zero words.
    n: Odd<BoxedUint>,
    e: u64,
    /// Whether the key may be used even if it is shorter than [`MIN_SIGNING_BITS`].
    permit_1024: bool,
    /// The restriction to PSS, if the key's file states one.
    restriction: Option<PssRestriction>,
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        (&self.n, self.e) == (&other.n, other.e)
    }
}

impl Eq for PublicKey {}

impl PublicKey {
    /// The key with modulus n and exponent e.
    ///
    /// # Errors
    /// [`KeyError::ModulusSize`], [`KeyError::EvenModulus`], [`KeyError::EvenExponent`],
    /// [`KeyError::ExponentRange`].
    pub fn new(n: &BoxedUint, e: u64) -> Result<Self, KeyError> {
        let bits = n.bits_vartime();
        if !(MIN_BITS..=MAX_BITS).contains(&bits) {
            return Err(KeyError::ModulusSize(bits));
        }
        let n: Odd<BoxedUint> =
            Option::from(Resize::resize(n, bits).into_odd()).ok_or(KeyError::EvenModulus)?;
        if !(3..=MAX_EXPONENT).contains(&e) {
            return Err(KeyError::ExponentRange(e.to_string()));
        }
        if e.is_multiple_of(2) {
            return Err(KeyError::EvenExponent(e));
        }
        Ok(Self {
            n,
            e,
            permit_1024: false,
            restriction: None,
        })
    }

    /// The key, restricted to RSASSA-PSS: signatures by another scheme or with other parameters are neither made
    /// nor accepted, and nothing is encrypted to it.
    #[must_use]
    pub fn restrict_to_pss(self, restriction: PssRestriction) -> Self {
        Self {
            restriction: Some(restriction),
            ..self
        }
    }

    /// The restriction to RSASSA-PSS, if there is one.
    pub fn restriction(&self) -> Option<PssRestriction> {
        self.restriction
    }

    /// Refuses other purposes than signatures for a restricted key.
    pub(super) fn check_unrestricted(&self, purpose: &'static str) -> Result<(), RestrictionError> {
        match self.restriction {
            None => Ok(()),
            Some(_) => Err(RestrictionError::Purpose(purpose)),
        }
    }

    /// Permits encryption to this key even if it is shorter than [`MIN_SIGNING_BITS`]. Such keys
    /// can be factored with large resources: use them only with systems that cannot be changed.
    #[must_use]
    pub fn permit_1024(self) -> Self {
        Self {
            permit_1024: true,
            ..self
        }
    }

    /// Whether messages may be encrypted to this key.
    ///
    /// # Errors
    /// [`KeyError::TooShortToEncrypt`], [`KeyError::Restricted`].
    pub fn check_may_encrypt(&self) -> Result<(), KeyError> {
        self.check_unrestricted("encrypt")?;
        if self.is_usable() {
            Ok(())
        } else {
            Err(KeyError::TooShortToEncrypt(self.bits()))
        }
    }

    /// Whether the key may be used for more than verification.
    fn is_usable(&self) -> bool {
        self.bits() >= MIN_SIGNING_BITS || self.permit_1024
    }

    /// Length of the modulus, in bits.
    pub fn bits(&self) -> u32 {
        self.n.as_ref().bits_vartime()
    }

    /// Length of the modulus, and so of signatures and ciphertexts, in bytes (k in RFC 8017).
    pub fn size(&self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The modulus.
    pub fn n(&self) -> &BoxedUint {
        self.n.as_ref()
    }

    /// The modulus, as a number that is known to be odd.
    pub(crate) fn odd_n(&self) -> &Odd<BoxedUint> {
        &self.n
    }

    /// The public exponent.
    pub fn e(&self) -> u64 {
        self.e
    }

    /// The SHA-256 digest of the key's `SubjectPublicKeyInfo` in DER.
    pub fn fingerprint(&self) -> [u8; 32] {
        use sha2::Digest;
        sha2::Sha256::digest(self.to_spki_der()).into()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("bits", &self.bits())
            .field("e", &self.e)
            .finish_non_exhaustive()
    }
}

/// A two-prime RSA private key; wiped on drop.
///
/// Holds n, e, d, p, q and the values for the Chinese remainder theorem: d mod (p - 1),
/// d mod (q - 1) and q^-1 mod p. Every value of this type has passed the checks of
/// [`from_components`](Self::from_components).
#[derive(Clone)]
pub struct PrivateKey {
    public: PublicKey,
    pub(super) secret: Secret,
}

/// The secret numbers of a private key. p and q have whole words without leading zero words; d, dp,
/// dq and qinv have the precision of n, p, q and p.
#[derive(Clone)]
pub(super) struct Secret {
    pub(super) d: Zeroizing<BoxedUint>,
    pub(super) p: Zeroizing<BoxedUint>,
    pub(super) q: Zeroizing<BoxedUint>,
    /// d mod (p - 1)
    pub(super) dp: Zeroizing<BoxedUint>,
    /// d mod (q - 1)
    pub(super) dq: Zeroizing<BoxedUint>,
    /// q^-1 mod p
    pub(super) qinv: Zeroizing<BoxedUint>,
}

impl PrivateKey {
    /// The key with these numbers, which must satisfy all of the following:
    ///
    /// - the conditions of [`PublicKey::new`];
    /// - p and q differ, have at least a quarter of the bits of n, and p q = n;
    /// - 1 < d < n, and e d = 1 modulo p - 1 and modulo q - 1;
    /// - p and q pass the test of Solovay and Strassen to base 2. This finds damaged keys. It does not
    ///   find composites chosen to pass the test: do not use keys that others generated.
    ///
    /// # Errors
    /// The [`KeyError`] that names the first condition violated.
    pub fn from_components(
        n: &BoxedUint,
        e: u64,
        d: &BoxedUint,
        p: &BoxedUint,
        q: &BoxedUint,
    ) -> Result<Self, KeyError> {
        let key = Self::checked(n, e, d, p, q);
        // Copies of the primes may be left there: without optimization q was.
        wipe_stack();
        key
    }

    /// [`Self::from_components`], in a stack frame of its own.
    #[inline(never)]
    fn checked(
        n: &BoxedUint,
        e: u64,
        d: &BoxedUint,
        p: &BoxedUint,
        q: &BoxedUint,
    ) -> Result<Self, KeyError> {
        let public = PublicKey::new(n, e)?;
        let p = checked_prime_size('p', p, &public)?;
        let q = checked_prime_size('q', q, &public)?;
        if equal(&p, &q) {
            return Err(KeyError::EqualPrimes);
        }
        let product = Zeroizing::new(p.concatenating_mul(&*q));
        if !equal(&product, public.n()) {
            return Err(KeyError::ProductMismatch);
        }

        let bits = public.n().bits_precision();
        let d = Resize::try_resize(d, bits).map(Zeroizing::new);
        let d = d
            .filter(|d| d.ct_lt(public.n()).to_bool())
            .ok_or(KeyError::PrivateExponentMismatch)?;
        let dp = crt_exponent(&d, &p, e)?;
        let dq = crt_exponent(&d, &q, e)?;
        let odd_p = odd_prime('p', &p)?;
        odd_prime('q', &q)?;
        let qinv = inverse(&q, &odd_p).ok_or(KeyError::NotPrime('p'))?;
        let secret = Secret {
            d,
            p,
            q,
            dp,
            dq,
            qinv,
        };
        Ok(Self { public, secret })
    }

    /// Permits signing, decryption and encryption with this key even if it is shorter than
    /// [`MIN_SIGNING_BITS`]: see [`PublicKey::permit_1024`].
    #[must_use]
    pub fn permit_1024(self) -> Self {
        Self {
            public: self.public.permit_1024(),
            ..self
        }
    }

    /// The key, restricted to RSASSA-PSS: see [`PublicKey::restrict_to_pss`].
    #[must_use]
    pub fn restrict_to_pss(self, restriction: PssRestriction) -> Self {
        Self {
            public: self.public.restrict_to_pss(restriction),
            ..self
        }
    }

    /// Whether the key may sign.
    ///
    /// # Errors
    /// [`KeyError::TooShortToSign`].
    pub fn check_may_sign(&self) -> Result<(), KeyError> {
        if self.public.is_usable() {
            Ok(())
        } else {
            Err(KeyError::TooShortToSign(self.bits()))
        }
    }

    /// Whether the key may decrypt.
    ///
    /// # Errors
    /// [`KeyError::TooShortToDecrypt`], [`KeyError::Restricted`].
    pub fn check_may_decrypt(&self) -> Result<(), KeyError> {
        self.public.check_unrestricted("decrypt")?;
        if self.public.is_usable() {
            Ok(())
        } else {
            Err(KeyError::TooShortToDecrypt(self.bits()))
        }
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Length of the modulus, in bits.
    pub fn bits(&self) -> u32 {
        self.public.bits()
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

/// The prime without leading zero words, if its length suits the modulus.
pub(super) fn checked_prime_size(
    name: char,
    prime: &BoxedUint,
    public: &PublicKey,
) -> Result<Zeroizing<BoxedUint>, KeyError> {
    let (bits, modulus) = (public_length(prime), public.bits());
    if bits < modulus / 4 {
        return Err(KeyError::PrimeSize {
            name,
            bits,
            modulus,
        });
    }
    // A number longer than n is no factor of n.
    if bits > modulus {
        return Err(KeyError::ProductMismatch);
    }
    Ok(resized(prime, bits))
}

/// A copy of the number, if it is odd. (`BoxedUint::to_odd` leaves a second one in freed memory.)
fn odd(x: &BoxedUint) -> Option<Zeroizing<Odd<BoxedUint>>> {
    Option::from(Odd::new(x.clone())).map(Zeroizing::new)
}

/// The exponent d mod (prime - 1), in the precision of the prime, if e times it is 1 modulo
/// prime - 1.
#[inline(never)]
fn crt_exponent(
    d: &BoxedUint,
    prime: &BoxedUint,
    e: u64,
) -> Result<Zeroizing<BoxedUint>, KeyError> {
    let order = Zeroizing::new(prime.wrapping_sub(BoxedUint::one()));
    let order = nonzero(&order);
    let (_, exponent) = division(d, &order);
    let product = Zeroizing::new(exponent.concatenating_mul(BoxedUint::from(e)));
    let (_, one) = division(&product, &order);
    if !equal(&one, &BoxedUint::one()) {
        return Err(KeyError::PrivateExponentMismatch);
    }
    Ok(exponent)
}

/// A copy of the factor, which is not 1, if it is odd and passes a test of primality to base 2.
#[inline(never)]
pub(super) fn odd_prime(
    name: char,
    factor: &BoxedUint,
) -> Result<Zeroizing<Odd<BoxedUint>>, KeyError> {
    let odd = odd(factor).ok_or(KeyError::NotPrime(name))?;
    if !passes_base_two(&odd) {
        return Err(KeyError::NotPrime(name));
    }
    Ok(odd)
}

/// The inverse of a modulo an odd modulus, in the precision of the modulus, if it exists. Takes
/// constant time.
#[inline(never)]
fn inverse(a: &BoxedUint, modulus: &Odd<BoxedUint>) -> Option<Zeroizing<BoxedUint>> {
    let (_, reduced) = division(a, modulus.as_nz_ref());
    Option::from(reduced.invert_odd_mod(modulus)).map(Zeroizing::new)
}
