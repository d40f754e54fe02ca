//! Comparison of two numbers and the overflow of an addition, by the characteristic.
//!
//! `F_N` is strictly increasing on `[0, P)`, so `X < Y` exactly when `F_N(X) < F_N(Y)`.
//! `X + Y >= P` exactly when `|X + Y|_P < X`: without overflow the sum is at least `X`,
//! with it the sum is `X - (P - Y) < X`.
//!
//! In: any `X, Y < P`. Cost: `2 n` plain products; the overflow has `n` EMA more.
//!
//! Source: as [`characteristic`](super::characteristic), section 2.2. The time does not depend
//! on the numbers, but a branch on the result reveals it.

use core::cmp::Ordering;

use super::characteristic::Characteristic;
use crate::channel::{Channel, Plain};
use crate::residues::Residues;

impl Characteristic {
    /// The order of `X` and `Y`, over a given channel.
    ///
    /// # Panics
    /// If `x` or `y` is not in the base.
    pub fn compare_on(&self, channel: &impl Channel, x: &Residues, y: &Residues) -> Ordering {
        self.value_on(channel, x).cmp(&*self.value_on(channel, y))
    }

    /// The order of `X` and `Y`.
    ///
    /// # Panics
    /// If `x` or `y` is not in the base.
    pub fn compare(&self, x: &Residues, y: &Residues) -> Ordering {
        self.compare_on(&Plain, x, y)
    }

    /// Whether `X + Y >= P`, over a given channel.
    ///
    /// # Panics
    /// If `x` or `y` is not in the base.
    pub fn add_overflows_on(&self, channel: &impl Channel, x: &Residues, y: &Residues) -> bool {
        self.compare_on(channel, &x.add(channel, y), x) == Ordering::Less
    }

    /// Whether `X + Y >= P`, so that the residues of the sum stand for `X + Y - P`.
    ///
    /// # Panics
    /// If `x` or `y` is not in the base.
    pub fn add_overflows(&self, x: &Residues, y: &Residues) -> bool {
        self.add_overflows_on(&Plain, x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Base;
    use crate::test_support::every_number;

    #[test]
    fn every_pair_of_tiny_bases() {
        for moduli in [&[2, 3][..], &[3, 5, 7], &[2, 3, 5, 7], &[16, 15]] {
            let base = Base::new(moduli).unwrap();
            let characteristic = Characteristic::new(&base);
            let numbers = every_number(&base);
            for (x, rx) in numbers.iter().enumerate() {
                for (y, ry) in numbers.iter().enumerate() {
                    assert_eq!(characteristic.compare(rx, ry), x.cmp(&y));
                    assert_eq!(characteristic.add_overflows(rx, ry), x + y >= numbers.len());
                }
            }
        }
    }
}
