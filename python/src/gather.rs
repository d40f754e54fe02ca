//! Batches of single calls: the gatherer of all languages, with Python's calls in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use sunzi_gather::{Compute, Limits};

/// The largest number of calls that wait, and that a batch has. Each holds some hundred bytes, and its message.
const MOST: usize = 1 << 20;

/// A call of Python's, or what ended its computation: an exception that is not its answer, such as an interrupt.
type Answer = PyResult<()>;

/// Computes batches by a function of Python's, which takes a list of calls, gives them their answers, and returns
/// whether each has one.
struct Batches {
    function: Arc<Py<PyAny>>,
    /// Calls of [`Gatherer::submit`] that have no answer yet, in this process.
    submitted: Arc<AtomicUsize>,
}

impl Batches {
    fn run(function: &Py<PyAny>, py: Python<'_>, calls: &[Py<PyAny>]) -> PyResult<Vec<bool>> {
        let calls: Vec<_> = calls.iter().map(|call| call.clone_ref(py)).collect();
        function.bind(py).call1((calls,))?.extract()
    }

    /// Computes one call by itself.
    fn alone(function: &Py<PyAny>, call: &Py<PyAny>) -> Answer {
        Python::attach(|py| Self::run(function, py, &[call.clone_ref(py)]).map(|_| ()))
    }
}

impl Compute for Batches {
    type Request = Py<PyAny>;
    type Answer = Answer;

    /// Callers have no means of their own.
    fn least(&self, _: usize) -> usize {
        1
    }

    fn compute(&self, _: usize, calls: Vec<Py<PyAny>>) -> Option<Vec<Option<Answer>>> {
        Python::attach(|py| {
            let answers = match Self::run(&self.function, py, &calls) {
                Ok(answered) => answered.iter().map(|is| is.then_some(Ok(()))).collect(),
                // It is that of the thread that computes, whose call is the first. The others compute by themselves.
                Err(error) => vec![Some(Err(error))],
            };
            drop(calls);
            Some(answers)
        })
    }
}

/// Makes batches of single calls, and has them computed by a function.
#[pyclass(frozen, module = "sunzi")]
pub(crate) struct Gatherer {
    function: Arc<Py<PyAny>>,
    inner: sunzi_gather::Gatherer<Batches, Box<dyn Fn() -> Batches + Send + Sync>>,
}

#[pymethods]
impl Gatherer {
    #[new]
    fn new(function: Py<PyAny>) -> Self {
        let function = Arc::new(function);
        let of_process = Arc::clone(&function);
        let make = move || Batches {
            function: Arc::clone(&of_process),
            submitted: Arc::default(),
        };
        // A batch uses all processors.
        let limits = Limits {
            leaders: 1,
            waiting: MOST,
            batch: MOST,
        };
        Self {
            function,
            inner: sunzi_gather::Gatherer::new(limits, 1, Box::new(make)),
        }
    }

    /// Has a call answered; its thread waits.
    fn call(&self, py: Python<'_>, call: Py<PyAny>) -> Answer {
        let request = call.clone_ref(py);
        let alone = || Batches::alone(&self.function, &call);
        py.detach(|| self.inner.call(0, || Some(request), alone))
    }

    /// Has a call answered by a thread; `failed` gets the call and the exception if there is no answer.
    fn submit(&self, py: Python<'_>, call: Py<PyAny>, failed: Py<PyAny>) {
        let function = Arc::clone(&self.function);
        let (request, own) = (call.clone_ref(py), call.clone_ref(py));
        let alone = move || Batches::alone(&function, &own);
        py.detach(|| {
            let submitted = Arc::clone(&self.inner.compute().submitted);
            submitted.fetch_add(1, Ordering::AcqRel);
            let done = move |answer: Answer| {
                Python::attach(|py| {
                    if let Err(error) = answer
                        && let Err(error) = failed.call1(py, (&call, error))
                    {
                        error.write_unraisable(py, None);
                    }
                    drop((call, failed));
                });
                submitted.fetch_sub(1, Ordering::AcqRel);
            };
            self.inner.submit(0, request, alone, done);
        });
    }

    /// Waits until every call that was submitted has its answer: at its end Python ends the threads that use it.
    fn wait(&self, py: Python<'_>) {
        py.detach(|| {
            let submitted = &self.inner.compute().submitted;
            while submitted.load(Ordering::Acquire) > 0 {
                thread::sleep(Duration::from_millis(1));
            }
        });
    }
}
