//! Key agreement by Diffie and Hellman's method on curves (SP 800-56A, revision 3, section 5.7.1.2,
//! "ECC CDH"), in batches.
//!
//! Two parties that know each other's public keys compute the same point, `d Q` of one's private
//! number and the other's public point. Its x coordinate is the shared secret. It is no uniformly
//! random string: derive keys from it by a key derivation function (SP 800-56C, or HKDF of RFC 5869).
//!
//! All curves of this crate have the cofactor 1, so that the multiplication by the cofactor of
//! ECC CDH changes nothing, and a [`PublicKey`], which is a point of the curve other than that at
//! infinity, passes the full validation of section 5.6.2.3.3: it has the order of the base point.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::ecdh::{AgreeRequest, AgreementKey, agree_batch};
//! use sunzi_pk::ec::{PreparedCurve, PrivateKey};
//! use sunzi_pk::system_rng;
//!
//! let engine = Engine::new(Backend::best())?;
//! let curve = PreparedCurve::new(&engine, &"P-256".parse()?)?;
//! let alice = PrivateKey::generate(&curve, &mut system_rng())?;
//! let bob = PrivateKey::generate(&curve, &mut system_rng())?;
//! let keys = [AgreementKey::new(&curve, &alice)?, AgreementKey::new(&curve, &bob)?];
//!
//! let requests = [
//!     AgreeRequest { key: &keys[0], peer: bob.public_key() },
//!     AgreeRequest { key: &keys[1], peer: alice.public_key() },
//! ];
//! let secrets = agree_batch(&engine, &requests);
//! let secrets = secrets.into_iter().collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(secrets[0].as_bytes(), secrets[1].as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::base::Coordinates;
use super::key::{KeyError, PrivateKey, PublicKey};
use super::point::to_bytes;
use super::prepared::PreparedCurve;
use super::variable::{Multiple, SecretScalar, variable_multiples};
use core::fmt;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

pub use super::secret::SharedSecret;

/// A private key prepared for key agreement on an engine; cheap to clone. The numbers are wiped when
/// the last clone is dropped.
#[derive(Clone)]
pub struct AgreementKey(Arc<AgreementKeyData>);

/// Data of the key, shared by its clones.
struct AgreementKeyData {
    curve: PreparedCurve,
    public: PublicKey,
    /// d.
    scalar: SecretScalar,
    /// A second copy of d: another number gives a point that is as right.
    again: SecretScalar,
}

impl AgreementKey {
    /// Prepares a key for key agreement.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`].
    pub fn new(curve: &PreparedCurve, key: &PrivateKey) -> Result<Self, KeyError> {
        curve.check(key.public_key())?;
        let scalar = SecretScalar::new(curve, key.d());
        Ok(Self(Arc::new(AgreementKeyData {
            curve: curve.clone(),
            public: key.public_key().clone(),
            again: scalar.clone(),
            scalar,
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
        key: String,
        /// The other party's curve.
        peer: String,
    },
    /// The result did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the shared secret failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order. A batch may mix keys and curves.
///
/// Constant time in the private keys. Before a secret leaves, the point is found to satisfy the
/// curve's equation, and the integer that leaves, read again, to be its x coordinate. A fault in the
/// arithmetic, or one that moves the peer's point to a weaker curve, breaks one of both. The private number must
/// equal its second copy; a fault in its digits, on their way, is not found.
pub fn agree_batch(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Vec<Result<SharedSecret, AgreeError>> {
    let chunks = requests.chunks(engine.at_a_time());
    chunks
        .flat_map(|chunk| agree_chunk(engine, chunk))
        .collect()
}

fn agree_chunk(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Vec<Result<SharedSecret, AgreeError>> {
    let same_curve = |request: &AgreeRequest<'_>| {
        let (key, peer) = (request.key.public_key().curve(), request.peer.curve());
        if key == peer {
            return Ok(());
        }
        Err(AgreeError::OtherCurve {
            key: key.to_string(),
            peer: peer.to_string(),
        })
    };
    let possible: Vec<_> = requests.iter().map(same_curve).collect();
    let work: Vec<_> = requests
        .iter()
        .zip(&possible)
        .filter_map(|(request, possible)| possible.is_ok().then_some(*request))
        .collect();
    let mut secrets = match secrets(engine, &work) {
        Ok(secrets) => secrets.into_iter(),
        Err(error) => {
            let failed = || Err(AgreeError::Engine(error.clone()));
            let answers = possible.into_iter();
            return answers
                .map(|possible| possible.and_then(|()| failed()))
                .collect();
        }
    };
    let answers = possible.into_iter();
    answers
        .map(|possible| {
            possible?;
            secrets.next().flatten().ok_or(AgreeError::Fault)
        })
        .collect()
}

/// The shared secrets of requests on equal curves; `None` if the check fails.
fn secrets(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Result<Vec<Option<SharedSecret>>, EngineError> {
    let points = requests.iter().map(|request| request.peer.coordinates());
    let points: Vec<_> = points.collect();
    let work = requests
        .iter()
        .zip(&points)
        .map(|(request, point)| Multiple {
            curve: &request.key.0.curve,
            scalar: &request.key.0.scalar,
            point,
        });
    let multiples = variable_multiples(engine, Coordinates::X, &work.collect::<Vec<_>>())?;
    let secret = |(request, multiple): (&AgreeRequest<'_>, Option<Vec<Zeroizing<BoxedUint>>>)| {
        let bytes = request.peer.curve().field().bytes();
        let x = multiple?.into_iter().next()?;
        let AgreementKeyData { scalar, again, .. } = &*request.key.0;
        if !scalar.is(again) {
            return None;
        }
        Some(SharedSecret::new(Zeroizing::new(to_bytes(&x, bytes))))
    };
    Ok(requests.iter().zip(multiples).map(secret).collect())
}
