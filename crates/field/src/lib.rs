//! Arithmetic modulo `P` on numbers held in residues.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod sum_of_residues;

pub use sum_of_residues::SumOfResiduesError;
