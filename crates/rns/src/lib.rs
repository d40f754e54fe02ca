//! Residue number systems.
//!
//! A non-negative integer `X` below the product `M` of pairwise coprime moduli
//! `m_1, ..., m_n` is determined by its residues `|X|_{m_i}` (the Chinese
//! remainder theorem). Sums and products are computed on each residue
//! separately, without carries.
//!
//! Start reading at [`modulus`], then [`base`], [`residues`], [`convert`] and [`extend`]:
//! numbers, conversion in both directions, and base extension, which carries a number from
//! one base to another and is the one expensive step. After that:
//!
//! - [`order`]: comparison, sign, overflow, parity;
//! - [`division`]: by moduli, by constants, by any number;
//! - [`redundancy`]: detection and correction of wrong residues, bases drawn at random.
//!
//! Every algorithm runs over a [`Channel`], which computes and may also count operations.
//! Methods whose names end in `_on` take the channel; those without the ending compute over
//! [`Plain`], which does not count.
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_rns::extend::kawamura::Kawamura;
//! use sunzi_rns::{Base, BaseExtension, Fixed, Residues};
//!
//! let a = Base::new(&[255, 254, 253, 251])?;
//! let b = Base::new(&[249, 247, 241, 239])?;
//! let extension = Kawamura::with_fewest_bits(&a, &b, Fixed::HALF)?;
//!
//! let x = Residues::from_uint(&a, &BoxedUint::from(20_000u64))?;
//! let square = &x * &x;
//! let moved = extension.extend(&square);
//! assert_eq!(moved.to_uint(), BoxedUint::from(400_000_000u64));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The time of operations on residues depends on the bases only, except for functions whose
//! names end in `_vartime`.
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
pub mod primes;
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

/// The example of the README, compiled and run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
