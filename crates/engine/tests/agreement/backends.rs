//! The backends under test.

use std::sync::LazyLock;

use sunzi_engine::{Backend, Engine};

static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    sunzi_engine::testing::emulate_tiles(sunzi_tile_emulator::install);
    let present = |&backend: &Backend| {
        Engine::new(backend)
            .inspect_err(|error| println!("SKIPPED: {error}"))
            .ok()
    };
    Backend::ALL.iter().filter_map(present).collect()
});

/// An engine for every backend that this processor can run, shared by all tests. The backends that
/// are skipped are printed once.
pub(crate) fn engines() -> &'static [Engine] {
    &ENGINES
}

/// The largest number of cases per batch that an emulated backend computes
/// ([`Backend::is_emulated`]). They are spread over the batch.
pub(crate) const EMULATED_CASES: usize = 65;

/// The longest exponent in bits for an emulated backend.
pub(crate) const EMULATED_EXPONENT: u32 = 1024;
