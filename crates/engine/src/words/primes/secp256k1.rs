//! The prime of secp256k1.

#[cfg(target_arch = "x86_64")]
use crate::words::primes::prime::PseudoMersenne;
use crate::words::primes::{
    bound::Bound,
    prime::{LIMBS, Limbs, Nine, Prime, add_to_nine, square_in_nine, wide},
};

/// `2^256 - 2^32 - 977`, with limbs of 52 bits and without a Montgomery factor: `2^256` counts as `2^32 + 977`.
pub(in crate::words) struct Secp256k1;

const MASK: u64 = (1 << 52) - 1;
const TOP_MASK: u64 = (1 << 48) - 1;

/// The number that `2^256` counts as.
const REST: u64 = (1 << 32) + 977;

impl Prime for Secp256k1 {
    const BITS: u32 = 52;

    const P: Limbs = [MASK - REST + 1, MASK, MASK, MASK, TOP_MASK];

    const FACTOR_BITS: u32 = 0;

    const FACTOR_SQUARED: Limbs = [1, 0, 0, 0, 0];

    /// After a carry, what came from limbs of `2^62`.
    const TIGHT: Bound = Bound {
        limb: MASK + (REST << 14),
        top: TOP_MASK + (1 << 10),
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

    /// Columns are below `5 2^108 < 2^111`. The upper ones become limbs, which count as `2^4 REST < 2^37` each, five columns
    /// below; carries stay below a word, and the last one, from `2^256` on, times REST below `2^96`.
    #[inline(always)]
    fn reduce(columns: Nine) -> Limbs {
        const FOLDED: u64 = REST << 4;
        let [c0, c1, c2, c3, c4, c5, c6, c7, c8] = columns;
        let carry = |column: u128| u128::from((column >> 52) as u64);
        let limb = |column: u128| column as u64 & MASK;
        let c6 = c6 + carry(c5);
        let c7 = c7 + carry(c6);
        let c8 = c8 + carry(c7);
        let c0 = c0 + wide(limb(c5), FOLDED);
        let c1 = c1 + wide(limb(c6), FOLDED) + carry(c0);
        let c2 = c2 + wide(limb(c7), FOLDED) + carry(c1);
        let c3 = c3 + wide(limb(c8), FOLDED) + carry(c2);
        let c4 = c4 + wide((c8 >> 52) as u64, FOLDED) + carry(c3);
        let l0 = u128::from(limb(c0)) + wide((c4 >> 48) as u64, REST);
        [
            limb(l0),
            limb(c1) + (l0 >> 52) as u64,
            limb(c2),
            limb(c3),
            c4 as u64 & TOP_MASK,
        ]
    }

    #[inline(always)]
    fn reduced(_: u128) -> Bound {
        Bound {
            limb: MASK + (1 << 45),
            top: TOP_MASK,
        }
    }

    #[inline(always)]
    fn carry([l0, l1, l2, l3, l4]: Limbs) -> Limbs {
        [
            (l0 & MASK) + REST * (l4 >> 48),
            (l1 & MASK) + (l0 >> 52),
            (l2 & MASK) + (l1 >> 52),
            (l3 & MASK) + (l2 >> 52),
            (l4 & TOP_MASK) + (l3 >> 52),
        ]
    }
}

#[cfg(target_arch = "x86_64")]
impl PseudoMersenne for Secp256k1 {
    const REST: u64 = REST;
}
