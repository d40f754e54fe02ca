//! Reductions modulo the primes that segments are compiled for.

mod bls12_381;
mod p25519;
mod p256;
mod p384;
mod p448;
mod p521;
mod secp256k1;

use super::{columns::scale, word::Word};

pub(super) use self::{
    bls12_381::Bls12381, p256::P256, p384::P384, p448::P448, p521::P521, p25519::P25519,
    secp256k1::Secp256k1,
};

/// A prime P of N limbs with a reduction of its own. Tight numbers have limbs of `BITS` bits, the highest of at most 52,
/// and are from 0 to little more than `2^bits`, for the length `bits` of P; loose ones are N columns of absolute values
/// below `2^63`, the sum of which is the number.
pub(in crate::limbs) trait Prime<const N: usize, const D: usize> {
    /// Whether [`reduce`](Self::reduce) takes negative columns, if high halves are rounded down. It always does if they are
    /// rounded to nearest.
    const SIGNED: bool;

    /// Number of products of tight numbers below 2 P that are added up in columns before a reduction: at most as many as the
    /// limits of programs allow for numbers of 256 bits.
    const AT_ONCE: usize = 16;

    /// The loose number that is these columns modulo P, times the inverse of the Montgomery factor if there is one.
    fn reduce<W: Word>(columns: [W; D]) -> [W; N];

    /// The tight number that is a loose one modulo P. Requires a highest column from 0 on, and a carry into it from 0 on;
    /// if high halves are rounded to nearest, a [lifted](Self::lift) number.
    fn carry<W: Word>(columns: [W; N]) -> [W; N];

    /// Columns plus a multiple of P, so that they are as [`carry`](Self::carry) requires, whatever the signs of sums of a
    /// few products.
    fn lift<W: Word>(columns: [W; N]) -> [W; N];

    /// The tight number below 2 P that is a loose one modulo P, whatever the signs of sums of a few products.
    #[inline(always)]
    fn carry_lifted<W: Word>(columns: [W; N]) -> [W; N] {
        Self::carry(Self::lift(columns))
    }

    /// The loose number that is `factor x` modulo P, for a tight x.
    #[inline(always)]
    fn multiply_small<W: Word>(x: [W; N], factor: u32) -> [W; N] {
        scale(x, factor)
    }
}

/// Folds ten columns by `2^260 = FACTOR`, a multiple of 16 below `2^38`, where limbs are factors as they are. Requires a highest
/// column below `2^52`.
///
/// A column `s 2^(52 (5 + k))` counts as `s FACTOR` in column k: the low 52 bits of s by both halves of their product,
/// the bits above by the low half in the next column.
#[inline(always)]
fn fold<W: Word>(mut columns: [W; 10], factor: u64) -> [W; 5] {
    let c = W::splat(factor).factor();
    // The part of column 9 that would count in column 10 goes to column 5.
    let highest = columns[9].factor();
    columns[5] = columns[5].high(highest, c);
    let [c0, c1, c2, c3, c4, ..] = columns;
    let mut sums = [c0, c1, c2, c3, c4];
    sums[0] = sums[0].low(columns[5].limb_as_factor().factor(), c);
    for k in 1..5 {
        let below = columns[k + 4];
        sums[k] = sums[k].low(columns[k + 5].limb_as_factor().factor(), c);
        sums[k] = sums[k].high(below.limb_as_factor().factor(), c);
        sums[k] = sums[k].plus_product(below.shift_right::<52>(), factor);
    }
    sums
}
