//! Key agreement in batches (RFC 7748, section 6).

use super::curve::{MontgomeryCurve, PreparedMontgomeryCurve};
use super::key::{KeyError, PrivateKey, PublicKey, encode};
use super::multiples::{Multiple, Product, multiples, scalar};
use crate::ec::secret::SharedSecret;
use crate::verdict::public;
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::{BoxedUint, CtEq};
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

/// A private key prepared for key agreement on an engine; cheap to clone. The numbers are wiped when
/// the last clone is dropped.
#[derive(Clone)]
pub struct AgreementKey(Arc<AgreementKeyData>);

/// Data of the key, shared by its clones.
struct AgreementKeyData {
    curve: PreparedMontgomeryCurve,
    public: PublicKey,
    scalar: Zeroizing<BoxedUint>,
    /// A second copy of the scalar: another number gives a point that is as right.
    again: Zeroizing<BoxedUint>,
}

impl AgreementKey {
    /// Prepares a key for key agreement.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`].
    pub fn new(curve: &PreparedMontgomeryCurve, key: &PrivateKey) -> Result<Self, KeyError> {
        key.public_key().check(curve)?;
        Ok(Self(Arc::new(AgreementKeyData {
            curve: curve.clone(),
            public: key.public_key().clone(),
            scalar: scalar(key.as_bytes()),
            again: scalar(key.as_bytes()),
        })))
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }
}

impl fmt::Debug for AgreementKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AgreementKey").field(&self.0.public).finish()
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

/// The reason why a request got no shared secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgreeError {
    /// The public key is of another curve than the private one.
    #[error("the other party's key is of {peer}, and the private key of {key}")]
    OtherCurve {
        /// The private key's curve.
        key: MontgomeryCurve,
        /// The other party's curve.
        peer: MontgomeryCurve,
    },
    /// The other party's point has a small order: the secret would be all zeros, whatever the private
    /// key is.
    #[error("the other party's point has a small order, so that the secret would be all zeros")]
    LowOrder,
    /// The result did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the shared secret failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order. A batch may mix keys and curves.
///
/// As in RFC 7748, the top bit of u is ignored for X25519, u may be the prime or more, and may be that of a point of
/// the twist.
///
/// Constant time in the private keys. Before a secret leaves, the two points that the ladder ends with
/// are found to differ by the point that it began with, and the integer that leaves, read again, to be u
/// of the first of them. A fault in the arithmetic breaks one of both. The private number must equal its second copy;
/// a fault in its bits, on their way, is not found.
pub fn agree_batch(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Vec<Result<SharedSecret, AgreeError>> {
    requests
        .chunks(engine.at_a_time())
        .flat_map(|chunk| agree_chunk(engine, chunk))
        .collect()
}

fn agree_chunk(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Vec<Result<SharedSecret, AgreeError>> {
    let us: Vec<_> = requests.iter().map(peer).collect();
    let pairs = requests.iter().zip(&us);
    let work: Vec<_> = pairs
        .filter_map(|(request, u)| {
            Some(Multiple {
                curve: &request.key.0.curve,
                u: u.as_ref().ok()?,
                scalar: &request.key.0.scalar,
            })
        })
        .collect();
    let mut secrets = match multiples(engine, &work) {
        Ok(secrets) => secrets.into_iter(),
        Err(error) => {
            let failed = |u: &Result<_, AgreeError>| match u {
                Ok(_) => Err(error.clone().into()),
                Err(refused) => Err(refused.clone()),
            };
            return us.iter().map(failed).collect();
        }
    };
    let answers = requests.iter().zip(&us).map(|(request, u)| {
        if let Err(refused) = u {
            return Err(refused.clone());
        }
        let AgreementKeyData { scalar, again, .. } = &*request.key.0;
        match secrets.next() {
            Some(Product::U(secret)) if public(scalar.ct_eq(again).into()) => {
                let curve = request.key.0.curve.curve();
                Ok(SharedSecret::new(encode(curve, &secret)))
            }
            // There are no keys whose multiples are at infinity, but a number that has changed may be one.
            _ => Err(AgreeError::Fault),
        }
    });
    let answers = answers.collect();
    // Bytes of secrets were moved there.
    wipe_stack();
    answers
}

/// u of the other party.
fn peer(request: &AgreeRequest<'_>) -> Result<BoxedUint, AgreeError> {
    let (key, peer) = (request.key.0.curve.curve(), request.peer.curve());
    if key != peer {
        return Err(AgreeError::OtherCurve { key, peer });
    }
    let u = key.decode(request.peer.as_bytes());
    if key.is_low_order(&u) {
        return Err(AgreeError::LowOrder);
    }
    Ok(u)
}
