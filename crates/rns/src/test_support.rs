//! Functions that several unit tests use, among them conversions to and from num-bigint, which
//! is the independent reference.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;

use crate::base::Base;
use crate::residues::Residues;

pub(crate) fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

pub(crate) fn boxed(x: &BigUint) -> BoxedUint {
    BoxedUint::from_le_slice_vartime(&x.to_bytes_le())
}

/// The integer whose CRT digits `xh_i` are `digit(i, m_i)`: `x_i = |xh_i M/m_i|_{m_i}`.
pub(crate) fn from_crt_digits(base: &Base, digit: impl Fn(usize, u128) -> u128) -> Residues {
    Residues::from_fn(base, |(i, m)| {
        m.mul(digit(i, m.value()), m.reduce_uint(&base.cofactor(i)))
    })
}

/// All numbers `0, 1, ..., M - 1` of a small base.
pub(crate) fn every_number(base: &Base) -> Vec<Residues> {
    let range: u128 = base
        .moduli()
        .iter()
        .map(crate::modulus::Modulus::value)
        .product();
    (0..range)
        .map(|x| Residues::reduced(base, &BoxedUint::from(x)))
        .collect()
}
