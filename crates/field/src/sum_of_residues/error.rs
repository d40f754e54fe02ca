//! Errors of reductions by the sum of residues.

use super::modulus66;
use sunzi_rns::BaseError;

/// The largest number of channels of 66 bits for which moduli are listed.
pub(super) const MAX_CHANNELS: usize = modulus66::EXPONENTS_16.len() + 1;

/// The reason why a reduction cannot be set up, or why a number cannot be reduced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SumOfResiduesError {
    /// `p < 2`.
    #[error("p is 0 or 1: it must be at least 2")]
    TooSmall,
    /// `(2p)^2 < 15M/16` is violated even with all channels.
    #[error("p has {bits} bits: with {MAX_CHANNELS} channels of 66 bits it can have {largest}")]
    TooLarge {
        /// The size of `p`, in bits.
        bits: u32,
        /// The largest size allowed, in bits.
        largest: u32,
    },
    /// Condition (22) is violated.
    #[error(
        "condition (22), 2^{width} - p < 2^{limit} / {channels}, fails: the left side has \
         {epsilon_bits} bits; take a p closer to 2^{width}, or the exact form, which has no \
         such condition", limit = i64::from(*width) - 66
    )]
    Condition22 {
        /// The size `W` of `p`, in bits.
        width: u32,
        /// The number `N` of channels.
        channels: usize,
        /// The size of `2^W - p`, in bits.
        epsilon_bits: u32,
    },
    /// The rank would not be exact with this number of leading bits.
    #[error(
        "N 2^-q + sum (2^66 - m_i)/2^66 <= 1/16, for the rank to be exact, fails with N = \
         {channels} and q = {q}: take q = {needed} (at most 66)"
    )]
    RankPrecision {
        /// The number `N` of channels.
        channels: usize,
        /// The number `q` of bits asked for.
        q: u32,
        /// The smallest `q` for which the rank is exact.
        needed: u32,
    },
    /// The result could reach `2p` with this precision of the quotient.
    #[error(
        "the truncated quotient can miss two multiples of p with T = {t}: {}",
        needed.map_or_else(
            || alloc::string::String::from("no T of 56 to 112 (and at most the size of p) works"),
            |needed| alloc::format!("take T = {needed}"),
        )
    )]
    QuotientPrecision {
        /// The precision `T` asked for.
        t: u32,
        /// The smallest `T` for which the result is below `2p`, if any.
        needed: Option<u32>,
    },
    /// The number `Z` is not below `15M/16`.
    #[error(
        "Z has {bits} bits and is not below 15M/16, which has {limit_bits}: the rank would be \
         wrong; reduce it first"
    )]
    OutOfRange {
        /// The size of `Z`, in bits.
        bits: u32,
        /// The size of `15M/16`, in bits.
        limit_bits: u32,
    },
    /// The moduli do not form a base.
    #[error(transparent)]
    Base(#[from] BaseError),
}
