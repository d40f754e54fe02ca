//! Signing in batches (RFC 8017, sections 8.1.1 and 8.2.1).

use super::key::{KeyError, PrivateKey, PublicKey};
use super::private::{self, Fault, NoRandomness, PreparedKey, PrivateOperation};
use super::restriction::{PssRestriction, RestrictionError};
use super::signature_scheme::Scheme;
use super::verify::VerifyingKey;
use crate::Digest;
use crate::batch::{CHUNK, in_random_parts};
use crate::padding::{pkcs1v15, pss};
use core::fmt;
use crypto_bigint::BoxedUint;
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

/// A private key prepared for signing on an engine; cheap to clone. The numbers are wiped when the
/// last clone is dropped.
#[derive(Clone)]
pub struct SigningKey(Arc<PreparedKey>);

impl SigningKey {
    /// Prepares a key for signing.
    ///
    /// # Errors
    /// [`KeyError::TooShortToSign`], or [`KeyError::Engine`] if the engine refuses a modulus.
    pub fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, KeyError> {
        key.check_may_sign()?;
        Ok(Self(Arc::new(PreparedKey::new(engine, key)?)))
    }

    /// The signing key of a prepared key.
    pub(super) fn of_prepared(key: PreparedKey) -> Self {
        Self(Arc::new(key))
    }

    /// The numbers of a private operation.
    pub(super) fn prepared(&self) -> &PreparedKey {
        &self.0
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        self.0.public_key()
    }

    /// The public half, prepared for verification.
    pub fn verifying_key(&self) -> &VerifyingKey {
        self.0.verifying_key()
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

/// A digest to sign, with key and scheme.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// Signing key.
    pub key: &'a SigningKey,
    /// Padding scheme.
    pub scheme: Scheme,
    /// Digest of the message.
    pub digest: Digest,
}

/// The reason why a request got no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The encoded digest and salt do not fit the key.
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
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The signature did not verify: a fault in the computation, or a key with wrong numbers.
    #[error("the signature was computed wrongly and has been withheld: a fault, or a bad key")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<NoRandomness> for SignError {
    fn from(_: NoRandomness) -> Self {
        Self::Random
    }
}

impl From<Fault> for SignError {
    fn from(_: Fault) -> Self {
        Self::Fault
    }
}

/// One signature for each request, in the same order; each is as long as its modulus.
///
/// A batch may mix keys, key sizes, schemes and hashes. Every private operation is blinded with
/// fresh randomness, and every signature is verified before it is returned. Time and memory access
/// depend on no secret.
pub fn sign_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Vec<u8>, SignError>> {
    in_random_parts(
        engine,
        rng,
        CHUNK,
        requests,
        |rng, part| sign_chunk(engine, rng, part),
        |rng, part| sign_chunk(engine, rng, part),
    )
}

fn sign_chunk<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Vec<u8>, SignError>> {
    let operations: Vec<_> = requests
        .iter()
        .map(|request| operation(rng, request))
        .collect();
    private::run(engine, rng, &operations)
        .into_iter()
        .map(|signature| signature.map(|signature| signature.to_vec()))
        .collect()
}

fn operation<'a, R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    request: &SignRequest<'a>,
) -> Result<PrivateOperation<'a>, SignError> {
    let em = encode(rng, request)?;
    let width = request.key.public_key().n().bits_precision();
    let m = BoxedUint::from_be_slice(&em, width)
        .expect("an encoded message is no longer than the modulus");
    Ok(PrivateOperation::new(&request.key.0, Zeroizing::new(m)))
}

fn encode<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    request: &SignRequest<'_>,
) -> Result<Vec<u8>, SignError> {
    let key = request.key.public_key();
    let hash = request.digest.hash();
    if let Some(restriction) = key.restriction() {
        restriction.check(request.scheme, hash)?;
    }
    let em = match request.scheme {
        Scheme::Pkcs1v15 => pkcs1v15::encode(&request.digest, key.size()),
        Scheme::Pss { salt_len, mgf1 } => {
            let least = key.restriction().map_or(0, PssRestriction::min_salt);
            let salt_len = salt_len.for_signing(hash).max(least);
            if salt_len > key.size() {
                None
            } else {
                let mut salt = vec![0; salt_len];
                rng.try_fill_bytes(&mut salt)
                    .map_err(|_| SignError::Random)?;
                let mgf1 = mgf1.unwrap_or(hash.into());
                pss::encode(&request.digest, &salt, mgf1, key.bits() - 1)
            }
        }
    };
    em.ok_or(SignError::KeyTooShort {
        bits: key.bits(),
        hash,
    })
}

#[cfg(test)]
mod tests {
    use super::super::private::tests::{engine, faulty_keys};
    use super::*;
    use crate::{Hash, system_rng};

    /// A signature by a faulty key is withheld; the other signatures of the batch are returned.
    #[test]
    fn a_wrong_half_is_withheld_and_its_neighbours_are_not() {
        let engine = engine();
        for (key, faulty) in faulty_keys(&engine) {
            let good = SigningKey::new(&engine, &key).unwrap();
            for bad in faulty {
                let bad = SigningKey(Arc::new(bad));
                let requests = [&good, &bad, &good].map(|key| SignRequest {
                    key,
                    scheme: Scheme::Pkcs1v15,
                    digest: Hash::Sha256.digest(b"message"),
                });
                let results = sign_batch(&engine, &mut system_rng(), &requests);
                assert_eq!(results[1], Err(SignError::Fault));
                assert!(results[0].is_ok());
                assert_eq!(results[0], results[2]);
            }
        }
    }
}
