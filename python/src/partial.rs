//! Partially blind signatures (draft-irtf-cfrg-partially-blind-rsa).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use sunzi_pk::rsa::VerifyError;
use sunzi_pk::rsa::blind::Variant;
use sunzi_pk::rsa::blind::partial::{
    self, BlindRequest, BlindSignRequest, FinalizeRequest, VerifyRequest,
};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::arguments::{Keys, Threads};
use crate::batch::{Errors, Run};
use crate::blind::check_lengths;
use crate::keys::{
    PrivateKey, PublicKey, answered, byte_strings, in_words, listed, raise_undecided,
};

/// The time of an operation with a long public exponent, in times of one with a short exponent: of the public
/// key, and of the private one.
const LONGER: [f64; 2] = [60.0, 4.0];

fn variant(name: &str) -> PyResult<Variant> {
    partial::variant(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "there is no variant named {name:?}: the draft, section 6, has four"
        ))
    })
}

/// The metadata of a batch: one for all items, or one for each.
struct Metadata(Vec<Zeroizing<Vec<u8>>>, bool);

impl Metadata {
    fn new(infos: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(buffer) = pyo3::buffer::PyBuffer::<u8>::get(infos) {
            let info = buffer.to_vec(infos.py()).map(Zeroizing::new)?;
            return Ok(Self(vec![info], true));
        }
        if infos.try_iter().is_err() {
            return Err(PyTypeError::new_err(
                "info must be bytes, or a list of bytes",
            ));
        }
        Ok(Self(byte_strings(infos, "info")?, false))
    }

    fn check(&self, items: usize) -> PyResult<()> {
        let (given, one) = (self.0.len(), self.1);
        if one || given == items {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "info has {given} items, and the batch has {items}"
        )))
    }

    fn get(&self, item: usize) -> &[u8] {
        &self.0[if self.1 { 0 } else { item }]
    }
}

/// The keys of these items, each derived once of its key, told by its address, and its metadata.
fn derived<Derived: Clone>(
    range: Range<usize>,
    metadata: &Metadata,
    address: impl Fn(usize) -> usize,
    derive: impl Fn(usize) -> Result<Derived, String>,
) -> Vec<Result<Derived, String>> {
    let mut known: HashMap<(usize, &[u8]), Result<Derived, String>> = HashMap::new();
    let mut of = |item: usize| match known.entry((address(item), metadata.get(item))) {
        Entry::Occupied(known) => known.get().clone(),
        Entry::Vacant(new) => new.insert(derive(item)).clone(),
    };
    range.map(&mut of).collect()
}

/// The public keys of these items.
fn public(
    range: Range<usize>,
    keys: &Keys<Py<PublicKey>>,
    metadata: &Metadata,
) -> Vec<Result<partial::DerivedPublicKey, String>> {
    derived(
        range,
        metadata,
        |item| core::ptr::from_ref(keys.get(item).get()).addr(),
        |item| {
            let key = keys.get(item).get();
            let verifying = key.verifying_rsa()?;
            partial::derive_public_key(key.engine(), verifying, metadata.get(item))
                .map_err(|error| error.to_string())
        },
    )
}

/// A step of a module of `sunzi`, which documents it.
#[pyfunction]
#[pyo3(signature = (variant_name, keys, messages, infos, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn partially_blind_messages<'py>(
    py: Python<'py>,
    variant_name: &str,
    keys: Keys<Py<PublicKey>>,
    messages: &Bound<'py, PyAny>,
    infos: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let variant = variant(variant_name)?;
    let messages = byte_strings(messages, "messages")?;
    let metadata = Metadata::new(infos)?;
    keys.check(messages.len())?;
    metadata.check(messages.len())?;
    let seconds = |item: usize| LONGER[0] * keys.get(item).get().seconds();
    let blinded = run.in_parts(py, messages.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let derived = public(range.clone(), &keys, &metadata);
        let start = range.start;
        let request = |item: usize| {
            Ok(BlindRequest {
                key: derived[item - start].as_ref().map_err(String::clone)?,
                variant,
                message: &messages[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(partial::blind_batch(engine, &mut system_rng(), requests))
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
#[pyo3(signature = (keys, blinded, infos, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn partially_blind_sign<'py>(
    py: Python<'py>,
    keys: Keys<Py<PrivateKey>>,
    blinded: &Bound<'py, PyAny>,
    infos: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let blinded = byte_strings(blinded, "blinded_messages")?;
    let metadata = Metadata::new(infos)?;
    keys.check(blinded.len())?;
    metadata.check(blinded.len())?;
    let seconds = |item: usize| LONGER[1] * keys.get(item).get().seconds();
    let signatures = run.in_parts(py, blinded.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let derived = derived(
            range.clone(),
            &metadata,
            |item| core::ptr::from_ref(keys.get(item).get()).addr(),
            |item| {
                let key = keys.get(item).get();
                partial::derive_key_pair(key.engine(), key.deriving()?, metadata.get(item))
                    .map_err(|error| error.to_string())
            },
        );
        let start = range.start;
        let request = |item: usize| {
            Ok(BlindSignRequest {
                key: derived[item - start].as_ref().map_err(String::clone)?,
                blinded: &blinded[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(partial::blind_sign_batch(
                engine,
                &mut system_rng(),
                requests,
            ))
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
#[pyo3(signature = (variant_name, keys, messages, infos, blind_signatures, inverses, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn partially_blind_finalize<'py>(
    py: Python<'py>,
    variant_name: &str,
    keys: Keys<Py<PublicKey>>,
    messages: &Bound<'py, PyAny>,
    infos: &Bound<'py, PyAny>,
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
    let metadata = Metadata::new(infos)?;
    let blind_signatures = byte_strings(blind_signatures, "blind_signatures")?;
    let inverses = byte_strings(inverses, "inverses")?;
    check_lengths(&[
        ("messages", &messages),
        ("blind_signatures", &blind_signatures),
        ("inverses", &inverses),
    ])?;
    keys.check(messages.len())?;
    metadata.check(messages.len())?;
    let seconds = |item: usize| LONGER[0] * keys.get(item).get().seconds();
    let signatures = run.in_parts(py, messages.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let derived = public(range.clone(), &keys, &metadata);
        let start = range.start;
        let request = |item: usize| {
            Ok(FinalizeRequest {
                key: derived[item - start].as_ref().map_err(String::clone)?,
                variant,
                message: &messages[item],
                inverse: &inverses[item],
                blind_signature: &blind_signatures[item],
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(partial::finalize_batch(engine, requests))
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
#[pyo3(signature = (variant_name, keys, messages, infos, signatures, *, threads = None, progress = None))]
pub(crate) fn partially_blind_verify<'py>(
    py: Python<'py>,
    variant_name: &str,
    keys: Keys<Py<PublicKey>>,
    messages: &Bound<'py, PyAny>,
    infos: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<bool>> {
    let run = Run::new(threads, progress);
    let variant = variant(variant_name)?;
    let messages = byte_strings(messages, "messages")?;
    let metadata = Metadata::new(infos)?;
    let signatures = byte_strings(signatures, "signatures")?;
    check_lengths(&[("messages", &messages), ("signatures", &signatures)])?;
    keys.check(messages.len())?;
    metadata.check(messages.len())?;
    let seconds = |item: usize| LONGER[0] * keys.get(item).get().seconds();
    let verdicts = run.in_parts(py, messages.len(), seconds, |range| {
        let engine = keys.get(range.start).get().engine();
        let derived = public(range.clone(), &keys, &metadata);
        let start = range.start;
        let request = |item: usize| {
            Ok(VerifyRequest {
                key: derived[item - start].as_ref().map_err(String::clone)?,
                variant,
                message: &messages[item],
                signature: &signatures[item],
            })
        };
        Ok(answered(range, request, |requests| {
            let verdict = |verdict| match verdict {
                Ok(()) => Ok(true),
                // Not an answer, and not "invalid" either.
                Err(error @ VerifyError::Engine(_)) => Err(error.to_string()),
                Err(_) => Ok(false),
            };
            let verdicts = partial::verify_batch(engine, requests).into_iter();
            verdicts.map(verdict).collect()
        }))
    })?;
    raise_undecided(py, verdicts)
}
