//! Measurement of the times of products on this machine.

use std::time::Instant;

use crypto_bigint::BoxedUint;

use crate::{
    Calibration, Engine, EngineError,
    calibration::MeasuredTime,
    device::{Device, Member, Notes, Work},
    job::{ProgramKey, Shared},
    layout::{ForcedLayout, Layout},
    program::{power, size_class},
    schedule,
    times::interpolate,
};

/// The sizes that are measured, in bits.
const SIZES: [u32; 5] = [256, 512, 1024, 2048, 4096];
/// The sizes for which built-in times are scaled by measured ones: also that of BLS12-381 and P-384, the largest one of some
/// devices.
const SCALED_SIZES: [u32; 6] = [256, 384, 512, 1024, 2048, 4096];
/// Numbers of windows in the exponents of the two powers whose times are compared.
const WINDOWS: [u32; 2] = [2, 10];
/// Number of measurements of each power, of which the fastest counts.
const REPETITIONS: usize = 7;
/// Number of bits in a window, as in most powers.
const WIDTH: u32 = 5;

/// The sizes in bits that a quick estimate measures; all other sizes are estimated from them. That of curves is among them:
/// numbers of few words have products of their own.
const QUICK_SIZES: [u32; 3] = [256, 512, 2048];
/// The values of [`WINDOWS`] and [`REPETITIONS`] for a quick estimate.
const QUICK_WINDOWS: [u32; 2] = [1, 8];
const QUICK_REPETITIONS: usize = 5;

impl Engine {
    /// Measures a modular product of every device and layout of this engine on the calling thread, at
    /// sizes from 256 to 4096 bits: a few milliseconds each, more for large moduli. Devices whose products powers do not
    /// measure get their built-in times, times the median ratio of the others that compute with the same unit.
    ///
    /// # Errors
    /// An error of a device.
    pub fn calibrate(&self) -> Result<Calibration, EngineError> {
        let mut times = Vec::new();
        for bits in SIZES {
            times.extend(self.measure(bits, WINDOWS, REPETITIONS)?);
        }
        let others = self
            .shared
            .kinds()
            .filter(|(_, device)| !device.powers_measure_products());
        for (_, device) in others {
            let ratio = self.median_ratio(&times, device.unit());
            for bits in SCALED_SIZES.map(size_class) {
                let layouts = device.layouts(bits).into_iter();
                times.extend(layouts.filter_map(|layout| scaled(&**device, layout, bits, ratio)));
            }
        }
        Ok(Calibration::new(times))
    }

    /// Measures a modular product of 256, 512 and 2048 bits of every device and layout of this engine on the calling
    /// thread, and scales the built-in times of the other sizes by the result. Takes some hundredths of a second in
    /// all.
    ///
    /// # Errors
    /// An error of a device.
    pub fn calibrate_quickly(&self) -> Result<Calibration, EngineError> {
        let mut measured = Vec::new();
        for bits in QUICK_SIZES {
            measured.extend(self.measure(bits, QUICK_WINDOWS, QUICK_REPETITIONS)?);
        }
        Ok(self.scaled(&measured))
    }

    /// The built-in times of all sizes, times the factors by which the measured ones differ from them.
    fn scaled(&self, measured: &[MeasuredTime]) -> Calibration {
        let mut times = Vec::new();
        for (_, device) in self.shared.kinds() {
            // The ratio of the measured to the built-in time, by sizes; a layout that these sizes do not have takes the
            // ratio of the device's others, and a device without any the median ratio of those with the same unit.
            let factors = |layout: Option<Layout>| {
                let of_layout = layout.map(ForcedLayout::only);
                let times = measured.iter().filter(|time| {
                    time.device == device.name() && of_layout.is_none_or(|only| time.layout == only)
                });
                let factors = times.filter_map(|time| {
                    let layouts = device.layouts(time.bits).into_iter();
                    let mut layouts = layouts.filter(|&own| time.layout == ForcedLayout::only(own));
                    let built_in = device.product_ns(layouts.next()?, time.bits);
                    Some((time.bits, time.ns / built_in))
                });
                factors.collect::<Vec<_>>()
            };
            for bits in SCALED_SIZES.map(size_class) {
                for layout in device.layouts(bits) {
                    let mut of_layout = factors(Some(layout));
                    if of_layout.is_empty() {
                        of_layout = factors(None);
                    }
                    if of_layout.is_empty() {
                        let median = self.median_ratio(measured, device.unit());
                        of_layout = QUICK_SIZES.map(|bits| (bits, median)).to_vec();
                    }
                    // Beyond the measured sizes the factor stays.
                    let [.., largest] = QUICK_SIZES;
                    let factor = interpolate(&of_layout, bits.min(largest));
                    times.extend(scaled(&**device, layout, bits, factor));
                }
            }
        }
        Calibration::new(times)
    }

    /// The median ratio of measured to built-in times of devices with this unit; 1 if nothing was measured.
    fn median_ratio(&self, measured: &[MeasuredTime], unit: &str) -> f64 {
        let ratio = |time: &MeasuredTime| {
            let mut kinds = self.shared.kinds();
            let (_, device) =
                kinds.find(|(_, device)| time.device == device.name() && device.unit() == unit)?;
            let layouts = device.layouts(time.bits).into_iter();
            let mut layouts = layouts.filter(|&own| time.layout == ForcedLayout::only(own));
            Some(time.ns / device.product_ns(layouts.next()?, time.bits))
        };
        let mut ratios: Vec<f64> = measured.iter().filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
    }

    /// Measures the times of a product of `bits` bits: by the difference between secret powers with two exponents of
    /// given numbers of windows, each the fastest of several runs, so that squarings, products and look-ups have the
    /// same weights as in powers.
    fn measure(
        &self,
        bits: u32,
        windows: [u32; 2],
        repetitions: usize,
    ) -> Result<Vec<MeasuredTime>, EngineError> {
        let class = size_class(bits);
        let modulus = self.modulus(&odd(bits))?;
        let programs = windows.map(|windows| {
            let key = ProgramKey {
                bits: class,
                kind: "windows of a power",
                parameters: vec![windows.into()],
            };
            self.programs(key, |builder| {
                let x = builder.input(class);
                let exponent = builder.scalar("exponent", WIDTH * windows, true);
                let power = power::windows_of(builder, x, exponent, WIDTH);
                builder.output(power);
            })
        });
        let [short, long] = programs;
        let programs = [short?, long?];
        let base = odd(bits).shr(1);
        let exponents = windows.map(|windows| BoxedUint::one_with_precision(WIDTH * windows));
        let mut times = Vec::new();
        for (index, device) in self.shared.kinds() {
            let Ok(prepared) = modulus.prepared(index) else {
                continue;
            };
            if !device.powers_measure_products() {
                continue;
            }
            for layout in device.layouts(class) {
                let [Some(short), Some(long)] = programs
                    .each_ref()
                    .map(|programs| programs.of_device(index))
                else {
                    continue;
                };
                let inputs = [&base];
                let scalars = exponents.each_ref().map(|exponent| [exponent]);
                let members = scalars.each_ref().map(|scalars| {
                    let member = Member {
                        modulus: &**prepared,
                        constants: None,
                        inputs: &inputs,
                        scalars,
                    };
                    vec![member; layout.width()]
                });
                let mut fastest = [f64::INFINITY; 2];
                for _ in 0..repetitions {
                    for ((program, members), fastest) in
                        [short, long].into_iter().zip(&members).zip(&mut fastest)
                    {
                        let start = Instant::now();
                        let outcome = device.run(&Work {
                            program,
                            layout,
                            members,
                            notes: &Notes::default(),
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
                let [fewer, more] =
                    [short, long].map(|program| schedule::in_products(&**device, program));
                let ns = (fastest[1] - fastest[0]) / (more - fewer);
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
        Ok(times)
    }

    /// The engine with measured times, by which the scheduler chooses from now on.
    #[must_use]
    pub fn with_calibration(self, calibration: Calibration) -> Self {
        let Shared {
            devices, splits, ..
        } = &*self.shared;
        Self::with(self.backend(), devices.clone(), *splits, calibration)
    }
}

/// An odd number of exactly `bits` bits.
fn odd(bits: u32) -> BoxedUint {
    let ends = BoxedUint::one_with_precision(bits);
    let top = ends.shl(bits - 1);
    let middle = ends.shl(bits / 2);
    top | middle | ends
}

/// The built-in time times this factor, if that is a time.
fn scaled(device: &dyn Device, layout: Layout, bits: u32, factor: f64) -> Option<MeasuredTime> {
    let ns = factor * device.product_ns(layout, bits);
    (ns.is_finite() && ns > 0.0).then(|| MeasuredTime {
        device: device.name().into(),
        layout: ForcedLayout::only(layout),
        bits,
        ns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;

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

    /// A quick estimate has a time for each layout at each size: the built-in one times the factor measured at that size, or
    /// at the nearest end of the measured sizes, and between two of them one between theirs.
    #[test]
    fn quick_times_are_built_in_ones_times_a_factor() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let [small, middle, large] = QUICK_SIZES;
        let factors = [(small, 1.5), (middle, 2.0), (large, 3.0)];
        let mut measured = Vec::new();
        for (_, device) in engine.shared.kinds() {
            for (bits, factor) in factors {
                measured.extend(device.layouts(bits).into_iter().map(|layout| MeasuredTime {
                    device: device.name().into(),
                    layout: ForcedLayout::only(layout),
                    bits,
                    ns: factor * device.product_ns(layout, bits),
                }));
            }
        }
        let quick = engine.scaled(&measured);
        for (_, device) in engine.shared.kinds() {
            for layout in device.layouts(1024) {
                let ratio = |bits| {
                    let time = quick.product_ns(device.name(), layout, bits).unwrap();
                    time / device.product_ns(layout, bits)
                };
                for (bits, factor) in [(256, 1.5), (512, 2.0), (2048, 3.0), (4096, 3.0)] {
                    assert!((ratio(bits) / factor - 1.0).abs() < 1e-9, "{layout} {bits}");
                }
                assert!((2.0..=3.0).contains(&ratio(1024)), "{layout}");
            }
        }
    }

    /// Measured times are positive, also if the machine does other work meanwhile.
    #[test]
    fn quick_measurements_have_times() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let quick = engine.calibrate_quickly().unwrap();
        assert!(
            quick
                .times
                .iter()
                .all(|time| time.ns.is_finite() && time.ns > 0.0)
        );
    }
}
