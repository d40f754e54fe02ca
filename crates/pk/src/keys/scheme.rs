//! Signature schemes of any algorithm, and the content that they sign.

use core::ops::RangeInclusive;

use super::key::PublicKey;
use crate::ec::{ecdsa, eddsa, schnorr};
use crate::{Digest, Hash, rsa};

/// A signature scheme, with its parameters. A key takes the schemes of its own algorithm only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme<'a> {
    /// RSA, over the digest of the message.
    Rsa(rsa::Scheme, Hash),
    /// ECDSA, over the digest of the message.
    Ecdsa {
        /// Hash of the message.
        hash: Hash,
        /// Encoding of the signature.
        encoding: ecdsa::Encoding,
        /// Range of s in signatures that are made and accepted.
        s: ecdsa::SRange,
    },
    /// EdDSA, over the message.
    Eddsa(eddsa::Variant<'a>),
    /// EdDSA, over the message, where signatures of Ed25519 are accepted by a rule of this name; they are made as those of
    /// [`Eddsa`](Self::Eddsa).
    EddsaBy(eddsa::Variant<'a>, eddsa::Rule),
    /// Schnorr signatures of BIP 340, over the message, with keys of secp256k1.
    Bip340 {
        /// The auxiliary data; without any, zeros for deterministic nonces, and fresh randomness for hedged ones.
        /// Verification takes no notice of them.
        auxiliary: Option<[u8; 32]>,
    },
}

impl Scheme<'_> {
    /// The usual scheme for keys of this algorithm: PKCS#1 v1.5 with SHA-256, ECDSA in DER with the
    /// hash that suits the size of the curve (FIPS 186-5, section 6.1.1), or EdDSA; PSS for RSA keys that are
    /// restricted to it. Keys for agreement get EdDSA, which they are then refused for.
    pub fn of(key: &PublicKey) -> Self {
        match key {
            PublicKey::Rsa(key) => match key.restriction() {
                None => Self::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha256),
                Some(restriction) => {
                    let (scheme, hash) = restriction.scheme();
                    Self::Rsa(scheme, hash)
                }
            },
            PublicKey::Ec(key) => Self::Ecdsa {
                hash: match key.curve().bits() {
                    0..=256 => Hash::Sha256,
                    257..=384 => Hash::Sha384,
                    _ => Hash::Sha512,
                },
                encoding: ecdsa::Encoding::Der,
                s: ecdsa::SRange::Any,
            },
            PublicKey::Edwards(_) | PublicKey::Montgomery(_) => Self::Eddsa(eddsa::Variant::Pure),
        }
    }

    /// The scheme of an algorithm of JSON Web Signatures, such as `PS256`, for this key (RFC 7518, section 3.1;
    /// RFC 8037; RFC 8812; RFC 9864). `None` for algorithms that are no signatures by such a key.
    pub fn of_jws(alg: &str, key: &PublicKey) -> Option<Self> {
        let rsa =
            |scheme, hash| matches!(key, PublicKey::Rsa(_)).then_some(Self::Rsa(scheme, hash));
        let ecdsa = |curve, hash| {
            let of_curve = matches!(key, PublicKey::Ec(key) if key.curve().name() == Some(curve));
            of_curve.then_some(Self::Ecdsa {
                hash,
                encoding: ecdsa::Encoding::Raw,
                s: ecdsa::SRange::Any,
            })
        };
        let is_edwards = matches!(key, PublicKey::Edwards(_));
        match alg {
            "RS256" => rsa(rsa::Scheme::Pkcs1v15, Hash::Sha256),
            "RS384" => rsa(rsa::Scheme::Pkcs1v15, Hash::Sha384),
            "RS512" => rsa(rsa::Scheme::Pkcs1v15, Hash::Sha512),
            "PS256" => rsa(rsa::Scheme::PSS, Hash::Sha256),
            "PS384" => rsa(rsa::Scheme::PSS, Hash::Sha384),
            "PS512" => rsa(rsa::Scheme::PSS, Hash::Sha512),
            "ES256" => ecdsa("P-256", Hash::Sha256),
            "ES256K" => ecdsa("secp256k1", Hash::Sha256),
            "ES384" => ecdsa("P-384", Hash::Sha384),
            "ES512" => ecdsa("P-521", Hash::Sha512),
            "EdDSA" if is_edwards => Some(Self::Eddsa(eddsa::Variant::Pure)),
            "Ed25519" | "Ed448" if is_edwards && key.algorithm() == alg => {
                Some(Self::Eddsa(eddsa::Variant::Pure))
            }
            _ => None,
        }
    }

    /// Hash of the messages, if the scheme signs digests: it then takes [`Content::Digest`] by this hash, too.
    pub fn hash(&self) -> Option<Hash> {
        match *self {
            Self::Rsa(_, hash) | Self::Ecdsa { hash, .. } => Some(hash),
            Self::Eddsa(_) | Self::EddsaBy(..) | Self::Bip340 { .. } => None,
        }
    }

    /// Lengths in bytes that signatures of this scheme by `key` can have: one length, except for ECDSA's in DER.
    /// `None` if the scheme is another algorithm's.
    pub fn signature_bytes(&self, key: &PublicKey) -> Option<RangeInclusive<usize>> {
        let bytes = match (self, key) {
            (Self::Rsa(..), PublicKey::Rsa(key)) => key.size(),
            (Self::Ecdsa { encoding, .. }, PublicKey::Ec(key)) => {
                let bytes = key.curve().order_bytes();
                match encoding {
                    ecdsa::Encoding::Raw => 2 * bytes,
                    ecdsa::Encoding::Der => {
                        // A sequence of two integers, each with type and length. One whose first bit is set gets
                        // a leading zero.
                        let bits = key.curve().order().as_ref().bits_vartime();
                        let integer = 2 + bytes + usize::from(bits % 8 == 0);
                        let header = if 2 * integer < 128 { 2 } else { 3 };
                        return Some(2 + 2 * (2 + 1)..=header + 2 * integer);
                    }
                }
            }
            (Self::Eddsa(_) | Self::EddsaBy(..), PublicKey::Edwards(key)) => {
                2 * key.curve().encoded_bytes()
            }
            (Self::Bip340 { .. }, PublicKey::Ec(key))
                if key.curve().name() == Some("secp256k1") =>
            {
                schnorr::SIGNATURE_BYTES
            }
            _ => return None,
        };
        Some(bytes..=bytes)
    }

    /// Length in bytes of the longest signatures of this scheme by `key`. `None` if the scheme is another
    /// algorithm's.
    pub fn max_signature_bytes(&self, key: &PublicKey) -> Option<usize> {
        Some(*self.signature_bytes(key)?.end())
    }
}

/// The content of a request: a message, or its digest where the message was hashed elsewhere, such as a file of any
/// size. Schemes that [have a hash](Scheme::hash) take either; EdDSA and BIP 340 read the message twice, and take
/// messages only.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// A message.
    Message(&'a [u8]),
    /// The digest of a message, by the hash of the scheme.
    Digest(Digest),
}

impl<'a> From<&'a [u8]> for Content<'a> {
    fn from(message: &'a [u8]) -> Self {
        Self::Message(message)
    }
}

impl<'a, const BYTES: usize> From<&'a [u8; BYTES]> for Content<'a> {
    fn from(message: &'a [u8; BYTES]) -> Self {
        Self::Message(message)
    }
}

impl From<Digest> for Content<'_> {
    fn from(digest: Digest) -> Self {
        Self::Digest(digest)
    }
}

/// Why a scheme does not take a digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The scheme takes messages only.
    #[error("{0} takes messages as they are, and this is the digest of one")]
    MessageNeeded(&'static str),
    /// The digest is by another hash than the scheme's.
    #[error("the scheme takes digests by {expected}, and this is one by {given}")]
    OtherHash {
        /// The hash of the scheme.
        expected: Hash,
        /// The hash of the digest.
        given: Hash,
    },
}

impl<'a> Content<'a> {
    /// The digest by this hash.
    pub(super) fn digest(self, hash: Hash) -> Result<Digest, ContentError> {
        match self {
            Self::Message(message) => Ok(hash.digest(message)),
            Self::Digest(digest) if digest.hash() == hash => Ok(digest),
            Self::Digest(digest) => Err(ContentError::OtherHash {
                expected: hash,
                given: digest.hash(),
            }),
        }
    }

    /// The message, for a scheme of this name that takes no digests.
    pub(super) fn message(self, scheme: &'static str) -> Result<&'a [u8], ContentError> {
        match self {
            Self::Message(message) => Ok(message),
            Self::Digest(_) => Err(ContentError::MessageNeeded(scheme)),
        }
    }
}
