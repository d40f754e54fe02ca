//! Batches in parts: between parts, signals are handled and progress is told.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The time that a part should take, in seconds: an interrupt waits for the part that is computed.
const PART_SECONDS: f64 = 0.25;

/// Numbers of work in a part at least: a full group on every device.
const LEAST_PART: usize = 64;

/// The most threads that may be asked for.
const MAX_THREADS: usize = 1024;

/// How a batch is computed, besides what it computes.
pub(crate) struct Run<'py> {
    pub(crate) threads: usize,
    /// Called with the number of results so far, and of all.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

impl<'py> Run<'py> {
    /// As many threads as are asked for, or else one for each processor that this process may use.
    pub(crate) fn new(
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(all);
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(PyValueError::new_err(format!(
                "threads is {threads}: 1 to {MAX_THREADS} are possible"
            )));
        }
        Ok(Self { threads, progress })
    }

    /// Computes `total` results in parts, free of the interpreter's lock. `seconds` is a guess at the
    /// time of one result on one thread, from above; after the first part it is measured.
    ///
    /// # Errors
    /// Those of a part, of the progress function, and `KeyboardInterrupt`.
    pub(crate) fn in_parts<T: Send>(
        &self,
        py: Python<'py>,
        total: usize,
        seconds: f64,
        mut part: impl FnMut(Range<usize>) -> PyResult<Vec<T>> + Send,
    ) -> PyResult<Vec<T>> {
        let pool = pool(self.threads)?;
        let mut results = Vec::with_capacity(total);
        let mut size = part_size(seconds / self.threads as f64, self.threads, None);
        while results.len() < total {
            let range = results.len()..total.min(results.len() + size);
            let count = range.len();
            let start = Instant::now();
            let computed = py.detach(|| pool.install(|| part(range)))?;
            results.extend(computed);
            let each = start.elapsed().as_secs_f64() / count as f64;
            size = part_size(each, self.threads, Some(size));
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1((results.len(), total))?;
            }
        }
        Ok(results)
    }
}

/// The results of a part, each of which takes so many seconds. At most four times the part before,
/// since the first parts are slower.
fn part_size(each: f64, threads: usize, before: Option<usize>) -> usize {
    let fitting = (PART_SECONDS / each.max(1e-9)) as usize;
    let full = LEAST_PART * threads;
    let most = before.map_or(usize::MAX, |size| size.saturating_mul(4));
    // Whole groups, where there is time for them.
    let size = if fitting >= full {
        fitting / full * full
    } else {
        fitting
    };
    size.min(most).max(1)
}

/// Pools by process and number of threads.
type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

/// A pool of so many threads of this process. A child after a fork has pools of its own: those of its
/// parent look alive in it, and have no threads.
///
/// The lock is taken while the interpreter's lock is held, so that no other thread holds it when the
/// interpreter forks.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("sunzi-{index}"))
        .build()
        .map_err(|error| {
            PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}"))
        })?;
    let pool = Arc::new(pool);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}

/// What happens with an item's error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errors {
    /// The first one is raised.
    Raise,
    /// It is returned in place of the item's result.
    Return,
}

impl Errors {
    pub(crate) fn new(name: &str) -> PyResult<Self> {
        match name {
            "raise" => Ok(Self::Raise),
            "return" => Ok(Self::Return),
            _ => Err(PyValueError::new_err(format!(
                "errors is {name:?}: \"raise\" and \"return\" are possible"
            ))),
        }
    }

    /// The exception of an item, which gets the attribute `index`: raised, or as a result.
    pub(crate) fn of_item(
        self,
        py: Python<'_>,
        item: usize,
        error: PyErr,
    ) -> PyResult<Bound<'_, PyAny>> {
        let exception = error.value(py);
        exception.setattr("index", item)?;
        exception.call_method1("add_note", (format!("item {item} of the batch"),))?;
        match self {
            Self::Raise => Err(error),
            Self::Return => Ok(exception.clone().into_any()),
        }
    }
}
