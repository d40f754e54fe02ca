//! Euclidean division of two numbers by doublings and subtractions, in variable time.
//!
//! ```text
//! double Y, 2Y, 4Y, ... while F(2^j Y) <= F(X) and F does not decrease
//! for j from the last down to 0:  q = 2 q;  if F(R) >= F(2^j Y): R = R - 2^j Y, q = q + 1
//! ```
//!
//! starting from `R = X` and `q = 0`, where `F` is the characteristic, so that every
//! comparison is exact. `F` of a doubled number decreases exactly when the doubling goes
//! beyond `P`.
//!
//! In: any `X < P` and `1 <= Y < P`. Out: `q = floor(X/Y)` and `R = X mod Y`.
//!
//! Cost for a quotient of `b` bits: at most `2 b + 3` characteristics, `4 b` vector
//! additions; the time depends on both numbers.
//!
//! Source: A. Tchernykh et al., "Cryptographic primitives optimization based on the
//! concepts of the residue number system and finite ring neural network", OLA 2021,
//! Algorithm 1. We correct its step 2 (`F1(X) = X 2^k` must be `F(Y 2^k)`), exclude
//! `Y = 0`, and subtract `2^j Y` in residues, recomputing `F`, instead of subtracting
//! shifted values of `F`, which goes wrong on exact multiples.

use alloc::vec::Vec;

use super::error::DivisionError;
use crate::base::Base;
use crate::channel::{Channel, Plain};
use crate::order::Characteristic;
use crate::residues::Residues;

/// Euclidean division in one base.
#[derive(Clone, Debug)]
pub struct EuclideanDivision {
    characteristic: Characteristic,
}

impl EuclideanDivision {
    /// Division in this base.
    pub fn new(base: &Base) -> Self {
        Self {
            characteristic: Characteristic::new(base),
        }
    }

    /// `(floor(X / Y), X mod Y)`, over a given channel. Not for secrets.
    ///
    /// # Errors
    /// [`DivisionError::ZeroDivisor`] for `Y = 0`.
    ///
    /// # Panics
    /// If `x` or `y` is not in the base.
    pub fn div_rem_on_vartime(
        &self,
        channel: &impl Channel,
        x: &Residues,
        y: &Residues,
    ) -> Result<(Residues, Residues), DivisionError> {
        let f = |x: &Residues| self.characteristic.value_on(channel, x);
        let base = self.characteristic.base();
        let (zero, one) = (Residues::zero(base), Residues::one(base));
        if *y == zero {
            return Err(DivisionError::ZeroDivisor);
        }
        let mut remainder = x.clone();
        let mut f_remainder = f(x);

        let mut multiples = Vec::new();
        let (mut multiple, mut f_multiple) = (y.clone(), f(y));
        while *f_multiple <= *f_remainder {
            let doubled = multiple.add(channel, &multiple);
            let f_doubled = f(&doubled);
            let overflow = *f_doubled < *f_multiple;
            multiples.push((multiple, f_multiple));
            if overflow {
                break;
            }
            (multiple, f_multiple) = (doubled, f_doubled);
        }

        let mut quotient = zero;
        for (multiple, f_multiple) in multiples.iter().rev() {
            quotient = quotient.add(channel, &quotient);
            if *f_remainder >= **f_multiple {
                remainder = remainder.sub(channel, multiple);
                f_remainder = f(&remainder);
                quotient = quotient.add(channel, &one);
            }
        }
        Ok((quotient, remainder))
    }

    /// `(floor(X / Y), X mod Y)`. Not for secrets.
    ///
    /// # Errors
    /// [`DivisionError::ZeroDivisor`] for `Y = 0`.
    ///
    /// # Panics
    /// If `x` or `y` is not in the base.
    pub fn div_rem_vartime(
        &self,
        x: &Residues,
        y: &Residues,
    ) -> Result<(Residues, Residues), DivisionError> {
        self.div_rem_on_vartime(&Plain, x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::every_number;

    #[test]
    fn every_pair_of_tiny_bases_and_zero_divisors_refused() {
        for moduli in [&[2, 3][..], &[3, 5, 7], &[4, 3, 5], &[2, 3, 5, 7]] {
            let base = Base::new(moduli).unwrap();
            let division = EuclideanDivision::new(&base);
            let numbers = every_number(&base);
            for (x, rx) in numbers.iter().enumerate() {
                for (y, ry) in numbers.iter().enumerate() {
                    let result = division.div_rem_vartime(rx, ry);
                    match x.checked_div(y) {
                        None => assert_eq!(result, Err(DivisionError::ZeroDivisor)),
                        Some(q) => {
                            assert_eq!(result, Ok((numbers[q].clone(), numbers[x % y].clone())));
                        }
                    }
                }
            }
        }
    }
}
