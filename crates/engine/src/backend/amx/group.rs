//! Groups of numbers on tiles.

use crypto_bigint::{BoxedUint, Word};
use zeroize::{Zeroize, Zeroizing};

use super::{
    convert::{self, WordRow},
    extension::{HALF, Pair},
    matrix::TileMatrix,
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
        plan::PreparedModulus,
        row::Row,
    },
};

/// Numbers of a side.
const SIDE: usize = 16;

/// Numbers in the largest group, of four sides.
pub(crate) const WIDEST: usize = 4 * SIDE;
/// Numbers in a group of two sides.
pub(crate) const NARROWEST: usize = HALF * SIDE;

/// Computes up to [`WIDEST`] tasks of one plan as one group. All their moduli have constants for
/// this backend.
pub(super) fn run(processor: Amx, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
    let length = tasks[0].exponent.length();
    if tasks.len() <= NARROWEST {
        group::run(tasks, |moduli| {
            TileGroup::<2>::new(processor, moduli, length)
        })
    } else {
        group::run(tasks, |moduli| {
            TileGroup::<4>::new(processor, moduli, length)
        })
    }
}

/// A matrix with a modulus' constants is made for exponents of so many bits and more: it costs as
/// much as it saves in some 250 products.
const MERGING_LENGTH: u32 = 256;

/// The largest size for which such a matrix is worth while: beyond it the tiles take longer than
/// the vector instructions that it saves, and keys would crowd each other out of the cache.
const MERGING_BITS: u32 = 2048;

/// How many entries of a table are read in the time of a product: tables of 64 numbers lie in the
/// second cache, which gives some 48 bytes a cycle at best; a product takes about one and a half
/// times what its tiles and vector instructions would by themselves.
pub(super) fn entries_per_product(bits: u32) -> u32 {
    7 + bits / 140
}

/// A table of numbers: for each pair of channels all entries in order.
pub(super) struct Table<const S: usize> {
    entries: usize,
    rows: Vec<Pair<S>>,
}

impl<const S: usize> Drop for Table<S> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// The constants of the group's moduli: what [`Constants`] borrows.
enum OwnConstants<'a, const S: usize> {
    Merged(&'a TileMatrix),
    Lanes {
        quotient: Zeroizing<Vec<Pair<S>>>,
        scaled_p: Zeroizing<Vec<Pair<S>>>,
    },
}

struct TileGroup<'a, const S: usize> {
    tiles: Tiles,
    plan: &'a TilePlan,
    constants: OwnConstants<'a, S>,
    a_squared: Numbers<S>,
    scratch: Scratch<S>,
}

impl<'a, const S: usize> TileGroup<'a, S> {
    /// A group for exponents of so many bits.
    ///
    /// # Panics
    /// If a modulus has no constants for tiles.
    fn new(processor: Amx, moduli: &[&'a PreparedModulus], length: u32) -> Self {
        let prepared: Vec<&TileModulus> = moduli
            .iter()
            .map(|modulus| {
                let constants = modulus.tiles.get().and_then(Option::as_ref);
                constants.expect("the moduli of a group on tiles have constants for them")
            })
            .collect();
        let first = prepared[0];
        let plan = &*first.plan;
        let one_modulus = prepared
            .iter()
            .all(|&modulus| core::ptr::eq(modulus, first));
        let merged = if !one_modulus || plan.bits > MERGING_BITS {
            None
        } else if length >= MERGING_LENGTH {
            first.merged()
        } else {
            first.merged_before()
        };
        Self {
            // SAFETY: a group is made, used and dropped before the next one on this thread: it
            // waits for no other work.
            tiles: unsafe { processor.configure() },
            plan,
            constants: match merged {
                Some(matrix) => OwnConstants::Merged(matrix),
                None => OwnConstants::Lanes {
                    quotient: Zeroizing::new(interleave(&prepared, |m| &m.quotient)),
                    scaled_p: Zeroizing::new(interleave(&prepared, |m| &m.scaled_p)),
                },
            },
            a_squared: Numbers {
                pairs: interleave(&prepared, |m| &m.a_squared),
            },
            scratch: Scratch::new(plan),
        }
    }

    fn montgomery(&mut self, x: &mut Numbers<S>, y: Option<&Numbers<S>>) {
        let constants = match &self.constants {
            OwnConstants::Merged(matrix) => Constants::Merged(matrix),
            OwnConstants::Lanes { quotient, scaled_p } => Constants::Lanes { quotient, scaled_p },
        };
        // SAFETY: `Amx` exists on processors with all that the kernel is compiled for.
        unsafe {
            product::montgomery(&self.tiles, self.plan, constants, x, y, &mut self.scratch);
        }
    }
}

/// A constant per channel of each number's modulus, in its lane.
fn interleave<const S: usize>(
    moduli: &[&TileModulus],
    constants: fn(&TileModulus) -> &[u16],
) -> Vec<Pair<S>> {
    let mut pairs = vec![[Row([0; 32]); S]; constants(moduli[0]).len() / 2];
    for (number, modulus) in moduli.iter().enumerate() {
        let (side, lane) = (number / SIDE, number % SIDE);
        for (pair, values) in pairs.iter_mut().zip(constants(modulus).chunks_exact(2)) {
            pair[side][2 * lane..2 * lane + 2].copy_from_slice(values);
        }
    }
    pairs
}

/// For each entry of a table all ones for the numbers that ask for it, and zeros for the others.
/// Hidden from the compiler, which could make branches of masks that it knows the making of.
pub(super) fn masks<const S: usize>(
    entries: usize,
    indices: &[u64],
) -> Zeroizing<Vec<[WordRow; S]>> {
    let mut rows = Zeroizing::new([Row([0; SIDE]); S]);
    for (row, indices) in rows.iter_mut().zip(indices.chunks_exact(SIDE)) {
        for (lane, &index) in row.iter_mut().zip(indices) {
            *lane = index as u32;
        }
    }
    let mut masks = Zeroizing::new(vec![[Row([0; SIDE]); S]; entries]);
    // SAFETY: AVX-512F is there wherever there are groups on tiles.
    unsafe { convert::masks(&rows, &mut masks) };
    core::hint::black_box(masks)
}

impl<const S: usize> Group for TileGroup<'_, S> {
    type Numbers = Numbers<S>;
    type Table = Table<S>;

    const WIDTH: usize = S * SIDE;

    fn bits(&self) -> u32 {
        self.plan.bits
    }

    fn one(&self) -> Numbers<S> {
        let mut one = Numbers::zero(self.plan);
        let (in_a, in_b) = one.pairs.split_at_mut(self.plan.channels() / 2);
        in_a.fill([Row([1; 32]); S]);
        for (pair, factors) in in_b
            .iter_mut()
            .zip(self.plan.storage_factor.chunks_exact(2))
        {
            for row in pair {
                for lane in row.chunks_exact_mut(2) {
                    lane[0] = factors[0] as u16;
                    lane[1] = factors[1] as u16;
                }
            }
        }
        one
    }

    fn enter(&self, words: &[&[Word]], position: usize) -> Numbers<S> {
        let mut rows = Zeroizing::new(vec![[Row([0; 32]); S]; self.plan.mains() / 2]);
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

    fn multiply(&mut self, x: &mut Numbers<S>, y: &Numbers<S>) {
        self.montgomery(x, Some(y));
    }

    fn square(&mut self, x: &mut Numbers<S>) {
        self.montgomery(x, None);
    }

    fn enter_montgomery_form(&mut self, x: &mut Numbers<S>) {
        let y = self.a_squared.clone();
        self.montgomery(x, Some(&y));
    }

    fn add(&self, x: &mut Numbers<S>, y: &Numbers<S>) {
        // SAFETY: as in `montgomery`.
        unsafe { product::add(self.plan, x, y) };
    }

    fn table(&self, entries: usize) -> Table<S> {
        Table {
            entries,
            rows: vec![[Row([0; 32]); S]; entries * self.plan.channels()],
        }
    }

    fn store(&self, table: &mut Table<S>, entry: usize, numbers: &Numbers<S>) {
        let entries = table.rows.iter_mut().skip(entry).step_by(table.entries);
        for (entry, pair) in entries.zip(&numbers.pairs) {
            *entry = *pair;
        }
    }

    fn entries_per_product(&self) -> u32 {
        entries_per_product(self.plan.bits)
    }

    fn select(&self, table: &Table<S>, indices: &[u64], out: &mut Numbers<S>) {
        let masks = masks(table.entries, indices);
        // SAFETY: as in `montgomery`.
        unsafe { convert::select(&table.rows, &masks, out) };
    }

    fn leave(&self, product: &Numbers<S>, moduli: &[&PreparedModulus]) -> Vec<BoxedUint> {
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

#[cfg(test)]
mod tests {
    use core::iter;

    use super::*;
    use crate::{
        Backend, Engine,
        backend::{amx::TileEngine, tests::value},
    };

    /// The merged matrix is for groups that have one modulus, and for no others.
    #[test]
    fn constants_are_merged_for_one_modulus() {
        let Ok(tiles) = TileEngine::new() else {
            return;
        };
        let engine = Engine::new(Backend::Amx).unwrap();
        let [one, other] = [1, 2].map(|seed| engine.modulus(&value(1024, seed)).unwrap());
        let [one, other] = [&one, &other].map(|modulus| modulus.prepared());
        assert!(tiles.prepare(one).is_some() && tiles.prepare(other).is_some());
        for others in 0..3 {
            let moduli: Vec<_> = iter::repeat_n(one, NARROWEST - others)
                .chain(iter::repeat_n(other, others))
                .collect();
            let group = TileGroup::<2>::new(tiles.processor, &moduli, MERGING_LENGTH);
            let merged = matches!(group.constants, OwnConstants::Merged(_));
            assert_eq!(merged, others == 0);
        }
    }
}
