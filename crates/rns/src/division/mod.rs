//! Division with a remainder.
//!
//! | file | divisor | time |
//! |---|---|---|
//! | [`scaling`] | a modulus of the base, or a product of some | constant |
//! | [`constant`] | any constant, known in advance | constant |
//! | [`euclid`] | any number | depends on both numbers |
//!
//! Exact division by a number coprime to `M` is [`Residues::div_exact_vartime`], without any of
//! these. The derivations are in `docs/order-and-division.md`, included in
//! [`order`](crate::order).
//!
//! [`Residues::div_exact_vartime`]: crate::Residues::div_exact_vartime

pub mod constant;
pub mod euclid;
pub mod scaling;

pub use constant::ConstantDivision;
pub use euclid::EuclideanDivision;
pub use scaling::Scaling;

/// What cannot be divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DivisionError {
    /// The divisor is 0.
    #[error("division by zero: the divisor must be at least 1")]
    ZeroDivisor,
    /// Scaling by no modulus at all.
    #[error("scaling by the empty product: name at least one modulus of the base")]
    NoModulus,
    /// Scaling by all moduli.
    #[error("scaling by all {moduli} moduli: at least one must be left to hold the quotient")]
    AllModuli {
        /// How many moduli the base has.
        moduli: usize,
    },
    /// No modulus has this number.
    #[error("there is no modulus number {index} in a base of {moduli}, numbered from 0")]
    NoSuchModulus {
        /// The number asked for.
        index: usize,
        /// How many moduli the base has.
        moduli: usize,
    },
    /// A modulus is named twice.
    #[error("modulus number {index} is named twice: a modulus divides M only once")]
    Repeated {
        /// The number of the modulus.
        index: usize,
    },
}
