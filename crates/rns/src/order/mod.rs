//! Order: what needs the size of a number, not only its residues.
//!
//! A residue number system is not positional: no residue tells which of two numbers is
//! larger. The [`Characteristic`] maps a number to `N` bits in a strictly increasing way;
//! comparison, the sign and the overflow of an addition follow from it, and so does the
//! rank, which gives the parity. How large `N` must be is proved below.
//!
#![doc = include_str!("../../docs/order-and-division.md")]

pub mod characteristic;
pub mod compare;
pub mod parity;
pub mod sign;

pub use characteristic::{Characteristic, PrecisionError};
pub use parity::Parity;
pub use sign::Sign;
