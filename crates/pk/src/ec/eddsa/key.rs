//! Keys of EdDSA.

use super::super::edwards::base::base_multiples;
use super::super::edwards::curve::EdwardsCurve;
use super::super::edwards::decode::encode;
use super::super::edwards::prepared::PreparedEdwardsCurve;
use super::hash::hash;
use super::scalars::{integer, reduced};
use crate::key_file::KeyFileError;
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::BoxedUint;
use sunzi_engine::EngineError;
use zeroize::Zeroizing;

/// The reason why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is no usable key file.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// The file is a private key; a public key is needed.
    #[error("this is a private key: a public key is needed")]
    PrivateKeyGiven,
    /// The key is for another algorithm.
    #[error("not a key of EdDSA: its algorithm is {0}")]
    OtherAlgorithm(String),
    /// The key has the wrong length.
    #[error("a key of {curve} has {expected} bytes, not {given}", expected = curve.encoded_bytes())]
    Length {
        /// The curve of the key.
        curve: EdwardsCurve,
        /// Length given.
        given: usize,
    },
    /// The public key is not the encoding of a point of its curve.
    #[error("the public key is no point of {0}")]
    NoPoint(EdwardsCurve),
    /// The public key given along, or kept with the private key, is another key's.
    #[error("the public key does not belong to the private key")]
    Mismatch,
    /// The key is used with another curve than its own.
    #[error("a key of {key} was given for {prepared}")]
    OtherCurve {
        /// The key's curve.
        key: EdwardsCurve,
        /// The curve that it was given for.
        prepared: EdwardsCurve,
    },
    /// A new key failed its test: this machine computes wrongly.
    #[error(
        "the new key failed its consistency test and was withheld: this machine computes wrongly"
    )]
    Inconsistent,
    /// The engine refuses, or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A public key: the bytes of an encoded point, which is decoded when the key is prepared for
/// verification.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey {
    curve: EdwardsCurve,
    pub(super) bytes: Vec<u8>,
}

impl PublicKey {
    /// The key with these bytes: 32 for Ed25519, 57 for Ed448.
    ///
    /// # Errors
    /// [`KeyError::Length`].
    pub fn from_bytes(curve: EdwardsCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        check_length(curve, bytes)?;
        let bytes = bytes.to_vec();
        Ok(Self { curve, bytes })
    }

    /// The curve.
    pub fn curve(&self) -> EdwardsCurve {
        self.curve
    }

    /// The encoded point.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Flips a bit, as memory may.
    #[cfg(test)]
    pub(super) fn flip(&mut self, bit: usize) {
        self.bytes[bit / 8] ^= 1 << (bit % 8);
    }

    /// Checks that the key is of this curve.
    pub(super) fn check(&self, prepared: &PreparedEdwardsCurve) -> Result<(), KeyError> {
        let (key, prepared) = (self.curve, prepared.curve());
        if key == prepared {
            Ok(())
        } else {
            Err(KeyError::OtherCurve { key, prepared })
        }
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("curve", &self.curve)
            .finish_non_exhaustive()
    }
}

fn check_length(curve: EdwardsCurve, bytes: &[u8]) -> Result<(), KeyError> {
    let given = bytes.len();
    if given == curve.encoded_bytes() {
        Ok(())
    } else {
        Err(KeyError::Length { curve, given })
    }
}

/// A private key: the 32 or 57 bytes from which everything else is derived, and the public key; wiped on
/// drop.
#[derive(Clone)]
pub struct PrivateKey {
    pub(super) public: PublicKey,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

impl PrivateKey {
    /// The key with these bytes: 32 for Ed25519, 57 for Ed448. Computes the public key, in constant
    /// time.
    ///
    /// # Errors
    /// [`KeyError::Length`], [`KeyError::Engine`].
    pub fn from_bytes(curve: &PreparedEdwardsCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        check_length(curve.curve(), bytes)?;
        let bytes = Zeroizing::new(bytes.to_vec());
        let expanded = Expanded::new(curve, &bytes);
        let point = multiple(curve, &expanded.scalar)?;
        Ok(Self {
            public: PublicKey {
                curve: curve.curve(),
                bytes: point,
            },
            bytes,
        })
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The curve.
    pub fn curve(&self) -> EdwardsCurve {
        self.public.curve
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A key whose halves need not belong together, for tests.
    #[cfg(test)]
    pub(super) fn of_halves(public: &PublicKey, private: &Self) -> Self {
        Self {
            public: public.clone(),
            bytes: private.bytes.clone(),
        }
    }
}

impl fmt::Debug for PrivateKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PrivateKey").field(&self.public).finish()
    }
}

/// The encoding of `k G` for a secret k below the order. Constant time.
pub(super) fn multiple(
    curve: &PreparedEdwardsCurve,
    k: &BoxedUint,
) -> Result<Vec<u8>, EngineError> {
    let multiples = base_multiples(curve.engine(), &[(curve, k)])?;
    Ok(encode(curve.curve(), &multiples[0][0], &multiples[0][1]))
}

/// The expanded private key: its hash in two parts (RFC 8032, sections 5.1.5 and 5.2.5).
pub(super) struct Expanded {
    /// The scalar a modulo the order.
    pub(super) scalar: Zeroizing<BoxedUint>,
    /// The prefix with which nonces are hashed.
    pub(super) prefix: Zeroizing<Vec<u8>>,
}

impl Expanded {
    pub(super) fn new(curve: &PreparedEdwardsCurve, bytes: &[u8]) -> Self {
        let mut hash = hash(curve.curve(), &[bytes]);
        wipe_stack();
        let (scalar, prefix) = hash.split_at_mut(curve.curve().encoded_bytes());
        match curve.curve() {
            EdwardsCurve::Edwards25519 => {
                scalar[0] &= 0xf8;
                scalar[31] = scalar[31] & 0x7f | 0x40;
            }
            EdwardsCurve::Edwards448 => {
                scalar[0] &= 0xfc;
                scalar[55] |= 0x80;
                scalar[56] = 0;
            }
        }
        let scalar = reduced(curve, &integer(scalar));
        wipe_stack();
        Self {
            scalar,
            prefix: Zeroizing::new(prefix.to_vec()),
        }
    }
}
