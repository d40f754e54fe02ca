//! Keys of EdDSA.

use super::super::edwards::base::base_multiples;
use super::super::edwards::curve::EdwardsCurve;
use super::super::edwards::decode::encode;
use super::super::edwards::prepared::PreparedEdwardsCurve;
use super::NonceKind;
use super::hash::{Variant, hash};
use super::scalars::{integer, reduced};
use super::sign::{SignRequest, SigningKey, sign_batch};
use super::verify::{VerifyRequest, verify_batch};
use crate::key_file::KeyFileError;
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::BoxedUint;
use getrandom::SysRng;
use rand_core::CryptoRng;
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
    bytes: Vec<u8>,
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
    public: PublicKey,
    bytes: Zeroizing<Vec<u8>>,
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
        let expanded = Expanded::new(curve, &bytes)?;
        let point = multiple(curve, &expanded.scalar)?;
        Ok(Self {
            public: PublicKey {
                curve: curve.curve(),
                bytes: point,
            },
            bytes,
        })
    }

    /// Generates a new key.
    ///
    /// Before it is returned it passes a pairwise consistency test: it signs a message, and its public key
    /// verifies the signature.
    ///
    /// # Errors
    /// [`KeyError::Inconsistent`] if the machine computes wrongly, [`KeyError::Engine`].
    pub fn generate<R: CryptoRng + ?Sized>(
        curve: &PreparedEdwardsCurve,
        rng: &mut R,
    ) -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new(vec![0; curve.curve().encoded_bytes()]);
        rng.fill_bytes(&mut bytes);
        let key = Self::from_bytes(curve, &bytes)?;
        if key.is_consistent(curve) {
            Ok(key)
        } else {
            Err(KeyError::Inconsistent)
        }
    }

    /// Whether the public key verifies a signature by the private one.
    fn is_consistent(&self, curve: &PreparedEdwardsCurve) -> bool {
        let Ok(key) = SigningKey::new(curve, self) else {
            return false;
        };
        let (variant, message) = (Variant::Pure, &b"pairwise consistency test"[..]);
        let request = SignRequest {
            key: &key,
            variant,
            message,
        };
        let nonces = NonceKind::Deterministic;
        let signatures = sign_batch(curve.engine(), &mut SysRng, nonces, &[request]);
        let [Ok(signature)] = &signatures[..] else {
            return false;
        };
        let request = VerifyRequest {
            key: key.verifying_key(),
            variant,
            message,
            signature: signature.as_bytes(),
        };
        verify_batch(curve.engine(), &[request])[0].is_ok()
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
    pub(super) fn new(curve: &PreparedEdwardsCurve, bytes: &[u8]) -> Result<Self, EngineError> {
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
        let scalar = reduced(curve.engine(), &[(curve, &integer(scalar))])?;
        Ok(Self {
            scalar: scalar.into_iter().next().unwrap_or_default(),
            prefix: Zeroizing::new(prefix.to_vec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_rng;
    use sunzi_engine::{Backend, Engine};

    /// A key with any wrong byte, as faults make it, fails.
    #[test]
    fn the_pairwise_consistency_test_finds_every_wrong_byte() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for &curve in EdwardsCurve::ALL {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let key = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
            assert!(key.is_consistent(&curve));
            for place in (0..key.bytes.len()).step_by(5) {
                let mut wrong = key.clone();
                wrong.bytes[place] ^= 1 << (place % 8);
                assert!(!wrong.is_consistent(&curve), "private, byte {place}");
                let mut wrong = key.clone();
                wrong.public.bytes[place] ^= 1 << (place % 8);
                assert!(!wrong.is_consistent(&curve), "public, byte {place}");
            }
        }
    }
}
