//! Modular products of eight numbers of `10 m` limbs: ten columns at a time, whose sums stay in registers
//! until their digits are known, so that a product has few additions besides its multiplications.
//!
//! Rows are taken in blocks of five: a *tile* is five limbs of one operand, times all limbs of the
//! other one that put something into the ten columns. Most tiles take all of these; at the ends of the
//! operands, and on the diagonal of a square, they take fewer.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_setzero_si512, _mm512_srli_epi64,
};

use super::{
    numbers::Limb,
    plan::{LIMB_BITS, LIMB_MASK},
    product::{Factors, Moduli, is_zero},
};
use crate::devices::avx512::vector::{load, splat, store};

/// Columns in a block. It has two accumulators for each, which take two thirds of the registers.
pub(super) const COLUMNS: usize = 10;
/// Limbs of the row operand in a tile.
const ROWS: usize = 5;

/// The sums of ten columns.
struct Columns {
    /// Low halves of the products of limbs i and j for column `k = i + j`.
    low: [__m512i; COLUMNS],
    /// High halves of those of `i + j = k - 1`.
    high: [__m512i; COLUMNS],
}

/// Adds a tile to columns: limbs `x` (five), and `y`, whose limbs FROM to TO of a window of fifteen
/// are given. Limb i of x times limb W of the window counts in column `i + W - 5`.
///
/// A limb for place 0 of the window may be given besides; it replaces the one in y.
macro_rules! tile {
    ($columns:ident, $x:expr, $y:expr, $from:literal..$to:literal $(, $first:expr)?) => {{
        let (x, y): (&[Limb], &[Limb]) = (&$x[..ROWS], &$y[..$to - $from]);
        let x: [__m512i; ROWS] = core::array::from_fn(|i| load(&x[i], 0));
        for_each!(W in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14] {
            if ($from..$to).contains(&W) {
                #[allow(unused_mut, reason = "few tiles replace a limb")]
                let mut y = load(&y[W.saturating_sub($from)], 0);
                $(if W == 0 {
                    y = $first;
                })?
                for_each!(I in [0 1 2 3 4] {
                    if ROWS <= I + W && I + W < ROWS + COLUMNS {
                        const K: usize = (I + W).saturating_sub(ROWS) % COLUMNS;
                        $columns.low[K] = _mm512_madd52lo_epu64($columns.low[K], x[I], y);
                    }
                });
                for_each!(I in [0 1 2 3 4] {
                    if ROWS <= I + W + 1 && I + W + 1 < ROWS + COLUMNS {
                        const K: usize = (I + W + 1).saturating_sub(ROWS) % COLUMNS;
                        $columns.high[K] = _mm512_madd52hi_epu64($columns.high[K], x[I], y);
                    }
                });
            }
        });
    }};
}

/// Adds the tile on the diagonal of a square: limbs `x`, six of them if there are so many, and from
/// the same place on, as far as the number and the columns go, those of `2 x` (TO of them).
///
/// Limb i counts with itself, with twice the next one, and with the limbs of `2 x` from the one
/// after that on ([`add_square`]).
macro_rules! diagonal_tile {
    ($columns:ident, $x:expr, $double:expr, $to:literal) => {{
        let (x, double): (&[Limb], &[Limb]) = ($x, &$double[..$to]);
        let row: [__m512i; ROWS] = core::array::from_fn(|i| load(&x[i], 0));
        for_each!(J in [0 1 2 3 4 5 6 7 8 9] {
            if J < ROWS {
                const I: usize = J % ROWS;
                const K: usize = 2 * I;
                $columns.low[K] = _mm512_madd52lo_epu64($columns.low[K], row[I], row[I]);
                $columns.high[K + 1] = _mm512_madd52hi_epu64($columns.high[K + 1], row[I], row[I]);
            }
            if 0 < J && J <= ROWS && J < $to {
                const I: usize = J.saturating_sub(1) % ROWS;
                const K: usize = 2 * I + 1;
                let next = twice(load(&x[I + 1], 0));
                $columns.low[K] = _mm512_madd52lo_epu64($columns.low[K], row[I], next);
                if K + 1 < COLUMNS {
                    const ABOVE: usize = (K + 1) % COLUMNS;
                    $columns.high[ABOVE] = _mm512_madd52hi_epu64($columns.high[ABOVE], row[I], next);
                }
            }
            if J < $to {
                let y = load(&double[J % $to], 0);
                for_each!(I in [0 1 2 3 4] {
                    if I + 1 < J && I + J < COLUMNS {
                        const K: usize = (I + J) % COLUMNS;
                        $columns.low[K] = _mm512_madd52lo_epu64($columns.low[K], row[I], y);
                    }
                });
                for_each!(I in [0 1 2 3 4] {
                    if I + 1 < J && I + J + 1 < COLUMNS {
                        const K: usize = (I + J + 1) % COLUMNS;
                        $columns.high[K] = _mm512_madd52hi_epu64($columns.high[K], row[I], y);
                    }
                });
            }
        });
    }};
}

/// [`montgomery`](super::product::montgomery) of one vector, for `10 m` limbs and no more factors than
/// columns can take at once. `double` is as long as the number, and is left with what may be secret.
///
/// As there, column k of `T + q P` is `sum of lo(x_i y_j) over i + j = k, and hi(x_i y_j) over
/// i + j = k - 1`, and the same for q and P. For k < n the sum `S_k` is kept with `2^52 - 1` added to
/// it: then `floor` gives the carry, `ceil(S_k / 2^52)`, and `q_k = -S_k P^-1 mod 2^52` is
/// `-(S_k + 2^52 - 1) P^-1 - P^-1`. Its bits from the 52nd on are not removed, as no multiplication
/// reads them.
///
/// Each accumulator gets at most n products below `2^52` from every pair of factors and n from the
/// reduction, so that a column with its carry is below `2^64` where twice n times the number of pairs and
/// one more is at most `2^12 - 16` (`LimbPlan::products_at_once`).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn montgomery(
    moduli: Moduli<'_>,
    factors: Factors<'_>,
    vector: usize,
    double: &mut [Limb],
    out: &mut [Limb],
) {
    let n = moduli.plan.limbs;
    let first = vector * n;
    let p = &moduli.limbs[first..][..n];
    let (out, double) = (&mut out[..n], &mut double[..n]);
    let negative_inverse = load(&moduli.negative_inverses[vector], 0);
    let (zero, mask) = (_mm512_setzero_si512(), splat(LIMB_MASK));
    if let Factors::Square(x) = factors {
        double_limbs(&x.limbs[first..][..n], double);
    }
    let mut carry = zero;
    for start in (0..2 * n).step_by(COLUMNS) {
        let rounding = if start < n { mask } else { zero };
        let mut columns = Columns {
            low: [rounding; COLUMNS],
            high: [zero; COLUMNS],
        };
        match factors {
            Factors::Square(x) => {
                add_square(&mut columns, start, &x.limbs[first..][..n], double);
            }
            Factors::Products(factors) => {
                for (_, x, y) in factors {
                    let (x, y) = (&x.limbs[first..][..n], &y.limbs[first..][..n]);
                    add_product(&mut columns, start, x, y);
                }
            }
        }
        // The digits of q are where the result will be: a limb of the result comes after the last use
        // of the digit.
        add_known_digits(&mut columns, start, out, p);
        if start < n {
            let out = &mut out[start..][..COLUMNS];
            carry = digits(columns, carry, negative_inverse, &p[..COLUMNS], out);
        } else {
            let out = &mut out[start - n..][..COLUMNS];
            for k in 0..COLUMNS {
                let sum = _mm512_add_epi64(columns.low[k], columns.high[k]);
                let sum = _mm512_add_epi64(sum, carry);
                carry = _mm512_srli_epi64::<LIMB_BITS>(sum);
                store(&mut out[k], 0, _mm512_and_si512(sum, mask));
            }
        }
    }
    // The result is below F.
    debug_assert!(is_zero(carry));
}

/// Adds what `x y` has in the columns from `start` on.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_product(columns: &mut Columns, start: usize, x: &[Limb], y: &[Limb]) {
    let n = x.len();
    let mut row = 0;
    if start >= n {
        row = start - n + 2 * ROWS;
        tile!(columns, x[start - n..], y[n - ROWS..], 0..5);
        tile!(columns, x[start - n + ROWS..], y[n - 2 * ROWS..], 0..10);
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

/// Adds what `q P` has in the columns from `start` on, with the digits of q before the one at `start`.
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

/// Adds what `x^2` has in the columns from `start` on.
///
/// Each product of different limbs is taken once, with `2 x` for the second. `double` has its limbs
/// ([`double_limbs`]). For limbs next to each other, i and `i + 1`, what `2 x_i` carries is left out, as
/// it would belong to the product of `x_i` with itself: that is `2 x_(i + 1)`, whose low 52 bits count.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_square(columns: &mut Columns, start: usize, x: &[Limb], double: &[Limb]) {
    let n = x.len();
    // The first limb of the tile on the diagonal. The tile before it begins with limbs next to each other.
    let middle = start / 2;
    let next = twice(load(&x[middle], 0));
    if start == 2 * n - COLUMNS {
        tile!(columns, x[middle - ROWS..], double[middle..], 0..5, next);
        diagonal_tile!(columns, &x[middle..], double[middle..], 5);
        return;
    }
    let mut row = 0;
    if start >= n {
        row = start - n + 2 * ROWS;
        tile!(columns, x[start - n..], double[n - ROWS..], 0..5);
        let (x, double) = (&x[start - n + ROWS..], &double[n - 2 * ROWS..]);
        if row == middle {
            tile!(columns, x, double, 0..10, next);
        } else {
            tile!(columns, x, double, 0..10);
        }
    }
    while row + ROWS < middle {
        tile!(columns, x[row..], double[start - row - ROWS..], 0..15);
        row += ROWS;
    }
    if row < middle {
        tile!(columns, x[row..], double[middle..], 0..15, next);
    }
    diagonal_tile!(columns, &x[middle..], double[middle..], 10);
}

/// Finds ten digits of q from columns that lack only what these digits give, and puts them out. Returns
/// what is carried into the columns after these.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
#[expect(
    unused_assignments,
    reason = "the last digit changes none of the columns"
)]
fn digits(
    mut columns: Columns,
    mut carry: __m512i,
    negative_inverse: __m512i,
    p: &[Limb],
    out: &mut [Limb],
) -> __m512i {
    for_each!(K in [0 1 2 3 4 5 6 7 8 9] {
        let sum = _mm512_add_epi64(_mm512_add_epi64(columns.low[K], columns.high[K]), carry);
        let q = _mm512_madd52lo_epu64(negative_inverse, sum, negative_inverse);
        carry = _mm512_srli_epi64::<LIMB_BITS>(sum);
        store(&mut out[K], 0, q);
        // `lo(q p_0)` is accounted for. What the next digit needs comes first.
        for_each!(J in [1 2 3 4 5 6 7 8 9] {
            if J + K < COLUMNS {
                const AT: usize = (J + K) % COLUMNS;
                let (below, limb) = (load(&p[J - 1], 0), load(&p[J], 0));
                columns.high[AT] = _mm512_madd52hi_epu64(columns.high[AT], q, below);
                columns.low[AT] = _mm512_madd52lo_epu64(columns.low[AT], q, limb);
            }
        });
    });
    carry
}

/// Twice a number below `2^63`.
#[inline]
#[target_feature(enable = "avx512f")]
fn twice(x: __m512i) -> __m512i {
    _mm512_add_epi64(x, x)
}

/// `out_j := 2 x_j + floor(2 x_(j-1) / 2^52)`, in its low 52 bits: the limbs of `2 x`, if that is below F.
///
/// Requires limbs below `2^52`. Ensures limbs of at most `2^53 - 1`.
#[target_feature(enable = "avx512f,avx512ifma")]
fn double_limbs(x: &[Limb], out: &mut [Limb]) {
    let two = splat(2);
    let mut below = _mm512_setzero_si512();
    for (x, out) in x.iter().zip(out) {
        let x = load(x, 0);
        store(out, 0, _mm512_madd52hi_epu64(twice(x), below, two));
        below = x;
    }
}
