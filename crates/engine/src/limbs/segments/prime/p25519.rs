//! `2^255 - 19`.

use super::{Prime, fold, propagate_lifted};
use crate::limbs::segments::{
    columns::{add_constants, scale_word, with_high_carry},
    word::{Lift, Word},
};

/// `2^255 - 19`: `2^260 = 608` or, in limbs of 51 bits, `2^255 = 19`, without a Montgomery factor.
pub(in crate::limbs) struct P25519;

impl P25519 {
    /// `2^exponent P` in limbs of 51 bits.
    const fn power_times_p(exponent: u32) -> [u64; 5] {
        const LIMB: u64 = 1 << 51;
        let limb = (LIMB - 1) << exponent;
        [(LIMB - 19) << exponent, limb, limb, limb, limb]
    }
}

impl Lift<10> for P25519 {
    /// In the lower columns, to which the upper ones are added, times 19.
    const PRODUCT_LIFT: Option<[u64; 10]> = {
        let [c0, c1, c2, c3, c4] = Self::power_times_p(9);
        Some([c0, c1, c2, c3, c4, 0, 0, 0, 0, 0])
    };
}

impl Prime<5, 10> for P25519 {
    const SIGNED: bool = false;
    /// The number of products that the lift covers: the low halves of eight are above `-8 5 2^50`, and count at most 20 times
    /// after the reduction.
    const AT_ONCE: usize = 8;

    #[inline(always)]
    fn multiply<W: Word>(x: &[W; 5], y: &[W; 5]) -> [W; 5] {
        match W::multiply_25519(x, y) {
            Some(product) => product,
            None => Self::reduce(Self::product(x, y)),
        }
    }

    #[inline(always)]
    fn multiply_by_itself<W: Word>(x: &[W; 5]) -> [W; 5] {
        match W::square_25519(x) {
            Some(square) => square,
            None => Self::reduce(Self::square(x)),
        }
    }

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
        propagate_lifted(columns)
    }

    /// `2^14 P` in limbs of 52 bits, and `2^10 P` in limbs of 51; all of its columns are large where carries are unsigned.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const fn multiple(bits: u32) -> [u64; 5] {
            // The power of two that makes the highest column 2^61.
            let power = 61 - (255 - 4 * bits);
            with_high_carry([(19u64 << power).wrapping_neg(), 0, 0, 0, 1 << 61], bits)
        }
        if W::NEAREST {
            add_constants(columns, const { Self::power_times_p(10) })
        } else if W::BITS == 51 {
            add_constants(columns, const { multiple(51) })
        } else {
            add_constants(columns, const { multiple(52) })
        }
    }

    #[inline(always)]
    fn multiply_small<W: Word>(x: [W; 5], factor: u32) -> [W; 5] {
        let factor = W::splat(factor.into()).factor();
        let mut sums: [W; 5] = [W::splat(0); 5];
        if W::NEAREST {
            sums = add_constants(sums, const { Self::power_times_p(9) });
        }
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
