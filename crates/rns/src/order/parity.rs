//! The parity of a number, in a base of odd moduli.
//!
//! `X = sum x_i k_i P_i - r P` with odd `P` and `P_i`, so
//!
//! ```text
//! X = sum x_i k_i - r   (mod 2),
//! ```
//!
//! with the rank `r` from the [`Characteristic`]. (If a modulus is even, the parity of `X` is
//! that of its residue.)
//!
//! In: any `X < P`. Cost: `n` plain products.
//!
//! Source: the rank is that of [`characteristic`](super::characteristic); parity is the
//! base extension of [`frnn`](crate::extend::frnn) to the modulus 2.

use super::characteristic::Characteristic;
use crate::base::{Base, BaseError};
use crate::channel::{Channel, Plain};
use crate::residues::Residues;

/// The parity test of a base of odd moduli.
#[derive(Clone, Debug)]
pub struct Parity {
    characteristic: Characteristic,
}

impl Parity {
    /// The parity test of this base.
    ///
    /// # Errors
    /// [`BaseError::Even`] for the first even modulus.
    pub fn new(base: &Base) -> Result<Self, BaseError> {
        match base.moduli().iter().find(|p| p.value().is_multiple_of(2)) {
            Some(even) => Err(BaseError::Even(even.value())),
            None => Ok(Self {
                characteristic: Characteristic::new(base),
            }),
        }
    }

    /// Whether `X` is odd, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn is_odd_on(&self, channel: &impl Channel, x: &Residues) -> bool {
        let rank = self.characteristic.rank_on(channel, x);
        let inverses = self.characteristic.base().cofactor_inverses();
        let sum = x
            .values()
            .iter()
            .zip(inverses)
            .fold(rank, |acc, (x, k)| acc ^ (x & k));
        sum & 1 == 1
    }

    /// Whether `X` is odd.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn is_odd(&self, x: &Residues) -> bool {
        self.is_odd_on(&Plain, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::every_number;

    #[test]
    fn every_number_of_tiny_bases() {
        for moduli in [&[3, 5][..], &[3, 5, 7], &[7, 11, 13], &[3, 5, 7, 11]] {
            let base = Base::new(moduli).unwrap();
            let parity = Parity::new(&base).unwrap();
            for (x, residues) in every_number(&base).iter().enumerate() {
                assert_eq!(parity.is_odd(residues), x % 2 == 1);
            }
        }
    }

    #[test]
    fn an_even_modulus_is_refused() {
        let base = Base::new(&[3, 4]).unwrap();
        assert_eq!(
            Parity::new(&base).map(|_| ()).unwrap_err(),
            BaseError::Even(4)
        );
    }
}
