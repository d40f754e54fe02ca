//! Verification of signatures and of aggregates, each by itself. Public.

use super::element::{Element, Image, PublicKey, Signature};
use super::prepared::{Equation, PreparedBls, Term};
use super::suite::Scheme;
use crate::batch::CHUNK;
use crate::ec::pairing::DomainSeparationTag;
use crate::ec::{GroupError, PointError};
use std::borrow::Cow;
use std::collections::HashMap;
use sunzi_engine::EngineError;

/// A signature to verify, with key and message.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a PublicKey,
    /// The message.
    pub message: &'a [u8],
    /// The encoding of the signature.
    pub signature: &'a [u8],
}

/// The reason why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The key is of the other variant: its group is that of the signatures.
    #[error("the key is in the group of the signatures")]
    OtherVariant,
    /// The signature is no element of its group.
    #[error("the signature is no element of its group: {0}")]
    Signature(#[from] PointError),
    /// An aggregate without keys, or of no signatures.
    #[error("an aggregate has at least one key and one signature")]
    NoKeys,
    /// An aggregate with another number of messages than keys.
    #[error("{keys} keys were given with {messages} messages")]
    Messages {
        /// Number of keys.
        keys: usize,
        /// Number of messages.
        messages: usize,
    },
    /// In the basic scheme all messages of an aggregate must differ.
    #[error("a message occurs twice, which the basic scheme excludes")]
    RepeatedMessage,
    /// One message with several keys needs proofs of possession.
    #[error("several keys for one message need the scheme with proofs of possession")]
    NoProofs,
    /// The keys add up to the neutral element.
    #[error("the keys add up to the neutral element")]
    InfiniteSum,
    /// The signature belongs to another message or key, or is forged.
    #[error("the signature does not match")]
    Mismatch,
    /// The random number generator failed: nothing is known about the signature.
    #[error("the random number generator failed")]
    Random,
    /// No device of the engine could compute it: nothing is known about the signature.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<GroupError> for VerifyError {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::Engine(error) => Self::Engine(error),
            // All elements are of the groups of the variant, as their types say.
            _ => Self::Mismatch,
        }
    }
}

impl PreparedBls {
    /// One answer for each request, in the same order. Keys have been validated; signatures are decoded and found to be in
    /// their group here. Messages that occur several times are hashed once.
    pub fn verify_batch(&self, requests: &[VerifyRequest<'_>]) -> Vec<Result<(), VerifyError>> {
        let tag = self.suite().tag();
        let chunks = requests.chunks(CHUNK).flat_map(|chunk| {
            let messages = chunk.iter().map(|r| self.signed(r.key, r.message));
            self.verify_chunk(tag, chunk, &messages.collect::<Vec<_>>())
        });
        chunks.collect()
    }

    /// Whether each signature of a key itself proves that its owner knows the secret key (the draft's `PopVerify`), in the
    /// same order.
    pub fn verify_proof_batch(
        &self,
        proofs: &[(&PublicKey, &[u8])],
    ) -> Vec<Result<(), VerifyError>> {
        let tag = self.suite().proof_tag();
        let chunks = proofs.chunks(CHUNK).flat_map(|chunk| {
            let requests = chunk.iter().map(|&(key, signature)| VerifyRequest {
                key,
                message: key.to_bytes(),
                signature,
            });
            let messages = chunk.iter().map(|(key, _)| key.to_bytes().into());
            let (requests, messages): (Vec<_>, Vec<_>) = (requests.collect(), messages.collect());
            self.verify_chunk(&tag, &requests, &messages)
        });
        chunks.collect()
    }

    /// Verifies signatures of these messages, whatever those of the requests are.
    fn verify_chunk(
        &self,
        tag: &DomainSeparationTag,
        requests: &[VerifyRequest<'_>],
        messages: &[Cow<'_, [u8]>],
    ) -> Vec<Result<(), VerifyError>> {
        let verified = self.checked(requests).and_then(|signatures| {
            let verdicts = self.matches(tag, requests, messages, &signatures)?;
            Ok((signatures, verdicts))
        });
        let (signatures, mut verdicts) = match verified {
            Ok((signatures, verdicts)) => (signatures, verdicts.into_iter()),
            Err(error) => return requests.iter().map(|_| Err(error.clone())).collect(),
        };
        let answer = |signature: Result<Signature, VerifyError>| {
            signature?;
            if verdicts.next() == Some(true) {
                Ok(())
            } else {
                Err(VerifyError::Mismatch)
            }
        };
        signatures.into_iter().map(answer).collect()
    }

    /// The signatures of requests with a key of this variant.
    pub(super) fn checked(
        &self,
        requests: &[VerifyRequest<'_>],
    ) -> Result<Vec<Result<Signature, VerifyError>>, VerifyError> {
        let encodings: Vec<_> = requests.iter().map(|request| request.signature).collect();
        let signatures = self.decode_signature_batch(&encodings)?;
        let checked = requests.iter().zip(signatures).map(|(request, signature)| {
            self.check_key(request.key)?;
            Ok(signature?)
        });
        Ok(checked.collect())
    }

    pub(super) fn check_key(&self, key: &PublicKey) -> Result<(), VerifyError> {
        if key.variant() == self.suite().variant() {
            Ok(())
        } else {
            Err(VerifyError::OtherVariant)
        }
    }

    /// Whether each signature matches, of those that have been decoded.
    fn matches(
        &self,
        tag: &DomainSeparationTag,
        requests: &[VerifyRequest<'_>],
        messages: &[Cow<'_, [u8]>],
        signatures: &[Result<Signature, VerifyError>],
    ) -> Result<Vec<bool>, VerifyError> {
        let decoded = requests.iter().zip(messages).zip(signatures);
        let decoded = decoded.filter_map(|((request, message), signature)| {
            let Signature(signature) = signature.as_ref().ok()?;
            Some(((request, signature), message.clone()))
        });
        let (decoded, messages): (Vec<_>, Vec<_>) = decoded.unzip();
        let hashes = self.hash_each(tag, &messages)?;
        let equations = decoded
            .iter()
            .zip(hashes.each())
            .map(|((request, signature), hash)| Equation {
                terms: vec![term(request.key, hash)],
                signature,
            });
        Ok(self.hold(&equations.collect::<Vec<_>>())?)
    }

    /// The bytes that are signed: with message augmentation the key comes first.
    pub(super) fn signed<'a>(&self, key: &PublicKey, message: &'a [u8]) -> Cow<'a, [u8]> {
        match self.suite().scheme() {
            Scheme::MessageAugmentation => [key.to_bytes(), message].concat().into(),
            Scheme::Basic | Scheme::ProofOfPossession => message.into(),
        }
    }

    /// The hash of each message; of equal ones, once.
    pub(super) fn hash_each(
        &self,
        tag: &DomainSeparationTag,
        messages: &[Cow<'_, [u8]>],
    ) -> Result<Hashes<Element>, EngineError> {
        Hashes::of(messages, |different| self.hash(tag, different))
    }

    /// The hash of each message before its cofactor is cleared; of equal ones, once.
    pub(super) fn map_each(
        &self,
        tag: &DomainSeparationTag,
        messages: &[Cow<'_, [u8]>],
    ) -> Result<Hashes<Image>, EngineError> {
        Hashes::of(messages, |different| self.map(tag, different))
    }

    /// Verifies an aggregate of signatures, each by one of the keys of the message in the same place.
    ///
    /// # Errors
    /// The [`VerifyError`] that says why it is refused.
    pub fn aggregate_verify(
        &self,
        keys: &[&PublicKey],
        messages: &[&[u8]],
        signature: &Signature,
    ) -> Result<(), VerifyError> {
        if keys.is_empty() {
            return Err(VerifyError::NoKeys);
        }
        if keys.len() != messages.len() {
            return Err(VerifyError::Messages {
                keys: keys.len(),
                messages: messages.len(),
            });
        }
        for key in keys {
            self.check_key(key)?;
        }
        let signed = keys.iter().zip(messages);
        let signed: Vec<_> = signed
            .map(|(key, message)| self.signed(key, message))
            .collect();
        let hashes = self.hash_each(self.suite().tag(), &signed)?;
        if self.suite().scheme() == Scheme::Basic && hashes.hashes.len() < messages.len() {
            return Err(VerifyError::RepeatedMessage);
        }
        let terms = keys.iter().zip(hashes.each());
        let terms = terms.map(|(key, hash)| term(key, hash)).collect();
        self.matching(terms, signature)
    }

    /// Verifies an aggregate of signatures of one message, by the sum of the keys. Only for the scheme with proofs of
    /// possession, which must have been checked for every key. No keys and a sum at infinity are refused.
    ///
    /// # Errors
    /// The [`VerifyError`] that says why it is refused.
    pub fn fast_aggregate_verify(
        &self,
        keys: &[&PublicKey],
        message: &[u8],
        signature: &Signature,
    ) -> Result<(), VerifyError> {
        if self.suite().scheme() != Scheme::ProofOfPossession {
            return Err(VerifyError::NoProofs);
        }
        if keys.is_empty() {
            return Err(VerifyError::NoKeys);
        }
        let sum = self.aggregate_keys(keys)?;
        let hash = self.hash(self.suite().tag(), &[message])?.remove(0);
        self.matching(vec![term(&sum, &hash)], signature)
    }

    /// [`fast_aggregate_verify`](Self::fast_aggregate_verify), but no keys are accepted with the neutral element as
    /// the signature (`eth_fast_aggregate_verify` of Ethereum's Altair).
    ///
    /// # Errors
    /// The [`VerifyError`] that says why it is refused.
    pub fn eth_fast_aggregate_verify(
        &self,
        keys: &[&PublicKey],
        message: &[u8],
        signature: &Signature,
    ) -> Result<(), VerifyError> {
        if keys.is_empty() && signature.0.is_identity() {
            return Ok(());
        }
        self.fast_aggregate_verify(keys, message, signature)
    }

    fn matching(&self, terms: Vec<Term<'_>>, signature: &Signature) -> Result<(), VerifyError> {
        let signature = &signature.0;
        match self.hold(&[Equation { terms, signature }])?[..] {
            [true] => Ok(()),
            _ => Err(VerifyError::Mismatch),
        }
    }
}

/// Hashes of messages, each different one once.
pub(super) struct Hashes<T> {
    pub(super) hashes: Vec<T>,
    /// The place of each message's hash.
    pub(super) of_message: Vec<usize>,
}

impl<T> Hashes<T> {
    /// The hashes of messages, by those of the different ones.
    fn of(
        messages: &[Cow<'_, [u8]>],
        hash: impl FnOnce(&[&[u8]]) -> Result<Vec<T>, EngineError>,
    ) -> Result<Self, EngineError> {
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut different: Vec<&[u8]> = Vec::new();
        let of_message = messages.iter().map(|message| {
            *places.entry(message).or_insert_with(|| {
                different.push(message);
                different.len() - 1
            })
        });
        let of_message = of_message.collect();
        Ok(Self {
            hashes: hash(&different)?,
            of_message,
        })
    }

    /// The hash of each message.
    pub(super) fn each(&self) -> impl Iterator<Item = &T> {
        self.of_message.iter().map(|&place| &self.hashes[place])
    }
}

pub(super) fn term<'a>(key: &'a PublicKey, hash: &'a Element) -> Term<'a> {
    Term {
        key: key.element(),
        lines: key.lines(),
        hash,
    }
}
