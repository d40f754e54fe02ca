//! Arithmetic modulo `P` on numbers represented by residues.
//!
//! | module | contents | bases |
//! |---|---|---|
//! | [`montgomery`] | products, sums, zero and equality, in Montgomery form | two |
//! | [`sum_of_residues`] | reduction and products, plain form | one, of 66-bit channels |
//! | [`power`] | powers of Montgomery forms | two |
//! | [`arithmetic`] | one interface for the first two | theirs |
//! | [`curve`] | sums and multiples of points of elliptic curves, by any arithmetic | its own |
//! | [`edwards`] | the same on twisted Edwards curves | its own |
//! | [`ladder`] | multiples on Montgomery curves, by one coordinate | its own |
//! | [`inversion`] | inverses: constant time (Fermat), or of public numbers (plus-minus) | two, or one |
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_field::{Montgomery, montgomery::bases};
//! use sunzi_rns::Plain;
//!
//! let p = BoxedUint::from(1_000_003u64);
//! let (a, b) = bases(&p, 16, 1)?;
//! let field = Montgomery::kawamura(&p, &a, &b)?;
//! let x = field.element(&Plain, &BoxedUint::from(1234u64));
//! let square = field.mul(&Plain, &x, &x);
//! assert_eq!(field.to_uint(&Plain, &square), BoxedUint::from(1234u64 * 1234 % 1_000_003));
//! # Ok::<(), sunzi_field::MontgomeryError>(())
//! ```
//!
//! Numbers modulo `P` are redundant: a result is congruent to the correct one and within a bound
//! that every function states, but need not be below `P`. Each module has a conversion to the
//! canonical form, and tests for zero and for equality that are correct for redundant numbers.
//!
//! Start reading at [`montgomery`]. `P`, the bases and the precisions are public everywhere. Only
//! the time of functions that end in `_vartime` depends on residues.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

/// Integers are read in words of 64 bits.
const _: () = assert!(
    crypto_bigint::Word::BITS == 64,
    "this crate needs a platform on which crypto-bigint's words have 64 bits"
);

pub mod arithmetic;
pub mod curve;
pub mod edwards;
pub mod inversion;
pub mod ladder;
pub mod montgomery;
pub mod power;
pub mod sum_of_residues;
#[cfg(test)]
mod testing;

pub use arithmetic::{Arithmetic, SumOfResidues};
pub use inversion::{BinaryInversion, BinaryTernaryInversion, InversionError};
pub use montgomery::{Element, Montgomery, MontgomeryError};
pub use sum_of_residues::SumOfResiduesError;

/// The example of the README, compiled and run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
