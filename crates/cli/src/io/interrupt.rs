//! Interruption by Ctrl-C and by termination signals.
//!
//! On a signal the process ends at once, except inside a *shielded* section, which is finished
//! first. All output (files and lines) is written in shielded sections that end with a flush, so
//! nothing is ever half written. Computation is not shielded, so it does not delay the end.

use crate::failure::report;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The lock that is held during a shielded section.
static SHIELD: Mutex<()> = Mutex::new(());

/// The longest time for which a shielded section may delay the end. Without a limit, a reader that
/// never reads the output would keep the process alive forever.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// The exit code of an interrupted run: 128 + SIGINT.
const EXIT_CODE: i32 = 130;

/// Installs the signal handler: from now on a signal ends the process with exit code 130, after a
/// call of `before_exit`. Its argument states whether standard output is at the end of a line; it
/// is not if a shielded section is still blocked in a write.
pub(crate) fn install(before_exit: impl Fn(bool) + Send + 'static) {
    let installed = ctrlc::set_handler(move || {
        let end = Instant::now() + MAX_DELAY;
        let guard = loop {
            match SHIELD.try_lock() {
                Ok(guard) => break Some(guard),
                Err(_) if Instant::now() >= end => break None,
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        before_exit(guard.is_some());
        std::process::exit(EXIT_CODE);
    });
    if let Err(error) = installed {
        report(&format_args!(
            "warning: Ctrl-C will stop this run without a summary: {error}"
        ));
    }
}

/// Starts a shielded section, which lasts until the guard is dropped: a signal waits for it. To be
/// called once per batch, from one thread.
pub(crate) fn shield() -> MutexGuard<'static, ()> {
    SHIELD.lock().unwrap_or_else(PoisonError::into_inner)
}
