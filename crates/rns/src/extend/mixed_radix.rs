//! Base extension through mixed-radix digits (Garner).
//!
//! With `W_1 = 1` and `W_i = a_1 ... a_{i-1}`,
//!
//! ```text
//! X   = sum d_i W_i,   0 <= d_i < a_i
//! d_i = |x_i |W_i^-1|_{a_i} + sum_{j<i} d_j |-W_j W_i^-1|_{a_i}|_{a_i}
//! x_b = |sum d_i |W_i|_b|_b                                for each modulus b
//! ```
//!
//! In: any `X < A`. Out: residues of `X`, always exact, as no quotient is estimated. The price is that each
//! digit depends on the previous ones.
//!
//! Cost from `n` to `n'` moduli: `n (n+1)/2 + n n'` CMM, `n (n-1)/2 + n n'` EMA.
//!
//! Source: H. L. Garner, "The residue number system", IRE Transactions on Electronic
//! Computers, 1959; here with the constants of each digit multiplied out, so that no
//! digit has to be reduced into another channel.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use zeroize::Zeroizing;

use super::BaseExtension;
use crate::base::Base;
use crate::channel::Channel;
use crate::modulus::Modulus;
use crate::residues::Residues;

/// The mixed-radix extension from one base to another.
#[derive(Clone, Debug)]
pub struct MixedRadix {
    source: Base,
    target: Base,
    system: RadixSystem,
    /// `weights[k][i] = |W_i|_{b_k}`.
    weights: Vec<Vec<u128>>,
}

impl MixedRadix {
    /// The extension from `source` to `target`, which may be any two bases.
    pub fn new(source: &Base, target: &Base) -> Self {
        let system = RadixSystem::new(source.moduli());
        let weights = target
            .moduli()
            .iter()
            .map(|b| system.weights_mod(b))
            .collect();
        Self {
            source: source.clone(),
            target: target.clone(),
            system,
            weights,
        }
    }

    /// The digits `d_i` of `X`, least significant first.
    ///
    /// # Panics
    /// If `x` is not in the source base.
    pub fn digits(&self, channel: &impl Channel, x: &Residues) -> Zeroizing<Vec<u128>> {
        x.assert_in(&self.source);
        self.system.digits(channel, x.values())
    }
}

impl BaseExtension for MixedRadix {
    fn source(&self) -> &Base {
        &self.source
    }

    fn target(&self) -> &Base {
        &self.target
    }

    fn input_bound(&self) -> &BoxedUint {
        self.source.product()
    }

    fn max_excess(&self) -> u32 {
        0
    }

    fn extend_on(&self, channel: &impl Channel, x: &Residues) -> Residues {
        let digits = self.digits(channel, x);
        Residues::from_fn(&self.target, |(k, b)| {
            self.system.evaluate(channel, b, &digits, &self.weights[k])
        })
    }
}

/// The mixed-radix system of one or more coprime moduli.
#[derive(Clone, Debug)]
pub(crate) struct RadixSystem {
    moduli: Vec<Modulus>,
    /// `inverses[i] = |W_i^-1|_{a_i}`.
    inverses: Vec<u128>,
    /// `triangle[i][j] = |-W_j W_i^-1|_{a_i}` for `j < i`.
    triangle: Vec<Vec<u128>>,
}

impl RadixSystem {
    /// The system of these moduli of one base, in this order.
    pub(crate) fn new(moduli: &[Modulus]) -> Self {
        let mut inverses = Vec::with_capacity(moduli.len());
        let mut triangle = Vec::with_capacity(moduli.len());
        for (i, a) in moduli.iter().enumerate() {
            let mut weights = weights_mod(&moduli[..=i], a);
            let weight = weights.pop().unwrap_or(1);
            let inverse = a.invert_coprime(weight);
            triangle.push(weights.iter().map(|&w| a.neg(a.mul(w, inverse))).collect());
            inverses.push(inverse);
        }
        Self {
            moduli: moduli.to_vec(),
            inverses,
            triangle,
        }
    }

    /// The digits of the integer with these residues, which is below the product of the moduli.
    pub(crate) fn digits(&self, channel: &impl Channel, x: &[u128]) -> Zeroizing<Vec<u128>> {
        let mut digits = Zeroizing::new(Vec::with_capacity(x.len()));
        for (i, a) in self.moduli.iter().enumerate() {
            let mut digit = channel.mul_constant(a, x[i], self.inverses[i]);
            for (j, from) in self.moduli[..i].iter().enumerate() {
                let term = channel.mul_constant_from(a, digits[j], from, self.triangle[i][j]);
                digit = channel.add(a, digit, term);
            }
            digits.push(digit);
        }
        digits
    }

    /// `|W_i|_b` for every `i`.
    pub(crate) fn weights_mod(&self, b: &Modulus) -> Vec<u128> {
        weights_mod(&self.moduli, b)
    }

    /// `|sum d_i |W_i|_b|_b`.
    pub(crate) fn evaluate(
        &self,
        channel: &impl Channel,
        b: &Modulus,
        digits: &[u128],
        weights: &[u128],
    ) -> u128 {
        let terms = self.moduli.iter().zip(digits).zip(weights);
        terms.fold(0, |acc, ((a, &digit), &weight)| {
            channel.add(b, acc, channel.mul_constant_from(b, digit, a, weight))
        })
    }
}

/// The weights `|W_i|_b`, for every `i`.
fn weights_mod(moduli: &[Modulus], b: &Modulus) -> Vec<u128> {
    let mut weight = b.reduce(1);
    let weights = moduli.iter().map(|a| {
        let this = weight;
        weight = b.mul(weight, b.reduce(a.value()));
        this
    });
    weights.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Counting, Counts, Plain};

    #[test]
    fn every_number_of_tiny_bases() {
        let target = Base::new(&[2, 9, 61]).unwrap();
        for moduli in [
            &[2, 3][..],
            &[5, 3],
            &[4, 15, 7],
            &[16, 3, 5, 7],
            &[7, 5, 3, 16],
        ] {
            let source = Base::new(moduli).unwrap();
            let extension = MixedRadix::new(&source, &target);
            for x in 0..moduli.iter().product() {
                let residues = Residues::reduced(&source, &BoxedUint::from(x));
                let digits = extension.digits(&Plain, &residues);
                let value = digits
                    .iter()
                    .zip(moduli)
                    .rev()
                    .fold(0, |acc, (d, a)| acc * a + d);
                assert_eq!(value, x);
                let expected = Residues::reduced(&target, &BoxedUint::from(x));
                assert_eq!(extension.extend(&residues), expected);
            }
        }
    }

    #[test]
    fn counts_are_those_of_the_formula() {
        let source = Base::pseudo_mersenne(20, 7).unwrap();
        let target = Base::pseudo_mersenne(17, 4).unwrap();
        let channel = Counting::default();
        MixedRadix::new(&source, &target).extend_on(&channel, &Residues::one(&source));
        let expected = Counts {
            cmm: 28 + 28,
            ema: 21 + 28,
            ..Counts::default()
        };
        assert_eq!(channel.counts(), expected);
    }
}
