//! Reproducible pseudo-random numbers, so that the tables are the same in every run.

use crypto_bigint::{BoxedUint, Resize};
use num_bigint::BigUint;

/// The generator `SplitMix64`, with its state. Not for secrets.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A uniform word.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniform number below `2^bits`.
    pub fn below_power_of_two(&mut self, bits: u32) -> BoxedUint {
        let bytes = (0..bits.div_ceil(64)).flat_map(|_| self.word().to_be_bytes());
        let number = BoxedUint::from_be_slice_vartime(&bytes.collect::<Vec<_>>());
        let excess = number.bits_precision() - bits;
        number.wrapping_shr_vartime(excess).resize_unchecked(bits)
    }

    /// A number of exactly `bits` bits, for `bits >= 1`.
    pub fn of_bits(&mut self, bits: u32) -> BoxedUint {
        let top = BoxedUint::one_with_precision(bits).wrapping_shl_vartime(bits - 1);
        self.below_power_of_two(bits) | top
    }

    /// An odd number of exactly `bits` bits, for `bits >= 1`.
    pub fn odd(&mut self, bits: u32) -> BoxedUint {
        self.of_bits(bits) | BoxedUint::one_with_precision(bits)
    }

    /// A number below `limit`, which is at least 1; uniform except for a bias below `2^-64`.
    pub fn below(&mut self, limit: &BigUint) -> BigUint {
        let words = limit.bits().div_ceil(64) + 1;
        let digits = (0..words).flat_map(|_| self.word().to_le_bytes());
        BigUint::from_bytes_le(&digits.collect::<Vec<_>>()) % limit
    }
}
