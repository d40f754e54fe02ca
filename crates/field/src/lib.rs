//! Arithmetic modulo `P` on numbers held in residues.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod inversion;
pub mod montgomery;
pub mod power;
pub mod sum_of_residues;

pub use inversion::{BinaryInversion, BinaryTernaryInversion, InversionError};
pub use montgomery::{Element, Montgomery, MontgomeryError};
pub use sum_of_residues::SumOfResiduesError;
