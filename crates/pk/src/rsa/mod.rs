//! RSA: keys, signatures and their verification, encryption and decryption (RFC 8017).
//!
//! [`PublicKey`] and [`PrivateKey`] are keys as numbers: they are read, written, generated and
//! checked. [`VerifyingKey`], [`SigningKey`], [`EncryptionKey`] and [`DecryptionKey`] are keys
//! prepared for an engine and for one purpose, cheap to clone. [`sign_batch`], [`verify_batch`],
//! [`encrypt_batch`] and [`decrypt_batch`] take any mix of keys, key sizes, schemes and hashes.
//!
//! Keys shorter than [`MIN_SIGNING_BITS`] only verify, until [`PrivateKey::permit_1024`] or
//! [`PublicKey::permit_1024`] lets them do the rest. Powers without padding are in [`raw`], blind signatures in
//! [`blind`]. Keys whose files say that they are for PSS alone do nothing else: see [`PssRestriction`].

pub mod blind;
mod blinding;
mod decrypt;
mod encoding;
mod encrypt;
mod generate;
mod generate_batch;
mod key;
mod private;
mod programs;
pub mod raw;
mod restriction;
mod sign;
mod verify;

use crate::Hash;
use crate::hash::PaddingHash;
use crate::padding::{oaep, pkcs1v15_encryption};

pub use decrypt::{DecryptError, DecryptRequest, DecryptionKey, decrypt_batch};
pub use encrypt::{EncryptError, EncryptRequest, EncryptionKey, encrypt_batch};
pub use key::{
    KeyError, MAX_BITS, MAX_EXPONENT, MAX_GENERATED_BITS, MIN_BITS, MIN_SIGNING_BITS, PrivateKey,
    PublicKey,
};
pub use programs::KeyPrograms;
pub use restriction::{PssParameters, PssRestriction, RestrictionError};
pub use sign::{SignError, SignRequest, SigningKey, sign_batch};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};

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

/// Encryption scheme: how a message becomes the integer that is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncryptionScheme<'a> {
    /// RSAES-OAEP (RFC 8017, section 7.1).
    Oaep {
        /// Hash function of the label.
        hash: PaddingHash,
        /// Hash function of MGF1.
        mgf1: PaddingHash,
        /// Public label, usually empty: decryption must use the one of encryption.
        label: &'a [u8],
    },
    /// RSAES-PKCS1-v1_5 (RFC 8017, section 7.2), for systems that cannot be changed. Decryption
    /// authenticates nothing: every ciphertext of the right length and range decrypts to some
    /// message, also a damaged one ([implicit rejection](decrypt_batch)).
    Pkcs1v15,
}

impl EncryptionScheme<'_> {
    /// OAEP with SHA-256, also in MGF1, and an empty label.
    pub const OAEP: Self = Self::oaep(Hash::Sha256);

    /// OAEP with one hash function in both places, and an empty label.
    pub const fn oaep(hash: Hash) -> Self {
        Self::Oaep {
            hash: PaddingHash::Strong(hash),
            mgf1: PaddingHash::Strong(hash),
            label: b"",
        }
    }

    /// Length in bytes of the longest message that fits the key; `None` if not even the empty
    /// message fits.
    pub fn max_message(&self, key: &PublicKey) -> Option<usize> {
        match *self {
            Self::Oaep { hash, .. } => oaep::max_message(hash, key.size()),
            Self::Pkcs1v15 => Some(pkcs1v15_encryption::max_message(key.size())),
        }
    }
}

/// Number of requests in the engine at a time: far more than fill it, and few enough that a
/// batch of millions needs memory for its results only.
const CHUNK: usize = 8192;
