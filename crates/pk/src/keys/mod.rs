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
//! let message = b"a message";
//! let requests = signing.iter().map(|key| SignRequest {
//!     key,
//!     scheme: Scheme::of(key.public_key()),
//!     content: message.into(),
//! });
//! let requests: Vec<_> = requests.collect();
//! let signatures = sign_batch(&algorithms, rng, NonceKind::Deterministic, &requests);
//!
//! for (key, signature) in signing.iter().zip(signatures) {
//!     let request = VerifyRequest {
//!         key: &key.verifying_key(),
//!         scheme: Scheme::of(key.public_key()),
//!         content: message.into(),
//!         signature: &signature?,
//!     };
//!     assert_eq!(verify_batch(&algorithms, &[request]), [Ok(())]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agree;
mod algorithms;
mod error;
mod key;
mod lazy;
mod part;
mod scheme;
mod sign;
mod verify;

pub use crate::ec::NonceKind;
pub use agree::{AgreeError, AgreeRequest, AgreementKey, agree_batch};
pub use algorithms::Algorithms;
pub use error::{KeyError, MIN_STRONG_BITS};
pub use key::{PrivateKey, PublicKey};
pub use scheme::{Content, ContentError, Scheme};
pub use sign::{SignError, SignRequest, SigningKey, sign_batch};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};
