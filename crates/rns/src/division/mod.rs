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
pub mod euclid;
pub mod scaling;

pub use constant::ConstantDivision;
pub use euclid::EuclideanDivision;
pub use scaling::Scaling;

/// The reason why a division is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DivisionError {
    /// The divisor is 0.
    #[error("division by zero: the divisor must be at least 1")]
    ZeroDivisor,
    /// Scaling by an empty list of moduli.
    #[error("scaling by the empty product: name at least one modulus of the base")]
    NoModulus,
    /// Scaling by all moduli of the base.
    #[error("scaling by all {moduli} moduli: at least one must be left to hold the quotient")]
    AllModuli {
        /// Number of moduli of the base.
        moduli: usize,
    },
    /// There is no modulus at this position.
    #[error("there is no modulus number {index} in a base of {moduli}, numbered from 0")]
    NoSuchModulus {
        /// The position asked for, from 0.
        index: usize,
        /// Number of moduli of the base.
        moduli: usize,
    },
    /// The same modulus is listed twice.
    #[error("modulus number {index} is named twice: a modulus divides M only once")]
    Repeated {
        /// Position of the modulus in the base, from 0.
        index: usize,
    },
}
