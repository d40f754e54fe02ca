//! An engine that counts the operations that its device executes: every operation of every group, as it is
//! called.

use std::sync::Arc;

use crate::{
    Backend, Engine, EngineError, device::Device, instrument::Instrument, program::Counts,
    testing::faults::WithInstrument,
};

/// An engine that counts the operations of its device.
pub struct CountingEngine {
    /// The engine.
    pub engine: Engine,
    instrument: Arc<Instrument>,
}

impl CountingEngine {
    /// A counting engine on the first device of a backend.
    ///
    /// # Errors
    /// An error of [`Engine::new`].
    pub fn new(backend: Backend) -> Result<Self, EngineError> {
        let device = Arc::clone(&backend.devices()?[0]);
        let instrument = Arc::<Instrument>::default();
        let counting = WithInstrument {
            device,
            instrument: Arc::clone(&instrument),
            strikes_again: Arc::default(),
        };
        Ok(Self {
            engine: Engine::on(backend, vec![Arc::new(counting) as Arc<dyn Device>]),
            instrument,
        })
    }

    /// The counts of operations in the groups of all runs so far.
    pub fn counts(&self) -> Counts {
        self.instrument.counts()
    }
}
