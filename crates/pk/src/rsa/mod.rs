//! RSA: keys, signatures and their verification (RFC 8017).
//!
//! A [`PublicKey`] or [`PrivateKey`] is read, written, generated and checked; a [`VerifyingKey`]
//! or [`SigningKey`] is the same key prepared for an engine, cheap to clone and to share.
//! [`sign_batch`] and [`verify_batch`] take any mix of keys, sizes, schemes and hashes.

mod encoding;
mod generate;
mod key;
mod sign;
mod verify;

pub use key::{
    KeyError, MAX_BITS, MAX_EXPONENT, MAX_GENERATED_BITS, MIN_BITS, MIN_SIGNING_BITS, PrivateKey,
    PublicKey,
};
pub use sign::{SignError, SignRequest, SigningKey, sign_batch};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};

/// How a digest becomes the integer that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2). Deterministic.
    Pkcs1v15,
    /// RSASSA-PSS (RFC 8017, section 8.1), with MGF1 over the digest's own hash function.
    Pss {
        /// Length of the salt.
        salt_len: SaltLen,
    },
}

impl Scheme {
    /// PSS with a salt as long as the digest.
    pub const PSS: Self = Self::Pss {
        salt_len: SaltLen::Hash,
    };
}

/// Length of a PSS salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SaltLen {
    /// As long as the digest, as RFC 8017 (section 9.1, note 4) and most protocols have it.
    #[default]
    Hash,
    /// This many bytes.
    Bytes(usize),
    /// In verification: whatever length the signature has. In signing: as long as the digest.
    Any,
}

impl SaltLen {
    /// The length that a signer uses with this hash function.
    pub(crate) fn for_signing(self, hash: crate::Hash) -> usize {
        match self {
            Self::Hash | Self::Any => hash.size(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// How many requests are in the engine at a time: far more than fill it, and few enough that a
/// batch of millions needs memory for its results only.
const CHUNK: usize = 8192;
