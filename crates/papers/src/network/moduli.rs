//! Moduli of networks, and arithmetic modulo them.

use num_bigint::BigUint;

/// Factor by which the ranges of both bases exceed P, in bits.
const ROOM_BITS: u64 = 4;

/// The largest coprime numbers below `2^width`, none of which shares a factor with the modulus, dealt in turn to two
/// bases, until both have 16 times its range.
pub(super) fn moduli(modulus: &BigUint, width: u32) -> Option<[Vec<i64>; 2]> {
    let bits = modulus.bits() + ROOM_BITS;
    let mut bases: [Vec<i64>; 2] = [Vec::new(), Vec::new()];
    let mut products = [BigUint::from(1u32), BigUint::from(1u32)];
    let mut next = 0;
    let mut candidate = (1i64 << width) - 1;
    while products.iter().any(|product| product.bits() <= bits) || next == 1 {
        let coprime = gcd(remainder(modulus, candidate), candidate) == 1;
        if coprime && bases.iter().flatten().all(|&m| gcd(m, candidate) == 1) {
            bases[next].push(candidate);
            products[next] *= candidate as u64;
            next = 1 - next;
        }
        candidate -= 1;
        if candidate < 3 {
            return None;
        }
    }
    Some(bases)
}

pub(super) fn gcd(mut x: i64, mut y: i64) -> i64 {
    while y != 0 {
        (x, y) = (y, x % y);
    }
    x
}

/// `x mod m`.
pub(super) fn remainder(x: &BigUint, m: i64) -> i64 {
    let digits = (x % m as u64).to_u64_digits();
    digits.first().map_or(0, |&digit| digit.cast_signed())
}

/// `prod factors mod m`.
pub(super) fn product<'a>(factors: impl IntoIterator<Item = &'a i64>, m: i64) -> i64 {
    let factors = factors.into_iter();
    factors.fold(1, |product, &factor| product * (factor % m) % m)
}

/// The product of the other moduli of a base, modulo this one.
pub(super) fn cofactor(base: &[i64], m: i64) -> i64 {
    product(base.iter().filter(|&&other| other != m), m)
}

/// `1/x mod m`, for x coprime to m.
pub(super) fn inverse(x: i64, m: i64) -> i64 {
    let (mut r, mut next_r) = (m, x.rem_euclid(m));
    let (mut t, mut next_t) = (0, 1);
    while next_r != 0 {
        let q = r / next_r;
        (r, next_r) = (next_r, r - q * next_r);
        (t, next_t) = (next_t, t - q * next_t);
    }
    t.rem_euclid(m)
}
