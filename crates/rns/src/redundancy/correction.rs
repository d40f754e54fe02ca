//! Detection, location and correction of wrong residues, by redundant moduli.
//!
//! Of `n` moduli, `r` are redundant: numbers stay below
//!
//! ```text
//! R = the product of the n - r smallest moduli.
//! ```
//!
//! Two numbers below `R` that agree in `n - r` channels differ by a multiple of a product
//! of `n - r` moduli, which is at least `R`: they are equal. So different numbers differ in
//! at least `r + 1` channels, and
//!
//! - up to `r` wrong residues are always *detected*: the integer is not below `R`;
//! - up to `t = floor(r/2)` wrong residues are always *corrected*: some `n - t` channels are
//!   right, and their integer is the only one below `R` that differs from the received residues
//!   in at most `t` channels. The channels in which it differs were wrong.
//!
//! With more than `t` wrong residues a correction fails, or may find another number if
//! `r - t + 1` or more are wrong. In: residues of any integer.
//!
//! Cost: one conversion to detect; up to `C(n, t)` conversions from `n - t` channels to
//! correct.
//!
//! Source: the redundant residue number systems of R. W. Watson and C. W. Hastings,
//! "Self-checked computation using residue arithmetic", Proceedings of the IEEE, 1966. The
//! moduli may come in any order and width; hence the smallest ones in `R`.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;

use super::split::smallest_product;
use crate::base::Base;
use crate::residues::Residues;

/// The reason why redundant moduli, a number or a correction is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedundancyError {
    /// There are too few or too many redundant moduli.
    #[error("{redundant} redundant moduli of {moduli}: there must be 1 to {}", moduli - 1)]
    Redundant {
        /// Number of redundant moduli asked for.
        redundant: usize,
        /// Number of moduli of the base.
        moduli: usize,
    },
    /// The number is not below the legitimate range.
    #[error(
        "the number is not below the legitimate range of {range_bits} bits, the product of \
         the moduli that are not redundant"
    )]
    OutOfRange {
        /// Length of the range, in bits.
        range_bits: u32,
    },
    /// More residues are wrong than can be corrected.
    #[error("more than {correctable} residues are wrong: the number cannot be recovered")]
    Uncorrectable {
        /// Number of wrong residues that can be corrected, `floor(r/2)`.
        correctable: usize,
    },
}

/// Result of a correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrected {
    /// The number, with all its residues correct.
    pub residues: Residues,
    /// Positions of the channels that were wrong, from 0.
    pub wrong: Vec<usize>,
}

/// A base with redundant moduli.
#[derive(Clone, Debug)]
pub struct RedundantBase {
    base: Base,
    redundant: usize,
    range: BoxedUint,
}

impl RedundantBase {
    /// The base with `redundant` (`r`) redundant moduli, `1 <= r <= n - 1`. No modulus is
    /// singled out: any `r` of them are redundant.
    ///
    /// # Errors
    /// [`RedundancyError::Redundant`].
    pub fn new(base: &Base, redundant: usize) -> Result<Self, RedundancyError> {
        let moduli = base.len();
        if redundant == 0 || redundant >= moduli {
            return Err(RedundancyError::Redundant { redundant, moduli });
        }
        Ok(Self {
            base: base.clone(),
            redundant,
            range: smallest_product(base, moduli - redundant),
        })
    }

    /// The base, redundant moduli included.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// `R`, the upper bound of legitimate numbers, which are below it.
    pub fn range(&self) -> &BoxedUint {
        &self.range
    }

    /// `r`, the largest number of wrong residues that are always detected.
    pub fn detectable(&self) -> usize {
        self.redundant
    }

    /// `floor(r/2)`, the largest number of wrong residues that are always corrected.
    pub fn correctable(&self) -> usize {
        self.redundant / 2
    }

    /// The residues of `X < R`.
    ///
    /// # Errors
    /// [`RedundancyError::OutOfRange`].
    pub fn encode(&self, x: &BoxedUint) -> Result<Residues, RedundancyError> {
        if *x >= self.range {
            let range_bits = self.range.bits_vartime();
            return Err(RedundancyError::OutOfRange { range_bits });
        }
        Ok(Residues::reduced(&self.base, x))
    }

    /// Whether the residues are those of a legitimate number. They are not if 1 to `r` of them are wrong.
    /// Takes constant time.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn is_legitimate(&self, x: &Residues) -> bool {
        x.assert_in(&self.base);
        x.to_uint() < self.range
    }

    /// The legitimate number that differs from `x` in at most `floor(r/2)` channels, and the
    /// positions of these channels. The time depends on which channels are wrong.
    ///
    /// # Errors
    /// [`RedundancyError::Uncorrectable`] if there is no such number: more residues are wrong.
    ///
    /// # Panics
    /// If `x` is not in the base.
    pub fn correct_vartime(&self, x: &Residues) -> Result<Corrected, RedundancyError> {
        x.assert_in(&self.base);
        let correctable = self.correctable();
        let candidates = Combinations::new(self.base.len(), correctable)
            .filter_map(|dropped| self.without(x, &dropped));
        let nearest = candidates.into_iter().next();
        let residues = nearest.ok_or(RedundancyError::Uncorrectable { correctable })?;
        let pairs = residues.values().iter().zip(x.values()).enumerate();
        let wrong = pairs.filter(|(_, (right, received))| right != received);
        let wrong = wrong.map(|(i, _)| i).collect();
        Ok(Corrected { residues, wrong })
    }

    /// The number given by the channels that are not dropped, if it is legitimate.
    fn without(&self, x: &Residues, dropped: &[usize]) -> Option<Residues> {
        let kept = |i: &usize| !dropped.contains(i);
        let indexes = || (0..self.base.len()).filter(kept);
        let moduli: Vec<u128> = indexes().map(|i| self.base.moduli()[i].value()).collect();
        let values = indexes().map(|i| x.values()[i]).collect();
        // At least n - r/2 >= 2 channels are kept.
        let base = Base::new(&moduli).ok()?;
        let number = Residues::new(&base, values).ok()?.to_uint();
        self.encode(&number).ok()
    }
}

/// Iterator over all subsets of `size` of the numbers `0, ..., count - 1`, in lexicographic order.
struct Combinations {
    count: usize,
    next: Option<Vec<usize>>,
}

impl Combinations {
    /// The iterator at its start, for `size <= count`.
    fn new(count: usize, size: usize) -> Self {
        Self {
            count,
            next: Some((0..size).collect()),
        }
    }
}

impl Iterator for Combinations {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        let size = current.len();
        // The last position whose number can still grow grows by one, and those after it follow
        // consecutively.
        if let Some(i) = (0..size)
            .rev()
            .find(|&i| current[i] < self.count - size + i)
        {
            let mut following = current.clone();
            for j in i..size {
                following[j] = current[i] + 1 + j - i;
            }
            self.next = Some(following);
        }
        Some(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulus::Modulus;
    use crate::test_support::every_number;

    #[test]
    fn combinations_are_all_there_once() {
        let all: Vec<Vec<usize>> = Combinations::new(5, 2).collect();
        assert_eq!(all.len(), 10);
        assert!(all.is_sorted() && all.iter().all(|c| c[0] < c[1] && c[1] < 5));
        assert_eq!(Combinations::new(4, 0).count(), 1);
        assert_eq!(Combinations::new(4, 4).count(), 1);
        assert_eq!(Combinations::new(7, 3).count(), 35);
    }

    fn distance(x: &Residues, y: &Residues) -> Vec<usize> {
        let pairs = x.values().iter().zip(y.values()).enumerate();
        pairs.filter(|(_, (x, y))| x != y).map(|(i, _)| i).collect()
    }

    #[test]
    fn every_error_of_every_number_in_tiny_bases() {
        for (moduli, redundant) in [
            (&[2, 3, 5][..], 1),
            (&[5, 3, 2], 2),
            (&[3, 4, 5, 7], 2),
            (&[7, 3, 5, 4], 3),
            (&[2, 3, 5, 7, 11], 4),
        ] {
            let base = Base::new(moduli).unwrap();
            let code = RedundantBase::new(&base, redundant).unwrap();
            let words = every_number(&base);
            let legitimate: Vec<&Residues> = words
                .iter()
                .filter(|x| x.to_uint() < *code.range())
                .collect();
            for word in &words {
                let mut near = None;
                for &number in &legitimate {
                    let wrong = distance(word, number);
                    // A number with 1 to r wrong residues is never legitimate.
                    if (1..=code.detectable()).contains(&wrong.len()) {
                        assert!(!code.is_legitimate(word));
                    }
                    assert!(!wrong.is_empty() || code.is_legitimate(word));
                    if wrong.len() <= code.correctable() {
                        assert!(near.is_none());
                        let residues = number.clone();
                        near = Some(Corrected { residues, wrong });
                    }
                }
                let correctable = code.correctable();
                let expected = near.ok_or(RedundancyError::Uncorrectable { correctable });
                assert_eq!(code.correct_vartime(word), expected);
            }
        }
    }

    #[test]
    fn wrong_parameters_and_numbers_are_refused() {
        let base = Base::new(&[5, 3, 2]).unwrap();
        for redundant in [0, 3] {
            let error = RedundantBase::new(&base, redundant).map(|_| ());
            assert_eq!(
                error,
                Err(RedundancyError::Redundant {
                    redundant,
                    moduli: 3
                })
            );
        }
        let code = RedundantBase::new(&base, 1).unwrap();
        assert_eq!(code.range(), &BoxedUint::from(6u64));
        assert!(code.encode(&BoxedUint::from(5u64)).is_ok());
        let error = RedundancyError::OutOfRange { range_bits: 3 };
        assert_eq!(code.encode(&BoxedUint::from(6u64)), Err(error));
    }

    #[test]
    fn two_wrong_channels_of_a_wide_base_are_named() {
        let base = Base::pseudo_mersenne(64, 12).unwrap();
        let code = RedundantBase::new(&base, 4).unwrap();
        let number = code.range().wrapping_sub(BoxedUint::from(12_345u64));
        let right = code.encode(&number).unwrap();
        let mut values = right.values().to_vec();
        let last: &Modulus = &base.moduli()[11];
        values[3] ^= 1;
        values[11] = last.add(values[11], 1 << 40);
        let received = Residues::new(&base, values).unwrap();
        assert!(!code.is_legitimate(&received));
        let corrected = code.correct_vartime(&received).unwrap();
        assert_eq!(
            corrected,
            Corrected {
                residues: right,
                wrong: [3, 11].into()
            }
        );
    }
}
