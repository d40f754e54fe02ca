//! Integers to residues and back: matrix products with the digits.

use super::{
    channel::{normalize, redc},
    matrix,
};
use crate::backend::{
    lanes::{Numbers, Scratch},
    plan::Plan,
    row::Row,
};

/// The stored residues of integers below `2^bits`, given in digits of `w` bits:
/// `sum_k d_k |2^(wk)|_m`. Every residue is below `2 m`.
#[inline(always)]
pub(crate) fn enter<const L: usize>(plan: &Plan, digits: &[Row<u64, L>], out: &mut Numbers<L>) {
    matrix::multiply(&plan.from_digits, digits, &mut out.channels);
    for (channel, lanes) in plan.channels.iter().zip(&mut out.channels) {
        for l in 0..L {
            lanes[l] = normalize(channel, redc(channel, lanes[l]));
        }
    }
}

/// The integer of the product just computed, from its `rh` and `h`:
/// `sum rh_j B/b_j - h B`, in digits of `w` bits.
#[inline(always)]
pub(crate) fn leave<const L: usize>(plan: &Plan, scratch: &Scratch<L>, digits: &mut [Row<u64, L>]) {
    matrix::multiply(&plan.to_digits, &scratch.rh, digits);
    let mask = (1 << plan.w) - 1;
    let mut carry = [0; L];
    for lanes in digits.iter_mut() {
        for l in 0..L {
            let sum = lanes[l] + carry[l];
            lanes[l] = sum & mask;
            carry[l] = sum >> plan.w;
        }
    }
}

/// `x + y` modulo P for numbers below `c P` each: below `2 c P`, every residue below `4 m`.
#[inline(always)]
pub(crate) fn add<const L: usize>(plan: &Plan, x: &mut Numbers<L>, y: &Numbers<L>) {
    for ((channel, x), y) in plan.channels.iter().zip(&mut x.channels).zip(&y.channels) {
        for l in 0..L {
            x[l] = normalize(channel, x[l]) + normalize(channel, y[l]);
        }
    }
}
