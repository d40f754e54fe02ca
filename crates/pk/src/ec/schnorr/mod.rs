//! Schnorr signatures on secp256k1 (BIP 340) in batches.
//!
//! Public keys are 32 bytes: the coordinate x of the one of two points whose y is even. Signatures are
//! 64 bytes: x of the nonce's point, whose y is even, and the number s.

mod combined;
mod hash;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

use super::prepared::PreparedCurve;
use sunzi_engine::EngineError;

pub use combined::verify_combined_batch;
pub use sign::{SIGNATURE_BYTES, SignError, SignRequest, Signature, SigningKey, sign_batch};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};

/// Number of requests in the engine at a time: far more than fill it, and few enough that a
/// batch of millions needs memory for its results only.
const CHUNK: usize = 8192;

/// Length of a coordinate, of a number below the order, and of a hash, in bytes.
const BYTES: usize = 32;

/// The reason why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Signatures of BIP 340 are defined for secp256k1 only.
    #[error("Schnorr signatures (BIP 340) are made on secp256k1, not on {0}")]
    OtherCurve(String),
    /// The public key has the wrong length.
    #[error("a public key for Schnorr signatures has {BYTES} bytes, not {0}")]
    Length(usize),
    /// The coordinate is not below p, or no point of the curve has it.
    #[error("no point of secp256k1 has this x coordinate")]
    NoSuchX,
    /// The public key given along is another key's.
    #[error("the public key does not belong to the private key")]
    Mismatch,
    /// The engine refuses, or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Checks that the curve is secp256k1.
fn check_curve(curve: &PreparedCurve) -> Result<(), KeyError> {
    match curve.curve().name() {
        Some("secp256k1") => Ok(()),
        _ => Err(KeyError::OtherCurve(curve.curve().to_string())),
    }
}
