//! Blind signatures (RFC 9474).

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use sunzi_pk::rsa::blind::{self, BlindRequest, BlindSignRequest, FinalizeRequest, Variant};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::arguments::{Keys, Threads};
use crate::batch::{Errors, Run};
use crate::keys::{PrivateKey, PublicKey, answered, byte_strings, in_words, listed, refused};

fn variant(name: &str) -> PyResult<Variant> {
    name.parse().map_err(refused)
}

/// Checks that the lists of a batch have one length.
pub(crate) fn check_lengths(lists: &[(&str, &[Zeroizing<Vec<u8>>])]) -> PyResult<()> {
    let (first, items) = lists[0];
    for (other, others) in lists {
        if others.len() != items.len() {
            return Err(PyValueError::new_err(format!(
                "{first} has {} items, and {other} has {}",
                items.len(),
                others.len()
            )));
        }
    }
    Ok(())
}

/// A step of a module of `sunzi`, which documents it.
#[pyfunction]
pub(crate) fn blind_prepare<'py>(
    py: Python<'py>,
    variant_name: &str,
    messages: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let variant = variant(variant_name)?;
    let rng = &mut system_rng();
    let mut prepared = Vec::new();
    for message in &byte_strings(messages, "messages")? {
        let message = blind::prepare(variant, rng, message).map_err(refused)?;
        prepared.push(PyBytes::new(py, &message));
    }
    PyList::new(py, prepared)
}

/// A step of a module of `sunzi`, which documents it.
#[pyfunction]
#[pyo3(signature = (variant_name, keys, messages, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn blind_messages<'py>(
    py: Python<'py>,
    variant_name: &str,
    keys: Keys<Py<PublicKey>>,
    messages: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let variant = variant(variant_name)?;
    let messages = byte_strings(messages, "messages")?;
    keys.check(messages.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let blinded = run.in_parts(py, messages.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let request = |item: usize| {
            Ok(BlindRequest {
                key: keys.get(item).get().verifying_rsa()?,
                variant,
                message: &messages[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(blind::blind_batch(engine, &mut system_rng(), requests))
        }))
    })?;
    let (blinded, inverses): (Vec<_>, Vec<_>) = blinded
        .into_iter()
        .map(|blinded| match blinded {
            Ok(blinded) => (Ok(Zeroizing::new(blinded.message)), Ok(blinded.inverse)),
            Err(error) => (Err(error.clone()), Err(error)),
        })
        .unzip();
    Ok((listed(py, errors, blinded)?, listed(py, errors, inverses)?))
}

/// A step of a module of `sunzi`, which documents it.
#[pyfunction]
#[pyo3(signature = (keys, blinded, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn blind_sign<'py>(
    py: Python<'py>,
    keys: Keys<Py<PrivateKey>>,
    blinded: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let blinded = byte_strings(blinded, "blinded_messages")?;
    keys.check(blinded.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let signatures = run.in_parts(py, blinded.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let request = |item: usize| {
            Ok(BlindSignRequest {
                key: keys.get(item).get().signing_rsa()?,
                blinded: &blinded[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(blind::blind_sign_batch(engine, &mut system_rng(), requests))
        }))
    })?;
    let signatures = signatures.into_iter();
    listed(
        py,
        errors,
        signatures.map(|s| s.map(Zeroizing::new)).collect(),
    )
}

/// A step of a module of `sunzi`, which documents it.
#[pyfunction]
#[pyo3(signature = (variant_name, keys, messages, blind_signatures, inverses, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn blind_finalize<'py>(
    py: Python<'py>,
    variant_name: &str,
    keys: Keys<Py<PublicKey>>,
    messages: &Bound<'py, PyAny>,
    blind_signatures: &Bound<'py, PyAny>,
    inverses: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let variant = variant(variant_name)?;
    let messages = byte_strings(messages, "messages")?;
    let blind_signatures = byte_strings(blind_signatures, "blind_signatures")?;
    let inverses = byte_strings(inverses, "inverses")?;
    check_lengths(&[
        ("messages", &messages),
        ("blind_signatures", &blind_signatures),
        ("inverses", &inverses),
    ])?;
    keys.check(messages.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let signatures = run.in_parts(py, messages.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let request = |item: usize| {
            Ok(FinalizeRequest {
                key: keys.get(item).get().verifying_rsa()?,
                variant,
                message: &messages[item],
                inverse: &inverses[item],
                blind_signature: &blind_signatures[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(blind::finalize_batch(engine, requests))
        }))
    })?;
    let signatures = signatures.into_iter();
    listed(
        py,
        errors,
        signatures.map(|s| s.map(Zeroizing::new)).collect(),
    )
}
