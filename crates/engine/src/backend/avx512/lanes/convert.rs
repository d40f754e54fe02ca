//! Integers to residues and back, and sums.

use core::arch::x86_64::{
    _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_setzero_si512, _mm512_sll_epi64,
    _mm512_srl_epi64,
};

use super::matrix;
use crate::backend::avx512::vector::{Constants, WIDTH, load, splat, store};
use crate::backend::{
    lanes::{Numbers, Scratch},
    plan::Plan,
    row::Row,
};

/// [`Kernels::enter`](crate::backend::lanes::Kernels::enter).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn enter<const L: usize>(plan: &Plan, digits: &[Row<u64, L>], out: &mut Numbers<L>) {
    let channels = || plan.channels_a.iter().chain(&plan.channels_b);
    matrix::multiply(&plan.from_digits, channels(), digits, &mut out.channels);
    for (channel, row) in channels().zip(&mut out.channels) {
        let channel = Constants::new(channel);
        for v in 0..L / WIDTH {
            let residue = channel.normalize(load(row, v));
            store(row, v, residue);
        }
    }
}

/// [`Kernels::leave`](crate::backend::lanes::Kernels::leave).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn leave<const L: usize>(plan: &Plan, scratch: &Scratch<L>, digits: &mut [Row<u64, L>]) {
    let columns = plan.to_digits.columns();
    let mask = splat((1 << plan.w) - 1);
    let down = _mm_cvtsi32_si128(plan.w.cast_signed());
    let up = _mm_cvtsi32_si128(52 - plan.w.cast_signed());
    for v in 0..L / WIDTH {
        let mut carry = _mm512_setzero_si512();
        for (row, weights) in digits
            .iter_mut()
            .zip(plan.to_digits.weights().chunks_exact(columns))
        {
            let [[sum]] = matrix::sums::<1, 1, L>(weights, &scratch.rh, v);
            // T + carry = low + 2^52 high + carry, and w divides no further than 52 bits:
            // the digit comes from the low part alone.
            let low = _mm512_add_epi64(sum.low, carry);
            store(row, v, _mm512_and_si512(low, mask));
            carry = _mm512_add_epi64(_mm512_srl_epi64(low, down), _mm512_sll_epi64(sum.high, up));
        }
    }
}

/// [`Kernels::add`](crate::backend::lanes::Kernels::add).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn add<const L: usize>(plan: &Plan, x: &mut Numbers<L>, y: &Numbers<L>) {
    let channels = plan.channels_a.iter().chain(&plan.channels_b);
    for ((channel, x), y) in channels.zip(&mut x.channels).zip(&y.channels) {
        let channel = Constants::new(channel);
        for v in 0..L / WIDTH {
            let sum =
                _mm512_add_epi64(channel.normalize(load(x, v)), channel.normalize(load(y, v)));
            store(x, v, sum);
        }
    }
}
