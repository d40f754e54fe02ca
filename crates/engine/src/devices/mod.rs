//! The devices. Each has a folder or file here, and an entry in [`registry`].

#[cfg(target_arch = "x86_64")]
mod avx512;
mod float;
#[cfg(target_arch = "x86_64")]
mod fused52;
mod group;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod instrument;
mod interpreter;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod limbs;
mod portable;
#[cfg(target_arch = "x86_64")]
mod radix52;
mod radix64;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod reference;
pub(crate) mod registry;
mod row;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use self::float::FloatPlan;
use crate::{
    device::{DeviceError, Layout, PlanSummary},
    plan::Plan,
};

/// The time of one product of a whole group in nanoseconds, from a device's measured times.
/// Infinite for a layout without measurements.
pub(crate) fn product_ns(measured: &[(Layout, &[(u32, f64)])], layout: Layout, bits: u32) -> f64 {
    let of_layout = measured.iter().find(|(measured, _)| *measured == layout);
    of_layout.map_or(f64::INFINITY, |(_, points)| interpolate(points, bits))
}

/// The time at a size of `bits` bits, interpolated from measured times at sizes in ascending order.
/// The interpolation is linear between the logarithms of size and time. Below the first size the
/// time is constant, and beyond the last it grows with the square of the size. Infinite if there
/// are no measurements.
pub(crate) fn interpolate(points: &[(u32, f64)], bits: u32) -> f64 {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return f64::INFINITY;
    };
    let ratio = |to: u32, from: u32| f64::from(to) / f64::from(from);
    if bits <= first.0 {
        return first.1;
    }
    if bits >= last.0 {
        return last.1 * ratio(bits, last.0).powi(2);
    }
    let above = points.partition_point(|&(size, _)| size < bits);
    let (low, high) = (points[above - 1], points[above]);
    if bits == high.0 {
        return high.1;
    }
    let part = ratio(bits, low.0).ln() / ratio(high.0, low.0).ln();
    low.1 * (high.1 / low.1).powf(part)
}

/// The summary of a plan. A modular product takes one multiplication for each weight of the two
/// extensions, nine for each channel, and for each redundant one a row of weights from either base
/// and 17 more (`docs/engine.md`).
pub(crate) fn residue_summary(plan: &Plan) -> PlanSummary {
    let (a, b) = (plan.a.len(), plan.b.len());
    PlanSummary {
        bits: plan.bits,
        channel_bits: plan.w,
        channels_a: a,
        channels_b: b,
        overshoot: plan.bounds.c,
        multiplications: 2 * a * b + 9 * (a + b) + plan.redundant.len() * (a + b + 1 + 17),
    }
}

/// The error of a device that is asked for a layout it does not have.
fn no_such_layout(layout: Layout) -> DeviceError {
    DeviceError {
        reason: format!("this device has no layout for {layout}"),
    }
}
