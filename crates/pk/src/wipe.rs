//! Wiping what libraries leave behind.

use zeroize::Zeroize;

/// Overwrites the part of the stack that functions called before have used.
#[inline(never)]
pub(crate) fn wipe_stack() {
    let mut unused = [0u8; 1 << 14];
    unused.zeroize();
}
