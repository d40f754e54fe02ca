//! Errors about keys of any algorithm, and the strength that they must have.

use sunzi_engine::EngineError;

use crate::ec::{self, eddsa, xdh};
use crate::{KeyFileError, rsa};

/// Length in bits of the shortest prime of a curve whose keys are made, sign and agree: 112 bits of strength,
/// as RSA keys of 2048 bits have (SP 800-57, part 1, table 2). Keys of shorter curves only verify.
pub const MIN_STRONG_BITS: u32 = 224;

/// Why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is no usable key file.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// An RSA key is refused.
    #[error(transparent)]
    Rsa(Box<rsa::KeyError>),
    /// A key of a curve for ECDSA and ECDH is refused.
    #[error(transparent)]
    Ec(Box<ec::KeyError>),
    /// A key of an Edwards curve is refused.
    #[error(transparent)]
    Edwards(Box<eddsa::KeyError>),
    /// A key of a Montgomery curve is refused.
    #[error(transparent)]
    Montgomery(Box<xdh::KeyError>),
    /// The file is a private key; a public key is needed.
    #[error("this is a private key: a public key is needed")]
    PrivateKeyGiven,
    /// No key of this kind is known, or none in the format of the file.
    #[error("keys of {0} are not known, or not in this format")]
    UnknownAlgorithm(String),
    /// Keys of this algorithm cannot do this.
    #[error("a key of {algorithm} cannot {purpose}")]
    Purpose {
        /// The algorithm of the key.
        algorithm: String,
        /// The operation that it was asked for: `sign`, `agree`.
        purpose: &'static str,
    },
    /// The curve is too weak for anything but verification.
    #[error(
        "{0} is too weak: keys of curves of fewer than {MIN_STRONG_BITS} bits verify signatures, and \
         nothing else"
    )]
    WeakCurve(String),
    /// The engine failed.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

macro_rules! boxed {
    ($($error:ty => $variant:ident),*) => {$(
        impl From<$error> for KeyError {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        }
    )*};
}
boxed!(rsa::KeyError => Rsa, ec::KeyError => Ec, eddsa::KeyError => Edwards, xdh::KeyError => Montgomery);

/// Checks that keys of this curve may be made, sign and agree.
pub(super) fn check_strength(curve: &ec::Curve) -> Result<(), KeyError> {
    if curve.bits() < MIN_STRONG_BITS {
        return Err(KeyError::WeakCurve(curve.to_string()));
    }
    Ok(())
}
