//! Conversion from digits to residues and back, linear operations, and sums of products.

use crate::{
    residues::{
        lanes::{LaneNumbers, LaneScratch, Term},
        plan::{Matrix, Plan},
        portable::{
            channel::{multiply, normalize, redc},
            matrix,
        },
    },
    row::Row,
};

/// [`Kernels::enter`](crate::residues::lanes::Kernels::enter).
#[inline(always)]
pub(crate) fn enter<const L: usize>(plan: &Plan, digits: &[Row<u64, L>], out: &mut LaneNumbers<L>) {
    matrix::multiply(&plan.from_digits, digits, &mut out.channels);
    for (channel, lanes) in plan.channels.iter().zip(&mut out.channels) {
        for l in 0..L {
            lanes[l] = normalize(channel, redc(channel, lanes[l]));
        }
    }
}

/// [`Kernels::leave`](crate::residues::lanes::Kernels::leave).
#[inline(always)]
pub(crate) fn leave<const L: usize>(
    plan: &Plan,
    x: &LaneNumbers<L>,
    scratch: &mut LaneScratch<L>,
    digits: &mut [Row<u64, L>],
) {
    let in_b = &x.channels[plan.a.len()..];
    let mut cox = [1 << (plan.w - 1); L];
    for (j, channel) in plan.channels_b().iter().enumerate() {
        let (x, rh) = (&in_b[j], &mut scratch.rh[j]);
        for l in 0..L {
            rh[l] = redc(channel, multiply(x[l], plan.to_rh[j]));
            cox[l] += rh[l];
        }
    }
    for l in 0..L {
        scratch.rh[plan.b.len()][l] = cox[l] >> plan.w;
    }
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

/// [`Kernels::compare`](crate::residues::lanes::Kernels::compare).
#[inline(always)]
pub(crate) fn compare<const L: usize>(
    plan: &Plan,
    weights: &Matrix,
    inputs: &[Row<u64, L>],
    x: &LaneNumbers<L>,
    differences: &mut [Row<u64, L>],
) {
    matrix::multiply(weights, inputs, differences);
    let stored = &x.channels[x.channels.len() - differences.len()..];
    let channels = plan.channels_redundant().iter().zip(stored);
    for ((channel, x), difference) in channels.zip(differences) {
        let m = channel.m;
        for l in 0..L {
            let extended = redc(channel, difference[l]);
            debug_assert!(extended >> 32 == 0);
            let apart = normalize(channel, extended) + 2 * m - normalize(channel, x[l]);
            // From 1 to below 2 m: m where both agree.
            let apart = normalize(channel, apart);
            difference[l] = apart.min(apart.wrapping_sub(m));
        }
    }
}

/// [`Kernels::add`](crate::residues::lanes::Kernels::add).
#[inline(always)]
pub(crate) fn add<const L: usize>(plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
    for ((channel, x), y) in plan.channels.iter().zip(&mut x.channels).zip(&y.channels) {
        for l in 0..L {
            x[l] = normalize(channel, x[l]) + normalize(channel, y[l]);
        }
    }
}

/// [`Kernels::subtract`](crate::residues::lanes::Kernels::subtract).
#[inline(always)]
pub(crate) fn subtract<const L: usize>(plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
    for ((channel, x), y) in plan.channels.iter().zip(&mut x.channels).zip(&y.channels) {
        for l in 0..L {
            x[l] = normalize(channel, x[l]) + 2 * channel.m - normalize(channel, y[l]);
        }
    }
}

/// [`Kernels::scale`](crate::residues::lanes::Kernels::scale).
#[inline(always)]
pub(crate) fn scale<const L: usize>(
    plan: &Plan,
    x: &mut LaneNumbers<L>,
    factor: u32,
    negative: bool,
) {
    let channels = plan.channels.iter().zip(&plan.arithmetic);
    for ((channel, arithmetic), x) in channels.zip(&mut x.channels) {
        for l in 0..L {
            let product = redc(channel, multiply(x[l], factor.into()));
            let residue = redc(channel, multiply(product, arithmetic.radix_squared));
            x[l] = if negative {
                2 * channel.m - residue
            } else {
                residue
            };
        }
    }
}

/// [`Kernels::dot`](crate::residues::lanes::Kernels::dot).
#[inline(always)]
pub(crate) fn dot<const L: usize>(plan: &Plan, terms: &[Term<'_, L>], out: &mut LaneNumbers<L>) {
    for (index, channel) in plan.channels.iter().enumerate() {
        // Below 2 m between terms, so that the next sum is at most 4 m before it is normalized.
        let mut sums = [0; L];
        for (negative, x, y) in terms {
            let (x, y) = (&x.channels[index], &y.channels[index]);
            for l in 0..L {
                let product = redc(channel, multiply(x[l], y[l]));
                let product = normalize(channel, product);
                sums[l] += if *negative {
                    2 * channel.m - product
                } else {
                    product
                };
            }
            for l in 0..L {
                sums[l] = normalize(channel, sums[l]);
            }
        }
        out.channels[index] = Row(sums);
    }
}
