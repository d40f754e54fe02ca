//! BLS signatures on BLS12-381. `sunzi.bls` has the names that Python's users know, and the documentation.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::ops::Range;
use sunzi_pk::bls::{
    PreparedBls, PublicKey, Scheme, SecretKey, SignError, SignRequest, Signature, Suite, Variant,
    VerifyError, VerifyRequest,
};
use sunzi_pk::ec::pairing::{DomainSeparationTag, PreparedPairing};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::arguments::Threads;
use crate::batch::{Errors, Run};
use crate::blind::check_lengths;
use crate::engine::{Engine, exception};
use crate::keys::{byte_strings, in_words, listed, refused};

/// Seconds that verifying a signature takes on one thread of a slow processor; signing takes less.
const SECONDS: f64 = 3e-3;

type Strings = [Zeroizing<Vec<u8>>];

/// A suite on an engine. See `sunzi.bls.Suite`.
#[pyclass(frozen, module = "sunzi._sunzi")]
pub(crate) struct BlsSuite(PreparedBls);

/// A verdict, or the exception where none could be computed.
fn verdict(result: Result<(), VerifyError>) -> PyResult<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error @ (VerifyError::Random | VerifyError::Engine(_))) => {
            Err(PyRuntimeError::new_err(error.to_string()))
        }
        Err(_) => Ok(false),
    }
}

/// A result, or the exception: `ValueError` for what was given, `RuntimeError` for what failed.
fn value<T>(result: Result<T, VerifyError>) -> PyResult<T> {
    result.map_err(|error| match error {
        VerifyError::Random | VerifyError::Engine(_) => PyRuntimeError::new_err(error.to_string()),
        _ => refused(error),
    })
}

/// The secret keys of a batch.
fn secrets(keys: &Strings) -> PyResult<Vec<SecretKey>> {
    let key = |bytes: &Zeroizing<Vec<u8>>| SecretKey::from_bytes(bytes).map_err(refused);
    keys.iter().map(key).collect()
}

/// The encodings of signatures, or why they are missing.
fn encoded(
    signatures: Vec<Result<Signature, SignError>>,
) -> Vec<Result<Zeroizing<Vec<u8>>, String>> {
    let encode = |signature: Result<Signature, String>| {
        signature.map(|signature| Zeroizing::new(signature.to_bytes()))
    };
    in_words(signatures).into_iter().map(encode).collect()
}

impl BlsSuite {
    /// The public keys of these encodings; none for those that are refused.
    fn keys(&self, encodings: &Strings) -> PyResult<Vec<Option<PublicKey>>> {
        let encodings: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
        let keys = self.0.key_validate_batch(&encodings).map_err(exception)?;
        Ok(keys.into_iter().map(Result::ok).collect())
    }

    /// All public keys of these encodings; none if one of them is refused.
    fn all_keys(&self, encodings: &Strings) -> PyResult<Option<Vec<PublicKey>>> {
        Ok(self.keys(encodings)?.into_iter().collect())
    }

    /// The signature of an encoding, unless it is refused.
    fn signature(&self, encoding: &[u8]) -> PyResult<Option<Signature>> {
        let signatures = self.0.decode_signature_batch(&[encoding]);
        let mut signatures = signatures.map_err(exception)?.into_iter();
        Ok(signatures.next().and_then(Result::ok))
    }

    /// The verdicts on a part of a batch, where signatures with keys that are refused are invalid.
    fn verdicts(
        &self,
        range: Range<usize>,
        keys: &Strings,
        verify: impl FnOnce(&[(usize, &PublicKey)]) -> Vec<Result<(), VerifyError>>,
    ) -> PyResult<Vec<bool>> {
        let keys = self.keys(&keys[range.clone()])?;
        let valid = range.zip(&keys);
        let valid = valid.filter_map(|(item, key)| Some((item, key.as_ref()?)));
        let mut answers = verify(&valid.collect::<Vec<_>>()).into_iter();
        let verdict = |key: &Option<PublicKey>| match key {
            Some(_) => answers.next().map_or(Ok(false), verdict),
            None => Ok(false),
        };
        keys.iter().map(verdict).collect()
    }
}

#[pymethods]
impl BlsSuite {
    #[new]
    #[pyo3(signature = (engine, variant, scheme, tag = None))]
    fn new(engine: &Engine, variant: &str, scheme: &str, tag: Option<Vec<u8>>) -> PyResult<Self> {
        let variant = match variant {
            "min-pk" => Variant::MinPk,
            "min-sig" => Variant::MinSig,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "variant is {variant:?}: \"min-pk\" and \"min-sig\" are possible"
                )));
            }
        };
        let scheme: Scheme = scheme.parse().map_err(refused)?;
        let mut suite = Suite::new(variant, scheme);
        if let Some(tag) = tag {
            suite = suite.with_tag(DomainSeparationTag::new(&tag).map_err(refused)?);
        }
        let pairing = PreparedPairing::bls12_381(&engine.inner).map_err(exception)?;
        Ok(Self(PreparedBls::new(&pairing, suite)))
    }

    /// The tag that messages are hashed with.
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.suite().tag().as_bytes())
    }

    /// The public keys of secret keys.
    #[pyo3(signature = (keys, *, errors = "raise", threads = None, progress = None))]
    fn public_keys<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let errors = Errors::new(errors)?;
        let keys = secrets(&byte_strings(keys, "keys")?)?;
        let run = Run::new(threads, progress);
        let publics = run.in_parts(
            py,
            keys.len(),
            |_| SECONDS,
            |range| {
                let keys: Vec<_> = keys[range].iter().collect();
                let publics = in_words(self.0.public_key_batch(&keys)).into_iter();
                let encode = |key: Result<PublicKey, String>| {
                    key.map(|key| Zeroizing::new(key.to_bytes().to_vec()))
                };
                Ok(publics.map(encode).collect())
            },
        )?;
        listed(py, errors, publics)
    }

    /// The signatures of messages, each by the key in the same place.
    #[pyo3(signature = (keys, messages, *, errors = "raise", threads = None, progress = None))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let errors = Errors::new(errors)?;
        let keys = byte_strings(keys, "keys")?;
        let messages = byte_strings(messages, "messages")?;
        check_lengths(&[("keys", &keys), ("messages", &messages)])?;
        let keys = secrets(&keys)?;
        let run = Run::new(threads, progress);
        let signatures = run.in_parts(
            py,
            keys.len(),
            |_| SECONDS,
            |range| {
                let requests = range.map(|item| SignRequest {
                    key: &keys[item],
                    message: &messages[item],
                });
                Ok(encoded(self.0.sign_batch(&requests.collect::<Vec<_>>())))
            },
        )?;
        listed(py, errors, signatures)
    }

    /// Proofs of possession of secret keys.
    #[pyo3(signature = (keys, *, errors = "raise", threads = None, progress = None))]
    fn prove<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let errors = Errors::new(errors)?;
        let keys = secrets(&byte_strings(keys, "keys")?)?;
        let run = Run::new(threads, progress);
        let proofs = run.in_parts(
            py,
            keys.len(),
            |_| SECONDS,
            |range| {
                let keys: Vec<_> = keys[range].iter().collect();
                Ok(encoded(self.0.prove_batch(&keys)))
            },
        )?;
        listed(py, errors, proofs)
    }

    /// Whether each encoding is that of a public key.
    #[pyo3(signature = (keys, *, threads = None, progress = None))]
    fn validate<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<bool>> {
        let keys = byte_strings(keys, "keys")?;
        let run = Run::new(threads, progress);
        run.in_parts(
            py,
            keys.len(),
            |_| SECONDS,
            |range| {
                let keys = self.keys(&keys[range])?;
                Ok(keys.iter().map(Option::is_some).collect())
            },
        )
    }

    /// Whether each signature is valid.
    #[pyo3(signature = (keys, messages, signatures, *, threads = None, progress = None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        signatures: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<bool>> {
        let keys = byte_strings(keys, "keys")?;
        let messages = byte_strings(messages, "messages")?;
        let signatures = byte_strings(signatures, "signatures")?;
        check_lengths(&[
            ("keys", &keys),
            ("messages", &messages),
            ("signatures", &signatures),
        ])?;
        let run = Run::new(threads, progress);
        run.in_parts(
            py,
            keys.len(),
            |_| SECONDS,
            |range| {
                self.verdicts(range, &keys, |valid| {
                    let requests = valid.iter().map(|&(item, key)| VerifyRequest {
                        key,
                        message: &messages[item],
                        signature: &signatures[item],
                    });
                    self.0.verify_batch(&requests.collect::<Vec<_>>())
                })
            },
        )
    }

    /// Whether all signatures are valid, by random factors.
    #[pyo3(signature = (keys, messages, signatures, *, threads = None))]
    fn verify_all<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        signatures: &Bound<'py, PyAny>,
        threads: Option<Threads>,
    ) -> PyResult<bool> {
        let keys = byte_strings(keys, "keys")?;
        let messages = byte_strings(messages, "messages")?;
        let signatures = byte_strings(signatures, "signatures")?;
        check_lengths(&[
            ("keys", &keys),
            ("messages", &messages),
            ("signatures", &signatures),
        ])?;
        Run::new(threads, None).at_once(py, || {
            let Some(keys) = self.all_keys(&keys)? else {
                return Ok(false);
            };
            let requests = keys.iter().zip(&messages).zip(&signatures);
            let requests = requests.map(|((key, message), signature)| VerifyRequest {
                key,
                message,
                signature,
            });
            let requests: Vec<_> = requests.collect();
            value(self.0.verify_sets(&mut system_rng(), &requests))
        })?
    }

    /// Whether each proof of possession is valid.
    #[pyo3(signature = (keys, proofs, *, threads = None, progress = None))]
    fn verify_proofs<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        proofs: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<bool>> {
        let keys = byte_strings(keys, "keys")?;
        let proofs = byte_strings(proofs, "proofs")?;
        check_lengths(&[("keys", &keys), ("proofs", &proofs)])?;
        let run = Run::new(threads, progress);
        run.in_parts(
            py,
            keys.len(),
            |_| SECONDS,
            |range| {
                self.verdicts(range, &keys, |valid| {
                    let requests = valid.iter().map(|&(item, key)| (key, &proofs[item][..]));
                    self.0.verify_proof_batch(&requests.collect::<Vec<_>>())
                })
            },
        )
    }

    /// The aggregate of signatures.
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        signatures: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let signatures = byte_strings(signatures, "signatures")?;
        let aggregate = Run::new(None, None).at_once(py, || {
            let encodings: Vec<_> = signatures.iter().map(|bytes| &bytes[..]).collect();
            let signatures = self.0.decode_signature_batch(&encodings);
            let signatures = signatures.map_err(exception)?.into_iter();
            let signatures: Vec<_> = signatures.collect::<Result<_, _>>().map_err(refused)?;
            value(self.0.aggregate(&signatures.iter().collect::<Vec<_>>()))
        })??;
        Ok(PyBytes::new(py, &aggregate.to_bytes()))
    }

    /// The sum of public keys.
    fn aggregate_keys<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let keys = byte_strings(keys, "keys")?;
        let sum = Run::new(None, None).at_once(py, || {
            let keys = self.all_keys(&keys)?;
            let keys = keys.ok_or_else(|| refused("a public key is not valid"))?;
            value(self.0.aggregate_keys(&keys.iter().collect::<Vec<_>>()))
        })??;
        Ok(PyBytes::new(py, sum.to_bytes()))
    }

    /// Whether an aggregate of signatures of different messages is valid.
    fn aggregate_verify<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        signature: Vec<u8>,
    ) -> PyResult<bool> {
        let keys = byte_strings(keys, "keys")?;
        let messages = byte_strings(messages, "messages")?;
        if keys.len() != messages.len() {
            return Ok(false);
        }
        Run::new(None, None).at_once(py, || {
            let Some(keys) = self.all_keys(&keys)? else {
                return Ok(false);
            };
            let Some(signature) = self.signature(&signature)? else {
                return Ok(false);
            };
            let keys: Vec<_> = keys.iter().collect();
            let messages: Vec<_> = messages.iter().map(|message| &message[..]).collect();
            verdict(self.0.aggregate_verify(&keys, &messages, &signature))
        })?
    }

    /// Whether an aggregate of signatures of one message is valid; with `ethereum` also that of none by no keys.
    #[pyo3(signature = (keys, message, signature, *, ethereum = false))]
    fn fast_aggregate_verify<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        message: Vec<u8>,
        signature: Vec<u8>,
        ethereum: bool,
    ) -> PyResult<bool> {
        let keys = byte_strings(keys, "keys")?;
        Run::new(None, None).at_once(py, || {
            let Some(keys) = self.all_keys(&keys)? else {
                return Ok(false);
            };
            let Some(signature) = self.signature(&signature)? else {
                return Ok(false);
            };
            let keys: Vec<_> = keys.iter().collect();
            verdict(if ethereum {
                self.0
                    .eth_fast_aggregate_verify(&keys, &message, &signature)
            } else {
                self.0.fast_aggregate_verify(&keys, &message, &signature)
            })
        })?
    }
}

/// The secret key of key material. See `sunzi.bls.KeyGen`.
#[pyfunction]
pub(crate) fn bls_key_of_material(
    py: Python<'_>,
    material: Vec<u8>,
    info: Vec<u8>,
) -> PyResult<Bound<'_, PyBytes>> {
    let material = Zeroizing::new(material);
    let key = SecretKey::from_key_material(&material, &info).map_err(refused)?;
    Ok(PyBytes::new(py, &key.to_bytes()))
}

/// The key at the end of a path from a seed's master key. See `sunzi.bls.derive_key`.
#[pyfunction]
pub(crate) fn bls_derived_key(
    py: Python<'_>,
    seed: Vec<u8>,
    path: Vec<u32>,
) -> PyResult<Bound<'_, PyBytes>> {
    let seed = Zeroizing::new(seed);
    let master = SecretKey::master(&seed).map_err(refused)?;
    let key = path.iter().fold(master, |key, &index| key.child(index));
    Ok(PyBytes::new(py, &key.to_bytes()))
}
