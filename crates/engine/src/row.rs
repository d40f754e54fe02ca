//! A row: one value per lane, aligned like vector registers.

use core::{
    ops::{Deref, DerefMut},
    slice,
};

use zeroize::{Zeroize, optimization_barrier};

use sunzi_program::seal::{Checksum, Content, Word};

/// A row of L lanes. It is aligned to 64 bytes, because a load of a 512-bit register that crosses a
/// cache line takes twice the time.
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
    /// Wipes whole registers at a time. A volatile store per lane would take as long as a product.
    fn zeroize(&mut self) {
        self.0 = [T::default(); L];
        optimization_barrier(self);
    }
}

impl<T: Word, const L: usize> Content for Row<T, L> {
    fn add_to(&self, sum: &mut Checksum) {
        Self::add_all(slice::from_ref(self), sum);
    }

    fn add_all(list: &[Self], sum: &mut Checksum) {
        sum.rows(list.iter().map(|row| &row.0));
    }
}

/// Whether every lane is at most the bound. Kernels assert this in builds with debug assertions.
pub(crate) fn all_at_most<const L: usize>(rows: &[Row<u64, L>], bound: u64) -> bool {
    rows.iter().all(|row| row.iter().all(|&lane| lane <= bound))
}

/// The row, the lane, and the bit of a residue of `w` bits that `place` selects for a fault.
#[cfg(any(test, feature = "testing"))]
#[inline(never)]
pub(crate) fn split_place(place: u64, rows: usize, lanes: usize, w: u32) -> (usize, usize, u32) {
    let row = place % rows as u64;
    let rest = place / rows as u64;
    let lane = rest % lanes as u64;
    let bit = rest / lanes as u64 % u64::from(w - 1);
    (row as usize, lane as usize, bit as u32)
}
