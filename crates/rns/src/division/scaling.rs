//! Scaling: division by a modulus of the base, or by a product of several.
//!
//! Let `D` be the product of the chosen moduli. The residues in the chosen channels *are*
//! the remainder `R = |X|_D`, and in the other channels `D` is invertible:
//!
//! ```text
//! r_j = |R|_{p_j}                       for the other channels j, by base extension
//! q_j = |(x_j - r_j) |D^-1|_{p_j}|_{p_j}
//! q_i = |Q|_{p_i}                       for the chosen channels i, by base extension
//! ```
//!
//! `Q = floor(X/D) < P/D`, the product of the other moduli, so the second extension is
//! exact. Both go through mixed-radix digits.
//!
//! In: any `X < P`. Out: `Q` and `R`.
//!
//! Cost for `d` chosen moduli of `n`, with `e = n - d`:
//! `d (d+1)/2 + d e + e + e (e+1)/2 + e d` CMM,
//! `d (d-1)/2 + d e + e + e (e-1)/2 + e d` EMA.
//!
//! Source: A. Tchernykh et al., "Cryptographic primitives optimization based on the
//! concepts of the residue number system and finite ring neural network", OLA 2021,
//! section 2.1, equations (2) to (4). Equation (3) as printed mixes its indices
//! (`x_1 - |x_i|_{p_1}` where the divisor is `p_1`); the form above is the one that works.
//! The source divides by one modulus; a product is our extension.

use alloc::{vec, vec::Vec};

use zeroize::Zeroizing;

use super::error::DivisionError;
use crate::base::Base;
use crate::channel::{Channel, Plain};
use crate::extend::mixed_radix::RadixSystem;
use crate::modulus::Modulus;
use crate::residues::Residues;

/// Division by the product of chosen moduli of a base.
#[derive(Clone, Debug)]
pub struct Scaling {
    base: Base,
    chosen: Part,
    others: Part,
    /// `|D^-1|_{p_j}` for the other channels.
    inverses: Vec<u128>,
}

/// A part of the moduli of a base, with the constants for the extension from it to the rest.
#[derive(Clone, Debug)]
struct Part {
    indexes: Vec<usize>,
    system: RadixSystem,
    /// The weights of the digits, one row for each modulus of the rest.
    weights: Vec<Vec<u128>>,
}

impl Part {
    fn new(base: &Base, indexes: &[usize], rest: &[usize]) -> Self {
        let moduli: Vec<Modulus> = indexes.iter().map(|&i| base.moduli()[i]).collect();
        let system = RadixSystem::new(&moduli);
        let weights = rest
            .iter()
            .map(|&j| system.weights_mod(&base.moduli()[j]))
            .collect();
        Self {
            indexes: indexes.to_vec(),
            system,
            weights,
        }
    }

    /// Fills in the values in the channels of the rest, from those in the channels of this part.
    fn extend(&self, channel: &impl Channel, base: &Base, rest: &Self, values: &mut [u128]) {
        let known = Zeroizing::new(
            self.indexes
                .iter()
                .map(|&i| values[i])
                .collect::<Vec<u128>>(),
        );
        let digits = self.system.digits(channel, &known);
        for (&j, weights) in rest.indexes.iter().zip(&self.weights) {
            let modulus = &base.moduli()[j];
            values[j] = self.system.evaluate(channel, modulus, &digits, weights);
        }
    }
}

impl Scaling {
    /// Division by the product of the moduli at these positions, counted from 0.
    ///
    /// # Errors
    /// [`DivisionError::NoModulus`], [`DivisionError::AllModuli`],
    /// [`DivisionError::NoSuchModulus`], [`DivisionError::Repeated`].
    pub fn new(base: &Base, indexes: &[usize]) -> Result<Self, DivisionError> {
        let moduli = base.len();
        let mut is_chosen = vec![false; moduli];
        for &index in indexes {
            match is_chosen.get_mut(index) {
                None => return Err(DivisionError::NoSuchModulus { index, moduli }),
                Some(true) => return Err(DivisionError::Repeated { index }),
                Some(chosen) => *chosen = true,
            }
        }
        let others: Vec<usize> = (0..moduli).filter(|&j| !is_chosen[j]).collect();
        if indexes.is_empty() {
            return Err(DivisionError::NoModulus);
        }
        if others.is_empty() {
            return Err(DivisionError::AllModuli { moduli });
        }
        let inverse = |&j: &usize| {
            let p: &Modulus = &base.moduli()[j];
            let divisor = indexes
                .iter()
                .fold(1, |acc, &i| p.mul(acc, p.reduce(base.moduli()[i].value())));
            p.invert_coprime(divisor)
        };
        Ok(Self {
            base: base.clone(),
            inverses: others.iter().map(inverse).collect(),
            chosen: Part::new(base, indexes, &others),
            others: Part::new(base, &others, indexes),
        })
    }

    /// `(floor(X / D), X mod D)`, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn div_rem_on(&self, channel: &impl Channel, x: &Residues) -> (Residues, Residues) {
        x.assert_in(&self.base);
        let mut remainder = x.clone();
        self.chosen
            .extend(channel, &self.base, &self.others, remainder.values_mut());
        let mut quotient = Residues::zero(&self.base);
        for (&j, &inverse) in self.others.indexes.iter().zip(&self.inverses) {
            let p = &self.base.moduli()[j];
            let difference = channel.sub(p, x.values()[j], remainder.values()[j]);
            quotient.values_mut()[j] = channel.mul_constant(p, difference, inverse);
        }
        self.others
            .extend(channel, &self.base, &self.chosen, quotient.values_mut());
        (quotient, remainder)
    }

    /// `(floor(X / D), X mod D)`.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn div_rem(&self, x: &Residues) -> (Residues, Residues) {
        self.div_rem_on(&Plain, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Counting, Counts};
    use crate::test_support::every_number;

    #[test]
    fn every_number_by_every_product_of_moduli_of_tiny_bases() {
        for moduli in [&[2, 3][..], &[3, 5, 7], &[4, 3, 5], &[2, 3, 5, 7]] {
            let base = Base::new(moduli).unwrap();
            let numbers = every_number(&base);
            for subset in 1..(1usize << moduli.len()) - 1 {
                let indexes: Vec<usize> =
                    (0..moduli.len()).filter(|i| subset >> i & 1 == 1).collect();
                let divisor: u128 = indexes.iter().map(|&i| moduli[i]).product();
                let divisor = divisor as usize;
                let scaling = Scaling::new(&base, &indexes).unwrap();
                for (x, residues) in numbers.iter().enumerate() {
                    let (quotient, remainder) = scaling.div_rem(residues);
                    assert_eq!(quotient, numbers[x / divisor]);
                    assert_eq!(remainder, numbers[x % divisor]);
                }
            }
        }
    }

    #[test]
    fn wrong_choices_are_refused() {
        let base = Base::new(&[3, 5, 7]).unwrap();
        let refused = |indexes: &[usize]| Scaling::new(&base, indexes).map(|_| ()).unwrap_err();
        assert_eq!(refused(&[]), DivisionError::NoModulus);
        assert_eq!(refused(&[0, 2, 1]), DivisionError::AllModuli { moduli: 3 });
        let error = DivisionError::NoSuchModulus {
            index: 3,
            moduli: 3,
        };
        assert_eq!(refused(&[1, 3]), error);
        assert_eq!(refused(&[1, 1]), DivisionError::Repeated { index: 1 });
    }

    #[test]
    fn counts_are_those_of_the_formula() {
        let base = Base::pseudo_mersenne(20, 9).unwrap();
        for d in 1..9u64 {
            let indexes: Vec<usize> = (0..d as usize).collect();
            let channel = Counting::default();
            Scaling::new(&base, &indexes)
                .unwrap()
                .div_rem_on(&channel, &Residues::one(&base));
            let e = 9 - d;
            let expected = Counts {
                cmm: d * (d + 1) / 2 + d * e + e + e * (e + 1) / 2 + e * d,
                ema: d * (d - 1) / 2 + d * e + e + e * (e - 1) / 2 + e * d,
                ..Counts::default()
            };
            assert_eq!(channel.counts(), expected);
        }
    }
}
