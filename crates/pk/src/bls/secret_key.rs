//! Secret keys: numbers from 1 to the order less 1. Wiped on drop.

use super::element::PublicKey;
use super::suite::Variant;
use crate::ec::Curve;
use crate::integer::{octets, random_below, resized};
use crate::{Hash, Hasher};
use core::fmt;
use crypto_bigint::{BoxedUint, CtLt, Resize};
use hkdf::Hkdf;
use rand_core::TryCryptoRng;
use sha2::Sha256;
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// Length of an encoded secret key in bytes.
const BYTES: usize = 32;
/// Number of bytes that are reduced modulo the order: `ceil(1.5 ceil(log2(n)) / 8)`.
const MATERIAL: usize = 48;
/// The least length of key material in bytes.
const LEAST_MATERIAL: usize = 32;
/// Number of parts of a Lamport key (EIP-2333).
const LAMPORT_PARTS: usize = 255;

/// A secret key; wiped on drop.
#[derive(Clone)]
pub struct SecretKey {
    number: Zeroizing<BoxedUint>,
    /// The public keys in G1 and G2, kept once they have been computed. They are not secret.
    publics: [OnceLock<PublicKey>; 2],
}

/// The reason why a secret key is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretKeyError {
    /// The encoding has the wrong length.
    #[error("a secret key has {BYTES} bytes, not {0}")]
    Length(usize),
    /// The number is 0, or not below the order.
    #[error("a secret key is a number from 1 to the order of the group less 1")]
    OutOfRange,
    /// The key material is too short.
    #[error("key material has at least {LEAST_MATERIAL} bytes, not {0}")]
    Material(usize),
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
}

/// The order of the groups.
fn order() -> BoxedUint {
    let curve: Curve = "BLS12-381-G1".parse().expect("the curve has this name");
    curve.order().as_ref().clone()
}

impl SecretKey {
    /// A random key.
    ///
    /// # Errors
    /// [`SecretKeyError::Random`].
    pub fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, SecretKeyError> {
        let number = random_below(rng, &order()).ok_or(SecretKeyError::Random)?;
        Ok(Self::of(number))
    }

    /// The key of 32 big-endian bytes.
    ///
    /// # Errors
    /// [`SecretKeyError::Length`], [`SecretKeyError::OutOfRange`].
    ///
    /// # Panics
    /// Never: the precision is that of the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SecretKeyError> {
        if bytes.len() != BYTES {
            return Err(SecretKeyError::Length(bytes.len()));
        }
        let number = BoxedUint::from_be_slice(bytes, 8 * BYTES as u32);
        let number = Zeroizing::new(number.expect("the precision is the slice's"));
        let in_range = number.ct_lt(&order()) & !number.is_zero();
        if !in_range.to_bool() {
            return Err(SecretKeyError::OutOfRange);
        }
        Ok(Self::of(number))
    }

    /// The key in 32 big-endian bytes.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        octets(&self.number, BYTES)
    }

    /// The key of secret key material and a public `info` (the draft's `KeyGen`, section 2.3, with the salt
    /// `BLS-SIG-KEYGEN-SALT-`, hashed). The time does not depend on the material.
    ///
    /// # Errors
    /// [`SecretKeyError::Material`].
    pub fn from_key_material(material: &[u8], info: &[u8]) -> Result<Self, SecretKeyError> {
        if material.len() < LEAST_MATERIAL {
            return Err(SecretKeyError::Material(material.len()));
        }
        let mut salt = b"BLS-SIG-KEYGEN-SALT-".to_vec();
        let mut padded = Zeroizing::new(material.to_vec());
        padded.push(0);
        let info = [info, &(MATERIAL as u16).to_be_bytes()].concat();
        loop {
            salt = digest(&[&salt]).to_vec();
            let number = expanded(&salt, &padded, &info);
            // 0 has a probability of 2^-255.
            if number.is_nonzero().to_bool() {
                return Ok(Self::of(number));
            }
        }
    }

    /// The master key of a seed (EIP-2333).
    ///
    /// # Errors
    /// [`SecretKeyError::Material`].
    pub fn master(seed: &[u8]) -> Result<Self, SecretKeyError> {
        Self::from_key_material(seed, b"")
    }

    /// The child with this index of a key (EIP-2333), by a Lamport key that its parent makes.
    ///
    /// # Panics
    /// Never: the hash of a Lamport key is long enough.
    #[must_use]
    pub fn child(&self, index: u32) -> Self {
        let salt = index.to_be_bytes();
        let material = self.to_bytes();
        let flipped = Zeroizing::new(material.iter().map(|byte| !byte).collect::<Vec<_>>());
        let mut hasher = Hasher::new(Hash::Sha256);
        for material in [&material, &flipped] {
            let hkdf = Hkdf::<Sha256>::new(Some(&salt), material);
            let mut parts = Zeroizing::new(vec![0; BYTES * LAMPORT_PARTS]);
            let length = hkdf.expand(b"", &mut parts);
            length.expect("255 digests are as many as there may be");
            for part in parts.chunks(BYTES) {
                hasher.update(&digest(&[part]));
            }
        }
        let compressed = Zeroizing::new(hasher.finish().as_bytes().to_vec());
        let child = Self::from_key_material(&compressed, b"");
        child.expect("a digest has 32 bytes")
    }

    fn of(number: Zeroizing<BoxedUint>) -> Self {
        Self {
            number,
            publics: Default::default(),
        }
    }

    /// The place of the public key of a variant.
    pub(super) fn public(&self, variant: Variant) -> &OnceLock<PublicKey> {
        match variant {
            Variant::MinPk => &self.publics[0],
            Variant::MinSig => &self.publics[1],
        }
    }

    /// The number, in the order's precision.
    pub(super) fn number(&self) -> &BoxedUint {
        &self.number
    }
}

impl fmt::Debug for SecretKey {
    /// Shows nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").finish_non_exhaustive()
    }
}

fn digest(parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let mut hasher = Hasher::new(Hash::Sha256);
    for part in parts {
        hasher.update(part);
    }
    Zeroizing::new(hasher.finish().as_bytes().to_vec())
}

/// The number modulo the order of HKDF's output, in the order's precision.
fn expanded(salt: &[u8], material: &[u8], info: &[u8]) -> Zeroizing<BoxedUint> {
    let hkdf = Hkdf::<Sha256>::new(Some(salt), material);
    let mut bytes = Zeroizing::new([0; MATERIAL]);
    let length = hkdf.expand(info, &mut *bytes);
    length.expect("48 bytes are not too many");
    let number = BoxedUint::from_be_slice(&*bytes, 8 * MATERIAL as u32);
    let number = Zeroizing::new(number.expect("the precision is the slice's"));
    let order = order();
    let precision = order.bits_precision();
    let order = crate::integer::nonzero(&resized(&order, number.bits_precision()));
    let (_, remainder) = crate::integer::division(&number, &order);
    Zeroizing::new((&*remainder).resize_unchecked(precision))
}
