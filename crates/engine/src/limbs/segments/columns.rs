//! Products of numbers of N limbs in D = 2 N columns, and the carries between columns.

use super::word::Word;

/// Whether products of numbers are written without loops. The compiler unrolls short loops itself; of long ones it leaves
/// columns in memory.
const fn in_one_piece<W: Word>(limbs: usize) -> bool {
    W::IN_ONE_PIECE && limbs > 5
}

/// Repeats a block for each k from 0 to below a constant of at most 24, in one piece or as a loop.
macro_rules! columns_below {
    ($in_one_piece:expr, $k:ident < $end:expr, $body:block) => {
        if const { $in_one_piece } {
            columns_below!(@each $k, $end, $body,
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
        } else {
            for $k in 0..$end $body
        }
    };
    (@each $k:ident, $end:expr, $body:block, $($value:literal)*) => {{
        const { assert!($end <= 24) };
        $(
            if $value < $end {
                let $k = $value;
                $body
            }
        )*
    }};
}
pub(super) use columns_below;

/// The columns of 0.
#[inline(always)]
pub(super) fn zero<W: Word, const D: usize>() -> [W; D] {
    [W::splat(0); D]
}

/// The columns with the other sign.
#[inline(always)]
pub(super) fn negate<W: Word, const D: usize>(columns: &mut [W; D]) {
    for column in columns {
        *column = W::splat(0).sub(*column);
    }
}

/// The limbs as factors.
#[inline(always)]
fn factors<W: Word, const N: usize>(x: &[W; N]) -> [W::Factor; N] {
    let mut factors = [x[0].factor(); N];
    for k in 1..N {
        factors[k] = x[k].factor();
    }
    factors
}

/// `columns += x y`: by rows, or by columns where there are few registers.
#[inline(always)]
pub(super) fn add_product<W: Word, const N: usize, const D: usize>(
    columns: &mut [W; D],
    x: &[W; N],
    y: &[W; N],
) {
    let (x, y) = (factors(x), factors(y));
    if W::FREE_FACTORS {
        for j in 0..N {
            for i in 0..N {
                columns[i + j] = columns[i + j].low(x[i], y[j]);
            }
            for i in 0..N {
                columns[i + j + 1] = columns[i + j + 1].high(x[i], y[j]);
            }
        }
        return;
    }
    columns_below!(in_one_piece::<W>(N), k < D - 1, {
        let mut lows = before_halves::<W, N>(columns[k], k, 1).begin_lows();
        for i in 0..N {
            if i <= k && k - i < N {
                lows = plus_low::<W, N>(lows, x[i], y[k - i]);
                columns[k + 1] = plus_high::<W, N>(columns[k + 1], x[i], y[k - i]);
            }
        }
        columns[k] = columns[k].end_lows(lows);
    });
    columns[D - 1] = before_halves::<W, N>(columns[D - 1], D - 1, 1);
}

/// Whether what comes with halves is subtracted from each column at once. The compiler does so itself where it unrolls
/// the loops.
const fn at_once(limbs: usize) -> bool {
    limbs > 5
}

/// Column k of a product of numbers of N limbs before the halves of its pairs are added: of all pairs that count from a
/// column on for `share` 1, and for 2, as in a square, of half of them, rounded down.
#[inline(always)]
fn before_halves<W: Word, const N: usize>(column: W, k: usize, share: usize) -> W {
    if !at_once(N) {
        return column;
    }
    let (lows, highs) = halves(k, N);
    column.before_halves(lows / share, highs / share)
}

/// `lows +` the low half of `x y`, in a product of numbers of N limbs.
#[inline(always)]
fn plus_low<W: Word, const N: usize>(lows: W, x: W::Factor, y: W::Factor) -> W {
    if at_once(N) {
        lows.plus_low(x, y)
    } else {
        lows.before_halves(1, 0).plus_low(x, y)
    }
}

/// `column +` the high half of `x y`, in a product of numbers of N limbs.
#[inline(always)]
fn plus_high<W: Word, const N: usize>(column: W, x: W::Factor, y: W::Factor) -> W {
    if at_once(N) {
        column.plus_high(x, y)
    } else {
        column.high(x, y)
    }
}

/// The number of pairs of limbs of two numbers of so many limbs whose product counts from column k on.
const fn pairs(k: usize, limbs: usize) -> usize {
    if k < limbs { k + 1 } else { 2 * limbs - 1 - k }
}

/// The numbers of low and of high halves in column k of such a product.
pub(super) const fn halves(k: usize, limbs: usize) -> (usize, usize) {
    let highs = if k > 0 { pairs(k - 1, limbs) } else { 0 };
    (pairs(k, limbs), highs)
}

/// Columns plus those of the products of some pairs, where limbs are factors as they are. All columns stay in registers.
///
/// The middle columns take up to 2 N halves of each product, one after the other: so that they do not take longer than all
/// multiplications do, N - 2 of them have a sum of their own for high halves.
#[inline(always)]
pub(super) fn plus_products<W: Word, const N: usize, const D: usize>(
    mut sums: [W; D],
    terms: &[[&[W; N]; 2]],
) -> [W; D] {
    const { assert!(W::FREE_FACTORS && D == 2 * N) };
    let mut apart = [W::splat(0); N];
    for [x, y] in terms {
        let (x, y) = (factors(x), factors(y));
        columns_below!(in_one_piece::<W>(N), j < N, {
            for i in 0..N {
                sums[i + j] = sums[i + j].low(x[i], y[j]);
            }
            columns_below!(in_one_piece::<W>(N), i < N, {
                let k = i + j;
                if N / 2 <= k && k < N / 2 + N - 2 {
                    apart[k - N / 2] = apart[k - N / 2].high(x[i], y[j]);
                } else {
                    sums[k + 1] = sums[k + 1].high(x[i], y[j]);
                }
            });
        });
    }
    for k in 0..N - 2 {
        let column = N / 2 + 1 + k;
        sums[column] = sums[column].add(apart[k]);
    }
    sums
}

/// The columns of `x^2`.
#[inline(always)]
pub(super) fn square<W: Word, const N: usize, const D: usize>(x: &[W; N]) -> [W; D] {
    let x = factors(x);
    let mut columns: [W; D] = zero();
    columns_below!(in_one_piece::<W>(N), k < D - 1, {
        let mut lows = before_halves::<W, N>(columns[k], k, 2).begin_lows();
        for i in 0..N {
            if 2 * i < k && k - i < N {
                lows = plus_low::<W, N>(lows, x[i], x[k - i]);
                columns[k + 1] = plus_high::<W, N>(columns[k + 1], x[i], x[k - i]);
            }
        }
        columns[k] = columns[k].end_lows(lows);
    });
    for column in &mut columns[1..D - 1] {
        *column = column.add(*column);
    }
    for i in 0..N {
        columns[2 * i] = columns[2 * i].low(x[i], x[i]);
        columns[2 * i + 1] = columns[2 * i + 1].high(x[i], x[i]);
    }
    columns
}

/// The upper half of the columns after the lower ones vanished by adding q P, for any P of N limbs and its `-P^-1` modulo
/// `2^BITS`: Montgomery's reduction. Requires words whose high halves are rounded down.
#[inline(always)]
pub(super) fn reduce_in_rows<W: Word, const N: usize, const D: usize>(
    mut columns: [W; D],
    p: &[u64; N],
    negative_inverse: u64,
) -> [W; N] {
    const { assert!(!W::NEAREST) };
    let inverse = W::splat(negative_inverse).factor();
    let mut limbs = [inverse; N];
    for (limb, &p) in limbs.iter_mut().zip(p) {
        *limb = W::splat(p).factor();
    }
    columns_below!(in_one_piece::<W>(N), j < N, {
        let digit = W::splat(0).low(columns[j].limb_as_factor().factor(), inverse);
        let q = digit.limb_as_factor().factor();
        // The lowest column vanishes: what exceeds it is all that is needed of its low half.
        let carry = columns[j].add(W::splat((1 << W::BITS) - 1)).carry();
        let next = columns[j + 1].low(q, limbs[1]);
        columns[j + 1] = next.add(carry.high(q, limbs[0]));
        for i in 2..N {
            columns[i + j] = columns[i + j].low(q, limbs[i]);
        }
        for i in 1..N {
            columns[i + j + 1] = columns[i + j + 1].high(q, limbs[i]);
        }
    });
    let mut upper = [columns[N]; N];
    upper.copy_from_slice(&columns[N..]);
    upper
}

/// Limbs of `BITS` bits, but for the highest, which takes what is above.
#[inline(always)]
pub(super) fn propagate<W: Word, const N: usize>(columns: [W; N]) -> [W; N] {
    cut(propagate_uncut(columns))
}

/// The same as factors only: where limbs are factors as they are, bits that were carried stay above, until they are [cut].
#[inline(always)]
pub(super) fn propagate_uncut<W: Word, const N: usize>(mut columns: [W; N]) -> [W; N] {
    for k in 0..N - 1 {
        columns[k + 1] = columns[k + 1].add(columns[k].carry());
        columns[k] = columns[k].limb_as_factor();
    }
    columns
}

/// The limbs that [uncut](propagate_uncut) ones are as factors.
#[inline(always)]
pub(super) fn cut<W: Word, const N: usize>(mut limbs: [W; N]) -> [W; N] {
    if W::FREE_FACTORS {
        for limb in &mut limbs[..N - 1] {
            *limb = limb.limb();
        }
    }
    limbs
}

/// Limbs as [`propagate`] gives them, of columns from 0 on.
#[inline(always)]
pub(super) fn propagate_positive<W: Word, const N: usize>(mut columns: [W; N]) -> [W; N] {
    for k in 0..N - 1 {
        columns[k + 1] = columns[k + 1].add(columns[k].carry_positive());
        columns[k] = columns[k].limb();
    }
    columns
}

/// `2^exponent` in each column, plus a `rest` that makes a multiple of P of it.
pub(super) const fn in_each_column<const D: usize>(exponent: u32, rest: [u64; 5]) -> [u64; D] {
    let mut columns = [1 << exponent; D];
    let mut k = 0;
    while k < 5 {
        columns[k] += rest[k];
        k += 1;
    }
    columns
}

/// A multiple of P, `value` in limbs, with the carry out of the last column but one from 0 on, when it is added to columns
/// that are above `-2^61`: `2^61 / 2^bits` units of the highest column are in the one below.
pub(super) const fn with_high_carry<const N: usize>(mut value: [u64; N], bits: u32) -> [u64; N] {
    value[N - 1] = value[N - 1].wrapping_sub(1 << (61 - bits));
    value[N - 2] = value[N - 2].wrapping_add(1 << 61);
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

/// `factor columns`, for a factor below 64.
#[inline(always)]
pub(super) fn scale<W: Word, const N: usize>(mut columns: [W; N], factor: u32) -> [W; N] {
    for column in &mut columns {
        *column = scale_word(*column, factor);
    }
    columns
}

/// `factor x`, by the bits of a factor below 64.
#[inline(always)]
pub(super) fn scale_word<W: Word>(x: W, factor: u32) -> W {
    let mut sum = W::splat(0);
    if factor & 1 != 0 {
        sum = x;
    }
    if factor & 2 != 0 {
        sum = sum.add(x.shift_left::<1>());
    }
    if factor & 4 != 0 {
        sum = sum.add(x.shift_left::<2>());
    }
    if factor & 8 != 0 {
        sum = sum.add(x.shift_left::<3>());
    }
    if factor & 16 != 0 {
        sum = sum.add(x.shift_left::<4>());
    }
    if factor & 32 != 0 {
        sum = sum.add(x.shift_left::<5>());
    }
    sum
}

/// The digits of `2^SHIFT number` from carried columns: those of N columns, of which the highest may be longer, in one more.
/// Requires columns from 0 on, and `SHIFT + REST` bits a limb.
#[inline(always)]
pub(super) fn shifted<
    W: Word,
    const SHIFT: u32,
    const REST: u32,
    const N: usize,
    const M: usize,
>(
    columns: &[W; N],
) -> [W; M] {
    const { assert!(M == N + 1) };
    let mut digits: [W; M] = zero();
    for k in 0..N {
        let low = columns[k].lowest::<REST>().shift_left::<SHIFT>();
        digits[k] = if k == 0 { low } else { digits[k].add(low) };
        digits[k + 1] = columns[k].shift_right::<REST>();
    }
    digits
}
