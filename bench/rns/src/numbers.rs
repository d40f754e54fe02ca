//! Random operands, from a generator with a fixed seed.

use crypto_bigint::BoxedUint;

/// The generator `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of exactly `bits` bits.
    pub(crate) fn bits(&mut self, bits: u32) -> BoxedUint {
        let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| self.word()).collect();
        let spare = bits.next_multiple_of(64) - bits;
        let top = BoxedUint::one_with_precision(bits).unbounded_shl_vartime(bits - 1);
        BoxedUint::from(words).unbounded_shr_vartime(spare) | top
    }
}
