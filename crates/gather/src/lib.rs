//! Batches made of the single calls of many threads.
//!
//! A server signs once for each connection, in whichever thread serves it. A [`Gatherer`] turns such calls into batches
//! for a [`Compute`], which computes many of one kind in less time than one by one.
//!
//! **The caller combines, and there is no deadline.** A call that finds fewer than *L* leaders becomes a leader at once:
//! it is computed *alone*, by the caller's own means, exactly as if there were no gatherer (or as a batch of one, if
//! even that pays). Calls that come while there are *L* leaders wait. A leader that has finished hands over to the first that waits, and that one takes all that
//! wait, computes them, and wakes their threads. Batches therefore form only while the machine is busy, a call waits
//! for at most one batch before its own, and an idle machine adds the time of a lock. A batch is computed by one
//! thread, so that *L* is the number of processors that batches may use.
//!
//! **What does not pay is computed alone.** Of each kind the calls of a batch are computed together if there are as many
//! as [`Compute::least`]; fewer return to their threads, each of which computes its own.
//!
//! **Nothing is lost.** A request that [`Compute`] leaves without an answer (a device that failed, a key that is
//! refused), a panic in it, and a queue that is full: the caller computes alone, and [`Statistics`] count it.
//!
//! **Forks.** A child has one thread and no leader. It begins with an empty queue, zeroed statistics and a new
//! [`Compute`], whatever the parent's threads were doing: state belongs to the process that made it, by its number. No
//! lock of the parent is touched.
//!
//! ```
//! use sunzi_gather::{Compute, Gatherer, Limits};
//!
//! struct Squares;
//!
//! impl Compute for Squares {
//!     type Request = u64;
//!     type Answer = u64;
//!
//!     fn least(&self, _: usize) -> usize {
//!         2
//!     }
//!
//!     fn compute(&self, _: usize, requests: Vec<u64>) -> Option<Vec<Option<u64>>> {
//!         Some(requests.iter().map(|x| x.checked_mul(*x)).collect())
//!     }
//! }
//!
//! let gatherer = Gatherer::new(Limits::default(), 1, || Squares);
//! let call = &|x: u64| gatherer.call(0, || Some(x), || x.wrapping_mul(x));
//! let answers = std::thread::scope(|scope| {
//!     let threads = [3, 4, u64::MAX].map(|x| scope.spawn(move || call(x)));
//!     threads.map(|thread| thread.join().unwrap_or(0))
//! });
//! assert_eq!(answers, [9, 16, 1]);
//! assert_eq!(gatherer.statistics().kinds[0].operations(), 3);
//! ```

mod gatherer;
mod per_process;
mod queue;
mod slot;
mod statistics;
mod workers;

pub use gatherer::{Compute, Gatherer, Limits};
pub use per_process::PerProcess;
pub use statistics::{KindStatistics, SIZES, Statistics};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, ignoring poisoning: what the locks protect is whole between any two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
