//! Conditions on keys for Schnorr signatures.

use super::super::prepared::PreparedCurve;
use sunzi_engine::EngineError;

/// Length of a coordinate, of a number below the order, and of a hash, in bytes.
pub(super) const BYTES: usize = 32;

/// Length of a signature in bytes.
pub const SIGNATURE_BYTES: usize = 2 * BYTES;

/// Why a key is refused.
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
pub(super) fn check_curve(curve: &PreparedCurve) -> Result<(), KeyError> {
    match curve.curve().name() {
        Some("secp256k1") => Ok(()),
        _ => Err(KeyError::OtherCurve(curve.curve().to_string())),
    }
}
