//! A base extension: tiles for the products, and the sums of two channels brought together for
//! the vector instructions.

use core::arch::x86_64::{__m512i, _mm512_add_epi32};

use super::{
    matrix::TileMatrix,
    tile::{Accumulators, ROWS, Sums, Tiles, WeightRow},
    vector::{Wide, add_pair, join, load},
};
use crate::devices::row::Row;

/// Two channels of 16 numbers: the even channel's residue in the low half of each lane's word.
pub(super) type PairRow = Row<u16, 32>;

/// Two channels of all numbers of a group: S sides of 16 numbers.
pub(super) type Pair<const S: usize> = [PairRow; S];

/// Sides that the tiles work on together: half of the largest group.
pub(super) const HALF: usize = 2;

/// Pairs of channels in a block of outputs.
pub(super) const BLOCK_PAIRS: usize = ROWS / 2;

/// Where the sums of a block are kept until the vector instructions have worked on them.
pub(super) struct Workspace {
    sums: [Accumulators; 2],
}

impl Workspace {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            sums: [const { [Sums::ZERO; 4] }; 2],
        })
    }
}

/// Multiplies the digits of a group with the blocks of a matrix, and hands the sums of each block
/// and half to `finish`, while the tiles are at work on what comes next.
///
/// Blocks are the outer loop: their weights, which are the larger part of the data, come from the
/// nearest cache for the second half. Halves and steps are walked to and fro, so that weights or
/// digits stay in their tiles at each turn.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn extend<const S: usize>(
    tiles: &Tiles,
    matrix: &TileMatrix,
    digits: &[Pair<S>],
    workspace: &mut Workspace,
    mut finish: impl FnMut(usize, usize, &Accumulators),
) {
    let steps = matrix.steps;
    let halves = S / HALF;
    let items = matrix.blocks() * halves;
    let place = |item: usize| {
        let (block, position) = (item / halves, item % halves);
        let backwards = block % 2 == 1;
        (
            block,
            if backwards {
                halves - 1 - position
            } else {
                position
            },
        )
    };
    for item in 0..items {
        let (block, half) = place(item);
        let weights = matrix.block(block);
        let weights = |step: usize| weights[step * 2 * ROWS..(step + 1) * 2 * ROWS].as_ptr();
        let rows = |step: usize| side_rows(digits, step, half);
        let offsets = matrix.offsets(block).as_ptr();
        let finished = &mut workspace.sums[(item + 1) % 2];
        for index in 0..steps {
            let step = if item % 2 == 1 {
                steps - 1 - index
            } else {
                index
            };
            // SAFETY: `weights` is a slice of 32 rows, `rows` points to the first two rows of 16
            // pairs that are `Pair<S>` apart, and the offsets of a block are a tile of 16 rows.
            unsafe {
                if index > 0 {
                    tiles.step(weights(step), rows(step), size_of::<Pair<S>>());
                } else if item == 0 {
                    tiles.begin(weights(step), rows(step), size_of::<Pair<S>>(), offsets);
                } else if item % halves == 0 {
                    tiles.turn_to_block(finished, weights(step), offsets);
                } else {
                    tiles.turn_to_half(finished, rows(step), size_of::<Pair<S>>(), offsets);
                }
            }
        }
        if item > 0 {
            let (block, half) = place(item - 1);
            finish(block, half, finished);
        }
    }
    let (block, half) = place(items - 1);
    let finished = &mut workspace.sums[(items - 1) % 2];
    tiles.finish(finished);
    finish(block, half, finished);
}

/// The first row of one half of the digits of a step, for which there are 16 pairs.
fn side_rows<const S: usize>(digits: &[Pair<S>], step: usize, half: usize) -> *const PairRow {
    debug_assert!((half + 1) * HALF <= S);
    let pairs = &digits[step * ROWS..(step + 1) * ROWS];
    // A pointer to all 16 pairs, not to one side of the first.
    pairs.as_ptr().cast::<PairRow>().wrapping_add(half * HALF)
}

/// Multiplies the digits of one half of a group with one tile of weights a step; `sums[side]` and
/// `sums[HALF + side]` add up to the products of a side.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn extend_single<const S: usize>(
    tiles: &Tiles,
    weights: &[WeightRow],
    offsets: &[Row<u32, ROWS>],
    digits: &[Pair<S>],
    half: usize,
    sums: &mut Accumulators,
) {
    assert!(offsets.len() == ROWS);
    // SAFETY: the offsets are a tile of 16 rows.
    unsafe { tiles.begin_single(offsets.as_ptr()) };
    for (step, weights) in weights.chunks_exact(ROWS).enumerate() {
        let rows = side_rows(digits, step, half);
        // SAFETY: 16 rows of weights; `rows` points to the first two rows of 16 pairs that are
        // `Pair<S>` apart.
        unsafe {
            tiles.step_single(weights.as_ptr(), rows, size_of::<Pair<S>>(), step % 2 == 1);
        }
    }
    tiles.finish(sums);
}

/// The extras of an extension: for each pair of them a row for each side, and what they are
/// weighted with.
pub(super) struct Extras<'a, const E: usize, const S: usize> {
    matrix: &'a TileMatrix,
    rows: &'a [Pair<S>; E],
}

impl<'a, const E: usize, const S: usize> Extras<'a, E, S> {
    /// For the outputs of a matrix, which has weights for so many pairs of extras.
    pub(super) fn new(matrix: &'a TileMatrix, rows: &'a [Pair<S>]) -> Self {
        debug_assert!(matrix.pairs == E);
        let rows = rows.first_chunk().expect("a row for each pair of extras");
        Self { matrix, rows }
    }

    /// The sums of a block's pair of channels for side `side` of a half.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn pair_of_block(
        &self,
        sums: &Accumulators,
        weights: &[[u32; E]; ROWS],
        [block, half]: [usize; 2],
        pair: usize,
        side: usize,
    ) -> Wide {
        let join_row = |row: usize| {
            let (low, high) = (&sums[side].0[row], &sums[HALF + side].0[row]);
            let sum = join(load(low), load(high));
            let sum = self.add(sum, &weights[row], half * HALF + side);
            self.matrix.check_range(block * ROWS + row, sum);
            sum
        };
        Wide::interleave(join_row(2 * pair), join_row(2 * pair + 1))
    }

    /// The weights of a block's extras.
    #[inline]
    pub(super) fn weights(&self, block: usize) -> &'a [[u32; E]; ROWS] {
        let weights = self.matrix.extras(block * ROWS, ROWS).as_chunks::<E>().0;
        weights.first_chunk().expect("weights for 16 outputs")
    }

    /// The sums of a pair of tail channels for side `side` of a half; `pair` counts the tails'
    /// pairs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn pair_of_tail(
        &self,
        sums: &Accumulators,
        tails: usize,
        half: usize,
        pair: usize,
        side: usize,
    ) -> Wide {
        let join_row = |tail: usize| {
            let output = self.matrix.blocks() * ROWS + tail;
            let low = row_of_single(sums, tail, side);
            let high = row_of_single(sums, tails + tail, side);
            let weights = self.matrix.extras(output, 1).first_chunk();
            let weights = weights.expect("weights for this output");
            let sum = self.add(join(low, high), weights, half * HALF + side);
            self.matrix.check_range(output, sum);
            sum
        };
        Wide::interleave(join_row(2 * pair), join_row(2 * pair + 1))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn add(&self, mut sum: __m512i, weights: &[u32; E], side: usize) -> __m512i {
        for (row, &weights) in self.rows.iter().zip(weights) {
            sum = add_pair(sum, load(&row[side]), weights);
        }
        sum
    }
}

/// A row of what [`extend_single`] computed.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn row_of_single(sums: &Accumulators, row: usize, side: usize) -> __m512i {
    _mm512_add_epi32(load(&sums[side].0[row]), load(&sums[HALF + side].0[row]))
}
