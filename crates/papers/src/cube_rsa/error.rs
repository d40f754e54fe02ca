//! Errors of tables and figures.

use super::hypercube::HypercubeError;

/// The reason why a table or a figure could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CubeRsaError {
    /// A power could not be computed.
    #[error(transparent)]
    Hypercube(#[from] HypercubeError),
    /// Two methods give different powers.
    #[error("{method} gives another power than the binary method, for an exponent of {bits} bits")]
    Disagreement {
        /// The method that differs from the binary method.
        method: String,
        /// The size of the exponent, in bits.
        bits: u32,
    },
    /// The number of processors to share the work is 0 or too large.
    #[error("{processors} processors: there must be 1 to {most}")]
    Processors {
        /// The number asked for.
        processors: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// The operating system refused to start a thread.
    #[error("cannot start a thread: {0}")]
    Thread(String),
    /// The exponent is too large for a loop of `e` products.
    #[error("a loop of e products for e of {bits} bits: at most {most} bits are counted out")]
    Repeated {
        /// The size of the exponent, in bits.
        bits: u32,
        /// The largest size allowed, in bits.
        most: u32,
    },
    /// An odd exponent of 0 bits was asked for.
    #[error("an exponent of 0 bits: it must have at least 1")]
    NoBits,
    /// There is no modulus of this size, in bits.
    #[error("there is no modulus of {0} bits here: there are 512, 1024, 2048 and 4096")]
    NoModulus(u32),
}
