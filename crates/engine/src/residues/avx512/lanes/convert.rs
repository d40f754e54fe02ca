//! Conversion from digits to residues and back, linear operations, and sums of products.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_min_epu64,
    _mm512_setzero_si512, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_sub_epi64,
};

use crate::{
    instructions::vector::{WIDTH, load, splat, store},
    residues::{
        avx512::{
            lanes::matrix::{self, REGISTERS, ROWS},
            vector::{ChannelVector, Sum},
        },
        lanes::{LaneNumbers, LaneScratch, Term},
        plan::{Matrix, Plan},
    },
    row::{Row, all_at_most},
};

/// [`Kernels::enter`](crate::residues::lanes::Kernels::enter).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn enter<const L: usize>(plan: &Plan, digits: &[Row<u64, L>], out: &mut LaneNumbers<L>) {
    matrix::multiply(&plan.from_digits, &plan.channels, digits, &mut out.channels);
    for (channel, row) in plan.channels.iter().zip(&mut out.channels) {
        let channel = ChannelVector::new(channel);
        for v in 0..L / WIDTH {
            let residue = channel.normalize(load(row, v));
            store(row, v, residue);
        }
    }
}

/// [`Kernels::leave`](crate::residues::lanes::Kernels::leave).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn leave<const L: usize>(
    plan: &Plan,
    x: &LaneNumbers<L>,
    scratch: &mut LaneScratch<L>,
    digits: &mut [Row<u64, L>],
) {
    const { assert!(L.is_multiple_of(REGISTERS * WIDTH)) };
    let (rh, h) = scratch.rh.split_at_mut(plan.b.len());
    let cox = &mut h[0];
    cox.fill(1 << (plan.w - 1));
    for (j, channel) in plan.channels_b().iter().enumerate() {
        let channel = ChannelVector::new(channel);
        for v in 0..L / WIDTH {
            let residue = load(&x.channels[plan.a.len() + j], v);
            let rh_j = channel.multiply(residue, splat(plan.to_rh[j]));
            store(&mut rh[j], v, rh_j);
            let sum = _mm512_add_epi64(load(cox, v), rh_j);
            store(cox, v, sum);
        }
    }
    let shift = _mm_cvtsi32_si128(plan.w.cast_signed());
    for v in 0..L / WIDTH {
        let quotient = _mm512_srl_epi64(load(cox, v), shift);
        store(cox, v, quotient);
    }
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

/// Writes R sums as digits of `w` bits, least significant first, and returns the carry to the next digit.
///
/// Requires `3 <= w <= 52`, sums of at most `2^9` products of a weight below `2^w` with a factor
/// below `2^52`, and a carry below `2^62`. Ensures digits below `2^w` and a carry below `2^62`.
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
            // The digit of low + 2^52 high + carry depends on low and carry only.
            let sum = sums[r][v];
            let low = _mm512_add_epi64(sum.low, carry[v]);
            store(&mut digits[r], register + v, _mm512_and_si512(low, mask));
            carry[v] =
                _mm512_add_epi64(_mm512_srl_epi64(low, down), _mm512_sll_epi64(sum.high, up));
        }
    }
}

/// [`Kernels::compare`](crate::residues::lanes::Kernels::compare).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn compare<const L: usize>(
    plan: &Plan,
    weights: &Matrix,
    inputs: &[Row<u64, L>],
    x: &LaneNumbers<L>,
    differences: &mut [Row<u64, L>],
) {
    matrix::multiply(weights, plan.channels_redundant(), inputs, differences);
    debug_assert!(all_at_most(differences, (1 << 52) - 1));
    let stored = &x.channels[x.channels.len() - differences.len()..];
    let channels = plan.channels_redundant().iter().zip(stored);
    for ((channel, x), difference) in channels.zip(differences) {
        let channel = ChannelVector::new(channel);
        for v in 0..L / WIDTH {
            let negative = channel.negate(channel.normalize(load(x, v)));
            let extended = channel.normalize(load(difference, v));
            // From 1 to below 2 m: m where both agree.
            let apart = channel.normalize(_mm512_add_epi64(extended, negative));
            let less = _mm512_sub_epi64(apart, channel.m);
            store(difference, v, _mm512_min_epu64(apart, less));
        }
    }
}

/// [`Kernels::add`](crate::residues::lanes::Kernels::add).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn add<const L: usize>(plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
    for ((channel, x), y) in plan.channels.iter().zip(&mut x.channels).zip(&y.channels) {
        let channel = ChannelVector::new(channel);
        for v in 0..L / WIDTH {
            let sum =
                _mm512_add_epi64(channel.normalize(load(x, v)), channel.normalize(load(y, v)));
            store(x, v, sum);
        }
    }
}

/// [`Kernels::subtract`](crate::residues::lanes::Kernels::subtract).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn subtract<const L: usize>(plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
    for ((channel, x), y) in plan.channels.iter().zip(&mut x.channels).zip(&y.channels) {
        let channel = ChannelVector::new(channel);
        for v in 0..L / WIDTH {
            let negative = channel.negate(channel.normalize(load(y, v)));
            let difference = _mm512_add_epi64(channel.normalize(load(x, v)), negative);
            store(x, v, difference);
        }
    }
}

/// [`Kernels::scale`](crate::residues::lanes::Kernels::scale).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn scale<const L: usize>(
    plan: &Plan,
    x: &mut LaneNumbers<L>,
    factor: u32,
    negative: bool,
) {
    let factor = splat(factor.into());
    let channels = plan.channels.iter().zip(&plan.arithmetic);
    for ((constants, arithmetic), x) in channels.zip(&mut x.channels) {
        let channel = ChannelVector::new(constants);
        let square = splat(arithmetic.radix_squared);
        for v in 0..L / WIDTH {
            let product = channel.multiply(channel.multiply(load(x, v), factor), square);
            let residue = if negative {
                channel.negate(product)
            } else {
                product
            };
            store(x, v, residue);
        }
    }
}

/// [`Kernels::dot`](crate::residues::lanes::Kernels::dot).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn dot<const L: usize>(plan: &Plan, terms: &[Term<'_, L>], out: &mut LaneNumbers<L>) {
    for (index, channel) in plan.channels.iter().enumerate() {
        let channel = ChannelVector::new(channel);
        for v in 0..L / WIDTH {
            let mut sum = _mm512_setzero_si512();
            for (negative, x, y) in terms {
                let (x, y) = (load(&x.channels[index], v), load(&y.channels[index], v));
                let product = channel.normalize(channel.multiply(x, y));
                let product = if *negative {
                    channel.negate(product)
                } else {
                    product
                };
                // Below 4 m before it is normalized, and below 2 m after it.
                sum = channel.normalize(_mm512_add_epi64(sum, product));
            }
            store(&mut out.channels[index], v, sum);
        }
    }
}
