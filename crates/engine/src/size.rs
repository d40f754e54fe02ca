//! The sizes of moduli: which are served, and in which classes.

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
