//! Arithmetic modulo the numbers below `2^15` of a base. All of them are public.

use crypto_bigint::{BoxedUint, ConcatenatingMul, Resize};

/// The product of all factors.
pub(super) fn product(factors: impl Iterator<Item = i64>) -> BoxedUint {
    factors.fold(BoxedUint::one(), |product, factor| {
        let product = product.concatenating_mul(&BoxedUint::from(factor as u64));
        let bits = product.bits_vartime();
        product.resize(bits.next_multiple_of(64))
    })
}

/// The product of all factors modulo m.
pub(super) fn mul(factors: &[i64], m: i64) -> i64 {
    factors
        .iter()
        .fold(1, |product, &factor| product * (factor % m) % m)
}

/// The product of a base modulo m.
pub(super) fn residue(base: &[i64], m: i64) -> i64 {
    mul(base, m)
}

/// The product of a base without its modulus k, modulo that.
pub(super) fn cofactor(base: &[i64], k: usize) -> i64 {
    let m = base[k];
    mul(&base[..k], m) * mul(&base[k + 1..], m) % m
}

/// x modulo m, from -m/2 to m/2.
pub(super) fn centred(x: i64, m: i64) -> i64 {
    let x = x.rem_euclid(m);
    if x > m / 2 { x - m } else { x }
}

/// The greatest common divisor.
pub(super) fn gcd(x: i64, y: i64) -> i64 {
    if y == 0 { x } else { gcd(y, x % y) }
}

/// `x^-1 mod m` for coprime numbers, by Euclid's algorithm.
pub(super) fn inverse(x: i64, m: i64) -> i64 {
    let (mut r, mut s) = ((m, x.rem_euclid(m)), (0i64, 1i64));
    while r.1 != 0 {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - quotient * s.1);
    }
    s.0.rem_euclid(m)
}
