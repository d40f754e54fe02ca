//! Errors of items of a batch.

use sunzi_engine::EngineError;

/// Why an item of a batch has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PaillierError {
    /// The plaintext or the factor is not below n.
    #[error("the plain number is not below n")]
    PlaintextRange,
    /// The ciphertext is not from 1 to n^2 - 1, or shares a prime with n.
    #[error("the ciphertext is not from 1 to n^2 - 1, or shares a prime with n")]
    CiphertextRange,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The plaintext was computed wrongly, or the ciphertext shares a prime with n.
    #[error(
        "the plaintext was computed wrongly and has been withheld: a fault, or a number that is no \
         ciphertext"
    )]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}
