//! Threads that a batch may be spread over, also in a process that was forked.

use std::cell::Cell;
use std::sync::OnceLock;

thread_local! {
    /// Whether this thread computes its batches by itself.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `batches` with all their computations on the calling thread, whatever the current rayon pool: for programs that
/// share the processors out themselves, and must have no threads besides their own.
pub fn on_calling_thread<T>(batches: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _restore = Restore(ALONE.replace(true));
    batches()
}

/// Number of threads that a batch is spread over: those of the current rayon pool, or 1 in a process
/// that was forked from one that had computed, and inside [`on_calling_thread`].
///
/// A fork copies the calling thread only. In the child the global pool looks as it did in the parent, but has
/// no threads, and work given to it waits for ever. In the child, batches get several threads by rayon's
/// `ThreadPool::install`. (A process that forks while another of its threads is inside this library may leave
/// a lock behind, for which the child waits.)
pub fn available_threads() -> usize {
    static FIRST: OnceLock<u32> = OnceLock::new();
    if ALONE.get() {
        return 1;
    }
    if cfg!(unix) && rayon::current_thread_index().is_none() {
        let process = std::process::id();
        if *FIRST.get_or_init(|| process) != process {
            return 1;
        }
    }
    rayon::current_num_threads()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calling_thread_only() {
        let usual = available_threads();
        let inside =
            on_calling_thread(|| [on_calling_thread(available_threads), available_threads()]);
        assert_eq!(inside, [1, 1]);
        let panicked = std::panic::catch_unwind(|| on_calling_thread(|| panic!("on purpose")));
        assert!(panicked.is_err());
        assert_eq!(available_threads(), usual);
    }
}
