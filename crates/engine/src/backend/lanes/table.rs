//! A table of powers, read as a whole at every look-up.

use zeroize::Zeroize;

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

    pub(crate) fn store(&mut self, entry: usize, numbers: &Numbers<L>, convert: fn(u64) -> E) {
        for (channel, lanes) in numbers.channels.iter().enumerate() {
            self.residues[channel * self.entries + entry] = Row(lanes.map(convert));
        }
    }

    /// All entries of one channel after the other.
    pub(crate) fn channels(&self) -> impl ExactSizeIterator<Item = &[Row<E, L>]> {
        self.residues.chunks_exact(self.entries)
    }
}

impl<E: Zeroize, const L: usize> Drop for Table<E, L> {
    fn drop(&mut self) {
        for lanes in &mut self.residues {
            lanes.zeroize();
        }
    }
}
