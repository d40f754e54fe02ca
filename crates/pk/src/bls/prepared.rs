//! Suites prepared on an engine, and elements from their encodings.

use super::element::{Element, Image, PublicKey, Signature};
use super::suite::{Suite, Variant};
use crate::ec::pairing::{
    DomainSeparationTag, G2Argument, G2Element, PairingRequest, PreparedG2, PreparedPairing,
    clear_g1_batch, clear_g2_batch, decode_g2_batch, map_to_g1_curve_batch, map_to_g2_curve_batch,
    pairing_product_is_one_batch,
};
use crate::ec::{ElementFormat, GroupElement, GroupError, PointError, decode_batch};
use core::fmt;
use std::sync::Arc;
use sunzi_engine::EngineError;

/// A suite prepared on an engine; cheap to clone. Takes milliseconds to make.
#[derive(Clone)]
pub struct PreparedBls(Arc<PreparedBlsData>);

struct PreparedBlsData {
    pairing: PreparedPairing,
    suite: Suite,
    /// The negative of the generator of the keys' group.
    minus_generator: Generator,
}

enum Generator {
    G1(GroupElement),
    G2(PreparedG2),
}

/// An equation to check: the product of the pairings of keys with hashes is the pairing of the generator with the
/// signature.
pub(super) struct Equation<'a> {
    pub(super) terms: Vec<Term<'a>>,
    pub(super) signature: &'a Element,
}

/// A key, or a sum of keys, and the hash of a message, or a sum of hashes.
#[derive(Clone, Copy)]
pub(super) struct Term<'a> {
    pub(super) key: &'a Element,
    /// The same key with its lines.
    pub(super) lines: Option<&'a PreparedG2>,
    pub(super) hash: &'a Element,
}

impl PreparedBls {
    /// Prepares a suite.
    pub fn new(pairing: &PreparedPairing, suite: Suite) -> Self {
        let minus_generator = match suite.variant() {
            Variant::MinPk => {
                let generator = GroupElement::generator(pairing.g1().curve());
                Generator::G1(generator.negated())
            }
            Variant::MinSig => Generator::G2(PreparedG2::new(&G2Element::generator().negated())),
        };
        Self(Arc::new(PreparedBlsData {
            pairing: pairing.clone(),
            suite,
            minus_generator,
        }))
    }

    /// The suite.
    pub fn suite(&self) -> &Suite {
        &self.0.suite
    }

    /// The pairing.
    pub fn pairing(&self) -> &PreparedPairing {
        &self.0.pairing
    }

    /// Public keys from their encodings, compressed or uncompressed, one answer for each, in the same order: elements of
    /// the group other than the neutral one (the draft's `KeyValidate`).
    ///
    /// # Errors
    /// [`EngineError`] where no device of the engine could compute it: nothing is known about the keys.
    pub fn key_validate_batch(
        &self,
        keys: &[&[u8]],
    ) -> Result<Vec<Result<PublicKey, PointError>>, EngineError> {
        let elements = match self.suite().variant() {
            Variant::MinPk => self.decode_g1(keys)?,
            Variant::MinSig => self.decode_g2(keys)?,
        };
        let key = |element: Result<Element, PointError>| match element? {
            element if element.is_identity() => Err(PointError::Infinity),
            element => Ok(PublicKey::of(element)),
        };
        Ok(elements.into_iter().map(key).collect())
    }

    /// Signatures from their encodings, compressed or uncompressed, one answer for each, in the same order: elements of
    /// the group, the neutral one among them.
    ///
    /// # Errors
    /// [`EngineError`] where no device of the engine could compute it: nothing is known about the signatures.
    pub fn decode_signature_batch(
        &self,
        signatures: &[&[u8]],
    ) -> Result<Vec<Result<Signature, PointError>>, EngineError> {
        let elements = match self.suite().variant() {
            Variant::MinPk => self.decode_g2(signatures)?,
            Variant::MinSig => self.decode_g1(signatures)?,
        };
        let elements = elements.into_iter();
        Ok(elements.map(|element| element.map(Signature)).collect())
    }

    fn decode_g1(&self, bytes: &[&[u8]]) -> Result<Vec<Result<Element, PointError>>, EngineError> {
        let elements = decode_batch(self.pairing().g1(), ElementFormat::Zcash, bytes)?;
        Ok(elements.into_iter().map(|e| e.map(Element::G1)).collect())
    }

    fn decode_g2(&self, bytes: &[&[u8]]) -> Result<Vec<Result<Element, PointError>>, EngineError> {
        let elements = decode_g2_batch(self.pairing(), bytes)?;
        Ok(elements.into_iter().map(|e| e.map(Element::G2)).collect())
    }

    /// The hashes of messages in the group of signatures.
    pub(super) fn hash(
        &self,
        tag: &DomainSeparationTag,
        messages: &[&[u8]],
    ) -> Result<Vec<Element>, EngineError> {
        self.clear(&self.map(tag, messages)?)
    }

    /// The hashes of messages before their cofactor is cleared.
    pub(super) fn map(
        &self,
        tag: &DomainSeparationTag,
        messages: &[&[u8]],
    ) -> Result<Vec<Image>, EngineError> {
        Ok(match self.suite().variant() {
            Variant::MinPk => {
                let images = map_to_g2_curve_batch(self.pairing(), tag, messages)?;
                images.into_iter().map(Image::G2).collect()
            }
            Variant::MinSig => {
                let images = map_to_g1_curve_batch(self.pairing(), tag, messages)?;
                images.into_iter().map(Image::G1).collect()
            }
        })
    }

    /// The hashes, all in the group of signatures.
    pub(super) fn clear(&self, images: &[Image]) -> Result<Vec<Element>, EngineError> {
        let in_g1 = images.iter().filter_map(|image| match image {
            Image::G1(image) => Some(image),
            Image::G2(_) => None,
        });
        let in_g2 = images.iter().filter_map(|image| match image {
            Image::G2(image) => Some(image),
            Image::G1(_) => None,
        });
        let g1 = clear_g1_batch(self.pairing(), &in_g1.collect::<Vec<_>>())?;
        let g2 = clear_g2_batch(self.pairing(), &in_g2.collect::<Vec<_>>())?;
        let g1 = g1.into_iter().map(Element::G1);
        Ok(g1.chain(g2.into_iter().map(Element::G2)).collect())
    }

    /// Whether each equation holds.
    pub(super) fn hold(&self, equations: &[Equation<'_>]) -> Result<Vec<bool>, GroupError> {
        let products = equations.iter().map(|equation| {
            let terms = equation.terms.iter();
            let terms = terms.filter_map(|term| request(term.key, term.lines, term.hash));
            terms.chain(self.right_side(equation.signature)).collect()
        });
        let products: Vec<Vec<_>> = products.collect();
        let products: Vec<_> = products.iter().map(|product| &product[..]).collect();
        pairing_product_is_one_batch(self.pairing(), &products)
    }

    /// The pairings of the generator's negative with signatures, each as a product by itself.
    pub(super) fn right_sides<'a>(
        &'a self,
        signatures: impl Iterator<Item = &'a Element>,
    ) -> Vec<Option<PairingRequest<'a>>> {
        signatures
            .map(|signature| self.right_side(signature))
            .collect()
    }

    /// The pairing of the generator's negative with the signature.
    fn right_side<'a>(&'a self, signature: &'a Element) -> Option<PairingRequest<'a>> {
        match (&self.0.minus_generator, signature) {
            (Generator::G1(generator), Element::G2(signature)) => {
                Some(PairingRequest::new(generator, signature))
            }
            (Generator::G2(generator), Element::G1(signature)) => {
                Some(PairingRequest::prepared(signature, generator))
            }
            _ => None,
        }
    }
}

/// The pairings of terms, each as a product by itself.
pub(super) fn pairings<'a>(
    terms: impl Iterator<Item = Term<'a>>,
) -> Vec<Option<PairingRequest<'a>>> {
    terms
        .map(|term| request(term.key, term.lines, term.hash))
        .collect()
}

/// The pairing of elements of both groups, in either order. All elements of a suite are of the groups of its variant, so
/// that there is one.
fn request<'a>(
    key: &'a Element,
    lines: Option<&'a PreparedG2>,
    hash: &'a Element,
) -> Option<PairingRequest<'a>> {
    match (key, hash) {
        (Element::G1(key), Element::G2(hash)) => Some(PairingRequest::new(key, hash)),
        (Element::G2(key), Element::G1(hash)) => Some(PairingRequest {
            g1: hash,
            g2: match lines {
                Some(lines) => G2Argument::Prepared(lines),
                None => G2Argument::Element(key),
            },
        }),
        _ => None,
    }
}

impl fmt::Debug for PreparedBls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedBls").field(self.suite()).finish()
    }
}
