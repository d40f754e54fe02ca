//! Short random factors, for equations that are added up. Public.

use super::parameters::SEED;
use crypto_bigint::{BoxedUint, NonZero, Resize};
use rand_core::TryCryptoRng;

/// Number of bits of a digit of a half.
pub(super) const WIDTH: u32 = 4;
/// Number of odd multiples of a point: of digits without sign.
pub(super) const ENTRIES: usize = 1 << (WIDTH - 1);
/// Number of digits of each half of a factor.
pub(super) const WINDOWS: u32 = ShortFactor::BITS / WIDTH;

/// The kind of the summands, which factors multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summand {
    /// A point, by its coordinates.
    Point,
    /// A sum of images, by the points of the first curve.
    Image,
}

/// A factor `k_1 - x^2 k_2` for odd numbers k below 2^36 in absolute value: one of 2^72 that differ modulo the order,
/// none of which is 0. In both groups it takes half the doublings of other factors of that length.
#[derive(Clone, Debug)]
pub(crate) struct ShortFactor([BoxedUint; 2]);

impl ShortFactor {
    /// Length of each half in bits.
    pub(super) const BITS: u32 = 36;

    /// A random factor; none if the generator fails.
    pub(crate) fn random<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Option<Self> {
        let mut half = || {
            let number = rng.try_next_u64().ok()?;
            Some(BoxedUint::from(number >> (u64::BITS - Self::BITS)))
        };
        Some(Self([half()?, half()?]))
    }

    /// The factor modulo the order.
    pub(crate) fn number(&self, order: &NonZero<BoxedUint>) -> BoxedUint {
        let precision = order.bits_precision();
        let big = |x: u64| BoxedUint::from(x).resize_unchecked(precision);
        let [first, second] = self.0.each_ref().map(|window| {
            // 2 window - 2^BITS + 1.
            let double = window.resize_unchecked(precision).shl(1);
            double.sub_mod(&big((1 << Self::BITS) - 1), order)
        });
        let square = big(SEED).mul_mod(&big(SEED), order);
        first.sub_mod(&square.mul_mod(&second, order), order)
    }

    /// The halves as programs recode them: the integer `(k + 2^BITS - 1)/2` for each k.
    pub(super) fn windows(&self) -> &[BoxedUint; 2] {
        &self.0
    }

    /// The factor with these windows, `(k + 2^36 - 1)/2` for each half k.
    #[cfg(test)]
    pub(crate) fn of_windows(halves: [u64; 2]) -> Self {
        Self(halves.map(BoxedUint::from))
    }
}
