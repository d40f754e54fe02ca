//! Ctrl-C and termination.
//!
//! On a signal the process ends at once, except inside a *shielded* section, which is
//! finished first. Everything that leaves the process (files, lines of output) is written in
//! shielded sections that end with a flush, so nothing is ever half written; computing is
//! not shielded, so nobody waits for it.

use crate::failure::report;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static SHIELD: Mutex<()> = Mutex::new(());

/// How long a shielded section may delay the end: a reader that never reads must not hold
/// the process forever.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a run that was interrupted exits with: 128 + SIGINT.
const EXIT_CODE: i32 = 130;

/// From now on a signal ends the process with code 130, after `last_words`, which is told
/// whether standard output is at a line's end (if not, a shielded section hangs in a write).
pub(crate) fn install(last_words: impl Fn(bool) + Send + 'static) {
    let installed = ctrlc::set_handler(move || {
        let end = Instant::now() + PATIENCE;
        let guard = loop {
            match SHIELD.try_lock() {
                Ok(guard) => break Some(guard),
                Err(_) if Instant::now() >= end => break None,
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        last_words(guard.is_some());
        std::process::exit(EXIT_CODE);
    });
    if let Err(error) = installed {
        report(&format_args!(
            "warning: Ctrl-C will stop this run without a summary: {error}"
        ));
    }
}

/// Until the guard is dropped, a signal waits. Take it once per batch, from one thread.
pub(crate) fn shield() -> MutexGuard<'static, ()> {
    SHIELD.lock().unwrap_or_else(PoisonError::into_inner)
}
