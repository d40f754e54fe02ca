//! Signatures of any algorithm.

use core::fmt;
use std::sync::{Arc, OnceLock};

use rand_core::TryCryptoRng;

use super::{Algorithms, KeyError, Part, PrivateKey, PublicKey, check_strength};
use crate::ec::{self, NonceKind, PreparedCurve, ecdsa, eddsa, schnorr};
use crate::{Hash, rsa};

/// How a message is signed. It must be a scheme of the key's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme<'a> {
    /// RSA, over the digest of the message.
    Rsa(rsa::Scheme, Hash),
    /// ECDSA, over the digest of the message.
    Ecdsa {
        /// Hash of the message.
        hash: Hash,
        /// How the signature is written.
        encoding: ecdsa::Encoding,
        /// Which s are made, and accepted.
        s: ecdsa::SRange,
    },
    /// EdDSA, over the message.
    Eddsa(eddsa::Variant<'a>),
    /// Schnorr signatures of BIP 340, over the message, with keys of secp256k1.
    Bip340 {
        /// The auxiliary data; without any, zeros for deterministic nonces, and fresh randomness for hedged ones.
        /// Verification takes no notice of them.
        auxiliary: Option<[u8; 32]>,
    },
}

impl Scheme<'_> {
    /// The usual scheme for keys of this algorithm: PKCS#1 v1.5 with SHA-256, ECDSA in DER with the
    /// hash that suits the size of the curve (FIPS 186-5, section 6.1.1), or EdDSA; PSS for RSA keys that are
    /// restricted to it. Keys for agreement get EdDSA, which they are then refused for.
    pub fn of(key: &PublicKey) -> Self {
        match key {
            PublicKey::Rsa(key) => match key.restriction() {
                None => Self::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha256),
                Some(restriction) => {
                    let (scheme, hash) = restriction.scheme();
                    Self::Rsa(scheme, hash)
                }
            },
            PublicKey::Ec(key) => Self::Ecdsa {
                hash: match key.curve().bits() {
                    0..=256 => Hash::Sha256,
                    257..=384 => Hash::Sha384,
                    _ => Hash::Sha512,
                },
                encoding: ecdsa::Encoding::Der,
                s: ecdsa::SRange::Any,
            },
            PublicKey::Edwards(_) | PublicKey::Montgomery(_) => Self::Eddsa(eddsa::Variant::Pure),
        }
    }

    /// Length in bytes of the longest signatures of this scheme by `key`; all are as long but ECDSA's in DER. `None`
    /// if the scheme is another algorithm's.
    pub fn max_signature_bytes(&self, key: &PublicKey) -> Option<usize> {
        Some(match (self, key) {
            (Self::Rsa(..), PublicKey::Rsa(key)) => key.size(),
            (Self::Ecdsa { encoding, .. }, PublicKey::Ec(key)) => {
                let bytes = key.curve().order_bytes();
                match encoding {
                    ecdsa::Encoding::Raw => 2 * bytes,
                    ecdsa::Encoding::Der => {
                        // An integer whose first bit is set gets a leading zero.
                        let bits = key.curve().order().as_ref().bits_vartime();
                        let integer = 2 + bytes + usize::from(bits % 8 == 0);
                        let header = if 2 * integer < 128 { 2 } else { 3 };
                        header + 2 * integer
                    }
                }
            }
            (Self::Eddsa(_), PublicKey::Edwards(key)) => 2 * key.curve().encoded_bytes(),
            (Self::Bip340 { .. }, PublicKey::Ec(key))
                if key.curve().name() == Some("secp256k1") =>
            {
                schnorr::SIGNATURE_BYTES
            }
            _ => return None,
        })
    }
}

/// A private key of any algorithm, prepared for signing; cheap to clone.
#[derive(Clone, Debug)]
pub struct SigningKey {
    public: PublicKey,
    key: Signer,
}

#[derive(Clone, Debug)]
enum Signer {
    Rsa(rsa::SigningKey),
    Ec(EcSigner),
    Eddsa(eddsa::SigningKey),
}

/// A key of a curve for ECDSA, and for Schnorr signatures when it is first used for them.
#[derive(Clone)]
struct EcSigner {
    ecdsa: ecdsa::SigningKey,
    schnorr: Arc<Lazy<ec::PrivateKey, schnorr::SigningKey>>,
}

/// What Schnorr signatures take of a key, prepared when it is first asked for.
struct Lazy<Key, Prepared> {
    curve: PreparedCurve,
    key: Key,
    prepared: OnceLock<Result<Prepared, schnorr::KeyError>>,
}

impl<Key, Prepared> Lazy<Key, Prepared> {
    fn new(curve: PreparedCurve, key: Key) -> Arc<Self> {
        Arc::new(Self {
            curve,
            key,
            prepared: OnceLock::new(),
        })
    }

    fn get(
        &self,
        prepare: impl FnOnce(&PreparedCurve, &Key) -> Result<Prepared, schnorr::KeyError>,
    ) -> Result<&Prepared, schnorr::KeyError> {
        let prepared = self
            .prepared
            .get_or_init(|| prepare(&self.curve, &self.key));
        prepared.as_ref().map_err(schnorr::KeyError::clone)
    }
}

impl EcSigner {
    fn schnorr(&self) -> Result<&schnorr::SigningKey, schnorr::KeyError> {
        self.schnorr.get(schnorr::SigningKey::new)
    }
}

impl fmt::Debug for EcSigner {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ecdsa.fmt(f)
    }
}

/// A public key of any algorithm, prepared for verification; cheap to clone.
#[derive(Clone, Debug)]
pub struct VerifyingKey {
    public: PublicKey,
    key: Verifier,
}

#[derive(Clone, Debug)]
enum Verifier {
    Rsa(rsa::VerifyingKey),
    Ec(EcVerifier),
    Eddsa(eddsa::VerifyingKey),
}

/// The public half of an [`EcSigner`].
#[derive(Clone)]
struct EcVerifier {
    ecdsa: ecdsa::VerifyingKey,
    schnorr: Arc<Lazy<ec::PublicKey, schnorr::VerifyingKey>>,
}

impl EcVerifier {
    fn schnorr(&self) -> Result<&schnorr::VerifyingKey, schnorr::KeyError> {
        self.schnorr.get(schnorr::VerifyingKey::new)
    }
}

impl fmt::Debug for EcVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ecdsa.fmt(f)
    }
}

impl SigningKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`KeyError::Purpose`] for keys that cannot sign, [`KeyError::WeakCurve`], and those of the algorithm's signing keys.
    pub fn new(algorithms: &Algorithms, key: &PrivateKey) -> Result<Self, KeyError> {
        let public = key.public_key();
        let key = match key {
            PrivateKey::Rsa(key) => Signer::Rsa(rsa::SigningKey::new(algorithms.engine(), key)?),
            PrivateKey::Ec(key) => {
                check_strength(key.curve())?;
                let curve = algorithms.curves.get(key.curve())?;
                Signer::Ec(EcSigner {
                    ecdsa: ecdsa::SigningKey::new(&curve, key)?,
                    schnorr: Lazy::new(curve, (**key).clone()),
                })
            }
            PrivateKey::Edwards(key) => {
                let curve = algorithms.edwards.get(key.curve())?;
                Signer::Eddsa(eddsa::SigningKey::new(&curve, key)?)
            }
            PrivateKey::Montgomery(_) => return Err(public.cannot("sign")),
        };
        Ok(Self { public, key })
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The public half, prepared for verification.
    pub fn verifying_key(&self) -> VerifyingKey {
        let key = match &self.key {
            Signer::Rsa(key) => Verifier::Rsa(key.verifying_key().clone()),
            Signer::Ec(key) => Verifier::Ec(EcVerifier {
                ecdsa: key.ecdsa.verifying_key().clone(),
                schnorr: Lazy::new(
                    key.schnorr.curve.clone(),
                    key.schnorr.key.public_key().clone(),
                ),
            }),
            Signer::Eddsa(key) => Verifier::Eddsa(key.verifying_key().clone()),
        };
        let public = self.public.clone();
        VerifyingKey { public, key }
    }

    /// The key of RSA, if it is one: for [blind signatures](rsa::blind).
    pub fn rsa(&self) -> Option<&rsa::SigningKey> {
        match &self.key {
            Signer::Rsa(key) => Some(key),
            Signer::Ec(_) | Signer::Eddsa(_) => None,
        }
    }
}

impl VerifyingKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`KeyError::Purpose`] for keys that verify nothing, and those of the algorithm's verifying keys.
    pub fn new(algorithms: &Algorithms, key: &PublicKey) -> Result<Self, KeyError> {
        let public = key.clone();
        let key = match key {
            PublicKey::Rsa(key) => Verifier::Rsa(rsa::VerifyingKey::new(algorithms.engine(), key)?),
            PublicKey::Ec(key) => {
                let curve = algorithms.curves.get(key.curve())?;
                Verifier::Ec(EcVerifier {
                    ecdsa: ecdsa::VerifyingKey::new(&curve, key)?,
                    schnorr: Lazy::new(curve, key.clone()),
                })
            }
            PublicKey::Edwards(key) => {
                let curve = algorithms.edwards.get(key.curve())?;
                Verifier::Eddsa(eddsa::VerifyingKey::new(&curve, key)?)
            }
            PublicKey::Montgomery(_) => return Err(public.cannot("verify signatures")),
        };
        Ok(Self { public, key })
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The key of RSA, if it is one: for [blind signatures](rsa::blind).
    pub fn rsa(&self) -> Option<&rsa::VerifyingKey> {
        match &self.key {
            Verifier::Rsa(key) => Some(key),
            Verifier::Ec(_) | Verifier::Eddsa(_) => None,
        }
    }
}

/// A message to sign, with its key.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// Signing key.
    pub key: &'a SigningKey,
    /// How it signs.
    pub scheme: Scheme<'a>,
    /// The message.
    pub message: &'a [u8],
}

/// Why a request got no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// RSA.
    #[error(transparent)]
    Rsa(#[from] rsa::SignError),
    /// ECDSA.
    #[error(transparent)]
    Ecdsa(#[from] ecdsa::SignError),
    /// EdDSA.
    #[error(transparent)]
    Eddsa(#[from] eddsa::SignError),
    /// BIP 340.
    #[error(transparent)]
    Bip340(#[from] schnorr::SignError),
    /// The key is not one for BIP 340.
    #[error(transparent)]
    Bip340Key(#[from] schnorr::KeyError),
    /// The random number generator failed, which was asked for the auxiliary data of BIP 340.
    #[error("the random number generator failed")]
    Random,
    /// The scheme is another algorithm's.
    #[error("keys of {0} have other signature schemes")]
    OtherScheme(String),
}

/// A signature to verify, with key and message.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a VerifyingKey,
    /// How it signs.
    pub scheme: Scheme<'a>,
    /// The message.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// Why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// RSA.
    #[error(transparent)]
    Rsa(#[from] rsa::VerifyError),
    /// ECDSA.
    #[error(transparent)]
    Ecdsa(#[from] ecdsa::VerifyError),
    /// EdDSA.
    #[error(transparent)]
    Eddsa(#[from] eddsa::VerifyError),
    /// BIP 340.
    #[error(transparent)]
    Bip340(#[from] schnorr::VerifyError),
    /// The key is not one for BIP 340.
    #[error(transparent)]
    Bip340Key(#[from] schnorr::KeyError),
    /// The scheme is another algorithm's.
    #[error("keys of {0} have other signature schemes")]
    OtherScheme(String),
}

impl VerifyError {
    /// Whether nothing is known about the signature, because the engine or a random number generator
    /// failed.
    pub fn is_undecided(&self) -> bool {
        // Without a wildcard, so that a new reason is put into one of the lists.
        match self {
            Self::Rsa(rsa::VerifyError::Engine(_))
            | Self::Ecdsa(ecdsa::VerifyError::Engine(_))
            | Self::Eddsa(eddsa::VerifyError::Engine(_) | eddsa::VerifyError::Random)
            | Self::Bip340(schnorr::VerifyError::Engine(_) | schnorr::VerifyError::Random)
            | Self::Bip340Key(schnorr::KeyError::Engine(_)) => true,
            Self::Rsa(
                rsa::VerifyError::Length { .. }
                | rsa::VerifyError::OutOfRange
                | rsa::VerifyError::KeyTooShort { .. }
                | rsa::VerifyError::Restricted(_)
                | rsa::VerifyError::Mismatch,
            )
            | Self::Ecdsa(
                ecdsa::VerifyError::Signature(_)
                | ecdsa::VerifyError::HighS
                | ecdsa::VerifyError::Mismatch,
            )
            | Self::Eddsa(
                eddsa::VerifyError::Context(_)
                | eddsa::VerifyError::Length { .. }
                | eddsa::VerifyError::OutOfRange
                | eddsa::VerifyError::NoPoint
                | eddsa::VerifyError::Mismatch,
            )
            | Self::Bip340(
                schnorr::VerifyError::Length(_)
                | schnorr::VerifyError::Coordinate
                | schnorr::VerifyError::OutOfRange
                | schnorr::VerifyError::Mismatch,
            )
            | Self::Bip340Key(
                schnorr::KeyError::OtherCurve(_)
                | schnorr::KeyError::Length(_)
                | schnorr::KeyError::NoSuchX
                | schnorr::KeyError::Mismatch,
            )
            | Self::OtherScheme(_) => false,
        }
    }
}

/// One answer for each request, in the same order. A batch may mix algorithms, keys and schemes: those
/// of one algorithm are computed together. Keys of curves have nonces of this kind.
///
/// Constant time, and checked, as the algorithms' own batches are: [`rsa::sign_batch`],
/// [`ecdsa::sign_batch`], [`eddsa::sign_batch`], [`schnorr::sign_batch`].
pub fn sign_batch<R: TryCryptoRng + ?Sized>(
    algorithms: &Algorithms,
    rng: &mut R,
    nonces: NonceKind,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Vec<u8>, SignError>> {
    let engine = algorithms.engine();
    let mut answers: Vec<Option<_>> = vec![None; requests.len()];
    let (mut rsa, mut eddsa) = (Part::new(), Part::new());
    let (mut ecdsa, mut written) = (Part::new(), Vec::new());
    let mut schnorr = Part::new();
    for (place, request) in requests.iter().enumerate() {
        let message = request.message;
        match (&request.key.key, request.scheme) {
            (Signer::Rsa(key), Scheme::Rsa(scheme, hash)) => {
                let digest = hash.digest(message);
                rsa.push(
                    place,
                    rsa::SignRequest {
                        key,
                        scheme,
                        digest,
                    },
                );
            }
            (Signer::Ec(key), Scheme::Ecdsa { hash, encoding, s }) => {
                let (key, digest) = (&key.ecdsa, hash.digest(message));
                ecdsa.push(place, ecdsa::SignRequest { key, digest });
                written.push((key.public_key().curve(), encoding, s));
            }
            (Signer::Ec(key), Scheme::Bip340 { auxiliary }) => {
                match bip340(rng, nonces, key, auxiliary) {
                    Ok((key, auxiliary)) => schnorr.push(
                        place,
                        schnorr::SignRequest {
                            key,
                            message,
                            auxiliary,
                        },
                    ),
                    Err(error) => answers[place] = Some(Err(error)),
                }
            }
            (Signer::Eddsa(key), Scheme::Eddsa(variant)) => {
                let request = eddsa::SignRequest {
                    key,
                    variant,
                    message,
                };
                eddsa.push(place, request);
            }
            _ => {
                let algorithm = request.key.public.algorithm();
                answers[place] = Some(Err(SignError::OtherScheme(algorithm)));
            }
        }
    }
    rsa.answer(&mut answers, |requests| {
        let signatures = rsa::sign_batch(engine, rng, requests).into_iter();
        signatures.map(|signature| Ok(signature?)).collect()
    });
    ecdsa.answer(&mut answers, |requests| {
        let signatures = ecdsa::sign_batch(engine, rng, nonces, requests);
        let signatures = signatures.into_iter().zip(&written);
        let write = |(signature, &(curve, encoding, s)): (Result<ecdsa::Signature, _>, _)| {
            let signature = signature?;
            let signature = match s {
                ecdsa::SRange::Low => signature.with_low_s(curve),
                ecdsa::SRange::Any => signature,
            };
            Ok(signature.to_bytes(encoding))
        };
        signatures.map(write).collect()
    });
    eddsa.answer(&mut answers, |requests| {
        let signatures = eddsa::sign_batch(engine, rng, nonces, requests).into_iter();
        signatures
            .map(|signature| Ok(signature?.as_bytes().to_vec()))
            .collect()
    });
    schnorr.answer(&mut answers, |requests| {
        let signatures = schnorr::sign_batch(engine, requests).into_iter();
        signatures
            .map(|signature| Ok(signature?.as_bytes().to_vec()))
            .collect()
    });
    answers.into_iter().flatten().collect()
}

/// The key as it signs by BIP 340, and the auxiliary data.
fn bip340<'a, R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    nonces: NonceKind,
    key: &'a EcSigner,
    given: Option<[u8; 32]>,
) -> Result<(&'a schnorr::SigningKey, [u8; 32]), SignError> {
    let key = key.schnorr()?;
    let mut auxiliary = given.unwrap_or_default();
    if given.is_none() && nonces == NonceKind::Hedged {
        let drawn = rng.try_fill_bytes(&mut auxiliary);
        drawn.map_err(|_| SignError::Random)?;
    }
    Ok((key, auxiliary))
}

/// One answer for each request, in the same order. A batch may mix algorithms, keys and schemes.
pub fn verify_batch(
    algorithms: &Algorithms,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    let engine = algorithms.engine();
    let mut answers: Vec<Option<_>> = vec![None; requests.len()];
    let (mut rsa, mut ecdsa, mut eddsa) = (Part::new(), Part::new(), Part::new());
    let mut schnorr = Part::new();
    for (place, request) in requests.iter().enumerate() {
        let &VerifyRequest {
            key,
            scheme,
            message,
            signature,
        } = request;
        match (&key.key, scheme) {
            (Verifier::Rsa(key), Scheme::Rsa(scheme, hash)) => {
                let digest = hash.digest(message);
                rsa.push(
                    place,
                    rsa::VerifyRequest {
                        key,
                        scheme,
                        digest,
                        signature,
                    },
                );
            }
            (Verifier::Ec(key), Scheme::Ecdsa { hash, encoding, s }) => {
                let (key, digest) = (&key.ecdsa, hash.digest(message));
                let request = ecdsa::VerifyRequest {
                    key,
                    digest,
                    encoding,
                    s,
                    signature,
                };
                ecdsa.push(place, request);
            }
            (Verifier::Ec(key), Scheme::Bip340 { .. }) => match key.schnorr() {
                Ok(key) => schnorr.push(
                    place,
                    schnorr::VerifyRequest {
                        key,
                        message,
                        signature,
                    },
                ),
                Err(error) => answers[place] = Some(Err(error.into())),
            },
            (Verifier::Eddsa(key), Scheme::Eddsa(variant)) => {
                let request = eddsa::VerifyRequest {
                    key,
                    variant,
                    message,
                    signature,
                };
                eddsa.push(place, request);
            }
            _ => {
                let algorithm = key.public.algorithm();
                answers[place] = Some(Err(VerifyError::OtherScheme(algorithm)));
            }
        }
    }
    rsa.answer(&mut answers, |requests| {
        let verdicts = rsa::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    ecdsa.answer(&mut answers, |requests| {
        let verdicts = ecdsa::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    eddsa.answer(&mut answers, |requests| {
        let verdicts = eddsa::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    schnorr.answer(&mut answers, |requests| {
        let verdicts = schnorr::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    answers.into_iter().flatten().collect()
}
