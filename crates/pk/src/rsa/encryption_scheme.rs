//! Encryption schemes of RSA.

use super::key::PublicKey;
use crate::Hash;
use crate::hash::PaddingHash;
use crate::padding::{oaep, pkcs1v15_encryption};

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
    /// message, also a damaged one ([implicit rejection](super::decrypt_batch)).
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
