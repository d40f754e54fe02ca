//! A base extension: tiles multiply the digits with the weights, and the sums of two channels are
//! joined in a register for the vector instructions.

use core::arch::x86_64::{__m512i, _mm512_add_epi32};

use super::{
    matrix::TileMatrix,
    tile::{Accumulators, ROWS, Sums, Tiles, WeightRow},
    vector::{SplitSum, add_pair, join, load, store},
};
use crate::devices::row::Row;

/// The residues of 16 numbers in two channels: for each number the even channel's, then the odd
/// channel's.
pub(super) type ResidueRow = Row<u16, 32>;

/// The residues of all numbers of a group in two channels: S sides of 16 numbers each.
pub(super) type ResiduePair<const S: usize> = [ResidueRow; S];

/// Number of sides that the tiles multiply together, called a half: half of the largest group.
pub(super) const HALF: usize = 2;

/// Number of pairs of channels in a block of outputs.
pub(super) const BLOCK_PAIRS: usize = ROWS / 2;

/// The sums of two blocks: one that the tiles store, and one that the vector instructions read.
/// Wiped on drop.
pub(super) struct Workspace {
    sums: [Accumulators; 2],
}

impl Workspace {
    /// A workspace of zeros.
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            sums: [const { [Sums::ZERO; 4] }; 2],
        })
    }
}

/// Multiplies the digits of a group with the blocks of a matrix. Calls `finish(block, half, sums)`
/// once for each block and half, while the tiles compute the next sums.
///
/// Requires the digits of `16 steps` pairs of channels. Sums are those of the tiles, offsets
/// included and extras missing ([`Extras`]).
///
/// The outer loop runs over the blocks. Their weights are the larger part of the data, and come
/// from the nearest cache for the second half. The order of halves and steps alternates, so that
/// either weights or digits stay in their tiles at each turn.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn extend<const S: usize>(
    tiles: &Tiles,
    matrix: &TileMatrix,
    digits: &[ResiduePair<S>],
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
            // SAFETY: `weights(step)` points to 32 rows, `rows(step)` to the first two rows of a
            // half in 16 pairs, which are the size of `ResiduePair<S>` apart, and `offsets` to 16
            // rows.
            unsafe {
                if index > 0 {
                    tiles.step(weights(step), rows(step), size_of::<ResiduePair<S>>());
                } else if item == 0 {
                    tiles.begin(
                        weights(step),
                        rows(step),
                        size_of::<ResiduePair<S>>(),
                        offsets,
                    );
                } else if item % halves == 0 {
                    tiles.turn_to_block(finished, weights(step), offsets);
                } else {
                    tiles.turn_to_half(finished, rows(step), size_of::<ResiduePair<S>>(), offsets);
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

/// A pointer to the first row of a half of the digits of a step, valid for its 16 pairs.
fn side_rows<const S: usize>(
    digits: &[ResiduePair<S>],
    step: usize,
    half: usize,
) -> *const ResidueRow {
    debug_assert!((half + 1) * HALF <= S);
    let pairs = &digits[step * ROWS..(step + 1) * ROWS];
    // Derived from all 16 pairs, so that it is valid for all of them.
    pairs
        .as_ptr()
        .cast::<ResidueRow>()
        .wrapping_add(half * HALF)
}

/// Multiplies the digits of one half of a group with one tile of weights per step. The sums of a
/// side are `sums[side] + sums[HALF + side]`, offsets included ([`single_row`]).
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn extend_single<const S: usize>(
    tiles: &Tiles,
    weights: &[WeightRow],
    offsets: &[Row<u32, ROWS>],
    digits: &[ResiduePair<S>],
    half: usize,
    sums: &mut Accumulators,
) {
    assert!(offsets.len() == ROWS);
    // SAFETY: `offsets` has 16 rows.
    unsafe { tiles.begin_single(offsets.as_ptr()) };
    for (step, weights) in weights.chunks_exact(ROWS).enumerate() {
        let rows = side_rows(digits, step, half);
        // SAFETY: `weights` has 16 rows. `rows` points to the first two rows of a half in 16 pairs,
        // which are the size of `ResiduePair<S>` apart.
        unsafe {
            tiles.step_single(
                weights.as_ptr(),
                rows,
                size_of::<ResiduePair<S>>(),
                step % 2 == 1,
            );
        }
    }
    tiles.finish(sums);
}

/// The extras of an extension, E pairs, with the matrix that has their weights.
pub(super) struct Extras<'a, const E: usize, const S: usize> {
    matrix: &'a TileMatrix,
    rows: &'a [ResiduePair<S>; E],
}

impl<'a, const E: usize, const S: usize> Extras<'a, E, S> {
    /// The extras for the outputs of a matrix. Requires E pairs of extras in the matrix, and the
    /// rows of at least as many.
    pub(super) fn new(matrix: &'a TileMatrix, rows: &'a [ResiduePair<S>]) -> Self {
        debug_assert!(matrix.pairs == E);
        let rows = rows.first_chunk().expect("a row for each pair of extras");
        Self { matrix, rows }
    }

    /// The complete sums T of a block's pair of channels, for both sides of a half. `sums` are those
    /// of [`extend`], and `weights` those of the block.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn pair_of_block(
        &self,
        sums: &Accumulators,
        weights: &[[u32; E]; ROWS],
        place: [usize; 2],
        pair: usize,
    ) -> [SplitSum; HALF] {
        let [even_0, even_1] = self.output_of_block(sums, weights, place, 2 * pair % ROWS);
        let [odd_0, odd_1] = self.output_of_block(sums, weights, place, (2 * pair + 1) % ROWS);
        [
            SplitSum::interleave(even_0, odd_0),
            SplitSum::interleave(even_1, odd_1),
        ]
    }

    /// The complete sum T of a block's output, for both sides of a half.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn output_of_block(
        &self,
        [low_0, low_1, high_0, high_1]: &Accumulators,
        weights: &[[u32; E]; ROWS],
        [block, half]: [usize; 2],
        row: usize,
    ) -> [__m512i; HALF] {
        let mut sums = [
            join(load(&low_0.0[row]), load(&high_0.0[row])),
            join(load(&low_1.0[row]), load(&high_1.0[row])),
        ];
        for (rows, &weights) in self.rows.iter().zip(&weights[row]) {
            for (sum, extra) in sums.iter_mut().zip(load_half(rows, half)) {
                *sum = add_pair(*sum, extra, weights);
            }
        }
        for sum in sums {
            self.matrix.assert_in_range(block * ROWS + row, sum);
        }
        sums
    }

    /// The weights of the extras for a block's 16 outputs.
    #[inline]
    pub(super) fn weights(&self, block: usize) -> &'a [[u32; E]; ROWS] {
        let weights = self.matrix.extras(block * ROWS, ROWS).as_chunks::<E>().0;
        weights.first_chunk().expect("weights for 16 outputs")
    }

    /// The complete sums T of pair number `pair` of the tail channels, for side `side` of a half.
    /// `sums` are those of [`extend_single`] with the tail tiles.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn pair_of_tail(
        &self,
        sums: &Accumulators,
        tails: usize,
        half: usize,
        pair: usize,
        side: usize,
    ) -> SplitSum {
        let join_row = |tail: usize| {
            let output = self.matrix.blocks() * ROWS + tail;
            let low = single_row(sums, tail, side);
            let high = single_row(sums, tails + tail, side);
            let weights = self.matrix.extras(output, 1).first_chunk();
            let weights = weights.expect("weights for this output");
            let sum = self.add(join(low, high), weights, half * HALF + side);
            self.matrix.assert_in_range(output, sum);
            sum
        };
        SplitSum::interleave(join_row(2 * pair), join_row(2 * pair + 1))
    }

    /// `sum` plus the extras times their weights, for one side, modulo `2^32`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn add(&self, mut sum: __m512i, weights: &[u32; E], side: usize) -> __m512i {
        for (row, &weights) in self.rows.iter().zip(weights) {
            sum = add_pair(sum, load(&row[side]), weights);
        }
        sum
    }
}

/// Both sides of a half of a pair of channels.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_half<const S: usize>(pair: &ResiduePair<S>, half: usize) -> [__m512i; HALF] {
    let first = half * HALF % S;
    [load(&pair[first]), load(&pair[(first + 1) % S])]
}

/// Stores both sides of a half of a pair of channels.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_half<const S: usize>(
    pair: &mut ResiduePair<S>,
    half: usize,
    values: [__m512i; HALF],
) {
    let first = half * HALF % S;
    store(&mut pair[first], values[0]);
    store(&mut pair[(first + 1) % S], values[1]);
}

/// One row of the sums of [`extend_single`], for one side.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn single_row(sums: &Accumulators, row: usize, side: usize) -> __m512i {
    _mm512_add_epi32(load(&sums[side].0[row]), load(&sums[HALF + side].0[row]))
}
