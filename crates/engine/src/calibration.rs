//! Times of products measured on this machine, in place of the built-in ones.

use crate::{
    layout::{ForcedLayout, Layout},
    times::interpolate,
};
use core::{fmt, str::FromStr};

/// Measured times of modular products: of each device and layout, at some sizes. The text form has a line for
/// each time: `avx512 lanes16 1024 896.0`, the last in nanoseconds for a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    pub(crate) times: Vec<MeasuredTime>,
}

/// The time of a product of one group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeasuredTime {
    pub(crate) device: String,
    pub(crate) layout: ForcedLayout,
    /// Size of the modulus in bits.
    pub(crate) bits: u32,
    /// Nanoseconds.
    pub(crate) ns: f64,
}

impl Calibration {
    /// Smooths measured times. A group never takes longer than a wider one of its kind, in whose places its numbers
    /// could be: a time above that of the wider group was disturbed, and is replaced by it.
    pub(crate) fn new(mut times: Vec<MeasuredTime>) -> Self {
        let least = |time: &MeasuredTime| {
            let wider = times.iter().filter(|other| {
                (&other.device, other.bits) == (&time.device, time.bits)
                    && other.layout.holds(time.layout)
            });
            wider.map(|other| other.ns).fold(time.ns, f64::min)
        };
        let least: Vec<f64> = times.iter().map(least).collect();
        for (time, least) in times.iter_mut().zip(least) {
            time.ns = least;
        }
        times.sort_by_key(|time| time.bits);
        Self { times }
    }

    /// The time of a product in nanoseconds, if this device and layout have been measured.
    pub(crate) fn product_ns(&self, device: &str, layout: Layout, bits: u32) -> Option<f64> {
        let own = self
            .times
            .iter()
            .filter(|time| time.device == device && time.layout == ForcedLayout::only(layout));
        let points: Vec<(u32, f64)> = own.map(|time| (time.bits, time.ns)).collect();
        (!points.is_empty()).then(|| interpolate(&points, bits))
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for MeasuredTime {
            device,
            layout,
            bits,
            ns,
        } in &self.times
        {
            writeln!(f, "{device} {layout} {bits} {ns:.1}")?;
        }
        Ok(())
    }
}

impl FromStr for Calibration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let time = |line: &str| {
            let mut words = line.split_whitespace();
            let time = MeasuredTime {
                device: words.next()?.into(),
                layout: words.next()?.parse().ok()?,
                bits: words.next()?.parse().ok()?,
                ns: words.next()?.parse().ok()?,
            };
            let is_time = time.ns.is_finite() && time.ns > 0.0 && time.bits > 0;
            (words.next().is_none() && is_time).then_some(time)
        };
        let times = text
            .lines()
            .map(|line| time(line).ok_or_else(|| format!("{line:?} is no measured time")));
        Ok(Self::new(times.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "avx512 lanes16 1024 896.0\nportable lanes4 512 600.5\n";
        let calibration: Calibration = text.parse().unwrap();
        let written: Calibration = calibration.to_string().parse().unwrap();
        assert_eq!(calibration, written);
        let ns = calibration.product_ns("avx512", Layout::Lanes(16), 1024);
        assert_eq!(ns, Some(896.0));
        assert_eq!(
            calibration.product_ns("avx512", Layout::Spread(1), 1024),
            None
        );
        let disturbed: Calibration =
            "a spread1 512 5\na spread2 512 4\nb spread2 512 3\na spread2 256 1\n"
                .parse()
                .unwrap();
        let ns = disturbed.times.iter().map(|time| time.ns);
        assert_eq!(ns.collect::<Vec<_>>(), [1.0, 4.0, 4.0, 3.0]);
        for bad in [
            "x",
            "avx512 lanes16 1024",
            "a lanes16 1024 -1",
            "a beads 1 1",
            "a lanes16 1 2 3",
        ] {
            assert!(bad.parse::<Calibration>().is_err(), "{bad}");
        }
    }
}
