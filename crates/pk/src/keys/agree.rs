//! Key agreement of any algorithm.

use zeroize::Zeroizing;

use super::algorithms::Algorithms;
use super::error::{KeyError, check_strength};
use super::key::{PrivateKey, PublicKey};
use super::part::Part;
use crate::ec::{ecdh, xdh};

/// A private key of any curve, prepared for key agreement; cheap to clone.
#[derive(Clone, Debug)]
pub struct AgreementKey {
    public: PublicKey,
    key: Agreement,
}

#[derive(Clone, Debug)]
enum Agreement {
    Ecdh(ecdh::AgreementKey),
    Xdh(xdh::AgreementKey),
}

impl AgreementKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`KeyError::Purpose`] for keys that cannot agree, [`KeyError::WeakCurve`], and those of the algorithm's
    /// agreement keys.
    pub fn new(algorithms: &Algorithms, key: &PrivateKey) -> Result<Self, KeyError> {
        let public = key.public_key();
        let key = match key {
            PrivateKey::Ec(key) => {
                check_strength(key.curve())?;
                let curve = algorithms.curves().get(key.curve())?;
                Agreement::Ecdh(ecdh::AgreementKey::new(&curve, key)?)
            }
            PrivateKey::Montgomery(key) => {
                let curve = algorithms.montgomery().get(key.curve())?;
                Agreement::Xdh(xdh::AgreementKey::new(&curve, key)?)
            }
            PrivateKey::Rsa(_) | PrivateKey::Edwards(_) => {
                return Err(public.cannot("agree on a secret"));
            }
        };
        Ok(Self { public, key })
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }
}

/// A private key, and the public key of the other party.
#[derive(Clone, Copy, Debug)]
pub struct AgreeRequest<'a> {
    /// Private key.
    pub key: &'a AgreementKey,
    /// Public key of the other party.
    pub peer: &'a PublicKey,
}

/// Why a request got no shared secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgreeError {
    /// ECDH.
    #[error(transparent)]
    Ecdh(#[from] ecdh::AgreeError),
    /// X25519 or X448.
    #[error(transparent)]
    Xdh(#[from] xdh::AgreeError),
    /// The keys are of different algorithms.
    #[error("a key of {key} and a peer's of {peer} have no common secret")]
    OtherAlgorithm {
        /// Algorithm of the private key.
        key: String,
        /// Algorithm of the public key.
        peer: String,
    },
}

/// The shared secrets, one answer for each request, in the same order. A batch may mix algorithms and
/// keys. Derive keys from the secrets: they are no uniformly random strings.
///
/// Constant time, as [`ecdh::agree_batch`] and [`xdh::agree_batch`].
pub fn agree_batch(
    algorithms: &Algorithms,
    requests: &[AgreeRequest<'_>],
) -> Vec<Result<Zeroizing<Vec<u8>>, AgreeError>> {
    let engine = algorithms.engine();
    let mut answers: Vec<Option<_>> = vec![None; requests.len()];
    let (mut ecdh, mut xdh) = (Part::default(), Part::default());
    for (place, request) in requests.iter().enumerate() {
        match (&request.key.key, request.peer) {
            (Agreement::Ecdh(key), PublicKey::Ec(peer)) => {
                ecdh.push(place, ecdh::AgreeRequest { key, peer });
            }
            (Agreement::Xdh(key), PublicKey::Montgomery(peer)) => {
                xdh.push(place, xdh::AgreeRequest { key, peer });
            }
            (_, peer) => {
                let (key, peer) = (request.key.public.algorithm(), peer.algorithm());
                answers[place] = Some(Err(AgreeError::OtherAlgorithm { key, peer }));
            }
        }
    }
    ecdh.answer(&mut answers, |requests| {
        let secrets = ecdh::agree_batch(engine, requests).into_iter();
        let secret = |secret: Result<ecdh::SharedSecret, _>| Ok(copied(secret?.as_bytes()));
        secrets.map(secret).collect()
    });
    xdh.answer(&mut answers, |requests| {
        let secrets = xdh::agree_batch(engine, requests).into_iter();
        let secret = |secret: Result<xdh::SharedSecret, _>| Ok(copied(secret?.as_bytes()));
        secrets.map(secret).collect()
    });
    answers.into_iter().flatten().collect()
}

fn copied(secret: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(secret.to_vec())
}
