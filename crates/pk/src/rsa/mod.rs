//! RSA: keys, signatures and their verification, encryption and decryption (RFC 8017).
//!
//! A [`PublicKey`] or [`PrivateKey`] is read, written, generated and checked; a [`VerifyingKey`],
//! [`SigningKey`], [`EncryptionKey`] or [`DecryptionKey`] is the same key prepared for an engine,
//! cheap to clone and to share. [`sign_batch`], [`verify_batch`], [`encrypt_batch`] and
//! [`decrypt_batch`] take any mix of keys, sizes, schemes and hashes.

mod blinding;
mod decrypt;
mod encoding;
mod encrypt;
mod generate;
mod key;
mod private;
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
pub use sign::{SignError, SignRequest, SigningKey, sign_batch};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};

/// How a digest becomes the integer that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2). Deterministic.
    Pkcs1v15,
    /// RSASSA-PSS (RFC 8017, section 8.1).
    Pss {
        /// Length of the salt.
        salt_len: SaltLen,
        /// The hash function of MGF1; if `None`, the digest's own.
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
    pub(crate) fn for_signing(self, hash: Hash) -> usize {
        match self {
            Self::Hash | Self::Any => hash.size(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// How a message becomes the integer that is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptionScheme<'a> {
    /// RSAES-OAEP (RFC 8017, section 7.1).
    Oaep {
        /// The hash function of the label.
        hash: PaddingHash,
        /// The hash function of MGF1.
        mgf1: PaddingHash,
        /// Both sides must give the same; usually empty. Not secret.
        label: &'a [u8],
    },
    /// RSAES-PKCS1-v1_5 (RFC 8017, section 7.2): for systems that cannot be changed. A ciphertext
    /// does not show whether it was made by somebody who knows the message: what decrypts is
    /// authentic in no way, and what is wrong decrypts to something
    /// ([implicit rejection](decrypt_batch)).
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

    /// The length in bytes of the longest message that fits the key; None if not even the empty
    /// one does.
    pub fn max_message(&self, key: &PublicKey) -> Option<usize> {
        match *self {
            Self::Oaep { hash, .. } => oaep::max_message(hash, key.size()),
            Self::Pkcs1v15 => Some(pkcs1v15_encryption::max_message(key.size())),
        }
    }
}

/// The answer to every `Ok` entry of a batch that could not be computed; `Err` entries pass through
/// in order.
fn fail_all<T, U, E: Clone>(batch: &[Result<T, E>], error: &E) -> Vec<Result<U, E>> {
    let fail = |entry: &Result<T, E>| Err(entry.as_ref().err().unwrap_or(error).clone());
    batch.iter().map(fail).collect()
}

/// How many requests are in the engine at a time: far more than fill it, and few enough that a
/// batch of millions needs memory for its results only.
const CHUNK: usize = 8192;
