//! Reductions modulo the primes that segments are compiled for.

use super::{
    columns::{add_constants, propagate, scale, scale_word, with_high_carry},
    word::Word,
};

/// A prime P of N limbs with a reduction of its own. Tight numbers have limbs of `BITS` bits, the highest of at most 52,
/// and are from 0 to little more than `2^bits`, for the length `bits` of P; loose ones are N columns of absolute values
/// below `2^63`, the sum of which is the number.
pub(in crate::limbs) trait Prime<const N: usize, const D: usize> {
    /// Whether [`reduce`](Self::reduce) takes negative columns, if high halves are rounded down. It always does if they are
    /// rounded to nearest.
    const SIGNED: bool;

    /// The loose number that is these columns modulo P, times the inverse of the Montgomery factor if there is one.
    fn reduce<W: Word>(columns: [W; D]) -> [W; N];

    /// The tight number that is a loose one modulo P. Requires a highest column from 0 on, and a carry into it from 0 on;
    /// if high halves are rounded to nearest, a [lifted](Self::lift) number.
    fn carry<W: Word>(columns: [W; N]) -> [W; N];

    /// Columns plus a multiple of P, so that they are as [`carry`](Self::carry) requires, whatever the signs of sums of a
    /// few products.
    fn lift<W: Word>(columns: [W; N]) -> [W; N];

    /// The loose number that is `factor x` modulo P, for a tight x.
    #[inline(always)]
    fn multiply_small<W: Word>(x: [W; N], factor: u32) -> [W; N] {
        scale(x, factor)
    }
}

/// `2^255 - 19`: `2^260 = 608` or, in limbs of 51 bits, `2^255 = 19`, without a Montgomery factor.
pub(in crate::limbs) struct P25519;

/// The prime of secp256k1, `2^256 - c`: `2^260 = 16 c`, without a Montgomery factor.
pub(in crate::limbs) struct Secp256k1;

/// The prime of P-256, `2^256 - 2^224 + 2^192 + 2^96 - 1`, with the Montgomery factor `2^260`.
pub(in crate::limbs) struct P256;

/// Folds ten columns by `2^260 = FACTOR`, a multiple of 16 below `2^38`, where limbs are factors as they are. Requires a highest
/// column below `2^52`.
///
/// A column `s 2^(52 (5 + k))` counts as `s FACTOR` in column k: the low 52 bits of s by both halves of their product,
/// the bits above by the low half in the next column.
#[inline(always)]
fn fold<W: Word>(mut columns: [W; 10], factor: u64) -> [W; 5] {
    let c = W::splat(factor).factor();
    // The part of column 9 that would count in column 10 goes to column 5.
    let highest = columns[9].factor();
    columns[5] = columns[5].high(highest, c);
    let [c0, c1, c2, c3, c4, ..] = columns;
    let mut sums = [c0, c1, c2, c3, c4];
    sums[0] = sums[0].low(columns[5].limb().factor(), c);
    for k in 1..5 {
        let below = columns[k + 4];
        sums[k] = sums[k].low(columns[k + 5].limb().factor(), c);
        sums[k] = sums[k].high(below.limb().factor(), c);
        sums[k] = sums[k].plus_product(below.shift_right::<52>(), factor);
    }
    sums
}

/// The same modulo secp256k1's prime where limbs become factors: the upper columns are carried first. They may be negative.
#[inline(always)]
fn fold_carried<W: Word>(columns: [W; 10], factor: u64) -> [W; 5] {
    // The highest column plus 2^50, lest it be negative: 2^50 2^468 counts as 2^258 FACTOR, as 2^260 FACTOR / 4, and as
    // FACTOR^2 / 4.
    let [c0, c1, c2, c3, c4, upper @ ..] = columns;
    let mut upper: [W; 5] = propagate(upper);
    upper[4] = upper[4].add(W::splat(1 << 50));
    let offset = (factor as u128).pow(2) / 4;
    let mut sums = [c0, c1, c2, c3, c4];
    sums[0] = sums[0].sub(W::splat((offset % (1 << 52)) as u64));
    sums[1] = sums[1].sub(W::splat((offset >> 52) as u64));
    let c = W::splat(factor).factor();
    for k in 0..5 {
        let limb = upper[k].factor();
        sums[k] = sums[k].low(limb, c);
        if k < 4 {
            sums[k + 1] = sums[k + 1].high(limb, c);
        } else {
            // The part that would count in column 5.
            let above = W::splat(0).high(limb, c).factor();
            sums[0] = sums[0].low(above, c);
            sums[1] = sums[1].high(above, c);
        }
    }
    sums
}

impl Prime<5, 10> for P25519 {
    const SIGNED: bool = false;

    #[inline(always)]
    fn reduce<W: Word>(columns: [W; 10]) -> [W; 5] {
        if W::BITS == 51 {
            let [c0, c1, c2, c3, c4, upper @ ..] = columns;
            let mut sums = [c0, c1, c2, c3, c4];
            for k in 0..5 {
                sums[k] = sums[k].add(scale_word(upper[k], 19));
            }
            sums
        } else {
            fold(columns, 608)
        }
    }

    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 5]) -> [W; 5] {
        let above;
        if W::BITS == 51 {
            above = columns[4].shift_right::<51>();
            columns[4] = columns[4].lowest::<51>();
        } else {
            above = columns[4].shift_right::<47>();
            columns[4] = columns[4].lowest::<47>();
        }
        columns[0] = columns[0].plus_product(above, 19);
        propagate(columns)
    }

    /// `2^14 P` in limbs of 52 bits, and `2^10 P` in limbs of 51.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const fn multiple(bits: u32) -> [u64; 5] {
            // The power of two that makes the highest column 2^61.
            let power = 61 - (255 - 4 * bits);
            with_high_carry([(19u64 << power).wrapping_neg(), 0, 0, 0, 1 << 61], bits)
        }
        if W::BITS == 51 {
            add_constants(columns, const { multiple(51) })
        } else {
            add_constants(columns, const { multiple(52) })
        }
    }

    #[inline(always)]
    fn multiply_small<W: Word>(x: [W; 5], factor: u32) -> [W; 5] {
        let factor = W::splat(factor.into()).factor();
        let mut sums: [W; 5] = [W::splat(0); 5];
        for k in 0..5 {
            let limb = x[k].factor();
            sums[k] = sums[k].low(limb, factor);
            if k < 4 {
                sums[k + 1] = sums[k + 1].high(limb, factor);
            } else {
                let above = W::splat(0).high(limb, factor);
                let multiple = scale_word(above, 19);
                sums[0] = sums[0].add(if W::BITS == 51 {
                    multiple
                } else {
                    multiple.shift_left::<5>()
                });
            }
        }
        sums
    }
}

impl Secp256k1 {
    /// c.
    const OFFSET: u64 = (1 << 32) + 977;
}

impl Prime<5, 10> for Secp256k1 {
    const SIGNED: bool = false;

    #[inline(always)]
    fn reduce<W: Word>(columns: [W; 10]) -> [W; 5] {
        if W::FREE_FACTORS {
            fold(columns, 16 * Self::OFFSET)
        } else {
            fold_carried(columns, 16 * Self::OFFSET)
        }
    }

    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 5]) -> [W; 5] {
        let above = columns[4].shift_right::<48>();
        columns[4] = columns[4].lowest::<48>();
        columns[0] = columns[0].plus_product(above, Self::OFFSET);
        propagate(columns)
    }

    /// `2^13 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const MULTIPLE: [u64; 5] = {
            let lowest = (Secp256k1::OFFSET << 13).wrapping_neg();
            with_high_carry([lowest, 0, 0, 0, 1 << 61], 52)
        };
        add_constants(columns, MULTIPLE)
    }
}

impl P256 {
    /// `2^256 - P` in limbs.
    const COMPLEMENT: [u64; 5] = [
        1,
        0xf_f000_0000_0000,
        0xf_ffff_ffff_ffff,
        0xf_ffef_ffff_ffff,
        0xffff,
    ];
}

impl Prime<5, 10> for P256 {
    const SIGNED: bool = true;

    /// `P + 1 = 2^96 + 2^192 + (2^48 - 2^16) 2^208`: the digit q that makes a column vanish is its rest, and `q (P + 1) -
    /// q` is added.
    #[inline(always)]
    fn reduce<W: Word>(mut columns: [W; 10]) -> [W; 5] {
        let c = W::splat((1 << 48) - (1 << 16)).factor();
        for j in 0..5 {
            let q = columns[j].limb();
            let carry = columns[j].carry();
            columns[j + 1] = columns[j + 1].add(carry);
            let sums = [columns[j + 1], columns[j + 2]];
            [columns[j + 1], columns[j + 2]] = W::plus_power::<44, 8>(sums, q);
            let sums = [columns[j + 3], columns[j + 4]];
            [columns[j + 3], columns[j + 4]] = W::plus_power::<36, 16>(sums, q);
            let q = q.factor();
            columns[j + 4] = columns[j + 4].low(q, c);
            columns[j + 5] = columns[j + 5].high(q, c);
        }
        let [.., c5, c6, c7, c8, c9] = columns;
        [c5, c6, c7, c8, c9]
    }

    /// The bits from `2^256` on count as `2^256 - P = 2^224 - 2^192 - 2^96 + 1` each. If lifted numbers are carried, there
    /// are such bits, and `2^224` exceeds the borrow.
    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 5]) -> [W; 5] {
        let above = columns[4].shift_right::<48>();
        columns[4] = columns[4].lowest::<48>();
        columns[0] = columns[0].add(above);
        if W::FREE_FACTORS {
            let [_, c1, c2, c3, c4] = Self::COMPLEMENT;
            let factor = above.factor();
            let (c1, c2) = (W::splat(c1).factor(), W::splat(c2).factor());
            let c3 = W::splat(c3).factor();
            columns[1] = columns[1].low(factor, c1);
            columns[2] = columns[2].low(factor, c2).high(factor, c1);
            columns[3] = columns[3].low(factor, c3).high(factor, c2);
            columns[4] = columns[4].plus_product(above, c4).high(factor, c3);
        } else {
            columns[1] = columns[1].sub(above.shift_left::<44>());
            columns[3] = columns[3].sub(above.shift_left::<36>());
            columns[4] = columns[4].add(above.shift_left::<16>());
        }
        propagate(columns)
    }

    /// `2^8 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const MULTIPLE: [u64; 5] = with_high_carry(
            [
                0xf_ffff_ffff_ffff << 8,
                0x0_0fff_ffff_ffff << 8,
                0,
                0x0_0010_0000_0000 << 8,
                0xffff_ffff_0000 << 8,
            ],
            52,
        );
        add_constants(columns, MULTIPLE)
    }
}
