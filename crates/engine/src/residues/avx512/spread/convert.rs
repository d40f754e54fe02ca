//! Conversion from digits to residues and back, linear operations, sums of products, and table
//! look-up in constant time.
//!
//! As for [`Kernels`](crate::residues::lanes::Kernels), all operands and results are stored residues
//! within the plan's bounds.

use core::arch::x86_64::{
    _mm512_add_epi64, _mm512_and_si512, _mm512_or_si512, _mm512_setzero_si512,
};

use zeroize::Zeroizing;

use crate::{
    instructions::vector::{WIDTH, load, splat, store},
    residues::{
        avx512::spread::{
            constants::{Octet, SpreadPlan},
            numbers::{SpreadNumbers, SpreadScratch, SpreadTable},
            product::{cox_quotient, flat_each, for_each_block},
        },
        plan::Plan,
    },
    row::Row,
};

/// `out :=` the stored residues of integers below `2^bits`, each residue below `2 m`. Requires
/// digits of `w` bits, eight per row.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn enter<const N: usize>(
    spread: &SpreadPlan,
    digits: &[Zeroizing<Vec<Octet>>; N],
    out: &mut SpreadNumbers<N>,
) {
    for_each_block(
        &spread.from_digits,
        &flat_each(digits),
        #[inline(always)]
        |n, rows, sums| {
            for (r, &sum) in rows.zip(sums) {
                let in_b = r.checked_sub(spread.a.len());
                let channels = match in_b {
                    Some(r) => spread.b[r].load(),
                    None => spread.a[r].load(),
                };
                store(
                    &mut out.of_mut(n)[r],
                    0,
                    channels.normalize(channels.redc(sum)),
                );
            }
        },
    );
}

/// The integers of numbers, in digits of `w` bits in two's complement. Requires integers above `-P`
/// and below `c P`, as products are. Leaves their `rh` and h in the scratch space.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn leave<const N: usize>(
    plan: &Plan,
    spread: &SpreadPlan,
    x: &SpreadNumbers<N>,
    scratch: &mut SpreadScratch<N>,
) -> [Zeroizing<Vec<u64>>; N] {
    for n in 0..N {
        let in_b = &x.of(n)[spread.a.len()..];
        let mut cox = _mm512_setzero_si512();
        for (r, (x, channels)) in in_b.iter().zip(&spread.b).enumerate() {
            let rh = channels
                .load()
                .multiply(load(x, 0), load(&spread.to_rh[r], 0));
            store(&mut scratch.rh[n][r], 0, rh);
            cox = _mm512_add_epi64(cox, rh);
        }
        scratch.rh[n][plan.b.len() / WIDTH][plan.b.len() % WIDTH] = cox_quotient(plan, cox);
    }
    let rows = spread.to_digits.rows;
    let mut low = [(); N].map(|()| Zeroizing::new(vec![Row([0; WIDTH]); rows]));
    let mut high = low.clone();
    for_each_block(
        &spread.to_digits,
        &flat_each(&scratch.rh),
        #[inline(always)]
        |n, rows, sums| {
            for (r, sum) in rows.zip(sums) {
                store(&mut low[n][r], 0, sum.low);
                store(&mut high[n][r], 0, sum.high);
            }
        },
    );
    let mask = (1 << plan.w) - 1;
    core::array::from_fn(|n| {
        let mut carry = 0;
        let sums = low[n]
            .iter()
            .zip(high[n].iter())
            .flat_map(|(low, high)| low.iter().zip(&**high));
        let digits = sums.take(plan.to_digits.rows()).map(|(&low, &high)| {
            let sum = u128::from(low) + (u128::from(high) << 52) + carry;
            carry = sum >> plan.w;
            sum as u64 & mask
        });
        Zeroizing::new(digits.collect())
    })
}

/// `x := x + y`: the sums of normalized residues, below `4 m`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn add<const N: usize>(
    spread: &SpreadPlan,
    x: &mut SpreadNumbers<N>,
    y: &SpreadNumbers<N>,
) {
    for n in 0..N {
        let channels = spread.a.iter().chain(&spread.b);
        for ((x, y), channels) in x.of_mut(n).iter_mut().zip(y.of(n)).zip(channels) {
            let channels = channels.load();
            let sum = _mm512_add_epi64(
                channels.normalize(load(x, 0)),
                channels.normalize(load(y, 0)),
            );
            store(x, 0, sum);
        }
    }
}

/// `x := x - y`: the normalized residues of x, plus `2 m` minus those of y, below `4 m`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn subtract<const N: usize>(
    spread: &SpreadPlan,
    x: &mut SpreadNumbers<N>,
    y: &SpreadNumbers<N>,
) {
    for n in 0..N {
        let channels = spread.a.iter().chain(&spread.b);
        for ((x, y), channels) in x.of_mut(n).iter_mut().zip(y.of(n)).zip(channels) {
            let channels = channels.load();
            let negative = channels.negate(channels.normalize(load(y, 0)));
            let difference = _mm512_add_epi64(channels.normalize(load(x, 0)), negative);
            store(x, 0, difference);
        }
    }
}

/// `x := factor x`, or `x := -factor x` if `negative`; residues of at most `2 m`. Requires
/// `factor < 2^16`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn scale<const N: usize>(
    spread: &SpreadPlan,
    x: &mut SpreadNumbers<N>,
    factor: u32,
    negative: bool,
) {
    let factor = splat(factor.into());
    for n in 0..N {
        let channels = spread.a.iter().chain(&spread.b).zip(&spread.radix_squared);
        for (x, (constants, square)) in x.of_mut(n).iter_mut().zip(channels) {
            let channels = constants.load();
            let product = channels.multiply(load(x, 0), factor);
            let product = channels.multiply(product, load(square, 0));
            let residue = if negative {
                channels.negate(product)
            } else {
                product
            };
            store(x, 0, residue);
        }
    }
}

/// `out := sum of (+-) x y R^-1` in each channel separately, residues below `2 m`. Each term is
/// `(negative, x, y)`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn dot<const N: usize>(
    spread: &SpreadPlan,
    terms: &[(bool, &SpreadNumbers<N>, &SpreadNumbers<N>)],
    out: &mut SpreadNumbers<N>,
) {
    for n in 0..N {
        let channels = spread.a.iter().chain(&spread.b);
        for (r, (out, channels)) in out.of_mut(n).iter_mut().zip(channels).enumerate() {
            let channels = channels.load();
            let mut sum = _mm512_setzero_si512();
            for (negative, x, y) in terms {
                let (x, y) = (load(&x.of(n)[r], 0), load(&y.of(n)[r], 0));
                let product = channels.normalize(channels.multiply(x, y));
                let product = if *negative {
                    channels.negate(product)
                } else {
                    product
                };
                // Below 4 m before it is normalized, and below 2 m after it.
                sum = channels.normalize(_mm512_add_epi64(sum, product));
            }
            store(out, 0, sum);
        }
    }
}

/// `out :=` each number's entry of the table. Requires, for each number, a mask of all ones for one
/// entry and masks of zeros for the others. All entries are read.
#[target_feature(enable = "avx512f")]
pub(super) fn select<const N: usize>(
    table: &SpreadTable<N>,
    masks: &[[u64; N]],
    out: &mut SpreadNumbers<N>,
) {
    for n in 0..N {
        let (entries, out) = (table.of(n), out.of_mut(n));
        let rows = out.len();
        let mut first = 0;
        while first < rows {
            first += match rows - first {
                1 => select_rows::<1, N>(entries, masks, n, first, out),
                2 | 3 => select_rows::<2, N>(entries, masks, n, first, out),
                4 | 5 => select_rows::<4, N>(entries, masks, n, first, out),
                6 | 7 => select_rows::<6, N>(entries, masks, n, first, out),
                _ => select_rows::<8, N>(entries, masks, n, first, out),
            };
        }
    }
}

/// [`select`] for R rows of number n from row `first` on, which share the loads of the masks.
/// Returns R.
#[inline]
#[target_feature(enable = "avx512f")]
fn select_rows<const R: usize, const N: usize>(
    entries: &[Octet],
    masks: &[[u64; N]],
    n: usize,
    first: usize,
    out: &mut [Octet],
) -> usize {
    let mut selected = [_mm512_setzero_si512(); R];
    for (entry, mask) in masks.iter().enumerate() {
        let mask = splat(mask[n]);
        let rows = &entries[entry * out.len() + first..][..R];
        for r in 0..R {
            selected[r] = _mm512_or_si512(selected[r], _mm512_and_si512(load(&rows[r], 0), mask));
        }
    }
    for r in 0..R {
        store(&mut out[first + r], 0, selected[r]);
    }
    R
}
