//! One value a lane, aligned as vector registers are.

use core::ops::{Deref, DerefMut};

use zeroize::{Zeroize, optimization_barrier};

/// A value for every lane of a group. Aligned to 64 bytes: a load of a 512-bit register that
/// crosses a cache line takes twice the time.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row<T, const L: usize>(pub(crate) [T; L]);

impl<T, const L: usize> Deref for Row<T, L> {
    type Target = [T; L];

    fn deref(&self) -> &[T; L] {
        &self.0
    }
}

impl<T, const L: usize> DerefMut for Row<T, L> {
    fn deref_mut(&mut self) -> &mut [T; L] {
        &mut self.0
    }
}

impl<T: Copy + Default, const L: usize> Zeroize for Row<T, L> {
    /// Whole registers at a time, where a volatile store for every lane would take as long as a
    /// product.
    fn zeroize(&mut self) {
        self.0 = [T::default(); L];
        optimization_barrier(self);
    }
}

/// Whether every lane keeps its bound: what kernels assert in a checked build.
pub(crate) fn all_at_most<const L: usize>(rows: &[Row<u64, L>], bound: u64) -> bool {
    rows.iter().all(|row| row.iter().all(|&lane| lane <= bound))
}
