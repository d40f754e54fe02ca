//! Verification of signatures in batches (RFC 8017, sections 8.1.2 and 8.2.2). All inputs are
//! public.

use super::key::{KeyError, PublicKey};
use super::programs::{self, PublicExponent};
use super::restriction::{PssRestriction, RestrictionError};
use super::signature_scheme::Scheme;
use crate::Digest;
use crate::batch::{CHUNK, fail_all, in_parts};
use crate::padding::{pkcs1v15, pss};
use core::fmt;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Job, Modulus, Programs};

/// A public key prepared for verification on an engine; cheap to clone.
#[derive(Clone)]
pub struct VerifyingKey(Arc<VerifyingKeyData>);

/// Data of the key, shared by its clones.
struct VerifyingKeyData {
    public: PublicKey,
    n: Arc<Modulus>,
    program: Arc<Programs>,
    exponent: PublicExponent,
    /// The exponent, if jobs bring it: the exponent of `public`, or another one in its place.
    own: Option<BoxedUint>,
}

impl VerifyingKey {
    /// Prepares a key for verification.
    ///
    /// # Errors
    /// [`KeyError::Engine`] if the engine refuses the modulus.
    pub fn new(engine: &Engine, key: &PublicKey) -> Result<Self, KeyError> {
        let n = engine.modulus(key.n())?;
        let exponent = PublicExponent::of(key.e());
        Ok(Self(Arc::new(VerifyingKeyData {
            public: key.clone(),
            program: programs::public(engine, n.class(), exponent)?,
            n,
            own: match exponent {
                PublicExponent::Fixed(_) => None,
                PublicExponent::Own(_) => Some(BoxedUint::from(key.e())),
            },
            exponent,
        })))
    }

    /// A key with this modulus and another exponent, which may be as long as the modulus.
    pub(super) fn with_exponent(&self, engine: &Engine, e: BoxedUint) -> Result<Self, EngineError> {
        let n = Arc::clone(&self.0.n);
        let exponent = PublicExponent::Own(e.bits_precision());
        Ok(Self(Arc::new(VerifyingKeyData {
            public: self.0.public.clone(),
            program: programs::public(engine, n.class(), exponent)?,
            n,
            exponent,
            own: Some(e),
        })))
    }

    /// The source of the exponent in programs.
    pub(super) fn exponent(&self) -> PublicExponent {
        self.0.exponent
    }

    /// The exponent, for jobs that bring it.
    pub(super) fn scalar(&self) -> Option<&BoxedUint> {
        self.0.own.as_ref()
    }

    /// The key that was prepared.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }

    /// The job for the engine x^e mod n.
    pub(super) fn raise<'a>(&'a self, x: &'a BoxedUint) -> Job<'a> {
        Job {
            programs: &self.0.program,
            modulus: &self.0.n,
            constants: None,
            inputs: vec![x],
            scalars: self.scalar().into_iter().collect(),
        }
    }

    /// The modulus n, prepared for the engine.
    pub(super) fn modulus(&self) -> &Arc<Modulus> {
        &self.0.n
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VerifyingKey").field(&self.0.public).finish()
    }
}

/// A signature to verify, with key, scheme and digest.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a VerifyingKey,
    /// Padding scheme.
    pub scheme: Scheme,
    /// Digest of the message.
    pub digest: Digest,
    /// Signature, as long as the modulus.
    pub signature: &'a [u8],
}

/// The reason why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The signature is not as long as the modulus.
    #[error("the signature has {given} bytes: with this key it must have {expected}")]
    Length {
        /// Length of the modulus, in bytes.
        expected: usize,
        /// Length of the signature, in bytes.
        given: usize,
    },
    /// The signature, as an integer, is not below the modulus.
    #[error("the signature is not below the modulus")]
    OutOfRange,
    /// No signature of this scheme and hash fits the key.
    #[error("a key of {bits} bits is too short for this scheme with {hash}")]
    KeyTooShort {
        /// Length of the modulus, in bits.
        bits: u32,
        /// The hash function.
        hash: crate::Hash,
    },
    /// The key is restricted to RSASSA-PSS, and this is another scheme, or has other parameters.
    #[error(transparent)]
    Restricted(#[from] RestrictionError),
    /// The signature belongs to another message, key or scheme, or is forged.
    #[error("the signature does not match")]
    Mismatch,
    /// No device of the engine could compute it: nothing is known about the signature.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order.
///
/// A batch may mix keys, key sizes, schemes and hashes.
///
/// For PKCS#1 v1.5 the whole encoded message is compared with the only one that is accepted: its
/// `DigestInfo` has an explicit NULL. RFC 8017 lets a verifier also accept the encoding without
/// NULL; it is refused here.
pub fn verify_batch(
    engine: &Engine,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    in_parts(engine, CHUNK, requests, |part| verify_chunk(engine, part))
}

fn verify_chunk(engine: &Engine, requests: &[VerifyRequest<'_>]) -> Vec<Result<(), VerifyError>> {
    let integers: Vec<_> = requests.iter().map(signature_integer).collect();
    let jobs: Vec<Job<'_>> = requests
        .iter()
        .zip(&integers)
        .filter_map(|(request, s)| s.as_ref().ok().map(|s| request.key.raise(s)))
        .collect();
    let mut powers = match engine.execute(&jobs) {
        Ok(powers) => powers.into_iter(),
        Err(error) => return fail_all(&integers, &error.into()),
    };
    requests
        .iter()
        .zip(&integers)
        .map(|(request, s)| {
            s.as_ref().map_err(VerifyError::clone)?;
            let m = powers.next().expect("the engine answers every task");
            check_padding(request, &m.integers[0])
        })
        .collect()
}

/// The signature as an integer below the modulus.
fn signature_integer(request: &VerifyRequest<'_>) -> Result<BoxedUint, VerifyError> {
    let key = request.key.public_key();
    if let Some(restriction) = key.restriction() {
        restriction.check(request.scheme, request.digest.hash())?;
    }
    let (expected, given) = (key.size(), request.signature.len());
    if given != expected {
        return Err(VerifyError::Length { expected, given });
    }
    let s = BoxedUint::from_be_slice(request.signature, key.n().bits_precision())
        .expect("it is as long as the modulus");
    if s.cmp_vartime(key.n()).is_ge() {
        return Err(VerifyError::OutOfRange);
    }
    Ok(s)
}

/// Whether the integer s^e mod n encodes the digest.
fn check_padding(request: &VerifyRequest<'_>, m: &BoxedUint) -> Result<(), VerifyError> {
    let key = request.key.public_key();
    let too_short = VerifyError::KeyTooShort {
        bits: key.bits(),
        hash: request.digest.hash(),
    };
    let m = m.to_be_bytes();
    let (leading, em) = m.split_at(m.len() - key.size());
    debug_assert!(leading.iter().all(|&b| b == 0), "m < n");
    let matches = match request.scheme {
        Scheme::Pkcs1v15 => {
            *em == *pkcs1v15::encode(&request.digest, key.size()).ok_or(too_short)?
        }
        Scheme::Pss { salt_len, mgf1 } => {
            let em_bits = key.bits() - 1;
            let (leading, em) = em.split_at(em.len() - em_bits.div_ceil(8) as usize);
            if em.len() < request.digest.as_bytes().len() + 2 {
                return Err(too_short);
            }
            let mgf1 = mgf1.unwrap_or(request.digest.hash().into());
            let least = key.restriction().map_or(0, PssRestriction::min_salt);
            leading.iter().all(|&b| b == 0)
                && pss::verify(&request.digest, em, mgf1, em_bits, salt_len, least)
        }
    };
    if matches {
        Ok(())
    } else {
        Err(VerifyError::Mismatch)
    }
}
