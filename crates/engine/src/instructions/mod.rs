//! Instructions of the processor that devices may use.

use crate::EngineError;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx_ifma;
mod rounding;
#[cfg(target_arch = "x86_64")]
mod tokens;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vector;

pub(crate) use self::rounding::DefaultRounding;
#[cfg(target_arch = "x86_64")]
pub(crate) use self::tokens::{Avx2, Avx512, AvxIfma, Ifma};

use core::{fmt, str::FromStr};
use std::sync::OnceLock;

/// A limit on the vector instructions of x86-64 processors that devices use, for the whole process: to measure and test
/// as on processors with fewer instructions. Written `baseline`, `avx2`, `avx-ifma`, `avx512` or `ifma`; each includes
/// those before it, as far as the processor has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InstructionLimit {
    /// The instructions that the compilation target guarantees: SSE2.
    Baseline,
    /// AVX2 and fused multiplications.
    Avx2,
    /// AVX-IFMA, which processors without AVX-512 may have.
    AvxIfma,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
    /// AVX-512 IFMA: no limit.
    Ifma,
}

/// The error text for a device whose instructions are beyond the limit.
#[cfg(target_arch = "x86_64")]
pub(crate) const BEYOND_LIMIT: &str = "its instructions are beyond the limit of this process";

/// The limit, once it has been set or asked for.
static LIMIT: OnceLock<InstructionLimit> = OnceLock::new();

impl InstructionLimit {
    /// Every limit, the lowest first.
    pub const ALL: [Self; 5] = [
        Self::Baseline,
        Self::Avx2,
        Self::AvxIfma,
        Self::Avx512,
        Self::Ifma,
    ];

    /// Sets the limit of this process.
    ///
    /// # Errors
    /// [`EngineError::LateLimit`] if another limit is set, or devices have been detected without one. Set it before the
    /// first engine, and before the first call of a [`Backend`](crate::Backend).
    pub fn set(self) -> Result<(), EngineError> {
        if *LIMIT.get_or_init(|| self) == self {
            Ok(())
        } else {
            Err(EngineError::LateLimit(self.name()))
        }
    }

    /// The limit of this process, which is fixed from now on.
    pub fn get() -> Self {
        *LIMIT.get_or_init(Self::unless_set)
    }

    /// The default: no limit. In tests it is the limit that the environment variable `SUNZI_INSTRUCTIONS` names, so
    /// that they run as on lesser processors.
    fn unless_set() -> Self {
        #[cfg(any(test, feature = "testing"))]
        if let Ok(name) = std::env::var("SUNZI_INSTRUCTIONS")
            && !name.is_empty()
        {
            return name.parse().unwrap_or_else(|error| panic!("{error}"));
        }
        Self::Ifma
    }

    /// The limit's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::AvxIfma => "avx-ifma",
            Self::Avx512 => "avx512",
            Self::Ifma => "ifma",
        }
    }

    /// Whether instructions that this limit includes, and no lower one, may be used.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_allowed(self) -> bool {
        self <= Self::get()
    }
}

impl fmt::Display for InstructionLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for InstructionLimit {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Self, EngineError> {
        // Version 0.1.0 had matrix tiles above IFMA.
        let name = if name == "tiles" { "ifma" } else { name };
        let limit = Self::ALL.into_iter().find(|limit| limit.name() == name);
        limit.ok_or_else(|| EngineError::UnknownLimit(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for limit in InstructionLimit::ALL {
            assert_eq!(limit.to_string().parse(), Ok(limit));
        }
        let error = "avx".parse::<InstructionLimit>().unwrap_err();
        assert!(error.to_string().contains("avx512"), "{error}");
    }

    #[test]
    fn too_late() {
        let limit = InstructionLimit::get();
        for other in InstructionLimit::ALL {
            let set = other.set();
            if other == limit {
                assert_eq!(set, Ok(()));
            } else {
                assert_eq!(set, Err(EngineError::LateLimit(other.name())));
            }
        }
    }
}
