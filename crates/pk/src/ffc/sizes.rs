//! Lengths of the moduli of groups.

/// Length of the shortest p, in bits.
pub const MIN_BITS: u32 = 2048;
/// Length of the longest p, in bits.
pub const MAX_BITS: u32 = 8192;
