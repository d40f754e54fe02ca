//! EdDSA (RFC 8032; FIPS 186-5, section 7) in batches: Ed25519 and Ed448, with contexts and prehashed,
//! too.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::eddsa::{NonceKind, PrivateKey, SignRequest, SigningKey, Variant};
//! use sunzi_pk::ec::eddsa::{VerifyRequest, sign_batch, verify_batch};
//! use sunzi_pk::ec::{EdwardsCurve, PreparedEdwardsCurve};
//! use sunzi_pk::system_rng;
//!
//! let engine = Engine::new(Backend::best())?;
//! let curve = PreparedEdwardsCurve::new(&engine, EdwardsCurve::Edwards25519)?;
//! let private = PrivateKey::generate(&curve, &mut system_rng())?;
//! let signing = SigningKey::new(&curve, &private)?;
//!
//! let (message, variant) = (b"a message", Variant::Pure);
//! let requests = [SignRequest { key: &signing, variant, message }];
//! let signatures = sign_batch(&engine, &mut system_rng(), NonceKind::Deterministic, &requests);
//! let signature = signatures[0].as_ref().expect("the machine computes rightly");
//!
//! let requests = [VerifyRequest {
//!     key: signing.verifying_key(),
//!     variant,
//!     message,
//!     signature: signature.as_bytes(),
//! }];
//! assert_eq!(verify_batch(&engine, &requests), [Ok(())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cofactored;
mod encoding;
mod generate;
mod hash;
mod key;
mod rules;
mod scalars;
mod sign;
mod verify;

pub use super::nonces::NonceKind;
pub use cofactored::verify_cofactored_batch;
pub use hash::{ContextError, MAX_CONTEXT_BYTES, Variant};
pub use key::{KeyError, PrivateKey, PublicKey};
pub use rules::{Rule, UnknownRule, verify_batch_by};
pub use sign::{SignError, SignRequest, Signature, SigningKey, sign_batch};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};
