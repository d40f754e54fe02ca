//! The prime of P-256.

use crate::words::primes::{
    bound::Bound,
    prime::{LIMBS, Limbs, Nine, Prime, add_to_nine, square_in_nine, wide},
};

/// `2^256 - 2^224 + 2^192 + 2^96 - 1`, with limbs of 52 bits and the Montgomery factor `2^260`.
pub(in crate::words) struct P256;

const MASK: u64 = (1 << 52) - 1;
const TOP_MASK: u64 = (1 << 48) - 1;

impl Prime for P256 {
    const BITS: u32 = 52;

    const P: Limbs = [MASK, (1 << 44) - 1, 0, 1 << 36, (1 << 48) - (1 << 16)];

    const FACTOR_BITS: u32 = 260;

    const FACTOR_SQUARED: Limbs = [
        0x0300,
        0x000f_ffff_fff0_0000,
        0x000f_fffe_ffff_fffb,
        0x000f_dfff_ffff_ffff,
        0x04ff_ffff,
    ];

    /// Little less than 2 P, as are products of numbers below 4 P.
    const TIGHT: Bound = Bound {
        limb: MASK,
        top: (1 << 49) - (1 << 18),
    };

    type Columns = Nine;

    const NO_COLUMNS: Nine = [0; 2 * LIMBS - 1];

    #[inline(always)]
    fn add_product(columns: &mut Nine, x: &Limbs, y: &Limbs) {
        add_to_nine(columns, x, y);
    }

    #[inline(always)]
    fn square(x: &Limbs) -> Nine {
        square_in_nine(x)
    }

    /// `P + 1 = 2^52 2^44 + 2^156 2^36 + 2^208 (2^48 - 2^16)`: the lowest limb q of a column vanishes with `q P`. Columns are
    /// below `5 2^108 + 2^102`, so that carries are words.
    #[inline(always)]
    fn reduce(mut columns: Nine) -> Limbs {
        for k in 0..LIMBS {
            let q = columns[k] as u64 & MASK;
            columns[k + 1] += u128::from((columns[k] >> 52) as u64) + (u128::from(q) << 44);
            columns[k + 3] += u128::from(q) << 36;
            columns[k + 4] += wide(q, (1 << 48) - (1 << 16));
        }
        let [.., c5, c6, c7, c8] = columns;
        let limb = |column: u128| column as u64 & MASK;
        let c6 = c6 + u128::from((c5 >> 52) as u64);
        let c7 = c7 + u128::from((c6 >> 52) as u64);
        let c8 = c8 + u128::from((c7 >> 52) as u64);
        [limb(c5), limb(c6), limb(c7), limb(c8), (c8 >> 52) as u64]
    }

    /// The value is at most `value 2^416 / 2^260 + P`.
    #[inline(always)]
    fn reduced(value: u128) -> Bound {
        Bound {
            limb: MASK,
            top: (value >> 52) as u64 + TOP_MASK,
        }
    }

    /// The bits from `2^256` on count as `2^224 - 2^192 - 2^96 + 1` each. Carries have signs, but the number has not: nor has
    /// the highest limb.
    #[inline(always)]
    fn carry([l0, l1, l2, l3, l4]: Limbs) -> Limbs {
        let above = l4 >> 48;
        let carry = |limb: u64| (limb.cast_signed() >> 52).cast_unsigned();
        let l0 = l0 + above;
        let l1 = l1.wrapping_add(carry(l0)).wrapping_sub(above << 44);
        let l2 = l2.wrapping_add(carry(l1));
        let l3 = l3.wrapping_add(carry(l2)).wrapping_sub(above << 36);
        let l4 = (l4 & TOP_MASK) + (above << 16);
        let l4 = l4.wrapping_add(carry(l3));
        [l0 & MASK, l1 & MASK, l2 & MASK, l3 & MASK, l4]
    }
}
