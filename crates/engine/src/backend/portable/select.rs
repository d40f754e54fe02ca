//! The constant-time look-up.

use crate::backend::{
    lanes::{Numbers, Table},
    row::Row,
};

/// Each lane's entry of the table, at the lane's secret index: every entry is read, and all
/// but one are masked away.
#[inline(always)]
pub(crate) fn select<const L: usize>(
    table: &Table<u32, L>,
    indices: &Row<u64, L>,
    out: &mut Numbers<L>,
) {
    for (lanes, entries) in out.channels.iter_mut().zip(table.channels()) {
        let mut selected = [0u32; L];
        for (entry, residues) in (0u32..).zip(entries) {
            for l in 0..L {
                // All ones where the index is this entry: x - 1 borrows only for x = 0.
                let difference = indices[l] as u32 ^ entry;
                let mask = 0u32.wrapping_sub(difference.wrapping_sub(1) >> 31);
                selected[l] |= residues[l] & mask;
            }
        }
        for l in 0..L {
            lanes[l] = selected[l].into();
        }
    }
}
