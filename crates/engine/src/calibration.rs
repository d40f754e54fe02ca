//! Times of products as this machine takes them, in place of the built-in ones.

use core::{fmt, str::FromStr};
use std::time::Instant;

use crypto_bigint::BoxedUint;

use crate::{
    Engine, EngineError, ForcedLayout, Layout,
    device::{Member, Work},
    devices::interpolate,
    engine::{ProgramKey, size_class},
};

/// Measured times of modular products: of each device and layout, at some sizes. Written and read
/// as text, a line for each time: `avx512 lanes16 1024 896.0`, the last in nanoseconds for a
/// group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    times: Vec<MeasuredTime>,
}

/// The time of a product of one group.
#[derive(Clone, Debug, PartialEq)]
struct MeasuredTime {
    device: String,
    layout: ForcedLayout,
    /// Size of the modulus in bits.
    bits: u32,
    /// Nanoseconds.
    ns: f64,
}

/// The sizes that are measured, in bits.
const SIZES: [u32; 5] = [256, 512, 1024, 2048, 4096];
/// Lengths of the two chains of squarings whose times are compared.
const CHAINS: [u32; 2] = [8, 40];
/// Measurements of each chain, of which the fastest counts.
const REPETITIONS: usize = 7;

impl Calibration {
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
        let mut times: Vec<MeasuredTime> = times.collect::<Result<_, _>>()?;
        times.sort_by_key(|time| time.bits);
        Ok(Self { times })
    }
}

impl Engine {
    /// Measures a modular product of every device and layout of this engine on the calling thread:
    /// a few milliseconds each, more for large moduli.
    ///
    /// # Errors
    /// What a device answers.
    pub fn calibrate(&self) -> Result<Calibration, EngineError> {
        let mut times = Vec::new();
        for bits in SIZES {
            let class = size_class(bits);
            let modulus = self.modulus(&odd(bits))?;
            let programs = CHAINS.map(|squarings| {
                let key = ProgramKey {
                    bits: class,
                    kind: "chain of squarings",
                    parameters: vec![squarings.into()],
                };
                self.programs(key, |builder| {
                    let x = builder.input(class);
                    let power = builder.square_times(x, squarings);
                    builder.output(power);
                })
            });
            let [short, long] = programs;
            let programs = [short?, long?];
            let base = odd(bits).shr(1);
            for (index, device) in self.shared.devices.iter().enumerate() {
                let Ok(prepared) = modulus.prepared(index) else {
                    continue;
                };
                for layout in device.layouts(class) {
                    let inputs = [&base];
                    let member = Member {
                        modulus: &**prepared,
                        constants: None,
                        inputs: &inputs,
                        scalars: &[],
                    };
                    let members = vec![member; layout.width()];
                    let mut fastest = [f64::INFINITY; 2];
                    for _ in 0..REPETITIONS {
                        for (programs, fastest) in programs.iter().zip(&mut fastest) {
                            let Some(program) = &programs.variants[index] else {
                                continue;
                            };
                            let start = Instant::now();
                            let outcome = device.run(&Work {
                                program,
                                layout,
                                members: &members,
                                #[cfg(any(test, feature = "testing"))]
                                instrument: None,
                            });
                            let elapsed = start.elapsed().as_secs_f64() * 1e9;
                            outcome.map_err(|error| EngineError::DeviceFailed {
                                device: device.name(),
                                reason: error.reason,
                            })?;
                            *fastest = fastest.min(elapsed);
                        }
                    }
                    let ns = (fastest[1] - fastest[0]) / f64::from(CHAINS[1] - CHAINS[0]);
                    if ns.is_finite() && ns > 0.0 {
                        times.push(MeasuredTime {
                            device: device.name().into(),
                            layout: ForcedLayout::only(layout),
                            bits: class,
                            ns,
                        });
                    }
                }
            }
        }
        Ok(Calibration { times })
    }

    /// The engine with measured times, by which the scheduler chooses from now on.
    #[must_use]
    pub fn with_calibration(self, calibration: Calibration) -> Self {
        Self::calibrated(self.backend(), self.shared.devices.clone(), calibration)
    }
}

/// An odd number of exactly `bits` bits.
fn odd(bits: u32) -> BoxedUint {
    let ends = BoxedUint::one_with_precision(bits);
    let top = ends.shl(bits - 1);
    let middle = ends.shl(bits / 2);
    top | middle | ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;

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

    /// The scheduler takes the measured times; results stay the same.
    #[test]
    fn measured_times_choose_the_layout() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let text = "portable lanes4 1024 1.0\nportable lanes32 1024 100000.0\n";
        let engine = engine.with_calibration(text.parse().unwrap());
        let explanation = engine.explain(1024, 64, 1).unwrap();
        assert!(
            explanation
                .groups
                .iter()
                .all(|g| g.layout == Layout::Lanes(4))
        );
        assert!(!engine.calibrate().unwrap().to_string().is_empty());
    }
}
