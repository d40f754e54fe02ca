//! The prime of secp256k1.

use super::{Prime, fold, propagate_lifted};
use crate::limbs::segments::{
    columns::{add_constants, in_each_column, with_high_carry},
    word::{Lift, Word},
};

/// The prime of secp256k1, `2^256 - c`: `2^260 = 16 c`, without a Montgomery factor.
pub(in crate::limbs) struct Secp256k1;

/// The same modulo secp256k1's prime where limbs become factors: the upper columns are carried first.
#[inline(always)]
fn fold_carried<W: Word>(columns: [W; 10], factor: u64) -> [W; 5] {
    let [c0, c1, c2, c3, c4, upper @ ..] = columns;
    let upper: [W; 5] = propagate_lifted(upper);
    let mut sums = [c0, c1, c2, c3, c4];
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

impl Secp256k1 {
    /// c.
    const OFFSET: u64 = (1 << 32) + 977;
}

impl Lift<10> for Secp256k1 {
    /// The highest column, which has no low half and is little more than `2^46`, must become a limb.
    const PRODUCT_LIFT: Option<[u64; 10]> = {
        let mut lift = in_each_column(
            56,
            [
                0xf_84de_ff13_211f,
                0xf_feff_fffb_2eef,
                0xf_feff_fffc_2eef,
                0xf_feff_fffc_2eef,
                0xfeff_fffc_2eef,
            ],
        );
        lift[9] = 1 << 48;
        Some(lift)
    };
}

impl Prime<5, 10> for Secp256k1 {
    const SIGNED: bool = false;

    /// The number of products that the lift, `2^56`, covers: the low halves of four are above `-4 5 2^51`.
    const AT_ONCE: usize = 4;

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
        propagate_lifted(columns)
    }

    /// `2^13 P`; where carries are unsigned, a multiple whose columns are all large.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 5]) -> [W; 5] {
        const MULTIPLE: [u64; 5] = {
            let lowest = (Secp256k1::OFFSET << 13).wrapping_neg();
            with_high_carry([lowest, 0, 0, 0, 1 << 61], 52)
        };
        const LARGE: [u64; 5] = in_each_column(
            61,
            [
                0xf_dffe_ff85_dc2f,
                0xf_ffff_ffff_fdff,
                0xf_ffff_ffff_fdff,
                0xf_ffff_ffff_fdff,
                0xffff_ffff_fdff,
            ],
        );
        add_constants(columns, if W::NEAREST { LARGE } else { MULTIPLE })
    }
}
