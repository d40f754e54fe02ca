//! Limbs: a number as digits of 52 bits, one number per lane. For batches of eight numbers and more.
//!
//! On vector units, a modular product in limbs takes fewer multiplications than one in residues: `4 n^2` halves of
//! products, of which a square saves a quarter, against the `4 n^2` of two base extensions, on which a square saves
//! nothing, and another `36 n` in the channels (`docs/engine/limbs.md`). Residues win if a number is spread over the
//! lanes, because they have no carries.

mod affine;
mod device;
pub(crate) mod fused52;
mod group;
mod kernels;
mod numbers;
mod plan;
mod radix52;
mod segments;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use self::radix52::Radix52;
#[cfg(any(test, feature = "testing"))]
pub(crate) use self::segments::beside_integers;
