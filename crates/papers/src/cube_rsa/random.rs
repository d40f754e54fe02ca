//! Reproducible pseudo-random numbers, so that the tables are the same in every run.

use crypto_bigint::{BoxedUint, Resize};

/// The generator `SplitMix64`, with its state. Not for secrets.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniform number below `2^bits`.
    pub(crate) fn below_power_of_two(&mut self, bits: u32) -> BoxedUint {
        let bytes = (0..bits.div_ceil(64)).flat_map(|_| self.word().to_be_bytes());
        let number = BoxedUint::from_be_slice_vartime(&bytes.collect::<Vec<_>>());
        let excess = number.bits_precision() - bits;
        number.wrapping_shr_vartime(excess).resize_unchecked(bits)
    }

    /// An odd number of exactly `bits` bits, for `bits >= 1`.
    pub(crate) fn odd(&mut self, bits: u32) -> BoxedUint {
        let one = BoxedUint::one_with_precision(bits);
        let top = one.wrapping_shl_vartime(bits - 1);
        self.below_power_of_two(bits) | one | top
    }
}
