//! The sizes of moduli that are served, and their classes.

use core::hint::black_box;

use crypto_bigint::BoxedUint;

/// The widest modulus, in bits.
pub const MAX_BITS: u32 = 16_384;
/// The narrowest modulus, in bits.
pub const MIN_BITS: u32 = 64;

/// The size of the numbers modulo the prime and modulo the order of BN254, which is a class of its own: five limbs of
/// 52 bits have room for sums of twelve products there, which they have not at 256 bits.
const BN254_BITS: u32 = 254;

/// The size class of a modulus, for which plans and programs are made: its size rounded up so
/// that about 48 classes serve all sizes, each at most an eighth wider than its moduli above 512
/// bits.
pub fn size_class(bits: u32) -> u32 {
    if bits == BN254_BITS {
        return bits;
    }
    let step = (bits.next_power_of_two() / 16).clamp(64, 1024);
    bits.next_multiple_of(step)
}

/// The length of the pieces by which integers enter programs of a size class: whole words of 64 bits.
pub const fn piece_bits(class: u32) -> u32 {
    class.next_multiple_of(64)
}

/// The length in bits, which is public, of a secret number.
///
/// The length is found by comparisons with public numbers, so that values computed from it do not depend on the number
/// any more; tools that follow secrets through memory see that, too.
#[inline(never)]
pub fn public_length(secret: &BoxedUint) -> u32 {
    let bits = secret.bits();
    let mut length = secret.bits_precision();
    while black_box(length > bits) {
        length -= 1;
    }
    length
}
