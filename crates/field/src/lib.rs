//! Arithmetic modulo `P` on numbers held in residues.
//!
//! | module | what it computes | bases |
//! |---|---|---|
//! | [`montgomery`] | products, sums, zero and equality, in Montgomery form | two |
//! | [`sum_of_residues`] | reduction and products, plain form | one, of 66-bit channels |
//! | [`power`] | powers of Montgomery forms | two |
//! | [`inversion`] | inverses: constant time (Fermat), or of public numbers (plus-minus) | two, or one |
//!
//! Numbers modulo `P` are redundant on the way: a result congruent to the right one, within a
//! bound that every function states. Each module has a canonical form, and tests of zero and
//! equality that are right for redundant numbers.
//!
//! Start reading at [`montgomery`]. `P`, the bases and the precisions are public everywhere; only
//! functions that end in `_vartime` take time that depends on a residue.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

/// Integers are read in words of 64 bits.
const _: () = assert!(
    crypto_bigint::Word::BITS == 64,
    "this crate needs a platform on which crypto-bigint's words have 64 bits"
);

pub mod inversion;
pub mod montgomery;
pub mod power;
pub mod sum_of_residues;

pub use inversion::{BinaryInversion, BinaryTernaryInversion, InversionError};
pub use montgomery::{Element, Montgomery, MontgomeryError};
pub use sum_of_residues::SumOfResiduesError;

/// The example of the README, compiled and run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
