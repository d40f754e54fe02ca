//! The backend for AVX-512 IFMA: 52-bit residues.
//!
//! Channels have up to 50 bits instead of 28: fewer than half as many columns in every matrix,
//! and each product of two residues is two `vpmadd52` instructions, which accumulate its low
//! and its high 52 bits. Numbers lie one a lane ([`lanes`]) or one over all lanes ([`spread`]).

mod lanes;
pub(crate) mod spread;
mod vector;

pub(crate) use self::lanes::Ifma;

/// So many numbers are faster one a lane, sixteen at a time, than two by two over all lanes
/// (measured at 1024 bits: 58 ns a product of sixteen in lanes, 66 of two spread).
pub(super) const FEWEST_LANES: usize = 14;
/// Wider numbers are faster spread at any number: sixteen of them leave the first-level
/// cache.
pub(super) const WIDEST_IN_LANES: u32 = 2048;
