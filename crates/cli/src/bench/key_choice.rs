//! The choice between one key and many.

use core::fmt;
use serde::Serialize;

/// The choice of keys (or moduli) for the operations of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeyChoice {
    /// One key for all operations
    One,
    /// A key for each operation
    Mixed,
}

impl fmt::Display for KeyChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "one key or modulus for a batch",
            Self::Mixed => "a key or modulus for each operation",
        })
    }
}
