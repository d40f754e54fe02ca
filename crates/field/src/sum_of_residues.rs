//! Reduction modulo `p` by the sum of residues.
//!
//! A product `Z = X Y` held in one base of 66-bit channels is reduced without a second base:
//! the Chinese remainder theorem writes `Z` as a weighted sum, the weights are reduced modulo
//! `p` beforehand, and a quotient `kappa` takes away the multiples of `p` that this leaves.
//!
//! Read [`modulus66`] (one channel), the rank, [`published`], then [`exact`]. [`curves`] has
//! the primes.
#![doc = include_str!("../docs/sum-of-residues.md")]

use sunzi_rns::channel::Operation;
use sunzi_rns::{Base, BaseError, Channel, Residues};

mod base66;
pub mod curves;
pub mod exact;
pub mod modulus66;
pub mod published;
mod quotient;
mod rank;

pub use exact::ExactReduction;
pub use published::PublishedReduction;

use base66::Base66;
use modulus66::Modulus66;

/// The most channels of 66 bits for which moduli are listed.
const MAX_CHANNELS: usize = modulus66::EXPONENTS_16.len() + 1;

/// Why a reduction cannot be built, or a number not be reduced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SumOfResiduesError {
    /// `p < 2`.
    #[error("p is 0 or 1: it must be at least 2")]
    TooSmall,
    /// `(2p)^2 < 15M/16` fails with every channel there is.
    #[error("p has {bits} bits: with {MAX_CHANNELS} channels of 66 bits it can have {largest}")]
    TooLarge {
        /// Size of `p`.
        bits: u32,
        /// The largest size that works.
        largest: u32,
    },
    /// Condition (22) fails.
    #[error(
        "condition (22), 2^{width} - p < 2^{limit} / {channels}, fails: the left side has \
         {epsilon_bits} bits; take a p closer to 2^{width}, or the exact form, which has no \
         such condition", limit = i64::from(*width) - 66
    )]
    Condition22 {
        /// `W`, the size of `p`.
        width: u32,
        /// `N`.
        channels: usize,
        /// Size of `2^W - p`.
        epsilon_bits: u32,
    },
    /// The rank would not be exact.
    #[error(
        "N 2^-q + sum (2^66 - m_i)/2^66 <= 1/16, for the rank to be exact, fails with N = \
         {channels} and q = {q}: take q = {needed} (at most 66)"
    )]
    RankPrecision {
        /// `N`.
        channels: usize,
        /// `q` as asked for.
        q: u32,
        /// The smallest `q` that works.
        needed: u32,
    },
    /// The result could reach `2p`.
    #[error(
        "the truncated quotient can miss two multiples of p with T = {t}: {}",
        needed.map_or_else(
            || alloc::string::String::from("no T of 56 to 112 (and at most the size of p) works"),
            |needed| alloc::format!("take T = {needed}"),
        )
    )]
    QuotientPrecision {
        /// `T` as asked for.
        t: u32,
        /// The smallest `T` that works.
        needed: Option<u32>,
    },
    /// `Z >= 15M/16`.
    #[error(
        "Z has {bits} bits and is not below 15M/16, which has {limit_bits}: the rank would be \
         wrong; reduce it first"
    )]
    OutOfRange {
        /// Size of `Z`.
        bits: u32,
        /// Size of `15M/16`.
        limit_bits: u32,
    },
    /// The moduli are not a base.
    #[error(transparent)]
    Base(#[from] BaseError),
}

/// `|a + b|_m` for `a, b < m`: one EMA.
fn add(channel: &impl Channel, m: &Modulus66, a: u128, b: u128) -> u128 {
    channel.tally(Operation::Addition, 1);
    m.add(a, b)
}

/// `|a c|_m` for `a < 2^66` and a precomputed constant `c < m`: one CMM.
fn mul_constant(channel: &impl Channel, m: &Modulus66, a: u128, constant: u128) -> u128 {
    channel.tally(Operation::ConstantMultiplication, 1);
    m.mul(a, constant)
}

/// `X Y` in every channel: `N` EMM.
fn product(channel: &impl Channel, inner: &Base66, x: &Residues, y: &Residues) -> Residues {
    assert!(
        x.base() == &inner.base && y.base() == &inner.base,
        "the factors are not in the base of this reduction"
    );
    let factors = inner.channels.iter().zip(x.values()).zip(y.values());
    let values = factors.map(|((m, &x), &y)| {
        channel.tally(Operation::Multiplication, 1);
        m.mul(x, y)
    });
    reduced(&inner.base, values.collect())
}

/// Residues from values that are below their moduli.
fn reduced(base: &Base, values: alloc::vec::Vec<u128>) -> Residues {
    Residues::new(base, values).expect("channel operations return values below the modulus")
}
