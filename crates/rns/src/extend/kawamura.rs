//! Kawamura's base extension (KBE).
//!
//! ```text
//! xh_i = |x_i |(A/a_i)^-1|_{a_i}|_{a_i}
//! h    = floor(sigma + sum trunc_t(xh_i) / 2^w)
//! x_b  = |sum xh_i |A/a_i|_b - h |A|_b|_b        for each modulus b of the target
//! ```
//!
//! In: residues of `X` in `A`; `X < (1 - sigma) A`. Out: residues of `X` in the target if
//! `sigma > 0`; residues of `X` or `X + A` if `sigma = 0`. The condition `E <= sigma`
//! (`E < 1` for `sigma = 0`) is the one of the [`Cox`].
//!
//! Cost from `n` to `n'` moduli: `n + n n'` CMM, `2 n n'` EMA, `n n'` table words.
//!
//! Source: S. Kawamura, M. Koike, F. Sano, A. Shimbo, EUROCRYPT 2000, in the form of
//! L. Djath, K. Bigou, A. Tisserand, "Hierarchical approach in RNS base extension for
//! asymmetric cryptography", ARITH 2019, slide "Base Extension", lines 1-8. That text omits
//! that the accumulators start at 0, and the condition of exactness, which is computed and
//! enforced here.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use zeroize::Zeroizing;

use super::cox::{self, Cox};
use super::{BaseExtension, ExtensionError};
use crate::base::Base;
use crate::channel::{Channel, Plain};
use crate::fixed::Fixed;
use crate::residues::Residues;

/// Kawamura's extension from one base to another.
#[derive(Clone, Debug)]
pub struct Kawamura {
    source: Base,
    target: Base,
    cox: Cox,
    input_bound: BoxedUint,
    /// `matrix[k][i] = |A/a_i|_{b_k}`.
    matrix: Vec<Vec<u128>>,
    /// `corrections[k][h] = |-h A|_{b_k}` for 0 and 1, the two results of a step of the Cox.
    corrections: Vec<[u128; 2]>,
}

impl Kawamura {
    /// An extension whose Cox keeps `kept_bits` (`t`) of `w` bits and starts at `sigma`.
    ///
    /// # Errors
    /// As [`Cox::new`], and [`ExtensionError::Inexact`] if its bound `E` is too large.
    pub fn new(
        source: &Base,
        target: &Base,
        kept_bits: u32,
        sigma: Fixed,
    ) -> Result<Self, ExtensionError> {
        Self::with_cox(source, target, Cox::new(source, kept_bits, sigma)?)
    }

    /// An extension that keeps as few bits as are proved to be enough.
    ///
    /// # Errors
    /// [`ExtensionError::Inexact`] if even all bits are not enough;
    /// [`ExtensionError::Offset`] for `sigma >= 1`.
    pub fn with_fewest_bits(
        source: &Base,
        target: &Base,
        sigma: Fixed,
    ) -> Result<Self, ExtensionError> {
        Self::with_cox(source, target, Cox::with_fewest_bits(source, sigma)?)
    }

    fn with_cox(source: &Base, target: &Base, cox: Cox) -> Result<Self, ExtensionError> {
        cox.check()?;
        Ok(Self {
            source: source.clone(),
            target: target.clone(),
            input_bound: cox::range(source, cox.sigma()),
            cox,
            matrix: target
                .moduli()
                .iter()
                .map(|b| source.cofactors_mod(b))
                .collect(),
            corrections: target
                .moduli()
                .iter()
                .map(|b| [0, b.neg(source.product_mod(b))])
                .collect(),
        })
    }

    /// The Cox of the source base.
    pub fn cox(&self) -> &Cox {
        &self.cox
    }

    /// The rank `h` of the Cox, for which `h A` is subtracted: `0 <= h <= n`.
    ///
    /// # Panics
    /// If `x` is not in the source base.
    pub fn rank(&self, x: &Residues) -> u128 {
        x.assert_in(&self.source);
        self.cox.rank(&x.crt_digits(&Plain))
    }
}

impl BaseExtension for Kawamura {
    fn source(&self) -> &Base {
        &self.source
    }

    fn target(&self) -> &Base {
        &self.target
    }

    fn input_bound(&self) -> &BoxedUint {
        &self.input_bound
    }

    fn max_excess(&self) -> u32 {
        u32::from(self.cox.sigma() == Fixed::ZERO)
    }

    fn extend_on(&self, channel: &impl Channel, x: &Residues) -> Residues {
        x.assert_in(&self.source);
        debug_assert!(x.to_uint() < self.input_bound, "X is outside (1 - sigma) A");
        let xh = x.crt_digits(channel);
        let mut sum = self.cox.start();
        let steps = xh.iter().map(|&xh| self.cox.step(&mut sum, xh));
        let h: Zeroizing<Vec<u128>> = Zeroizing::new(steps.collect());
        Residues::from_fn(&self.target, |(k, b)| {
            let mut acc = 0;
            for (i, a) in self.source.moduli().iter().enumerate() {
                let term = channel.mul_constant_from(b, xh[i], a, self.matrix[k][i]);
                let correction = channel.table(&self.corrections[k], h[i]);
                acc = channel.add(b, acc, channel.add(b, term, correction));
            }
            acc
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Counting, Counts};
    use crate::modulus::Modulus;

    #[test]
    fn every_number_of_tiny_bases() {
        let targets = [
            Base::new(&[2, 3, 5]).unwrap(),
            Base::new(&[64, 61, 59, 57]).unwrap(),
        ];
        let mut excesses = 0;
        // Moduli, and the offsets sigma, in quarters, that their bound E allows.
        let sources = [
            (&[15, 16][..], &[0, 1, 2, 3][..]),
            (&[31, 29], &[0, 1, 2, 3]),
            (&[31, 30, 29], &[0, 1, 2, 3]),
            (&[61, 62, 63], &[0, 1, 2, 3]),
            (&[16, 15, 13, 11], &[0, 3]),
        ];
        for (moduli, offsets) in sources {
            let source = Base::new(moduli).unwrap();
            let range: u128 = moduli.iter().product();
            for (target, &quarters) in targets
                .iter()
                .flat_map(|t| offsets.iter().map(move |q| (t, q)))
            {
                let sigma = Fixed::ratio_up(quarters, 4).unwrap();
                let extension = Kawamura::with_fewest_bits(&source, target, sigma).unwrap();
                let bound = (range * (4 - quarters)).div_ceil(4);
                assert_eq!(extension.input_bound(), &BoxedUint::from(bound));
                for x in 0..bound {
                    let residues = Residues::reduced(&source, &BoxedUint::from(x));
                    let result = extension.extend(&residues);
                    if result != Residues::reduced(target, &BoxedUint::from(x)) {
                        assert_eq!(extension.max_excess(), 1);
                        assert_eq!(
                            result,
                            Residues::reduced(target, &BoxedUint::from(x + range))
                        );
                        excesses += 1;
                    }
                }
            }
        }
        assert!(
            excesses > 0,
            "sigma = 0 never gave X + A: the bases are too easy"
        );
    }

    #[test]
    fn the_count_is_n_squared_plus_n_constant_products() {
        for n in 2..=12 {
            let pool = Base::pseudo_mersenne(24, 2 * n).unwrap();
            let values: Vec<u128> = pool.moduli().iter().map(Modulus::value).collect();
            let source = Base::new(&values[..n]).unwrap();
            let target = Base::new(&values[n..]).unwrap();
            let extension = Kawamura::with_fewest_bits(&source, &target, Fixed::HALF).unwrap();
            let channel = Counting::default();
            extension.extend_on(&channel, &Residues::one(&source));
            let n = n as u64;
            let expected = Counts {
                cmm: n * n + n,
                ema: 2 * n * n,
                table_words: n * n,
                ..Counts::default()
            };
            assert_eq!(channel.counts(), expected);
        }
    }

    #[test]
    fn inexact_parameters_are_refused() {
        let source = Base::new(&[31, 29, 27, 25]).unwrap();
        let kept = |t, sigma| {
            Kawamura::new(&source, &source, t, sigma)
                .map(|_| ())
                .unwrap_err()
        };
        assert_eq!(
            kept(0, Fixed::HALF),
            ExtensionError::KeptBits { kept: 0, width: 5 }
        );
        assert_eq!(
            kept(6, Fixed::HALF),
            ExtensionError::KeptBits { kept: 6, width: 5 }
        );
        assert_eq!(
            kept(5, Fixed::ONE),
            ExtensionError::Offset { sigma: Fixed::ONE }
        );
        // sum eps = 16/32 = sigma, so all bits are needed.
        assert!(Kawamura::new(&source, &source, 5, Fixed::HALF).is_ok());
        let ExtensionError::Inexact { error, .. } = kept(4, Fixed::HALF) else {
            panic!()
        };
        let expected = Fixed::HALF + Fixed::ratio_up(1, 25).unwrap().times(4);
        assert_eq!(error, expected);
    }
}
