//! Integers to residues and back, sums, and the constant-time look-up.

use core::arch::x86_64::{
    _mm512_add_epi64, _mm512_and_si512, _mm512_or_si512, _mm512_setzero_si512,
};

use zeroize::Zeroizing;

use super::{
    Numbers, Scratch, SpreadTable,
    layout::{Layout, Octet},
    product::{each, for_each_row},
};
use crate::backend::{
    avx512::vector::{WIDTH, load, splat, store},
    plan::Plan,
    row::Row,
};

/// The stored residues of integers given in digits of `w` bits, eight digits a row. Every
/// residue is below `2 m`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn enter<const N: usize>(
    layout: &Layout,
    digits: &[Zeroizing<Vec<Octet>>; N],
    out: &mut Numbers<N>,
) {
    for_each_row(&layout.from_digits, &each(digits), |r, sums| {
        let channels = layout.a.iter().chain(&layout.b).nth(r);
        if let Some(channels) = channels.map(|channels| channels.load()) {
            for n in 0..N {
                let residues = channels.normalize(channels.redc(sums[n]));
                store(&mut out.of_mut(n)[r], 0, residues);
            }
        }
    });
}

/// The digits of `w` bits of the product just computed, from its `rh` and `h`, for each
/// number.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn leave<const N: usize>(
    plan: &Plan,
    layout: &Layout,
    scratch: &Scratch<N>,
) -> [Zeroizing<Vec<u64>>; N] {
    let rows = layout.to_digits.rows;
    let mut low = [(); N].map(|()| Zeroizing::new(vec![Row([0; WIDTH]); rows]));
    let mut high = low.clone();
    for_each_row(&layout.to_digits, &each(&scratch.rh), |r, sums| {
        for n in 0..N {
            store(&mut low[n][r], 0, sums[n].low);
            store(&mut high[n][r], 0, sums[n].high);
        }
    });
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

/// `x := x + y`, every residue below `4 m`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn add<const N: usize>(layout: &Layout, x: &mut Numbers<N>, y: &Numbers<N>) {
    for n in 0..N {
        let channels = layout.a.iter().chain(&layout.b);
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

/// Each number's entry of the table, where the number's mask is all ones: every entry is read,
/// and all but one are masked away.
#[target_feature(enable = "avx512f")]
pub(super) fn select<const N: usize>(
    table: &SpreadTable<N>,
    masks: &[[u64; N]],
    out: &mut Numbers<N>,
) {
    for n in 0..N {
        for (row, entries) in out.of_mut(n).iter_mut().zip(table.of(n)) {
            let mut selected = _mm512_setzero_si512();
            for (residues, mask) in entries.iter().zip(masks) {
                let masked = _mm512_and_si512(load(residues, 0), splat(mask[n]));
                selected = _mm512_or_si512(selected, masked);
            }
            store(row, 0, selected);
        }
    }
}
