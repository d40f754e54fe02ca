//! The reasons why openings and blobs are refused, and the lengths of their encodings.

use crate::ec::{GroupError, PointError};
use sunzi_engine::EngineError;

/// Length of an encoded scalar in bytes.
pub(super) const SCALAR: usize = 32;
/// Length of a commitment and of a proof in bytes.
pub(super) const ELEMENT: usize = 48;
/// The number of values of a blob.
pub(super) const VALUES: usize = 4096;
/// Length of a blob in bytes.
pub const BLOB_BYTES: usize = VALUES * SCALAR;

/// The reason why an opening or a blob is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KzgError {
    /// The commitment is no element of G1.
    #[error("the commitment is no element of G1: {0}")]
    Commitment(PointError),
    /// The proof is no element of G1.
    #[error("the proof is no element of G1: {0}")]
    Proof(PointError),
    /// A commitment or a proof has the wrong length.
    #[error("commitments and proofs have {ELEMENT} bytes, not {0}")]
    ElementLength(usize),
    /// A scalar has the wrong length, or is not below the order.
    #[error("{0} is not {SCALAR} bytes of a number below the order of the group")]
    Scalar(&'static str),
    /// A blob has the wrong length.
    #[error("a blob has {expected} bytes, not {found}", expected = BLOB_BYTES)]
    Length {
        /// The blob's length.
        found: usize,
    },
    /// The opening is wrong.
    #[error("the opening is wrong")]
    Mismatch,
    /// The random number generator failed: nothing is known about the openings.
    #[error("the random number generator failed")]
    Random,
    /// No device of the engine could compute it: nothing is known about the opening.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<GroupError> for KzgError {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::Engine(error) => Self::Engine(error),
            // All elements are of G1.
            _ => Self::Mismatch,
        }
    }
}
