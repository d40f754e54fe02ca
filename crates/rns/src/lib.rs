//! Residue number systems.
//!
//! A non-negative integer `X` below the product `M` of pairwise coprime moduli
//! `m_1, ..., m_n` is determined by its residues `|X|_{m_i}` (the Chinese
//! remainder theorem). Sums and products are computed on every residue by
//! itself, without carries.
//!
//! Start reading at [`modulus`], then [`base`].
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod base;
pub mod modulus;

pub use base::{Base, BaseError};
pub use modulus::{Modulus, ModulusError};
