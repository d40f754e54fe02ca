//! Private and public keys of any algorithm: made, read and written.

use core::fmt;
use core::ops::ControlFlow;

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::algorithms::Algorithms;
use super::error::{KeyError, check_strength};
use crate::ec::{self, EdwardsCurve, MontgomeryCurve, eddsa, xdh};
use crate::key_file::openssh;
use crate::{KdfLimits, KeyAlgorithm, KeyFile, KeyFileError, primes, rsa};

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
            let curve = algorithms.edwards().get(curve)?;
            return Ok(Self::Edwards(eddsa::PrivateKey::generate(&curve, rng)?));
        }
        if let Ok(curve) = name.parse::<MontgomeryCurve>() {
            let curve = algorithms.montgomery().get(curve)?;
            return Ok(Self::Montgomery(xdh::PrivateKey::generate(&curve, rng)?));
        }
        let curve = name.parse::<ec::Curve>();
        let curve = curve.map_err(|_| KeyError::UnknownAlgorithm(name.into()))?;
        check_strength(&curve)?;
        let curve = algorithms.curves().get(&curve)?;
        Ok(Self::Ec(Box::new(ec::PrivateKey::generate(&curve, rng)?)))
    }

    /// Makes `count` keys of the names of [`generate`](Self::generate), those of RSA by the batch.
    ///
    /// `watch` may end the search for RSA's primes.
    ///
    /// # Errors
    /// The errors of [`generate`](Self::generate) and [`rsa::PrivateKey::generate_batch`].
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
                let key = ec::PrivateKey::from_pem_or_der(algorithms.curves(), der, None)?;
                Self::Ec(Box::new(key))
            }
            KeyAlgorithm::Edwards(_) => {
                let key = eddsa::PrivateKey::from_pem_or_der(algorithms.edwards(), der, None)?;
                Self::Edwards(key)
            }
            KeyAlgorithm::Montgomery(_) => {
                let key = xdh::PrivateKey::from_pem_or_der(algorithms.montgomery(), der, None)?;
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

    /// The key in OpenSSH's format, encrypted if there is a passphrase: RSA, P-256, P-384, P-521 and Ed25519. The
    /// encryption is AES-256 in counter mode with 24 rounds of bcrypt, as `ssh-keygen` has it. A restriction to PSS
    /// gets lost.
    ///
    /// # Errors
    /// [`KeyFileError::NoOpenSshFormat`], [`KeyFileError::EmptyPassphrase`].
    pub fn to_openssh<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        passphrase: Option<&[u8]>,
    ) -> Result<Zeroizing<String>, KeyError> {
        let mut write = |key: &openssh::Key<'_>| openssh::write_private(rng, passphrase, key);
        let written = match self {
            Self::Rsa(key) => key.with_pkcs1(|key| write(&openssh::Key::Rsa(key)))?,
            Self::Ec(key) => match key.curve().oid() {
                None => None,
                Some(oid) => write(&openssh::Key::Ec {
                    oid,
                    point: &key.public_key().to_sec1_bytes(false),
                    d: &key.to_bytes(),
                })?,
            },
            Self::Edwards(key) => write(&openssh::Key::Edwards {
                curve: key.curve(),
                public: key.public_key().as_bytes(),
                seed: key.as_bytes(),
            })?,
            Self::Montgomery(_) => None,
        };
        written.ok_or_else(|| self.public_key().no_openssh_format())
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

    /// Length in bits of RSA's modulus, or of the prime of the curve: 2048, 256, 255.
    pub fn bits(&self) -> u32 {
        match self {
            Self::Rsa(key) => key.bits(),
            Self::Ec(key) => key.curve().bits(),
            Self::Edwards(key) => key.curve().bits(),
            Self::Montgomery(key) => key.curve().bits(),
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

    /// The key on one line, as OpenSSH has it, without a comment: RSA, P-256, P-384, P-521 and Ed25519. A restriction
    /// to PSS gets lost.
    ///
    /// # Errors
    /// [`KeyFileError::NoOpenSshFormat`].
    pub fn to_openssh(&self) -> Result<String, KeyError> {
        let line = match self {
            Self::Rsa(key) => Some(key.with_pkcs1(openssh::rsa_line)),
            Self::Ec(key) => {
                let oid = key.curve().oid();
                oid.and_then(|oid| openssh::ec_line(&oid, &key.to_sec1_bytes(false)))
            }
            Self::Edwards(key) => openssh::edwards_line(key.curve(), key.as_bytes()),
            Self::Montgomery(_) => None,
        };
        line.ok_or_else(|| self.no_openssh_format())
    }

    fn no_openssh_format(&self) -> KeyError {
        KeyFileError::NoOpenSshFormat(self.algorithm()).into()
    }

    /// The error of a key that its algorithm lets do something else.
    pub(super) fn cannot(&self, purpose: &'static str) -> KeyError {
        let algorithm = self.algorithm();
        KeyError::Purpose { algorithm, purpose }
    }
}

/// The length of RSA keys in a name such as `RSA-2048`.
fn rsa_bits(name: &str) -> Option<u32> {
    name.strip_prefix("RSA-").and_then(|bits| bits.parse().ok())
}
