//! Groups on tiles.

use std::borrow::Cow;

use crypto_bigint::{BoxedUint, Word};
use zeroize::{Zeroize, Zeroizing};

use super::{
    convert::{self, WordRow},
    extension::{HALF, ResiduePair},
    matrix::TileMatrix,
    modulus::{StoredConstants, TileModulus},
    plan::TilePlan,
    processor::Amx,
    product::{self, TileModuliRef, TileNumbers, TileScratch},
    tile::Tiles,
};
use crate::{
    device::{Member, Outcome, Work, own},
    devices::{
        group::{Group, Residues},
        interpreter,
        row::Row,
    },
    plan::canonical,
};

/// Number of numbers in a side: those of a register.
const SIDE: usize = 16;

/// Number of numbers in the largest group, which has four sides.
pub(crate) const WIDEST: usize = 4 * SIDE;
/// Number of numbers in the smallest group, which has two sides.
pub(crate) const NARROWEST: usize = HALF * SIDE;

/// Runs the work as one group of [`NARROWEST`] or of [`WIDEST`] numbers.
pub(super) fn run(processor: Amx, work: &Work<'_>) -> Vec<Outcome> {
    let products = work.program.counts().products;
    if work.layout.width() == NARROWEST {
        interpreter::run(work, |members| {
            TileGroup::<2>::new(processor, members, products)
        })
    } else {
        interpreter::run(work, |members| {
            TileGroup::<4>::new(processor, members, products)
        })
    }
}

/// The least number of products in a program for which the constants of a modulus are merged into a
/// matrix: making the matrix costs about as much as it saves in this many products.
const MERGING_PRODUCTS: u64 = 250;

/// The largest size in bits for which constants are merged. Beyond it the tiles take longer than
/// the vector instructions, of which a merged matrix saves some, and the matrices of several keys
/// would evict each other from the cache.
const MERGING_BITS: u32 = 2048;

/// Number of table entries that are read in the time of one product, an estimate. It assumes that
/// tables of 64 numbers lie in the second-level cache, which delivers at most 48 bytes per cycle,
/// and that a product takes about 1.5 times as long as its tile and vector instructions alone.
pub(super) fn entries_per_product(bits: u32) -> u32 {
    7 + bits / 140
}

/// A table of numbers: for each pair of channels all entries in order. Wiped on drop.
pub(super) struct TileTable<const S: usize> {
    entries: usize,
    rows: Vec<ResiduePair<S>>,
}

impl<const S: usize> Drop for TileTable<S> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// The constants of the group's moduli, from which products borrow them ([`TileModuliRef`]).
enum TileModuli<'a, const S: usize> {
    /// The merged matrix of the only modulus.
    Merged(Cow<'a, TileMatrix>),
    /// The constants of each number's modulus in its lane.
    Lanes {
        to_quotient: Zeroizing<Vec<ResiduePair<S>>>,
        scaled_p: Zeroizing<Vec<ResiduePair<S>>>,
    },
}

#[cfg(any(test, feature = "testing"))]
impl<const S: usize> TileModuli<'_, S> {
    /// Flips the bit of a constant that `place` selects.
    fn flip(&mut self, place: u64) {
        match self {
            Self::Merged(matrix) => matrix.to_mut().flip(place as usize),
            Self::Lanes {
                to_quotient,
                scaled_p,
            } => match place % 2 {
                0 => flip(to_quotient, place / 2),
                _ => flip(scaled_p, place / 2),
            },
        }
    }
}

/// A group of S sides of 16 numbers.
struct TileGroup<'a, const S: usize> {
    tiles: Tiles,
    plan: Cow<'a, TilePlan>,
    prepared: Vec<&'a TileModulus>,
    moduli: TileModuli<'a, S>,
    a_squared: TileNumbers<S>,
    scratch: TileScratch<S>,
}

impl<'a, const S: usize> TileGroup<'a, S> {
    /// The group of these members, for a program of `products` products.
    fn new(processor: Amx, members: &[Member<'a>], products: u64) -> Self {
        let prepared: Vec<&'a TileModulus> =
            members.iter().map(|member| own(member.modulus)).collect();
        let first = prepared[0];
        let plan = &*first.plan;
        let one_modulus = prepared
            .iter()
            .all(|&modulus| core::ptr::eq(modulus, first));
        let merged = if !one_modulus || plan.bits > MERGING_BITS {
            None
        } else if products >= MERGING_PRODUCTS {
            first.merged()
        } else {
            first.merged_before()
        };
        Self {
            // SAFETY: no other `Tiles` exists on this thread. A group is dropped before the thread
            // makes the next one, as its thread does no other work in between.
            tiles: unsafe { processor.configure() },
            plan: Cow::Borrowed(plan),
            moduli: match merged {
                Some(matrix) => TileModuli::Merged(Cow::Borrowed(matrix)),
                None => TileModuli::Lanes {
                    to_quotient: Zeroizing::new(interleave(&prepared, |m| &m.to_quotient)),
                    scaled_p: Zeroizing::new(interleave(&prepared, |m| &m.scaled_p)),
                },
            },
            a_squared: TileNumbers {
                pairs: interleave(&prepared, |m| &m.a_squared),
            },
            scratch: TileScratch::new(plan),
            prepared,
        }
    }

    /// [`product::montgomery`] with the group's constants.
    fn montgomery(&mut self, x: &mut TileNumbers<S>, y: Option<&TileNumbers<S>>) {
        let moduli = match &self.moduli {
            TileModuli::Merged(matrix) => TileModuliRef::Merged(matrix),
            TileModuli::Lanes {
                to_quotient,
                scaled_p,
            } => TileModuliRef::Lanes {
                to_quotient,
                scaled_p,
            },
        };
        // SAFETY: an `Amx` made this group, so the processor has AVX-512 F, BW and VNNI, which the
        // kernel is compiled for.
        unsafe {
            product::montgomery(&self.tiles, &self.plan, moduli, x, y, &mut self.scratch);
        }
    }
}

/// A constant of each channel, with each number's constant in its lane.
fn interleave<const S: usize>(
    moduli: &[&TileModulus],
    constants: fn(&TileModulus) -> &[u16],
) -> Vec<ResiduePair<S>> {
    let mut pairs = vec![[Row([0; 32]); S]; constants(moduli[0]).len() / 2];
    for (number, modulus) in moduli.iter().enumerate() {
        set_number(&mut pairs, number, constants(modulus));
    }
    pairs
}

/// Sets one number to these residues, one per channel.
fn set_number<const S: usize>(pairs: &mut [ResiduePair<S>], number: usize, residues: &[u16]) {
    let (side, lane) = (number / SIDE, number % SIDE);
    for (pair, values) in pairs.iter_mut().zip(residues.chunks_exact(2)) {
        pair[side][2 * lane..2 * lane + 2].copy_from_slice(values);
    }
}

/// The masks of a look-up, for each entry of a table: all ones for the numbers whose index it is,
/// and zeros for the others. Passed through `black_box`, lest the compiler turn masks into
/// branches.
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
    // SAFETY: only groups on tiles, and their tests, call this function; they run only on
    // processors with AVX-512F.
    unsafe { convert::masks(&rows, &mut masks) };
    core::hint::black_box(masks)
}

impl<const S: usize> Group for TileGroup<'_, S> {
    type Numbers = TileNumbers<S>;
    type Table = TileTable<S>;

    const WIDTH: usize = S * SIDE;

    fn zero(&self) -> TileNumbers<S> {
        TileNumbers::zero(&self.plan)
    }

    fn copy(&self, from: &TileNumbers<S>, to: &mut TileNumbers<S>) {
        to.pairs.copy_from_slice(&from.pairs);
    }

    fn enter(&self, words: &[&[Word]], out: &mut TileNumbers<S>) {
        const HALVES: usize = Word::BITS as usize / 32;
        let mut rows = Zeroizing::new(vec![[Row([0; 32]); S]; self.plan.mains() / 2]);
        for (number, words) in words.iter().enumerate() {
            let (side, lane) = (number / SIDE, number % SIDE);
            for (pair, row) in rows.iter_mut().enumerate() {
                let word = words.get(pair / HALVES).copied().unwrap_or(0);
                let word = word >> (32 * (pair % HALVES));
                row[side][2 * lane] = word as u16;
                row[side][2 * lane + 1] = (word >> 16) as u16;
            }
        }
        // SAFETY: as in `montgomery`.
        unsafe { convert::enter(&self.tiles, &self.plan, &rows, out) };
    }

    fn one(&self, out: &mut TileNumbers<S>) {
        let (in_a, in_b) = out.pairs.split_at_mut(self.plan.channels() / 2);
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
    }

    fn montgomery_square(&self, out: &mut TileNumbers<S>) {
        self.copy(&self.a_squared, out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut TileNumbers<S>) {
        for (place, (member, &number)) in members.iter().zip(numbers).enumerate() {
            let constants = member
                .constants
                .expect("the engine has checked that a member brings the program's constants");
            let constants: &StoredConstants = own(constants);
            set_number(&mut out.pairs, place, &constants.0[number as usize]);
        }
    }

    fn multiply(&mut self, x: &mut TileNumbers<S>, y: &TileNumbers<S>) {
        self.montgomery(x, Some(y));
    }

    fn square_times(&mut self, x: &mut TileNumbers<S>, times: u32) {
        for _ in 0..times {
            self.montgomery(x, None);
        }
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &TileNumbers<S>, &TileNumbers<S>)],
        out: &mut TileNumbers<S>,
    ) {
        // SAFETY: as in `montgomery`.
        unsafe { product::dot(&self.plan, terms, out) };
        let radix = product::radix(&self.plan);
        self.montgomery(out, Some(&radix));
    }

    fn combine(
        &self,
        terms: &[(i32, &TileNumbers<S>)],
        _lift: u64,
        _fold: bool,
        spare: &mut TileNumbers<S>,
        out: &mut TileNumbers<S>,
    ) {
        self.combine_residues(terms, spare, out);
    }

    fn choose(&self, bits: &[u64], x: &mut TileNumbers<S>, y: &TileNumbers<S>) {
        let masks = masks::<S>(2, bits);
        convert::choose(&masks[1], x, y);
    }

    fn table(&self, entries: usize) -> TileTable<S> {
        TileTable {
            entries,
            rows: vec![[Row([0; 32]); S]; entries * self.plan.channels()],
        }
    }

    fn store(&self, table: &mut TileTable<S>, entry: usize, numbers: &TileNumbers<S>) {
        let entries = table.rows.iter_mut().skip(entry).step_by(table.entries);
        for (entry, pair) in entries.zip(&numbers.pairs) {
            *entry = *pair;
        }
    }

    fn store_at(&self, table: &mut TileTable<S>, entries: &[u64], numbers: &TileNumbers<S>) {
        for (number, &entry) in entries.iter().enumerate() {
            let (side, lane) = (number / SIDE, 2 * (number % SIDE));
            let rows = table.rows.iter_mut().skip(entry as usize);
            for (row, pair) in rows.step_by(table.entries).zip(&numbers.pairs) {
                row[side][lane..lane + 2].copy_from_slice(&pair[side][lane..lane + 2]);
            }
        }
    }

    fn load(&self, table: &TileTable<S>, entry: usize, out: &mut TileNumbers<S>) {
        let entries = table.rows.iter().skip(entry).step_by(table.entries);
        for (pair, entry) in out.pairs.iter_mut().zip(entries) {
            *pair = *entry;
        }
    }

    fn select(&mut self, table: &TileTable<S>, indices: &[u64], out: &mut TileNumbers<S>) {
        let masks = masks(table.entries, indices);
        // SAFETY: as in `montgomery`.
        unsafe { convert::select(&table.rows, &masks, out) };
    }

    fn select_public(&self, table: &TileTable<S>, indices: &[u64], out: &mut TileNumbers<S>) {
        for (number, &entry) in indices.iter().enumerate() {
            let (side, lane) = (number / SIDE, 2 * (number % SIDE));
            let rows = table.rows.iter().skip(entry as usize);
            for (pair, row) in out.pairs.iter_mut().zip(rows.step_by(table.entries)) {
                pair[side][lane..lane + 2].copy_from_slice(&row[side][lane..lane + 2]);
            }
        }
    }

    fn leave(&mut self, x: &TileNumbers<S>, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        const HALVES: usize = Word::BITS as usize / 32;
        // SAFETY: as in `montgomery`.
        let words = unsafe {
            product::extras(&self.tiles, &self.plan, x, &mut self.scratch);
            convert::leave(&self.tiles, &self.plan, x, &self.scratch.extras)
        };
        self.prepared[..count]
            .iter()
            .enumerate()
            .map(|(number, modulus)| {
                let (side, lane) = (number / SIDE, number % SIDE);
                let word = |index: usize| {
                    (0..HALVES).rev().fold(0, |word: Word, half| {
                        let low = Word::from(words[HALVES * index + half][side][lane]);
                        word.unbounded_shl(32) | low
                    })
                };
                let length = modulus.words.len();
                let integer = Zeroizing::new((0..=length).map(word).collect::<Vec<_>>());
                // Products are within (-3 c P, 3 c P).
                canonical::from_words(integer, &modulus.words, 3 * u64::from(self.plan.c))
            })
            .collect()
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &TileNumbers<S>,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool {
        let (side, lane) = (member / SIDE, 2 * (member % SIDE));
        let pairs = x.pairs.iter();
        let residues: Vec<u16> = pairs
            .flat_map(|pair| [pair[side][lane], pair[side][lane + 1]])
            .collect();
        let modulus = self.prepared[member];
        let plan = &modulus.plan;
        plan.is_within(&residues, modulus.class, &modulus.words, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_residue(&self, x: &mut TileNumbers<S>, place: u64) {
        flip(&mut x.pairs, place);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut TileTable<S>, place: u64) {
        flip(&mut table.rows, place);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let plan = self.plan.clone();
        self.plan.to_mut().flip_weight(place);
        operation(self);
        self.plan = plan;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        self.moduli.flip(place);
        operation(self);
        self.moduli.flip(place);
    }
}

impl<const S: usize> Residues for TileGroup<'_, S> {
    fn add(&self, x: &mut TileNumbers<S>, y: &TileNumbers<S>) {
        // SAFETY: as in `montgomery`.
        unsafe { product::add(&self.plan, x, y) };
    }

    fn subtract(&self, x: &mut TileNumbers<S>, y: &TileNumbers<S>) {
        // SAFETY: as in `montgomery`.
        unsafe { product::subtract(&self.plan, x, y) };
    }

    fn scale(&self, x: &mut TileNumbers<S>, factor: u32, negative: bool) {
        // SAFETY: as in `montgomery`.
        unsafe { product::scale(&self.plan, x, factor, negative) };
    }
}

/// Flips one of the low 11 bits of a residue, which residues of tail channels have, too.
#[cfg(any(test, feature = "testing"))]
#[inline(never)]
fn flip<const S: usize>(pairs: &mut [ResiduePair<S>], place: u64) {
    let (pair, rest) = (place as usize % pairs.len(), place as usize / pairs.len());
    let (side, rest) = (rest % S, rest / S);
    let (lane, bit) = (rest % 32, rest / 32 % 11);
    pairs[pair][side][lane] ^= 1 << bit;
}

#[cfg(test)]
mod tests {
    use core::iter;
    use std::sync::Arc;

    use super::*;
    use crate::{
        devices::{amx::tests::any_modulus, tests::emulate_tiles},
        random::Split,
    };

    /// A member without constants, inputs or scalars.
    fn member(modulus: &TileModulus) -> Member<'_> {
        Member {
            modulus,
            constants: None,
            inputs: &[],
            scalars: &[],
        }
    }

    /// The constants of a group are merged if all its numbers have the same modulus, and only then.
    #[test]
    fn constants_are_merged_for_one_modulus() {
        emulate_tiles();
        let processor = match Amx::acquire() {
            Ok(processor) => processor,
            Err(missing) => return println!("SKIPPED: {missing}"),
        };
        let plan = Arc::new(TilePlan::new(1024, Split::Fixed).unwrap());
        let (one, other) = (any_modulus(&plan, 1).1, any_modulus(&plan, 200).1);
        for others in 0..3 {
            let members: Vec<_> = iter::repeat_n(member(&one), NARROWEST - others)
                .chain(iter::repeat_n(member(&other), others))
                .collect();
            let group = TileGroup::<2>::new(processor, &members, MERGING_PRODUCTS);
            let merged = matches!(group.moduli, TileModuli::Merged(_));
            assert_eq!(merged, others == 0);
        }
    }
}
