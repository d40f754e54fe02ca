//! blst's BLS signatures: keys in G1 with signatures in G2, and the other way round.

use crate::interface::{Group, Operands, PeerError, SignMessage, VerifyMessage};
use ::openssl::rand::rand_bytes;
use blst::{BLST_ERROR, blst_scalar, min_pk, min_sig};

/// Length of keys in G1 in bytes.
const IN_G1: usize = 48;
/// Length of random factors in bits.
const FACTOR_BITS: usize = 64;

fn key_error(_: BLST_ERROR) -> PeerError {
    PeerError::Blst("reading a key")
}

struct Signer {
    key: min_pk::SecretKey,
    tag: Vec<u8>,
}

/// A signer with signatures in G2, from a secret key in 32 bytes.
pub(super) fn signer(key: &[u8], tag: &[u8]) -> Result<Box<dyn SignMessage>, PeerError> {
    let key = min_pk::SecretKey::from_bytes(key).map_err(key_error)?;
    let tag = tag.to_vec();
    Ok(Box::new(Signer { key, tag }))
}

impl SignMessage for Signer {
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        Ok(self.key.sign(message, &self.tag, &[]).to_bytes().to_vec())
    }
}

/// A public key in either group, and the tag of its messages.
struct Verifier<K> {
    key: K,
    tag: Vec<u8>,
}

/// A verifier of compressed signatures by a compressed key, which is validated.
pub(super) fn verifier(key: &[u8], tag: &[u8]) -> Result<Box<dyn VerifyMessage>, PeerError> {
    let tag = tag.to_vec();
    Ok(if key.len() == IN_G1 {
        let key = min_pk::PublicKey::key_validate(key).map_err(key_error)?;
        Box::new(Verifier { key, tag })
    } else {
        let key = min_sig::PublicKey::key_validate(key).map_err(key_error)?;
        Box::new(Verifier { key, tag })
    })
}

impl VerifyMessage for Verifier<min_pk::PublicKey> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        let Ok(signature) = min_pk::Signature::from_bytes(signature) else {
            return Ok(false);
        };
        let verdict = signature.verify(true, message, &self.tag, &[], &self.key, false);
        Ok(verdict == BLST_ERROR::BLST_SUCCESS)
    }
}

impl VerifyMessage for Verifier<min_sig::PublicKey> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        let Ok(signature) = min_sig::Signature::from_bytes(signature) else {
            return Ok(false);
        };
        let verdict = signature.verify(true, message, &self.tag, &[], &self.key, false);
        Ok(verdict == BLST_ERROR::BLST_SUCCESS)
    }
}

/// Signatures by keys in either group that are verified together.
struct Sets<K> {
    keys: Vec<K>,
    messages: Vec<Vec<u8>>,
    signatures: Vec<Vec<u8>>,
    tag: Vec<u8>,
    verdict: bool,
}

/// Signatures that are verified together by random factors, from compressed keys, which are validated, messages and
/// compressed signatures. All keys are in one group.
pub(super) fn sets(tag: &[u8], sets: &[Operands<'_, 3>]) -> Result<Box<dyn Group>, PeerError> {
    let messages = sets
        .iter()
        .map(|[_, message, _]| message.to_vec())
        .collect();
    let signatures = sets.iter().map(|[.., signature]| signature.to_vec());
    let (signatures, tag, verdict) = (signatures.collect(), tag.to_vec(), false);
    let keys = sets.iter().map(|[key, ..]| *key);
    Ok(if sets.iter().all(|[key, ..]| key.len() == IN_G1) {
        let keys = keys.map(|key| min_pk::PublicKey::key_validate(key).map_err(key_error));
        let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        Box::new(Sets {
            keys,
            messages,
            signatures,
            tag,
            verdict,
        })
    } else {
        let keys = keys.map(|key| min_sig::PublicKey::key_validate(key).map_err(key_error));
        let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        Box::new(Sets {
            keys,
            messages,
            signatures,
            tag,
            verdict,
        })
    })
}

/// Random factors of [`FACTOR_BITS`] bits, none of them 0.
fn factors(count: usize) -> Result<Vec<blst_scalar>, PeerError> {
    let mut bytes = vec![0; count * FACTOR_BITS / 8];
    rand_bytes(&mut bytes)?;
    let factors = bytes.chunks(FACTOR_BITS / 8).map(|bytes| {
        let mut factor = blst_scalar::default();
        factor.b[..bytes.len()].copy_from_slice(bytes);
        factor.b[0] |= 1;
        factor
    });
    Ok(factors.collect())
}

macro_rules! group_of_sets {
    ($variant:ident) => {
        impl Group for Sets<$variant::PublicKey> {
            fn run(&mut self) -> Result<(), PeerError> {
                let signatures = self.signatures.iter();
                let signatures = signatures.map(|bytes| $variant::Signature::from_bytes(bytes));
                let Ok(signatures) = signatures.collect::<Result<Vec<_>, _>>() else {
                    self.verdict = false;
                    return Ok(());
                };
                let messages: Vec<_> = self.messages.iter().map(|message| &message[..]).collect();
                let verdict = $variant::Signature::verify_multiple_aggregate_signatures(
                    &messages,
                    &self.tag,
                    &self.keys.iter().collect::<Vec<_>>(),
                    false,
                    &signatures.iter().collect::<Vec<_>>(),
                    true,
                    &factors(signatures.len())?,
                    FACTOR_BITS,
                );
                self.verdict = verdict == BLST_ERROR::BLST_SUCCESS;
                Ok(())
            }

            fn result(&self, _: usize) -> Vec<u8> {
                vec![u8::from(self.verdict)]
            }
        }
    };
}

group_of_sets!(min_pk);
group_of_sets!(min_sig);
