//! The backends under test.

use std::sync::LazyLock;

use sunzi_engine::{Backend, Engine};

static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let present = |&backend: &Backend| Engine::new(backend).ok();
    Backend::ALL.iter().filter_map(present).collect()
});

/// An engine for every backend that this processor can run, the same ones in every test; says
/// which are skipped.
pub(crate) fn engines() -> &'static [Engine] {
    for error in Backend::ALL.iter().filter_map(|b| b.check().err()) {
        println!("SKIPPED: {error}");
    }
    &ENGINES
}

/// Whether the instructions of this backend are emulated here, and so take many times longer:
/// because it says so, or because `SUNZI_EMULATED` names it.
///
/// The one place that decides which backends get less to do: no more cases of a batch than
/// [`EMULATED_CASES`], and exponents of no more than [`EMULATED_EXPONENT`] bits.
pub(crate) fn is_emulated(backend: Backend) -> bool {
    let named = std::env::var("SUNZI_EMULATED")
        .is_ok_and(|names| names.split(',').any(|name| name == backend.name()));
    named || backend.describe().contains("emulated")
}

/// How many cases of a batch an emulated backend computes, spread over the batch.
pub(crate) const EMULATED_CASES: usize = 65;

/// The longest exponent for an emulated backend, in bits.
pub(crate) const EMULATED_EXPONENT: u32 = 1024;
