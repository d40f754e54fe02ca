//! JSON Web Tokens for Python: many tokens, verified and signed.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyList, PyString};
use sunzi_jobs::jwt::{self, Rules, Signer, Verified};
use sunzi_pk::keys::{Algorithms, NonceKind};
use sunzi_pk::system_rng;

use crate::arguments::{Threads, type_name};
use crate::batch::{Errors, Run, listen};
use crate::engine::Engine;

/// The seconds that verifying a token takes at most, on a slow processor.
const SECONDS: f64 = 1e-4;

/// The seconds that signing a token takes at most, on a slow processor.
const SIGNING_SECONDS: f64 = 1e-3;

/// A set of JSON Web Keys, prepared for verification.
#[pyclass(frozen, module = "sunzi.jwt")]
pub(crate) struct JwtKeys {
    algorithms: Algorithms,
    keys: jwt::Keys,
}

#[pymethods]
impl JwtKeys {
    #[new]
    fn new(engine: &Engine, file: &[u8]) -> PyResult<Self> {
        let algorithms = engine.algorithms.clone();
        let keys = jwt::Keys::from_json(&algorithms, file);
        let keys = keys.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { algorithms, keys })
    }

    fn __len__(&self) -> usize {
        self.keys.len()
    }
}

/// A token, as text or as bytes.
pub(crate) enum Token {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Token {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    fn of(token: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = token.cast::<PyString>() {
            // A text with half of a surrogate pair is no token, and no error either.
            return Ok(match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Self::Text(text),
                Err(_) => Self::Bytes(PyBytes::new(token.py(), b"").into()),
            });
        }
        token.extract().map(Self::Bytes).map_err(|_| {
            let name = type_name(token);
            PyTypeError::new_err(format!("a token is str or bytes, not {name}"))
        })
    }
}

/// The payload of a token, or the reason why it is refused.
type Answer<'py> = (Option<Bound<'py, PyAny>>, Option<String>);

/// For each token its payload, as text or, with `any_payload`, as bytes, or the reason why it is refused: a list of
/// pairs of which one is None.
#[pyfunction]
#[pyo3(signature = (keys, tokens, *, now, leeway, audiences, any_audience, issuers, required, typ, algorithms, any_payload, threads, progress))]
pub(crate) fn jwt_verify<'py>(
    py: Python<'py>,
    keys: Py<JwtKeys>,
    tokens: &Bound<'py, PyAny>,
    now: u64,
    leeway: u64,
    audiences: Vec<String>,
    any_audience: bool,
    issuers: Vec<String>,
    required: Vec<String>,
    typ: Option<String>,
    algorithms: Option<Vec<String>>,
    any_payload: bool,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<Answer<'py>>> {
    let run = Run::new(threads, progress);
    let mut rules = Rules::at(now);
    rules.leeway = leeway;
    rules.audiences = audiences;
    rules.any_audience = any_audience;
    rules.issuers = issuers;
    rules.required = required;
    rules.typ = typ;
    rules.algorithms = algorithms;
    rules.any_payload = any_payload;
    let tokens: Vec<Token> = tokens
        .try_iter()?
        .enumerate()
        .map(|(item, token)| {
            listen(py, item)?;
            Token::of(&token?)
        })
        .collect::<PyResult<_>>()?;
    let JwtKeys { algorithms, keys } = keys.get();
    let verdicts = run.in_parts(
        py,
        tokens.len(),
        |_| SECONDS,
        |range| {
            let tokens: Vec<&[u8]> = tokens[range].iter().map(Token::bytes).collect();
            Ok(jwt::verify_batch(algorithms, keys, &rules, &tokens))
        },
    )?;
    let payload = |Verified { payload, .. }: Verified| -> PyResult<Bound<'py, PyAny>> {
        if any_payload {
            return Ok(PyBytes::new(py, &payload).into_any());
        }
        let text = core::str::from_utf8(&payload);
        let text = text.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyString::new(py, text).into_any())
    };
    let listed = verdicts.into_iter().enumerate().map(|(item, verdict)| {
        listen(py, item)?;
        Ok(match verdict {
            Ok(verified) => (Some(payload(verified)?), None),
            Err(refusal) => (None, Some(refusal.to_string())),
        })
    });
    listed.collect()
}

/// A token for each of the claims, JSON objects in UTF-8, by a private JSON Web Key.
#[pyfunction]
#[pyo3(signature = (engine, file, claims, *, kid, algorithm, typ, hedged, threads, progress))]
pub(crate) fn jwt_sign<'py>(
    py: Python<'py>,
    engine: &Engine,
    file: &[u8],
    claims: Vec<PyBackedBytes>,
    kid: Option<&str>,
    algorithm: Option<&str>,
    typ: Option<&str>,
    hedged: bool,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let algorithms = &engine.algorithms;
    let signer = Signer::from_json(algorithms, file, kid, algorithm, typ);
    let signer = signer.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let nonces = if hedged {
        NonceKind::Hedged
    } else {
        NonceKind::Deterministic
    };
    let tokens = run.in_parts(
        py,
        claims.len(),
        |_| SIGNING_SECONDS,
        |range| {
            let claims: Vec<&[u8]> = claims[range].iter().map(|claims| &**claims).collect();
            let rng = &mut system_rng();
            Ok(jwt::sign_batch(algorithms, rng, nonces, &signer, &claims))
        },
    )?;
    Errors::Raise.listed(py, tokens, |token| Ok(PyString::new(py, &token).into_any()))
}
