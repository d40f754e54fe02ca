//! The backends under test.

use std::sync::LazyLock;

use sunzi_engine::{Backend, Engine};

static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let present = |&backend: &Backend| {
        Engine::new(backend)
            .inspect_err(|error| println!("SKIPPED: {error}"))
            .ok()
    };
    Backend::ALL.iter().filter_map(present).collect()
});

/// An engine for every backend that this processor can run, shared by all tests. Skipped backends are printed
/// once.
pub(crate) fn engines() -> &'static [Engine] {
    &ENGINES
}
