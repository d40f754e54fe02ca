//! Residue number systems.
//!
//! A non-negative integer `X` below the product `M` of pairwise coprime moduli
//! `m_1, ..., m_n` is determined by its residues `|X|_{m_i}` (the Chinese
//! remainder theorem). Sums and products are computed on every residue by
//! itself, without carries.
//!
//! Start reading at [`modulus`], then [`base`], [`residues`], [`convert`] and [`extend`].
//! Every algorithm runs over a [`channel`] that either computes or also counts.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod base;
pub mod channel;
pub mod convert;
pub mod division;
pub mod extend;
pub mod fixed;
pub mod modulus;
pub mod order;
pub mod redundancy;
pub mod residues;
#[cfg(test)]
mod test_support;
mod words;

pub use base::{Base, BaseError};
pub use channel::{Channel, Counting, Counts, Plain};
pub use convert::ConvertError;
pub use extend::{BaseExtension, ExtensionError};
pub use fixed::Fixed;
pub use modulus::{Modulus, ModulusError};
pub use residues::{Residues, ResiduesError};
