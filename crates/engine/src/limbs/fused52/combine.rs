//! Linear combinations of numbers in limbs.

use crate::limbs::{
    fused52::vector::Lanes,
    numbers::{Folding, Limb, LimbNumbers},
    plan::{ESTIMATE_SHIFT, LIMB_BITS, LIMB_MASK},
};

/// [`Kernels::combine`](crate::limbs::kernels::Kernels::combine).
#[inline(always)]
pub(super) fn combine<V: Lanes>(
    terms: &[(i32, &LimbNumbers)],
    lift: u64,
    fold: bool,
    moduli: Folding<'_>,
    out: &mut [Limb],
) {
    match moduli.plan.block {
        5 => combine_blocks::<V, 5>(terms, lift, fold, moduli, out),
        4 => combine_blocks::<V, 4>(terms, lift, fold, moduli, out),
        _ => combine_blocks::<V, 3>(terms, lift, fold, moduli, out),
    }
}

/// [`combine`], by blocks of B limbs. Sums of limbs times factors, and halves of the products of limbs of P with the lift,
/// are below `2^63` in absolute value.
#[inline(always)]
fn combine_blocks<V: Lanes, const B: usize>(
    terms: &[(i32, &LimbNumbers)],
    lift: u64,
    fold: bool,
    moduli: Folding<'_>,
    out: &mut [Limb],
) {
    let mask = V::splat(LIMB_MASK);
    let blocks = moduli.plan.limbs / B;
    let (out, _) = out.as_chunks_mut::<B>();
    // The carry into a block's lowest limb, and the part of the lift above the previous block.
    let (mut carry, mut high) = (V::splat(0), V::splat(0));
    for (block, out) in out.iter_mut().enumerate() {
        if block % blocks == 0 {
            (carry, high) = (V::splat(0), V::splat(0));
        }
        let mut columns = [V::splat(0); B];
        columns[0] = high;
        high = V::splat(0);
        for (factor, x) in terms {
            let x = load::<V, B>(&x.limbs, block);
            add_multiple(&mut columns, x, i64::from(*factor));
        }
        if lift > 0 {
            let p = load::<V, B>(moduli.p, block);
            if lift <= LARGEST_SHIFTED {
                add_multiple(&mut columns, p, lift.cast_signed());
            } else {
                add_lift(&mut columns, &mut high, p, lift);
            }
        }
        if fold {
            // Carries from lower limbs change the estimate by less than 1.
            let below = columns[B - 2].carry();
            let top = columns[B - 1].add(below).sub(V::splat(2));
            let estimate = top.or_zero().shift_right::<ESTIMATE_SHIFT>().factor();
            let reciprocal = V::load(&moduli.reciprocals[block / blocks]).factor();
            let q = V::floor(estimate, reciprocal).factor();
            let complement = load::<V, B>(moduli.complements, block);
            for k in 0..B {
                let limb = complement[k].factor();
                columns[k] = V::low(columns[k], q, limb).sub(V::splat(V::LOW_BIAS));
                if k + 1 < B {
                    let sum = V::high(columns[k + 1], q, limb);
                    columns[k + 1] = sum.sub(V::splat(V::HIGH_BIAS));
                }
            }
        }
        for k in 0..B {
            let sum = columns[k].add(carry);
            carry = sum.carry();
            sum.and(mask).store(&mut out[k]);
        }
    }
}

/// The limbs of a block.
#[inline(always)]
fn load<V: Lanes, const B: usize>(limbs: &[Limb], block: usize) -> [V; B] {
    let limbs = &limbs[block * B..][..B];
    let mut loaded = [V::load(&limbs[0]); B];
    for k in 1..B {
        loaded[k] = V::load(&limbs[k]);
    }
    loaded
}

/// The largest factor of [`add_multiple`].
const LARGEST_SHIFTED: u64 = 1 << 10;

/// Adds the limbs of P times a lift below `2^52` to columns, and the part above these to `high`. Lifts are as large as
/// the magnitudes of what is subtracted, which factors do not bound.
#[inline(always)]
fn add_lift<V: Lanes, const B: usize>(columns: &mut [V; B], high: &mut V, p: [V; B], lift: u64) {
    let lift = V::splat(lift).factor();
    for k in 0..B {
        let limb = p[k].factor();
        columns[k] = V::low(columns[k], lift, limb).sub(V::splat(V::LOW_BIAS));
        let above = if k + 1 < B {
            &mut columns[k + 1]
        } else {
            &mut *high
        };
        *above = V::high(*above, lift, limb).sub(V::splat(V::HIGH_BIAS));
    }
}

/// Adds a multiple of some limbs to columns, by shifts: a power of two for each digit of the factor in its non-adjacent
/// form. Requires a factor of at most `2^10` in absolute value.
#[inline(always)]
fn add_multiple<V: Lanes, const B: usize>(columns: &mut [V; B], x: [V; B], factor: i64) {
    let mut rest = factor;
    while rest != 0 {
        let shift = rest.trailing_zeros();
        let odd = rest >> shift;
        // The digit is 1 or -1; the rest is then a multiple of four.
        let digit = 2 - (odd & 3);
        for k in 0..B {
            let multiple = if shift == 0 {
                x[k]
            } else {
                x[k].shift_left(shift)
            };
            columns[k] = if digit < 0 {
                columns[k].sub(multiple)
            } else {
                columns[k].add(multiple)
            };
        }
        rest = (odd - digit) << shift;
    }
}

const _: () = assert!(LIMB_BITS + 11 < u64::BITS);
