//! Modular products of eight numbers of `10 m` limbs: ten columns at a time, whose sums stay in registers until their
//! digits are known, so that a product has few additions besides its multiplications.
//!
//! Rows are taken in blocks of five: a *tile* is five limbs of one operand, times all limbs of the other one that
//! contribute to the ten columns. Most tiles take all of these; at the ends of the operands, and on the diagonal of a
//! square, they take fewer.
//!
//! A digit needs the one before it, nine cycles later. The first tile of the next ten columns is added
//! meanwhile.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_setzero_si512, _mm512_srli_epi64,
};

use crate::{
    instructions::vector::{is_zero, load, splat, store},
    limbs::{
        numbers::{Factors, Limb, Moduli},
        plan::{LIMB_BITS, LIMB_MASK},
    },
};

/// Number of columns in a block. Each has two accumulators, which take two thirds of the registers together.
pub(super) const COLUMNS: usize = 10;
/// Number of limbs of the row operand in a tile.
const ROWS: usize = 5;

/// The sums of ten columns.
struct Columns {
    /// Low halves of the products of limbs i and j for column `k = i + j`.
    low: [__m512i; COLUMNS],
    /// High halves of the products of limbs `i + j = k - 1`.
    high: [__m512i; COLUMNS],
}

/// Adds a tile to columns: limbs `x` (five), and `y`, whose limbs FROM to TO of a window of fifteen
/// are given. Limb i of x times limb W of the window counts in column `i + W - 5`. Low and high halves go to
/// sums of their own or, in the second form, both to the same ones. The third form is one limb of the window.
macro_rules! tile {
    ($columns:ident, $x:expr, $y:expr, $from:literal..$to:literal) => {
        tile!($columns.low, $columns.high, $x, $y, $from..$to)
    };
    (both $sums:expr, $x:expr, $y:expr, $from:literal..$to:literal) => {
        tile!($sums, $sums, $x, $y, $from..$to)
    };
    ($low:expr, $high:expr, $x:expr, $y:expr, $from:literal..$to:literal) => {{
        let (x, y): (&[Limb], &[Limb]) = (&$x[..ROWS], &$y[..$to - $from]);
        let x: [__m512i; ROWS] = core::array::from_fn(|i| load(&x[i], 0));
        for_each!(W in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14] {
            if ($from..$to).contains(&W) {
                let y = load(&y[W.saturating_sub($from)], 0);
                tile!(W, x, y, $low, $high);
            }
        });
    }};
    ($window:ident, $x:ident, $y:ident, $low:expr, $high:expr) => {{
        for_each!(I in [0 1 2 3 4] {
            if ROWS <= I + $window && I + $window < ROWS + COLUMNS {
                const K: usize = (I + $window).saturating_sub(ROWS) % COLUMNS;
                $low[K] = _mm512_madd52lo_epu64($low[K], $x[I], $y);
            }
        });
        for_each!(I in [0 1 2 3 4] {
            if ROWS <= I + $window + 1 && I + $window + 1 < ROWS + COLUMNS {
                const K: usize = (I + $window + 1).saturating_sub(ROWS) % COLUMNS;
                $high[K] = _mm512_madd52hi_epu64($high[K], $x[I], $y);
            }
        });
    }};
}

/// Adds the part above the diagonal of the tile on the diagonal of a square: limbs `x`, of which the first five are
/// multiplied with all (TO of them) that come after each. Both halves go to the same sums.
macro_rules! diagonal_tile {
    ($sums:expr, $x:expr, $to:literal) => {{
        let x: &[Limb] = &$x[..$to];
        let row: [__m512i; ROWS] = core::array::from_fn(|i| load(&x[i], 0));
        for_each!(J in [1 2 3 4 5 6 7 8 9] {
            if J < $to {
                let y = load(&x[J % $to], 0);
                for_each!(I in [0 1 2 3 4] {
                    if I < J && I + J < COLUMNS {
                        const K: usize = (I + J) % COLUMNS;
                        $sums[K] = _mm512_madd52lo_epu64($sums[K], row[I], y);
                    }
                });
                for_each!(I in [0 1 2 3 4] {
                    if I < J && I + J + 1 < COLUMNS {
                        const K: usize = (I + J + 1) % COLUMNS;
                        $sums[K] = _mm512_madd52hi_epu64($sums[K], row[I], y);
                    }
                });
            }
        });
    }};
}

/// [`montgomery`](crate::limbs::radix52::product::montgomery) of one vector, for `10 m` limbs and no more factors than
/// columns can take at once.
///
/// As there, column k of `T + q P` is `sum of lo(x_i y_j) over i + j = k, and hi(x_i y_j) over
/// i + j = k - 1`, and the same for q and P. For k < n the sum `S_k` is kept with `2^52 - 1` added to
/// it: then `floor` gives the carry, `ceil(S_k / 2^52)`, and `q_k = -S_k P^-1 mod 2^52` is
/// `-(S_k + 2^52 - 1) P^-1 - P^-1`. Its bits from the 52nd on are not removed, as no multiplication
/// reads them.
///
/// A column gets at most 2 n products below `2^52` from every pair of factors and 2 n from the
/// reduction, so that with its carry it is below `2^64` where twice n times the number of pairs and
/// one more is at most `2^12 - 16` (`LimbPlan::products_at_once`).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn montgomery(
    moduli: Moduli<'_>,
    factors: Factors<'_>,
    vector: usize,
    out: &mut [Limb],
) {
    let n = moduli.plan.limbs;
    let lanes = vector * n..(vector + 1) * n;
    let (p, out) = (&moduli.limbs[lanes.clone()], &mut out[..n]);
    let negative_inverse = load(&moduli.negative_inverses[vector], 0);
    let (zero, mask) = (_mm512_setzero_si512(), splat(LIMB_MASK));
    let mut carry = zero;
    // The sums of the first tile of the columns from `start` on, if it was added before them.
    let (mut begun, mut tile) = (false, [zero; COLUMNS]);
    for start in (0..2 * n).step_by(COLUMNS) {
        let rounding = if start < n { mask } else { zero };
        let mut columns = Columns {
            low: tile,
            high: [zero; COLUMNS],
        };
        match factors {
            Factors::Square(x) => {
                let x = &x.limbs[lanes.clone()];
                add_different(&mut columns, start, x, begun);
                for k in 0..COLUMNS {
                    columns.low[k] = _mm512_add_epi64(columns.low[k], columns.low[k]);
                }
                columns.high = [rounding; COLUMNS];
                add_squares(&mut columns, &x[start / 2..]);
            }
            Factors::Products(factors) => {
                columns.high = [rounding; COLUMNS];
                for (k, (_, x, y)) in factors.iter().enumerate() {
                    let (x, y) = (&x.limbs[lanes.clone()], &y.limbs[lanes.clone()]);
                    add_product(&mut columns, start, x, y, begun && k == 0);
                }
            }
        }
        // The digits of q are stored where the result will be: a limb of the result comes after the last use of the
        // digit.
        add_known_digits(&mut columns, start, out, p);
        let sums: [__m512i; COLUMNS] =
            core::array::from_fn(|k| _mm512_add_epi64(columns.low[k], columns.high[k]));
        tile = [zero; COLUMNS];
        if start < n {
            let (p, q) = (&p[..COLUMNS], &mut out[start..][..COLUMNS]);
            // The next columns of a short square have no such tile.
            let next = match factors {
                Factors::Square(x) if n > COLUMNS => Some((x, x)),
                Factors::Products(&[(_, x, y), ..]) => Some((x, y)),
                _ => None,
            };
            let next = next.map(|(x, y)| (&x.limbs[lanes.clone()], &y.limbs[lanes.clone()]));
            begun = next.is_some();
            carry = match next {
                Some((x, y)) if start + COLUMNS < n => {
                    let y = &y[start + COLUMNS - ROWS..];
                    digits::<15>(sums, carry, negative_inverse, p, q, x, y, &mut tile)
                }
                Some((x, y)) => {
                    let (x, y) = (&x[ROWS..], &y[n - 2 * ROWS..]);
                    digits::<10>(sums, carry, negative_inverse, p, q, x, y, &mut tile)
                }
                None => digits::<0>(sums, carry, negative_inverse, p, q, p, p, &mut tile),
            };
        } else {
            begun = false;
            let out = &mut out[start - n..][..COLUMNS];
            for k in 0..COLUMNS {
                let sum = _mm512_add_epi64(sums[k], carry);
                carry = _mm512_srli_epi64::<LIMB_BITS>(sum);
                store(&mut out[k], 0, _mm512_and_si512(sum, mask));
            }
        }
    }
    // The result is below F.
    debug_assert!(is_zero(carry));
}

/// Adds the part of `x y` in the columns from `start` on, except the first tile if it was `begun` before: the tile of
/// the first limbs of x or, from n on, of the next ones.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_product(columns: &mut Columns, start: usize, x: &[Limb], y: &[Limb], begun: bool) {
    let n = x.len();
    let mut row = 0;
    if start >= n {
        row = start - n + 2 * ROWS;
        tile!(columns, x[start - n..], y[n - ROWS..], 0..5);
        if !begun {
            tile!(columns, x[start - n + ROWS..], y[n - 2 * ROWS..], 0..10);
        }
    } else if begun {
        row = ROWS;
    }
    while row < start.min(n) {
        tile!(columns, x[row..], y[start - row - ROWS..], 0..15);
        row += ROWS;
    }
    if start < n {
        tile!(columns, x[start..], y, 5..15);
        tile!(columns, x[start + ROWS..], y, 10..15);
    }
}

/// Adds the part of `q P` in the columns from `start` on, with the digits of q before the one at `start`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_known_digits(columns: &mut Columns, start: usize, q: &[Limb], p: &[Limb]) {
    let n = p.len();
    let mut row = 0;
    if start >= n {
        row = start - n + 2 * ROWS;
        tile!(columns, q[start - n..], p[n - ROWS..], 0..5);
        tile!(columns, q[start - n + ROWS..], p[n - 2 * ROWS..], 0..10);
    }
    while row < start.min(n) {
        tile!(columns, q[row..], p[start - row - ROWS..], 0..15);
        row += ROWS;
    }
}

/// Adds to `columns.low` the part of the products of different limbs of x, each taken once, in the columns from `start`
/// on, except the first tile if it was `begun` before, as in [`add_product`].
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_different(columns: &mut Columns, start: usize, x: &[Limb], begun: bool) {
    let n = x.len();
    // The first limb of the tile on the diagonal.
    let middle = start / 2;
    if start == 2 * n - COLUMNS {
        tile!(both columns.low, x[middle - ROWS..], x[middle..], 0..5);
        diagonal_tile!(columns.low, x[middle..], 5);
        return;
    }
    let mut row = 0;
    if start >= n {
        row = start - n + 2 * ROWS;
        tile!(both columns.low, x[start - n..], x[n - ROWS..], 0..5);
        if !begun {
            tile!(both columns.low, x[start - n + ROWS..], x[n - 2 * ROWS..], 0..10);
        }
    } else if begun {
        row = ROWS;
    }
    while row < middle {
        tile!(both columns.low, x[row..], x[start - row - ROWS..], 0..15);
        row += ROWS;
    }
    diagonal_tile!(columns.low, x[middle..], 10);
}

/// Adds the squares of limbs x, the first of which counts in the first column.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_squares(columns: &mut Columns, x: &[Limb]) {
    let x = &x[..ROWS];
    for_each!(I in [0 1 2 3 4] {
        let x = load(&x[I], 0);
        columns.low[2 * I] = _mm512_madd52lo_epu64(columns.low[2 * I], x, x);
        columns.high[2 * I + 1] = _mm512_madd52hi_epu64(columns.high[2 * I + 1], x, x);
    });
}

/// Finds ten digits of q from the sums of columns that lack only the products of these digits, and stores them. Returns
/// the carry into the columns after these.
///
/// Between the digits it adds the tile of `x` and `y`, limbs 0 to TO of its window, to `tile`: with halves of
/// both kinds in one sum there are registers for it.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
#[expect(
    unused_assignments,
    reason = "the last digit changes none of the columns"
)]
#[expect(
    clippy::too_many_arguments,
    reason = "two steps of one product, which share the registers"
)]
fn digits<const TO: usize>(
    mut sums: [__m512i; COLUMNS],
    mut carry: __m512i,
    negative_inverse: __m512i,
    p: &[Limb],
    out: &mut [Limb],
    x: &[Limb],
    y: &[Limb],
    tile: &mut [__m512i; COLUMNS],
) -> __m512i {
    let y = &y[..TO];
    let x: [__m512i; ROWS] = core::array::from_fn(|i| load(&x[i], 0));
    for_each!(K in [0 1 2 3 4 5 6 7 8 9] {
        let sum = _mm512_add_epi64(sums[K], carry);
        let q = _mm512_madd52lo_epu64(negative_inverse, sum, negative_inverse);
        carry = _mm512_srli_epi64::<LIMB_BITS>(sum);
        store(&mut out[K], 0, q);
        // `lo(q p_0)` is accounted for. The high half for the column after these comes with the known digits.
        if K + 1 < COLUMNS {
            carry = _mm512_madd52hi_epu64(carry, q, load(&p[0], 0));
        }
        for_each!(J in [1 2 3 4 5 6 7 8 9] {
            if J + K < COLUMNS {
                let limb = load(&p[J], 0);
                sums[(J + K) % COLUMNS] = _mm512_madd52lo_epu64(sums[(J + K) % COLUMNS], q, limb);
                if J + K + 1 < COLUMNS {
                    const AT: usize = (J + K + 1) % COLUMNS;
                    sums[AT] = _mm512_madd52hi_epu64(sums[AT], q, limb);
                }
            }
        });
        for_each!(HALF in [0 10] {
            const W: usize = HALF + K;
            if W < TO {
                let y = load(&y[W], 0);
                tile!(W, x, y, tile, tile);
            }
        });
    });
    carry
}
