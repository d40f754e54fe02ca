//! Reduction modulo `p` by the sum of residues.
//!
//! A product `Z = X Y` in one base of 66-bit channels is reduced without a second base: the Chinese
//! remainder theorem writes `Z` as a weighted sum, the weights are reduced modulo `p` in advance,
//! and the remaining multiples of `p` are subtracted by means of a quotient `kappa`.
//!
//! Recommended order of reading: [`modulus66`] (one channel), the rank, [`published`], [`exact`].
//! [`curves`] has the primes.
#![doc = include_str!("../docs/sum-of-residues.md")]

mod base66;
mod channels;
pub mod curves;
mod error;
pub mod exact;
pub mod modulus66;
mod product;
pub mod published;
mod quotient;
mod rank;
pub mod trace;

pub use error::SumOfResiduesError;
pub use exact::ExactReduction;
pub use published::PublishedReduction;
