//! Bases with more moduli than the numbers need, against faults and against leaks.
//!
//! [`correction`] detects and corrects wrong residues. [`split`] draws two bases at random from
//! a pool of moduli, anew for every operation.
//!
#![doc = include_str!("../../docs/redundancy.md")]

pub mod correction;
pub mod split;

pub use correction::{Corrected, RedundancyError, RedundantBase};
pub use split::{SplitError, random_split, smallest_product};
