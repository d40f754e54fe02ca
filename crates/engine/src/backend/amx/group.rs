//! Groups of 32 numbers on tiles.

use crypto_bigint::{BoxedUint, Word};
use zeroize::{Zeroize, Zeroizing};

use super::{
    convert::{self, WordRow},
    extension::{PairRow, SIDES},
    modulus::TileModulus,
    plan::TilePlan,
    processor::Amx,
    product::{self, Constants, Numbers, Scratch},
    tile::Tiles,
};
use crate::{
    Task,
    backend::{
        canonical,
        group::{self, Group},
        lanes::masks,
        plan::PreparedModulus,
        row::Row,
    },
};

/// Numbers in a group.
pub(crate) const WIDTH: usize = 32;

/// Numbers of a side.
const SIDE: usize = WIDTH / SIDES;

/// Computes up to [`WIDTH`] tasks of one plan as one group, whose moduli `prepared` all have
/// constants for this backend.
pub(super) fn run(processor: Amx, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
    group::run(tasks, |moduli| TileGroup::new(processor, moduli))
}

/// A table of numbers: for each pair of channels all entries in order.
pub(super) struct Table {
    entries: usize,
    rows: Vec<[PairRow; SIDES]>,
}

impl Drop for Table {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// The constants of the group's moduli, in their lanes.
struct LaneConstants {
    quotient: Zeroizing<Vec<[PairRow; SIDES]>>,
    scaled_p: Zeroizing<Vec<[PairRow; SIDES]>>,
}

struct TileGroup<'a> {
    tiles: Tiles,
    plan: &'a TilePlan,
    /// The matrix with the modulus' constants, if all have the same modulus.
    merged: Option<&'a super::matrix::TileMatrix>,
    lanes: LaneConstants,
    a_squared: Numbers,
    scratch: Scratch,
}

impl<'a> TileGroup<'a> {
    fn new(processor: Amx, moduli: &[&'a PreparedModulus]) -> Self {
        let prepared: Vec<&TileModulus> = moduli
            .iter()
            .filter_map(|m| m.tiles.get()?.as_ref())
            .collect();
        let first = prepared[0];
        let plan = &*first.plan;
        let one_modulus = prepared
            .iter()
            .all(|&modulus| core::ptr::eq(modulus, first));
        let merged = if one_modulus { first.merged() } else { None };
        Self {
            tiles: processor.configure(),
            plan,
            merged,
            lanes: LaneConstants {
                quotient: Zeroizing::new(interleave(&prepared, |m| &m.quotient)),
                scaled_p: Zeroizing::new(interleave(&prepared, |m| &m.scaled_p)),
            },
            a_squared: Numbers {
                pairs: interleave(&prepared, |m| &m.a_squared),
            },
            scratch: Scratch::new(plan),
        }
    }

    fn montgomery(&mut self, x: &mut Numbers, y: Option<&Numbers>) {
        let constants = match self.merged {
            Some(matrix) => Constants::Merged(matrix),
            None => Constants::Lanes {
                quotient: &self.lanes.quotient,
                scaled_p: &self.lanes.scaled_p,
            },
        };
        // SAFETY: `Amx` exists on processors with all that the kernel is compiled for.
        unsafe {
            product::montgomery(&self.tiles, self.plan, constants, x, y, &mut self.scratch);
        }
    }
}

/// A constant per channel of each number's modulus, in its lane.
fn interleave(
    moduli: &[&TileModulus],
    constants: fn(&TileModulus) -> &[u16],
) -> Vec<[PairRow; SIDES]> {
    let mut pairs = vec![[Row([0; 32]); SIDES]; constants(moduli[0]).len() / 2];
    for (number, modulus) in moduli.iter().enumerate() {
        let (side, lane) = (number / SIDE, number % SIDE);
        for (pair, values) in pairs.iter_mut().zip(constants(modulus).chunks_exact(2)) {
            pair[side][2 * lane..2 * lane + 2].copy_from_slice(values);
        }
    }
    pairs
}

impl Group for TileGroup<'_> {
    type Numbers = Numbers;
    type Table = Table;

    const WIDTH: usize = WIDTH;

    fn bits(&self) -> u32 {
        self.plan.bits
    }

    fn enter(&self, words: &[&[Word]], position: usize) -> Numbers {
        let mut rows = Zeroizing::new(vec![[Row([0; 32]); SIDES]; self.plan.mains() / 2]);
        let first = position / Word::BITS as usize;
        for (number, words) in words.iter().enumerate() {
            let (side, lane) = (number / SIDE, number % SIDE);
            for (pair, row) in rows.iter_mut().enumerate() {
                let index = first + pair / 2;
                let word = words.get(index).copied().unwrap_or(0) >> (32 * (pair % 2));
                row[side][2 * lane] = word as u16;
                row[side][2 * lane + 1] = (word >> 16) as u16;
            }
        }
        let mut numbers = Numbers::zero(self.plan);
        // SAFETY: as in `montgomery`.
        unsafe { convert::enter(&self.tiles, self.plan, &rows, &mut numbers) };
        numbers
    }

    fn multiply(&mut self, x: &mut Numbers, y: &Numbers) {
        self.montgomery(x, Some(y));
    }

    fn square(&mut self, x: &mut Numbers) {
        self.montgomery(x, None);
    }

    fn enter_montgomery_form(&mut self, x: &mut Numbers) {
        let y = self.a_squared.clone();
        self.montgomery(x, Some(&y));
    }

    fn add(&self, x: &mut Numbers, y: &Numbers) {
        // SAFETY: as in `montgomery`.
        unsafe { product::add(self.plan, x, y) };
    }

    fn table(&self, entries: usize) -> Table {
        Table {
            entries,
            rows: vec![[Row([0; 32]); SIDES]; entries * self.plan.channels()],
        }
    }

    fn store(&self, table: &mut Table, entry: usize, numbers: &Numbers) {
        let entries = table.rows.iter_mut().skip(entry).step_by(table.entries);
        for (entry, pair) in entries.zip(&numbers.pairs) {
            *entry = *pair;
        }
    }

    fn select(&self, table: &Table, indices: &[u64], out: &mut Numbers) {
        let masks = masks::<[WordRow; SIDES], WIDTH>(table.entries, indices, |masks| {
            core::array::from_fn(|side| {
                Row(core::array::from_fn(|lane| {
                    masks[side * SIDE + lane] as u32
                }))
            })
        });
        // SAFETY: as in `montgomery`.
        unsafe { convert::select(&table.rows, &masks, out) };
    }

    fn leave(&self, product: &Numbers, moduli: &[&PreparedModulus]) -> Vec<BoxedUint> {
        let extras = &self.scratch.extras;
        // SAFETY: as in `montgomery`.
        let words = unsafe { convert::leave(&self.tiles, self.plan, product, extras) };
        moduli
            .iter()
            .enumerate()
            .map(|(number, modulus)| {
                let (side, lane) = (number / SIDE, number % SIDE);
                let word = |index: usize| {
                    let [low, high] = [2 * index, 2 * index + 1].map(|k| words[k][side][lane]);
                    Word::from(low) | Word::from(high) << 32
                };
                let length = modulus.words.len();
                let mut integer = Zeroizing::new((0..=length).map(word).collect::<Vec<_>>());
                // A product is within (-3 c P, 3 c P).
                canonical::canonicalize(&mut integer, &modulus.words, 3 * u64::from(self.plan.c));
                BoxedUint::from_words(integer[..length].iter().copied())
            })
            .collect()
    }
}
