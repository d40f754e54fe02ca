//! Operands that look random, and are the same in every run.

use crypto_bigint::{BoxedUint, NonZero, Resize};

/// A generator of operands: `SplitMix64` with a fixed seed. Not for secrets.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Self {
        Self(0x5355_4e5a_4921)
    }

    /// 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A nearly uniform number below `bound`.
    pub(crate) fn below(&mut self, bound: &BoxedUint) -> BoxedUint {
        // 128 bits more than the bound: the deviation from uniform is below 2^-127.
        let words = bound.bits_precision() / 64 + 2;
        let x = BoxedUint::from_words((0..words).map(|_| self.word()));
        let bound = bound.clone().resize_unchecked(x.bits_precision());
        let bound = Option::<NonZero<BoxedUint>>::from(NonZero::new(bound)).expect("bound > 0");
        x.rem_vartime(&bound)
    }
}
