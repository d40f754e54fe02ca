//! Errors of inversions.

use sunzi_rns::{BaseError, ExtensionError, Fixed};

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
