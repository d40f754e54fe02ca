//! A table of numbers, read as a whole at every look-up by a secret digit.

use zeroize::{Zeroize, Zeroizing};

use super::LaneNumbers;
use crate::devices::row::Row;

/// A few numbers a lane, as stored residues: channel by channel, and in each the entries in
/// order.
pub(crate) struct LaneTable<E: Zeroize, const L: usize> {
    entries: usize,
    residues: Vec<Row<E, L>>,
}

impl<E: Copy + Default + Zeroize, const L: usize> LaneTable<E, L> {
    pub(crate) fn new(entries: usize, channels: usize) -> Self {
        Self {
            entries,
            residues: vec![Row([E::default(); L]); entries * channels],
        }
    }

    pub(crate) fn store(
        &mut self,
        entry: usize,
        numbers: &LaneNumbers<L>,
        convert: impl Fn(u64) -> E,
    ) {
        for (channel, lanes) in numbers.channels.iter().enumerate() {
            self.residues[channel * self.entries + entry] = Row(lanes.map(&convert));
        }
    }

    /// Each lane's number into an entry of its own; for public entries.
    pub(crate) fn store_at(
        &mut self,
        entries: &[u64],
        numbers: &LaneNumbers<L>,
        convert: impl Fn(u64) -> E,
    ) {
        for (channel, lanes) in numbers.channels.iter().enumerate() {
            for (lane, (&residue, &entry)) in lanes.iter().zip(entries).enumerate() {
                self.residues[channel * self.entries + entry as usize][lane] = convert(residue);
            }
        }
    }

    /// Each lane's number from an entry of its own; for public entries.
    pub(crate) fn load_at(
        &self,
        entries: &[u64],
        out: &mut LaneNumbers<L>,
        convert: impl Fn(E) -> u64,
    ) {
        for (channel, lanes) in out.channels.iter_mut().enumerate() {
            for (lane, (residue, &entry)) in lanes.iter_mut().zip(entries).enumerate() {
                *residue = convert(self.residues[channel * self.entries + entry as usize][lane]);
            }
        }
    }

    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    /// All entries of one channel after the other.
    pub(crate) fn channels(&self) -> impl ExactSizeIterator<Item = &[Row<E, L>]> {
        self.residues.chunks_exact(self.entries)
    }

    /// All residues.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn residues_mut(&mut self) -> &mut [Row<E, L>] {
        &mut self.residues
    }
}

/// For each entry of a table all ones for the members that ask for it, and zeros for the
/// others, as `row` lays them out. Passed through `black_box`, lest the compiler turn masks into
/// branches.
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

impl<E: Zeroize, const L: usize> Drop for LaneTable<E, L> {
    fn drop(&mut self) {
        for lanes in &mut self.residues {
            lanes.zeroize();
        }
    }
}
