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

/// Number of requests in the engine at a time: far more than fill it, and few enough that a
/// batch of millions needs memory for its results only.
const CHUNK: usize = 8192;
