//! Errors of groups, ballots and proofs.

use super::sizes::{MAX_BITS, MIN_BITS};
use crate::primes::PrimeError;
use sunzi_engine::EngineError;

/// Why there is no result, or why something is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FfcError {
    /// The modulus is too short or too long.
    #[error("p has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    GroupSize(u32),
    /// The numbers are those of no group.
    #[error("no group of prime order: {0}")]
    BadGroup(&'static str),
    /// A number is not from 1 to p - 1.
    #[error("the element is not from 1 to p - 1")]
    ElementRange,
    /// A number is not in the subgroup.
    #[error("the element is not in the subgroup of order q")]
    NotMember,
    /// An exponent is not below q.
    #[error("the exponent is not below q")]
    ExponentRange,
    /// A vote is neither 0 nor 1.
    #[error("the vote is {0}: it must be 0 or 1")]
    Vote(u32),
    /// A decrypted sum is larger than it can be.
    #[error("the sum is not from 0 to {0}")]
    SumRange(u32),
    /// A proof does not prove what it should.
    #[error("the proof is wrong")]
    WrongProof,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The watcher ended the computation.
    #[error("the computation was cancelled")]
    Cancelled,
    /// The tests of primality ended without a verdict.
    #[error(transparent)]
    Primes(Box<PrimeError>),
    /// The engine refuses the modulus, or no device could compute.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl FfcError {
    /// Whether a verification that ends with this error refuses what it was given. After any other error nothing is
    /// known about it.
    pub fn is_refusal(&self) -> bool {
        // Without a wildcard, so that a new reason is put into one of the lists.
        match self {
            Self::ElementRange | Self::ExponentRange | Self::NotMember | Self::WrongProof => true,
            Self::GroupSize(_)
            | Self::BadGroup(_)
            | Self::Vote(_)
            | Self::SumRange(_)
            | Self::Random
            | Self::Cancelled
            | Self::Primes(_)
            | Self::Engine(_) => false,
        }
    }
}
