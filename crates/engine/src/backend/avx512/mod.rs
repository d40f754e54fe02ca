//! The backend for AVX-512 IFMA: 52-bit residues, eight numbers a register.
//!
//! The same plan, layout and walk as every lane backend, with channels of up to 50 bits
//! instead of 28: fewer than half as many columns in every matrix, and each product of two
//! residues is two `vpmadd52` instructions, which accumulate its low and its high 52 bits.

mod convert;
mod kernels;
mod matrix;
mod product;
mod select;
mod vector;

pub(crate) use self::kernels::Ifma;
