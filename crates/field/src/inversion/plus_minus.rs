//! The plus-minus inversions: what both have, and a base for them.

use super::affine::{Affine, AffineNumber};
use super::error::InversionError;
use alloc::vec::Vec;
use crypto_bigint::{BoxedUint, ConcatenatingMul};
use sunzi_rns::{Base, Channel, Modulus, Residues};

/// The result of a plus-minus inversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inverse {
    /// A number `S` in `(0, 2P)` with `S = A^-1 mod P`.
    pub value: Residues,
    /// The number of runs of the outer loop.
    pub outer_loops: u32,
    /// The total number of runs of the inner loop.
    pub inner_loops: u32,
}

/// A base for [`BinaryInversion`](super::BinaryInversion) and
/// [`BinaryTernaryInversion`](super::BinaryTernaryInversion) modulo `P`: the first pseudo-Mersenne moduli of `width`
/// bits that are coprime to 6, as many as `M > 26P` requires.
///
/// # Errors
/// [`InversionError::Base`] if there are not enough of them.
pub fn base(p: &BoxedUint, width: u32) -> Result<Base, InversionError> {
    let range = p.concatenating_mul(BoxedUint::from(26u64));
    let mut count = (range.bits_vartime().div_ceil(width.max(1)) as usize).max(2);
    loop {
        // All are odd, and at most one of them is a multiple of 3.
        let candidates = Base::pseudo_mersenne(width, count + 1)?;
        let coprime = candidates
            .moduli()
            .iter()
            .map(Modulus::value)
            .filter(|m| m % 3 != 0);
        let base = Base::new_odd(&coprime.take(count).collect::<Vec<u128>>())?;
        if *base.product() > range {
            return Ok(base);
        }
        count += 1;
    }
}

/// Refuses residues in another base, or of a number `A >= P`.
pub(super) fn check_operand(affine: &Affine, a: &Residues) -> Result<(), InversionError> {
    if a.base() == affine.base() && a.to_uint() < *affine.p().as_ref() {
        Ok(())
    } else {
        Err(InversionError::Operand)
    }
}

/// The result at the end of the loop, from `[(V3, V1), (U3, U1)]`: `V1 + P`, `U1 + P`, `-V1 + P`
/// or `-U1 + P`.
pub(super) fn finish(
    affine: &Affine,
    channel: &impl Channel,
    pairs: [(&AffineNumber, &AffineNumber); 2],
) -> Residues {
    let [(v3, v1), (u3, u1)] = pairs;
    let (result, negative) = match (affine.unit_vartime(v3), affine.unit_vartime(u3)) {
        (1, _) => (v1, false),
        (_, 1) => (u1, false),
        (-1, _) => (v1, true),
        _ => (u1, true),
    };
    affine.leave(channel, result, negative)
}
