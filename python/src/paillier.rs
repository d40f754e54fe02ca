//! Paillier's cryptosystem: plaintexts and ciphertexts are Python's integers here. The encoding of signed
//! and fractional numbers, and vectors, are in `sunzi/paillier.py`.

use std::sync::OnceLock;

use crypto_bigint::BoxedUint;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};
use sunzi_pk::paillier::{
    self, DecryptionKey, EncryptionKey, KeyError, Method, PaillierError, PrivateKey, PublicKey,
};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::arguments::{Bits, Threads};
use crate::batch::{Errors, Run};
use crate::engine::Engine;
use crate::integers::{listed, natural, naturals, to_python};
use crate::keys::refused;

/// Seconds that an encryption takes on one thread of a slow processor, for each bit of n cubed.
const SECONDS: f64 = 2e-12;

/// Seconds that a product and an inverse modulo n^2 take, likewise, for each bit of n squared.
const PRODUCT_SECONDS: f64 = 1e-11;
const INVERSE_SECONDS: f64 = 5e-10;

/// A step of a module of `sunzi`, which documents it.
#[pyclass(frozen, module = "sunzi._sunzi")]
pub(crate) struct PaillierPublicKey {
    key: PublicKey,
    engine: sunzi_engine::Engine,
    full: OnceLock<Result<EncryptionKey, KeyError>>,
    short: OnceLock<Result<EncryptionKey, KeyError>>,
}

/// A step of a module of `sunzi`, which documents it.
#[pyclass(frozen, module = "sunzi._sunzi")]
pub(crate) struct PaillierPrivateKey {
    key: PrivateKey,
    engine: sunzi_engine::Engine,
    decryption: OnceLock<Result<DecryptionKey, KeyError>>,
}

impl PaillierPublicKey {
    fn new(key: PublicKey, engine: sunzi_engine::Engine) -> Self {
        Self {
            key,
            engine,
            full: OnceLock::new(),
            short: OnceLock::new(),
        }
    }

    /// The key prepared for encryption: with short randomness if it has a base for it and `full` is not
    /// asked for.
    fn encryption(&self, py: Python<'_>, full: bool) -> PyResult<&EncryptionKey> {
        let (cell, method) = if full || self.key.short_base().is_none() {
            (&self.full, Method::Full)
        } else {
            (&self.short, Method::Short)
        };
        let prepare = || EncryptionKey::new(&self.engine, &self.key, method);
        py.detach(|| cell.get_or_init(prepare))
            .as_ref()
            .map_err(refused)
    }

    fn seconds(&self) -> f64 {
        SECONDS * f64::from(self.key.bits()).powi(3)
    }

    fn bits_squared(&self) -> f64 {
        f64::from(self.key.bits()).powi(2)
    }

    /// A batch of pairs of numbers.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        [left, right]: [&Bound<'py, PyAny>; 2],
        run: &Run<'py>,
        compute: impl Fn(
            &EncryptionKey,
            &[(&BoxedUint, &BoxedUint)],
        ) -> Vec<Result<BoxedUint, PaillierError>>
        + Send
        + Sync,
    ) -> PyResult<Bound<'py, PyList>> {
        let (left, right) = (
            naturals(left, "an operand")?,
            naturals(right, "an operand")?,
        );
        if left.len() != right.len() {
            let words = format_args!("{} and {} operands", left.len(), right.len());
            return Err(refused(words));
        }
        let key = self.encryption(py, true)?;
        let results = run.in_parts(
            py,
            left.len(),
            |_| self.seconds(),
            |range| {
                let pairs: Vec<_> = left[range.clone()].iter().zip(&right[range]).collect();
                let results = compute(key, &pairs).into_iter();
                Ok(results.map(|result| result.map(Zeroizing::new)).collect())
            },
        )?;
        listed(py, Errors::Raise, results)
    }
}

#[pymethods]
impl PaillierPublicKey {
    #[new]
    #[pyo3(signature = (engine, n, short_base = None))]
    fn from_n(
        engine: &Engine,
        n: &Bound<'_, PyAny>,
        short_base: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let n = natural(n, "n")?;
        let mut key = PublicKey::new(&n).map_err(refused)?;
        if let Some(base) = short_base {
            let base = natural(base, "short_base")?;
            key = key.with_short_base(&base).map_err(refused)?;
        }
        Ok(Self::new(key, engine.inner.clone()))
    }

    #[getter]
    fn n<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.key.n())
    }

    #[getter]
    fn short_base<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.key
            .short_base()
            .map(|base| to_python(py, base))
            .transpose()
    }

    fn to_jwk(&self) -> String {
        self.key.to_jwk(None)
    }

    #[staticmethod]
    fn from_jwk(engine: &Engine, text: &str) -> PyResult<Self> {
        let key = PublicKey::from_jwk(text).map_err(refused)?;
        Ok(Self::new(key, engine.inner.clone()))
    }

    #[pyo3(signature = (plaintexts, *, full = false, errors = "raise", threads = None, progress = None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        plaintexts: &Bound<'py, PyAny>,
        full: bool,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let errors = Errors::new(errors)?;
        let plaintexts = naturals(plaintexts, "a plaintext")?;
        let key = self.encryption(py, full)?;
        let results = run.in_parts(
            py,
            plaintexts.len(),
            |_| self.seconds(),
            |range| {
                let (engine, rng) = (&self.engine, &mut system_rng());
                let results =
                    paillier::encrypt_batch(engine, rng, key, &plaintexts[range]).into_iter();
                Ok(results.map(|result| result.map(Zeroizing::new)).collect())
            },
        )?;
        listed(py, errors, results)
    }

    #[pyo3(signature = (ciphertexts, *, full = false, threads = None, progress = None))]
    fn randomize<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Bound<'py, PyAny>,
        full: bool,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let ciphertexts = naturals(ciphertexts, "a ciphertext")?;
        let key = self.encryption(py, full)?;
        let results = run.in_parts(
            py,
            ciphertexts.len(),
            |_| self.seconds(),
            |range| {
                let (engine, rng) = (&self.engine, &mut system_rng());
                let part = &ciphertexts[range];
                let results = paillier::randomize_batch(engine, rng, key, part).into_iter();
                Ok(results.map(|result| result.map(Zeroizing::new)).collect())
            },
        )?;
        listed(py, Errors::Raise, results)
    }

    #[pyo3(signature = (left, right, *, threads = None, progress = None))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        left: &Bound<'py, PyAny>,
        right: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        self.pairs(py, [left, right], &run, |key, pairs| {
            paillier::add_batch(&self.engine, key, pairs)
        })
    }

    #[pyo3(signature = (ciphertexts, plaintexts, *, threads = None, progress = None))]
    fn add_plain<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Bound<'py, PyAny>,
        plaintexts: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        self.pairs(py, [ciphertexts, plaintexts], &run, |key, pairs| {
            paillier::add_plain_batch(&self.engine, key, pairs)
        })
    }

    #[pyo3(signature = (ciphertexts, factors, *, secret = true, threads = None, progress = None))]
    fn multiply<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Bound<'py, PyAny>,
        factors: &Bound<'py, PyAny>,
        secret: bool,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        self.pairs(py, [ciphertexts, factors], &run, |key, pairs| {
            if secret {
                paillier::multiply_batch(&self.engine, key, pairs)
            } else {
                paillier::multiply_batch_vartime(&self.engine, key, pairs)
            }
        })
    }

    #[pyo3(signature = (ciphertexts, *, threads = None, progress = None))]
    fn negate<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let ciphertexts = naturals(ciphertexts, "a ciphertext")?;
        let key = self.encryption(py, true)?;
        let results = run.in_parts(
            py,
            ciphertexts.len(),
            |_| self.bits_squared() * INVERSE_SECONDS,
            |range| {
                let results = paillier::negate_batch_vartime(key, &ciphertexts[range]);
                let results = results.into_iter();
                Ok(results.map(|result| result.map(Zeroizing::new)).collect())
            },
        )?;
        listed(py, Errors::Raise, results)
    }

    #[pyo3(signature = (ciphertexts, *, threads = None, progress = None))]
    fn sum<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let run = Run::new(threads, progress);
        let ciphertexts = naturals(ciphertexts, "a ciphertext")?;
        let key = self.encryption(py, true)?;
        let nothing = paillier::sum(&self.engine, key, &[]).map_err(refused)?;
        let seconds = self.bits_squared() * PRODUCT_SECONDS;
        let total = run.fold(py, ciphertexts.len(), seconds, nothing, |total, range| {
            let part = paillier::sum(&self.engine, key, &ciphertexts[range]).map_err(refused)?;
            let pair = [total.clone(), part];
            paillier::sum(&self.engine, key, &pair).map_err(refused)
        })?;
        to_python(py, &total)
    }
}

impl PaillierPrivateKey {
    fn new(key: PrivateKey, engine: sunzi_engine::Engine) -> Self {
        let decryption = OnceLock::new();
        Self {
            key,
            engine,
            decryption,
        }
    }
}

#[pymethods]
impl PaillierPrivateKey {
    #[staticmethod]
    #[pyo3(signature = (engine, bits, *, short = true, threads = None, progress = None))]
    fn generate<'py>(
        py: Python<'py>,
        engine: &Engine,
        bits: Bits,
        short: bool,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let Bits(bits) = bits;
        let made = Run::new(threads, progress).search(py, |watch| {
            let (engine, rng) = (&engine.inner, &mut system_rng());
            let mut keys = PrivateKey::generate_batch(engine, rng, bits, 1, watch)?.into_iter();
            let key = keys.next().ok_or(KeyError::ModulusSize(bits))?;
            // Keys that are made here have the base for short randomness.
            if short {
                Ok(key)
            } else {
                PrivateKey::from_primes(key.primes()[0], key.primes()[1])
            }
        })?;
        Ok(Self::new(made.map_err(refused)?, engine.inner.clone()))
    }

    #[staticmethod]
    fn from_primes(engine: &Engine, p: &Bound<'_, PyAny>, q: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (p, q) = (natural(p, "p")?, natural(q, "q")?);
        let key = PrivateKey::from_primes(&p, &q);
        Ok(Self::new(key.map_err(refused)?, engine.inner.clone()))
    }

    #[staticmethod]
    fn from_jwk(engine: &Engine, text: &str) -> PyResult<Self> {
        let key = PrivateKey::from_jwk(text).map_err(refused)?;
        Ok(Self::new(key, engine.inner.clone()))
    }

    fn to_jwk(&self) -> String {
        self.key.to_jwk(None).to_string()
    }

    #[getter]
    fn public_key(&self) -> PaillierPublicKey {
        PaillierPublicKey::new(self.key.public_key().clone(), self.engine.clone())
    }

    #[getter]
    fn primes<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let [p, q] = self.key.primes();
        Ok((to_python(py, p)?, to_python(py, q)?))
    }

    #[pyo3(signature = (ciphertexts, *, errors = "raise", threads = None, progress = None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Bound<'py, PyAny>,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let errors = Errors::new(errors)?;
        let ciphertexts = naturals(ciphertexts, "a ciphertext")?;
        let prepare = || DecryptionKey::new(&self.engine, &self.key);
        let key = py.detach(|| self.decryption.get_or_init(prepare));
        let key = key.as_ref().map_err(refused)?;
        let seconds = SECONDS * f64::from(self.key.public_key().bits()).powi(3);
        let results = run.in_parts(
            py,
            ciphertexts.len(),
            |_| seconds,
            |range| {
                Ok(paillier::decrypt_batch(
                    &self.engine,
                    key,
                    &ciphertexts[range],
                ))
            },
        )?;
        listed(py, errors, results)
    }
}
