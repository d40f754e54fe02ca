//! Counting what a device executes: the operations of every group, as the group is asked for them.

use std::sync::Arc;

use crate::{
    Backend, Engine, EngineError, device::Device, instrument::Instrument, program::Counts,
    testing::faults::WithInstrument,
};

/// An engine that counts what its device executes.
pub struct CountingEngine {
    /// The engine.
    pub engine: Engine,
    instrument: Arc<Instrument>,
}

impl CountingEngine {
    /// On the first device of a backend.
    ///
    /// # Errors
    /// What [`Engine::new`] refuses.
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

    /// What the groups of all runs so far were asked for.
    pub fn counts(&self) -> Counts {
        self.instrument.counts()
    }
}
