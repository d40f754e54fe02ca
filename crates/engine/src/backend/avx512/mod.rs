//! The backend for AVX-512 IFMA: 52-bit residues.
//!
//! Channels have up to 50 bits instead of 28: fewer than half as many columns in every matrix,
//! and each product of two residues is two `vpmadd52` instructions, which accumulate its low
//! and its high 52 bits. Numbers lie one a lane ([`lanes`]).

mod lanes;
mod vector;

pub(crate) use self::lanes::Ifma;
