//! Keys of any algorithm: what a key file holds decides what its key can do. Batches may mix keys of all
//! algorithms.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::keys::{Algorithms, PrivateKey, Scheme, SignRequest, SigningKey, sign_batch};
//! use sunzi_pk::keys::{NonceKind, VerifyRequest, verify_batch};
//! use sunzi_pk::system_rng;
//!
//! let algorithms = Algorithms::new(&Engine::new(Backend::best())?);
//! let rng = &mut system_rng();
//! let keys = ["RSA-2048", "P-256", "Ed25519"]
//!     .map(|name| PrivateKey::generate(&algorithms, name, rng));
//! let keys = keys.into_iter().collect::<Result<Vec<_>, _>>()?;
//!
//! let signing = keys.iter().map(|key| SigningKey::new(&algorithms, key));
//! let signing = signing.collect::<Result<Vec<_>, _>>()?;
//! let request = |key| SignRequest { key, scheme: Scheme::of(key.public_key()), message: b"a message" };
//! let requests: Vec<_> = signing.iter().map(request).collect();
//! let signatures = sign_batch(&algorithms, rng, NonceKind::Deterministic, &requests);
//!
//! for (key, signature) in signing.iter().zip(signatures) {
//!     let request = VerifyRequest {
//!         key: &key.verifying_key(),
//!         scheme: Scheme::of(key.public_key()),
//!         message: b"a message",
//!         signature: &signature?,
//!     };
//!     assert_eq!(verify_batch(&algorithms, &[request]), [Ok(())]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agree;
mod sign;

use core::fmt;
use core::ops::ControlFlow;
use rand_core::CryptoRng;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

use crate::ec::{
    self, EdwardsCurve, MontgomeryCurve, PreparedCurves, PreparedEdwardsCurves,
    PreparedMontgomeryCurves, eddsa, xdh,
};
use crate::{KdfLimits, KeyAlgorithm, KeyFile, KeyFileError, primes, rsa};

pub use crate::ec::NonceKind;
pub use agree::{AgreeError, AgreeRequest, AgreementKey, agree_batch};
pub use sign::{
    Scheme, SignError, SignRequest, SigningKey, VerifyError, VerifyRequest, VerifyingKey,
    sign_batch, verify_batch,
};

/// Length in bits of the shortest prime of a curve whose keys are made, sign and agree: 112 bits of strength,
/// as RSA keys of 2048 bits have (SP 800-57, part 1, table 2). Keys of shorter curves only verify.
pub const MIN_STRONG_BITS: u32 = 224;

/// An engine, with the curves of all algorithms prepared on it when they are first used. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Algorithms {
    curves: PreparedCurves,
    edwards: PreparedEdwardsCurves,
    montgomery: PreparedMontgomeryCurves,
}

impl Algorithms {
    /// All algorithms on this engine.
    pub fn new(engine: &Engine) -> Self {
        Self {
            curves: PreparedCurves::new(engine),
            edwards: PreparedEdwardsCurves::new(engine),
            montgomery: PreparedMontgomeryCurves::new(engine),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        self.curves.engine()
    }

    /// The curves for ECDSA and ECDH.
    pub fn curves(&self) -> &PreparedCurves {
        &self.curves
    }

    /// The curves for EdDSA.
    pub fn edwards(&self) -> &PreparedEdwardsCurves {
        &self.edwards
    }

    /// The curves for X25519 and X448.
    pub fn montgomery(&self) -> &PreparedMontgomeryCurves {
        &self.montgomery
    }
}

/// Why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is no usable key file.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// An RSA key is refused.
    #[error(transparent)]
    Rsa(Box<rsa::KeyError>),
    /// A key of a curve for ECDSA and ECDH is refused.
    #[error(transparent)]
    Ec(Box<ec::KeyError>),
    /// A key of an Edwards curve is refused.
    #[error(transparent)]
    Edwards(Box<eddsa::KeyError>),
    /// A key of a Montgomery curve is refused.
    #[error(transparent)]
    Montgomery(Box<xdh::KeyError>),
    /// The file is a private key; a public key is needed.
    #[error("this is a private key: a public key is needed")]
    PrivateKeyGiven,
    /// No key of this kind is known, or none in the format of the file.
    #[error("keys of {0} are not known, or not in this format")]
    UnknownAlgorithm(String),
    /// Keys of this algorithm cannot do this.
    #[error("a key of {algorithm} cannot {purpose}")]
    Purpose {
        /// The algorithm of the key.
        algorithm: String,
        /// What it was asked for: `sign`, `agree`.
        purpose: &'static str,
    },
    /// The curve is too weak for anything but verification.
    #[error(
        "{0} is too weak: keys of curves of fewer than {MIN_STRONG_BITS} bits verify signatures, and \
         nothing else"
    )]
    WeakCurve(String),
    /// The engine failed.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

macro_rules! boxed {
    ($($error:ty => $variant:ident),*) => {$(
        impl From<$error> for KeyError {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        }
    )*};
}
boxed!(rsa::KeyError => Rsa, ec::KeyError => Ec, eddsa::KeyError => Edwards, xdh::KeyError => Montgomery);

/// A private key of any algorithm. Boxed where it is large.
#[derive(Clone)]
#[non_exhaustive]
pub enum PrivateKey {
    /// RSA.
    Rsa(Box<rsa::PrivateKey>),
    /// A curve for ECDSA and ECDH.
    Ec(Box<ec::PrivateKey>),
    /// An Edwards curve, for EdDSA.
    Edwards(eddsa::PrivateKey),
    /// A Montgomery curve, for X25519 and X448.
    Montgomery(xdh::PrivateKey),
}

/// A public key of any algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKey {
    /// RSA.
    Rsa(rsa::PublicKey),
    /// A curve for ECDSA and ECDH.
    Ec(ec::PublicKey),
    /// An Edwards curve, for EdDSA.
    Edwards(eddsa::PublicKey),
    /// A Montgomery curve, for X25519 and X448.
    Montgomery(xdh::PublicKey),
}

impl PrivateKey {
    /// Makes a key: `RSA-2048`, or the name of a curve, such as `P-256`, `Ed25519` or `X448`.
    ///
    /// # Errors
    /// [`KeyError::UnknownAlgorithm`], [`KeyError::WeakCurve`], and those of the algorithm's `generate`.
    pub fn generate<R: CryptoRng + ?Sized>(
        algorithms: &Algorithms,
        name: &str,
        rng: &mut R,
    ) -> Result<Self, KeyError> {
        if let Some(bits) = rsa_bits(name) {
            return Ok(Self::Rsa(Box::new(rsa::PrivateKey::generate(bits, rng)?)));
        }
        if let Ok(curve) = name.parse::<EdwardsCurve>() {
            let curve = algorithms.edwards.get(curve)?;
            return Ok(Self::Edwards(eddsa::PrivateKey::generate(&curve, rng)?));
        }
        if let Ok(curve) = name.parse::<MontgomeryCurve>() {
            let curve = algorithms.montgomery.get(curve)?;
            return Ok(Self::Montgomery(xdh::PrivateKey::generate(&curve, rng)?));
        }
        let curve = name.parse::<ec::Curve>();
        let curve = curve.map_err(|_| KeyError::UnknownAlgorithm(name.into()))?;
        check_strength(&curve)?;
        let curve = algorithms.curves.get(&curve)?;
        Ok(Self::Ec(Box::new(ec::PrivateKey::generate(&curve, rng)?)))
    }

    /// Makes `count` keys of the names of [`generate`](Self::generate), those of RSA by the batch.
    ///
    /// `watch` may end the search for RSA's primes.
    ///
    /// # Errors
    /// Those of [`generate`](Self::generate) and [`rsa::PrivateKey::generate_batch`].
    pub fn generate_batch<R: CryptoRng + ?Sized>(
        algorithms: &Algorithms,
        name: &str,
        rng: &mut R,
        count: usize,
        watch: &mut dyn FnMut(primes::Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Self>, KeyError> {
        let Some(bits) = rsa_bits(name) else {
            return (0..count)
                .map(|_| Self::generate(algorithms, name, rng))
                .collect();
        };
        let keys = rsa::PrivateKey::generate_batch(algorithms.engine(), rng, bits, count, watch)?;
        Ok(keys
            .into_iter()
            .map(|key| Self::Rsa(Box::new(key)))
            .collect())
    }

    /// Reads a private key from PEM, DER or JSON (JWK) in any format of its algorithm, also encrypted
    /// PKCS#8. What opening a file may cost is limited.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der(
        algorithms: &Algorithms,
        file: &[u8],
        passphrase: Option<&[u8]>,
        limits: KdfLimits,
    ) -> Result<Self, KeyError> {
        let file = KeyFile::open(file, passphrase, limits)?;
        if !file.is_private() {
            return Err(KeyFileError::PublicKeyGiven.into());
        }
        let der = file.der();
        Ok(match file.algorithm() {
            KeyAlgorithm::Rsa => {
                let key = rsa::PrivateKey::from_pem_or_der_within(der, None, limits)?;
                Self::Rsa(Box::new(key))
            }
            KeyAlgorithm::Ec => {
                let key = ec::PrivateKey::from_pem_or_der(&algorithms.curves, der, None)?;
                Self::Ec(Box::new(key))
            }
            KeyAlgorithm::Edwards(_) => {
                let key = eddsa::PrivateKey::from_pem_or_der(&algorithms.edwards, der, None)?;
                Self::Edwards(key)
            }
            KeyAlgorithm::Montgomery(_) => {
                let key = xdh::PrivateKey::from_pem_or_der(&algorithms.montgomery, der, None)?;
                Self::Montgomery(key)
            }
            KeyAlgorithm::Other(name) => return Err(KeyError::UnknownAlgorithm(name.clone())),
        })
    }

    /// The public half.
    pub fn public_key(&self) -> PublicKey {
        match self {
            Self::Rsa(key) => PublicKey::Rsa(key.public_key().clone()),
            Self::Ec(key) => PublicKey::Ec(key.public_key().clone()),
            Self::Edwards(key) => PublicKey::Edwards(key.public_key().clone()),
            Self::Montgomery(key) => PublicKey::Montgomery(key.public_key().clone()),
        }
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in DER.
    ///
    /// # Errors
    /// [`ec::KeyError::NoIdentifier`], as [`KeyError::Ec`].
    pub fn to_pkcs8_der(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        Ok(match self {
            Self::Rsa(key) => key.to_pkcs8_der(),
            Self::Ec(key) => key.to_pkcs8_der()?,
            Self::Edwards(key) => key.to_pkcs8_der(),
            Self::Montgomery(key) => key.to_pkcs8_der(),
        })
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in PEM.
    ///
    /// # Errors
    /// [`ec::KeyError::NoIdentifier`], as [`KeyError::Ec`].
    pub fn to_pkcs8_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        Ok(match self {
            Self::Rsa(key) => key.to_pkcs8_pem(),
            Self::Ec(key) => key.to_pkcs8_pem()?,
            Self::Edwards(key) => key.to_pkcs8_pem(),
            Self::Montgomery(key) => key.to_pkcs8_pem(),
        })
    }

    /// The key as PKCS#8 `EncryptedPrivateKeyInfo` in PEM: PBES2 with PBKDF2-HMAC-SHA-256 (600,000
    /// iterations) and AES-256-CBC.
    ///
    /// # Errors
    /// [`KeyFileError::EmptyPassphrase`], [`ec::KeyError::NoIdentifier`].
    pub fn to_encrypted_pkcs8_pem<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        passphrase: &[u8],
    ) -> Result<Zeroizing<String>, KeyError> {
        Ok(match self {
            Self::Rsa(key) => key.to_encrypted_pkcs8_pem(rng, passphrase)?,
            Self::Ec(key) => key.to_encrypted_pkcs8_pem(rng, passphrase)?,
            Self::Edwards(key) => key.to_encrypted_pkcs8_pem(rng, passphrase)?,
            Self::Montgomery(key) => key.to_encrypted_pkcs8_pem(rng, passphrase)?,
        })
    }

    /// The key as JSON Web Key: RSA and the curves that RFC 7518, RFC 8812 and RFC 8037 name.
    ///
    /// # Errors
    /// [`ec::KeyError::NoJwkName`].
    pub fn to_jwk(&self) -> Result<Zeroizing<String>, KeyError> {
        match self {
            Self::Rsa(key) => Ok(key.to_jwk()),
            Self::Ec(key) => Ok(key.to_jwk()?),
            Self::Edwards(key) => Ok(key.to_jwk()),
            Self::Montgomery(key) => Ok(key.to_jwk()),
        }
    }
}

impl fmt::Debug for PrivateKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PrivateKey")
            .field(&self.public_key())
            .finish()
    }
}

impl PublicKey {
    /// Reads a public key from PEM, DER or JSON (JWK) in any format of its algorithm.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der(file: &[u8]) -> Result<Self, KeyError> {
        let file = match KeyFile::open(file, None, KdfLimits::default()) {
            Err(KeyFileError::PassphraseNeeded) => return Err(KeyError::PrivateKeyGiven),
            other => other?,
        };
        // Of other algorithms it is not known whether they are private.
        if file.is_private() && !matches!(file.algorithm(), KeyAlgorithm::Other(_)) {
            return Err(KeyError::PrivateKeyGiven);
        }
        let der = file.der();
        Ok(match file.algorithm() {
            KeyAlgorithm::Rsa => Self::Rsa(rsa::PublicKey::from_pem_or_der(der)?),
            KeyAlgorithm::Ec => Self::Ec(ec::PublicKey::from_pem_or_der(der)?),
            KeyAlgorithm::Edwards(_) => Self::Edwards(eddsa::PublicKey::from_pem_or_der(der)?),
            KeyAlgorithm::Montgomery(_) => Self::Montgomery(xdh::PublicKey::from_pem_or_der(der)?),
            KeyAlgorithm::Other(name) => return Err(KeyError::UnknownAlgorithm(name.clone())),
        })
    }

    /// The algorithm and the size, `RSA-2048`, or the name of the curve.
    pub fn algorithm(&self) -> String {
        match self {
            Self::Rsa(key) => format!("RSA-{}", key.bits()),
            Self::Ec(key) => key.curve().to_string(),
            Self::Edwards(key) => KeyAlgorithm::Edwards(key.curve()).to_string(),
            Self::Montgomery(key) => KeyAlgorithm::Montgomery(key.curve()).to_string(),
        }
    }

    /// The key as `SubjectPublicKeyInfo` in DER.
    ///
    /// # Errors
    /// [`ec::KeyError::NoIdentifier`], as [`KeyError::Ec`].
    pub fn to_spki_der(&self) -> Result<Vec<u8>, KeyError> {
        Ok(match self {
            Self::Rsa(key) => key.to_spki_der(),
            Self::Ec(key) => key.to_spki_der()?,
            Self::Edwards(key) => key.to_spki_der(),
            Self::Montgomery(key) => key.to_spki_der(),
        })
    }

    /// The key as `SubjectPublicKeyInfo` in PEM.
    ///
    /// # Errors
    /// [`ec::KeyError::NoIdentifier`], as [`KeyError::Ec`].
    pub fn to_spki_pem(&self) -> Result<String, KeyError> {
        Ok(match self {
            Self::Rsa(key) => key.to_spki_pem(),
            Self::Ec(key) => key.to_spki_pem()?,
            Self::Edwards(key) => key.to_spki_pem(),
            Self::Montgomery(key) => key.to_spki_pem(),
        })
    }

    /// The key as JSON Web Key: RSA and the curves that RFC 7518, RFC 8812 and RFC 8037 name.
    ///
    /// # Errors
    /// [`ec::KeyError::NoJwkName`].
    pub fn to_jwk(&self) -> Result<String, KeyError> {
        match self {
            Self::Rsa(key) => Ok(key.to_jwk()),
            Self::Ec(key) => Ok(key.to_jwk()?),
            Self::Edwards(key) => Ok(key.to_jwk()),
            Self::Montgomery(key) => Ok(key.to_jwk()),
        }
    }

    fn cannot(&self, purpose: &'static str) -> KeyError {
        let algorithm = self.algorithm();
        KeyError::Purpose { algorithm, purpose }
    }
}

/// The length of RSA keys in a name such as `RSA-2048`.
fn rsa_bits(name: &str) -> Option<u32> {
    name.strip_prefix("RSA-").and_then(|bits| bits.parse().ok())
}

/// That keys of this curve may be made, sign and agree.
fn check_strength(curve: &ec::Curve) -> Result<(), KeyError> {
    if curve.bits() < MIN_STRONG_BITS {
        return Err(KeyError::WeakCurve(curve.to_string()));
    }
    Ok(())
}

/// Requests of one algorithm, and their places among all.
struct Part<Request> {
    places: Vec<usize>,
    requests: Vec<Request>,
}

impl<Request> Part<Request> {
    const fn new() -> Self {
        Self {
            places: Vec::new(),
            requests: Vec::new(),
        }
    }

    fn push(&mut self, place: usize, request: Request) {
        self.places.push(place);
        self.requests.push(request);
    }

    /// Puts the answers of this part in their places.
    fn answer<Answer>(
        &self,
        answers: &mut [Option<Answer>],
        compute: impl FnOnce(&[Request]) -> Vec<Answer>,
    ) {
        if self.requests.is_empty() {
            return;
        }
        for (&place, answer) in self.places.iter().zip(compute(&self.requests)) {
            answers[place] = Some(answer);
        }
    }
}
