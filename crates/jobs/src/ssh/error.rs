//! Reasons: why a signature, a certificate or a request is refused, and why none was made.

use sunzi_pk::keys;

/// Length of the longest signature that is read, with its armor, in bytes.
pub const MAX_SIGNATURE_BYTES: usize = 1 << 16;

/// Why a key cannot sign or verify for SSH.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// SSH has no such keys or signatures.
    #[error("{0}")]
    Key(String),
    /// SSHSIG has digests by SHA-256 and SHA-512 only.
    #[error("SSH signs digests by sha256 or sha512, not by {0}")]
    Hash(sunzi_pk::Hash),
    /// An empty namespace.
    #[error("the namespace is empty: name the purpose, such as file or git")]
    EmptyNamespace,
    /// A wrong line of an allowed signers file.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The defect.
        reason: String,
    },
}

/// Why a signature or certificate was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// Signing failed.
    #[error(transparent)]
    Sign(Box<keys::SignError>),
    /// A part is too long for SSH's formats.
    #[error("it is too long for SSH's formats")]
    TooLong,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
}

impl From<keys::SignError> for SignError {
    fn from(error: keys::SignError) -> Self {
        Self::Sign(Box::new(error))
    }
}

impl From<ssh_encoding::Error> for SignError {
    /// The only error of writing to memory.
    fn from(_: ssh_encoding::Error) -> Self {
        Self::TooLong
    }
}

/// Why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is longer than what is read.
    #[error("it has more than {max} bytes", max = MAX_SIGNATURE_BYTES)]
    TooLong,
    /// It is no SSHSIG.
    #[error("it is no SSHSIG: {0}")]
    Malformed(&'static str),
    /// A digest by another hash.
    #[error("its hash {0:?} is neither sha256 nor sha512")]
    Hash(String),
    /// It was made for another purpose.
    #[error("its namespace is {0:?}")]
    Namespace(String),
    /// It was made with a certificate.
    #[error("it was made with a certificate: only plain keys are known")]
    Certificate,
    /// The signer's key is not among those that may sign.
    #[error("its key is not the one that was asked for, and not among the allowed ones")]
    UnknownKey,
    /// The key is allowed to others only.
    #[error("its key is not one of {0}")]
    Identity(String),
    /// The key may not sign in this namespace.
    #[error("its key is not allowed in the namespace {0}")]
    NotInNamespace(String),
    /// The key is not yet, or no longer, allowed.
    #[error("its key is not allowed at this time")]
    Time,
    /// The signature within is of another kind than the key's.
    #[error("{0}")]
    Signature(String),
    /// The signature is not valid.
    #[error("the signature is not valid")]
    Invalid,
    /// Nothing is known about the signature, since the engine failed.
    #[error(transparent)]
    Undecided(Box<keys::VerifyError>),
}
