//! Errors of searches and tests, and the lengths of primes.

use sunzi_engine::EngineError;

/// Length in bits of the shortest prime that is generated.
pub const MIN_BITS: u32 = 128;
/// Length in bits of the longest prime that is generated.
pub const MAX_BITS: u32 = 8192;

/// Why there is no prime, or no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrimeError {
    /// Primes of this size are not generated.
    #[error("primes of {0} bits are not generated: choose {MIN_BITS} to {MAX_BITS}")]
    Size(u32),
    /// The watcher ended the search.
    #[error("the search was cancelled")]
    Cancelled,
    /// No prime was found where one must be.
    #[error("no prime among {0} random numbers: the random number generator is broken")]
    NoPrime(u64),
    /// No base for a test was found where one must be.
    #[error(
        "no base from 2 to n - 2 among 128 random numbers: the random number generator is broken"
    )]
    NoBase,
    /// The number is longer than what the engine takes as a modulus, or no device could compute.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
