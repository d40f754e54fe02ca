//! "Cube Based RSA Analysis and Optimization" (M. Damrudi, K. Jadidy Aval).
//!
//! Its Table 1 (numbers of multiplications) and Table 2 (times) beside what the same methods
//! need here, on the same integers ([`tables`]); its Figure 4 (throughput and efficiency) from
//! the simulation ([`figures`]); and the data-flow graph, drawn ([`drawing`]). The methods are
//! in [`competitors`] and in `sunzi_field::power::hypercube`.

pub mod arithmetic;
pub mod competitors;
pub mod drawing;
pub mod figures;
pub mod tables;

mod random;

use sunzi_field::power::hypercube::HypercubeError;

/// Why a table or a figure could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CubeRsaError {
    /// A power was not computed.
    #[error(transparent)]
    Hypercube(#[from] HypercubeError),
    /// Two methods do not give the same power.
    #[error("{method} gives another power than the binary method, for an exponent of {bits} bits")]
    Disagreement {
        /// The method that differs.
        method: String,
        /// The size of the exponent, in bits.
        bits: u32,
    },
    /// The work was to be shared by no processor, or by too many.
    #[error("{processors} processors: there must be 1 to {most}")]
    Processors {
        /// How many were asked for.
        processors: usize,
        /// How many there may be.
        most: usize,
    },
    /// The system refused to start a thread.
    #[error("cannot start a thread: {0}")]
    Thread(String),
    /// A loop of `e` products would not end in a lifetime.
    #[error("a loop of e products for e of {bits} bits: at most {most} bits are counted out")]
    Repeated {
        /// The size of the exponent, in bits.
        bits: u32,
        /// The largest that is taken.
        most: u32,
    },
    /// An exponent without bits has no odd number.
    #[error("an exponent of 0 bits: it must have at least 1")]
    NoBits,
    /// There is no modulus of this size.
    #[error("there is no modulus of {0} bits here: there are 512, 1024, 2048 and 4096")]
    NoModulus(u32),
    /// A plot could not be drawn.
    #[error("the plot could not be drawn: {0}")]
    Plot(String),
}
