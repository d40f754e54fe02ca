//! Test support: devices that fail, a device that counts, the reference, and the conformance suite that every
//! device passes. Behind the feature `testing`.

mod conformance;
mod counting;
mod faults;
#[cfg(any(test, target_arch = "x86_64"))]
pub(crate) mod formulas;
mod reference;

use std::sync::Arc;

#[cfg(target_arch = "x86_64")]
pub(crate) use self::conformance::Random;
#[cfg(test)]
pub(crate) use self::conformance::conforms;
pub use self::{
    conformance::{Effort, Report, conformance},
    counting::CountingEngine,
    faults::{Fault, FaultKind, Faulty},
};
use crate::{
    Backend, Engine, EngineError, ForcedLayout, backend::SMALL_SIZE, device::Device,
    testing::reference::Reference,
};

/// An engine on the reference: every operation on big integers (num-bigint), one number after the other, not
/// in constant time.
pub fn reference() -> Engine {
    Engine::on(Backend::PORTABLE, vec![Arc::new(Reference)])
}

/// Every layout of every backend that this processor can run, as a backend that forces it, and the errors of
/// backends that it cannot run. Layouts that only small sizes have are left out.
pub fn layouts() -> (Vec<Backend>, Vec<EngineError>) {
    layouts_for(LARGE)
}

/// The layouts that only small sizes have.
pub fn small_layouts() -> Vec<Backend> {
    let (large, _) = layouts();
    let (small, _) = layouts_for(SMALL_SIZE);
    let only_small = small.into_iter().filter(|backend| !large.contains(backend));
    only_small.collect()
}

/// The representation of numbers on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnCard {
    /// Words of 32 bits: device `cuda`.
    Limbs,
    /// Residues, on matrix units: device `cuda-matrix`.
    Residues,
}

/// [`conformance`] of a device for cards with groups of a few numbers: on the machine's card, or on one that is emulated on
/// the processor.
///
/// # Errors
/// [`CardError::Missing`] where there is no card, or no C++ compiler to emulate one with, and the first difference as in
/// [`conformance`].
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn conformance_of_card(
    numbers: OnCard,
    is_emulated: bool,
    effort: &Effort,
) -> Result<Report, CardError> {
    let device = match numbers {
        OnCard::Limbs => crate::cuda::narrow(is_emulated).map(|device| Arc::new(device) as _),
        OnCard::Residues => {
            crate::cuda::narrow_matrix(is_emulated).map(|device| Arc::new(device) as _)
        }
    };
    let engine = Engine::on(Backend::CUDA, vec![device.map_err(CardError::Missing)?]);
    conformance::conforms(engine, effort).map_err(CardError::Differs)
}

/// Compares the code of formulas that is compiled for primes of curves with integers, on extreme and on random numbers, until
/// each formula has had `operands` of them on each instruction set that this processor has, and returns the reasons why it has
/// not the others.
///
/// # Panics
/// It panics at the first output that differs.
#[cfg(target_arch = "x86_64")]
pub fn code_of_formulas(operands: usize) -> Vec<String> {
    crate::limbs::beside_integers::check(operands)
}

/// The times of all kernels on the machine's card so far, in seconds: kernels that run at the same time count each for
/// itself. `None` without a card.
pub fn card_kernel_seconds() -> Option<f64> {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    return crate::cuda::kernel_seconds();
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    None
}

/// The reason why the device for cards does not conform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardError {
    /// There is no such card.
    Missing(String),
    /// A result differs.
    Differs(String),
}

fn layouts_for(bits: u32) -> (Vec<Backend>, Vec<EngineError>) {
    let mut layouts = Vec::new();
    let mut missing = Vec::new();
    // A card's groups are too wide for the reference: `conformance_of_card` has narrow ones.
    let of_processor = Backend::ALL.iter().filter(|backend| !backend.is_card());
    for &backend in of_processor {
        match backend.devices() {
            Ok(devices) => {
                let own = devices[0].layouts(bits).into_iter();
                layouts.extend(own.map(|layout| backend.with_layout(ForcedLayout::only(layout))));
            }
            Err(error) => missing.push(error),
        }
    }
    (layouts, missing)
}

/// A size that every device serves in all its layouts but those of small sizes, in bits.
const LARGE: u32 = 2048;

/// An engine whose first device fails at every run after the first `runs`; if `with_others`, the devices of
/// `backend` follow it.
///
/// # Errors
/// An error of [`Engine::new`].
pub fn failing(backend: Backend, runs: u64, with_others: bool) -> Result<Engine, EngineError> {
    let devices = backend.devices()?;
    let failing = faults::Failing::new(Arc::clone(&devices[0]), runs);
    let mut all: Vec<Arc<dyn Device>> = vec![Arc::new(failing)];
    if with_others {
        all.extend(devices);
    }
    Ok(Engine::on(backend, all))
}
