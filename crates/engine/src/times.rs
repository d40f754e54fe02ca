//! Times of products, interpolated from measured ones.

use crate::layout::Layout;

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
