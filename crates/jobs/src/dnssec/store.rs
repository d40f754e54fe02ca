//! The records of a zone, packed.
//!
//! A record takes 22 bytes besides its [key](super::name) and its data: 14 of a head, and 8 of a place in the sorted
//! list.

use core::cmp::Ordering;
use domain::base::iana::Rtype;
use rayon::prelude::*;

/// Bytes of a block: records lie in one block.
const BLOCK: usize = 1 << 22;
const HEAD: usize = 14;

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) key: &'a [u8],
    pub(super) rtype: Rtype,
    pub(super) ttl: u32,
    /// The line on which it begins; 0 for those that are made here.
    pub(super) line: u32,
    /// The data in canonical form.
    pub(super) data: &'a [u8],
}

impl Record<'_> {
    /// The order of records in a zone: by names, then types, SOA first, since readers want it first; then data.
    fn compare(&self, other: &Self) -> Ordering {
        self.key
            .cmp(other.key)
            .then_with(|| rank(self.rtype).cmp(&rank(other.rtype)))
            .then_with(|| self.data.cmp(other.data))
    }
}

/// The place of a type among those of a name.
pub(super) fn rank(rtype: Rtype) -> u16 {
    match rtype {
        Rtype::SOA => 0,
        other => other.to_int(),
    }
}

/// The place of a record in the blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(u64);

/// Records, in the order in which they came until they are sorted.
#[derive(Debug, Default)]
pub(super) struct Records {
    blocks: Vec<Vec<u8>>,
    places: Vec<Place>,
}

impl Records {
    /// Adds a record. Keys are those of names, and data have at most 65,535 bytes.
    pub(super) fn push(&mut self, record: &Record<'_>) {
        let Record {
            key,
            rtype,
            ttl,
            line,
            data,
        } = *record;
        let bytes = HEAD + key.len() + data.len();
        let fits = |block: &Vec<u8>| BLOCK - block.len() >= bytes;
        if !self.blocks.last().is_some_and(fits) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        self.places
            .push(Place((number * BLOCK + block.len()) as u64));
        block.extend((key.len() as u16).to_ne_bytes());
        block.extend((data.len() as u16).to_ne_bytes());
        block.extend(rtype.to_int().to_ne_bytes());
        block.extend(ttl.to_ne_bytes());
        block.extend(line.to_ne_bytes());
        block.extend_from_slice(key);
        block.extend_from_slice(data);
    }

    pub(super) fn get(&self, Place(place): Place) -> Record<'_> {
        let place = place as usize;
        let bytes = &self.blocks[place / BLOCK][place % BLOCK..];
        let short = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| {
            u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let (key, data) = (usize::from(short(0)), usize::from(short(2)));
        let (key, rest) = bytes[HEAD..HEAD + key + data].split_at(key);
        Record {
            key,
            rtype: Rtype::from_int(short(4)),
            ttl: long(6),
            line: long(10),
            data: rest,
        }
    }

    /// Writes over four bytes of data, so many bytes before their end.
    pub(super) fn patch_end(&mut self, place: Place, before_end: usize, bytes: [u8; 4]) {
        let record = self.get(place);
        let end = HEAD + record.key.len() + record.data.len();
        let start = place.0 as usize % BLOCK + end - before_end;
        self.blocks[place.0 as usize / BLOCK][start..start + 4].copy_from_slice(&bytes);
    }

    /// Puts a record into its place among sorted ones, unless it is there, and returns whether it was put.
    pub(super) fn insert(&mut self, record: &Record<'_>) -> bool {
        let before = |place: &Place| self.get(*place).compare(record).is_lt();
        let at = self.places.partition_point(before);
        let next = self.places.get(at);
        if next.is_some_and(|next| self.get(*next).compare(record).is_eq()) {
            return false;
        }
        self.push(record);
        if let Some(place) = self.places.pop() {
            self.places.insert(at, place);
        }
        true
    }

    /// Sorts the records, and leaves out those that are there already.
    pub(super) fn sort(&mut self) {
        let mut places = core::mem::take(&mut self.places);
        let compare = |a: &Place, b: &Place| self.get(*a).compare(&self.get(*b));
        // Files are mostly sorted already.
        if !places.is_sorted_by(|a, b| compare(a, b).is_le()) {
            places.par_sort_by(compare);
        }
        places.dedup_by(|a, b| compare(a, b).is_eq());
        self.places = places;
    }

    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The records of these places.
    pub(super) fn of<'a>(
        &'a self,
        places: &'a [Place],
    ) -> impl ExactSizeIterator<Item = Record<'a>> + Clone {
        places.iter().map(|&place| self.get(place))
    }

    /// The names, each with the places of its records, from the one at `start` of the sorted records on.
    pub(super) fn nodes_from(&self, start: usize) -> impl Iterator<Item = Node<'_>> + Clone {
        let mut start = start;
        core::iter::from_fn(move || {
            let node = self.node_at(start)?;
            start += node.places.len();
            Some(node)
        })
    }

    /// The name whose records begin here.
    pub(super) fn node_at(&self, start: usize) -> Option<Node<'_>> {
        let rest = self.places.get(start..)?;
        let key = self.get(*rest.first()?).key;
        let others = rest.iter().take_while(|place| self.get(**place).key == key);
        Some(Node {
            key,
            start,
            places: &rest[..others.count()],
        })
    }

    /// The sets of records of one type among these, which are of one name.
    pub(super) fn sets<'a>(&'a self, places: &'a [Place]) -> impl Iterator<Item = &'a [Place]> {
        places.chunk_by(|a, b| self.get(*a).rtype == self.get(*b).rtype)
    }

    /// The sorted records of a name and a type.
    pub(super) fn find(&self, key: &[u8], rtype: Rtype) -> &[Place] {
        let before = |place: &Place| {
            let record = self.get(*place);
            (record.key, rank(record.rtype)) < (key, rank(rtype))
        };
        let start = self.places.partition_point(before);
        let rest = &self.places[start..];
        let same = rest.iter().take_while(|place| {
            let record = self.get(**place);
            record.key == key && record.rtype == rtype
        });
        &rest[..same.count()]
    }
}

/// A name with its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    pub(super) key: &'a [u8],
    /// The place of the first record in the sorted list.
    pub(super) start: usize,
    pub(super) places: &'a [Place],
}
