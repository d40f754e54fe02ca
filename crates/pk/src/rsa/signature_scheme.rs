//! Signature schemes of RSA.

use crate::Hash;
use crate::hash::PaddingHash;

/// Signature scheme: how a digest becomes the integer that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2). Deterministic.
    Pkcs1v15,
    /// RSASSA-PSS (RFC 8017, section 8.1).
    Pss {
        /// Length of the salt.
        salt_len: SaltLen,
        /// Hash function of MGF1; `None` for the digest's own.
        mgf1: Option<PaddingHash>,
    },
}

impl Scheme {
    /// PSS with a salt as long as the digest, and MGF1 over the digest's own hash function.
    pub const PSS: Self = Self::pss(SaltLen::Hash);

    /// PSS with MGF1 over the digest's own hash function.
    pub const fn pss(salt_len: SaltLen) -> Self {
        Self::Pss {
            salt_len,
            mgf1: None,
        }
    }
}

/// Length of a PSS salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaltLen {
    /// The length of the digest, as in RFC 8017 (section 9.1, note 4) and most protocols.
    #[default]
    Hash,
    /// A fixed number of bytes.
    Bytes(usize),
    /// When verifying, any length; when signing, the length of the digest.
    Any,
}

impl SaltLen {
    /// Length in bytes of the salt that a signer draws with this hash function.
    pub(crate) fn for_signing(self, hash: Hash) -> usize {
        match self {
            Self::Hash | Self::Any => hash.digest_len(),
            Self::Bytes(bytes) => bytes,
        }
    }
}
