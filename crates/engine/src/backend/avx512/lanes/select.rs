//! The constant-time look-up.

use core::arch::x86_64::{_mm512_and_si512, _mm512_or_si512, _mm512_setzero_si512};

use crate::backend::{
    avx512::vector::{WIDTH, load, store},
    lanes::{Numbers, Table},
    row::Row,
};

/// [`Kernels::select`](crate::backend::lanes::Kernels::select).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn select<const L: usize>(
    table: &Table<u64, L>,
    masks: &[Row<u64, L>],
    out: &mut Numbers<L>,
) {
    for v in 0..L / WIDTH {
        for (row, entries) in out.channels.iter_mut().zip(table.channels()) {
            let mut selected = _mm512_setzero_si512();
            for (residues, mask) in entries.iter().zip(masks) {
                let masked = _mm512_and_si512(load(residues, v), load(mask, v));
                selected = _mm512_or_si512(selected, masked);
            }
            store(row, v, selected);
        }
    }
}
