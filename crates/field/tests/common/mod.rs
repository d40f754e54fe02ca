//! Functions that the tests share: conversions to and from num-bigint, a pseudo-random generator
//! with a fixed seed, and the golden vectors.
#![allow(dead_code)] // Each test file uses only some of them.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;

pub(crate) fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

pub(crate) fn boxed(x: &BigUint) -> BoxedUint {
    BoxedUint::from_le_slice_vartime(&x.to_bytes_le())
}

pub(crate) fn hex(digits: &str) -> BigUint {
    let digits = digits.strip_prefix("0x").expect("a hexadecimal number");
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("a hexadecimal number")
}

pub(crate) fn two_to(bits: u32) -> BigUint {
    BigUint::from(1u8) << bits
}

/// The parsed file `vectors/NAME.json` of the project.
pub(crate) fn vectors<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/../../vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the vector file");
    serde_json::from_str(&text).expect("the form of the vector file")
}

/// The pseudo-random generator `SplitMix64`, which gives the same numbers in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, uniform up to a bias of `2^-64`.
    pub(crate) fn below(&mut self, limit: &BigUint) -> BigUint {
        let words = limit.bits() / 64 + 2;
        let bytes: Vec<u8> = (0..words).flat_map(|_| self.word().to_le_bytes()).collect();
        BigUint::from_bytes_le(&bytes) % limit
    }

    /// An odd number of exactly `bits` bits.
    pub(crate) fn odd(&mut self, bits: u32) -> BigUint {
        self.below(&two_to(bits - 1)) | two_to(bits - 1) | BigUint::from(1u8)
    }
}
