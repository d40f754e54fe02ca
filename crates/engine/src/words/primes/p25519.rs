//! The prime of Curve25519.

#[cfg(target_arch = "x86_64")]
use crate::words::primes::prime::PseudoMersenne;
use crate::words::primes::{
    bound::Bound,
    prime::{LIMBS, Limbs, Prime, wide},
};

/// `2^255 - 19`, with limbs of 51 bits and without a Montgomery factor: `2^255` counts as 19.
pub(in crate::words) struct P25519;

const MASK: u64 = (1 << 51) - 1;

impl Prime for P25519 {
    const BITS: u32 = 51;

    const P: Limbs = [MASK - 18, MASK, MASK, MASK, MASK];

    const FACTOR_BITS: u32 = 0;

    const FACTOR_SQUARED: Limbs = [1, 0, 0, 0, 0];

    /// After a carry, what came from limbs of `2^62`.
    const TIGHT: Bound = Bound {
        limb: MASK + (19 << 11),
        top: MASK + (1 << 11),
    };

    type Columns = [u128; LIMBS];

    const NO_COLUMNS: Self::Columns = [0; LIMBS];

    #[inline(always)]
    fn add_product(columns: &mut Self::Columns, x: &Limbs, y: &Limbs) {
        let y19 = y.map(|limb| 19 * limb);
        for i in 0..LIMBS {
            for j in 0..LIMBS {
                columns[(i + j) % LIMBS] += if i + j < LIMBS {
                    wide(x[i], y[j])
                } else {
                    wide(x[i], y19[j])
                };
            }
        }
    }

    #[inline(always)]
    fn square(x: &Limbs) -> Self::Columns {
        let [x0, x1, x2, x3, x4] = *x;
        let (x3_19, x4_19) = (19 * x3, 19 * x4);
        [
            wide(x0, x0) + wide(2 * x1, x4_19) + wide(2 * x2, x3_19),
            wide(2 * x0, x1) + wide(2 * x2, x4_19) + wide(x3, x3_19),
            wide(2 * x0, x2) + wide(x1, x1) + wide(2 * x3, x4_19),
            wide(2 * x0, x3) + wide(2 * x1, x2) + wide(x4, x4_19),
            wide(2 * x0, x4) + wide(2 * x1, x3) + wide(x2, x2),
        ]
    }

    /// Columns are below `77 2^108 < 2^115`, and the highest one, which has no factor 19, below `5 2^108`: a carry is a word,
    /// and `19 2^60` times the highest one, too.
    #[inline(always)]
    fn reduce(columns: Self::Columns) -> Limbs {
        let [c0, c1, c2, c3, c4] = columns;
        let carry = |column: u128| u128::from((column >> 51) as u64);
        let limb = |column: u128| column as u64 & MASK;
        let c1 = c1 + carry(c0);
        let c2 = c2 + carry(c1);
        let c3 = c3 + carry(c2);
        let c4 = c4 + carry(c3);
        let l0 = limb(c0) + 19 * (c4 >> 51) as u64;
        [
            l0 & MASK,
            limb(c1) + (l0 >> 51),
            limb(c2),
            limb(c3),
            limb(c4),
        ]
    }

    #[inline(always)]
    fn reduced(_: u128) -> Bound {
        Bound {
            limb: MASK + (1 << 13),
            top: MASK,
        }
    }

    #[inline(always)]
    fn carry([l0, l1, l2, l3, l4]: Limbs) -> Limbs {
        [
            (l0 & MASK) + 19 * (l4 >> 51),
            (l1 & MASK) + (l0 >> 51),
            (l2 & MASK) + (l1 >> 51),
            (l3 & MASK) + (l2 >> 51),
            (l4 & MASK) + (l3 >> 51),
        ]
    }
}

/// `2^256 = 38` modulo the prime.
#[cfg(target_arch = "x86_64")]
impl PseudoMersenne for P25519 {
    const REST: u64 = 38;
}
