//! Loads and stores of AVX-512 registers of eight 64-bit lanes, and rows that are asked for ahead.

use core::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_prefetch, _mm512_loadu_si512, _mm512_set1_epi64, _mm512_storeu_si512,
    _mm512_test_epi64_mask,
};

use crate::row::Row;

/// Number of 64-bit lanes in a register.
pub(crate) const WIDTH: usize = 8;

/// Asks for a row to be brought to the first cache, on any processor.
#[inline]
#[expect(unsafe_code, reason = "a pointer")]
pub(crate) fn prefetch<T, const L: usize>(row: &Row<T, L>) {
    // SAFETY: SSE is part of x86-64, and a prefetch reads nothing.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(row).cast()) };
}

/// Loads the eight lanes of a row from lane `8 index` on.
///
/// # Panics
/// If the row does not have these lanes.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "a load through a pointer")]
pub(crate) fn load<const L: usize>(row: &Row<u64, L>, index: usize) -> __m512i {
    let lanes = &row[index * WIDTH..(index + 1) * WIDTH];
    // SAFETY: the slice has eight lanes of 64 bits, all that the load reads; it needs no
    // alignment.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

/// Loads eight lanes.
///
/// # Panics
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "a load through a pointer")]
pub(crate) fn load_lanes(lanes: &[u64]) -> __m512i {
    let lanes = &lanes[..WIDTH];
    // SAFETY: as in `load`.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

/// Stores a register to the eight lanes of a row from lane `8 index` on.
///
/// # Panics
/// If the row does not have these lanes.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "a store through a pointer")]
pub(crate) fn store<const L: usize>(row: &mut Row<u64, L>, index: usize, value: __m512i) {
    let lanes = &mut row[index * WIDTH..(index + 1) * WIDTH];
    // SAFETY: the slice has eight lanes of 64 bits, all that the store writes; it needs no
    // alignment.
    unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), value) }
}

/// The lanes of all rows as one slice.
#[expect(unsafe_code, reason = "rows are arrays without padding")]
pub(crate) fn flat(rows: &[Row<u64, WIDTH>]) -> &[u64] {
    const { assert!(size_of::<Row<u64, WIDTH>>() == size_of::<[u64; WIDTH]>()) };
    // SAFETY: a row is an array of eight 64-bit lanes without padding (`repr(C)`, and of the same
    // size), so that the memory of the rows is `8 rows.len()` initialized lanes. The slice borrows
    // the rows for the same lifetime.
    unsafe { core::slice::from_raw_parts(rows.as_ptr().cast(), rows.len() * WIDTH) }
}

/// A register with the value in every lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn splat(value: u64) -> __m512i {
    _mm512_set1_epi64(value.cast_signed())
}

/// Whether all lanes are 0.
#[target_feature(enable = "avx512f")]
pub(crate) fn is_zero(x: __m512i) -> bool {
    _mm512_test_epi64_mask(x, x) == 0
}
