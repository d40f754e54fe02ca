//! The prime of secp256k1.

use super::{Prime, fold};
use crate::limbs::segments::{
    columns::{add_constants, propagate, with_high_carry},
    word::Word,
};

/// The prime of secp256k1, `2^256 - c`: `2^260 = 16 c`, without a Montgomery factor.
pub(in crate::limbs) struct Secp256k1;

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
