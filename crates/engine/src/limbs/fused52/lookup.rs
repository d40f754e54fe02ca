//! Choices and look-ups of numbers in limbs with AVX2, in constant time.
//!
//! Masks pass through `black_box`. If the compiler knows that a mask comes from a comparison, it turns a choice by it
//! into loads and stores under that mask, and whether a later load can take its value from such a store depends on the
//! mask.

use core::hint::black_box;

use crate::{
    limbs::{
        fused52::{avx2::Pair, vector::Lanes},
        numbers::{Limb, WIDTH},
        plan::LimbConstants,
    },
    lookup::LaneTable,
};

/// y where the mask has ones, x where it has zeros.
#[inline(always)]
fn blend(mask: Pair, x: Pair, y: Pair) -> Pair {
    x.xor(x.xor(y).and(mask))
}

/// [`Kernels::transpose`](crate::limbs::kernels::Kernels::transpose).
#[target_feature(enable = "avx2,fma")]
pub(super) fn transpose(rows: [&[u64; WIDTH]; WIDTH], out: &mut [Limb]) {
    /// Number of rows that are filled at a time; what is left is filled number by number.
    const BLOCK: usize = 4;
    let vectors = out.len().min(WIDTH) / BLOCK * BLOCK;
    for first in (0..vectors).step_by(BLOCK) {
        for (row, lanes) in out[first..].iter_mut().zip(Pair::transposed(rows, first)) {
            lanes.store(row);
        }
    }
    for (k, row) in out.iter_mut().enumerate().take(WIDTH).skip(vectors) {
        for (lane, numbers) in rows.iter().enumerate() {
            row[lane] = numbers[k];
        }
    }
}

/// [`Kernels::choose`](crate::limbs::kernels::Kernels::choose).
#[target_feature(enable = "avx2,fma")]
pub(super) fn choose(bits: &Limb, x: &mut [Limb], y: &[Limb]) {
    let mask = black_box(Pair::load(bits).equal(Pair::splat(1)));
    for (x, y) in x.iter_mut().zip(y) {
        blend(mask, Pair::load(x), Pair::load(y)).store(x);
    }
}

/// Entries whose masks are in registers at a time.
const AT_ONCE: usize = 8;

/// The masks of the entries from `first` on.
#[inline(always)]
fn masks(indices: Pair, first: usize) -> [Pair; AT_ONCE] {
    let mut masks = [Pair::splat(0); AT_ONCE];
    for (entry, mask) in masks.iter_mut().enumerate() {
        *mask = indices.equal(Pair::splat((first + entry) as u64));
    }
    black_box(masks)
}

/// [`Kernels::select`](crate::limbs::kernels::Kernels::select).
#[target_feature(enable = "avx2,fma")]
pub(super) fn select(table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]) {
    let indices = Pair::load(indices);
    for first in (0..table.entries()).step_by(AT_ONCE) {
        let masks = masks(indices, first);
        for (out, entries) in out.iter_mut().zip(table.words()) {
            let mut selected = Pair::splat(0);
            if first > 0 {
                selected = Pair::load(out);
            }
            for (entry, mask) in entries[first..].iter().zip(masks) {
                selected = selected.or(Pair::load(entry).and(mask));
            }
            selected.store(out);
        }
    }
}

/// [`Kernels::select_shared`](crate::limbs::kernels::Kernels::select_shared): a register with four entries is permuted
/// for all lanes at a time, and counts in the lanes whose entry is among them.
#[target_feature(enable = "avx2,fma")]
pub(super) fn select_shared(
    constants: &LimbConstants,
    (first, entries): (usize, usize),
    indices: &Limb,
    out: &mut [Limb],
) {
    /// Number of entries in a block.
    const BLOCK: usize = 4;
    /// Number of blocks whose masks are in registers at a time.
    const BLOCKS: usize = 4;
    const _: () = assert!(BLOCKS * BLOCK <= LimbConstants::READ_AHEAD);
    // Lanes that name no entry have an index of ones.
    let indices = Pair::load(indices).and(Pair::splat(u64::MAX >> 1));
    let places = black_box(indices.place_in_block());
    for number in (0..entries).step_by(BLOCKS * BLOCK) {
        let mut masks = [Pair::splat(0); BLOCKS];
        let mut any = Pair::splat(0);
        for (block, mask) in masks.iter_mut().enumerate() {
            let block = (number / BLOCK + block) as u64;
            *mask = indices.block().equal(Pair::splat(block));
            any = any.or(*mask);
        }
        let (masks, any) = (black_box(masks), black_box(any));
        for (k, out) in out.iter_mut().enumerate() {
            let limbs = &constants.limbs_from(k, first)[number..][..BLOCKS * BLOCK];
            let mut selected = Pair::splat(0);
            for (limbs, mask) in limbs.as_chunks().0.iter().zip(masks) {
                selected = selected.or(Pair::pick(limbs, places).and(mask));
            }
            blend(any, Pair::load(out), selected).store(out);
        }
    }
}
