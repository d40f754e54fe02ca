//! RSA without padding: numbers are Python's integers.

use pyo3::prelude::*;
use pyo3::types::PyList;
use sunzi_pk::rsa::raw::{PrivateRequest, PublicRequest, private_batch, public_batch};
use sunzi_pk::system_rng;

use crate::arguments::{Keys, Threads};
use crate::batch::{Errors, Run};
use crate::integers::{listed, naturals};
use crate::keys::{PrivateKey, PublicKey, answered, in_words};

/// The refusal of keys of other algorithms.
const NO_RSA: &str = "this needs an RSA key";

/// The private powers of RSA without padding, `pow(number, d, n)`, by one key or a key for each number, which is
/// below n. Each is checked before it leaves.
///
/// This is for protocols with a padding of their own: by itself it is no signature and no decryption.
#[pyfunction]
#[pyo3(signature = (keys, numbers, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn rsa_private_many<'py>(
    py: Python<'py>,
    keys: Keys<Py<PrivateKey>>,
    numbers: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let numbers = naturals(numbers, "a number")?;
    keys.check(numbers.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let powers = run.in_parts(py, numbers.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let request = |item: usize| {
            Ok(PrivateRequest {
                key: keys.get(item).get().signing()?.rsa().ok_or(NO_RSA)?,
                number: &numbers[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(private_batch(engine, &mut system_rng(), requests))
        }))
    })?;
    listed(py, errors, powers)
}

/// The public powers of RSA without padding, `pow(number, e, n)`.
#[pyfunction]
#[pyo3(signature = (keys, numbers, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn rsa_public_many<'py>(
    py: Python<'py>,
    keys: Keys<Py<PublicKey>>,
    numbers: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let numbers = naturals(numbers, "a number")?;
    keys.check(numbers.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let powers = run.in_parts(py, numbers.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let request = |item: usize| {
            Ok(PublicRequest {
                key: keys.get(item).get().verifying()?.rsa().ok_or(NO_RSA)?,
                number: &numbers[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(public_batch(engine, requests))
        }))
    })?;
    listed(py, errors, powers)
}
