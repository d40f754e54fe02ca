//! The sizes of moduli that are served, and their classes.

use core::hint::black_box;

use crypto_bigint::BoxedUint;

/// The widest modulus, in bits.
pub const MAX_BITS: u32 = 16_384;
/// The narrowest modulus, in bits.
pub const MIN_BITS: u32 = 64;

/// The size class of a modulus, for which plans and programs are made: its size rounded up so
/// that about 48 classes serve all sizes, each at most an eighth wider than its moduli above 512
/// bits.
pub fn size_class(bits: u32) -> u32 {
    let step = (bits.next_power_of_two() / 16).clamp(64, 1024);
    bits.next_multiple_of(step)
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
