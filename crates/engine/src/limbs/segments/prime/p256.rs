//! The prime of P-256.

use super::{Prime, carry_lifted, propagate_lifted};
use crate::limbs::segments::{
    columns::{add_constants, in_each_column, with_high_carry},
    word::{Lift, Word},
};

/// The prime of P-256, `2^256 - 2^224 + 2^192 + 2^96 - 1`, with the Montgomery factor `2^260`.
pub(in crate::limbs) struct P256;

impl Lift<10> for P256 {
    /// The lift is larger than the columns of a product: its negative is lifted by twice as much.
    const PRODUCT_LIFT: Option<[u64; 10]> = Some(in_each_column(
        56,
        [
            0xf_f100_cf10,
            0xf_000f_f100_ff00,
            0xf_000f_e00f_fe30,
            0x2_0eff_e00f_fdf0,
            0xaf10_0cf0,
        ],
    ));
}

impl Prime<5, 10> for P256 {
    const SIGNED: bool = true;
    const CARRY_SUBTRACTS: bool = true;

    /// The number of products that the lift, `2^56`, covers: the low halves of four are above `-4 5 2^51`.
    const AT_ONCE: usize = 4;

    /// `P + 1 = 2^96 + 2^192 + (2^48 - 2^16) 2^208`: the digit q that makes a column vanish is its rest, and `q (P + 1) -
    /// q` is added.
    #[inline(always)]
    fn reduce<W: Word>(mut columns: [W; 10]) -> [W; 5] {
        let c = W::splat((1 << 48) - (1 << 16)).factor();
        for j in 0..5 {
            let q = columns[j].limb_as_factor();
            let carry = carry_lifted(columns[j]);
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

    /// The bits from `2^256` on, fewer than `2^15`, count as `2^256 - P = 2^224 - 2^192 - 2^96 + 1` each: as that and the rest
    /// are from 0 on, so is the highest limb of their sum. Intervals cannot follow this, and are asked about the rest before.
    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 5]) -> [W; 5] {
        let above = columns[4].shift_right::<48>();
        columns[4] = columns[4].lowest::<48>();
        let rest: [W; 5] = propagate_lifted(columns);
        rest[4].assert_from_zero();
        columns[0] = columns[0].add(above);
        columns[1] = columns[1].sub(above.shift_left::<44>());
        columns[3] = columns[3].sub(above.shift_left::<36>());
        columns[4] = columns[4].add(above.shift_left::<16>());
        let mut number: [W; 5] = propagate_lifted(columns);
        number[4] = number[4].known_at_most((1 << 49) - 1);
        number
    }

    /// `2^8 P`; where carries are unsigned, a multiple whose columns are all large.
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
        const LARGE: [u64; 5] = in_each_column(
            61,
            [
                0xf_ffff_ffff_dfff,
                0xfff_ffff_fdff,
                0xf_ffff_ffff_fe20,
                0x2_000f_ffff_fdff,
                0xffff_dffe_fe00,
            ],
        );
        add_constants(columns, if W::NEAREST { LARGE } else { MULTIPLE })
    }
}
