//! Exponentiation spread over a hypercube of processing elements.
//!
//! After "Cube Based RSA Analysis and Optimization" (M. Damrudi, K. Jadidy Aval). The exponent is
//! split, `e = D q + r`. A coordinator computes `A = m^q` and `B = m^r`; a path of cubes, each of
//! eight processing elements, computes `A^D B = m^e`.
//!
//! The graph is data ([`Network`]), and the exponents, the work and the depth are all read off
//! it. It runs in three ways, which must agree: element by element on one processor
//! ([`Network::evaluate`]), as a discrete-event simulation without residues ([`simulate`]), and
//! on threads, one for each element ([`Executor`]).
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_papers::cube_rsa::arithmetic::IntegerMontgomery;
//! use sunzi_papers::cube_rsa::hypercube::{Exponent, Form, Hypercube};
//!
//! let arithmetic = IntegerMontgomery::new(&BoxedUint::from((1u128 << 127) - 1))?;
//! let plan = Hypercube::new(2, Form::Optimized)?.plan(Exponent::Public(&65_537u64.into()))?;
//! let powers = plan.powers(&arithmetic, &[BoxedUint::from(2u64)])?;
//! // 2^127 = 1, and 65537 = 516 * 127 + 5.
//! assert_eq!(powers, [BoxedUint::from(32u64)]);
//! # Ok::<(), sunzi_papers::cube_rsa::hypercube::HypercubeError>(())
//! ```
//!
#![doc = include_str!("../../../../docs/hypercube.md")]

mod chain;
pub mod data_flow;
mod executor;
#[cfg(test)]
mod interleavings;
pub mod methods;
mod network;
mod plan;
mod program;
mod simulation;
#[cfg(test)]
mod tests;
mod timeline;
mod topology;
mod worker;

pub use chain::chain;
pub use data_flow::Form;
pub use executor::{Executor, Fault, RunError, StreamResult};
pub use network::{Link, Network, NetworkError, ProcessingElement};
pub use plan::{Exponent, Hypercube, Plan};
pub use program::{Operand, Program, Step};
pub use simulation::simulate;
pub use timeline::{Costs, Event, EventKind, Firing, Timeline, Timing};
pub use topology::{Cubes, MAX_CUBES, NODES_PER_CUBE, Node, Place};

/// The reason why a power cannot be spread over processing elements, or was not computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HypercubeError {
    /// The number of cubes is 0.
    #[error("0 cubes: a hypercube has at least 1 cube of {NODES_PER_CUBE} processing elements")]
    NoCubes,
    /// The number of cubes is above [`MAX_CUBES`].
    #[error("{0} cubes are too many: at most {MAX_CUBES} are supported")]
    TooManyCubes(usize),
    /// The modulus is even.
    #[error("the modulus is even: it must be odd")]
    EvenModulus,
    /// The modulus is 1.
    #[error("the modulus is 1: it must be at least 3")]
    ModulusTooSmall,
    /// The base is not below the modulus.
    #[error(
        "the base (of {base_bits} bits) is not below the modulus (of {modulus_bits} bits): \
         reduce it first, its power modulo the modulus stays the same"
    )]
    BaseTooLarge {
        /// The size of the base, in bits.
        base_bits: u32,
        /// The size of the modulus, in bits.
        modulus_bits: u32,
    },
    /// The work cannot be cut into this number of parts.
    #[error(
        "{work} MulMods cannot be cut into {stages} parts: at least 1 and at most {} are needed",
        work.max(&1)
    )]
    Stages {
        /// The number of parts.
        stages: usize,
        /// The number of `MulMod`s.
        work: usize,
    },
    /// The window has no bits, or more than [`methods::MAX_WINDOW`].
    #[error(
        "a window of {bits} bits: it must have 1 to {} bits",
        methods::MAX_WINDOW
    )]
    Window {
        /// The size of the window, in bits.
        bits: u32,
    },
    /// The number of inputs is wrong.
    #[error("{given} values are given for a power: {needed} are needed")]
    Inputs {
        /// The number of values given.
        given: usize,
        /// The number of values needed.
        needed: usize,
    },
    /// There are fewer digits of the exponent than the operands refer to.
    #[error("{given} digits of the exponent are given: {needed} are needed")]
    Digits {
        /// The number of digits given.
        given: usize,
        /// The number of digits needed.
        needed: usize,
    },
    /// Elements and links do not form a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The run on threads failed.
    #[error(transparent)]
    Run(#[from] RunError),
}
