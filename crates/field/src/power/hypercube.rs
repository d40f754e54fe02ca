//! Exponentiation spread over a hypercube of processing elements.
//!
//! After "Cube Based RSA Analysis and Optimization" (M. Damrudi, K. Jadidy Aval): `e = D q + r`;
//! a coordinator computes `A = m^q` and `B = m^r`, and a path of cubes, eight processing
//! elements each, computes `A^D B`.
//!
//! The graph is data ([`Network`]), and everything is read off it: exponents, work, depth. It
//! runs in three ways that must agree: element by element on one processor
//! ([`Network::evaluate`]), as a discrete-event simulation without residues ([`simulate`]), and
//! for real, with a thread and a queue for each element (the `Executor`, with the feature
//! `std`).
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_field::power::hypercube::{Exponent, Form, Hypercube, IntegerMontgomery};
//!
//! let arithmetic = IntegerMontgomery::new(&BoxedUint::from((1u128 << 127) - 1))?;
//! let plan = Hypercube::new(2, Form::Optimized)?.plan(Exponent::Public(&65_537u64.into()))?;
//! let powers = plan.powers(&arithmetic, &[BoxedUint::from(2u64)])?;
//! // 2^127 = 1, and 65537 = 516 * 127 + 5.
//! assert_eq!(powers, [BoxedUint::from(32u64)]);
//! # Ok::<(), sunzi_field::power::hypercube::HypercubeError>(())
//! ```
//!
#![doc = include_str!("../../../../docs/hypercube.md")]

mod arithmetic;
mod chain;
pub mod cube_rsa;
#[cfg(feature = "std")]
mod executor;
mod network;
mod plan;
mod program;
pub mod schedule;
#[cfg(all(test, feature = "std"))]
mod schedules;
mod simulation;
#[cfg(all(test, feature = "std"))]
mod tests;
mod timeline;
mod topology;
#[cfg(feature = "std")]
mod worker;

pub use arithmetic::{Exponents, IntegerMontgomery, ModularArithmetic, MulMod};
pub use chain::chain;
pub use cube_rsa::Form;
#[cfg(feature = "std")]
pub use executor::{Executor, Fault, Outcome, RunError};
pub use network::{Element, Link, Network, NetworkError};
pub use plan::{Exponent, Hypercube, Plan};
pub use program::{Operand, Program, Step};
pub use simulation::simulate;
pub use timeline::{Costs, Event, EventKind, Firing, Timeline, Timing};
pub use topology::{Cubes, MAX_CUBES, NODES_PER_CUBE, Node, Place};

/// Why a power cannot be spread over processing elements, or was not computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HypercubeError {
    /// There is no cube.
    #[error("0 cubes: a hypercube has at least 1 cube of {NODES_PER_CUBE} processing elements")]
    NoCubes,
    /// There are more cubes than [`MAX_CUBES`].
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
    /// Work cannot be cut into this many parts.
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
    /// The window has no bits, or too many.
    #[error(
        "a window of {bits} bits: it must have 1 to {} bits",
        schedule::MAX_WINDOW
    )]
    Window {
        /// The bits of the window.
        bits: u32,
    },
    /// The number of inputs is wrong.
    #[error("{given} values are given for a power: {needed} are needed")]
    Inputs {
        /// How many there are.
        given: usize,
        /// How many there must be.
        needed: usize,
    },
    /// The digits of the exponent do not suffice.
    #[error("{given} digits of the exponent are given: {needed} are needed")]
    Digits {
        /// How many there are.
        given: usize,
        /// How many there must be.
        needed: usize,
    },
    /// The graph is no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The run failed.
    #[cfg(feature = "std")]
    #[error(transparent)]
    Run(#[from] RunError),
}
