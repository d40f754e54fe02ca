//! The engine, and the moduli that it keeps prepared.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crypto_bigint::BoxedUint;
use pyo3::exceptions::{PyDeprecationWarning, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sunzi_engine::{Backend, DeviceFailure, EngineError, InstructionLimit, Modulus};
use sunzi_pk::keys::Algorithms;

use crate::arguments::RandomBases;
use crate::batch::Run;

/// Bytes of the moduli that are kept prepared for later batches: 1,024 moduli of 2048 bits.
const KEPT_BYTES: usize = 256 << 10;

/// Seconds that preparing a modulus takes on one thread of a slow processor, for each bit squared.
const MODULUS_SECONDS: f64 = 1e-10;

/// An engine: a backend of this processor, by name, or the fastest. It can be pickled, and has the same backend
/// where it is loaded.
///
/// With `random_bases` it draws, for each group of numbers, one of this many plans with residues of random bases.
#[pyclass(frozen, module = "sunzi")]
pub(crate) struct Engine {
    pub(crate) inner: sunzi_engine::Engine,
    /// All kinds of keys, on this engine.
    pub(crate) algorithms: Algorithms,
    random_bases: Option<usize>,
    /// Public moduli, by their bytes.
    kept: Mutex<HashMap<Box<[u8]>, Arc<Modulus>>>,
    failures: Mutex<Failures>,
}

/// The failures of an engine's devices.
#[derive(Default)]
struct Failures {
    /// The devices that have ever failed.
    devices: Vec<&'static str>,
    /// Failures that nobody has asked for yet.
    new: Vec<DeviceFailure>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (backend = None, random_bases = None))]
    fn new(
        py: Python<'_>,
        backend: Option<&str>,
        random_bases: Option<RandomBases>,
    ) -> PyResult<Self> {
        let backend = match backend {
            Some(name) => {
                let device = name.split_once(':').map_or(name, |(device, _)| device);
                if let Some(successor) = Backend::successor(device) {
                    let text = format!(
                        "the backend {device} is now {successor}, and the next version will not know it"
                    );
                    let category = py.get_type::<PyDeprecationWarning>();
                    PyErr::warn(py, &category, &CString::new(text)?, 1)?;
                }
                name.parse().map_err(exception)?
            }
            None => Backend::best(),
        };
        let mut builder = sunzi_engine::Engine::builder().backend(backend);
        let random_bases = random_bases.map(|plans| plans.0);
        if let Some(plans) = random_bases {
            builder = builder.random_bases(plans);
        }
        let engine = py.detach(|| builder.build()).map_err(exception)?;
        Ok(Self {
            algorithms: Algorithms::new(&engine),
            inner: engine,
            random_bases,
            kept: Mutex::default(),
            failures: Mutex::default(),
        })
    }

    /// Name of the backend.
    #[getter]
    fn backend(&self) -> String {
        self.inner.backend().to_string()
    }

    /// The devices that batches may come to, the first of those that suit a batch first. One that has failed
    /// is no longer among them.
    #[getter]
    fn devices(&self) -> Vec<&'static str> {
        let failures = self.failures();
        let works = |device: &&'static str| !failures.devices.contains(device);
        self.inner.devices().filter(works).collect()
    }

    /// The failures of devices since the last call, in words. What they should have computed, other devices
    /// have.
    fn take_failures(&self) -> Vec<String> {
        let failures = core::mem::take(&mut self.failures().new);
        let in_words = |failure: &DeviceFailure| {
            let DeviceFailure {
                device,
                reason,
                numbers,
            } = failure;
            format!("{device}: {reason}; another device computed {numbers} numbers")
        };
        failures.iter().map(in_words).collect()
    }

    /// For pickling.
    fn __getnewargs__(&self) -> (String, Option<usize>) {
        (self.backend(), self.random_bases)
    }

    fn __repr__(&self) -> String {
        format!("<sunzi.Engine {}>", self.backend())
    }
}

impl Engine {
    /// The failures so far.
    fn failures(&self) -> MutexGuard<'_, Failures> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for failure in self.inner.take_failures() {
            if !failures.devices.contains(&failure.device) {
                failures.devices.push(failure.device);
            }
            failures.new.push(failure);
        }
        failures
    }

    /// The prepared moduli of a batch, in order. Public ones are kept for later batches.
    ///
    /// The lock is taken while the interpreter's lock is held, so that no other thread holds it when
    /// the interpreter forks.
    pub(crate) fn moduli(
        &self,
        py: Python<'_>,
        threads: usize,
        values: &[&BoxedUint],
        public: bool,
    ) -> PyResult<Vec<Result<Arc<Modulus>, EngineError>>> {
        // Progress is that of the results.
        let run = Run {
            threads,
            progress: None,
        };
        let prepare = |values: Vec<BoxedUint>| {
            let seconds =
                |item: usize| MODULUS_SECONDS * f64::from(values[item].bits_precision()).powi(2);
            run.in_parts(py, values.len(), seconds, |range| {
                Ok(self.inner.moduli(&values[range]))
            })
        };
        if !public {
            return prepare(values.iter().map(|&value| value.clone()).collect());
        }
        let names: Vec<Box<[u8]>> = values.iter().map(|value| value.to_le_bytes()).collect();
        let mut found: HashMap<&[u8], Result<Arc<Modulus>, EngineError>> = HashMap::new();
        let mut new: HashMap<&[u8], &BoxedUint> = HashMap::new();
        {
            let kept = self.kept();
            for (name, value) in names.iter().zip(values) {
                match kept.get(name) {
                    Some(modulus) => found.insert(name, Ok(Arc::clone(modulus))).map(drop),
                    None => new.insert(name, value).map(drop),
                };
            }
        }
        let (new_names, new_values): (Vec<&[u8]>, Vec<BoxedUint>) = new
            .into_iter()
            .map(|(name, value)| (name, value.clone()))
            .unzip();
        let prepared = prepare(new_values)?;
        let mut kept = self.kept();
        for (name, modulus) in new_names.into_iter().zip(prepared) {
            if let Ok(modulus) = &modulus {
                if kept.keys().map(|name| name.len()).sum::<usize>() >= KEPT_BYTES {
                    kept.clear();
                }
                kept.insert(name.into(), Arc::clone(modulus));
            }
            found.insert(name, modulus);
        }
        Ok(names.iter().map(|name| found[&**name].clone()).collect())
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, Arc<Modulus>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An engine's error as an exception: `ValueError` for what was asked, `RuntimeError` for what failed.
pub(crate) fn exception(error: EngineError) -> PyErr {
    let message = error.to_string();
    match error {
        EngineError::DeviceFailed { .. } | EngineError::Random => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// Lets every engine of this process use no more instructions than this: "avx2", "avx512" and others.
#[pyfunction]
pub(crate) fn limit_instructions(name: &str) -> PyResult<()> {
    let limit = name.parse().and_then(InstructionLimit::set);
    limit.map_err(|error: EngineError| PyValueError::new_err(error.to_string()))
}

/// The backends, each with its name, whether this processor can run it, whether it is chosen where none is named,
/// and in words what it is or why it cannot run.
#[pyfunction]
pub(crate) fn backends(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let best = Backend::best();
    let row = |&backend: &Backend| {
        let row = PyDict::new(py);
        let check = backend.check();
        row.set_item("backend", backend.name())?;
        row.set_item("available", check.is_ok())?;
        row.set_item("chosen", backend == best)?;
        let detail = match check {
            Ok(()) => backend.describe(),
            Err(error) => error.to_string(),
        };
        row.set_item("detail", detail)?;
        Ok(row)
    };
    Backend::ALL.iter().map(row).collect()
}
