//! The constant-time look-up.

use crate::backend::{
    lanes::{Numbers, Table},
    row::Row,
};

/// [`Kernels::select`](crate::backend::lanes::Kernels::select).
#[inline(always)]
pub(crate) fn select<const L: usize>(
    table: &Table<u32, L>,
    masks: &[Row<u32, L>],
    out: &mut Numbers<L>,
) {
    for (lanes, entries) in out.channels.iter_mut().zip(table.channels()) {
        let mut selected = [0u32; L];
        for (residues, mask) in entries.iter().zip(masks) {
            for l in 0..L {
                selected[l] |= residues[l] & mask[l];
            }
        }
        for l in 0..L {
            lanes[l] = selected[l].into();
        }
    }
}
