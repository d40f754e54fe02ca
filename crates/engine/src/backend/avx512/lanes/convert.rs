//! Integers to residues and back, and sums.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_setzero_si512,
    _mm512_sll_epi64, _mm512_srl_epi64,
};

use super::matrix::{self, REGISTERS, ROWS};
use crate::backend::{
    avx512::vector::{Constants, Sum, WIDTH, load, splat, store},
    lanes::{Numbers, Scratch},
    plan::Plan,
    row::Row,
};

/// [`Kernels::enter`](crate::backend::lanes::Kernels::enter).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn enter<const L: usize>(plan: &Plan, digits: &[Row<u64, L>], out: &mut Numbers<L>) {
    matrix::multiply(&plan.from_digits, &plan.channels, digits, &mut out.channels);
    for (channel, row) in plan.channels.iter().zip(&mut out.channels) {
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
    const { assert!(L.is_multiple_of(REGISTERS * WIDTH)) };
    let columns = plan.to_digits.columns();
    let (blocks, rest) = digits.as_chunks_mut::<ROWS>();
    let (block_weights, rest_weights) = plan
        .to_digits
        .weights()
        .split_at(blocks.len() * ROWS * columns);
    for register in (0..L / WIDTH).step_by(REGISTERS) {
        let mut carry = [_mm512_setzero_si512(); REGISTERS];
        for (block, weights) in blocks
            .iter_mut()
            .zip(block_weights.chunks_exact(ROWS * columns))
        {
            let sums = matrix::sums::<ROWS, REGISTERS, L>(weights, &scratch.rh, register);
            write_digits(plan.w, &sums, &mut carry, block, register);
        }
        for (row, weights) in rest.iter_mut().zip(rest_weights.chunks_exact(columns)) {
            let sums = matrix::sums::<1, REGISTERS, L>(weights, &scratch.rh, register);
            write_digits(
                plan.w,
                &sums,
                &mut carry,
                core::array::from_mut(row),
                register,
            );
        }
    }
}

/// Carries R sums on into digits of `w <= 52` bits. The carry stays below `2^62`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn write_digits<const R: usize, const L: usize>(
    w: u32,
    sums: &[[Sum; REGISTERS]; R],
    carry: &mut [__m512i; REGISTERS],
    digits: &mut [Row<u64, L>; R],
    register: usize,
) {
    let mask = splat((1 << w) - 1);
    let down = _mm_cvtsi32_si128(w.cast_signed());
    let up = _mm_cvtsi32_si128(52 - w.cast_signed());
    for r in 0..R {
        for v in 0..REGISTERS {
            // The digit of low + 2^52 high + carry comes from the low part alone.
            let sum = sums[r][v];
            let low = _mm512_add_epi64(sum.low, carry[v]);
            store(&mut digits[r], register + v, _mm512_and_si512(low, mask));
            carry[v] =
                _mm512_add_epi64(_mm512_srl_epi64(low, down), _mm512_sll_epi64(sum.high, up));
        }
    }
}

/// [`Kernels::add`](crate::backend::lanes::Kernels::add).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn add<const L: usize>(plan: &Plan, x: &mut Numbers<L>, y: &Numbers<L>) {
    for ((channel, x), y) in plan.channels.iter().zip(&mut x.channels).zip(&y.channels) {
        let channel = Constants::new(channel);
        for v in 0..L / WIDTH {
            let sum =
                _mm512_add_epi64(channel.normalize(load(x, v)), channel.normalize(load(y, v)));
            store(x, v, sum);
        }
    }
}
