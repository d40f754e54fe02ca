//! The sign of a number, if residues stand for negative numbers, too.
//!
//! Residues stand for the integers from `-floor(P/2)` to `ceil(P/2) - 1`: `X` in
//! `[ceil(P/2), P)` means `X - P`. For odd `P` the first negative number is `(P+1)/2`.
//!
//! `X` is negative exactly when `F_N(X) >= F_N(ceil(P/2))`, which is stored. The same `N`
//! as for comparison is enough. (The most significant bit of `F_N` alone is enough for odd `P`,
//! but only with one more bit, `N + 1`.)
//!
//! In: any `X < P`. Cost: `n` plain products.
//!
//! Source: as [`characteristic`](super::characteristic), section 2.2. The threshold is derived
//! in `docs/order-and-division.md`.

use crypto_bigint::BoxedUint;

use super::characteristic::Characteristic;
use crate::base::Base;
use crate::channel::{Channel, Plain};
use crate::residues::Residues;

/// The sign test of a base.
#[derive(Clone, Debug)]
pub struct Sign {
    characteristic: Characteristic,
    /// `F_N(ceil(P/2))`.
    threshold: BoxedUint,
}

impl Sign {
    /// The sign test of this base.
    pub fn new(base: &Base) -> Self {
        let characteristic = Characteristic::new(base);
        let last_positive = base
            .product()
            .wrapping_sub(BoxedUint::one())
            .unbounded_shr_vartime(1);
        // ceil(P/2) = floor((P-1)/2) + 1 for every P.
        let half = last_positive.wrapping_add(BoxedUint::one());
        let threshold = (*characteristic.value(&Residues::reduced(base, &half))).clone();
        Self {
            characteristic,
            threshold,
        }
    }

    /// Whether `X` stands for a negative number, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn is_negative_on(&self, channel: &impl Channel, x: &Residues) -> bool {
        *self.characteristic.value_on(channel, x) >= self.threshold
    }

    /// Whether `X` stands for a negative number: `X >= ceil(P/2)`.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn is_negative(&self, x: &Residues) -> bool {
        self.is_negative_on(&Plain, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{boxed, every_number};
    use alloc::collections::BTreeSet;

    #[test]
    fn every_number_of_tiny_bases() {
        for moduli in [
            &[2, 3][..],
            &[3, 5, 7],
            &[7, 11, 13],
            &[16, 15],
            &[2, 3, 5, 7],
        ] {
            let base = Base::new(moduli).unwrap();
            let sign = Sign::new(&base);
            let numbers = every_number(&base);
            for (x, residues) in numbers.iter().enumerate() {
                assert_eq!(sign.is_negative(residues), 2 * x >= numbers.len());
            }
        }
    }

    #[test]
    fn the_top_bit_is_the_sign_from_one_bit_more() {
        for moduli in [&[3, 5][..], &[3, 5, 7], &[7, 11, 13]] {
            let base = Base::new(moduli).unwrap();
            let bits = Characteristic::needed_bits(&base) + 1;
            let characteristic = Characteristic::with_bits(&base, bits).unwrap();
            let sign = Sign::new(&base);
            for x in every_number(&base) {
                let top = characteristic.value(&x).bit_vartime(bits - 1);
                assert_eq!(top, sign.is_negative(&x));
            }
        }
    }

    #[test]
    fn the_numbers_next_to_the_middle_of_the_frnn_bases() {
        for n in [15, 75, 285] {
            let base = Base::descending_primes(15, n, &BTreeSet::new()).unwrap();
            let sign = Sign::new(&base);
            let p = crate::test_support::big(base.product());
            let negative = |x| sign.is_negative(&Residues::from_uint(&base, &boxed(&x)).unwrap());
            for k in 0..10u8 {
                assert!(!negative((&p - 1u8) / 2u8 - k) && negative((&p + 1u8) / 2u8 + k));
                assert!(!negative(k.into()) && negative(&p - 1u8 - k));
            }
        }
    }
}
