//! RNS Montgomery multiplication of a group in lanes, each lane with its own modulus.

use crate::{
    residues::{
        lanes::{LaneModuli, LaneNumbers, LaneScratch, Operand},
        plan::Plan,
        portable::{
            channel::{multiply, redc},
            matrix,
        },
    },
    row::all_at_most,
};

/// [`Kernels::montgomery`](crate::residues::lanes::Kernels::montgomery).
#[inline(always)]
pub(crate) fn montgomery<const L: usize>(
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
    debug_assert!(all_at_most(x_a, bounds.x_a));
    debug_assert!(all_at_most(x_b, bounds.x_b));

    // qh_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}
    for (i, (channel, qh)) in plan
        .channels_a()
        .iter()
        .zip(scratch.qh.iter_mut())
        .enumerate()
    {
        let (x, to_quotient) = (&x_a[i], &moduli.to_quotient[i]);
        let y = other.map_or(x, |(y_a, _)| &y_a[i]);
        for l in 0..L {
            let s = redc(channel, multiply(x[l], y[l]));
            qh[l] = redc(channel, multiply(s, to_quotient[l]));
        }
    }
    debug_assert!(all_at_most(&scratch.qh, bounds.qh));

    // t_j = q' in base B;  x_j = |(x y + q' P) A^-1|_{b_j};  rh_j = |x_j (B/b_j)^-1|_{b_j}
    let sums = &mut scratch.sums[..x_b.len()];
    matrix::multiply(&plan.a_to_b, &scratch.qh, sums);
    // Cox: h = floor(1/2 + sum rh_j / 2^w)
    let mut cox = [1 << (plan.w - 1); L];
    for (j, channel) in plan.channels_b().iter().enumerate() {
        let (x, sum, rh) = (&mut x_b[j], &sums[j], &mut scratch.rh[j]);
        let (scaled_p, to_rh) = (&moduli.scaled_p[j], plan.to_rh[j]);
        let mut product = [0; L];
        let y = other.map_or(&*x, |(_, y_b)| &y_b[j]);
        for l in 0..L {
            product[l] = multiply(x[l], y[l]);
        }
        for l in 0..L {
            let t = redc(channel, sum[l]);
            debug_assert!(t <= bounds.t);
            x[l] = redc(channel, product[l] + multiply(t, scaled_p[l]));
            rh[l] = redc(channel, multiply(x[l], to_rh));
            cox[l] += rh[l];
        }
    }
    for (k, channel) in plan.channels_redundant().iter().enumerate() {
        let j = plan.b.len() + k;
        let (x, sum, scaled_p) = (&mut x_b[j], &sums[j], &moduli.scaled_p[j]);
        let mut product = [0; L];
        let y = other.map_or(&*x, |(_, y_b)| &y_b[j]);
        for l in 0..L {
            product[l] = multiply(x[l], y[l]);
        }
        for l in 0..L {
            let t = redc(channel, sum[l]);
            debug_assert!(t <= bounds.t);
            x[l] = redc(channel, product[l] + multiply(t, scaled_p[l]));
        }
    }
    for l in 0..L {
        scratch.rh[plan.b.len()][l] = cox[l] >> plan.w;
    }
    debug_assert!(all_at_most(x_b, bounds.x_b));
    debug_assert!(all_at_most(&scratch.rh[..plan.b.len()], bounds.rh));
    debug_assert!(all_at_most(&scratch.rh[plan.b.len()..], bounds.h));

    // x_i = |sum rh_j B/b_j - h B|_{a_i}
    let sums = &mut scratch.sums[..plan.a.len()];
    matrix::multiply(&plan.b_to_a, &scratch.rh, sums);
    for ((channel, x), sum) in plan
        .channels_a()
        .iter()
        .zip(x_a.iter_mut())
        .zip(sums.iter())
    {
        for l in 0..L {
            x[l] = redc(channel, sum[l]);
        }
    }
    debug_assert!(all_at_most(x_a, bounds.x_a));
}
