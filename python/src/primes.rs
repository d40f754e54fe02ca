//! Random primes, and tests of primality.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sunzi_pk::{primes, system_rng};

use crate::arguments::{Bits, Count, Threads};
use crate::batch::{Errors, Run};
use crate::engine::Engine;
use crate::integers::{naturals, to_python};
use crate::keys::refused;

/// Seconds that a test of a prime takes on one thread of a slow processor, for each bit cubed: 65 powers.
const SECONDS: f64 = 65.0 * 5e-13;

/// Random primes of a kind. See `sunzi.primes`.
#[pyfunction]
#[pyo3(signature = (engine, kind, bits, count, *, threads = None, progress = None))]
pub(crate) fn random_primes<'py>(
    py: Python<'py>,
    engine: &Engine,
    kind: &str,
    bits: Bits,
    count: Count,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let kind = match kind {
        "any" => primes::Kind::Any,
        "blum" => primes::Kind::Blum,
        "safe" => primes::Kind::Safe,
        other => {
            return Err(PyValueError::new_err(format!(
                "kind is {other:?}: \"any\", \"blum\" and \"safe\" are possible"
            )));
        }
    };
    let found = Run::new(threads, progress).search(py, |watch| {
        let rng = &mut system_rng();
        primes::generate_batch(&engine.inner, rng, kind, bits.0, count.0, watch)
    })?;
    let found = found.map_err(refused)?;
    let found: Vec<_> = found
        .iter()
        .map(|prime| to_python(py, prime))
        .collect::<PyResult<_>>()?;
    PyList::new(py, found)
}

/// Whether numbers are prime. See `sunzi.primes.are_prime`.
#[pyfunction]
#[pyo3(signature = (engine, numbers, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn are_prime<'py>(
    py: Python<'py>,
    engine: &Engine,
    numbers: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let numbers = naturals(numbers, "a number")?;
    let seconds = |item: usize| SECONDS * f64::from(numbers[item].bits_precision()).powi(3);
    let verdicts = run.in_parts(py, numbers.len(), seconds, |range| {
        let rng = &mut system_rng();
        Ok(primes::is_prime_batch(&engine.inner, rng, &numbers[range]))
    })?;
    errors.listed(py, verdicts, |prime| prime.into_bound_py_any(py))
}
