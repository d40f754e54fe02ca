//! Keys of X25519 and X448.

use super::curve::{MontgomeryCurve, PreparedMontgomeryCurve};
use super::multiples::{Multiple, Product, multiples, scalar};
use crate::batch::CHUNK;
use crate::ec::point::to_bytes;
use crate::key_file::KeyFileError;
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
    #[error("not a key of X25519 or X448: its algorithm is {0}")]
    OtherAlgorithm(String),
    /// The key has the wrong length.
    #[error("a key of {curve} has {expected} bytes, not {given}", expected = curve.encoded_bytes())]
    Length {
        /// The curve of the key.
        curve: MontgomeryCurve,
        /// Length given.
        given: usize,
    },
    /// The public key given along is another key's.
    #[error("the public key does not belong to the private key")]
    Mismatch,
    /// The key is used with another curve than its own.
    #[error("a key of {key} was given for {prepared}")]
    OtherCurve {
        /// The key's curve.
        key: MontgomeryCurve,
        /// The curve that it was given for.
        prepared: MontgomeryCurve,
    },
    /// The private key is a multiple of the base point's order, as `4 L` of X448 is, and no other.
    #[error(
        "the private key is a multiple of the order of the base point: all secrets would be zeros"
    )]
    Infinity,
    /// The public key did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the public key failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// The engine refuses, or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A public key: the bytes of a coordinate u. All bytes are valid; a point of small order is refused where it
/// is used.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey {
    curve: MontgomeryCurve,
    pub(super) bytes: Vec<u8>,
}

impl PublicKey {
    /// The key with these bytes: 32 for X25519, 56 for X448.
    ///
    /// # Errors
    /// [`KeyError::Length`].
    pub fn from_bytes(curve: MontgomeryCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        check_length(curve, bytes)?;
        let bytes = bytes.to_vec();
        Ok(Self { curve, bytes })
    }

    /// The curve.
    pub fn curve(&self) -> MontgomeryCurve {
        self.curve
    }

    /// The encoded u.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Checks that the key is of this curve.
    pub(super) fn check(&self, prepared: &PreparedMontgomeryCurve) -> Result<(), KeyError> {
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

fn check_length(curve: MontgomeryCurve, bytes: &[u8]) -> Result<(), KeyError> {
    let given = bytes.len();
    if given == curve.encoded_bytes() {
        Ok(())
    } else {
        Err(KeyError::Length { curve, given })
    }
}

/// A private key: 32 or 56 bytes, of which some bits are set or cleared in use, and the public key; wiped on drop.
#[derive(Clone)]
pub struct PrivateKey {
    pub(super) public: PublicKey,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

impl PrivateKey {
    /// The key with these bytes: 32 for X25519, 56 for X448. Computes the public key, in constant time.
    ///
    /// # Errors
    /// [`KeyError::Length`], [`KeyError::Infinity`], [`KeyError::Fault`], [`KeyError::Engine`].
    pub fn from_bytes(curve: &PreparedMontgomeryCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        Self::from_bytes_batch(curve, &[bytes]).swap_remove(0)
    }

    /// Many keys, each as [`from_bytes`](Self::from_bytes) makes it, in the same order.
    pub fn from_bytes_batch(
        curve: &PreparedMontgomeryCurve,
        keys: &[&[u8]],
    ) -> Vec<Result<Self, KeyError>> {
        keys.chunks(CHUNK)
            .flat_map(|keys| from_bytes_chunk(curve, keys))
            .collect()
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The curve.
    pub fn curve(&self) -> MontgomeryCurve {
        self.public.curve
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn from_bytes_chunk(
    curve: &PreparedMontgomeryCurve,
    keys: &[&[u8]],
) -> Vec<Result<PrivateKey, KeyError>> {
    let name = curve.curve();
    let base = BoxedUint::from(name.base());
    let checked: Vec<_> = keys.iter().map(|key| check_length(name, key)).collect();
    let fitting = keys
        .iter()
        .zip(&checked)
        .filter(|(_, checked)| checked.is_ok());
    let scalars: Vec<_> = fitting.map(|(key, _)| scalar(key)).collect();
    let work = scalars.iter().map(|scalar| Multiple {
        curve,
        u: &base,
        scalar,
    });
    let multiples = multiples(curve.engine(), &work.collect::<Vec<_>>());
    let mut us = match multiples {
        Ok(us) => us.into_iter(),
        Err(error) => {
            let refused = checked.into_iter().map(|checked| match checked {
                Err(refused) => Err(refused),
                Ok(()) => Err(error.clone().into()),
            });
            return refused.collect();
        }
    };
    let made = keys.iter().zip(checked).map(|(key, checked)| {
        let () = checked?;
        let u = match us.next() {
            Some(Product::U(u)) => u,
            Some(Product::Infinity) => return Err(KeyError::Infinity),
            _ => return Err(KeyError::Fault),
        };
        Ok(PrivateKey {
            public: PublicKey {
                curve: name,
                bytes: encode(name, &u).to_vec(),
            },
            bytes: Zeroizing::new(key.to_vec()),
        })
    });
    made.collect()
}

impl fmt::Debug for PrivateKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PrivateKey").field(&self.public).finish()
    }
}

/// The bytes of a coordinate u, which may be secret.
pub(super) fn encode(curve: MontgomeryCurve, u: &BoxedUint) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(to_bytes(u, curve.encoded_bytes()));
    bytes.reverse();
    bytes
}
