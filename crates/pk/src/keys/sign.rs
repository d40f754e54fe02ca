//! Signatures of any algorithm.

use core::fmt;
use std::sync::Arc;

use rand_core::TryCryptoRng;

use super::algorithms::Algorithms;
use super::error::{KeyError, check_strength};
use super::key::{PrivateKey, PublicKey};
use super::lazy::Lazy;
use super::part::Part;
use super::scheme::{Content, ContentError, Scheme};
use super::verify::{EcVerifier, Verifier, VerifyingKey};
use crate::ec::{self, Curve, NonceKind, ecdsa, eddsa, schnorr};
use crate::rsa;

/// A private key of any algorithm, prepared for signing; cheap to clone.
#[derive(Clone, Debug)]
pub struct SigningKey {
    public: PublicKey,
    key: Signer,
}

/// The key as its algorithm prepares it.
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

impl SigningKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`KeyError::Purpose`] for keys that cannot sign, [`KeyError::WeakCurve`], and those of the algorithm's signing
    /// keys.
    pub fn new(algorithms: &Algorithms, key: &PrivateKey) -> Result<Self, KeyError> {
        if let PrivateKey::Ec(key) = key {
            check_strength(key.curve())?;
        }
        Self::of_any_strength(algorithms, key)
    }

    /// Prepares a key that may be too weak: RSA of fewer than [2048 bits](rsa::MIN_SIGNING_BITS), and curves of fewer
    /// than [`MIN_STRONG_BITS`](super::MIN_STRONG_BITS). Others may be able to break such keys: use them only with
    /// systems that cannot be changed.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), except for the ones about strength.
    pub fn new_permitting_weak(
        algorithms: &Algorithms,
        key: &PrivateKey,
    ) -> Result<Self, KeyError> {
        match key {
            PrivateKey::Rsa(key) => {
                let permitted = PrivateKey::Rsa(Box::new((**key).clone().permit_1024()));
                Self::of_any_strength(algorithms, &permitted)
            }
            key => Self::of_any_strength(algorithms, key),
        }
    }

    /// Prepares a key, which RSA alone checks for its strength.
    fn of_any_strength(algorithms: &Algorithms, key: &PrivateKey) -> Result<Self, KeyError> {
        let public = key.public_key();
        let key = match key {
            PrivateKey::Rsa(key) => Signer::Rsa(rsa::SigningKey::new(algorithms.engine(), key)?),
            PrivateKey::Ec(key) => {
                let curve = algorithms.curves().get(key.curve())?;
                Signer::Ec(EcSigner {
                    ecdsa: ecdsa::SigningKey::new(&curve, key)?,
                    schnorr: Lazy::new(curve, (**key).clone()),
                })
            }
            PrivateKey::Edwards(key) => {
                let curve = algorithms.edwards().get(key.curve())?;
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

/// A message to sign, with its key.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// Signing key.
    pub key: &'a SigningKey,
    /// Signature scheme.
    pub scheme: Scheme<'a>,
    /// The message, or its digest.
    pub content: Content<'a>,
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
    /// The random number generator failed to give the auxiliary data of BIP 340.
    #[error("the random number generator failed")]
    Random,
    /// The scheme takes no such digest.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The scheme is another algorithm's.
    #[error("keys of {0} have other signature schemes")]
    OtherScheme(String),
}

/// Signs a batch: one answer for each request, in the same order. A batch may mix algorithms, keys and schemes: those
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
    let mut parts = Parts::default();
    for (place, request) in requests.iter().enumerate() {
        if let Err(error) = parts.push(rng, nonces, place, request) {
            answers[place] = Some(Err(error));
        }
    }
    parts.rsa.answer(&mut answers, |requests| {
        let signatures = rsa::sign_batch(engine, rng, requests).into_iter();
        signatures.map(|signature| Ok(signature?)).collect()
    });
    parts.ecdsa.answer(&mut answers, |requests| {
        let signatures = ecdsa::sign_batch(engine, rng, nonces, requests);
        let signatures = signatures.into_iter().zip(&parts.written);
        signatures
            .map(|(signature, form)| Ok(form.write(signature?)))
            .collect()
    });
    parts.eddsa.answer(&mut answers, |requests| {
        let signatures = eddsa::sign_batch(engine, rng, nonces, requests).into_iter();
        signatures
            .map(|signature| Ok(signature?.as_bytes().to_vec()))
            .collect()
    });
    parts.schnorr.answer(&mut answers, |requests| {
        let signatures = schnorr::sign_batch(engine, requests).into_iter();
        signatures
            .map(|signature| Ok(signature?.as_bytes().to_vec()))
            .collect()
    });
    answers.into_iter().flatten().collect()
}

/// The requests of a batch, by algorithm.
#[derive(Default)]
struct Parts<'a> {
    rsa: Part<rsa::SignRequest<'a>>,
    ecdsa: Part<ecdsa::SignRequest<'a>>,
    /// Forms of the signatures of ECDSA.
    written: Vec<EcdsaForm<'a>>,
    eddsa: Part<eddsa::SignRequest<'a>>,
    schnorr: Part<schnorr::SignRequest<'a>>,
}

/// The form in which a signature of ECDSA is asked for.
struct EcdsaForm<'a> {
    curve: &'a Curve,
    encoding: ecdsa::Encoding,
    s: ecdsa::SRange,
}

impl EcdsaForm<'_> {
    /// The bytes of a signature in this form.
    fn write(&self, signature: ecdsa::Signature) -> Vec<u8> {
        let signature = match self.s {
            ecdsa::SRange::Low => signature.with_low_s(self.curve),
            ecdsa::SRange::Any => signature,
        };
        signature.to_bytes(self.encoding)
    }
}

impl<'a> Parts<'a> {
    /// Adds a request to the part of its algorithm.
    fn push<R: TryCryptoRng + ?Sized>(
        &mut self,
        rng: &mut R,
        nonces: NonceKind,
        place: usize,
        request: &SignRequest<'a>,
    ) -> Result<(), SignError> {
        let &SignRequest {
            key,
            scheme,
            content,
        } = request;
        match (&key.key, scheme) {
            (Signer::Rsa(key), Scheme::Rsa(scheme, hash)) => {
                let request = rsa::SignRequest {
                    key,
                    scheme,
                    digest: content.digest(hash)?,
                };
                self.rsa.push(place, request);
            }
            (Signer::Ec(key), Scheme::Ecdsa { hash, encoding, s }) => {
                let key = &key.ecdsa;
                let digest = content.digest(hash)?;
                self.ecdsa.push(place, ecdsa::SignRequest { key, digest });
                let curve = key.public_key().curve();
                self.written.push(EcdsaForm { curve, encoding, s });
            }
            (Signer::Ec(key), Scheme::Bip340 { auxiliary }) => {
                let request = schnorr::SignRequest {
                    key: key.schnorr()?,
                    message: content.message("BIP 340")?,
                    auxiliary: auxiliary_of(rng, nonces, auxiliary)?,
                };
                self.schnorr.push(place, request);
            }
            (Signer::Eddsa(key), Scheme::Eddsa(variant) | Scheme::EddsaBy(variant, _)) => {
                let request = eddsa::SignRequest {
                    key,
                    variant,
                    message: content.message("EdDSA")?,
                };
                self.eddsa.push(place, request);
            }
            _ => return Err(SignError::OtherScheme(key.public.algorithm())),
        }
        Ok(())
    }
}

/// The auxiliary data of a signature by BIP 340: those given, else as nonces of this kind have them.
fn auxiliary_of<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    nonces: NonceKind,
    given: Option<[u8; 32]>,
) -> Result<[u8; 32], SignError> {
    let mut auxiliary = given.unwrap_or_default();
    if given.is_none() && nonces == NonceKind::Hedged {
        let drawn = rng.try_fill_bytes(&mut auxiliary);
        drawn.map_err(|_| SignError::Random)?;
    }
    Ok(auxiliary)
}
