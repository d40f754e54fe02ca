//! Reductions modulo the primes that segments are compiled for.

use super::{
    columns::{add_constants, propagate, scale, with_high_carry},
    word::Word,
};
use crate::limbs::plan::LIMB_BITS;

/// A prime P of N limbs with a reduction of its own. Tight numbers have limbs below `2^52`, and are from 0 to little more
/// than `2^bits`, for the length `bits` of P; loose ones are N columns of absolute values below `2^63`, the sum of which is
/// the number.
pub(in super::super) trait Prime<const N: usize, const D: usize> {
    /// Whether [`reduce`](Self::reduce) takes negative columns.
    const SIGNED: bool;

    /// The loose number that is these columns modulo P, times the inverse of the Montgomery factor if there is one.
    fn reduce<W: Word>(columns: [W; D]) -> [W; N];

    /// The tight number that is a loose one modulo P. Requires a highest column from 0 on, and a carry into it from 0 on.
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

/// `2^255 - 19`: `2^260 = 608`, without a Montgomery factor.
pub(in super::super) struct P25519;

/// The prime of secp256k1, `2^256 - c`: `2^260 = 16 c`, without a Montgomery factor.
pub(in super::super) struct Secp256k1;

/// The prime of P-256, `2^256 - 2^224 + 2^192 + 2^96 - 1`, with the Montgomery factor `2^260`.
pub(in super::super) struct P256;

/// Folds ten columns by `2^260 = factor`, which is below `2^38`. Requires a highest column below `2^52`.
///
/// A column `s 2^(52 (5 + k))` counts as `s factor` in column k: the low 52 bits of s by both halves of their product,
/// the bits above by the low half in the next column.
#[inline(always)]
fn fold<W: Word>(mut columns: [W; 10], factor: u64) -> [W; 5] {
    let c = W::splat(factor);
    // The part of column 9 that would count in column 10 goes to column 5.
    let highest = columns[9];
    columns[5] = columns[5].high(highest, c);
    let mut sums = [columns[0], columns[1], columns[2], columns[3], columns[4]];
    sums[0] = sums[0].low(columns[5], c);
    for k in 1..5 {
        let below = columns[k + 4];
        sums[k] = sums[k].low(columns[k + 5], c);
        sums[k] = sums[k].high(below, c);
        sums[k] = sums[k].plus_product(below.shift_right::<LIMB_BITS>(), c);
    }
    sums
}

impl Prime<5, 10> for P25519 {
    const SIGNED: bool = false;

    #[inline(always)]
    fn reduce<W: Word>(columns: [W; 10]) -> [W; 5] {
        fold(columns, 608)
    }

    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 5]) -> [W; 5] {
        let above = columns[4].shift_right::<47>();
        columns[4] = columns[4].lowest::<47>();
        columns[0] = columns[0].plus_product(above, W::splat(19));
        propagate(columns)
    }

    /// `2^14 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const MULTIPLE: [u64; 5] = {
            let lowest = (19u64 << 14).wrapping_neg();
            with_high_carry([lowest, 0, 0, 0, 1 << 61])
        };
        add_constants(columns, MULTIPLE)
    }

    #[inline(always)]
    fn multiply_small<W: Word>(x: [W; 5], factor: u32) -> [W; 5] {
        let factor = W::splat(factor.into());
        let zero = W::splat(0);
        let above = zero.high(x[4], factor);
        let mut sums = [zero; 5];
        sums[0] = zero.plus_product(above, W::splat(608)).low(x[0], factor);
        for k in 1..5 {
            sums[k] = zero.low(x[k], factor).high(x[k - 1], factor);
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
        fold(columns, 16 * Self::OFFSET)
    }

    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 5]) -> [W; 5] {
        let above = columns[4].shift_right::<48>();
        columns[4] = columns[4].lowest::<48>();
        columns[0] = columns[0].plus_product(above, W::splat(Self::OFFSET));
        propagate(columns)
    }

    /// `2^13 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const MULTIPLE: [u64; 5] = {
            let lowest = (Secp256k1::OFFSET << 13).wrapping_neg();
            with_high_carry([lowest, 0, 0, 0, 1 << 61])
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
        let parts = [1 << 44, 1 << 36, (1 << 48) - (1 << 16)].map(W::splat);
        for j in 0..5 {
            let q = columns[j].lowest::<LIMB_BITS>();
            let carry = columns[j].carry();
            columns[j + 1] = columns[j + 1].add(carry).low(q, parts[0]);
            columns[j + 2] = columns[j + 2].high(q, parts[0]);
            columns[j + 3] = columns[j + 3].low(q, parts[1]);
            columns[j + 4] = columns[j + 4].high(q, parts[1]).low(q, parts[2]);
            columns[j + 5] = columns[j + 5].high(q, parts[2]);
        }
        [columns[5], columns[6], columns[7], columns[8], columns[9]]
    }

    /// The bits from `2^256` on count as `2^256 - P` each.
    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 5]) -> [W; 5] {
        let above = columns[4].shift_right::<48>();
        columns[4] = columns[4].lowest::<48>();
        let [_, c1, c2, c3, c4] = Self::COMPLEMENT.map(W::splat);
        columns[0] = columns[0].add(above);
        columns[1] = columns[1].low(above, c1);
        columns[2] = columns[2].low(above, c2).high(above, c1);
        columns[3] = columns[3].low(above, c3).high(above, c2);
        columns[4] = columns[4].plus_product(above, c4).high(above, c3);
        propagate(columns)
    }

    /// `2^8 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const MULTIPLE: [u64; 5] = with_high_carry([
            0xf_ffff_ffff_ffff << 8,
            0x0_0fff_ffff_ffff << 8,
            0,
            0x0_0010_0000_0000 << 8,
            0xffff_ffff_0000 << 8,
        ]);
        add_constants(columns, MULTIPLE)
    }
}
