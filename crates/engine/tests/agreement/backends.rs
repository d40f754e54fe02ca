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

/// An engine for every backend that this processor can run, the same ones in every test; says
/// once which are skipped.
pub(crate) fn engines() -> &'static [Engine] {
    &ENGINES
}

/// How many cases of a batch a backend computes that is emulated here
/// ([`Backend::is_emulated`]), spread over the batch.
pub(crate) const EMULATED_CASES: usize = 65;

/// The longest exponent for a backend that is emulated, in bits.
pub(crate) const EMULATED_EXPONENT: u32 = 1024;
