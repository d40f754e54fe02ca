//! Products of numbers of N limbs in D = 2 N columns, and the carries between columns.

use super::word::Word;
use crate::limbs::plan::LIMB_BITS;

/// The columns of 0.
#[inline(always)]
pub(super) fn zero<W: Word, const D: usize>() -> [W; D] {
    [W::splat(0); D]
}

/// `columns += x y`.
#[inline(always)]
pub(super) fn add_product<W: Word, const N: usize, const D: usize>(
    columns: &mut [W; D],
    x: &[W; N],
    y: &[W; N],
) {
    for j in 0..N {
        for i in 0..N {
            columns[i + j] = columns[i + j].low(x[i], y[j]);
        }
        for i in 0..N {
            columns[i + j + 1] = columns[i + j + 1].high(x[i], y[j]);
        }
    }
}

/// The columns of `x^2`.
#[inline(always)]
pub(super) fn square<W: Word, const N: usize, const D: usize>(x: &[W; N]) -> [W; D] {
    let mut columns: [W; D] = zero();
    for j in 1..N {
        for i in 0..j {
            columns[i + j] = columns[i + j].low(x[i], x[j]);
            columns[i + j + 1] = columns[i + j + 1].high(x[i], x[j]);
        }
    }
    for column in &mut columns[1..D - 1] {
        *column = column.add(*column);
    }
    for i in 0..N {
        columns[2 * i] = columns[2 * i].low(x[i], x[i]);
        columns[2 * i + 1] = columns[2 * i + 1].high(x[i], x[i]);
    }
    columns
}

/// Limbs below `2^52`, but for the highest, which takes what is above.
#[inline(always)]
pub(super) fn propagate<W: Word, const N: usize>(mut columns: [W; N]) -> [W; N] {
    for k in 0..N - 1 {
        columns[k + 1] = columns[k + 1].add(columns[k].carry());
        columns[k] = columns[k].lowest::<LIMB_BITS>();
    }
    columns
}

/// A multiple of P, `value` in limbs, with the carry out of the last column but one from 0 on, when it is added to columns
/// that are above `-2^61`: 512 units of the highest column are in the one below.
pub(super) const fn with_high_carry<const N: usize>(mut value: [u64; N]) -> [u64; N] {
    value[N - 1] = value[N - 1].wrapping_sub(512);
    value[N - 2] = value[N - 2].wrapping_add(512 << LIMB_BITS);
    value
}

/// `columns + constants`, without those that are 0.
#[inline(always)]
pub(super) fn add_constants<W: Word, const N: usize>(
    mut columns: [W; N],
    constants: [u64; N],
) -> [W; N] {
    for (column, constant) in columns.iter_mut().zip(constants) {
        if constant != 0 {
            *column = column.add(W::splat(constant));
        }
    }
    columns
}

/// `factor columns`, by the bits of a factor below 64 or of a few bits.
#[inline(always)]
pub(super) fn scale<W: Word, const N: usize>(columns: [W; N], factor: u32) -> [W; N] {
    let multiple = |x: W| {
        let mut sum: Option<W> = None;
        let mut add = |bit: u32, shifted: W| {
            if factor & bit != 0 {
                sum = Some(sum.map_or(shifted, |sum| sum.add(shifted)));
            }
        };
        add(1, x);
        add(2, x.shift_left::<1>());
        add(4, x.shift_left::<2>());
        add(8, x.shift_left::<3>());
        add(16, x.shift_left::<4>());
        add(32, x.shift_left::<5>());
        sum.unwrap_or(W::splat(0))
    };
    columns.map(multiple)
}
