//! Table look-up in constant time.

use crate::{lookup::LaneTable, residues::lanes::LaneNumbers, row::Row};

/// Number of entries per pass over the lanes. With fewer, the compiler unrolls the loop over the
/// lanes instead of vectorizing it.
const STEP: usize = 4;

/// [`Kernels::select`](crate::residues::lanes::Kernels::select).
#[inline(always)]
pub(crate) fn select<const L: usize>(
    table: &LaneTable<u32, L>,
    masks: &[Row<u32, L>],
    out: &mut LaneNumbers<L>,
) {
    let (mask_steps, mask_rest) = masks.as_chunks::<STEP>();
    for (lanes, entries) in out.channels.iter_mut().zip(table.words()) {
        let mut selected = Row([0; L]);
        let (steps, rest) = entries.as_chunks::<STEP>();
        for (residues, masks) in steps.iter().zip(mask_steps) {
            gather(&mut selected, residues, masks);
        }
        for (residues, mask) in rest.iter().zip(mask_rest) {
            gather(&mut selected, &[*residues], &[*mask]);
        }
        for l in 0..L {
            lanes[l] = selected[l].into();
        }
    }
}

/// `selected |= residues & masks`, lane by lane, for each entry.
#[inline(always)]
fn gather<const ENTRIES: usize, const L: usize>(
    selected: &mut Row<u32, L>,
    residues: &[Row<u32, L>; ENTRIES],
    masks: &[Row<u32, L>; ENTRIES],
) {
    for l in 0..L {
        let mut lane = selected[l];
        for e in 0..ENTRIES {
            lane |= residues[e][l] & masks[e][l];
        }
        selected[l] = lane;
    }
}
