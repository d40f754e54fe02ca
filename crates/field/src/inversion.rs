//! Inverses modulo `P`.
//!
//! | module | time | requirements |
//! |---|---|---|
//! | [`fermat`] | constant | two bases, `P` prime |
//! | [`binary`] (BMI) | depends on the operand | one base, `P` odd |
//! | [`binary_ternary`] (BTMI) | depends on the operand | one base, `gcd(P, 6) = 1` |
//!
//! Secrets must be inverted by [`fermat`], or blinded before. The other two are the plus-minus
//! algorithms of Bigou and Tisserand, about 25 times cheaper in channel products. They work
//! on an affine form of the residues ([`affine`]), from which `|X|_4` and `|X|_3` are computed.
//!
//! All of them return an error for `A = 0` and for `gcd(A, P) > 1`; none loops forever.
#![doc = include_str!("../docs/inversion.md")]

pub mod affine;
pub mod binary;
pub mod binary_ternary;
mod error;
pub mod fermat;
mod plus_minus;
pub mod trace;
pub mod update;

pub use binary::BinaryInversion;
pub use binary_ternary::BinaryTernaryInversion;
pub use error::InversionError;
pub use plus_minus::{Inverse, base};
