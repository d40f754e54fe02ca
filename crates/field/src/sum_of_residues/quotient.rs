//! The quotient `kappa` of a sum of residues, from truncated constants.
//!
//! ```text
//! kappa = floor( (sum gamma_i c_i) / 2^T ),   c_i < 2^T
//! ```
//!
//! In: factors `gamma_i < 2^66`, at most 17. Out: the exact floor. The published form takes
//! `c_i = floor(<M_i>_p / 2^(W-T))`, the exact form `c_i = floor(2^T <M_i>_p / p)`.
//!
//! Source: M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), equation (24). The constants are split into halves, so that sums of
//! products stay within 128 bits for every `T` up to 112 (P-192 needs 108).

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use sunzi_rns::Channel;
use sunzi_rns::channel::Operation;

use super::modulus66::WIDTH;

/// Quotients `floor( (sum gamma_i c_i) / 2^T )` with constants `c_i < 2^T`, `T <= 112`,
/// split into halves so that every sum fits in 128 bits.
#[derive(Clone, Debug)]
pub(super) struct Quotient {
    /// The precision `T`, in bits.
    bits: u32,
    /// The halves `(high_i, low_i)` of the constants `c_i = high_i 2^56 + low_i`.
    halves: Vec<(u128, u128)>,
}

/// The width of the low half of a constant, in bits.
const LOW_BITS: u32 = 56;

impl Quotient {
    /// The precisions `T` allowed. A factor below `2^66` times a half is below `2^122`, and the sum
    /// of 17 of these is below `2^127`.
    pub(super) const BITS: core::ops::RangeInclusive<u32> = LOW_BITS..=2 * LOW_BITS;

    /// The quotient with these constants, which must be below `2^T`.
    pub(super) fn new(bits: u32, constants: &[BoxedUint]) -> Self {
        debug_assert!(Self::BITS.contains(&bits));
        let halves = constants.iter().map(|c| {
            debug_assert!(c.bits_vartime() <= bits);
            let low = c.as_words()[0] & ((1 << LOW_BITS) - 1);
            let high = c.unbounded_shr_vartime(LOW_BITS).as_words()[0];
            (u128::from(high), u128::from(low))
        });
        Self {
            bits,
            halves: halves.collect(),
        }
    }

    /// The precision `T`.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// The constants `c_i`.
    pub(super) fn constants(&self) -> Vec<u128> {
        let whole = |&(high, low): &(u128, u128)| (high << LOW_BITS) | low;
        self.halves.iter().map(whole).collect()
    }

    /// The value of the quotient for these factors below `2^66`, one for each constant. Cost: one
    /// plain product for each factor.
    ///
    /// `floor((h 2^s + l) / 2^T) = floor((h + floor(l / 2^s)) / 2^(T-s))`.
    pub(super) fn of(&self, channel: &impl Channel, factors: impl Iterator<Item = u128>) -> u128 {
        let sums = factors
            .zip(&self.halves)
            .fold((0u128, 0u128), |(high, low), (factor, c)| {
                debug_assert!(factor >> WIDTH == 0);
                channel.tally(Operation::Product, 1);
                (high + factor * c.0, low + factor * c.1)
            });
        (sums.0 + (sums.1 >> LOW_BITS)) >> (self.bits - LOW_BITS)
    }
}
