//! Residues: a number as its remainders modulo many small coprime moduli, without carries. For single numbers,
//! random bases, and redundancy that finds faults.
//!
//! `plan` has the bases, matrices and bounds of a size. Four devices compute with them: `portable` on every
//! processor, `avx512` with AVX-512 IFMA and beside it `octet` for short numbers, `float` in float64.

#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod coprime;
mod float;
mod lanes;
mod plan;
mod portable;
mod split;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub(crate) use self::avx512::{Avx512, OctetDevice};
pub(crate) use self::{
    float::{FloatDevice, Instructions},
    portable::{Portable, PortableDevice},
};
