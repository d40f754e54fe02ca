//! Hierarchical base extension (HBE).
//!
//! The `n = r c` moduli of the source stand in `r` rows of `c`, with row products `A_i`.
//! The residues of a row are first gathered into one *super-residue*, which is not reduced, so
//! that the outer sum has `r` terms instead of `n`.
//!
//! ```text
//! xh_ij = |x_ij |(A/a_ij)^-1|_{a_ij}|_{a_ij}
//! Xh_i  = sum_j xh_ij A_i/a_ij                                Xh_i < c A_i <= c 2^(c w)
//! h_i   = integer part of the running sum sigma + sum trunc_t(Xh_i) / 2^(c w)
//! x_b   = |sum_i (|Xh_i|_b |A/A_i|_b + |-h_i A|_b)|_b         for each modulus b
//! ```
//!
//! `trunc_t` keeps `t` fractional bits of `Xh_i / 2^(c w)`. In and out are as for
//! [`Kawamura`](super::kawamura): `X < (1 - sigma) A`, exact for `sigma > 0`, `X` or
//! `X + A` for `sigma = 0`. The error of the quotient estimate is bounded by
//!
//! ```text
//! E <= c sum eps_i + r 2^-t,   eps_i = 1 - a_i / 2^w,
//! ```
//!
//! and must be at most `sigma` (below 1 for `sigma = 0`). Because of the factor `c` this is
//! stronger than Kawamura's condition: the base `{31, 29, 27, 25}` satisfies his, and is refused
//! here.
//!
//! Cost from `n` to `n'` moduli: `n` plain products, `n + r n'` CMM, `r n'` CMR, `2 r n'`
//! EMA, `r n'` table words, with `c + 1` entries in each table.
//!
//! Source: L. Djath, K. Bigou, A. Tisserand, "Hierarchical approach in RNS base extension
//! for asymmetric cryptography", ARITH 2019, slide "Comparison between KBE and HBE", for
//! `c = 2`; here `c` is arbitrary. The source omits the condition, the initial 0 of the
//! accumulators, and that `h_i` goes up to `c`, which the tables need (a step of Kawamura's Cox
//! gives only 0 or 1).

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, Resize};
use zeroize::Zeroizing;

use super::cox::{self, CoxSum};
use super::{BaseExtension, ExtensionError};
use crate::base::{Base, product};
use crate::channel::{Channel, Plain};
use crate::fixed::Fixed;
use crate::modulus::Modulus;
use crate::residues::Residues;
use crate::words::low_u128;

/// The largest number of fractional bits of a super-residue that can be kept.
const MAX_KEPT_BITS: u32 = 64;

/// The hierarchical extension from one base to another.
#[derive(Clone, Debug)]
pub struct Hierarchical {
    source: Base,
    target: Base,
    columns: usize,
    /// `c w`, in bits: super-residues are below `c 2^(c w)`.
    row_width: u32,
    /// The precision of super-residues in bits, at least `c w + ceil(log2 c)`.
    row_bits: u32,
    kept_bits: u32,
    sigma: Fixed,
    error: Fixed,
    input_bound: BoxedUint,
    /// `A_i/a_ij`, in the order of the source, all in the same precision.
    row_cofactors: Vec<BoxedUint>,
    /// `matrix[k][i] = |A/A_i|_{b_k}`.
    matrix: Vec<Vec<u128>>,
    /// `corrections[k][h] = |-h A|_{b_k}` for `h` from 0 to `c`.
    corrections: Vec<Vec<u128>>,
}

/// The inputs of the target channels from one row: `Xh_i` and `h_i`.
type Row = (Zeroizing<BoxedUint>, u128);

impl Hierarchical {
    /// An extension with rows of `columns` (`c`) moduli, in the order of the source, that
    /// keeps `kept_bits` (`t`) fractional bits of each super-residue and starts at `sigma`.
    ///
    /// # Errors
    /// [`ExtensionError::Grid`] unless `c` divides the number of moduli;
    /// [`ExtensionError::KeptBits`] unless `1 <= t <= min(c w, 64)`;
    /// [`ExtensionError::Offset`] for `sigma >= 1`; [`ExtensionError::Inexact`] if the
    /// bound `E` is too large for `sigma`.
    pub fn new(
        source: &Base,
        target: &Base,
        columns: usize,
        kept_bits: u32,
        sigma: Fixed,
    ) -> Result<Self, ExtensionError> {
        let error = error_bound(source, columns, kept_bits, sigma)?;
        cox::check_error(error, sigma)?;
        Ok(Self::unchecked(
            source, target, columns, kept_bits, sigma, error,
        ))
    }

    /// An extension that keeps as few bits as are proved to be enough.
    ///
    /// # Errors
    /// As [`Hierarchical::new`].
    pub fn with_fewest_bits(
        source: &Base,
        target: &Base,
        columns: usize,
        sigma: Fixed,
    ) -> Result<Self, ExtensionError> {
        let most = max_kept_bits(source, columns);
        let enough = |&kept: &u32| {
            error_bound(source, columns, kept, sigma)
                .is_ok_and(|error| cox::check_error(error, sigma).is_ok())
        };
        let kept = (1..most).find(enough).unwrap_or(most);
        Self::new(source, target, columns, kept, sigma)
    }

    /// The extension, without a check of the condition of exactness.
    fn unchecked(
        source: &Base,
        target: &Base,
        columns: usize,
        kept_bits: u32,
        sigma: Fixed,
        error: Fixed,
    ) -> Self {
        let width = source.width();
        let row_width = columns as u32 * width;
        let cofactor_bits = (row_width - width).next_multiple_of(64).max(64);
        let rows = || source.moduli().chunks(columns);
        let row_cofactors = rows().flat_map(|row| {
            (0..row.len()).map(|j| {
                let others = row.iter().enumerate().filter(move |&(l, _)| l != j);
                product(others.map(|(_, m)| m.value())).resize_unchecked(cofactor_bits)
            })
        });
        let cofactors_of_rows = |b: &Modulus| -> Vec<u128> {
            let multiply = |acc, factor| b.mul(acc, factor);
            let row_products: Vec<u128> = rows()
                .map(|row| {
                    row.iter()
                        .map(|a| b.reduce(a.value()))
                        .fold(b.reduce(1), multiply)
                })
                .collect();
            (0..row_products.len())
                .map(|i| {
                    let (before, after) = (&row_products[..i], &row_products[i + 1..]);
                    before
                        .iter()
                        .chain(after)
                        .copied()
                        .fold(b.reduce(1), multiply)
                })
                .collect()
        };
        let correction = |b: &Modulus| -> Vec<u128> {
            let a = source.product_mod(b);
            (0..=columns as u128)
                .map(|h| b.neg(b.mul(b.reduce(h), a)))
                .collect()
        };
        Self {
            source: source.clone(),
            target: target.clone(),
            columns,
            row_width,
            row_bits: row_width + usize::BITS - (columns - 1).leading_zeros(),
            kept_bits,
            sigma,
            error,
            input_bound: cox::range(source, sigma),
            row_cofactors: row_cofactors.collect(),
            matrix: target.moduli().iter().map(cofactors_of_rows).collect(),
            corrections: target.moduli().iter().map(correction).collect(),
        }
    }

    /// `c`, the number of moduli in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// `r`, the number of rows.
    pub fn rows(&self) -> usize {
        self.source.len() / self.columns
    }

    /// `t`, the number of fractional bits kept of each super-residue.
    pub fn kept_bits(&self) -> u32 {
        self.kept_bits
    }

    /// `E`, the bound on the error of the quotient estimate.
    pub fn error_bound(&self) -> Fixed {
        self.error
    }

    /// The rank `h`, the sum of the `h_i`, for which `h A` is subtracted: `0 <= h <= n`.
    ///
    /// # Panics
    /// If `x` is not in the source base.
    pub fn rank(&self, x: &Residues) -> u128 {
        x.assert_in(&self.source);
        self.gather(&Plain, x).iter().map(|&(_, h)| h).sum()
    }

    /// The super-residues, each with its part of the rank `h_i <= c`.
    fn gather(&self, channel: &impl Channel, x: &Residues) -> Vec<Row> {
        let xh = x.crt_digits(channel);
        let fraction_bits = self.kept_bits.max(self.sigma.fraction_bits());
        let mut sum = CoxSum::new(self.sigma, fraction_bits);
        let rows = xh
            .chunks(self.columns)
            .zip(self.row_cofactors.chunks(self.columns));
        rows.map(|(digits, cofactors)| {
            let gathered = channel.weighted_sum(digits, self.source.width(), cofactors);
            let gathered = Zeroizing::new((&*gathered).resize_unchecked(self.row_bits));
            let dropped = self.row_width - self.kept_bits;
            let top = low_u128(&Zeroizing::new(gathered.unbounded_shr_vartime(dropped)));
            debug_assert!(top <= (self.columns as u128) << self.kept_bits);
            let h = sum.add(top << (fraction_bits - self.kept_bits));
            debug_assert!(h <= self.columns as u128);
            (gathered, h)
        })
        .collect()
    }
}

impl BaseExtension for Hierarchical {
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
        u32::from(self.sigma == Fixed::ZERO)
    }

    fn extend_on(&self, channel: &impl Channel, x: &Residues) -> Residues {
        x.assert_in(&self.source);
        debug_assert!(x.to_uint() < self.input_bound, "X is outside (1 - sigma) A");
        let rows = self.gather(channel, x);
        Residues::from_fn(&self.target, |(k, b)| {
            let mut acc = 0;
            for (i, (gathered, h)) in rows.iter().enumerate() {
                let residue = channel.reduce_uint(b, gathered);
                let term = channel.mul_constant(b, residue, self.matrix[k][i]);
                let correction = channel.table(&self.corrections[k], *h);
                acc = channel.add(b, acc, channel.add(b, term, correction));
            }
            acc
        })
    }
}

/// `min(c w, 64)`, the largest number of bits that can be kept.
fn max_kept_bits(source: &Base, columns: usize) -> u32 {
    let row_width = (source.width() as usize).saturating_mul(columns);
    row_width.min(MAX_KEPT_BITS as usize) as u32
}

/// The bound `c sum eps_i + r 2^-t`, rounded up; an error if a parameter is out of range.
fn error_bound(
    source: &Base,
    columns: usize,
    kept_bits: u32,
    sigma: Fixed,
) -> Result<Fixed, ExtensionError> {
    let moduli = source.len();
    if columns == 0 || !moduli.is_multiple_of(columns) {
        return Err(ExtensionError::Grid { columns, moduli });
    }
    let width = max_kept_bits(source, columns);
    if kept_bits == 0 || kept_bits > width {
        return Err(ExtensionError::KeptBits {
            kept: kept_bits,
            width,
        });
    }
    if sigma >= Fixed::ONE {
        return Err(ExtensionError::Offset { sigma });
    }
    let rows = (moduli / columns) as u128;
    let truncation = Fixed::ratio_up(rows, 1 << kept_bits).unwrap_or(Fixed::ONE);
    Ok(cox::epsilon_sum(source).times(columns as u128) + truncation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Counting, Counts};
    use crate::extend::kawamura::Kawamura;
    use crate::test_support::from_crt_digits;

    fn split(bits: u32, n: usize) -> (Base, Base) {
        let pool = Base::pseudo_mersenne(bits, 2 * n).unwrap();
        let values: Vec<u128> = pool.moduli().iter().map(Modulus::value).collect();
        (
            Base::new(&values[..n]).unwrap(),
            Base::new(&values[n..]).unwrap(),
        )
    }

    #[test]
    fn every_number_of_tiny_bases() {
        let targets = [
            Base::new(&[2, 3, 5]).unwrap(),
            Base::new(&[64, 61, 59, 57]).unwrap(),
        ];
        // Moduli, columns, and the offsets sigma, in quarters, that their bound E allows.
        let sources = [
            (&[15, 16][..], 1, &[0, 1, 2, 3][..]),
            (&[15, 16], 2, &[0, 2, 3]),
            (&[31, 32], 2, &[0, 1, 2, 3]),
            (&[61, 63, 64], 3, &[0, 2]),
            (&[32, 31, 29, 27], 2, &[3]),
        ];
        for (moduli, columns, offsets) in sources {
            let source = Base::new(moduli).unwrap();
            let range: u128 = moduli.iter().product();
            for (target, &quarters) in targets
                .iter()
                .flat_map(|t| offsets.iter().map(move |q| (t, q)))
            {
                let sigma = Fixed::ratio_up(quarters, 4).unwrap();
                let extension =
                    Hierarchical::with_fewest_bits(&source, target, columns, sigma).unwrap();
                let bound = (range * (4 - quarters)).div_ceil(4);
                assert_eq!(extension.input_bound(), &BoxedUint::from(bound));
                for x in 0..bound {
                    let result = extension.extend(&Residues::reduced(&source, &BoxedUint::from(x)));
                    if result != Residues::reduced(target, &BoxedUint::from(x)) {
                        assert_eq!(extension.max_excess(), 1);
                        assert_eq!(
                            result,
                            Residues::reduced(target, &BoxedUint::from(x + range))
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn counts_are_those_of_the_formulas_for_every_grid() {
        for (n, columns) in [
            (12, 1),
            (12, 2),
            (12, 3),
            (12, 4),
            (12, 6),
            (12, 12),
            (16, 2),
        ] {
            let (source, target) = split(24, n);
            let extension =
                Hierarchical::with_fewest_bits(&source, &target, columns, Fixed::HALF).unwrap();
            let channel = Counting::default();
            extension.extend_on(&channel, &Residues::one(&source));
            let (n, c) = (n as u64, columns as u64);
            // For c = 2: n^2/2 + n CMM, n^2/2 CMR, n plain products.
            let expected = Counts {
                cmm: n * n / c + n,
                cmr: n * n / c,
                products: n,
                ema: 2 * n * n / c,
                table_words: n * n / c,
                emm: 0,
            };
            assert_eq!(channel.counts(), expected);
        }
    }

    #[test]
    fn correction_tables_have_c_plus_1_entries_and_the_last_is_used() {
        let (source, target) = split(20, 12);
        for columns in [1, 2, 3, 4, 6] {
            let extension =
                Hierarchical::with_fewest_bits(&source, &target, columns, Fixed::HALF).unwrap();
            assert!(
                extension
                    .corrections
                    .iter()
                    .all(|table| table.len() == columns + 1)
            );
            // All xh_ij = a_ij - 1, except one that brings X just below A/2: the running fraction is near 1
            // when a row of c digits near their moduli arrives.
            let x = from_crt_digits(
                &source,
                |i, a| {
                    if i + 1 == source.len() { a / 3 } else { a - 1 }
                },
            );
            let parts: Vec<u128> = extension
                .gather(&Plain, &x)
                .iter()
                .map(|row| row.1)
                .collect();
            assert_eq!(parts[0], columns as u128, "{parts:?}");
            assert_eq!(
                extension.extend(&x),
                Residues::reduced(&target, &x.to_uint())
            );
        }
    }

    #[test]
    fn one_column_is_kawamura() {
        let (source, target) = split(20, 5);
        let hierarchical = Hierarchical::new(&source, &target, 1, 8, Fixed::HALF).unwrap();
        let kawamura = Kawamura::new(&source, &target, 8, Fixed::HALF).unwrap();
        for x in 0..500u32 {
            let x = Residues::reduced(&source, &BoxedUint::from(u64::from(x).pow(6)));
            assert_eq!(hierarchical.rank(&x), kawamura.rank(&x));
            assert_eq!(hierarchical.extend(&x), kawamura.extend(&x));
        }
    }

    #[test]
    fn moduli_31_29_27_25_are_refused_for_hbe_and_exact_for_kbe() {
        let source = Base::new(&[31, 29, 27, 25]).unwrap();
        let target = Base::new(&[32, 23, 19, 17]).unwrap();
        for kept in 1..=10 {
            let error = Hierarchical::new(&source, &target, 2, kept, Fixed::HALF).unwrap_err();
            assert!(matches!(error, ExtensionError::Inexact { .. }));
        }
        let kawamura = Kawamura::new(&source, &target, 5, Fixed::HALF).unwrap();
        let hierarchical =
            Hierarchical::unchecked(&source, &target, 2, 10, Fixed::HALF, Fixed::ONE);
        let half = 31u64 * 29 * 27 * 25 / 2;
        let mut wrong = 0;
        for x in 0..=half {
            let residues = Residues::reduced(&source, &BoxedUint::from(x));
            let expected = Residues::reduced(&target, &BoxedUint::from(x));
            assert_eq!(kawamura.extend(&residues), expected);
            wrong += u32::from(hierarchical.extend(&residues) != expected);
        }
        // The refusal prevents these wrong results.
        assert_eq!(wrong, 19_612);
        let two = Residues::reduced(&source, &BoxedUint::from(2u64));
        assert_eq!((kawamura.rank(&two), hierarchical.rank(&two)), (2, 1));
    }

    #[test]
    fn the_wrong_results_of_the_vector_file_are_what_the_refusal_prevents() {
        let text = include_str!("../../../../vectors/base_extension.json");
        let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
        let refused = &vectors["refused_for_hbe"];
        let numbers = |value: &serde_json::Value| -> Vec<u128> {
            let values = value.as_array().unwrap().iter();
            values.map(|x| u128::from(x.as_u64().unwrap())).collect()
        };
        let source = Base::new(&numbers(&refused["A"])).unwrap();
        let target = Base::new(&numbers(&refused["B"])).unwrap();
        let hierarchical =
            Hierarchical::unchecked(&source, &target, 2, 10, Fixed::HALF, Fixed::ONE);
        for case in refused["cases"].as_array().unwrap() {
            let x = BoxedUint::from(case["X"].as_u64().unwrap());
            let x = Residues::reduced(&source, &x);
            let rank = case["hbe_h"].as_u64().unwrap();
            assert_eq!(hierarchical.rank(&x), u128::from(rank));
            assert_eq!(hierarchical.extend(&x).values(), numbers(&case["hbe"]));
        }
    }

    #[test]
    fn moduli_128122_to_128069_are_refused_for_hbe_and_exact_for_kbe() {
        let moduli = [
            128_122, 128_121, 128_119, 128_117, 128_113, 128_111, 128_105, 128_101, 128_099,
            128_089, 128_087, 128_083, 128_081, 128_077, 128_071, 128_069,
        ];
        let source = Base::new(&moduli).unwrap();
        let target = Base::pseudo_mersenne(17, 8).unwrap();
        let refused = Hierarchical::with_fewest_bits(&source, &target, 2, Fixed::HALF);
        assert!(matches!(refused, Err(ExtensionError::Inexact { .. })));
        let kawamura = Kawamura::with_fewest_bits(&source, &target, Fixed::HALF).unwrap();
        let unchecked = Hierarchical::unchecked(&source, &target, 2, 34, Fixed::HALF, Fixed::ONE);
        for k in 0..5_000u128 {
            // All digits near 15/16 of their moduli, and together just above an integer:
            // X is small, and every row comes out too small.
            let fraction = |i: usize, m: u128| m - m / 16 - 1 - (k * (2 * i as u128 + 1)) % 97;
            let short = |digit: &dyn Fn(usize, u128) -> u128| -> f64 {
                let parts = moduli[..15].iter().enumerate();
                parts
                    .map(|(i, &m)| (m - digit(i, m)) as f64 / m as f64)
                    .sum()
            };
            let last = (short(&fraction) * 128_069.0) as u128 + 1 + k % 1_000;
            let x = from_crt_digits(&source, |i, m| if i < 15 { fraction(i, m) } else { last });
            let expected = Residues::reduced(&target, &x.to_uint());
            assert_eq!(kawamura.extend(&x), expected);
            assert_ne!(unchecked.extend(&x), expected);
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let (source, target) = split(20, 6);
        let refused = |columns, kept, sigma| {
            Hierarchical::new(&source, &target, columns, kept, sigma)
                .map(|_| ())
                .unwrap_err()
        };
        assert_eq!(
            refused(4, 5, Fixed::HALF),
            ExtensionError::Grid {
                columns: 4,
                moduli: 6
            }
        );
        assert_eq!(
            refused(0, 5, Fixed::HALF),
            ExtensionError::Grid {
                columns: 0,
                moduli: 6
            }
        );
        assert_eq!(
            refused(2, 41, Fixed::HALF),
            ExtensionError::KeptBits {
                kept: 41,
                width: 40
            }
        );
        assert_eq!(
            refused(6, 65, Fixed::HALF),
            ExtensionError::KeptBits {
                kept: 65,
                width: 64
            }
        );
        assert_eq!(
            refused(2, 0, Fixed::HALF),
            ExtensionError::KeptBits { kept: 0, width: 40 }
        );
        assert_eq!(
            refused(2, 5, Fixed::ONE),
            ExtensionError::Offset { sigma: Fixed::ONE }
        );
        for columns in [0, 4, usize::MAX] {
            let error = Hierarchical::with_fewest_bits(&source, &target, columns, Fixed::HALF);
            let moduli = 6;
            let expected = ExtensionError::Grid { columns, moduli };
            assert_eq!(error.map(|_| ()), Err(expected));
        }
    }
}
