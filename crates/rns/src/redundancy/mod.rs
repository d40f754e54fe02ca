//! More moduli than the numbers need: against faults, and against leaks.
//!
//! [`correction`] finds and repairs wrong residues; [`split`] draws, for every operation
//! anew, which moduli form which base.
//!
#![doc = include_str!("../../docs/redundancy.md")]

pub mod correction;
pub mod split;

pub use correction::{Corrected, RedundancyError, RedundantBase};
pub use split::{SplitError, random_split, smallest_product};
