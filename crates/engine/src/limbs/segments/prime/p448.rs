//! The prime of Curve448.

use super::Prime;
use crate::limbs::segments::{
    columns::{add_constants, propagate, shifted, with_high_carry},
    word::{Lift, Word},
};

/// `2^448 - 2^224 - 1` in limbs of 50 bits: `2^450 = 2^226 + 4`, without a Montgomery factor.
pub(in crate::limbs) struct P448;

impl P448 {
    /// `2^456 P` in columns, which exceeds the negative terms of sums of products.
    const ABOVE_NEGATIVE: [u64; 18] = {
        let mut columns = [0; 18];
        columns[9] = 0u64.wrapping_sub(1 << 6);
        columns[13] = 0u64.wrapping_sub(1 << 30);
        columns[17] = 1 << 54;
        columns
    };

    /// Adds carried columns that count from number 9 on, U, as `4 U` from number 0 on and as `2^26 U` from number 4 on, of which
    /// it returns what exceeds column 8.
    #[inline(always)]
    fn fold<W: Word>(sums: &mut [W; 9], upper: &[W; 9]) -> [W; 5] {
        let higher: [W; 10] = shifted::<W, 26, 24, 9, 10>(upper);
        for k in 0..9 {
            sums[k] = sums[k].add(upper[k].shift_left::<2>());
        }
        for k in 0..5 {
            sums[k + 4] = sums[k + 4].add(higher[k]);
        }
        let [.., h5, h6, h7, h8, h9] = higher;
        [h5, h6, h7, h8, h9]
    }
}

impl Lift<18> for P448 {}

impl Prime<9, 18> for P448 {
    const SIGNED: bool = true;

    #[inline(always)]
    fn reduce<W: Word>(columns: [W; 18]) -> [W; 9] {
        let columns = add_constants(columns, Self::ABOVE_NEGATIVE);
        let [c0, c1, c2, c3, c4, c5, c6, c7, c8, upper @ ..] = columns;
        let mut sums = [c0, c1, c2, c3, c4, c5, c6, c7, c8];
        let above = Self::fold(&mut sums, &propagate(upper));
        let higher: [W; 6] = shifted::<W, 26, 24, 5, 6>(&above);
        for k in 0..5 {
            sums[k] = sums[k].add(above[k].shift_left::<2>());
            sums[k + 4] = sums[k + 4].add(higher[k]);
        }
        // Column 9, of a few bits.
        sums[0] = sums[0].add(higher[5].shift_left::<2>());
        sums[4] = sums[4].add(higher[5].shift_left::<26>());
        sums
    }

    /// `2^448 = 2^224 + 1`.
    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 9]) -> [W; 9] {
        let above = columns[8].shift_right::<48>();
        columns[8] = columns[8].lowest::<48>();
        columns[0] = columns[0].add(above);
        columns[4] = columns[4].add(above.shift_left::<24>());
        propagate(columns)
    }

    /// `2^13 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 9]) -> [W; 9] {
        const MULTIPLE: [u64; 9] = {
            let mut columns = [0; 9];
            columns[0] = 0u64.wrapping_sub(1 << 13);
            columns[4] = 0u64.wrapping_sub(1 << 37);
            columns[8] = 1 << 61;
            with_high_carry(columns, 50)
        };
        add_constants(columns, MULTIPLE)
    }

    #[inline(always)]
    fn multiply_small<W: Word>(x: [W; 9], factor: u32) -> [W; 9] {
        let factor = W::splat(factor.into()).factor();
        let mut sums: [W; 9] = [W::splat(0); 9];
        for k in 0..8 {
            let limb = x[k].factor();
            sums[k] = sums[k].low(limb, factor);
            sums[k + 1] = sums[k + 1].high(limb, factor);
        }
        let limb = x[8].factor();
        sums[8] = sums[8].low(limb, factor);
        // The part that would count in column 9.
        let above = W::splat(0).high(limb, factor);
        sums[0] = sums[0].add(above.shift_left::<2>());
        sums[4] = sums[4].add(above.shift_left::<26>());
        sums
    }
}
