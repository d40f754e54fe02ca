//! A table of powers, read as a whole at every look-up.

use zeroize::{Zeroize, Zeroizing};

use super::Numbers;
use crate::backend::row::Row;

/// A few numbers a lane, as stored residues: channel by channel, and in each the entries in
/// order.
pub(crate) struct Table<E: Zeroize, const L: usize> {
    entries: usize,
    residues: Vec<Row<E, L>>,
}

impl<E: Copy + Default + Zeroize, const L: usize> Table<E, L> {
    pub(crate) fn new(entries: usize, channels: usize) -> Self {
        Self {
            entries,
            residues: vec![Row([E::default(); L]); entries * channels],
        }
    }

    pub(crate) fn store(&mut self, entry: usize, numbers: &Numbers<L>, convert: impl Fn(u64) -> E) {
        for (channel, lanes) in numbers.channels.iter().enumerate() {
            self.residues[channel * self.entries + entry] = Row(lanes.map(&convert));
        }
    }

    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    /// All entries of one channel after the other.
    pub(crate) fn channels(&self) -> impl ExactSizeIterator<Item = &[Row<E, L>]> {
        self.residues.chunks_exact(self.entries)
    }
}

/// For each entry of a table all ones for the members that ask for it, and zeros for the
/// others, as `row` lays them out. Hidden from the compiler, which could make branches of masks
/// that it knows the making of.
pub(crate) fn masks<T: Zeroize, const L: usize>(
    entries: usize,
    indices: &[u64],
    row: impl Fn([u64; L]) -> T,
) -> Zeroizing<Vec<T>> {
    debug_assert!(indices.len() == L);
    let masks = (0..entries as u64).map(|entry| {
        // x - 1 borrows only for x = 0.
        let mask = |l: usize| 0u64.wrapping_sub((indices[l] ^ entry).wrapping_sub(1) >> 63);
        row(core::array::from_fn(mask))
    });
    core::hint::black_box(Zeroizing::new(masks.collect()))
}

impl<E: Zeroize, const L: usize> Drop for Table<E, L> {
    fn drop(&mut self) {
        for lanes in &mut self.residues {
            lanes.zeroize();
        }
    }
}
