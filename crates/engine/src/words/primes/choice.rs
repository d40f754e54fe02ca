//! The kind of numbers that each prime has with the instructions of a processor.

#[cfg(target_arch = "x86_64")]
use crate::words::{primes::four_words::FourWords, two_carries::TwoCarries};
use crate::words::{
    primes::{
        arithmetic::Arithmetic, five_limbs::FiveLimbs, instructions::Instructions, p256::P256,
        p25519::P25519, secp256k1::Secp256k1,
    },
    rows::Plain,
};

/// Instructions with the arithmetic that is fastest by them.
pub(in crate::words) trait Choice: Instructions {
    /// Modulo `2^255 - 19`.
    type P25519: Arithmetic<Prime = P25519> + From<Self>;

    /// Modulo the prime of P-256.
    type P256: Arithmetic<Prime = P256> + From<Self>;

    /// Modulo the prime of secp256k1.
    type Secp256k1: Arithmetic<Prime = Secp256k1> + From<Self>;
}

impl Choice for Plain {
    type P25519 = FiveLimbs<P25519, Self>;
    type P256 = FiveLimbs<P256, Self>;
    type Secp256k1 = FiveLimbs<Secp256k1, Self>;
}

#[cfg(target_arch = "x86_64")]
impl Choice for TwoCarries {
    type P25519 = FourWords<P25519>;
    type P256 = FourWords<P256>;
    type Secp256k1 = FourWords<Secp256k1>;
}
