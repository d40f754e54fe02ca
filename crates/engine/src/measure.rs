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
                    for _ in 0..REPETITIONS {
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
}
