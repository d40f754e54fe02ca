//! Forks of the program: nobody computes while a process is copied.
//!
//! A child begins with a new queue and a new engine, whatever its parent's threads were doing. What it shares with the
//! parent are tables that the libraries below make once: a child that was forked while another thread made one would
//! wait for that thread, which it does not have.

use core::cell::Cell;
use core::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Threads that compute a batch.
static COMPUTING: AtomicUsize = AtomicUsize::new(0);
/// Threads that are forking.
static FORKING: AtomicUsize = AtomicUsize::new(0);

/// The longest that a fork is held up. A batch takes some milliseconds.
const LONGEST: Duration = Duration::from_secs(2);

thread_local! {
    /// Whether this thread computes.
    static HERE: Cell<bool> = const { Cell::new(false) };
}

/// A thread that computes. Processes are not copied meanwhile.
pub(crate) struct Computing;

impl Computing {
    pub(crate) fn begin() -> Self {
        loop {
            COMPUTING.fetch_add(1, Ordering::SeqCst);
            if FORKING.load(Ordering::SeqCst) == 0 {
                HERE.set(true);
                return Self;
            }
            COMPUTING.fetch_sub(1, Ordering::SeqCst);
            while FORKING.load(Ordering::SeqCst) != 0 {
                thread::yield_now();
            }
        }
    }
}

impl Drop for Computing {
    fn drop(&mut self) {
        HERE.set(false);
        // A child sets the number to 0, and has no thread that computes, but one that forked in a signal's handler.
        let less = |computing: usize| Some(computing.saturating_sub(1));
        let _ = COMPUTING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
    }
}

/// Has the process wait, before it is copied, for the batches that are being computed.
pub(crate) fn register() {
    // SAFETY: the functions take and return nothing, and stay in memory, as the module does.
    unsafe {
        libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
    }
}

extern "C" fn before() {
    FORKING.fetch_add(1, Ordering::SeqCst);
    // A signal's handler may fork in a thread that computes.
    if HERE.get() {
        return;
    }
    let start = Instant::now();
    while COMPUTING.load(Ordering::SeqCst) != 0 && start.elapsed() < LONGEST {
        spin_loop();
        thread::yield_now();
    }
}

extern "C" fn in_parent() {
    FORKING.fetch_sub(1, Ordering::SeqCst);
}

extern "C" fn in_child() {
    COMPUTING.store(0, Ordering::SeqCst);
    FORKING.store(0, Ordering::SeqCst);
}
