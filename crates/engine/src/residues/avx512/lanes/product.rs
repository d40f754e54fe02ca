//! RNS Montgomery multiplication of a group in lanes, each lane with its own modulus.

use core::arch::x86_64::{_mm_cvtsi32_si128, _mm512_add_epi64, _mm512_srl_epi64};

use crate::{
    instructions::vector::{WIDTH, load, splat, store},
    residues::{
        avx512::{
            lanes::matrix,
            vector::{ChannelVector, Sum},
        },
        lanes::{LaneModuli, LaneNumbers, LaneScratch, Operand},
        plan::Plan,
    },
    row::all_at_most,
};

/// [`Kernels::montgomery`](crate::residues::lanes::Kernels::montgomery).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn montgomery<const L: usize>(
    plan: &Plan,
    moduli: &LaneModuli<L>,
    x: &mut LaneNumbers<L>,
    y: Operand<'_, L>,
    scratch: &mut LaneScratch<L>,
) {
    // The residues in B are followed by the redundant ones.
    let (x_a, x_b) = x.channels.split_at_mut(plan.a.len());
    let other = match y {
        Operand::Itself => None,
        Operand::Other(y) => Some(y.channels.split_at(plan.a.len())),
    };
    let bounds = &plan.bounds;
    debug_assert!(all_at_most(x_a, bounds.x_a) && all_at_most(x_b, bounds.x_b));

    // qh_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}
    for (i, (channel, qh)) in plan
        .channels_a()
        .iter()
        .zip(scratch.qh.iter_mut())
        .enumerate()
    {
        let channel = ChannelVector::new(channel);
        let x = &x_a[i];
        let y = other.map_or(x, |(y_a, _)| &y_a[i]);
        for v in 0..L / WIDTH {
            let s = channel.multiply(load(x, v), load(y, v));
            store(qh, v, channel.multiply(s, load(&moduli.to_quotient[i], v)));
        }
    }
    debug_assert!(all_at_most(&scratch.qh, bounds.qh));

    // t_j = q' in base B;  x_j = |(x y + q' P) A^-1|_{b_j};  rh_j = |x_j (B/b_j)^-1|_{b_j}
    let t = &mut scratch.sums[..x_b.len()];
    matrix::multiply(&plan.a_to_b, plan.channels_beyond_a(), &scratch.qh, t);
    debug_assert!(all_at_most(t, bounds.t));
    // Cox: h = floor(1/2 + sum rh_j / 2^w), a sum of fewer than 2^12 terms below 2^52
    let (rh, h) = scratch.rh.split_at_mut(plan.b.len());
    let cox = &mut h[0];
    cox.fill(1 << (plan.w - 1));
    for (j, channel) in plan.channels_b().iter().enumerate() {
        let channel = ChannelVector::new(channel);
        let x = &mut x_b[j];
        for v in 0..L / WIDTH {
            let factor = load(x, v);
            let y = other.map_or(factor, |(_, y_b)| load(&y_b[j], v));
            let sum = Sum::zero()
                .plus(factor, y)
                .plus(load(&t[j], v), load(&moduli.scaled_p[j], v));
            let product = channel.redc(sum);
            store(x, v, product);
            let rh_j = channel.multiply(product, splat(plan.to_rh[j]));
            store(&mut rh[j], v, rh_j);
            let sum = _mm512_add_epi64(load(cox, v), rh_j);
            store(cox, v, sum);
        }
    }
    for (k, channel) in plan.channels_redundant().iter().enumerate() {
        let (channel, j) = (ChannelVector::new(channel), plan.b.len() + k);
        let x = &mut x_b[j];
        for v in 0..L / WIDTH {
            let factor = load(x, v);
            let y = other.map_or(factor, |(_, y_b)| load(&y_b[j], v));
            let sum = Sum::zero()
                .plus(factor, y)
                .plus(load(&t[j], v), load(&moduli.scaled_p[j], v));
            store(x, v, channel.redc(sum));
        }
    }
    let shift = _mm_cvtsi32_si128(plan.w.cast_signed());
    for v in 0..L / WIDTH {
        let quotient = _mm512_srl_epi64(load(cox, v), shift);
        store(cox, v, quotient);
    }
    debug_assert!(all_at_most(x_b, bounds.x_b));
    debug_assert!(all_at_most(rh, bounds.rh) && all_at_most(h, bounds.h));

    // x_i = |sum rh_j B/b_j - h B|_{a_i}
    matrix::multiply(&plan.b_to_a, plan.channels_a(), &scratch.rh, x_a);
    debug_assert!(all_at_most(x_a, bounds.x_a));
}
