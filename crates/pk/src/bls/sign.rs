//! Signatures and public keys: multiples by secret keys. Constant time.

use super::element::{Element, Image, PublicKey, Signature};
use super::prepared::{Equation, PreparedBls};
use super::secret_key::SecretKey;
use super::sets::Claim;
use super::suite::Variant;
use super::verify::{Hashes, term};
use crate::ec::pairing::{
    DomainSeparationTag, G2Element, G2MultiplyRequest, ShortFactor, multiply_g2_batch,
};
use crate::ec::{GroupElement, GroupError, MultiplyRequest, multiply_batch};
use crate::system_rng;
use std::borrow::Cow;
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
    /// The public keys of secret keys, one answer for each, in the same order, kept in the secret keys. Constant time.
    /// Before a key leaves, it is found to be on its curve and, in G2, of the order n.
    pub fn public_key_batch(&self, keys: &[&SecretKey]) -> Vec<Result<PublicKey, SignError>> {
        let variant = self.suite().variant();
        let generator = match variant {
            Variant::MinPk => Element::G1(GroupElement::generator(self.pairing().g1().curve())),
            Variant::MinSig => Element::G2(G2Element::generator()),
        };
        // A key that occurs several times is computed once: places in memory are not secret.
        let mut new: Vec<&SecretKey> = keys.to_vec();
        new.retain(|key| key.public(variant).get().is_none());
        new.sort_unstable_by_key(|key| core::ptr::from_ref(*key));
        new.dedup_by(|one, other| core::ptr::eq(*one, *other));
        let work: Vec<_> = new.iter().map(|&key| (key, &generator)).collect();
        let mut failed: Vec<(*const SecretKey, SignError)> = Vec::new();
        for (&key, element) in new.iter().zip(self.secret_multiples(&work)) {
            match element {
                Ok(element) => {
                    key.public(variant).get_or_init(|| PublicKey::of(element));
                }
                Err(error) => failed.push((key, error)),
            }
        }
        let public = |key: &&SecretKey| {
            if let Some(public) = key.public(variant).get() {
                return Ok(public.clone());
            }
            let mut failed = failed.iter();
            let failed = failed.find(|(place, _)| core::ptr::eq(*place, *key));
            Err(failed.map_or(SignError::Fault, |(_, error)| error.clone()))
        };
        keys.iter().map(public).collect()
    }

    /// The signatures of messages, one for each request, in the same order. Constant time in the keys; messages are public.
    /// Before signatures leave, they are verified by the public keys, all together by random factors; if that fails, or if
    /// there are no random numbers, each by itself.
    pub fn sign_batch(&self, requests: &[SignRequest<'_>]) -> Vec<Result<Signature, SignError>> {
        let keys: Vec<_> = requests.iter().map(|request| request.key).collect();
        let publics = self.public_key_batch(&keys);
        let messages = requests.iter().zip(&publics);
        let messages = messages.map(|(request, public)| match public {
            Ok(public) => self.signed(public, request.message),
            Err(_) => request.message.into(),
        });
        self.sign_bytes(
            self.suite().tag(),
            &keys,
            &publics,
            &messages.collect::<Vec<_>>(),
        )
    }

    /// Proofs of possession of secret keys, one answer for each, in the same order: signatures of the public keys with a tag
    /// of their own (the draft's `PopProve`). Constant time; checked like other signatures.
    pub fn prove_batch(&self, keys: &[&SecretKey]) -> Vec<Result<Signature, SignError>> {
        let publics = self.public_key_batch(keys);
        let messages = publics.iter().map(|public| match public {
            Ok(public) => public.to_bytes().into(),
            Err(_) => Cow::default(),
        });
        let messages: Vec<_> = messages.collect();
        self.sign_bytes(&self.suite().proof_tag(), keys, &publics, &messages)
    }

    /// Signatures of messages as they are. Requires a key, its public key and a message for each.
    ///
    /// Hashes are computed twice: a signature of a wrong hash would be found to be right for that.
    fn sign_bytes(
        &self,
        tag: &DomainSeparationTag,
        keys: &[&SecretKey],
        publics: &[Result<PublicKey, SignError>],
        messages: &[Cow<'_, [u8]>],
    ) -> Vec<Result<Signature, SignError>> {
        let hashes = match self.hash_each(tag, messages) {
            Ok(hashes) => hashes,
            Err(error) => return keys.iter().map(|_| Err(error.clone().into())).collect(),
        };
        let work: Vec<_> = keys.iter().copied().zip(hashes.each()).collect();
        let multiples = self.secret_multiples(&work).into_iter();
        let multiples = multiples.zip(publics).map(|(element, public)| {
            // The reason why there is no public key comes first.
            public.as_ref().map_err(SignError::clone)?;
            element
        });
        let multiples: Vec<_> = multiples.collect();
        match self.map_each(tag, messages) {
            Ok(again) => self.withhold_wrong(publics, &again, &multiples),
            Err(error) => keys.iter().map(|_| Err(error.clone().into())).collect(),
        }
    }

    /// Signatures that have been found to be right for the public keys and hashes in the same places.
    pub(super) fn withhold_wrong(
        &self,
        publics: &[Result<PublicKey, SignError>],
        hashes: &Hashes<Image>,
        signatures: &[Result<Element, SignError>],
    ) -> Vec<Result<Signature, SignError>> {
        let of_message = hashes.of_message.iter();
        let claims = publics.iter().zip(of_message).zip(signatures);
        let claims = claims.filter_map(|((public, &hash), signature)| {
            Some(Claim {
                key: public.as_ref().ok()?,
                hash,
                signature: signature.as_ref().ok()?,
            })
        });
        let claims: Vec<_> = claims.collect();
        let mut right = if self.are_right_together(&claims, &hashes.hashes) {
            Ok(vec![true; claims.len()])
        } else {
            let hashes = self.clear(&hashes.hashes).map_err(GroupError::from);
            hashes.and_then(|hashes| {
                let equations = claims.iter().map(|claim| Equation {
                    terms: vec![term(claim.key, &hashes[claim.hash])],
                    signature: claim.signature,
                });
                self.hold(&equations.collect::<Vec<_>>())
            })
        }
        .map(Vec::into_iter);
        let answers = signatures.iter().map(|signature| {
            let signature = signature.clone()?;
            match right.as_mut().map(Iterator::next) {
                Ok(Some(true)) => Ok(Signature(signature)),
                Ok(_) => Err(SignError::Fault),
                Err(error) => Err(error.clone().into()),
            }
        });
        answers.collect()
    }

    /// Whether several claims are found to be right together. If not, nothing is known.
    fn are_right_together(&self, claims: &[Claim<'_>], hashes: &[Image]) -> bool {
        // A pairing for each hash needs a claim for each.
        let mut claimed = vec![false; hashes.len()];
        for claim in claims {
            claimed[claim.hash] = true;
        }
        if claims.len() < 2 || claimed.contains(&false) {
            return false;
        }
        let rng = &mut system_rng();
        let factors: Option<Vec<_>> = claims.iter().map(|_| ShortFactor::random(rng)).collect();
        factors.is_some_and(|factors| self.hold_together(claims, hashes, &factors) == Ok(true))
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
