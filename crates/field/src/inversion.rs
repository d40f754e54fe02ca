//! Inverses modulo `P`.
//!
//! | file | time | what it needs |
//! |---|---|---|
//! | [`fermat`] | constant | two bases, `P` prime |
//! | [`binary`] (BMI) | depends on the operand | one base, `P` odd |
//! | [`binary_ternary`] (BTMI) | depends on the operand | one base, `gcd(P, 6) = 1` |
//!
//! Secrets are inverted by [`fermat`], or blinded first. The other two are the plus-minus
//! algorithms of Bigou and Tisserand, about 25 times cheaper in channel products. They work
//! on an affine form of the residues ([`affine`]) from which `|X|_4` and `|X|_3` are read.
//!
//! All of them refuse `A = 0` and `gcd(A, P) > 1` with an error; none loops forever.
#![doc = include_str!("../docs/inversion.md")]

pub mod affine;
pub mod binary;
pub mod binary_ternary;
pub mod fermat;
pub mod update;

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, ConcatenatingMul};
use sunzi_rns::{Base, BaseError, Channel, ExtensionError, Fixed, Modulus, Residues};

use affine::{Affine, Number};
pub use binary::BinaryInversion;
pub use binary_ternary::BinaryTernaryInversion;

/// Why an inversion cannot be built, or a number has no inverse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InversionError {
    /// `gcd(A, P) > 1`, which includes `A = 0`; for Fermat also a `P` that is not prime.
    #[error("the number has no inverse: its greatest common divisor with P is not 1")]
    NotInvertible,
    /// `P` is even, or a multiple of 3 where that matters; or `P < 3`.
    #[error(
        "P is below 3, or shares a factor with {divisors}, by which the algorithm divides: it \
         must be at least 3 and coprime to {divisors}"
    )]
    Prime {
        /// 4 for BMI, 12 for BTMI.
        divisors: u32,
    },
    /// A modulus of the base is even, or a multiple of 3 where that matters.
    #[error("modulus {modulus} is not coprime to {divisors}, by which the algorithm divides")]
    Modulus {
        /// The modulus.
        modulus: u128,
        /// 4 for BMI, 12 for BTMI.
        divisors: u32,
    },
    /// The dynamic range is too small.
    #[error(
        "(C0 + P)/M + 1/2 < 1 with C0 = 12P, that is M > 26P, fails: M has {m_bits} bits and P \
         has {p_bits}; take more or wider moduli"
    )]
    Range {
        /// Size of `M`.
        m_bits: u32,
        /// Size of `P`.
        p_bits: u32,
    },
    /// The Cox could be wrong.
    #[error(
        "the Cox with t = {kept} bits is off by up to E = {error}, and E <= 1/2 + (C0 - 2P/3)/M \
         = {limit} is needed: {}",
        needed.map_or_else(
            || alloc::string::String::from("no t is enough, take moduli closer to a power of 2"),
            |needed| alloc::format!("take t = {needed}"),
        )
    )]
    CoxPrecision {
        /// `t` as asked for.
        kept: u32,
        /// The bound of the Cox' error.
        error: Fixed,
        /// What it must not exceed.
        limit: Fixed,
        /// The smallest `t` that works.
        needed: Option<u32>,
    },
    /// The number is not below `P`, or not in the base of the inversion.
    #[error("the operand must be a number below P, in the base of the inversion: reduce it first")]
    Operand,
    /// The Cox cannot be built.
    #[error(transparent)]
    Cox(#[from] ExtensionError),
    /// The base cannot be built.
    #[error(transparent)]
    Base(#[from] BaseError),
}

/// What a plus-minus inversion returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inverse {
    /// `S = A^-1 mod P`, as a number in `(0, 2P)`.
    pub value: Residues,
    /// How often the outer loop ran.
    pub outer_loops: u32,
    /// How often the inner loop ran, in all.
    pub inner_loops: u32,
}

/// A base for [`BinaryInversion`] and [`BinaryTernaryInversion`] modulo `P`: the first
/// pseudo-Mersenne moduli of `width` bits that are coprime to 6, as few as `M > 26P` needs.
///
/// # Errors
/// [`InversionError::Base`] if there are not as many.
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

/// `A < P`, in this base.
fn check_operand(affine: &Affine, a: &Residues) -> Result<(), InversionError> {
    if a.base() == affine.base() && a.to_uint() < *affine.p().as_ref() {
        Ok(())
    } else {
        Err(InversionError::Operand)
    }
}

/// `V1 + P`, `U1 + P`, `-V1 + P` or `-U1 + P`, from `[(V3, V1), (U3, U1)]`.
fn finish(affine: &Affine, channel: &impl Channel, pairs: [(&Number, &Number); 2]) -> Residues {
    let [(v3, v1), (u3, u1)] = pairs;
    let (result, negative) = match (affine.unit_vartime(v3), affine.unit_vartime(u3)) {
        (1, _) => (v1, false),
        (_, 1) => (u1, false),
        (-1, _) => (v1, true),
        _ => (u1, true),
    };
    affine.leave(channel, result, negative)
}
