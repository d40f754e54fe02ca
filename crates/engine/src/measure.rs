//! Measuring how long products take on this machine.

use core::cell::RefCell;
use std::time::Instant;

use crypto_bigint::BoxedUint;

use crate::{
    Calibration, Engine, EngineError,
    calibration::MeasuredTime,
    device::{ForcedLayout, Member, Work},
    job::{ProgramKey, Shared},
    size::size_class,
};

/// The sizes that are measured, in bits.
const SIZES: [u32; 5] = [256, 512, 1024, 2048, 4096];
/// Lengths of the two chains of squarings whose times are compared.
const CHAINS: [u32; 2] = [8, 40];
/// Measurements of each chain, of which the fastest counts.
const REPETITIONS: usize = 7;

/// The size by which all others are estimated quickly.
const QUICK_SIZE: u32 = 1024;
/// The same as [`CHAINS`] and [`REPETITIONS`], for a quick estimate.
const QUICK_CHAINS: [u32; 2] = [4, 16];
const QUICK_REPETITIONS: usize = 3;

impl Engine {
    /// Measures a modular product of every device and layout of this engine on the calling thread, at
    /// sizes from 256 to 4096 bits: a few milliseconds each, more for large moduli.
    ///
    /// # Errors
    /// What a device answers.
    pub fn calibrate(&self) -> Result<Calibration, EngineError> {
        let mut times = Vec::new();
        for bits in SIZES {
            times.extend(self.measure(bits, CHAINS, REPETITIONS)?);
        }
        Ok(Calibration { times })
    }

    /// Measures a modular product of 1024 bits of every device and layout of this engine on the calling
    /// thread, and scales the built-in times of the other sizes by it. Takes some hundredths of a second in all.
    ///
    /// # Errors
    /// What a device answers.
    pub fn calibrate_quickly(&self) -> Result<Calibration, EngineError> {
        let measured = self.measure(QUICK_SIZE, QUICK_CHAINS, QUICK_REPETITIONS)?;
        let mut times = Vec::new();
        for (_, device) in self.shared.kinds() {
            for bits in SIZES.map(size_class) {
                let layouts = device.layouts(bits).into_iter();
                times.extend(layouts.filter_map(|layout| {
                    let of_layout = ForcedLayout::only(layout);
                    let here = measured
                        .iter()
                        .find(|time| time.device == device.name() && time.layout == of_layout)?;
                    let factor = here.ns / device.product_ns(layout, here.bits);
                    let ns = factor * device.product_ns(layout, bits);
                    (ns.is_finite() && ns > 0.0).then(|| MeasuredTime {
                        device: device.name().into(),
                        layout: of_layout,
                        bits,
                        ns,
                    })
                }));
            }
        }
        times.sort_by_key(|time| time.bits);
        Ok(Calibration { times })
    }

    /// The times of a product of `bits` bits: by the difference between two chains of squarings of these
    /// lengths, each the fastest of so many.
    fn measure(
        &self,
        bits: u32,
        chains: [u32; 2],
        repetitions: usize,
    ) -> Result<Vec<MeasuredTime>, EngineError> {
        let class = size_class(bits);
        let modulus = self.modulus(&odd(bits))?;
        let programs = chains.map(|squarings| {
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
        let mut times = Vec::new();
        for (index, device) in self.shared.kinds() {
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
                for _ in 0..repetitions {
                    for (programs, fastest) in programs.iter().zip(&mut fastest) {
                        let Some(program) = programs.of_device(index) else {
                            continue;
                        };
                        let start = Instant::now();
                        let outcome = device.run(&Work {
                            program,
                            layout,
                            members: &members,
                            findings: &RefCell::default(),
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
                let ns = (fastest[1] - fastest[0]) / f64::from(chains[1] - chains[0]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Layout};

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

    /// A quick estimate has a time for each layout at each size, and those of one layout are in the
    /// proportion of the built-in ones.
    #[test]
    fn quick_times_are_built_in_ones_times_a_factor() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let quick = engine.calibrate_quickly().unwrap();
        for (_, device) in engine.shared.kinds() {
            for layout in device.layouts(1024) {
                let ratio = |bits| {
                    let measured = quick.product_ns(device.name(), layout, bits).unwrap();
                    measured / device.product_ns(layout, bits)
                };
                for bits in SIZES {
                    assert!((ratio(bits) / ratio(1024) - 1.0).abs() < 1e-9);
                }
            }
        }
    }
}
