//! The prime of P-521.

use super::Prime;
use crate::limbs::segments::{
    columns::{add_constants, propagate, with_high_carry},
    word::{Lift, Word},
};

/// The prime of P-521, `2^521 - 1`, in limbs of 48 bits: `2^528 = 2^7`, without a Montgomery factor.
pub(in crate::limbs) struct P521;

impl Lift<22> for P521 {}

impl Prime<11, 22> for P521 {
    const SIGNED: bool = true;
    const AT_ONCE: usize = 8;

    #[inline(always)]
    fn reduce<W: Word>(columns: [W; 22]) -> [W; 11] {
        let mut sums = [columns[0]; 11];
        for k in 0..11 {
            sums[k] = columns[k].add(columns[k + 11].shift_left::<7>());
        }
        sums
    }

    #[inline(always)]
    fn carry<W: Word>(mut columns: [W; 11]) -> [W; 11] {
        let above = columns[10].shift_right::<41>();
        columns[10] = columns[10].lowest::<41>();
        columns[0] = columns[0].add(above);
        propagate(columns)
    }

    /// `2^20 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 11]) -> [W; 11] {
        const MULTIPLE: [u64; 11] = {
            let mut columns = [0; 11];
            columns[0] = 0u64.wrapping_sub(1 << 20);
            columns[10] = 1 << 61;
            with_high_carry(columns, 48)
        };
        add_constants(columns, MULTIPLE)
    }
}
