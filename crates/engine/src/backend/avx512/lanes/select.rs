//! The constant-time look-up.

use core::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpeq_epi64_mask, _mm512_movm_epi64, _mm512_or_si512,
    _mm512_setzero_si512,
};

use crate::backend::avx512::vector::{WIDTH, load, splat, store};
use crate::backend::{
    lanes::{Numbers, Table},
    row::Row,
};

/// [`Kernels::select`](crate::backend::lanes::Kernels::select). Masks are full registers:
/// every entry is loaded whole, whatever the index.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn select<const L: usize>(
    table: &Table<u64, L>,
    indices: &Row<u64, L>,
    out: &mut Numbers<L>,
) {
    for v in 0..L / WIDTH {
        let index = load(indices, v);
        for (row, entries) in out.channels.iter_mut().zip(table.channels()) {
            let mut selected = _mm512_setzero_si512();
            for (entry, residues) in (0u64..).zip(entries) {
                let mask = equal(index, splat(entry));
                let masked = _mm512_and_si512(load(residues, v), mask);
                selected = _mm512_or_si512(selected, masked);
            }
            store(row, v, selected);
        }
    }
}

/// All ones in the lanes that are equal.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn equal(x: __m512i, y: __m512i) -> __m512i {
    _mm512_movm_epi64(_mm512_cmpeq_epi64_mask(x, y))
}
