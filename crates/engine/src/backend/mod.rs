//! The backends, and the one place that chooses among them.

pub(crate) mod lanes;
pub(crate) mod portable;

use core::{fmt, str::FromStr};

use crate::EngineError;

/// How a batch is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Portable Rust that the compiler vectorizes; runs everywhere.
    Portable,
}

impl Backend {
    /// Every backend of this version, whether this processor can run it or not.
    pub const ALL: &'static [Backend] = &[Backend::Portable];

    /// The fastest backend that this processor can run.
    pub fn best() -> Self {
        Self::Portable
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
        }
    }

    /// Whether this processor can run it; if not, what is missing.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`].
    pub fn check(self) -> Result<(), EngineError> {
        match self {
            Self::Portable => Ok(()),
        }
    }

    /// How it computes on this processor, in a few words.
    pub fn describe(self) -> String {
        match self {
            Self::Portable => portable::Portable::describe(),
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
