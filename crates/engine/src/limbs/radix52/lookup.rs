//! Choices and look-ups of numbers in limbs, in constant time.

use core::arch::x86_64::{
    __m512i, _mm512_permutex2var_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2,
    _mm512_srai_epi64, _mm512_srli_epi64, _mm512_sub_epi64, _mm512_ternarylogic_epi64,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use crate::{
    instructions::vector::{load, load_lanes, splat, store},
    limbs::{
        numbers::{Limb, WIDTH},
        plan::LimbConstants,
    },
    lookup::LaneTable,
    row::Row,
};

/// All ones in the lanes where x = y, and zeros in the others. Both are below `2^63`.
#[inline]
#[target_feature(enable = "avx512f")]
fn equal(x: __m512i, y: __m512i) -> __m512i {
    let difference = _mm512_xor_si512(x, y);
    _mm512_srai_epi64::<63>(_mm512_sub_epi64(difference, splat(1)))
}

/// y where the mask has ones, x where it has zeros.
///
/// Done by logic on registers: the compiler turns a move under a mask from or to memory into a load or a store under
/// that mask, and whether a later load can take its value from such a store depends on the mask.
#[inline]
#[target_feature(enable = "avx512f")]
fn blend(mask: __m512i, x: __m512i, y: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0b1100_1010>(mask, y, x)
}

/// [`Kernels::transpose`](crate::limbs::kernels::Kernels::transpose), in three rounds of pairs: numbers, pairs of numbers
/// and halves of rows.
#[target_feature(enable = "avx512f")]
pub(crate) fn transpose(rows: [&[u64; WIDTH]; WIDTH], out: &mut [Limb]) {
    /// Pairs 0 and 2 of both registers.
    const EVEN: i32 = 0b1000_1000;
    /// Pairs 1 and 3 of both registers.
    const ODD: i32 = 0b1101_1101;
    let [r0, r1, r2, r3, r4, r5, r6, r7] = rows.map(|row| load(&Row(*row), 0));
    let pairs = [(r0, r1), (r2, r3), (r4, r5), (r6, r7)];
    let even = pairs.map(|(x, y)| _mm512_unpacklo_epi64(x, y));
    let odd = pairs.map(|(x, y)| _mm512_unpackhi_epi64(x, y));
    for (parity, [a, b, c, d]) in [even, odd].into_iter().enumerate() {
        let halves = [
            (
                _mm512_shuffle_i64x2::<EVEN>(a, b),
                _mm512_shuffle_i64x2::<EVEN>(c, d),
            ),
            (
                _mm512_shuffle_i64x2::<ODD>(a, b),
                _mm512_shuffle_i64x2::<ODD>(c, d),
            ),
        ];
        for (half, (x, y)) in halves.into_iter().enumerate() {
            let first = 2 * half + parity;
            if let Some(row) = out.get_mut(first) {
                store(row, 0, _mm512_shuffle_i64x2::<EVEN>(x, y));
            }
            if let Some(row) = out.get_mut(first + 4) {
                store(row, 0, _mm512_shuffle_i64x2::<ODD>(x, y));
            }
        }
    }
}

/// [`Kernels::choose`](crate::limbs::kernels::Kernels::choose).
#[target_feature(enable = "avx512f")]
pub(crate) fn choose(bits: &Limb, x: &mut [Limb], y: &[Limb]) {
    let mask = equal(load(bits, 0), splat(1));
    for (x, y) in x.iter_mut().zip(y) {
        store(x, 0, blend(mask, load(x, 0), load(y, 0)));
    }
}

/// [`Kernels::select`](crate::limbs::kernels::Kernels::select).
#[target_feature(enable = "avx512f")]
pub(crate) fn select(table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]) {
    /// Number of entries whose masks are in registers at a time.
    const AT_ONCE: usize = 16;
    /// `a | b & c` as a truth table.
    const OR_AND: i32 = 0b1111_1000;
    let zero = _mm512_setzero_si512();
    let indices = load(indices, 0);
    for first in (0..table.entries()).step_by(AT_ONCE) {
        let masks: [__m512i; AT_ONCE] =
            core::array::from_fn(|entry| equal(indices, splat((first + entry) as u64)));
        for (out, entries) in out.iter_mut().zip(table.words()) {
            let entries = &entries[first..];
            let mut selected = if first == 0 { zero } else { load(out, 0) };
            let mut add = |mask, entry| {
                selected = _mm512_ternarylogic_epi64::<OR_AND>(selected, mask, load(entry, 0));
            };
            if let Some(entries) = entries.first_chunk::<AT_ONCE>() {
                // A loop of this length keeps the masks in registers.
                for k in 0..AT_ONCE {
                    add(masks[k], &entries[k]);
                }
            } else {
                for (entry, mask) in entries.iter().zip(masks) {
                    add(mask, entry);
                }
            }
            store(out, 0, selected);
        }
    }
}

/// Number of entries of which two registers hold a limb each, and out of which each lane picks one at once.
const PICKED: usize = LimbConstants::READ_AHEAD;

/// [`Kernels::select_shared`](crate::limbs::kernels::Kernels::select_shared).
#[target_feature(enable = "avx512f")]
pub(crate) fn select_shared(
    constants: &LimbConstants,
    (first, entries): (usize, usize),
    indices: &Limb,
    out: &mut [Limb],
) {
    /// Number of groups of [`PICKED`] entries whose masks are in registers at a time.
    const GROUPS: usize = 4;
    let indices = load(indices, 0);
    let groups = entries.div_ceil(PICKED);
    for group in (0..groups).step_by(GROUPS) {
        let first = first + group * PICKED;
        match groups - group {
            1 => select_of::<1>(constants, (first, group), indices, out),
            2 => select_of::<2>(constants, (first, group), indices, out),
            3 => select_of::<3>(constants, (first, group), indices, out),
            _ => select_of::<GROUPS>(constants, (first, group), indices, out),
        }
    }
}

/// Takes the numbers of the lanes whose indices are in N groups of entries from `group` on, the first of which is
/// constant `first`; other lanes are unchanged.
#[inline]
#[target_feature(enable = "avx512f")]
fn select_of<const N: usize>(
    constants: &LimbConstants,
    (first, group): (usize, usize),
    indices: __m512i,
    out: &mut [Limb],
) {
    let part = _mm512_srli_epi64::<{ PICKED.ilog2() }>(indices);
    let masks: [__m512i; N] = core::array::from_fn(|k| equal(part, splat((group + k) as u64)));
    for (k, out) in out.iter_mut().enumerate() {
        let limbs = &constants.limbs_from(k, first)[..N * PICKED];
        let mut selected = load(out, 0);
        // The limbs of a group by its index: where an iterator could end between two groups, the compiler does not always
        // put both values of `selected` in the same order, and two builds of a release differ.
        for (group, &mask) in masks.iter().enumerate() {
            let low = load_lanes(&limbs[group * PICKED..][..WIDTH]);
            let high = load_lanes(&limbs[group * PICKED + WIDTH..][..WIDTH]);
            let picked = _mm512_permutex2var_epi64(low, indices, high);
            selected = blend(mask, selected, picked);
        }
        store(out, 0, selected);
    }
}
