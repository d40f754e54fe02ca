//! Products of numbers of four words, in registers.

use crypto_bigint::Word;

use crate::words::carries::subtract_if_above;

/// Number of words of numbers whose products stay in registers: those of curves of 256 bits.
pub(super) const SHORT: usize = 4;

/// `x y F^-1 mod P` for short numbers: a row of the product and one of the reduction in turns (the same, CIOS). Requires x
/// or y below P. Ensures a result below P.
#[inline]
pub(super) fn montgomery_short(
    x: &[Word; SHORT],
    y: &[Word; SHORT],
    p: &[Word; SHORT],
    negative_inverse: Word,
) -> [Word; SHORT] {
    // Below 2 P after each turn.
    let (mut t, mut above) = ([0; SHORT], 0);
    for &x in x {
        let mut carry = 0;
        for k in 0..SHORT {
            (t[k], carry) = x.carrying_mul_add(y[k], t[k], carry);
        }
        let (top, over) = carry.overflowing_add(above);
        let q = t[0].wrapping_mul(negative_inverse);
        (_, carry) = q.carrying_mul_add(p[0], t[0], 0);
        for k in 1..SHORT {
            (t[k - 1], carry) = q.carrying_mul_add(p[k], t[k], carry);
        }
        let (top, over_again) = top.overflowing_add(carry);
        t[SHORT - 1] = top;
        above = Word::from(over) + Word::from(over_again);
    }
    subtract_if_above(&mut t, p, above);
    t
}
