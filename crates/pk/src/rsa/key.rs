//! RSA keys and what makes them valid (RFC 8017, section 3).

use core::fmt;
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtEq, CtLt, NonZero, Odd, Resize};
use crypto_primes::hazmat::MillerRabin;
use zeroize::Zeroizing;

/// The widest modulus, in bits.
pub const MAX_BITS: u32 = sunzi_engine::MAX_BITS;
/// The narrowest modulus, in bits; below [`MIN_SIGNING_BITS`] for verification only.
pub const MIN_BITS: u32 = 1024;
/// The narrowest modulus that signs and decrypts without [`PrivateKey::permit_1024`], and to which
/// is encrypted without [`EncryptionKey::permitting_1024`](super::EncryptionKey::permitting_1024).
pub const MIN_SIGNING_BITS: u32 = 2048;
/// The widest modulus that [`PrivateKey::generate`] makes.
pub const MAX_GENERATED_BITS: u32 = 8192;
/// The largest public exponent: larger ones only make verification slow.
pub const MAX_EXPONENT: u64 = (1 << 33) - 1;

/// Why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Neither PEM nor DER.
    #[error("this is not a key file: neither PEM (-----BEGIN ...-----) nor DER")]
    NotAKey,
    /// The file ends in the middle.
    #[error("the key is truncated: {0}")]
    Truncated(&'static str),
    /// PEM or DER that does not hold what it says.
    #[error("the key is malformed: {0}")]
    Malformed(String),
    /// A key for another algorithm.
    #[error("not an RSA key: its algorithm is {0}")]
    NotRsa(String),
    /// More than two primes.
    #[error("a key of more than two primes: only two-prime RSA is supported")]
    MultiPrime,
    /// A certificate where a key is needed.
    #[error(
        "this is an X.509 certificate, not a key: take its public key out with \
         `openssl x509 -in cert.pem -pubkey -noout`"
    )]
    Certificate,
    /// A public key where a private one is needed.
    #[error("this is a public key: a private key is needed")]
    PublicKeyGiven,
    /// An encrypted key, and no passphrase.
    #[error("the private key is encrypted: a passphrase is needed")]
    PassphraseNeeded,
    /// The passphrase does not open the key.
    #[error("wrong passphrase, or the encrypted key is damaged")]
    WrongPassphrase,
    /// Encryption that predates PKCS#8, with a key derivation of one MD5.
    #[error(
        "legacy PEM encryption (Proc-Type: 4,ENCRYPTED) is not supported: convert the key with \
         `openssl pkcs8 -topk8 -in old.pem -out new.pem`"
    )]
    LegacyEncryption,
    /// PKCS#8 encryption by an algorithm that is not supported.
    #[error(
        "the key's encryption is not supported ({0}): convert it with \
         `openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem`"
    )]
    UnsupportedEncryption(String),
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
    /// A prime has an unusable size.
    #[error(
        "prime {name} has {bits} bits: at least a quarter of the modulus' {modulus} are needed"
    )]
    PrimeSize {
        /// `p` or `q`.
        name: char,
        /// Its bit length.
        bits: u32,
        /// The modulus' bit length.
        modulus: u32,
    },
    /// The two primes are one.
    #[error("p = q: the two primes must differ")]
    EqualPrimes,
    /// The primes do not belong to the modulus.
    #[error("p * q differs from the modulus n")]
    ProductMismatch,
    /// A factor is not prime.
    #[error("{0} is not prime")]
    NotPrime(char),
    /// The private exponent does not belong to the public one.
    #[error(
        "the private exponent d does not match: d < n and e * d = 1 mod (p - 1) and mod (q - 1) \
         must hold"
    )]
    PrivateExponentMismatch,
    /// A value for the Chinese remainder theorem does not match the others.
    #[error("{0} does not match p, q and d")]
    CrtMismatch(&'static str),
    /// Signing with a key that is too short.
    #[error(
        "the key has {0} bits: signing needs {MIN_SIGNING_BITS} (shorter keys verify only, \
         unless explicitly permitted)"
    )]
    TooShortToSign(u32),
    /// Decrypting with a key that is too short.
    #[error(
        "the key has {0} bits: decrypting needs {MIN_SIGNING_BITS}, unless explicitly permitted"
    )]
    TooShortToDecrypt(u32),
    /// Encrypting to a key that is too short.
    #[error(
        "the key has {0} bits: encrypting needs {MIN_SIGNING_BITS}, unless explicitly permitted"
    )]
    TooShortToEncrypt(u32),
    /// The engine refuses a modulus.
    #[error(transparent)]
    Engine(#[from] sunzi_engine::EngineError),
    /// Generation of a size that is not offered.
    #[error("keys of {bits} bits are not generated: choose {min} to {MAX_GENERATED_BITS}")]
    GeneratedSize {
        /// The size asked for.
        bits: u32,
        /// The smallest size offered.
        min: u32,
    },
}

/// An RSA public key: an odd modulus n of [`MIN_BITS`] to [`MAX_BITS`] bits and an odd exponent e
/// from 3 to [`MAX_EXPONENT`].
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// Of whole words, without leading zero words.
    n: Odd<BoxedUint>,
    e: u64,
}

impl PublicKey {
    /// A key from its two numbers.
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
        Ok(Self { n, e })
    }

    /// Bit length of the modulus.
    pub fn bits(&self) -> u32 {
        self.n.as_ref().bits_vartime()
    }

    /// Length of the modulus, and of a signature, in bytes (RFC 8017 calls it k).
    pub fn size(&self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The modulus.
    pub fn n(&self) -> &BoxedUint {
        self.n.as_ref()
    }

    /// The modulus, with the knowledge that it is odd.
    pub(crate) fn odd_n(&self) -> &Odd<BoxedUint> {
        &self.n
    }

    /// The public exponent.
    pub fn e(&self) -> u64 {
        self.e
    }

    /// SHA-256 of the key's `SubjectPublicKeyInfo` in DER.
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
/// Holds n, e, d, p, q and the values of the Chinese remainder theorem: d mod (p - 1),
/// d mod (q - 1) and q^-1 mod p. Every key in memory has passed the checks of
/// [`from_components`](Self::from_components).
#[derive(Clone)]
pub struct PrivateKey {
    public: PublicKey,
    permit_1024: bool,
    pub(super) secret: Secret,
}

/// The secret numbers, each of whole words without leading zero words, except that d, dp, dq and
/// qinv are as wide as n, p, q and p.
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
    /// A key from its numbers, which are checked: the public key's conditions; p and q distinct,
    /// of at least a quarter of n's bits, with p q = n; 1 < d < n with e d = 1 modulo p - 1 and
    /// modulo q - 1; and p and q pass a Miller-Rabin test to base 2, which finds a damaged key
    /// (it is no defence against a composite that was made to pass: generate keys yourself).
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
        Ok(Self {
            public,
            permit_1024: false,
            secret,
        })
    }

    /// Lets a key shorter than [`MIN_SIGNING_BITS`] sign and decrypt. Such keys are within reach of
    /// factorization: only for systems that cannot be changed.
    #[must_use]
    pub fn permit_1024(self) -> Self {
        Self {
            permit_1024: true,
            ..self
        }
    }

    /// Whether the key may sign.
    ///
    /// # Errors
    /// [`KeyError::TooShortToSign`].
    pub fn check_may_sign(&self) -> Result<(), KeyError> {
        if self.is_usable() {
            Ok(())
        } else {
            Err(KeyError::TooShortToSign(self.bits()))
        }
    }

    /// Whether the key may decrypt.
    ///
    /// # Errors
    /// [`KeyError::TooShortToDecrypt`].
    pub fn check_may_decrypt(&self) -> Result<(), KeyError> {
        if self.is_usable() {
            Ok(())
        } else {
            Err(KeyError::TooShortToDecrypt(self.bits()))
        }
    }

    fn is_usable(&self) -> bool {
        self.bits() >= MIN_SIGNING_BITS || self.permit_1024
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Bit length of the modulus.
    pub fn bits(&self) -> u32 {
        self.public.bits()
    }
}

impl fmt::Debug for PrivateKey {
    /// The public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

/// Equality of numbers of any widths, in time that depends on the widths only.
pub(super) fn equal(a: &BoxedUint, b: &BoxedUint) -> bool {
    let bits = a.bits_precision().max(b.bits_precision());
    resized(a, bits).ct_eq(&*resized(b, bits)).to_bool()
}

/// The number in another width, in which it must fit. (A copy of a borrowed number: resizing an
/// owned one would leave its old memory unwiped.)
pub(super) fn resized(x: &BoxedUint, bits: u32) -> Zeroizing<BoxedUint> {
    Zeroizing::new(Resize::resize(x, bits))
}

/// The number, big-endian in `size` bytes, in which it must fit (RFC 8017, section 4.1: I2OSP).
pub(super) fn octets(x: &BoxedUint, size: usize) -> Zeroizing<Vec<u8>> {
    let bytes = Zeroizing::new(x.to_be_bytes());
    let (leading, octets) = bytes.split_at(bytes.len() - size);
    debug_assert!(leading.iter().all(|&b| b == 0));
    Zeroizing::new(octets.to_vec())
}

/// The prime without leading zero words, if its size is right.
fn checked_prime_size(
    name: char,
    prime: &BoxedUint,
    public: &PublicKey,
) -> Result<Zeroizing<BoxedUint>, KeyError> {
    let (bits, modulus) = (prime.bits(), public.bits());
    if bits < modulus / 4 {
        return Err(KeyError::PrimeSize {
            name,
            bits,
            modulus,
        });
    }
    // A factor longer than n cannot multiply to n.
    if bits > modulus {
        return Err(KeyError::ProductMismatch);
    }
    Ok(resized(prime, bits))
}

/// A number that is known not to be zero.
pub(super) fn nonzero(x: &BoxedUint) -> Zeroizing<NonZero<BoxedUint>> {
    Zeroizing::new(Option::from(x.to_nz()).expect("the caller has excluded zero"))
}

/// d mod (prime - 1), as wide as the prime, if e times it is 1 mod (prime - 1).
fn crt_exponent(
    d: &BoxedUint,
    prime: &BoxedUint,
    e: u64,
) -> Result<Zeroizing<BoxedUint>, KeyError> {
    let order = nonzero(&prime.wrapping_sub(BoxedUint::one()));
    let exponent = Zeroizing::new(d.rem(&*order));
    let product = Zeroizing::new(exponent.concatenating_mul(BoxedUint::from(e)));
    let one = Zeroizing::new(product.rem(&*order));
    if !equal(&one, &BoxedUint::one()) {
        return Err(KeyError::PrivateExponentMismatch);
    }
    Ok(exponent)
}

/// The factor, known to be odd and a strong probable prime to base 2.
fn odd_prime(name: char, factor: &BoxedUint) -> Result<Zeroizing<Odd<BoxedUint>>, KeyError> {
    let odd: Odd<BoxedUint> =
        Option::from(factor.clone().into_odd()).ok_or(KeyError::NotPrime(name))?;
    let test = MillerRabin::new(odd.clone());
    if test.test_base_two().is_composite() {
        return Err(KeyError::NotPrime(name));
    }
    Ok(Zeroizing::new(odd))
}

/// a^-1 modulo an odd modulus, as wide as the modulus, if it exists; in constant time.
pub(super) fn inverse(a: &BoxedUint, modulus: &Odd<BoxedUint>) -> Option<Zeroizing<BoxedUint>> {
    let reduced = Zeroizing::new(a.rem(modulus.as_nz_ref()));
    Option::from(reduced.invert_odd_mod(modulus)).map(Zeroizing::new)
}
