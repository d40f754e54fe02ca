//! Signatures and public keys: multiples by secret keys. Constant time.

use super::element::{Element, PublicKey, Signature};
use super::prepared::PreparedBls;
use super::secret_key::SecretKey;
use super::suite::{Scheme, Variant};
use crate::ec::pairing::{DomainSeparationTag, G2Element, G2MultiplyRequest, multiply_g2_batch};
use crate::ec::{GroupElement, GroupError, MultiplyRequest, multiply_batch};
use sunzi_engine::EngineError;

/// A message to sign.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// The signer's key.
    pub key: &'a SecretKey,
    /// The message.
    pub message: &'a [u8],
}

/// The reason why a signature or a public key is missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The result did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the result failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<GroupError> for SignError {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::Engine(error) => Self::Engine(error),
            // Keys are in range, and the elements of their groups, unless a hash is the neutral element, which no
            // message is known to have.
            _ => Self::Fault,
        }
    }
}

impl PreparedBls {
    /// The public keys of secret keys, one answer for each, in the same order. Constant time. Before a key leaves, it is
    /// found to be on its curve and, in G2, of the order n.
    pub fn public_key_batch(&self, keys: &[&SecretKey]) -> Vec<Result<PublicKey, SignError>> {
        let generator = match self.suite().variant() {
            Variant::MinPk => Element::G1(GroupElement::generator(self.pairing().g1().curve())),
            Variant::MinSig => Element::G2(G2Element::generator()),
        };
        let work: Vec<_> = keys.iter().map(|&key| (key, &generator)).collect();
        let multiples = self.secret_multiples(&work).into_iter();
        multiples
            .map(|element| Ok(PublicKey::of(element?)))
            .collect()
    }

    /// The signatures of messages, one for each request, in the same order. Constant time in the keys; messages are public.
    /// Before a signature leaves, it is found to be on its curve and, in G2, of the order n: a fault that gives the signature
    /// of another key is not found.
    pub fn sign_batch(&self, requests: &[SignRequest<'_>]) -> Vec<Result<Signature, SignError>> {
        if self.suite().scheme() != Scheme::MessageAugmentation {
            return self.sign_bytes(self.suite().tag(), requests);
        }
        let keys: Vec<_> = requests.iter().map(|request| request.key).collect();
        let publics = self.public_key_batch(&keys);
        let messages: Vec<_> = requests
            .iter()
            .zip(&publics)
            .map(|(request, public)| match public {
                Ok(public) => [public.to_bytes(), request.message].concat(),
                Err(_) => Vec::new(),
            })
            .collect();
        let augmented = requests
            .iter()
            .zip(&messages)
            .map(|(request, message)| SignRequest {
                key: request.key,
                message,
            });
        let signatures = self.sign_bytes(self.suite().tag(), &augmented.collect::<Vec<_>>());
        let answers = publics.into_iter().zip(signatures);
        answers
            .map(|(public, signature)| public.and(signature))
            .collect()
    }

    /// Proofs of possession of secret keys, one answer for each, in the same order: signatures of the public keys with a tag
    /// of their own (the draft's `PopProve`). Constant time.
    pub fn prove_batch(&self, keys: &[&SecretKey]) -> Vec<Result<Signature, SignError>> {
        let publics = self.public_key_batch(keys);
        let requests = keys.iter().zip(&publics).map(|(&key, public)| SignRequest {
            key,
            message: public.as_ref().map_or(&[][..], |public| public.to_bytes()),
        });
        let tag = self.suite().proof_tag();
        let proofs = self.sign_bytes(&tag, &requests.collect::<Vec<_>>());
        let answers = publics.iter().zip(proofs);
        let answer = |(public, proof): (&Result<PublicKey, SignError>, _)| match public {
            Ok(_) => proof,
            Err(error) => Err(error.clone()),
        };
        answers.map(answer).collect()
    }

    /// Signatures of messages as they are.
    fn sign_bytes(
        &self,
        tag: &DomainSeparationTag,
        requests: &[SignRequest<'_>],
    ) -> Vec<Result<Signature, SignError>> {
        let messages: Vec<_> = requests.iter().map(|request| request.message).collect();
        let hashes = match self.hash(tag, &messages) {
            Ok(hashes) => hashes,
            Err(error) => return requests.iter().map(|_| Err(error.clone().into())).collect(),
        };
        let work = requests.iter().zip(&hashes);
        let work: Vec<_> = work.map(|(request, hash)| (request.key, hash)).collect();
        let multiples = self.secret_multiples(&work).into_iter();
        multiples.map(|element| Ok(Signature(element?))).collect()
    }

    /// Multiples of elements of one group by secret keys.
    fn secret_multiples(&self, work: &[(&SecretKey, &Element)]) -> Vec<Result<Element, SignError>> {
        let in_g1 = work.iter().filter_map(|(key, element)| match element {
            Element::G1(element) => Some(MultiplyRequest {
                curve: self.pairing().g1(),
                scalar: key.number(),
                element,
            }),
            Element::G2(_) => None,
        });
        let in_g2 = work.iter().filter_map(|(key, element)| match element {
            Element::G2(element) => Some(G2MultiplyRequest {
                scalar: key.number(),
                element,
            }),
            Element::G1(_) => None,
        });
        let (in_g1, in_g2): (Vec<_>, Vec<_>) = (in_g1.collect(), in_g2.collect());
        let g1 = multiply_batch(self.pairing().engine(), &in_g1);
        let g2 = multiply_g2_batch(self.pairing(), &in_g2);
        let g1 = g1.into_iter().map(|element| Ok(Element::G1(element?)));
        let g2 = g2.into_iter().map(|element| Ok(Element::G2(element?)));
        g1.chain(g2).collect()
    }
}
