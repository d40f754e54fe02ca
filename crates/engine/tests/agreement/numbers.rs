//! Conversions of numbers, and random numbers that are the same in every run.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use proptest::{
    prelude::*,
    test_runner::{RngAlgorithm, TestRng},
};

/// The generator of random numbers, with the same seed in every run.
pub(crate) fn rng() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}

/// The number with a precision of `bits`, rounded up to whole words.
pub(crate) fn uint_with_precision(value: &BigUint, bits: u64) -> BoxedUint {
    let bits = bits.max(1).next_multiple_of(64);
    let mut bytes = value.to_bytes_le();
    bytes.resize(bits as usize / 8, 0);
    BoxedUint::from_le_slice(&bytes, bits as u32).unwrap()
}

/// The number in as many words as it needs.
pub(crate) fn uint(value: &BigUint) -> BoxedUint {
    uint_with_precision(value, value.bits())
}

pub(crate) fn big(value: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&value.to_le_bytes())
}

pub(crate) fn power_of_two(exponent: u32) -> BigUint {
    BigUint::from(1u32) << exponent
}

/// `2^bits - 1`.
pub(crate) fn ones(bits: u32) -> BigUint {
    power_of_two(bits) - 1u32
}

/// A random number below `2^bits`.
pub(crate) fn random(rng: &mut TestRng, bits: u32) -> BigUint {
    let mut bytes = vec![0; bits.div_ceil(8) as usize];
    rng.fill_bytes(&mut bytes);
    BigUint::from_bytes_le(&bytes) % power_of_two(bits)
}

/// A random number of exactly `bits` bits.
pub(crate) fn random_of_length(rng: &mut TestRng, bits: u32) -> BigUint {
    random(rng, bits) | power_of_two(bits - 1)
}

/// A random odd modulus of exactly `bits` bits.
pub(crate) fn random_modulus(rng: &mut TestRng, bits: u32) -> BigUint {
    random_of_length(rng, bits) | BigUint::from(1u32)
}
