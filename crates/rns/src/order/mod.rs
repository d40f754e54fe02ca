//! Order: the operations that depend on the size of a number.
//!
//! A residue number system is not positional: no single residue shows which of two numbers is
//! larger. The [`Characteristic`] maps numbers to `N` bits in a strictly increasing way.
//! Comparison, the sign and the overflow of an addition follow from it, and so does the rank,
//! which gives the parity. The `N` that this needs is derived below.
//!
#![doc = include_str!("../../docs/order-and-division.md")]

pub mod characteristic;
pub mod compare;
pub mod parity;
pub mod sign;

pub use characteristic::{Characteristic, PrecisionError};
pub use parity::Parity;
pub use sign::Sign;
