//! Wiping: what libraries leave behind, and many bytes at a time.

use core::ops::{Deref, DerefMut};
use zeroize::optimization_barrier;

/// Overwrites bytes, a register at a time: `zeroize` writes one after the other.
#[inline]
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    // The compiler must write the zeros: it cannot know that nobody reads them.
    optimization_barrier(bytes);
}

/// Bytes of many things, overwritten on drop by [`wipe`].
pub(crate) struct Wiped<T: AsMut<[u8]>>(Vec<T>);

impl<T: AsMut<[u8]>> Wiped<T> {
    pub(crate) fn new(all: Vec<T>) -> Self {
        Self(all)
    }
}

impl<T: AsMut<[u8]>> Deref for Wiped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: AsMut<[u8]>> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: AsMut<[u8]>> Drop for Wiped<T> {
    fn drop(&mut self) {
        for bytes in &mut self.0 {
            wipe(bytes.as_mut());
        }
    }
}

/// Overwrites the part of the stack that functions called before have used.
#[inline(never)]
pub(crate) fn wipe_stack() {
    let unused = [0u8; 1 << 14];
    optimization_barrier(&unused);
}
