//! Integers in and out, on tiles.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi32, _mm512_and_si512, _mm512_or_si512,
    _mm512_setzero_si512, _mm512_sll_epi32, _mm512_srai_epi32, _mm512_ternarylogic_epi32,
};

use zeroize::Zeroizing;

use super::{
    extension::{
        BLOCK_PAIRS, PairRow, SIDES, Workspace, extend, extend_single, pair_of_block, pair_of_tail,
        row_of_single,
    },
    plan::TilePlan,
    product::Numbers,
    tile::{ROWS, Sums, Tiles},
    vector::{Channels, add_pair, load, splat, store},
};
use crate::backend::row::Row;

/// A 32-bit word of each of 16 numbers.
pub(super) type WordRow = Row<u32, 16>;

/// The stored residues of integers below `2^bits`, given in words of 32 bits: a row for each word
/// and side. A word's bytes are four digits.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn enter(tiles: &Tiles, plan: &TilePlan, words: &[[PairRow; SIDES]], out: &mut Numbers) {
    let mut workspace = Workspace::new();
    let pairs = plan.channels() / 2;
    let mains = plan.mains() / 2;
    let digits = words.as_flattened();
    let mut last = Box::new([Sums::ZERO; 4]);
    for (base, matrix) in plan.enter.iter().enumerate() {
        let constants = [&plan.a, &plan.b][base];
        let out = &mut out.pairs[base * pairs..(base + 1) * pairs];
        extend(tiles, matrix, digits, &mut workspace, |block, sums| {
            for pair in 0..BLOCK_PAIRS {
                let index = block * BLOCK_PAIRS + pair;
                let channels = Channels::new(constants.pairs[index]);
                for side in 0..SIDES {
                    let sum = pair_of_block(matrix, sums, block * ROWS, pair, side, &[]);
                    store(&mut out[index][side], channels.redc(sum));
                }
            }
        });
        extend_single(tiles, &matrix.last, &matrix.last_offsets, digits, &mut last);
        for pair in 0..plan.tails / 2 {
            let channels = Channels::new(constants.pairs[mains + pair]);
            for side in 0..SIDES {
                let sum = pair_of_tail(matrix, &last, plan.tails, pair, side, &[]);
                store(&mut out[mains + pair][side], channels.redc(sum));
            }
        }
    }
    for sums in last.iter_mut() {
        sums.wipe();
    }
}

/// The integers of a product, from its residues in B and the extras that its second extension
/// left: words of 32 bits in two's complement, a row for each word and side.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn leave(
    tiles: &Tiles,
    plan: &TilePlan,
    product: &Numbers,
    extras: &[[PairRow; SIDES]],
) -> Zeroizing<Vec<[WordRow; SIDES]>> {
    let matrix = &plan.leave;
    let first = plan.channels() / 2;
    let digits = &product.pairs[first..first + plan.mains() / 2];
    let zeros = [Row([0; ROWS]); ROWS];
    let mut words = Zeroizing::new(vec![[Row([0; 16]); SIDES]; matrix.length / 4]);
    let mut sums = Box::new([Sums::ZERO; 4]);
    let mut carries = [_mm512_setzero_si512(); SIDES];
    for group in 0..matrix.length / ROWS {
        extend_single(
            tiles,
            matrix.tiles(group),
            &zeros,
            digits.as_flattened(),
            &mut sums,
        );
        for side in 0..SIDES {
            for quarter in 0..ROWS / 4 {
                let mut word = _mm512_setzero_si512();
                for byte in 0..4 {
                    let row = 4 * quarter + byte;
                    let mut sum = _mm512_add_epi32(row_of_single(&sums, row, side), carries[side]);
                    let weights = matrix.extras(group * ROWS + row);
                    for (rows, &weights) in extras.iter().zip(weights) {
                        sum = add_pair(sum, load(&rows[side]), weights);
                    }
                    carries[side] = _mm512_srai_epi32::<8>(sum);
                    word = _mm512_or_si512(word, place(sum, byte));
                }
                store(&mut words[group * 4 + quarter][side], word);
            }
        }
    }
    for sums in sums.iter_mut() {
        sums.wipe();
    }
    words
}

/// The low byte of each lane, as byte number `byte` of it.
#[inline]
#[target_feature(enable = "avx512f")]
fn place(sum: __m512i, byte: usize) -> __m512i {
    let shift = _mm_cvtsi32_si128(8 * byte as i32);
    _mm512_sll_epi32(_mm512_and_si512(sum, splat(0xff)), shift)
}

/// Each number's entry of a table, where its mask is all ones: every entry is read, and all but
/// one are masked away. `table` holds, for each pair of channels, all entries in order.
#[target_feature(enable = "avx512f")]
pub(super) fn select(table: &[[PairRow; SIDES]], masks: &[[WordRow; SIDES]], out: &mut Numbers) {
    /// `a | (b & c)`.
    const OR_AND: i32 = 0xf8;
    for (out, entries) in out.pairs.iter_mut().zip(table.chunks_exact(masks.len())) {
        let mut selected = [_mm512_setzero_si512(); SIDES];
        for (residues, mask) in entries.iter().zip(masks) {
            for side in 0..SIDES {
                selected[side] = _mm512_ternarylogic_epi32::<OR_AND>(
                    selected[side],
                    load(&residues[side]),
                    load(&mask[side]),
                );
            }
        }
        for side in 0..SIDES {
            store(&mut out[side], selected[side]);
        }
    }
}
