//! Blind signatures (RFC 9474, RSABSSA): the signer learns nothing about the message, and cannot tell which signature
//! belongs to which request. Signatures of messages with metadata that the signer knows are in [`partial`].
//!
//! | side | step | function |
//! |---|---|---|
//! | client | Prepare | [`prepare`] |
//! | client | Blind | [`blind_batch`] |
//! | server | BlindSign | [`blind_sign_batch`] |
//! | client | Finalize | [`finalize_batch`] |
//! | anyone | Verify | [`verify_batch`], with [`Variant::scheme`] and [`Variant::digest`] |
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::rsa::blind::{
//!     BlindRequest, BlindSignRequest, FinalizeRequest, Variant, blind_batch, blind_sign_batch,
//!     finalize_batch, prepare,
//! };
//! use sunzi_pk::rsa::{PrivateKey, SigningKey};
//! use sunzi_pk::system_rng;
//!
//! let engine = Engine::new(Backend::best())?;
//! let rng = &mut system_rng();
//! let server = SigningKey::new(&engine, &PrivateKey::generate(2048, rng)?)?;
//! let (key, variant) = (server.verifying_key(), Variant::PssRandomized);
//!
//! let message = prepare(variant, rng, b"a token")?;
//! let request = BlindRequest { key, variant, message: &message };
//! let blinded = blind_batch(&engine, rng, &[request]).remove(0)?;
//!
//! let request = BlindSignRequest { key: &server, blinded: &blinded.message };
//! let blind_signature = blind_sign_batch(&engine, rng, &[request]).remove(0)?;
//!
//! let request = FinalizeRequest {
//!     key,
//!     variant,
//!     message: &message,
//!     inverse: &blinded.inverse,
//!     blind_signature: &blind_signature,
//! };
//! let signature = finalize_batch(&engine, &[request]).remove(0)?;
//! assert_eq!(signature.len(), 256);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod partial;

use super::blinding::{self, Blind};
use super::key::KeyError;
use super::private::{self, PrivateOperation};
use super::programs;
use super::sign::{SignError, SigningKey};
use super::signature_scheme::{SaltLen, Scheme};
use super::verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};
use crate::batch::fail_all;
use crate::integer::octets;
use crate::padding::pss;
use crate::{Digest, Hash};
use core::fmt;
use core::str::FromStr;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Gcd};
use rand_core::TryCryptoRng;
use std::collections::HashMap;
use sunzi_engine::{Engine, EngineError, Job};
use zeroize::Zeroizing;

/// A variant of RFC 9474, section 5: PSS with SHA-384 throughout, with a salt of 48 bytes or none, and
/// messages that are randomized or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variant {
    /// RSABSSA-SHA384-PSS-Randomized, recommended.
    PssRandomized,
    /// RSABSSA-SHA384-PSSZERO-Randomized, recommended.
    PssZeroRandomized,
    /// RSABSSA-SHA384-PSS-Deterministic, for messages that nobody can guess.
    PssDeterministic,
    /// RSABSSA-SHA384-PSSZERO-Deterministic, for messages that nobody can guess.
    PssZeroDeterministic,
}

/// Length of the random prefix of a randomized message, in bytes.
const PREFIX: usize = 32;

impl Variant {
    /// All variants.
    pub const ALL: [Self; 4] = [
        Self::PssRandomized,
        Self::PssZeroRandomized,
        Self::PssDeterministic,
        Self::PssZeroDeterministic,
    ];

    /// The name in RFC 9474.
    pub fn name(self) -> &'static str {
        match self {
            Self::PssRandomized => "RSABSSA-SHA384-PSS-Randomized",
            Self::PssZeroRandomized => "RSABSSA-SHA384-PSSZERO-Randomized",
            Self::PssDeterministic => "RSABSSA-SHA384-PSS-Deterministic",
            Self::PssZeroDeterministic => "RSABSSA-SHA384-PSSZERO-Deterministic",
        }
    }

    /// Whether messages get a random prefix.
    pub fn is_randomized(self) -> bool {
        matches!(self, Self::PssRandomized | Self::PssZeroRandomized)
    }

    fn salt_len(self) -> usize {
        match self {
            Self::PssRandomized | Self::PssDeterministic => Hash::Sha384.digest_len(),
            Self::PssZeroRandomized | Self::PssZeroDeterministic => 0,
        }
    }

    /// The padding scheme of the signatures.
    pub fn scheme(self) -> Scheme {
        Scheme::pss(SaltLen::Bytes(self.salt_len()))
    }

    /// The digest of a prepared message.
    pub fn digest(self, message: &[u8]) -> Digest {
        Hash::Sha384.digest(message)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Variant {
    type Err = BlindError;

    fn from_str(name: &str) -> Result<Self, BlindError> {
        let mut variants = Self::ALL.into_iter();
        let variant = variants.find(|variant| variant.name() == name);
        variant.ok_or_else(|| BlindError::UnknownVariant(name.into()))
    }
}

/// The reason why a step has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlindError {
    /// No variant has this name.
    #[error("there is no variant named {0:?}: RFC 9474, section 5, has four")]
    UnknownVariant(String),
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The encoded message does not fit the key.
    #[error("a key of {0} bits is too short for this variant")]
    KeyTooShort(u32),
    /// The message, or the blind, shares a prime with the modulus: the key is wrong.
    #[error("the message shares a prime with the modulus: this is no key of two large primes")]
    NotCoprime,
    /// A number does not have the length of the modulus.
    #[error("{what} has {given} bytes: with this key it must have {expected}")]
    Length {
        /// The number, in words.
        what: &'static str,
        /// Length of the modulus, in bytes.
        expected: usize,
        /// Length given, in bytes.
        given: usize,
    },
    /// A number is not below the modulus.
    #[error("{0} is not below the modulus")]
    OutOfRange(&'static str),
    /// The signer's answer is no signature of the message.
    #[error("the signer's answer is no signature of the message")]
    InvalidSignature,
    /// A modulus of this length, in bytes, does not suit partially blind signatures.
    #[error(
        "the modulus has {0} bytes: partially blind signatures need a power of two, such as 256"
    )]
    ModulusLength(usize),
    /// A prime of the key is not safe, or does not have half the length of the modulus.
    #[error(
        "{0} is no safe prime of half the modulus' length: partially blind signatures need keys that \
         are made for them"
    )]
    UnsafePrime(char),
    /// The metadata is too long.
    #[error("the metadata has {0} bytes: 2^32 - 1 are the most")]
    MetadataLength(usize),
    /// The key cannot sign.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The signer could not sign.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// The message that is signed: with 32 random bytes before it, or as it is (RFC 9474, section 4.1).
///
/// # Errors
/// [`BlindError::Random`].
pub fn prepare<R: TryCryptoRng + ?Sized>(
    variant: Variant,
    rng: &mut R,
    message: &[u8],
) -> Result<Vec<u8>, BlindError> {
    let mut prepared = vec![0; if variant.is_randomized() { PREFIX } else { 0 }];
    rng.try_fill_bytes(&mut prepared)
        .map_err(|_| BlindError::Random)?;
    prepared.extend_from_slice(message);
    Ok(prepared)
}

/// The application's message within a prepared one; `None` if that is too short.
pub fn unprepared(variant: Variant, prepared: &[u8]) -> Option<&[u8]> {
    prepared.get(if variant.is_randomized() { PREFIX } else { 0 }..)
}

/// A prepared message to blind.
#[derive(Clone, Copy, Debug)]
pub struct BlindRequest<'a> {
    /// The signer's key.
    pub key: &'a VerifyingKey,
    /// The variant.
    pub variant: Variant,
    /// The prepared message.
    pub message: &'a [u8],
}

/// A blinded message, and the number that undoes the blind.
#[derive(Clone, PartialEq, Eq)]
pub struct Blinded {
    /// The blinded message for the signer, as long as the modulus.
    pub message: Vec<u8>,
    /// The inverse of the blind, as long as the modulus: the client's secret, with which the signer could
    /// recognize the signature.
    pub inverse: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for Blinded {
    /// Shows everything but the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blinded").finish_non_exhaustive()
    }
}

/// The blinded messages `m r^e mod n` of these prepared messages m, encoded by PSS with fresh salts, each
/// with the inverse of its fresh blind r (RFC 9474, section 4.2). Messages and blinds are secrets.
///
/// # Errors
/// For each item [`BlindError::KeyTooShort`], [`BlindError::Random`], [`BlindError::NotCoprime`],
/// [`BlindError::Engine`].
pub fn blind_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[BlindRequest<'_>],
) -> Vec<Result<Blinded, BlindError>> {
    let mut results = Vec::with_capacity(requests.len());
    for chunk in requests.chunks(engine.at_a_time()) {
        let encoded: Vec<_> = chunk
            .iter()
            .map(|request| {
                let mut salt = vec![0; request.variant.salt_len()];
                rng.try_fill_bytes(&mut salt)
                    .map_err(|_| BlindError::Random)?;
                encode(request, &salt)
            })
            .collect();
        let valid = chunk.iter().zip(&encoded).filter(|(_, m)| m.is_ok());
        let keys: Vec<&VerifyingKey> = valid.map(|(request, _)| request.key).collect();
        let Ok(blinds) = blinding::draw(rng, &keys) else {
            results.extend(fail_all(&encoded, &BlindError::Random));
            continue;
        };
        results.extend(blind(engine, chunk, &encoded, &blinds));
    }
    results
}

/// The encoded message as an integer.
fn encode(request: &BlindRequest<'_>, salt: &[u8]) -> Result<Zeroizing<BoxedUint>, BlindError> {
    let key = request.key.public_key();
    let digest = request.variant.digest(request.message);
    let em = pss::encode(&digest, salt, Hash::Sha384.into(), key.bits() - 1);
    let em = Zeroizing::new(em.ok_or(BlindError::KeyTooShort(key.bits()))?);
    let m = BoxedUint::from_be_slice_truncated(&em, key.n().bits_precision());
    Ok(Zeroizing::new(m))
}

/// The blinded messages: `Err` entries pass through in order, and there is a blind for each other one.
fn blind(
    engine: &Engine,
    requests: &[BlindRequest<'_>],
    encoded: &[Result<Zeroizing<BoxedUint>, BlindError>],
    blinds: &[Blind],
) -> Vec<Result<Blinded, BlindError>> {
    let valid = requests.iter().zip(encoded);
    let valid = valid.filter_map(|(request, m)| Some((request.key, m.as_ref().ok()?)));
    let programs = valid
        .clone()
        .map(|(key, _)| programs::blind(engine, key.modulus().class(), key.exponent()));
    let computed = programs
        .collect::<Result<Vec<_>, _>>()
        .and_then(|programs| {
            let jobs: Vec<Job<'_>> = valid
                .zip(blinds)
                .zip(&programs)
                .map(|(((key, m), blind), programs)| Job {
                    programs,
                    modulus: key.modulus(),
                    constants: None,
                    inputs: vec![m, &blind.r],
                    scalars: key.scalar().into_iter().collect(),
                })
                .collect();
            engine.execute(&jobs)
        });
    let mut blinded = match computed {
        Ok(outcomes) => outcomes.into_iter().zip(blinds),
        Err(error) => return fail_all(encoded, &error.into()),
    };
    let mut results: Vec<_> = requests
        .iter()
        .zip(encoded)
        .map(|(request, m)| {
            m.as_ref().map_err(BlindError::clone)?;
            let (outcome, blind) = blinded.next().ok_or(BlindError::Random)?;
            let key = request.key.public_key();
            let z = (*outcome.integers[0]).clone();
            let inverse = octets(&blind.inverse, key.size());
            Ok((request.key, z, inverse))
        })
        .collect();
    refuse_common_primes(&mut results);
    let finish = |(key, z, inverse): (&VerifyingKey, BoxedUint, _)| Blinded {
        message: octets(&z, key.public_key().size()).to_vec(),
        inverse,
    };
    results
        .into_iter()
        .map(|result| result.map(finish))
        .collect()
}

/// Refuses blinded messages that share a prime with their modulus, as then the message or the blind does, and the blind
/// may not hide the message. Blinded messages are public: the product of those of one key is tried, and each by itself
/// only if that fails.
fn refuse_common_primes<T>(results: &mut [Result<(&VerifyingKey, BoxedUint, T), BlindError>]) {
    let mut products: HashMap<*const BoxedUint, (BoxedMontyParams, BoxedMontyForm)> =
        HashMap::new();
    let id = |key: &VerifyingKey| core::ptr::from_ref(key.public_key().n());
    for (key, z, _) in results.iter().flatten() {
        let (parameters, product) = products.entry(id(key)).or_insert_with(|| {
            let parameters = BoxedMontyParams::new_vartime(key.public_key().odd_n().clone());
            let one = BoxedMontyForm::one(&parameters);
            (parameters, one)
        });
        *product = product.mul(&BoxedMontyForm::from_montgomery(z.clone(), parameters));
    }
    let is_coprime = |z: &BoxedUint, n: &BoxedUint| bool::from(z.gcd_vartime(n).is_one());
    let all_coprime: HashMap<_, _> = products
        .into_iter()
        .map(|(id, (parameters, product))| {
            let coprime = is_coprime(product.as_montgomery(), parameters.modulus());
            (id, coprime)
        })
        .collect();
    for result in results {
        let coprime = result
            .as_ref()
            .ok()
            .is_none_or(|(key, z, _)| all_coprime[&id(key)] || is_coprime(z, key.public_key().n()));
        if !coprime {
            *result = Err(BlindError::NotCoprime);
        }
    }
}

/// A blinded message to sign.
#[derive(Clone, Copy, Debug)]
pub struct BlindSignRequest<'a> {
    /// The signer's key.
    pub key: &'a SigningKey,
    /// The blinded message, as long as the modulus.
    pub blinded: &'a [u8],
}

/// The blind signatures `z^d mod n` of these blinded messages z (RFC 9474, section 4.3), in constant time,
/// blinded with the signer's own randomness, and each verified before it is returned, as
/// [`sign_batch`](super::sign_batch) does it.
///
/// This key signs any number that it is given: use it for nothing else.
///
/// # Errors
/// For each item [`BlindError::Length`], [`BlindError::OutOfRange`], [`BlindError::Sign`].
pub fn blind_sign_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[BlindSignRequest<'_>],
) -> Vec<Result<Vec<u8>, BlindError>> {
    let mut results = Vec::with_capacity(requests.len());
    for chunk in requests.chunks(engine.at_a_time()) {
        let integers: Vec<_> = chunk
            .iter()
            .map(|request| {
                integer(
                    "the blinded message",
                    request.key.verifying_key(),
                    request.blinded,
                )
            })
            .collect();
        let operations: Vec<_> = chunk
            .iter()
            .zip(&integers)
            .filter_map(|(request, z)| {
                let z = z.as_ref().ok()?.clone();
                Some(Ok(PrivateOperation::new(request.key.prepared(), z)))
            })
            .collect();
        let mut signatures = private::run::<_, SignError>(engine, rng, &operations).into_iter();
        results.extend(integers.into_iter().map(|z| {
            z?;
            let signature = signatures.next().unwrap_or(Err(SignError::Fault))?;
            Ok(signature.to_vec())
        }));
    }
    results
}

/// The integer below the modulus in these bytes.
fn integer(
    what: &'static str,
    key: &VerifyingKey,
    bytes: &[u8],
) -> Result<Zeroizing<BoxedUint>, BlindError> {
    let key = key.public_key();
    let (expected, given) = (key.size(), bytes.len());
    if given != expected {
        return Err(BlindError::Length {
            what,
            expected,
            given,
        });
    }
    let integer = BoxedUint::from_be_slice_truncated(bytes, key.n().bits_precision());
    if integer.cmp_vartime(key.n()).is_ge() {
        return Err(BlindError::OutOfRange(what));
    }
    Ok(Zeroizing::new(integer))
}

/// A signer's answer to be made a signature.
#[derive(Clone, Copy)]
pub struct FinalizeRequest<'a> {
    /// The signer's key.
    pub key: &'a VerifyingKey,
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

/// The signatures of the prepared messages: the blind is taken off, and each is verified (RFC 9474,
/// section 4.4).
///
/// # Errors
/// For each item [`BlindError::Length`], [`BlindError::OutOfRange`], [`BlindError::InvalidSignature`],
/// [`BlindError::KeyTooShort`], [`BlindError::Engine`].
pub fn finalize_batch(
    engine: &Engine,
    requests: &[FinalizeRequest<'_>],
) -> Vec<Result<Vec<u8>, BlindError>> {
    requests
        .chunks(engine.at_a_time())
        .flat_map(|chunk| finalize(engine, chunk))
        .collect()
}

fn finalize(engine: &Engine, requests: &[FinalizeRequest<'_>]) -> Vec<Result<Vec<u8>, BlindError>> {
    let factors: Vec<Result<_, BlindError>> = requests
        .iter()
        .map(|request| {
            let key = request.key;
            let z = integer("the blind signature", key, request.blind_signature)?;
            let inverse = integer("the inverse", key, request.inverse)?;
            let program = programs::product(engine, key.modulus().class())?;
            Ok((key, z, inverse, program))
        })
        .collect();
    let jobs: Vec<Job<'_>> = factors
        .iter()
        .flatten()
        .map(|(key, z, inverse, programs)| Job {
            programs,
            modulus: key.modulus(),
            constants: None,
            inputs: vec![z, inverse],
            scalars: Vec::new(),
        })
        .collect();
    let mut products = match engine.execute(&jobs) {
        Ok(products) => products.into_iter(),
        Err(error) => return fail_all(&factors, &error.into()),
    };
    let signatures: Vec<Result<Vec<u8>, BlindError>> = factors
        .iter()
        .map(|factors| {
            let (key, ..) = factors.as_ref().map_err(BlindError::clone)?;
            let product = products.next().ok_or(BlindError::InvalidSignature)?;
            Ok(octets(&product.integers[0], key.public_key().size()).to_vec())
        })
        .collect();
    let to_verify = requests.iter().zip(&signatures);
    let to_verify: Vec<_> = to_verify
        .filter_map(|(request, signature)| {
            Some(VerifyRequest {
                key: request.key,
                scheme: request.variant.scheme(),
                digest: request.variant.digest(request.message),
                signature: signature.as_ref().ok()?,
            })
        })
        .collect();
    let mut verdicts = verify_batch(engine, &to_verify).into_iter();
    signatures
        .into_iter()
        .map(|signature| {
            let signature = signature?;
            match verdicts.next() {
                Some(Ok(())) => Ok(signature),
                Some(Err(VerifyError::Engine(error))) => Err(BlindError::Engine(error)),
                Some(Err(VerifyError::KeyTooShort { bits, .. })) => {
                    Err(BlindError::KeyTooShort(bits))
                }
                _ => Err(BlindError::InvalidSignature),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
