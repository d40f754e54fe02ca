//! Threads that a batch may be spread over, also in a process that was forked.

use std::sync::OnceLock;

/// Number of threads that a batch is spread over: those of the current rayon pool, or 1 in a process
/// that was forked from one that had computed.
///
/// A fork copies the calling thread only. In the child the global pool looks as it did in the parent, but has
/// no threads, and work given to it waits for ever. In the child, batches get several threads by rayon's
/// `ThreadPool::install`. (A process that forks while another of its threads is inside this library may leave
/// a lock behind, for which the child waits.)
pub fn available_threads() -> usize {
    static FIRST: OnceLock<u32> = OnceLock::new();
    if cfg!(unix) && rayon::current_thread_index().is_none() {
        let process = std::process::id();
        if *FIRST.get_or_init(|| process) != process {
            return 1;
        }
    }
    rayon::current_num_threads()
}
