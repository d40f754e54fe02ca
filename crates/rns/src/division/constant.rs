//! Division by any constant, of any size and with any common factors with the moduli.
//!
//! For a base `p_1, ..., p_n` with product `P`, `B_i = P_i k_i`, `k_i = |P_i^-1|_{p_i}` and
//! the rank `r`, `X = sum x_i B_i - r P`. Divide the constants once:
//!
//! ```text
//! B_i = d u_i + v_i,   P = d u - v,   0 <= v_i, v < d.
//! ```
//!
//! Then `X = d (sum x_i u_i - r u) + V` with `V = sum x_i v_i + r v >= 0`, so
//!
//! ```text
//! floor(X/d) = sum x_i u_i - r u + floor(V/d)
//! floor(V/d) = floor((sum x_i e_i + r e) / 2^K),   e_i = ceil(2^K v_i / d), e = ceil(2^K v / d)
//! X mod d    = X - d floor(X/d)
//! ```
//!
//! `V/d` is a multiple of `1/d`, and rounding the weights up adds less than
//! `2 rho / 2^K` to it, `rho = sum (p_i - 1)`. So the floor is exact for
//!
//! ```text
//! 2^K >= 2 rho d.
//! ```
//!
//! These are three layers of fixed weights: rank, correction, quotient.
//!
//! In: any `X < P`. Out: quotient and remainder, residues of both in the whole base. For
//! `d > P` the quotient is 0.
//!
//! Cost: `2 n + 1` plain products, `n (n + 1)` CMM, `2 n` CMR, `n (n + 2)` EMA for the
//! quotient; `n` CMM and `n` EMA more with the remainder.
//!
//! Source: the operation "division by constant" of A. Tchernykh et al., "Cryptographic
//! primitives optimization based on the concepts of the residue number system and finite
//! ring neural network", OLA 2021, Table 1 (b), for which that paper only gives divisors
//! that are moduli. The algorithm is ours: its network for base extension (equation (11)),
//! with weights divided by `d`.

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, ConcatenatingMul, Resize};
use zeroize::Zeroizing;

use super::error::DivisionError;
use crate::base::Base;
use crate::channel::{Channel, Plain};
use crate::modulus::Modulus;
use crate::order::Characteristic;
use crate::residues::Residues;
use crate::words::{div_rem_vartime, low_u128};

/// Division by a constant in one base.
#[derive(Clone, Debug)]
pub struct ConstantDivision {
    /// The rank layer.
    characteristic: Characteristic,
    /// `K`.
    shift: u32,
    /// Length in bits of residues and rank: all are below `rho`, hence below `2^input_bits`.
    input_bits: u32,
    /// The correction layer: `e_i` for every `i`, then `e`.
    correction: Vec<BoxedUint>,
    /// The quotient layer, a row for each channel `p`: `|u_i|_p` for every `i`, then `|-u|_p`.
    quotient: Vec<Vec<u128>>,
    /// `|d|_p` in every channel.
    divisor: Residues,
}

impl ConstantDivision {
    /// Division by `divisor`, a number of any size.
    ///
    /// # Errors
    /// [`DivisionError::ZeroDivisor`].
    pub fn new(base: &Base, divisor: &BoxedUint) -> Result<Self, DivisionError> {
        if bool::from(divisor.is_zero()) {
            return Err(DivisionError::ZeroDivisor);
        }
        let rho: u128 = base.moduli().iter().map(|p| p.value() - 1).sum();
        let shift = divisor
            .concatenating_mul(BoxedUint::from(2 * rho))
            .wrapping_sub(BoxedUint::one())
            .bits_vartime();

        let numerators = (0..base.len()).map(|i| {
            let inverse = BoxedUint::from(base.cofactor_inverses()[i]);
            base.cofactor(i).concatenating_mul(&inverse)
        });
        let mut divided: Vec<(BoxedUint, BoxedUint)> =
            numerators.map(|b| div_rem_vartime(&b, divisor)).collect();
        divided.push(div_rem_up_vartime(base.product(), divisor));

        let weight = |(_, rest): &(BoxedUint, BoxedUint)| {
            // v_i < d, so the weight is at most 2^K.
            let bits = (rest.bits_precision() + shift + 1).next_multiple_of(64);
            let scaled = rest.resize_unchecked(bits).unbounded_shl_vartime(shift);
            div_rem_up_vartime(&scaled, divisor)
                .0
                .resize_unchecked((shift + 1).next_multiple_of(64))
        };
        let row = |p: &Modulus| {
            let mut row: Vec<u128> = divided.iter().map(|(u, _)| p.reduce_uint(u)).collect();
            if let Some(last) = row.last_mut() {
                *last = p.neg(*last);
            }
            row
        };
        Ok(Self {
            characteristic: Characteristic::new(base),
            shift,
            input_bits: u128::BITS - rho.leading_zeros(),
            correction: divided.iter().map(weight).collect(),
            quotient: base.moduli().iter().map(row).collect(),
            divisor: Residues::reduced(base, divisor),
        })
    }

    /// `floor(X / d)`, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn quotient_on(&self, channel: &impl Channel, x: &Residues) -> Residues {
        let base = self.characteristic.base();
        let rank = self.characteristic.rank_on(channel, x);
        let mut inputs = Zeroizing::new(x.values().to_vec());
        inputs.push(rank);
        let sum = channel.weighted_sum(&inputs, self.input_bits, &self.correction);
        let carry = low_u128(&Zeroizing::new(sum.unbounded_shr_vartime(self.shift)));
        Residues::from_fn(base, |(k, p)| {
            let weights = &self.quotient[k];
            let terms = base.moduli().iter().zip(x.values()).zip(weights);
            let sum = terms.fold(0, |acc, ((from, &x), &weight)| {
                channel.add(p, acc, channel.mul_constant_from(p, x, from, weight))
            });
            let rank = channel.reduce(p, rank);
            let sum = channel.add(p, sum, channel.mul_constant(p, rank, weights[base.len()]));
            channel.add(p, sum, channel.reduce(p, carry))
        })
    }

    /// `floor(X / d)`.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn quotient(&self, x: &Residues) -> Residues {
        self.quotient_on(&Plain, x)
    }

    /// `(floor(X / d), X mod d)`, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn div_rem_on(&self, channel: &impl Channel, x: &Residues) -> (Residues, Residues) {
        let quotient = self.quotient_on(channel, x);
        let multiple = quotient.mul_constant(channel, &self.divisor);
        let remainder = x.sub(channel, &multiple);
        (quotient, remainder)
    }

    /// `(floor(X / d), X mod d)`.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn div_rem(&self, x: &Residues) -> (Residues, Residues) {
        self.div_rem_on(&Plain, x)
    }
}

/// `(u, v)` with `x = d u - v` and `0 <= v < d`, so that `u = ceil(x / d)`, for constants.
fn div_rem_up_vartime(x: &BoxedUint, divisor: &BoxedUint) -> (BoxedUint, BoxedUint) {
    let (quotient, rest) = div_rem_vartime(x, divisor);
    if bool::from(rest.is_zero()) {
        return (quotient, rest);
    }
    let bits = quotient.bits_precision() + 64;
    let quotient = quotient
        .resize_unchecked(bits)
        .wrapping_add(BoxedUint::one());
    (quotient, divisor.wrapping_sub(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Counting, Counts};
    use crate::test_support::every_number;

    #[test]
    fn every_number_by_every_constant_in_tiny_bases() {
        for moduli in [&[2, 3][..], &[3, 5, 7], &[4, 3, 5], &[2, 3, 5, 7]] {
            let base = Base::new(moduli).unwrap();
            let numbers = every_number(&base);
            for d in 1..=2 * numbers.len() + 3 {
                let division = ConstantDivision::new(&base, &BoxedUint::from(d as u64)).unwrap();
                for (x, residues) in numbers.iter().enumerate() {
                    let (quotient, remainder) = division.div_rem(residues);
                    assert_eq!(quotient, numbers[x / d]);
                    assert_eq!(remainder, numbers[x % d]);
                }
            }
        }
    }

    #[test]
    fn zero_is_refused() {
        let base = Base::new(&[3, 5]).unwrap();
        let error = ConstantDivision::new(&base, &BoxedUint::zero()).map(|_| ());
        assert_eq!(error, Err(DivisionError::ZeroDivisor));
    }

    #[test]
    fn counts_are_those_of_the_formula() {
        let base = Base::pseudo_mersenne(20, 9).unwrap();
        let division = ConstantDivision::new(&base, &BoxedUint::from(1_000_003u64)).unwrap();
        let channel = Counting::default();
        division.div_rem_on(&channel, &Residues::one(&base));
        let expected = Counts {
            products: 19,
            cmm: 90 + 9,
            cmr: 18,
            ema: 99 + 9,
            ..Counts::default()
        };
        assert_eq!(channel.counts(), expected);
    }
}
