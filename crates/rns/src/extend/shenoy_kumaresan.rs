//! Shenoy and Kumaresan's base extension, with a redundant modulus.
//!
//! `X < A` comes with its residue `x_r` modulo one more modulus `m_r`, coprime to `A`. The
//! rank is then known modulo `m_r`:
//!
//! ```text
//! xh_i = |x_i |(A/a_i)^-1|_{a_i}|_{a_i}
//! h    = |sum xh_i |a_i^-1|_{m_r} - x_r |A^-1|_{m_r}|_{m_r}
//! x_b  = |sum xh_i |A/a_i|_b - h |A|_b|_b        for each modulus b
//! ```
//!
//! In: any `X < A`, in the base `(a_1, ..., a_n, m_r)`. Out: residues of `X`, exact if
//! `h < m_r`; as `h <= n - 1`, this needs `m_r >= n`, which is enforced.
//!
//! Cost from `n` (and one) to `n'` moduli: `n + (n + 1) (n' + 1)` CMM, `(n + 1) (n' + 1)`
//! EMA.
//!
//! Source: A. P. Shenoy, R. Kumaresan, "Fast base extension using a redundant modulus in
//! RNS", IEEE Transactions on Computers, 1989. Here `|A^-1|_{m_r}` is multiplied into the
//! constants.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;

use super::{BaseExtension, ExtensionError};
use crate::base::Base;
use crate::channel::Channel;
use crate::modulus::Modulus;
use crate::residues::Residues;

/// The extension with a redundant modulus, from one base to another.
#[derive(Clone, Debug)]
pub struct ShenoyKumaresan {
    base: Base,
    redundant: Modulus,
    /// `base` and `redundant`, in this order.
    source: Base,
    target: Base,
    /// `|a_i^-1|_{m_r}`, then `|-A^-1|_{m_r}`.
    rank_weights: Vec<u128>,
    /// `matrix[k][i] = |A/a_i|_{b_k}`, then `|-A|_{b_k}`.
    matrix: Vec<Vec<u128>>,
}

impl ShenoyKumaresan {
    /// An extension from `base` and the redundant modulus to `target`.
    ///
    /// # Errors
    /// [`ExtensionError::Base`] if the redundant modulus is out of range or shares a factor
    /// with the base; [`ExtensionError::RedundantTooSmall`] below the number of moduli.
    pub fn new(base: &Base, redundant: u128, target: &Base) -> Result<Self, ExtensionError> {
        let source = base.with_modulus(redundant)?;
        let (n, redundant) = (base.len(), source.moduli()[base.len()]);
        if redundant.value() < n as u128 {
            return Err(ExtensionError::RedundantTooSmall {
                modulus: redundant.value(),
                moduli: n,
            });
        }
        let r = &redundant;
        let inverses = base
            .moduli()
            .iter()
            .map(|a| r.invert_coprime(r.reduce(a.value())));
        let minus_inverse = r.neg(r.invert_coprime(base.product_mod(r)));
        let rank_weights = inverses.chain([minus_inverse]).collect();
        let column = |b: &Modulus| {
            let mut column = base.cofactors_mod(b);
            column.push(b.neg(base.product_mod(b)));
            column
        };
        Ok(Self {
            base: base.clone(),
            matrix: target.moduli().iter().map(column).collect(),
            redundant,
            source,
            target: target.clone(),
            rank_weights,
        })
    }
}

impl BaseExtension for ShenoyKumaresan {
    /// The base with the redundant modulus added as its last.
    fn source(&self) -> &Base {
        &self.source
    }

    fn target(&self) -> &Base {
        &self.target
    }

    /// `A`, the product without the redundant modulus.
    fn input_bound(&self) -> &BoxedUint {
        self.base.product()
    }

    fn max_excess(&self) -> u32 {
        0
    }

    fn extend_on(&self, channel: &impl Channel, x: &Residues) -> Residues {
        x.assert_in(&self.source);
        debug_assert!(x.to_uint() < *self.base.product(), "X is outside [0, A)");
        let n = self.base.len();
        // xh_1, ..., xh_n, followed by x_r, which is later replaced by h.
        let mut digits = x.crt_digits_of(channel, &self.base);
        digits.push(x.values()[n]);
        let sum = |m: &Modulus, digits: &[u128], weights: &[u128]| {
            let terms = self.source.moduli().iter().zip(digits).zip(weights);
            terms.fold(0, |acc, ((a, &digit), &weight)| {
                channel.add(m, acc, channel.mul_constant_from(m, digit, a, weight))
            })
        };
        let h = sum(&self.redundant, &digits, &self.rank_weights);
        debug_assert!(h < n as u128);
        digits[n] = h;
        Residues::from_fn(&self.target, |(k, b)| sum(b, &digits, &self.matrix[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::BaseError;
    use crate::channel::{Counting, Counts};

    #[test]
    fn every_number_of_tiny_bases() {
        let target = Base::new(&[2, 9, 61]).unwrap();
        for (moduli, redundant) in [
            (&[2, 3][..], 5),
            (&[5, 3], 2),
            (&[4, 15, 7], 11),
            (&[16, 3, 5, 7], 11),
        ] {
            let base = Base::new(moduli).unwrap();
            let extension = ShenoyKumaresan::new(&base, redundant, &target).unwrap();
            for x in 0..moduli.iter().product() {
                let residues = Residues::reduced(extension.source(), &BoxedUint::from(x));
                let expected = Residues::reduced(&target, &BoxedUint::from(x));
                assert_eq!(extension.extend(&residues), expected);
            }
        }
    }

    #[test]
    fn a_redundant_modulus_below_n_or_not_coprime_is_refused() {
        let base = Base::new(&[5, 7, 11, 13]).unwrap();
        let refused = |r| {
            ShenoyKumaresan::new(&base, r, &base)
                .map(|_| ())
                .unwrap_err()
        };
        let error = ExtensionError::RedundantTooSmall {
            modulus: 3,
            moduli: 4,
        };
        assert_eq!(refused(3), error);
        assert_eq!(
            refused(22),
            ExtensionError::Base(BaseError::NotCoprime(22, 11, 11))
        );
        assert!(ShenoyKumaresan::new(&base, 4, &base).is_ok());
    }

    #[test]
    fn counts_are_those_of_the_formula() {
        let pool = Base::pseudo_mersenne(20, 7).unwrap();
        let values: Vec<u128> = pool.moduli().iter().map(Modulus::value).collect();
        let base = Base::new(&values[..6]).unwrap();
        let target = Base::pseudo_mersenne(17, 4).unwrap();
        let extension = ShenoyKumaresan::new(&base, values[6], &target).unwrap();
        let channel = Counting::default();
        extension.extend_on(&channel, &Residues::one(extension.source()));
        let expected = Counts {
            cmm: 6 + 7 * 5,
            ema: 7 * 5,
            ..Counts::default()
        };
        assert_eq!(channel.counts(), expected);
    }
}
