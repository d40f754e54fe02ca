//! Table look-up in constant time.

use core::arch::x86_64::{_mm512_and_si512, _mm512_or_si512, _mm512_setzero_si512};

use crate::{
    instructions::vector::{WIDTH, load, store},
    lookup::LaneTable,
    residues::lanes::LaneNumbers,
    row::Row,
};

/// [`Kernels::select`](crate::residues::lanes::Kernels::select).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn select<const L: usize>(
    table: &LaneTable<u64, L>,
    masks: &[Row<u64, L>],
    out: &mut LaneNumbers<L>,
) {
    for v in 0..L / WIDTH {
        for (row, entries) in out.channels.iter_mut().zip(table.words()) {
            let mut selected = _mm512_setzero_si512();
            for (residues, mask) in entries.iter().zip(masks) {
                let masked = _mm512_and_si512(load(residues, v), load(mask, v));
                selected = _mm512_or_si512(selected, masked);
            }
            store(row, v, selected);
        }
    }
}
