//! ECDSA (FIPS 186-5, section 6) on any curve of this crate.

mod nonce;
mod quotients;
mod recover;
mod sign;
mod signature;
mod verify;

pub use super::nonces::NonceKind;
pub use recover::{RecoverError, RecoverRequest, RecoverableSignature, RecoveryId, recover_batch};
pub use sign::{SignError, SignRequest, SigningKey, sign_batch, sign_recoverable_batch};
pub use signature::{Encoding, Signature, SignatureError};
pub use verify::{SRange, VerifyError, VerifyRequest, VerifyingKey, verify_batch};
