//! Inverses modulo `P`.
//!
//! | module | time | requirements |
//! |---|---|---|
//! | [`fermat`] | constant | two bases, `P` prime |
//! | [`binary`] (BMI) | depends on the operand | one base, `P` odd |
//! | [`binary_ternary`] (BTMI) | depends on the operand | one base, `gcd(P, 6) = 1` |
//!
//! Secrets must be inverted by [`fermat`], or blinded before. The other two are the plus-minus
//! algorithms of Bigou and Tisserand, about 25 times cheaper in channel products. They work
//! on an affine form of the residues ([`affine`]), from which `|X|_4` and `|X|_3` are computed.
//!
//! All of them return an error for `A = 0` and for `gcd(A, P) > 1`; none loops forever.
#![doc = include_str!("../docs/inversion.md")]

pub mod affine;
pub mod binary;
pub mod binary_ternary;
pub mod fermat;
pub mod update;

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, ConcatenatingMul};
use sunzi_rns::{Base, BaseError, Channel, ExtensionError, Fixed, Modulus, Residues};

use affine::{Affine, AffineNumber};
pub use binary::BinaryInversion;
pub use binary_ternary::BinaryTernaryInversion;

/// The reason why an inversion cannot be set up, or why a number has no inverse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InversionError {
    /// `gcd(A, P) > 1`, which includes `A = 0`; for Fermat's theorem also a composite `P`.
    #[error("the number has no inverse: its greatest common divisor with P is not 1")]
    NotInvertible,
    /// `P` is even or below 3, or a multiple of 3 in BTMI.
    #[error(
        "P is below 3, or shares a factor with {divisors}, by which the algorithm divides: it \
         must be at least 3 and coprime to {divisors}"
    )]
    Prime {
        /// 4 for BMI, 12 for BTMI.
        divisors: u32,
    },
    /// A modulus of the base is even, or a multiple of 3 in BTMI.
    #[error("modulus {modulus} is not coprime to {divisors}, by which the algorithm divides")]
    Modulus {
        /// The modulus.
        modulus: u128,
        /// 4 for BMI, 12 for BTMI.
        divisors: u32,
    },
    /// The dynamic range `M` of the base is too small.
    #[error(
        "(C0 + P)/M + 1/2 < 1 with C0 = 12P, that is M > 26P, fails: M has {m_bits} bits and P \
         has {p_bits}; take more or wider moduli"
    )]
    Range {
        /// The size of `M`, in bits.
        m_bits: u32,
        /// The size of `P`, in bits.
        p_bits: u32,
    },
    /// The Cox keeps too few bits to be exact.
    #[error(
        "the Cox with t = {kept} bits is off by up to E = {error}, and E <= 1/2 + (C0 - 2P/3)/M \
         = {limit} is needed: {}",
        needed.map_or_else(
            || alloc::string::String::from("no t is enough, take moduli closer to a power of 2"),
            |needed| alloc::format!("take t = {needed}"),
        )
    )]
    CoxPrecision {
        /// The number of bits `t` asked for.
        kept: u32,
        /// The bound on the error of the Cox.
        error: Fixed,
        /// The largest error allowed.
        limit: Fixed,
        /// The smallest `t` for which the Cox is exact, if any.
        needed: Option<u32>,
    },
    /// The number is not below `P`, or its residues are in another base.
    #[error("the operand must be a number below P, in the base of the inversion: reduce it first")]
    Operand,
    /// The Cox cannot be built.
    #[error(transparent)]
    Cox(#[from] ExtensionError),
    /// The base cannot be built.
    #[error(transparent)]
    Base(#[from] BaseError),
}

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

/// A base for [`BinaryInversion`] and [`BinaryTernaryInversion`] modulo `P`: the first
/// pseudo-Mersenne moduli of `width` bits that are coprime to 6, as many as `M > 26P` requires.
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
fn check_operand(affine: &Affine, a: &Residues) -> Result<(), InversionError> {
    if a.base() == affine.base() && a.to_uint() < *affine.p().as_ref() {
        Ok(())
    } else {
        Err(InversionError::Operand)
    }
}

/// The result at the end of the loop, from `[(V3, V1), (U3, U1)]`: `V1 + P`, `U1 + P`, `-V1 + P`
/// or `-U1 + P`.
fn finish(
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
