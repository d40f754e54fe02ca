//! A table of numbers in lanes. Every look-up with secret indices reads all of it.

use zeroize::{Zeroize, Zeroizing};

use crate::{device::Member, program::OwnTable, row::Row};

/// A table of numbers for each lane, as stored words: for each word of a number a row per entry. Wiped on drop.
pub(crate) struct LaneTable<E: Zeroize, const L: usize> {
    entries: usize,
    rows: Vec<Row<E, L>>,
}

impl<E: Copy + Default + Zeroize, const L: usize> LaneTable<E, L> {
    /// A table with all entries zero.
    pub(crate) fn new(entries: usize, words: usize) -> Self {
        Self {
            entries,
            rows: vec![Row([E::default(); L]); entries * words],
        }
    }

    /// Stores each lane's number in the same entry.
    pub(crate) fn store<T: Copy>(
        &mut self,
        entry: usize,
        rows: &[Row<T, L>],
        convert: impl Fn(T) -> E,
    ) {
        for (word, lanes) in rows.iter().enumerate() {
            self.rows[word * self.entries + entry] = Row(lanes.map(&convert));
        }
    }

    /// Stores each lane's number in the entry with the lane's index. Indices are public.
    pub(crate) fn store_at<T: Copy>(
        &mut self,
        entries: &[u64],
        rows: &[Row<T, L>],
        convert: impl Fn(T) -> E,
    ) {
        for (word, lanes) in rows.iter().enumerate() {
            for (lane, (&value, &entry)) in lanes.iter().zip(entries).enumerate() {
                self.rows[word * self.entries + entry as usize][lane] = convert(value);
            }
        }
    }

    /// `out :=` the entry with the lane's index. Indices are public.
    pub(crate) fn load_at<T>(
        &self,
        entries: &[u64],
        out: &mut [Row<T, L>],
        convert: impl Fn(E) -> T,
    ) {
        for (word, lanes) in out.iter_mut().enumerate() {
            for (lane, (value, &entry)) in lanes.iter_mut().zip(entries).enumerate() {
                *value = convert(self.rows[word * self.entries + entry as usize][lane]);
            }
        }
    }

    /// Number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    /// The rows of each word, one per entry.
    pub(crate) fn words(&self) -> impl ExactSizeIterator<Item = &[Row<E, L>]> {
        self.rows.chunks_exact(self.entries)
    }

    /// All rows, for faults in tests.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn rows_mut(&mut self) -> &mut [Row<E, L>] {
        &mut self.rows
    }
}

/// The masks of a look-up, for each entry of a table: all ones for the members whose index it is, and zeros
/// for the others, in the layout that `row` gives them. Passed through `black_box`, lest the compiler turn
/// masks into branches. Constant time for a given number of entries.
pub(crate) fn masks<T: Zeroize, const L: usize>(
    entries: usize,
    indices: &[u64],
    row: impl Fn([u64; L]) -> T,
) -> Zeroizing<Vec<T>> {
    let mut masks = Zeroizing::new(Vec::with_capacity(entries));
    write_masks(&mut masks, entries, indices, row);
    masks
}

/// Replaces the contents by [`masks`]. For small groups, where memory for each look-up would take as long as
/// the look-up. Contents that do not fit are wiped before their memory is released.
pub(crate) fn write_masks<T: Zeroize, const L: usize>(
    masks: &mut Vec<T>,
    entries: usize,
    indices: &[u64],
    row: impl Fn([u64; L]) -> T,
) {
    debug_assert!(indices.len() == L);
    if masks.capacity() < entries {
        masks.zeroize();
        *masks = Vec::with_capacity(entries);
    }
    masks.clear();
    masks.extend((0..entries as u64).map(|entry| {
        // The top bit of x - 1 is set only for x = 0, as digits are small.
        let mask = |l: usize| 0u64.wrapping_sub((indices[l] ^ entry).wrapping_sub(1) >> 63);
        row(core::array::from_fn(mask))
    }));
    core::hint::black_box(masks);
}

/// Calls `select` once for each run of neighbouring members with the same constants: with the first of them, and with
/// the masks of their digits, for each entry of the table, in the layout that `row` gives them. The masks of other
/// lanes are zeros. Constant time, except for which members have the same constants.
pub(crate) fn for_alike<'a, T: Zeroize, const L: usize>(
    members: &[Member<'a>],
    table: OwnTable,
    digits: &[u64],
    row: impl Fn([u64; L]) -> T,
    mut select: impl FnMut(&Member<'a>, &[T]),
) {
    let same = |x: &Member<'_>, y: &Member<'_>| match (x.constants, y.constants) {
        (Some(x), Some(y)) => core::ptr::eq(x, y),
        _ => false,
    };
    let mut first = 0;
    while let Some(member) = members.get(first) {
        let alike = members[first..]
            .iter()
            .take_while(|other| same(member, other));
        let end = first + alike.count().max(1);
        // No entry has this number: other members' lanes get zeros.
        let mut indices = Zeroizing::new([u64::from(table.entries); L]);
        indices[first..end].copy_from_slice(&digits[first..end]);
        select(member, &masks::<T, L>(table.len(), &*indices, &row));
        first = end;
    }
}

/// `out :=` in each lane the constant that its member's digit names, from the members' tables of constants.
/// All constants are read, once for neighbouring members with the same constants.
///
/// `constant` gives the words of a member's constant with a number; `join(x, c, mask)` is `x | c &
/// mask`, bit by bit. Constant time.
pub(crate) fn select_own<'a, T: Copy + Default + 'a, const L: usize>(
    members: &[Member<'a>],
    table: OwnTable,
    digits: &[u64],
    constant: impl Fn(&Member<'a>, usize) -> &'a [T],
    join: impl Fn(T, T, u64) -> T,
    out: &mut [Row<T, L>],
) {
    out.fill(Row([T::default(); L]));
    for_alike(
        members,
        table,
        digits,
        Row,
        |member, masks: &[Row<u64, L>]| {
            for (entry, mask) in masks.iter().enumerate() {
                let words = constant(member, table.first as usize + entry);
                for (row, &word) in out.iter_mut().zip(words) {
                    for l in 0..L {
                        row[l] = join(row[l], word, mask[l]);
                    }
                }
            }
        },
    );
}

/// [`select_own`] for one member: the words of the constant that the digit names.
pub(crate) fn select_words<'a, T: Copy + Default + Zeroize + 'a>(
    member: &Member<'a>,
    table: OwnTable,
    digit: u64,
    constant: impl Fn(&Member<'a>, usize) -> &'a [T],
    join: impl Fn(T, T, u64) -> T,
) -> Zeroizing<Vec<T>> {
    let first = table.first as usize;
    let masks = masks::<[u64; 1], 1>(table.len(), &[digit], |mask| mask);
    let mut selected = Zeroizing::new(vec![T::default(); constant(member, first).len()]);
    for (entry, [mask]) in masks.iter().enumerate() {
        for (x, &word) in selected.iter_mut().zip(constant(member, first + entry)) {
            *x = join(*x, word, *mask);
        }
    }
    selected
}

impl<E: Zeroize, const L: usize> Drop for LaneTable<E, L> {
    fn drop(&mut self) {
        for lanes in &mut self.rows {
            lanes.zeroize();
        }
    }
}
