//! A base extension: tiles for the products, and the sums of two channels brought together for
//! the vector instructions.

use super::{
    matrix::TileMatrix,
    tile::{Accumulators, ROWS, Sums, Tiles},
    vector::{Wide, add_pair, join, load},
};
use crate::backend::row::Row;

/// Two channels of 16 numbers: the even channel's residue in the low half of each lane's word.
pub(super) type PairRow = Row<u16, 32>;

/// Registers of numbers side by side: a group has 32 numbers.
pub(super) const SIDES: usize = 2;

/// Pairs of channels in a block of outputs.
pub(super) const BLOCK_PAIRS: usize = ROWS / 2;

/// The extras of an extension: for each pair of extras a row for each side.
pub(super) type Extras<'a> = &'a [[PairRow; SIDES]];

/// Where the sums of a block are kept until the vector instructions have worked on them.
pub(super) struct Workspace {
    sums: [Accumulators; 2],
}

impl Workspace {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            sums: [[Sums::ZERO; 4]; 2],
        })
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        for sums in self.sums.as_flattened_mut() {
            sums.wipe();
        }
    }
}

/// Multiplies the digits of 32 numbers with the blocks of a matrix, and hands each block's sums to
/// `finish`, while the tiles are at work on the next.
///
/// `digits` has two rows for each pair of main channels, and `2 * 64 * steps / 4` rows in all. The
/// steps are walked to and fro, so that a block begins with the digits that the one before ended
/// with.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn extend(
    tiles: &Tiles,
    matrix: &TileMatrix,
    digits: &[PairRow],
    workspace: &mut Workspace,
    mut finish: impl FnMut(usize, &Accumulators),
) {
    let steps = matrix.steps;
    assert!(digits.len() >= steps * 2 * ROWS);
    let rows = |step: usize| digits[step * 2 * ROWS..(step + 1) * 2 * ROWS].as_ptr();
    for block in 0..matrix.blocks() {
        let weights = matrix.block(block);
        let weights = |step: usize| weights[step * 2 * ROWS..(step + 1) * 2 * ROWS].as_ptr();
        let offsets = matrix.offsets(block).as_ptr();
        let backwards = block % 2 == 1;
        for index in 0..steps {
            let step = if backwards { steps - 1 - index } else { index };
            // SAFETY: `weights` and `rows` are slices of 32 rows each, the offsets of a block
            // are a tile of 16 rows.
            unsafe {
                if index > 0 {
                    tiles.step(weights(step), rows(step));
                } else if block == 0 {
                    tiles.begin(weights(step), rows(step), offsets);
                } else {
                    tiles.turn(&mut workspace.sums[(block - 1) % 2], weights(step), offsets);
                }
            }
        }
        if block > 0 {
            finish(block - 1, &workspace.sums[(block - 1) % 2]);
        }
    }
    let last = matrix.blocks() - 1;
    tiles.finish(&mut workspace.sums[last % 2]);
    finish(last, &workspace.sums[last % 2]);
}

/// Multiplies the digits of 32 numbers with one tile of weights a step; `sums[side]` and
/// `sums[SIDES + side]` add up to the products of a side.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn extend_single(
    tiles: &Tiles,
    weights: &[super::tile::WeightRow],
    offsets: &[Row<u32, ROWS>],
    digits: &[PairRow],
    sums: &mut Accumulators,
) {
    let steps = weights.len() / ROWS;
    assert!(offsets.len() == ROWS && digits.len() >= steps * 2 * ROWS);
    // SAFETY: the offsets are a tile of 16 rows.
    unsafe { tiles.begin_single(offsets.as_ptr()) };
    for (step, weights) in weights.chunks_exact(ROWS).enumerate() {
        let rows = &digits[step * 2 * ROWS..(step + 1) * 2 * ROWS];
        // SAFETY: 16 rows of weights, 32 rows of digits.
        unsafe { tiles.step_single(weights.as_ptr(), rows.as_ptr(), step % 2 == 1) };
    }
    tiles.finish(sums);
}

/// The sums of a block's pair of channels for one side, extras added. `first` is the block's first
/// output.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn pair_of_block(
    matrix: &TileMatrix,
    sums: &Accumulators,
    first: usize,
    pair: usize,
    side: usize,
    extras: Extras<'_>,
) -> Wide {
    let [even, odd] = [2 * pair, 2 * pair + 1].map(|row| {
        let low = load(&sums[side].0[row]);
        let high = load(&sums[SIDES + side].0[row]);
        let sum = join(low, high);
        add_extras(matrix, sum, first + row, side, extras)
    });
    Wide::interleave(even, odd)
}

/// The sums of a pair of tail channels for one side, extras added; `pair` counts the tails' pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn pair_of_tail(
    matrix: &TileMatrix,
    sums: &Accumulators,
    tails: usize,
    pair: usize,
    side: usize,
    extras: Extras<'_>,
) -> Wide {
    let mains = matrix.blocks() * ROWS;
    let [even, odd] = [2 * pair, 2 * pair + 1].map(|tail| {
        let sum = join(
            row_of_single(sums, tail, side),
            row_of_single(sums, tails + tail, side),
        );
        add_extras(matrix, sum, mains + tail, side, extras)
    });
    Wide::interleave(even, odd)
}

/// A row of what [`extend_single`] computed.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn row_of_single(
    sums: &Accumulators,
    row: usize,
    side: usize,
) -> core::arch::x86_64::__m512i {
    core::arch::x86_64::_mm512_add_epi32(load(&sums[side].0[row]), load(&sums[SIDES + side].0[row]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn add_extras(
    matrix: &TileMatrix,
    mut sum: core::arch::x86_64::__m512i,
    output: usize,
    side: usize,
    extras: Extras<'_>,
) -> core::arch::x86_64::__m512i {
    for (rows, &weights) in extras.iter().zip(matrix.extras(output)) {
        sum = add_pair(sum, load(&rows[side]), weights);
    }
    matrix.check_range(output, sum);
    sum
}
