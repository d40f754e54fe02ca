//! Tables of numbers in limbs.

use core::array;

use zeroize::Zeroize;

#[cfg(any(test, feature = "testing"))]
use crate::limbs::numbers::flip;
use crate::{
    instructions::vector::prefetch,
    limbs::{
        kernels::Kernels,
        numbers::{Limb, WIDTH},
    },
    lookup::LaneTable,
    row::Row,
};

/// A table of numbers in limbs, for each vector.
pub(super) enum LimbTable {
    /// For look-ups by secret digits, each of which reads all entries.
    Secret(Vec<LaneTable<u64, WIDTH>>),
    /// For look-ups by public digits, each of which reads one entry a lane.
    Public(Vec<NumberTable>),
}

/// A table of numbers for each lane of a vector, the limbs of a number one after the other: a look-up by public digits
/// reads a line of the cache or two in each lane, where a [`LaneTable`] has a line for every limb. Wiped on drop.
pub(super) struct NumberTable {
    /// The rows that a number takes: its limbs, up to a whole row.
    rows_of_number: usize,
    /// For each entry, the numbers of the lanes.
    rows: Vec<Limb>,
}

impl NumberTable {
    /// A table with all entries zero, for numbers of so many limbs.
    pub(super) fn new(entries: usize, limbs: usize) -> Self {
        let rows_of_number = limbs.div_ceil(WIDTH);
        Self {
            rows_of_number,
            rows: vec![Row([0; WIDTH]); entries * WIDTH * rows_of_number],
        }
    }

    /// Number of numbers.
    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.rows_of_number
    }

    /// Makes room for so many entries in all.
    pub(super) fn resize(&mut self, entries: usize) {
        let rows = entries * WIDTH * self.rows_of_number;
        self.rows.resize(rows, Row([0; WIDTH]));
    }

    /// The place of a lane's number in an entry, among all numbers.
    fn place(entry: u64, lane: usize) -> usize {
        entry as usize * WIDTH + lane
    }

    /// The first eight limbs, with zeros for those that numbers do not have.
    fn eight(limbs: &[Limb]) -> [&[u64; WIDTH]; WIDTH] {
        const ZERO: &Limb = &Row([0; WIDTH]);
        array::from_fn(|k| &limbs.get(k).unwrap_or(ZERO).0)
    }

    /// Stores each lane's number in the same entry.
    fn store(&mut self, kernels: impl Kernels, entry: usize, limbs: &[Limb]) {
        if self.rows_of_number == 1 {
            // The lanes' numbers are one after the other.
            let rows = &mut self.rows[entry * WIDTH..][..WIDTH];
            kernels.transpose(Self::eight(limbs), rows);
        } else {
            self.store_at(kernels, &[entry as u64; WIDTH], limbs);
        }
    }

    /// Stores each lane's number in the entry with the lane's index. Indices are public.
    fn store_at(&mut self, kernels: impl Kernels, entries: &[u64], limbs: &[Limb]) {
        let places: [usize; WIDTH] = array::from_fn(|lane| Self::place(entries[lane], lane));
        self.store_places(kernels, &places, limbs);
    }

    /// Stores the numbers of the first lanes in these places, which are public.
    pub(super) fn store_places(&mut self, kernels: impl Kernels, places: &[usize], limbs: &[Limb]) {
        let follow_each_other = places.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        if self.rows_of_number == 1 && places.len() == WIDTH && follow_each_other {
            let rows = &mut self.rows[places[0]..][..WIDTH];
            kernels.transpose(Self::eight(limbs), rows);
            return;
        }
        let mut numbers = [Row([0; WIDTH]); WIDTH];
        for (row, limbs) in limbs.chunks(WIDTH).enumerate() {
            kernels.transpose(Self::eight(limbs), &mut numbers);
            for (place, number) in places.iter().zip(numbers) {
                self.rows[place * self.rows_of_number + row] = number;
            }
        }
    }

    /// `out :=` the entry with the lane's index. Indices are public.
    fn load_at(&self, kernels: impl Kernels, entries: &[u64], out: &mut [Limb]) {
        let places = array::from_fn(|lane| Self::place(entries[lane], lane));
        self.load_places(kernels, places, out);
    }

    /// `out :=` the number in the lane's place. Places are public.
    pub(super) fn load_places(
        &self,
        kernels: impl Kernels,
        places: [usize; WIDTH],
        out: &mut [Limb],
    ) {
        for (row, out) in out.chunks_mut(WIDTH).enumerate() {
            let rows = places.map(|place| &self.rows[place * self.rows_of_number + row].0);
            kernels.transpose(rows, out);
        }
    }

    /// Asks for the numbers in these places to be brought to the first cache.
    pub(super) fn prefetch(&self, places: impl Iterator<Item = usize>) {
        for place in places {
            let first = place * self.rows_of_number;
            for row in &self.rows[first..first + self.rows_of_number] {
                prefetch(row);
            }
        }
    }

    /// The numbers in these places move to those from `first` on.
    pub(super) fn gather(&mut self, places: &[usize], first: usize) {
        let size = self.rows_of_number;
        let mut moved = Vec::with_capacity(places.len() * size);
        for place in places {
            moved.extend_from_slice(&self.rows[place * size..][..size]);
        }
        self.rows[first * size..][..moved.len()].copy_from_slice(&moved);
    }
}

impl Drop for NumberTable {
    fn drop(&mut self) {
        for row in &mut self.rows {
            row.zeroize();
        }
    }
}

impl LimbTable {
    /// A table with all entries zero, for numbers of so many limbs in each of the vectors.
    pub(super) fn new(vectors: usize, entries: usize, limbs: usize, is_secret: bool) -> Self {
        if is_secret {
            let vectors = (0..vectors).map(|_| LaneTable::new(entries, limbs));
            Self::Secret(vectors.collect())
        } else {
            let vectors = (0..vectors).map(|_| NumberTable::new(entries, limbs));
            Self::Public(vectors.collect())
        }
    }

    /// Stores each number of a vector in the same entry.
    pub(super) fn store(
        &mut self,
        kernels: impl Kernels,
        vector: usize,
        entry: usize,
        limbs: &[Limb],
    ) {
        match self {
            // Whole rows, as they are.
            Self::Secret(vectors) => vectors[vector].store(entry, limbs, |limb| limb),
            Self::Public(vectors) => vectors[vector].store(kernels, entry, limbs),
        }
    }

    /// Stores each number of a vector in the entry with its lane's index. Indices are public.
    pub(super) fn store_at(
        &mut self,
        kernels: impl Kernels,
        vector: usize,
        entries: &[u64],
        limbs: &[Limb],
    ) {
        match self {
            Self::Secret(vectors) => vectors[vector].store_at(entries, limbs, |limb| limb),
            Self::Public(vectors) => vectors[vector].store_at(kernels, entries, limbs),
        }
    }

    /// `out :=` the entry with each lane's index. Indices are public.
    pub(super) fn load_at(
        &self,
        kernels: impl Kernels,
        vector: usize,
        entries: &[u64],
        out: &mut [Limb],
    ) {
        match self {
            Self::Secret(vectors) => vectors[vector].load_at(entries, out, |limb| limb),
            Self::Public(vectors) => vectors[vector].load_at(kernels, entries, out),
        }
    }

    /// Flips the bit of an entry that `place` selects.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn flip(&mut self, place: u64) {
        let vectors = match self {
            Self::Secret(vectors) => vectors.len(),
            Self::Public(vectors) => vectors.len(),
        };
        let (vector, rest) = (place as usize % vectors, place / vectors as u64);
        match self {
            Self::Secret(vectors) => flip(vectors[vector].rows_mut(), rest),
            Self::Public(vectors) => flip(&mut vectors[vector].rows, rest),
        }
    }
}
