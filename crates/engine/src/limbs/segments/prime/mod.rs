//! Reductions modulo the primes that segments are compiled for.

mod bls12_381;
mod p25519;
mod p256;
mod p384;
mod p448;
mod p521;
mod secp256k1;

use super::{
    columns::{self, add_constants, cut, propagate_positive, propagate_uncut, scale},
    word::{Lift, Word},
};

pub(super) use self::{
    bls12_381::Bls12381, p256::P256, p384::P384, p448::P448, p521::P521, p25519::P25519,
    secp256k1::Secp256k1,
};

/// A prime P of N limbs with a reduction of its own. Tight numbers have limbs of `BITS` bits, the highest of at most 52,
/// and are from 0 to little more than `2^bits`, for the length `bits` of P; loose ones are N columns of absolute values
/// below `2^63`, the sum of which is the number.
pub(in crate::limbs) trait Prime<const N: usize, const D: usize>:
    Lift<D> + Sized
{
    /// Whether [`reduce`](Self::reduce) takes negative columns, if high halves are rounded down. It always does if they are
    /// rounded to nearest.
    const SIGNED: bool;

    /// Number of products of tight numbers below 2 P that are added up in columns before a reduction: at most as many as the
    /// limits of programs allow for numbers of 256 bits.
    const AT_ONCE: usize = 16;

    /// Whether a carry subtracts from columns, so that even a number from lifted products is lifted before one.
    const CARRY_SUBTRACTS: bool = false;

    /// Whether products are lifted.
    #[inline(always)]
    fn is_lifted<W: Word>() -> bool {
        W::NEAREST && Self::PRODUCT_LIFT.is_some()
    }

    /// The columns plus `factor` times the lift, if products are lifted.
    #[inline(always)]
    fn plus_lifts<W: Word>(columns: [W; D], factor: u64) -> [W; D] {
        match Self::PRODUCT_LIFT {
            Some(mut lift) if W::NEAREST => {
                for column in &mut lift {
                    *column *= factor;
                }
                add_constants(columns, lift)
            }
            _ => columns,
        }
    }

    /// The columns of `x y`.
    #[inline(always)]
    fn product<W: Word>(x: &[W; N], y: &[W; N]) -> [W; D] {
        if let Some(product) = W::product::<Self, N, D>(x, y) {
            return product;
        }
        let mut product: [W; D] = columns::zero();
        columns::add_product(&mut product, x, y);
        Self::plus_lifts(product, 1)
    }

    /// `columns += x y`, without another lift.
    #[inline(always)]
    fn add_product<W: Word>(columns: &mut [W; D], x: &[W; N], y: &[W; N]) {
        match W::product_added_to(columns, x, y) {
            Some(sum) => *columns = sum,
            None => columns::add_product(columns, x, y),
        }
    }

    /// The columns of `x^2`.
    #[inline(always)]
    fn square<W: Word>(x: &[W; N]) -> [W; D] {
        match W::square::<Self, N, D>(x) {
            Some(square) => square,
            None => Self::plus_lifts(columns::square(x), 1),
        }
    }

    /// The columns of a product with the other sign; of a lifted one they are lifted, too.
    #[inline(always)]
    fn negate<W: Word>(columns: &mut [W; D]) {
        columns::negate(columns);
        *columns = Self::plus_lifts(*columns, 2);
    }

    /// The loose number that is `x y` modulo P, in the same sense as [`reduce`](Self::reduce).
    #[inline(always)]
    fn multiply<W: Word>(x: &[W; N], y: &[W; N]) -> [W; N] {
        Self::reduce(Self::product(x, y))
    }

    /// The loose number that is `x^2` modulo P.
    #[inline(always)]
    fn multiply_by_itself<W: Word>(x: &[W; N]) -> [W; N] {
        Self::reduce(Self::square(x))
    }

    /// The loose number that is these columns modulo P, times the inverse of the Montgomery factor if there is one.
    fn reduce<W: Word>(columns: [W; D]) -> [W; N];

    /// The tight number that is a loose one modulo P, before limbs are [cut]. Requires a highest column from 0 on, and a carry
    /// into it from 0 on; if high halves are rounded to nearest, a [lifted](Self::lift) number or one from lifted products,
    /// with all columns from 0 on.
    fn carry<W: Word>(columns: [W; N]) -> [W; N];

    /// Columns plus a multiple of P, so that they are as [`carry`](Self::carry) requires, whatever the signs of sums of a
    /// few products.
    fn lift<W: Word>(columns: [W; N]) -> [W; N];

    /// The tight number below 2 P that is a loose one modulo P, whatever the signs of sums of a few products, before limbs are
    /// [cut].
    #[inline(always)]
    fn carry_lifted<W: Word>(columns: [W; N]) -> [W; N] {
        Self::carry(Self::lift(columns))
    }

    /// The loose number that is `factor x` modulo P, for a tight x before its limbs are [cut].
    #[inline(always)]
    fn multiply_small<W: Word>(x: [W; N], factor: u32) -> [W; N] {
        scale(cut(x), factor)
    }
}

/// The carry of a column of a [lifted](Lift::PRODUCT_LIFT) product.
#[inline(always)]
fn carry_lifted<W: Word>(column: W) -> W {
    if W::NEAREST {
        column.carry_positive()
    } else {
        column.carry()
    }
}

/// [`propagate_uncut`] modulo primes whose products are [lifted](Lift::PRODUCT_LIFT).
#[inline(always)]
fn propagate_lifted<W: Word, const N: usize>(columns: [W; N]) -> [W; N] {
    if W::NEAREST {
        propagate_positive(columns)
    } else {
        propagate_uncut(columns)
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
