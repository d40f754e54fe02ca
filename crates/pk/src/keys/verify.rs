//! Verification of signatures of any algorithm.

use core::fmt;
use std::sync::Arc;

use super::algorithms::Algorithms;
use super::error::KeyError;
use super::key::PublicKey;
use super::lazy::Lazy;
use super::part::Part;
use super::scheme::{Content, ContentError, Scheme};
use crate::ec::{self, ecdsa, eddsa, schnorr};
use crate::rsa;
use getrandom::SysRng;

/// A public key of any algorithm, prepared for verification; cheap to clone.
#[derive(Clone, Debug)]
pub struct VerifyingKey {
    pub(super) public: PublicKey,
    pub(super) key: Verifier,
}

/// The key as its algorithm prepares it.
#[derive(Clone, Debug)]
pub(super) enum Verifier {
    Rsa(rsa::VerifyingKey),
    Ec(EcVerifier),
    Eddsa(eddsa::VerifyingKey),
}

/// A key of a curve for ECDSA, and for Schnorr signatures when it is first used for them.
#[derive(Clone)]
pub(super) struct EcVerifier {
    pub(super) ecdsa: ecdsa::VerifyingKey,
    pub(super) schnorr: Arc<Lazy<ec::PublicKey, schnorr::VerifyingKey>>,
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
                let curve = algorithms.curves().get(key.curve())?;
                Verifier::Ec(EcVerifier {
                    ecdsa: ecdsa::VerifyingKey::new(&curve, key)?,
                    schnorr: Lazy::new(curve, key.clone()),
                })
            }
            PublicKey::Edwards(key) => {
                let curve = algorithms.edwards().get(key.curve())?;
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

/// A signature to verify, with key and message.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a VerifyingKey,
    /// Signature scheme.
    pub scheme: Scheme<'a>,
    /// The message, or its digest.
    pub content: Content<'a>,
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
    /// The scheme takes no such digest.
    #[error(transparent)]
    Content(#[from] ContentError),
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
                | eddsa::VerifyError::NotCanonical(_)
                | eddsa::VerifyError::SmallOrder(_)
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
            | Self::Content(_)
            | Self::OtherScheme(_) => false,
        }
    }
}

/// Verifies a batch: one answer for each request, in the same order. A batch may mix algorithms, keys and schemes:
/// those of one algorithm are computed together.
pub fn verify_batch(
    algorithms: &Algorithms,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    let engine = algorithms.engine();
    let mut answers: Vec<Option<_>> = vec![None; requests.len()];
    let mut parts = Parts::default();
    for (place, request) in requests.iter().enumerate() {
        if let Err(error) = parts.push(place, request) {
            answers[place] = Some(Err(error));
        }
    }
    parts.rsa.answer(&mut answers, |requests| {
        let verdicts = rsa::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    parts.ecdsa.answer(&mut answers, |requests| {
        let verdicts = ecdsa::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    parts.eddsa.answer(&mut answers, |requests| {
        let verdicts = eddsa::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    for (&rule, part) in eddsa::Rule::ALL.iter().zip(&parts.eddsa_by) {
        part.answer(&mut answers, |requests| {
            let verdicts = eddsa::verify_batch_by(engine, &mut SysRng, rule, requests).into_iter();
            verdicts.map(|verdict| Ok(verdict?)).collect()
        });
    }
    parts.schnorr.answer(&mut answers, |requests| {
        let verdicts = schnorr::verify_batch(engine, requests).into_iter();
        verdicts.map(|verdict| Ok(verdict?)).collect()
    });
    answers.into_iter().flatten().collect()
}

/// The requests of a batch, by algorithm.
#[derive(Default)]
struct Parts<'a> {
    rsa: Part<rsa::VerifyRequest<'a>>,
    ecdsa: Part<ecdsa::VerifyRequest<'a>>,
    eddsa: Part<eddsa::VerifyRequest<'a>>,
    /// In the order of the rules.
    eddsa_by: [Part<eddsa::VerifyRequest<'a>>; eddsa::Rule::ALL.len()],
    schnorr: Part<schnorr::VerifyRequest<'a>>,
}

impl<'a> Parts<'a> {
    /// Adds a request to the part of its algorithm.
    fn push(&mut self, place: usize, request: &VerifyRequest<'a>) -> Result<(), VerifyError> {
        let &VerifyRequest {
            key,
            scheme,
            content,
            signature,
        } = request;
        match (&key.key, scheme) {
            (Verifier::Rsa(key), Scheme::Rsa(scheme, hash)) => {
                let request = rsa::VerifyRequest {
                    key,
                    scheme,
                    digest: content.digest(hash)?,
                    signature,
                };
                self.rsa.push(place, request);
            }
            (Verifier::Ec(key), Scheme::Ecdsa { hash, encoding, s }) => {
                let request = ecdsa::VerifyRequest {
                    key: &key.ecdsa,
                    digest: content.digest(hash)?,
                    encoding,
                    s,
                    signature,
                };
                self.ecdsa.push(place, request);
            }
            (Verifier::Ec(key), Scheme::Bip340 { .. }) => {
                let request = schnorr::VerifyRequest {
                    key: key.schnorr()?,
                    message: content.message("BIP 340")?,
                    signature,
                };
                self.schnorr.push(place, request);
            }
            (Verifier::Eddsa(key), Scheme::Eddsa(variant) | Scheme::EddsaBy(variant, _)) => {
                let request = eddsa::VerifyRequest {
                    key,
                    variant,
                    message: content.message("EdDSA")?,
                    signature,
                };
                let part = match scheme {
                    Scheme::EddsaBy(_, rule) => self.eddsa_by.get_mut(rule as usize),
                    _ => None,
                };
                part.unwrap_or(&mut self.eddsa).push(place, request);
            }
            _ => return Err(VerifyError::OtherScheme(key.public.algorithm())),
        }
        Ok(())
    }
}
