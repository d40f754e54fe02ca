//! Linear combinations of numbers in limbs.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_max_epi64, _mm512_setzero_si512, _mm512_sll_epi64,
    _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
};

use crate::{
    instructions::vector::{load, splat, store},
    limbs::{
        numbers::{Folding, Limb, LimbNumbers},
        plan::{ESTIMATE_SHIFT, LIMB_BITS, LIMB_MASK},
    },
};

/// [`Kernels::combine`](crate::limbs::kernels::Kernels::combine).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn combine(
    terms: &[(i32, &LimbNumbers)],
    lift: u64,
    fold: bool,
    moduli: Folding<'_>,
    out: &mut [Limb],
) {
    match (moduli.plan.limbs, moduli.plan.block) {
        // Each step for a term of a block costs as much as its additions: few blocks are better.
        (8, _) => combine_blocks::<8>(terms, lift, fold, moduli, out),
        (_, 5) => combine_blocks::<5>(terms, lift, fold, moduli, out),
        (_, 4) => combine_blocks::<4>(terms, lift, fold, moduli, out),
        _ => combine_blocks::<3>(terms, lift, fold, moduli, out),
    }
}

/// [`combine`], by blocks of B limbs.
#[target_feature(enable = "avx512f,avx512ifma")]
fn combine_blocks<const B: usize>(
    terms: &[(i32, &LimbNumbers)],
    lift: u64,
    fold: bool,
    moduli: Folding<'_>,
    out: &mut [Limb],
) {
    let limbs = moduli.plan.limbs;
    for (vector, out) in out.chunks_exact_mut(limbs).enumerate() {
        combine_vector::<B>(terms, lift, fold, moduli, vector, out);
    }
}

/// [`combine`] of one vector.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn combine_vector<const B: usize>(
    terms: &[(i32, &LimbNumbers)],
    lift: u64,
    fold: bool,
    moduli: Folding<'_>,
    vector: usize,
    out: &mut [Limb],
) {
    let zero = _mm512_setzero_si512();
    let mask = splat(LIMB_MASK);
    let (out, _) = out.as_chunks_mut::<B>();
    let first = vector * out.len() * B;
    let rows = |limbs: &[Limb], block: usize| -> [__m512i; B] {
        let limbs = &limbs[first + block * B..][..B];
        core::array::from_fn(|k| load(&limbs[k], 0))
    };
    // The carry into a block's lowest limb, and the part above the previous block.
    let (mut carry, mut high) = (zero, zero);
    for (block, out) in out.iter_mut().enumerate() {
        let mut columns = [zero; B];
        columns[0] = high;
        high = zero;
        for (factor, x) in terms {
            let x = rows(&x.limbs, block);
            add_multiple(&mut columns, &mut high, x, i64::from(*factor));
        }
        if lift > 0 {
            let p = rows(moduli.p, block);
            add_multiple(&mut columns, &mut high, p, lift.cast_signed());
        }
        if fold {
            // The sum exceeds F: the part above the highest limb counts, and fits its column.
            let above = _mm512_slli_epi64::<LIMB_BITS>(high);
            columns[B - 1] = _mm512_add_epi64(columns[B - 1], above);
            // Carries from lower limbs change the estimate by less than 1.
            let below = _mm512_srai_epi64::<LIMB_BITS>(columns[B - 2]);
            let top = _mm512_sub_epi64(_mm512_add_epi64(columns[B - 1], below), splat(2));
            let estimate = _mm512_srli_epi64::<ESTIMATE_SHIFT>(_mm512_max_epi64(top, zero));
            let reciprocal = load(&moduli.reciprocals[vector], 0);
            let q = _mm512_madd52hi_epu64(zero, estimate, reciprocal);
            let complement = rows(moduli.complements, block);
            for k in 0..B {
                columns[k] = _mm512_madd52lo_epu64(columns[k], q, complement[k]);
                if k + 1 < B {
                    columns[k + 1] = _mm512_madd52hi_epu64(columns[k + 1], q, complement[k]);
                }
            }
        }
        for (out, &column) in out.iter_mut().zip(&columns) {
            let sum = _mm512_add_epi64(column, carry);
            carry = _mm512_srai_epi64::<LIMB_BITS>(sum);
            store(out, 0, _mm512_and_si512(sum, mask));
        }
    }
}

/// Adds a multiple of some limbs to columns, and the part above these to `high`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_multiple<const B: usize>(
    columns: &mut [__m512i; B],
    high: &mut __m512i,
    x: [__m512i; B],
    factor: i64,
) {
    let size = factor.unsigned_abs();
    if size.is_power_of_two() && size <= 1 << 10 {
        let shift = _mm_cvtsi32_si128(size.trailing_zeros().cast_signed());
        for (column, x) in columns.iter_mut().zip(x) {
            let multiple = if size == 1 {
                x
            } else {
                _mm512_sll_epi64(x, shift)
            };
            *column = if factor < 0 {
                _mm512_sub_epi64(*column, multiple)
            } else {
                _mm512_add_epi64(*column, multiple)
            };
        }
        return;
    }
    let (size, zero) = (splat(size), _mm512_setzero_si512());
    for k in 0..B {
        let above = if k + 1 < B {
            &mut columns[k + 1]
        } else {
            &mut *high
        };
        if factor < 0 {
            let product = _mm512_madd52hi_epu64(zero, x[k], size);
            *above = _mm512_sub_epi64(*above, product);
            let product = _mm512_madd52lo_epu64(zero, x[k], size);
            columns[k] = _mm512_sub_epi64(columns[k], product);
        } else {
            *above = _mm512_madd52hi_epu64(*above, x[k], size);
            columns[k] = _mm512_madd52lo_epu64(columns[k], x[k], size);
        }
    }
}
