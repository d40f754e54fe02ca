//! Primes of 255 and 256 bits whose numbers have five limbs.

use crypto_bigint::Word;
use zeroize::Zeroizing;

use crate::words::primes::bound::Bound;

/// The bits of integers that enter, a multiple of a word's.
pub(in crate::words) const BITS: u32 = 256;

/// Number of words of these primes.
pub(super) const WORDS: usize = (BITS / Word::BITS) as usize;

/// The words of an integer; wiped on drop.
pub(in crate::words) type Integer = Zeroizing<[Word; WORDS]>;

/// Number of limbs of a number.
pub(in crate::words) const LIMBS: usize = 5;

/// The limbs of a number, the lowest first.
pub(in crate::words) type Limbs = [u64; LIMBS];

/// A prime P with a reduction of its own. Numbers are sums of limbs times powers of `2^BITS`; they stand for what they are
/// modulo P.
pub(in crate::words) trait Prime {
    /// The bits of a limb.
    const BITS: u32;

    /// P in limbs.
    const P: Limbs;

    /// The exponent of the Montgomery factor, a power of two.
    const FACTOR_BITS: u32;

    /// The square of the Montgomery factor modulo P.
    const FACTOR_SQUARED: Limbs;

    /// The bound of numbers that are kept: they are below 3 P.
    const TIGHT: Bound;

    /// The largest sum of products of the largest limbs of factors that [`reduce`](Self::reduce) takes.
    const CAPACITY: u128 = 1 << 108;

    /// Factors with larger limbs are carried before they are multiplied.
    const LARGEST_FACTOR: u64 = 1 << 54;

    /// Number of products of tight numbers, the first factors of which may be negated, that [`reduce`](Self::reduce) takes.
    const AT_ONCE: usize = 4;

    /// A sum of products that is not reduced.
    type Columns: Copy;

    /// 0.
    const NO_COLUMNS: Self::Columns;

    /// `columns := columns + x y`.
    fn add_product(columns: &mut Self::Columns, x: &Limbs, y: &Limbs);

    /// `x^2`.
    fn square(x: &Limbs) -> Self::Columns;

    /// The columns modulo P, times the inverse of the Montgomery factor if there is one.
    fn reduce(columns: Self::Columns) -> Limbs;

    /// The bound of what [`reduce`](Self::reduce) gives for a sum of products of numbers: `value` is a bound of the sum of
    /// products of their highest limbs, with what is below these.
    fn reduced(value: u128) -> Bound;

    /// The same number modulo P, within [`TIGHT`](Self::TIGHT). Requires limbs of at most `2^62`.
    fn carry(x: Limbs) -> Limbs;

    /// A multiple of P each of whose limbs is at least that of any number within the bound, and the multiple's bound.
    #[inline(always)]
    fn multiple_above(bound: Bound) -> (Limbs, Bound) {
        let [p0, p1, p2, p3, p4] = Self::P;
        let least = p0.min(p1).min(p2).min(p3);
        // The amount that each limb borrows from the one above, where P has short limbs.
        let borrowed = if least >> (Self::BITS - 1) == 0 {
            bound.limb.div_ceil((1 << Self::BITS) - 1)
        } else {
            0
        };
        let of_limbs = if borrowed == 0 { bound.limb / least } else { 0 };
        let factor = 1 + of_limbs.max((bound.top + borrowed) / p4);
        let high = borrowed << Self::BITS;
        let limbs = [
            factor * p0 + high,
            factor * p1 + high - borrowed,
            factor * p2 + high - borrowed,
            factor * p3 + high - borrowed,
            factor * p4 - borrowed,
        ];
        let largest = limbs[0].max(limbs[1]).max(limbs[2]).max(limbs[3]);
        let bound = Bound {
            limb: largest,
            top: limbs[4],
        };
        (limbs, bound)
    }
}

/// A prime P of which `2^256 - REST` is a multiple, with a small REST and without a Montgomery factor.
#[cfg(target_arch = "x86_64")]
pub(in crate::words) trait PseudoMersenne: Prime {
    const REST: u64;
}

/// The product of two limbs.
#[inline(always)]
pub(super) fn wide(x: u64, y: u64) -> u128 {
    u128::from(x) * u128::from(y)
}

/// Nine columns of products, the sum of which is reduced.
pub(super) type Nine = [u128; 2 * LIMBS - 1];

/// `columns := columns + x y`.
#[inline(always)]
pub(super) fn add_to_nine(columns: &mut Nine, x: &Limbs, y: &Limbs) {
    for i in 0..LIMBS {
        for j in 0..LIMBS {
            columns[i + j] += wide(x[i], y[j]);
        }
    }
}

/// `x^2`.
#[inline(always)]
pub(super) fn square_in_nine(x: &Limbs) -> Nine {
    let mut columns = [0; 2 * LIMBS - 1];
    for i in 0..LIMBS {
        columns[2 * i] += wide(x[i], x[i]);
        for j in i + 1..LIMBS {
            columns[i + j] += wide(2 * x[i], x[j]);
        }
    }
    columns
}
