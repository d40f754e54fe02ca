//! The backends, and the one place that chooses among them.

#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod lanes;
mod portable;

use core::{fmt, str::FromStr};

use crypto_bigint::{BoxedUint, Odd};

use self::lanes::{LaneBackend, LaneModulus};
use crate::{EngineError, Task};

/// How a batch is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// 52-bit residues on AVX-512 IFMA.
    Avx512,
    /// Portable Rust that the compiler vectorizes; runs everywhere.
    Portable,
}

impl Backend {
    /// Every backend of this version, the fastest first, whether this processor can run it
    /// or not.
    pub const ALL: &'static [Backend] = &[Backend::Avx512, Backend::Portable];

    /// The fastest backend that this processor can run.
    pub fn best() -> Self {
        let present = Self::ALL
            .iter()
            .copied()
            .find(|backend| backend.check().is_ok());
        present.unwrap_or(Self::Portable)
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Portable => "portable",
        }
    }

    /// Whether this processor can run it; if not, what is missing.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`].
    pub fn check(self) -> Result<(), EngineError> {
        Runner::new(self).map(drop)
    }

    /// How it computes on this processor, in a few words.
    pub fn describe(self) -> String {
        match self {
            Self::Avx512 => "52-bit residues, AVX-512 IFMA".into(),
            Self::Portable => format!("28-bit residues, {}", portable::Portable::describe()),
        }
    }

    pub(crate) fn names() -> String {
        Self::ALL
            .iter()
            .map(|backend| backend.name())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Self, EngineError> {
        Self::ALL
            .iter()
            .copied()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| EngineError::UnknownBackend(name.into()))
    }
}

/// A backend at work: its kernels and its plans.
pub(crate) enum Runner {
    #[cfg(target_arch = "x86_64")]
    Avx512(LaneBackend<avx512::Ifma>),
    Portable(LaneBackend<portable::Portable>),
}

impl Runner {
    /// The backend, if this processor can run it.
    pub(crate) fn new(backend: Backend) -> Result<Self, EngineError> {
        match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => match avx512::Ifma::detect() {
                Some(kernels) => Ok(Self::Avx512(LaneBackend::new(kernels))),
                None => Err(EngineError::BackendUnavailable(
                    backend,
                    "the processor lacks AVX-512F, AVX-512DQ or AVX-512 IFMA",
                )),
            },
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 => Err(EngineError::BackendUnavailable(
                backend,
                "it is for x86-64 processors",
            )),
            Backend::Portable => Ok(Self::Portable(LaneBackend::new(portable::Portable::new()))),
        }
    }

    /// The constants of a modulus of at most `bits` bits, the size of its plan.
    pub(crate) fn modulus(
        &self,
        value: &Odd<BoxedUint>,
        bits: u32,
    ) -> Result<LaneModulus, EngineError> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(lanes) => lanes.modulus(value, bits),
            Self::Portable(lanes) => lanes.modulus(value, bits),
        }
    }

    /// Runs one group of at most [`Self::widest_group`] tasks of one plan, on as few lanes
    /// as hold it.
    pub(crate) fn run_group(&self, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(lanes) => match tasks.len() {
                0..=8 => lanes.run_group::<8>(tasks),
                9..=16 => lanes.run_group::<16>(tasks),
                _ => lanes.run_group::<32>(tasks),
            },
            // No width between 8 and 32: the compiler unrolls loops over 16 lanes instead of
            // vectorizing them, and 16 numbers take as long on 32 lanes.
            Self::Portable(lanes) => match tasks.len() {
                0..=4 => lanes.run_group::<4>(tasks),
                5..=8 => lanes.run_group::<8>(tasks),
                _ => lanes.run_group::<32>(tasks),
            },
        }
    }

    /// How many tasks a group may have.
    pub(crate) const WIDEST_GROUP: usize = 32;
}
