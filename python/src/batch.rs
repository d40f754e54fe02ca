//! Batches in parts: between parts, signals are handled and progress is told.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sunzi_pk::primes;

use crate::arguments::Threads;

/// The time that a part should take, in seconds: an interrupt waits for the part that is computed.
const PART_SECONDS: f64 = 0.25;

/// The same for parts that fill no group on every thread. A group takes as long as its first members, so that
/// such a part tells too much of the time of a larger one; without this, parts would stay small.
const SMALL_PART_SECONDS: f64 = 0.5;

/// Numbers that fill a group on every device.
const GROUP: usize = 64;

/// Seconds of copying that every item costs.
const ITEM_SECONDS: f64 = 2e-6;

/// Interval between two looks for signals during a search.
const WATCH: Duration = Duration::from_millis(50);

/// The threads and the progress function of a batch.
pub(crate) struct Run<'py> {
    pub(crate) threads: usize,
    /// Called with the number of results so far, and of all.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

impl<'py> Run<'py> {
    /// As many threads as are asked for, or else one for each processor that this process may use.
    pub(crate) fn new(threads: Option<Threads>, progress: Option<Bound<'py, PyAny>>) -> Self {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.map_or_else(all, |threads| threads.0);
        Self { threads, progress }
    }

    /// Computes `total` results in parts, free of the interpreter's lock. `seconds` is a guess at the
    /// time of each item on one thread, from above: what counts are its proportions, since its scale is
    /// measured with the first parts.
    ///
    /// # Errors
    /// The errors of a part, of the progress function, and `KeyboardInterrupt`.
    pub(crate) fn in_parts<T: Send>(
        &self,
        py: Python<'py>,
        total: usize,
        seconds: impl Fn(usize) -> f64,
        mut part: impl FnMut(Range<usize>) -> PyResult<Vec<T>> + Send,
    ) -> PyResult<Vec<T>> {
        let pool = pool(self.threads)?;
        let mut results = Vec::with_capacity(total);
        let mut pace = Pace::new(self.threads);
        while results.len() < total {
            let (range, guess) = pace.part(results.len()..total, &seconds);
            let count = range.len();
            let start = Instant::now();
            let computed = py.detach(|| pool.install(|| part(range)))?;
            results.extend(computed);
            pace.took(count, guess, start.elapsed().as_secs_f64());
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1((results.len(), total))?;
            }
        }
        Ok(results)
    }

    /// Computes on the threads, free of the interpreter's lock, what cannot be done in parts.
    pub(crate) fn at_once<T: Send>(
        &self,
        py: Python<'py>,
        compute: impl FnOnce() -> T + Send,
    ) -> PyResult<T> {
        let pool = pool(self.threads)?;
        Ok(py.detach(|| pool.install(compute)))
    }

    /// Combines `total` items into one value in parts: `join` takes what has been combined so far, and a part.
    /// As in [`in_parts`](Self::in_parts), `seconds` is a guess at the time of an item.
    ///
    /// # Errors
    /// The errors of a part, of the progress function, and `KeyboardInterrupt`.
    pub(crate) fn fold<T: Send>(
        &self,
        py: Python<'py>,
        total: usize,
        seconds: f64,
        nothing: T,
        mut join: impl FnMut(&T, Range<usize>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let mut all = nothing;
        self.in_parts(
            py,
            total,
            |_| seconds,
            |range| {
                let count = range.len();
                all = join(&all, range)?;
                Ok(vec![(); count])
            },
        )?;
        Ok(all)
    }

    /// A search for primes on the threads, as [`watched`](Self::watched).
    ///
    /// # Errors
    /// The errors of the progress function, and `KeyboardInterrupt`.
    pub(crate) fn search<T: Send>(
        &self,
        py: Python<'py>,
        search: impl FnOnce(&mut dyn FnMut(primes::Progress) -> ControlFlow<()>) -> T + Send,
    ) -> PyResult<T> {
        self.watched(py, |watch| {
            search(&mut |progress: primes::Progress| watch(progress.found, progress.wanted))
        })
    }

    /// A computation on the threads that calls a watcher many times a second, with the number of results so far
    /// and of all, and ends when this says so. Meanwhile the caller's thread handles signals, which others do
    /// not, and tells of progress.
    ///
    /// # Errors
    /// The errors of the progress function, and `KeyboardInterrupt`.
    pub(crate) fn watched<T: Send>(
        &self,
        py: Python<'py>,
        compute: impl FnOnce(&mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> T + Send,
    ) -> PyResult<T> {
        let pool = pool(self.threads)?;
        let progress = self.progress.clone().map(Bound::unbind);
        let tell = |found: usize, wanted: usize| {
            Python::attach(|py| {
                py.check_signals()?;
                if let Some(progress) = &progress {
                    progress.call1(py, (found, wanted))?;
                }
                Ok(())
            })
        };
        let stopped = AtomicBool::new(false);
        let mut found = None;
        let told = py.detach(|| {
            let (sender, receiver) = mpsc::channel();
            pool.in_place_scope(|scope| {
                let (stopped, found) = (&stopped, &mut found);
                scope.spawn(move |_| {
                    let mut watch = |found: usize, wanted: usize| {
                        // Nobody listens any more if the search has been stopped.
                        let _ = sender.send((found, wanted));
                        if stopped.load(Ordering::Relaxed) {
                            ControlFlow::Break(())
                        } else {
                            ControlFlow::Continue(())
                        }
                    };
                    *found = Some(compute(&mut watch));
                });
                let mut last = None;
                loop {
                    let told = match receiver.recv_timeout(WATCH) {
                        Ok((found, wanted)) if last != Some(found) => {
                            last = Some(found);
                            tell(found, wanted)
                        }
                        #[expect(
                            clippy::redundant_closure_for_method_calls,
                            reason = "the method itself has too short a lifetime"
                        )]
                        Ok(_) | Err(RecvTimeoutError::Timeout) => {
                            Python::attach(|py| py.check_signals())
                        }
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    };
                    if told.is_err() {
                        stopped.store(true, Ordering::Relaxed);
                        return told;
                    }
                }
            })
        });
        told?;
        found.ok_or_else(|| PyRuntimeError::new_err("the computation ended without an answer"))
    }
}

/// Size of the parts, so that each takes `PART_SECONDS`.
struct Pace {
    threads: usize,
    /// Seconds measured to seconds guessed.
    ratio: f64,
    /// The most items of the next part.
    most: usize,
    /// Seconds that the next part may take.
    budget: f64,
}

impl Pace {
    fn new(threads: usize) -> Self {
        Self {
            threads,
            ratio: 1.0,
            most: usize::MAX,
            budget: PART_SECONDS,
        }
    }

    /// The next part of those items, and the guess at its time: as many items as there is time for, in
    /// whole groups where there is time for them.
    fn part(&self, left: Range<usize>, seconds: impl Fn(usize) -> f64) -> (Range<usize>, f64) {
        let guess = |item| (seconds(item) + ITEM_SECONDS) / self.threads as f64;
        let (mut size, mut sum) = (0, 0.0);
        let full = GROUP * self.threads;
        let mut whole = (0, 0.0);
        for item in left.clone().take(self.most) {
            let more = sum + guess(item);
            if size > 0 && more * self.ratio > self.budget {
                break;
            }
            (size, sum) = (size + 1, more);
            if size % full == 0 {
                whole = (size, sum);
            }
        }
        if whole.0 > 0 && size < left.len() {
            (size, sum) = whole;
        }
        (left.start..left.start + size, sum)
    }

    /// A part of so many items took so long. The next one has at most four times as many, since the first
    /// parts are slower.
    fn took(&mut self, items: usize, guess: f64, seconds: f64) {
        self.ratio = seconds / guess;
        self.most = items.saturating_mul(4);
        self.budget = if items < GROUP * self.threads {
            SMALL_PART_SECONDS
        } else {
            PART_SECONDS
        };
    }
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

/// Handles signals from time to time while the items of a batch are converted one after the other.
///
/// # Errors
/// `KeyboardInterrupt`, and what other handlers raise.
pub(crate) fn listen(py: Python<'_>, item: usize) -> PyResult<()> {
    /// Conversions that take some milliseconds.
    const ITEMS: usize = 1 << 12;
    if item % ITEMS == ITEMS - 1 {
        py.check_signals()?;
    }
    Ok(())
}

/// The treatment of an item's error.
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
        if !error.is_instance_of::<PyException>(py) {
            // An interrupt is nobody's result.
            return Err(error);
        }
        let exception = error.value(py);
        exception.setattr("index", item)?;
        exception.call_method1("add_note", (format!("item {item} of the batch"),))?;
        match self {
            Self::Raise => Err(error),
            Self::Return => Ok(exception.clone().into_any()),
        }
    }

    /// The results of a batch as a list of what `convert` makes of them, with errors in the way that was
    /// asked for.
    pub(crate) fn listed<'py, T, E: ToString>(
        self,
        py: Python<'py>,
        results: Vec<Result<T, E>>,
        convert: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let convert = |(item, result): (usize, Result<T, E>)| {
            listen(py, item)?;
            match result {
                Ok(result) => convert(result),
                Err(error) => self.of_item(py, item, PyValueError::new_err(error.to_string())),
            }
        };
        let results = results.into_iter().enumerate().map(convert);
        PyList::new(py, results.collect::<PyResult<Vec<_>>>()?)
    }
}
