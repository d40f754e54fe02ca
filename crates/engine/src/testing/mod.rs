//! For tests: devices that break, a device that counts, the reference, and the conformance suite
//! that every device passes. Behind the feature `testing`.

mod conformance;
mod faults;
mod instrument;

use std::sync::Arc;

#[cfg(test)]
pub(crate) use self::conformance::conforms;
pub(crate) use self::instrument::Instrument;
pub use self::{
    conformance::{Effort, Report, conformance},
    faults::{Fault, FaultKind, Faulty},
};
use crate::{Backend, Engine, EngineError, device::Device, devices::reference::Reference};

/// An engine on the reference: every operation on big integers (num-bigint), one number after the
/// other, in no constant time.
pub fn reference() -> Engine {
    Engine::on(Backend::PORTABLE, vec![Arc::new(Reference)])
}

/// An engine whose first device fails at every run after the first `runs`; behind it, if asked for,
/// the devices that `backend` names.
///
/// # Errors
/// What [`Engine::new`] refuses.
pub fn failing(backend: Backend, runs: u64, with_others: bool) -> Result<Engine, EngineError> {
    let devices = backend.devices()?;
    let failing = faults::Failing::new(Arc::clone(&devices[0]), runs);
    let mut all: Vec<Arc<dyn Device>> = vec![Arc::new(failing)];
    if with_others {
        all.extend(devices);
    }
    Ok(Engine::on(backend, all))
}

/// Counts what a device executes: the operations of every group, as the group is asked for them.
pub mod counting {
    pub use super::instrument::CountingEngine;
}

/// Makes the device `amx` take the tile instructions for present if `install` puts something in
/// place that carries them out where the processor cannot: a signal handler that emulates them.
pub fn emulate_tiles(install: impl FnOnce() -> bool) {
    if install() {
        #[cfg(target_arch = "x86_64")]
        crate::devices::assume_emulated_tiles();
    }
}
