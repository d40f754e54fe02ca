//! Devices that fail: a flipped bit at a chosen operation, or no result at all.

use core::any::Any;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

pub use crate::instrument::{Fault, FaultKind};
use crate::{
    Backend, DeviceError, Engine, EngineError, Layout, Outcome,
    choices::Choices,
    device::{Device, PlanSummary, Work},
    instrument::Instrument,
    kept::Prepared,
    program::Limits,
};

/// An engine whose device flips one bit, at a chosen operation and place.
pub struct Faulty {
    /// The engine.
    pub engine: Engine,
    instrument: Arc<Instrument>,
    strikes_again: Arc<AtomicBool>,
}

impl Faulty {
    /// A faulty engine on the first device of a backend. No bit is flipped before
    /// [`set_fault`](Self::set_fault).
    ///
    /// # Errors
    /// An error of [`Engine::new`].
    pub fn new(backend: Backend) -> Result<Self, EngineError> {
        Self::with_redundancy(backend, 0)
    }

    /// A faulty engine on the first device of a backend that has this many redundant channels. The device
    /// that computes again after a fault is left alone, unless [`strike_again`](Self::strike_again) asks for
    /// it.
    ///
    /// # Errors
    /// An error of [`EngineBuilder::build`](crate::EngineBuilder::build).
    pub fn with_redundancy(backend: Backend, channels: usize) -> Result<Self, EngineError> {
        let choices = Choices {
            redundancy: channels,
            ..Choices::USUAL
        };
        let device = Arc::clone(&backend.devices_with(choices)?[0]);
        let instrument = Arc::new(Instrument::default());
        let strikes_again = Arc::new(AtomicBool::new(false));
        let faulty = WithInstrument {
            device,
            instrument: Arc::clone(&instrument),
            strikes_again: Arc::clone(&strikes_again),
        };
        Ok(Self {
            strikes_again,
            engine: Engine::on(backend, vec![Arc::new(faulty) as Arc<dyn Device>]),
            instrument,
        })
    }

    /// Sets the fault. Operations are counted from 0 again, and the fault strikes once.
    pub fn set_fault(&self, fault: Fault) {
        self.instrument.set_fault(fault);
    }

    /// Sets whether a fault strikes once more, when the number that it broke is computed again.
    pub fn strike_again(&self, again: bool) {
        self.strikes_again.store(again, Ordering::Relaxed);
    }

    /// Whether the fault has struck since it was set.
    pub fn has_struck(&self) -> bool {
        self.instrument.has_struck()
    }

    /// The possible targets of a fault: for each operation that `run` has the engine's groups execute, in
    /// order, the kinds of values that it has. No bit is flipped.
    pub fn targets(&self, run: impl FnOnce()) -> Vec<&'static [FaultKind]> {
        self.instrument.record(run)
    }
}

/// A device with an instrument on its groups.
pub(super) struct WithInstrument {
    pub(super) device: Arc<dyn Device>,
    pub(super) instrument: Arc<Instrument>,
    /// Whether a fault also strikes the device that computes again.
    pub(super) strikes_again: Arc<AtomicBool>,
}

impl WithInstrument {
    fn afresh_inner(&self) -> Option<Arc<dyn Device>> {
        let device = self.device.afresh()?;
        if !self.strikes_again.load(Ordering::Relaxed) {
            return Some(device);
        }
        self.instrument.set_fault_again();
        Some(Arc::new(Self {
            device,
            instrument: Arc::clone(&self.instrument),
            strikes_again: Arc::clone(&self.strikes_again),
        }))
    }
}

/// A device that fails after some runs.
pub(super) struct Failing {
    device: Arc<dyn Device>,
    left: AtomicU64,
}

impl Failing {
    pub(super) fn new(device: Arc<dyn Device>, runs: u64) -> Self {
        Self {
            device,
            left: AtomicU64::new(runs),
        }
    }

    fn afresh_inner(&self) -> Option<Arc<dyn Device>> {
        self.device.afresh()
    }

    fn run_inner(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        let take = |left: u64| left.checked_sub(1);
        match self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        {
            Ok(_) => self.device.run(work),
            Err(_) => Err(DeviceError {
                reason: String::from("the device was lost"),
            }),
        }
    }
}

/// Delegates everything but the run to the wrapped device.
macro_rules! delegate {
    ($wrapper:ty, $name:literal, $run:expr) => {
        impl Device for $wrapper {
            fn name(&self) -> &'static str {
                $name
            }

            fn unit(&self) -> &'static str {
                self.device.unit()
            }

            fn layouts(&self, bits: u32) -> Vec<Layout> {
                self.device.layouts(bits)
            }

            fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
                self.device.limits(bits)
            }

            fn entries_per_product(&self, bits: u32) -> u32 {
                self.device.entries_per_product(bits)
            }

            fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
                self.device.summary(bits)
            }

            fn prepare(
                &self,
                moduli: &[&Odd<BoxedUint>],
                bits: u32,
            ) -> Vec<Result<Prepared, EngineError>> {
                self.device.prepare(moduli, bits)
            }

            fn prepare_constants(
                &self,
                modulus: &(dyn Any + Send + Sync),
                integers: &[Zeroizing<BoxedUint>],
                forms: &[i32],
            ) -> Prepared {
                self.device.prepare_constants(modulus, integers, forms)
            }

            fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
                self.device.limits_of(modulus)
            }

            fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
                self.device.group_key(modulus)
            }

            fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
                self.device.product_ns(layout, bits)
            }

            fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
                let run: fn(&Self, &Work<'_>) -> Result<Vec<Outcome>, DeviceError> = $run;
                run(self, work)
            }

            fn afresh(&self) -> Option<Arc<dyn Device>> {
                self.afresh_inner()
            }
        }
    };
}

delegate!(WithInstrument, "instrumented", |this, work| this
    .device
    .run(&Work {
        instrument: Some(&*this.instrument),
        ..*work
    }));
delegate!(Failing, "failing", Failing::run_inner);
