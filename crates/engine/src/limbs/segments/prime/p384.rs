//! The prime of P-384.

use super::Prime;
use crate::limbs::segments::{
    columns::{add_constants, propagate, shifted, with_high_carry},
    word::{Lift, Word},
};

/// The prime of P-384, `2^384 - 2^128 - 2^96 + 2^32 - 1`, in limbs of 48 bits: `2^384 = 2^128 + 2^96 - 2^32 + 1`, without a
/// Montgomery factor.
pub(in crate::limbs) struct P384;

impl P384 {
    /// `2^392 P` in columns, which exceeds the negative terms of sums of products.
    const ABOVE_NEGATIVE: [u64; 16] = {
        let mut columns = [0; 16];
        columns[8] = (1 << 40) - (1 << 8);
        columns[10] = 0u64.wrapping_sub((1 << 40) + (1 << 8));
        columns[15] = 1 << 56;
        columns
    };
}

impl Lift<16> for P384 {}

impl Prime<8, 16> for P384 {
    const SIGNED: bool = true;

    /// Columns from number 8 on, U, count as `U - 2^32 U` from number 0 on and as `U + 2^32 U` from number 2 on. What
    /// exceeds column 7 then counts so once more.
    #[inline(always)]
    fn reduce<W: Word>(columns: [W; 16]) -> [W; 8] {
        let columns = add_constants(columns, Self::ABOVE_NEGATIVE);
        let [c0, c1, c2, c3, c4, c5, c6, c7, upper @ ..] = columns;
        let mut sums = [c0, c1, c2, c3, c4, c5, c6, c7];
        let upper: [W; 8] = propagate(upper);
        let higher: [W; 9] = shifted::<W, 32, 16, 8, 9>(&upper);
        for k in 0..8 {
            sums[k] = sums[k].add(upper[k]).sub(higher[k]);
        }
        for k in 0..6 {
            sums[k + 2] = sums[k + 2].add(upper[k].add(higher[k]));
        }
        // Columns 8, 9 and 10. The first borrows 2^48, because it must not be negative; the second is above 2^55.
        let above = [
            upper[6]
                .add(higher[6])
                .sub(higher[8])
                .add(W::splat(1 << 48)),
            upper[7].add(higher[7]).sub(W::splat(1)),
            higher[8],
        ];
        let higher: [W; 4] = shifted::<W, 32, 16, 3, 4>(&above);
        for k in 0..3 {
            sums[k] = sums[k].add(above[k]).sub(higher[k]);
            sums[k + 2] = sums[k + 2].add(above[k].add(higher[k]));
        }
        sums[3] = sums[3].sub(higher[3]);
        sums[5] = sums[5].add(higher[3]);
        sums
    }

    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 8]) -> [W; 8] {
        let above = columns[7].shift_right::<48>();
        columns[7] = columns[7].lowest::<48>();
        let higher = above.shift_left::<32>();
        columns[0] = columns[0].add(above).sub(higher);
        columns[2] = columns[2].add(above).add(higher);
        propagate(columns)
    }

    /// `2^13 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 8]) -> [W; 8] {
        const MULTIPLE: [u64; 8] = {
            let lowest = ((1 << 32) - 1) << 13;
            let third = 0u64.wrapping_sub(((1 << 32) + 1) << 13);
            with_high_carry([lowest, 0, third, 0, 0, 0, 0, 1 << 61], 48)
        };
        add_constants(columns, MULTIPLE)
    }
}
