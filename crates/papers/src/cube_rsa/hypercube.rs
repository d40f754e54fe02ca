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
mod error;
mod executor;
#[cfg(test)]
mod interleavings;
pub mod methods;
mod network;
mod place;
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
pub use error::{HypercubeError, NetworkError, RunError};
pub use executor::{Executor, Fault, StreamResult};
pub use network::{Link, Network, ProcessingElement};
pub use place::{MAX_CUBES, NODES_PER_CUBE, Node, Place};
pub use plan::{Exponent, Hypercube, Plan};
pub use program::{Operand, Program, Step};
pub use simulation::simulate;
pub use timeline::{Costs, Event, EventKind, Firing, Timeline, Timing};
pub use topology::Cubes;
