//! Division with a remainder.
//!
//! | file | divisor | time |
//! |---|---|---|
//! | [`scaling`] | a modulus of the base, or a product of several | constant |
//! | [`constant`] | any constant that is known in advance | constant |
//! | [`euclid`] | any number | depends on both numbers |
//!
//! Exact division by a number coprime to `M` needs none of these: see
//! [`Residues::div_exact_vartime`]. The derivations are in `docs/order-and-division.md`, included
//! in [`order`](crate::order).
//!
//! [`Residues::div_exact_vartime`]: crate::Residues::div_exact_vartime

pub mod constant;
mod error;
pub mod euclid;
pub mod scaling;

pub use constant::ConstantDivision;
pub use error::DivisionError;
pub use euclid::EuclideanDivision;
pub use scaling::Scaling;
