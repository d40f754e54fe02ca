//! Wiping what libraries leave behind.

use zeroize::optimization_barrier;

/// Overwrites the part of the stack that functions called before have used.
#[inline(never)]
pub(crate) fn wipe_stack() {
    let unused = [0u8; 1 << 14];
    // The compiler must write the zeros: it cannot know that nobody reads them.
    optimization_barrier(&unused);
}
