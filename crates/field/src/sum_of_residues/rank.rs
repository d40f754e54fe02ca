//! The rank `alpha` of the Chinese remainder theorem, from the leading bits of the residues.
//!
//! ```text
//! Z = sum gamma_i M_i - alpha M,    gamma_i = |z_i M_i^-1|_{m_i}
//! alpha = floor( (sum floor(gamma_i / 2^(66-q)) + 2^q Delta) / 2^q ),   Delta = 1/16
//! ```
//!
//! In: `gamma_i < m_i` of a `Z < (1 - Delta) M`. Out: the exact `alpha`, `0 <= alpha < N`.
//!
//! Source: M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), equation (13) and Algorithm 1. The paper finds `q = 8` by search;
//! here it comes from the condition that makes `alpha` exact:
//!
//! ```text
//! N 2^-q + sum (2^66 - m_i) / 2^66  <=  Delta
//! ```
//!
//! The left side bounds the error by which truncation, and division by `2^66` instead of `m_i`,
//! lower `sum gamma_i / m_i = alpha + Z/M`. So with `Delta` added, the estimate is in
//! `[alpha, alpha + 1)`. For `Z >= (1 - Delta) M` it may not be.

use super::error::SumOfResiduesError;
use super::modulus66::WIDTH;

/// `log2(1 / Delta)`.
pub(super) const DELTA_SHIFT: u32 = 4;

/// The estimator of the rank by equation (13) for one base, for which it is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RankEstimator {
    /// `q`, the number of leading bits taken of each `gamma_i`.
    bits: u32,
}

impl RankEstimator {
    /// The exact estimator for these moduli with the smallest number of leading bits.
    pub(super) fn shortest(moduli: &[u128]) -> Self {
        Self {
            bits: shortest_bits(moduli),
        }
    }

    /// The estimator with `q` leading bits.
    ///
    /// # Errors
    /// [`SumOfResiduesError::RankPrecision`] if it would not be exact for these moduli.
    pub(super) fn new(moduli: &[u128], q: u32) -> Result<Self, SumOfResiduesError> {
        let needed = shortest_bits(moduli);
        if q < needed || q > WIDTH {
            return Err(SumOfResiduesError::RankPrecision {
                channels: moduli.len(),
                q,
                needed,
            });
        }
        Ok(Self { bits: q })
    }

    /// `q`.
    pub(super) fn bits(self) -> u32 {
        self.bits
    }

    /// The rank `alpha`. Constant time.
    pub(super) fn rank(self, gammas: &[u128]) -> u128 {
        let offset = 1 << (self.bits - DELTA_SHIFT);
        let leading = gammas.iter().map(|gamma| gamma >> (WIDTH - self.bits));
        (leading.sum::<u128>() + offset) >> self.bits
    }
}

/// The smallest `q` with `N 2^(66-q) + sum (2^66 - m_i) <= 2^62`. It is at most 10 for 16 moduli
/// with `2^66 - m_i < 2^23`.
fn shortest_bits(moduli: &[u128]) -> u32 {
    let distances: u128 = moduli.iter().map(|m| (1 << WIDTH) - m).sum();
    let exact =
        |q: &u32| ((moduli.len() as u128) << (WIDTH - q)) + distances <= 1 << (WIDTH - DELTA_SHIFT);
    (DELTA_SHIFT..WIDTH).find(exact).unwrap_or(WIDTH)
}
