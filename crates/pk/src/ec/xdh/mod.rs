//! Key agreement by X25519 and X448 (RFC 7748) in batches.
//!
//! Two parties that know each other's public keys compute the same secret. It is no uniformly random
//! string: derive keys from it by a key derivation function (HKDF of RFC 5869), together with both
//! public keys (RFC 7748, section 6).
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::xdh::{AgreeRequest, AgreementKey, PrivateKey, agree_batch};
//! use sunzi_pk::ec::{MontgomeryCurve, PreparedMontgomeryCurve};
//! use sunzi_pk::system_rng;
//!
//! let engine = Engine::new(Backend::best())?;
//! let curve = PreparedMontgomeryCurve::new(&engine, MontgomeryCurve::Curve25519)?;
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

mod agree;
pub(super) mod curve;
mod encoding;
mod key;
mod ladder;
mod multiples;
#[cfg(test)]
mod tests;

pub use crate::ec::secret::SharedSecret;
pub use agree::{AgreeError, AgreeRequest, AgreementKey, agree_batch};
pub use key::{KeyError, PrivateKey, PublicKey};

/// Number of requests in the engine at a time: far more than fill it, and few enough that a
/// batch of millions needs memory for its results only.
const CHUNK: usize = 8192;
