//! Partially blind signatures (draft-irtf-cfrg-partially-blind-rsa, RSAPBSSA): the signer does not see the
//! message, but signs it together with metadata that both sides know, such as the day on which a token ends.
//!
//! Each piece of metadata has a public exponent of its own, a hash that is two bits shorter than half the
//! modulus: a signature with one piece is invalid with another. The modulus is the product of two safe primes,
//! so that every such exponent has an inverse.
//!
//! | side | step | function |
//! |---|---|---|
//! | client | Prepare | [`prepare`](super::prepare) |
//! | client, anyone | DerivePublicKey | [`derive_public_key`] |
//! | client | Blind | [`blind_batch`] |
//! | server | DeriveKeyPair | [`derive_key_pair`] |
//! | server | BlindSign | [`blind_sign_batch`] |
//! | client | Finalize | [`finalize_batch`] |
//! | anyone | Verify | [`verify_batch`] |
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::rsa::PrivateKey;
//! use sunzi_pk::rsa::blind::{Variant, partial, prepare};
//! use sunzi_pk::{primes, system_rng};
//!
//! let engine = Engine::new(Backend::best())?;
//! let rng = &mut system_rng();
//! let mut keys = PrivateKey::generate_safe_batch(&engine, rng, 2048, 1, &mut primes::unwatched)?;
//! let server = partial::SigningKey::new(&engine, &keys.remove(0))?;
//! let (info, variant) = (b"until Friday", Variant::PssRandomized);
//! let key = partial::derive_public_key(&engine, server.verifying_key(), info)?;
//!
//! let message = prepare(variant, rng, b"a token")?;
//! let request = partial::BlindRequest { key: &key, variant, message: &message };
//! let blinded = partial::blind_batch(&engine, rng, &[request]).remove(0)?;
//!
//! let signer = partial::derive_key_pair(&engine, &server, info)?;
//! let request = partial::BlindSignRequest { key: &signer, blinded: &blinded.message };
//! let blind_signature = partial::blind_sign_batch(&engine, rng, &[request]).remove(0)?;
//!
//! let request = partial::FinalizeRequest {
//!     key: &key,
//!     variant,
//!     message: &message,
//!     inverse: &blinded.inverse,
//!     blind_signature: &blind_signature,
//! };
//! let signature = partial::finalize_batch(&engine, &[request]).remove(0)?;
//!
//! let request = partial::VerifyRequest { key: &key, variant, message: &message, signature: &signature };
//! assert_eq!(partial::verify_batch(&engine, &[request]), [Ok(())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{BlindError, Blinded, Variant};
use crate::integer::{nonzero, octets, resized};
use crate::rsa::key::odd_prime;
use crate::rsa::verify::{self, VerifyError, VerifyingKey};
use crate::rsa::{self, PrivateKey, PublicKey};
use core::fmt;
use crypto_bigint::BoxedUint;
use hkdf::Hkdf;
use rand_core::TryCryptoRng;
use sha2::Sha384;
use std::sync::Arc;
use sunzi_engine::Engine;
use zeroize::Zeroizing;

/// The name of a variant in the draft.
pub fn name(variant: Variant) -> &'static str {
    match variant {
        Variant::PssRandomized => "RSAPBSSA-SHA384-PSS-Randomized",
        Variant::PssZeroRandomized => "RSAPBSSA-SHA384-PSSZERO-Randomized",
        Variant::PssDeterministic => "RSAPBSSA-SHA384-PSS-Deterministic",
        Variant::PssZeroDeterministic => "RSAPBSSA-SHA384-PSSZERO-Deterministic",
    }
}

/// The variant of this name in the draft.
pub fn variant(name: &str) -> Option<Variant> {
    let mut variants = Variant::ALL.into_iter();
    variants.find(|&variant| self::name(variant) == name)
}

/// A signer's key, prepared for deriving keys from metadata; cheap to clone. The numbers are wiped when the
/// last clone is dropped.
///
/// This key signs any number that it is given: use it for nothing else, neither for signatures of other kinds nor for
/// another variant.
#[derive(Clone)]
pub struct SigningKey(Arc<Issuer>);

struct Issuer {
    key: PrivateKey,
    prepared: rsa::SigningKey,
}

impl SigningKey {
    /// Prepares a key, of a length in bytes that is a power of two, and of two safe primes of half the
    /// length: p and q for which (p - 1)/2 and (q - 1)/2 are prime, too, as
    /// [`PrivateKey::generate_safe_batch`] makes them. That these are prime is tested to base 2, which finds
    /// keys of other kinds: do not use keys that others generated.
    ///
    /// # Errors
    /// [`BlindError::ModulusLength`], [`BlindError::UnsafePrime`], and [`BlindError::Key`] with what
    /// [`rsa::SigningKey::new`] refuses.
    pub fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, BlindError> {
        let size = power_of_two(key.public_key())?;
        for (name, prime) in [('p', &key.secret.p), ('q', &key.secret.q)] {
            let half = Zeroizing::new(prime.shr(1));
            if prime.bits() as usize != 4 * size || odd_prime(name, &half).is_err() {
                return Err(BlindError::UnsafePrime(name));
            }
        }
        Ok(Self(Arc::new(Issuer {
            prepared: rsa::SigningKey::new(engine, key).map_err(BlindError::Key)?,
            key: key.clone(),
        })))
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        self.0.key.public_key()
    }

    /// The public half, prepared, from which clients derive theirs.
    pub fn verifying_key(&self) -> &VerifyingKey {
        self.0.prepared.verifying_key()
    }
}

impl fmt::Debug for SigningKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey")
            .field(self.public_key())
            .finish()
    }
}

/// A signer's public key for one piece of metadata, prepared; cheap to clone.
#[derive(Clone)]
pub struct DerivedPublicKey {
    key: VerifyingKey,
    exponent: Arc<BoxedUint>,
    info: Arc<[u8]>,
}

impl DerivedPublicKey {
    /// The signer's key, whose modulus this one has.
    pub fn public_key(&self) -> &PublicKey {
        self.key.public_key()
    }

    /// The public exponent e', odd, and two bits shorter than half the modulus.
    pub fn exponent(&self) -> &BoxedUint {
        &self.exponent
    }

    /// The metadata.
    pub fn info(&self) -> &[u8] {
        &self.info
    }

    /// The text that is padded for a prepared message: the metadata with its length, and the message.
    fn framed(&self, message: &[u8]) -> Zeroizing<Vec<u8>> {
        // `derive_public_key` has refused longer ones.
        let length = (self.info.len() as u32).to_be_bytes();
        Zeroizing::new([b"msg", &length[..], &self.info, message].concat())
    }
}

impl fmt::Debug for DerivedPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DerivedPublicKey")
            .field("key", self.public_key())
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// A signer's key for one piece of metadata, prepared; cheap to clone. The numbers are wiped when the last
/// clone is dropped.
#[derive(Clone)]
pub struct DerivedSigningKey {
    key: rsa::SigningKey,
    public: DerivedPublicKey,
}

impl DerivedSigningKey {
    /// The public half.
    pub fn public_key(&self) -> &DerivedPublicKey {
        &self.public
    }
}

impl fmt::Debug for DerivedSigningKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DerivedSigningKey")
            .field(&self.public)
            .finish()
    }
}

/// The length of a modulus in bytes, if it is a power of two.
fn power_of_two(key: &PublicKey) -> Result<usize, BlindError> {
    let size = key.size();
    if size.is_power_of_two() {
        Ok(size)
    } else {
        Err(BlindError::ModulusLength(size))
    }
}

/// A signer's public key for a piece of metadata (`DerivePublicKey` in the draft).
///
/// # Errors
/// [`BlindError::ModulusLength`], [`BlindError::MetadataLength`], [`BlindError::Engine`].
pub fn derive_public_key(
    engine: &Engine,
    key: &VerifyingKey,
    info: &[u8],
) -> Result<DerivedPublicKey, BlindError> {
    let size = power_of_two(key.public_key())?;
    if u32::try_from(info.len()).is_err() {
        return Err(BlindError::MetadataLength(info.len()));
    }
    let exponent = exponent(key.public_key(), size, info);
    Ok(DerivedPublicKey {
        key: key.with_exponent(engine, exponent.clone())?,
        exponent: Arc::new(exponent),
        info: info.into(),
    })
}

/// The public exponent of a piece of metadata, for a modulus of `size` bytes.
fn exponent(key: &PublicKey, size: usize, info: &[u8]) -> BoxedUint {
    let salt = octets(key.n(), size);
    let input = [b"key", info, &[0]].concat();
    let half = size / 2;
    // 16 bytes more, which the draft discards.
    let mut bytes = vec![0; half + 16];
    Hkdf::<Sha384>::new(Some(&salt), &input)
        .expand(b"PBRSA", &mut bytes)
        .expect("half of the longest modulus is below 255 digests");
    bytes.truncate(half);
    bytes[0] &= 0x3f;
    bytes[half - 1] |= 1;
    BoxedUint::from_be_slice_truncated(&bytes, 8 * half as u32)
}

/// A signer's keys for a piece of metadata (`DeriveKeyPair` in the draft): the private exponents are the inverses
/// of the public one modulo p - 1 and q - 1, found in constant time.
///
/// # Errors
/// The errors of [`derive_public_key`], and [`BlindError::UnsafePrime`] for a key that has passed the test of
/// [`SigningKey::new`] though its primes are not safe.
pub fn derive_key_pair(
    engine: &Engine,
    key: &SigningKey,
    info: &[u8],
) -> Result<DerivedSigningKey, BlindError> {
    let public = derive_public_key(engine, key.verifying_key(), info)?;
    let inverse = |name, prime: &BoxedUint| {
        let order = Zeroizing::new(prime.wrapping_sub(BoxedUint::one()));
        // The exponent is two bits shorter than the prime.
        let exponent = resized(&public.exponent, order.bits_precision());
        let inverse = exponent.invert_mod(&nonzero(&order));
        let inverse = Option::from(inverse).map(Zeroizing::new);
        inverse.ok_or(BlindError::UnsafePrime(name))
    };
    let secret = &key.0.key.secret;
    let exponents = [inverse('p', &secret.p)?, inverse('q', &secret.q)?];
    let prepared = key.0.prepared.prepared();
    let derived = prepared.with_exponents(engine, public.key.clone(), exponents)?;
    Ok(DerivedSigningKey {
        key: rsa::SigningKey::of_prepared(derived),
        public,
    })
}

/// A prepared message to blind.
#[derive(Clone, Copy, Debug)]
pub struct BlindRequest<'a> {
    /// The signer's key for the metadata.
    pub key: &'a DerivedPublicKey,
    /// The variant.
    pub variant: Variant,
    /// The prepared message.
    pub message: &'a [u8],
}

/// The blinded messages of these prepared messages, with the inverses of their blinds, as
/// [`blind_batch`](super::blind_batch) has them. A batch may mix keys and metadata.
///
/// # Errors
/// For each item those of [`blind_batch`](super::blind_batch).
pub fn blind_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[BlindRequest<'_>],
) -> Vec<Result<Blinded, BlindError>> {
    let framed = requests.iter().map(|r| r.key.framed(r.message));
    let framed: Vec<_> = framed.collect();
    let requests = requests.iter().zip(&framed);
    let requests = requests.map(|(request, message)| super::BlindRequest {
        key: &request.key.key,
        variant: request.variant,
        message,
    });
    super::blind_batch(engine, rng, &requests.collect::<Vec<_>>())
}

/// A blinded message to sign.
#[derive(Clone, Copy, Debug)]
pub struct BlindSignRequest<'a> {
    /// The signer's key for the metadata.
    pub key: &'a DerivedSigningKey,
    /// The blinded message, as long as the modulus.
    pub blinded: &'a [u8],
}

/// The blind signatures of these blinded messages, in constant time, blinded with the signer's own randomness,
/// and each verified before it is returned, as [`blind_sign_batch`](super::blind_sign_batch) does it. A batch
/// may mix keys and metadata. Each takes some four times as long as one with a short exponent.
///
/// # Errors
/// For each item those of [`blind_sign_batch`](super::blind_sign_batch).
pub fn blind_sign_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[BlindSignRequest<'_>],
) -> Vec<Result<Vec<u8>, BlindError>> {
    let requests = requests.iter().map(|request| super::BlindSignRequest {
        key: &request.key.key,
        blinded: request.blinded,
    });
    super::blind_sign_batch(engine, rng, &requests.collect::<Vec<_>>())
}

/// A signer's answer to be made a signature.
#[derive(Clone, Copy)]
pub struct FinalizeRequest<'a> {
    /// The signer's key for the metadata.
    pub key: &'a DerivedPublicKey,
    /// The variant.
    pub variant: Variant,
    /// The prepared message.
    pub message: &'a [u8],
    /// The inverse of the blind.
    pub inverse: &'a [u8],
    /// The signer's answer, as long as the modulus.
    pub blind_signature: &'a [u8],
}

impl fmt::Debug for FinalizeRequest<'_> {
    /// Shows everything but the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinalizeRequest")
            .field("key", &self.key)
            .field("variant", &self.variant)
            .finish_non_exhaustive()
    }
}

/// The signatures of the prepared messages: the blind is taken off, and each is verified.
///
/// # Errors
/// For each item those of [`finalize_batch`](super::finalize_batch).
pub fn finalize_batch(
    engine: &Engine,
    requests: &[FinalizeRequest<'_>],
) -> Vec<Result<Vec<u8>, BlindError>> {
    let framed = requests.iter().map(|r| r.key.framed(r.message));
    let framed: Vec<_> = framed.collect();
    let requests = requests.iter().zip(&framed);
    let requests = requests.map(|(request, message)| super::FinalizeRequest {
        key: &request.key.key,
        variant: request.variant,
        message,
        inverse: request.inverse,
        blind_signature: request.blind_signature,
    });
    super::finalize_batch(engine, &requests.collect::<Vec<_>>())
}

/// A signature to verify.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// The supposed signer's key for the metadata.
    pub key: &'a DerivedPublicKey,
    /// The variant.
    pub variant: Variant,
    /// The prepared message.
    pub message: &'a [u8],
    /// The signature, as long as the modulus.
    pub signature: &'a [u8],
}

/// Whether these are signatures of the prepared messages and the keys' metadata: one answer for each. All inputs are
/// public. Each takes as long as a power with an exponent of half the modulus' length.
pub fn verify_batch(
    engine: &Engine,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    let requests = requests.iter().map(|request| verify::VerifyRequest {
        key: &request.key.key,
        scheme: request.variant.scheme(),
        digest: request.variant.digest(&request.key.framed(request.message)),
        signature: request.signature,
    });
    verify::verify_batch(engine, &requests.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
