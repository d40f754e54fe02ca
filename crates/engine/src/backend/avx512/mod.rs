//! The backend for AVX-512 IFMA: 52-bit residues.
//!
//! Channels have up to 50 bits instead of 28: fewer than half as many columns in every matrix,
//! and each product of two residues is two `vpmadd52` instructions, which accumulate its low
//! and its high 52 bits. Numbers lie one a lane ([`lanes`]) or one over all lanes ([`spread`]).

mod lanes;
pub(crate) mod spread;
mod vector;

pub(crate) use self::lanes::Ifma;

/// So many numbers are faster one a lane, sixteen lanes at a time, than two by two over all
/// lanes. Measured, in nanoseconds a product: 58 against 66 at 1024 bits, 184 against 208 at
/// 2048, 630 against 670 at 4096.
pub(super) const FEWEST_LANES: usize = 14;
