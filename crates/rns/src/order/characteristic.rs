//! The positional characteristic `F_N` and the rank.
//!
//! For a base `p_1, ..., p_n` with product `P`, `P_i = P/p_i`, `k_i = |P_i^-1|_{p_i}` and
//! `g_i = floor(2^N k_i / p_i)`:
//!
//! ```text
//! s      = sum x_i g_i
//! F_N(X) = s mod 2^N
//! r      = floor(s / 2^N),      X = sum x_i k_i P_i - r P
//! ```
//!
//! `F_N` is strictly increasing on `[0, P)` and `r` is the true rank if
//!
//! ```text
//! N >= ceil(log2(P rho)),   rho = sum (p_i - 1).
//! ```
//!
//! In: any `X < P`. Out: `N` bits, and `0 <= r < rho`.
//!
//! Cost: `n` plain products of a residue and `N` bits.
//!
//! Source: A. Tchernykh, M. Babenko, B. Pulido-Gaytan, E. Shiryaev, E. Golimblevskaia,
//! A. Avetisyan, N. V. Hung, J. M. Cortes-Mendoza, "Cryptographic primitives optimization
//! based on the concepts of the residue number system and finite ring neural network",
//! OLA 2021, section 2.2 and equation (5). There the precision is "twice as much as the
//! number of characters in the RNS range". The bound above is only a few bits more than the
//! range itself; it is proved in `docs/order-and-division.md`. Here `g_i` is rounded down, so
//! that `F_N(X) <= 2^N X / P`.

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, ConcatenatingMul, Resize};
use zeroize::Zeroizing;

use crate::base::Base;
use crate::channel::{Channel, Plain};
use crate::modulus::Modulus;
use crate::residues::Residues;
use crate::words::{div_rem_vartime, low_bits, low_u128, power_of_two};

/// The reason why a precision is refused: it is below the proved bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("F_N with N = {bits} is not proved to be increasing: N must be at least {needed} bits")]
pub struct PrecisionError {
    /// The precision `N` asked for, in bits.
    pub bits: u32,
    /// The smallest precision that is proved, `ceil(log2(P rho))`.
    pub needed: u32,
}

/// The positional characteristic of a base.
#[derive(Clone, Debug)]
pub struct Characteristic {
    base: Base,
    bits: u32,
    /// `g_i`, all in the same precision.
    weights: Vec<BoxedUint>,
}

impl Characteristic {
    /// The characteristic with the smallest proved precision, `N = ceil(log2(P rho))`.
    pub fn new(base: &Base) -> Self {
        Self::of_bits(base, Self::needed_bits(base))
    }

    /// The characteristic with a precision of `bits`.
    ///
    /// # Errors
    /// [`PrecisionError`] below `ceil(log2(P rho))`.
    pub fn with_bits(base: &Base, bits: u32) -> Result<Self, PrecisionError> {
        let needed = Self::needed_bits(base);
        if bits < needed {
            return Err(PrecisionError { bits, needed });
        }
        Ok(Self::of_bits(base, bits))
    }

    /// The smallest precision that is proved, in bits: `ceil(log2(P rho))`.
    pub fn needed_bits(base: &Base) -> u32 {
        let rho: u128 = base.moduli().iter().map(|p| p.value() - 1).sum();
        let bound = base.product().concatenating_mul(BoxedUint::from(rho));
        bound.wrapping_sub(BoxedUint::one()).bits_vartime()
    }

    /// The characteristic with `N = bits`, without a check of the bound.
    fn of_bits(base: &Base, bits: u32) -> Self {
        let precision = bits.next_multiple_of(64);
        let power = power_of_two(bits);
        let weight = |(p, &k): (&Modulus, &u128)| {
            let numerator = power.concatenating_mul(BoxedUint::from(k));
            div_rem_vartime(&numerator, &BoxedUint::from(p.value()))
                .0
                .resize_unchecked(precision)
        };
        let weights = base
            .moduli()
            .iter()
            .zip(base.cofactor_inverses())
            .map(weight)
            .collect();
        Self {
            base: base.clone(),
            bits,
            weights,
        }
    }

    /// The base of the numbers.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// `N`, the precision in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// `g_i` for every modulus.
    pub fn weights(&self) -> &[BoxedUint] {
        &self.weights
    }

    /// `F_N(X)`, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn value_on(&self, channel: &impl Channel, x: &Residues) -> Zeroizing<BoxedUint> {
        Zeroizing::new(low_bits(&self.sum(channel, x), self.bits))
    }

    /// `F_N(X)`.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn value(&self, x: &Residues) -> Zeroizing<BoxedUint> {
        self.value_on(&Plain, x)
    }

    /// The rank `r`, `X = sum x_i k_i P_i - r P`, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn rank_on(&self, channel: &impl Channel, x: &Residues) -> u128 {
        let high = Zeroizing::new(self.sum(channel, x).unbounded_shr_vartime(self.bits));
        low_u128(&high)
    }

    /// The rank `r`, `X = sum x_i k_i P_i - r P`.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn rank(&self, x: &Residues) -> u128 {
        self.rank_on(&Plain, x)
    }

    /// `s = sum x_i g_i < 2^N rho`.
    fn sum(&self, channel: &impl Channel, x: &Residues) -> Zeroizing<BoxedUint> {
        x.assert_in(&self.base);
        channel.weighted_sum(x.values(), self.base.width(), &self.weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Counting, Counts};
    use crate::test_support::{big, boxed};
    use alloc::collections::BTreeSet;
    use num_bigint::BigUint;
    use std::vec;

    fn frnn_base(n: usize) -> Base {
        Base::descending_primes(15, n, &BTreeSet::new()).unwrap()
    }

    #[test]
    fn needed_bits_of_the_known_bases() {
        for (moduli, bits) in [
            (&[3, 5, 7][..], 11),
            (&[7, 11, 13], 15),
            (&[3, 5, 7, 11, 13], 19),
        ] {
            assert_eq!(
                Characteristic::needed_bits(&Base::new(moduli).unwrap()),
                bits
            );
        }
        for (n, bits) in [(15, 244), (75, 1145), (285, 4280)] {
            assert_eq!(Characteristic::needed_bits(&frnn_base(n)), bits);
        }
    }

    /// Whether the values are strictly increasing and the ranks right on all of `[0, P)`.
    fn is_right_everywhere(characteristic: &Characteristic) -> bool {
        let base = characteristic.base();
        let product = big(base.product());
        let mut last: Option<Zeroizing<BoxedUint>> = None;
        (0..u64::try_from(&product).unwrap()).all(|x| {
            let residues = Residues::reduced(base, &BoxedUint::from(x));
            let value = characteristic.value(&residues);
            let rank = characteristic.rank(&residues);
            let increases = last.as_ref().is_none_or(|last| **last < *value);
            last = Some(value);
            let bases = (0..base.len()).map(|i| {
                let weight = big(&base.cofactor(i)) * base.cofactor_inverses()[i];
                weight * residues.values()[i]
            });
            increases && bases.sum::<BigUint>() == &product * rank + x
        })
    }

    #[test]
    fn increasing_and_right_rank_on_tiny_bases_and_the_floor_minima() {
        // The precision of the proof works, and so does the least one, found by trying all X.
        for (moduli, minimum) in [
            (&[3, 5, 7][..], 8),
            (&[7, 11, 13], 12),
            (&[3, 5, 7, 11, 13], 16),
        ] {
            let base = Base::new(moduli).unwrap();
            assert!(is_right_everywhere(&Characteristic::new(&base)));
            assert!(is_right_everywhere(&Characteristic::of_bits(
                &base, minimum
            )));
            assert!(!is_right_everywhere(&Characteristic::of_bits(
                &base,
                minimum - 1
            )));
        }
        for moduli in [&[2, 3][..], &[4, 3, 5], &[2, 3, 5, 7], &[16, 15]] {
            assert!(is_right_everywhere(&Characteristic::new(
                &Base::new(moduli).unwrap()
            )));
        }
    }

    #[test]
    fn a_precision_below_the_bound_is_refused() {
        let base = frnn_base(15);
        let error = Characteristic::with_bits(&base, 243)
            .map(|_| ())
            .unwrap_err();
        assert_eq!(
            error,
            PrecisionError {
                bits: 243,
                needed: 244
            }
        );
        assert!(Characteristic::with_bits(&base, 300).is_ok());
    }

    #[test]
    fn the_l_column_of_the_frnn_table() {
        let column = [
            225, 450, 675, 900, 1124, 1349, 1573, 1797, 2021, 2245, 2469, 2693, 2917, 3140, 3364,
            3587, 3810, 4033, 4256,
        ];
        for (row, &l) in column.iter().enumerate() {
            let base = frnn_base(15 * (row + 1));
            assert_eq!(big(base.product()).bits(), l);
        }
        // "Consecutive coprime numbers", taken literally, give other lengths from n = 45 on.
        let mut literal = vec![32749u128];
        for candidate in (2..32749).rev() {
            if literal.len() == 285 {
                break;
            }
            if literal.iter().all(|&m| num_integer::gcd(m, candidate) == 1) {
                literal.push(candidate);
            }
        }
        let wrong = column.iter().enumerate().filter(|&(row, &l)| {
            let product: BigUint = literal[..15 * (row + 1)]
                .iter()
                .copied()
                .map(BigUint::from)
                .product();
            product.bits() != l
        });
        assert_eq!(wrong.count(), 14);
    }

    #[test]
    fn the_smallest_and_largest_numbers_of_the_frnn_bases() {
        for n in [15, 75, 285] {
            let base = frnn_base(n);
            let characteristic = Characteristic::new(&base);
            let p = big(base.product());
            let one = BigUint::from(1u8);
            let cases = [
                BigUint::ZERO,
                one.clone(),
                BigUint::from(2u8),
                (&p - 1u8) / 2u8,
                (&p + 1u8) / 2u8,
                &p - 2u8,
                &p - 1u8,
            ];
            let mut last: Option<Zeroizing<BoxedUint>> = None;
            for x in cases {
                let residues = Residues::from_uint(&base, &boxed(&x)).unwrap();
                let value = characteristic.value(&residues);
                assert!(last.is_none_or(|last| *last < *value));
                last = Some(value);
                let sum: BigUint = (0..n)
                    .map(|i| {
                        let p_i: &Modulus = &base.moduli()[i];
                        (&p / p_i.value()) * base.cofactor_inverses()[i] * residues.values()[i]
                    })
                    .sum();
                assert_eq!(sum, &p * characteristic.rank(&residues) + &x);
            }
        }
    }

    #[test]
    fn the_cost_is_n_products() {
        let base = frnn_base(15);
        let channel = Counting::default();
        let _ = Characteristic::new(&base).rank_on(&channel, &Residues::one(&base));
        assert_eq!(
            channel.counts(),
            Counts {
                products: 15,
                ..Counts::default()
            }
        );
    }
}
