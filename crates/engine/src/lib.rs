//! Batches of modular exponentiations in residue number systems.
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_engine::{Backend, Engine, Exponent, Task};
//!
//! let engine = Engine::new(Backend::best())?;
//! let modulus = engine.modulus(&BoxedUint::from((1u128 << 127) - 1))?;
//! let base = BoxedUint::from(3u64);
//! let exponent = BoxedUint::from(65_537u64);
//! let task = Task::power(&modulus, &base, Exponent::Public(&exponent));
//! let results = engine.run(&[task]);
//! assert_eq!(results.len(), 1);
//! # Ok::<(), sunzi_engine::EngineError>(())
//! ```

use core::str::FromStr;
use crypto_bigint::BoxedUint;
use std::sync::Arc;

/// The widest modulus, in bits.
pub const MAX_BITS: u32 = 16_384;
/// The narrowest modulus, in bits.
pub const MIN_BITS: u32 = 64;

/// What the engine refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The modulus is even.
    #[error("the modulus is even: RNS Montgomery multiplication needs an odd one")]
    EvenModulus,
    /// The modulus is too small or too large.
    #[error("the modulus has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    ModulusSize(u32),
    /// No backend has this name.
    #[error("there is no backend named {0:?}: choose one of {known}", known = Backend::names())]
    UnknownBackend(String),
    /// This processor lacks what the backend needs.
    #[error("backend {0} cannot run here: {1}")]
    BackendUnavailable(Backend, &'static str),
}

/// How a batch is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Portable Rust that the compiler vectorizes; runs everywhere.
    Portable,
}

impl Backend {
    /// Every backend that this version has, whether this processor can run it or not.
    pub const ALL: &'static [Backend] = &[Backend::Portable];

    /// The fastest backend that this processor can run.
    pub fn best() -> Self {
        Self::Portable
    }
    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        "portable"
    }
    /// Whether this processor can run it; if not, what is missing.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`].
    pub fn check(self) -> Result<(), EngineError> {
        Ok(())
    }
    /// One line on how it computes here (instruction set, lanes).
    pub fn describe(self) -> String {
        String::from("portable")
    }
    fn names() -> String {
        Self::ALL.iter().map(|b| b.name()).collect::<Vec<_>>().join(", ")
    }
}

impl core::fmt::Display for Backend {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = EngineError;
    fn from_str(name: &str) -> Result<Self, EngineError> {
        Self::ALL
            .iter()
            .copied()
            .find(|b| b.name() == name)
            .ok_or_else(|| EngineError::UnknownBackend(name.into()))
    }
}

/// An exponent, and whether the time may depend on it.
#[derive(Clone, Copy, Debug)]
pub enum Exponent<'a> {
    /// Secret: the time depends on the precision (`bits_precision`) of the number only.
    Secret(&'a BoxedUint),
    /// Public: the time may depend on its value.
    Public(&'a BoxedUint),
}

/// One number's work: `factor * base^exponent mod modulus`.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The modulus, prepared by [`Engine::modulus`].
    pub modulus: &'a Arc<Modulus>,
    /// Any non-negative integer, also one larger than the modulus.
    pub base: &'a BoxedUint,
    /// The exponent.
    pub exponent: Exponent<'a>,
    /// Multiplied in at the end, if there: any non-negative integer.
    pub factor: Option<&'a BoxedUint>,
}

impl<'a> Task<'a> {
    /// `base^exponent mod modulus`.
    pub fn power(modulus: &'a Arc<Modulus>, base: &'a BoxedUint, exponent: Exponent<'a>) -> Self {
        Self { modulus, base, exponent, factor: None }
    }
    /// The same, times `factor`.
    #[must_use]
    pub fn times(self, factor: &'a BoxedUint) -> Self {
        Self { factor: Some(factor), ..self }
    }
}

/// A modulus with its constants for one backend; wiped on drop.
#[derive(Debug)]
pub struct Modulus {
    value: crypto_bigint::Odd<BoxedUint>,
}

impl Modulus {
    /// Bit length of the modulus.
    pub fn bits(&self) -> u32 {
        self.value.bits()
    }
}

/// The batch engine: a backend and its plans. Cheap to clone; clones share the plans.
#[derive(Clone, Debug)]
pub struct Engine {
    backend: Backend,
}

impl Engine {
    /// An engine on this backend.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`] if this processor cannot run it.
    pub fn new(backend: Backend) -> Result<Self, EngineError> {
        backend.check()?;
        Ok(Self { backend })
    }

    /// The backend in use.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Prepares a modulus: odd, of 64 to 16,384 bits. In constant time for its size.
    ///
    /// # Errors
    /// [`EngineError::EvenModulus`], [`EngineError::ModulusSize`].
    pub fn modulus(&self, value: &BoxedUint) -> Result<Arc<Modulus>, EngineError> {
        let bits = value.bits();
        if !(MIN_BITS..=MAX_BITS).contains(&bits) {
            return Err(EngineError::ModulusSize(bits));
        }
        let value = Option::from(crypto_bigint::Odd::new(value.clone()))
            .ok_or(EngineError::EvenModulus)?;
        Ok(Arc::new(Modulus { value }))
    }

    /// Computes every task, in order, on the threads of the current rayon pool. Each result
    /// is below its modulus and has the modulus' size rounded up to whole words.
    /// Any mix of moduli and sizes may ride in one batch.
    pub fn run(&self, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
        use crypto_bigint::Resize;
        use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
        use rayon::prelude::*;
        tasks
            .par_iter()
            .map(|t| {
                let m = t.modulus.value.clone();
                let bits = m.bits().next_multiple_of(64);
                let params = BoxedMontyParams::new_vartime(m.resize(bits));
                let red = |x: &BoxedUint| {
                    let nz = t.modulus.value.as_nz_ref().clone();
                    let w = x.clone().resize(x.bits_precision().max(nz.bits_precision()));
                    let r = w.rem_vartime(&nz).resize(bits);
                    BoxedMontyForm::new(r, &params)
                };
                let e = match t.exponent {
                    Exponent::Secret(e) | Exponent::Public(e) => e,
                };
                let mut r = red(t.base).pow(e);
                if let Some(f) = t.factor {
                    r = r.mul(&red(f));
                }
                r.retrieve()
            })
            .collect()
    }
}
