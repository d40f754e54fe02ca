//! Conversion between integers and residues on tiles, and table look-up in constant time.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi32, _mm512_and_si512, _mm512_cmpeq_epi32_mask,
    _mm512_maskz_set1_epi32, _mm512_or_si512, _mm512_setzero_si512, _mm512_sll_epi32,
    _mm512_srai_epi32, _mm512_ternarylogic_epi32,
};

use zeroize::Zeroizing;

use super::{
    extension::{
        BLOCK_PAIRS, Extras, HALF, ResiduePair, Workspace, extend, extend_single, single_row,
        store_half,
    },
    plan::TilePlan,
    product::TileNumbers,
    tile::{ROWS, Sums, Tiles},
    vector::{ChannelPair, add_pair, load, splat, store},
};
use crate::devices::row::Row;

/// One 32-bit word of each of 16 numbers.
pub(super) type WordRow = Row<u32, 16>;

/// `out :=` the stored residues of integers below `2^bits`. Requires a 32-bit word of each integer
/// per pair of main channels; the bytes of a word are four digits. Residues in tail channels are at
/// most [`TAIL_MOST`](super::plan::TAIL_MOST).
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn enter<const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    words: &[ResiduePair<S>],
    out: &mut TileNumbers<S>,
) {
    let mut workspace = Workspace::new();
    let pairs = plan.channels() / 2;
    let mains = plan.mains() / 2;
    let mut tail_sums = Box::new([Sums::ZERO; 4]);
    for (base, matrix) in plan.enter.iter().enumerate() {
        let constants = [&plan.a, &plan.b][base];
        let out = &mut out.pairs[base * pairs..(base + 1) * pairs];
        let extras = Extras::<0, S>::new(matrix, &[]);
        extend(tiles, matrix, words, &mut workspace, |block, half, sums| {
            for pair in 0..BLOCK_PAIRS {
                let index = block * BLOCK_PAIRS + pair;
                let channels = ChannelPair::new(constants.pairs[index]);
                let sums = extras.pair_of_block(sums, &[[]; ROWS], [block, half], pair);
                store_half(&mut out[index], half, channels.redc_each(sums));
            }
        });
        for half in 0..S / HALF {
            let offsets = &matrix.tail_offsets;
            extend_single(
                tiles,
                &matrix.tail_tiles,
                offsets,
                words,
                half,
                &mut tail_sums,
            );
            for pair in 0..plan.tails / 2 {
                let channels = ChannelPair::new(constants.pairs[mains + pair]);
                for side in 0..HALF {
                    let sum = extras.pair_of_tail(&tail_sums, plan.tails, half, pair, side);
                    let row = &mut out[mains + pair][half * HALF + side];
                    store(row, channels.redc(sum));
                }
            }
        }
    }
}

/// The integers of a product in 32-bit words in two's complement, `bits / 32 + 4` words each.
/// Requires the extras of the product: its tail residues in B, and h, as its second extension or
/// [`extras`](super::product::extras) leaves them.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn leave<const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    product: &TileNumbers<S>,
    extras: &[ResiduePair<S>],
) -> Zeroizing<Vec<[WordRow; S]>> {
    let matrix = &plan.leave;
    let first = plan.channels() / 2;
    let digits = &product.pairs[first..first + plan.mains() / 2];
    let zeros = [Row([0; ROWS]); ROWS];
    let mut words = Zeroizing::new(vec![[Row([0; 16]); S]; matrix.length / 4]);
    let mut sums = Box::new([Sums::ZERO; 4]);
    for half in 0..S / HALF {
        let mut carries = [_mm512_setzero_si512(); HALF];
        for group in 0..matrix.length / ROWS {
            let tile = matrix.tiles(group);
            extend_single(tiles, tile, &zeros, digits, half, &mut sums);
            for (side, carry) in carries.iter_mut().enumerate() {
                for quarter in 0..ROWS / 4 {
                    let mut word = _mm512_setzero_si512();
                    for byte in 0..4u8 {
                        let row = 4 * quarter + usize::from(byte);
                        let mut sum = _mm512_add_epi32(single_row(&sums, row, side), *carry);
                        let weights = matrix.extras(group * ROWS + row);
                        for (rows, &weights) in extras.iter().zip(weights) {
                            sum = add_pair(sum, load(&rows[half * HALF + side]), weights);
                        }
                        *carry = _mm512_srai_epi32::<8>(sum);
                        word = _mm512_or_si512(word, low_byte_at(sum, byte));
                    }
                    store(&mut words[group * 4 + quarter][half * HALF + side], word);
                }
            }
        }
    }
    words
}

/// The low byte of each lane, moved to byte `byte` of the lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn low_byte_at(sum: __m512i, byte: u8) -> __m512i {
    let shift = _mm_cvtsi32_si128(8 * i32::from(byte));
    _mm512_sll_epi32(_mm512_and_si512(sum, splat(0xff)), shift)
}

/// `masks :=` for each entry of a table all ones for the numbers whose index it is, and zeros for
/// the others.
#[target_feature(enable = "avx512f")]
pub(super) fn masks<const S: usize>(indices: &[WordRow; S], masks: &mut [[WordRow; S]]) {
    for (entry, rows) in masks.iter_mut().enumerate() {
        for side in 0..S {
            let equal = _mm512_cmpeq_epi32_mask(load(&indices[side]), splat(entry as u32));
            store(&mut rows[side], _mm512_maskz_set1_epi32(equal, -1));
        }
    }
}

/// `out :=` each number's entry of a table, which holds all entries in order for each pair of
/// channels. Requires, for each number, a mask of all ones for one entry and masks of zeros for the
/// others. All entries are read.
#[target_feature(enable = "avx512f")]
pub(super) fn select<const S: usize>(
    table: &[ResiduePair<S>],
    masks: &[[WordRow; S]],
    out: &mut TileNumbers<S>,
) {
    /// `a | (b & c)`.
    const OR_AND: i32 = 0xf8;
    debug_assert!(table.len() == out.pairs.len() * masks.len());
    for (out, entries) in out.pairs.iter_mut().zip(table.chunks_exact(masks.len())) {
        let mut selected = [_mm512_setzero_si512(); S];
        for (residues, mask) in entries.iter().zip(masks) {
            for side in 0..S {
                selected[side] = _mm512_ternarylogic_epi32::<OR_AND>(
                    selected[side],
                    load(&residues[side]),
                    load(&mask[side]),
                );
            }
        }
        for side in 0..S {
            store(&mut out[side], selected[side]);
        }
    }
}

/// `x := y` for the numbers whose mask is all ones. Requires masks of all ones or zeros.
pub(super) fn choose<const S: usize>(
    mask: &[WordRow; S],
    x: &mut TileNumbers<S>,
    y: &TileNumbers<S>,
) {
    for (x, y) in x.pairs.iter_mut().zip(&y.pairs) {
        for side in 0..S {
            for (lane, x) in x[side].iter_mut().enumerate() {
                let mask = mask[side][lane / 2] as u16;
                *x = (*x & !mask) | (y[side][lane] & mask);
            }
        }
    }
}
