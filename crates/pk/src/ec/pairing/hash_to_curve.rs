//! Hashing of messages to elements of G1 and G2 (RFC 9380: the suites `BLS12381G1_XMD:SHA-256_SSWU_RO_` and
//! `BLS12381G2_XMD:SHA-256_SSWU_RO_`). Messages are public.

use super::element::G2Element;
use super::parameters::parameters;
use super::prepared::PreparedPairing;
use super::swu_g1::{self, G1Image, clear_g1_batch};
use super::swu_g2::{self, G2Image, clear_g2_batch};
use crate::ec::group::GroupElement;
use crate::{Hash, Hasher};
use crypto_bigint::{BoxedUint, Resize};
use sunzi_engine::EngineError;

/// Length in bytes of a block that SHA-256 absorbs.
const BLOCK: usize = 64;
/// Length in bytes of the hash that becomes a number modulo p.
const NUMBER: usize = 64;
/// Number of elements of the field that a message is hashed to.
const COUNT: usize = 2;
/// Length of the longest tag in bytes; longer ones are hashed.
const MAX_TAG: usize = 255;

/// A domain separation tag: it names the application and its version, so that a message has another hash in every one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSeparationTag(Vec<u8>);

/// The reason why a domain separation tag is refused: it is empty (RFC 9380, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a domain separation tag is not empty")]
pub struct EmptyTag;

impl DomainSeparationTag {
    /// The tag of these bytes; its hash, if they are more than 255 (RFC 9380, section 5.3.3).
    ///
    /// # Errors
    /// [`EmptyTag`].
    pub fn new(tag: &[u8]) -> Result<Self, EmptyTag> {
        match tag.len() {
            0 => Err(EmptyTag),
            1..=MAX_TAG => Ok(Self(tag.to_vec())),
            _ => Ok(Self(sha256(&[b"H2C-OVERSIZE-DST-", tag]))),
        }
    }

    /// The tag, or its hash.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = Hasher::new(Hash::Sha256);
    for part in parts {
        hasher.update(part);
    }
    hasher.finish().as_bytes().to_vec()
}

/// `length` bytes of a message's hash: `expand_message_xmd` with SHA-256 (RFC 9380, section 5.3.1), for a length of at
/// most 255 digests.
fn expand(tag: &DomainSeparationTag, message: &[u8], length: usize) -> Vec<u8> {
    let tag = tag.as_bytes();
    let tag_length = [tag.len() as u8];
    let length_bytes = (length as u16).to_be_bytes();
    let first = sha256(&[&[0; BLOCK], message, &length_bytes, &[0], tag, &tag_length]);
    let mut bytes = Vec::with_capacity(length);
    let mut block = vec![0; first.len()];
    for index in 1u8.. {
        let mixed: Vec<_> = block.iter().zip(&first).map(|(x, y)| x ^ y).collect();
        block = sha256(&[&mixed, &[index], tag, &tag_length]);
        bytes.extend_from_slice(&block);
        if bytes.len() >= length {
            break;
        }
    }
    bytes.truncate(length);
    bytes
}

/// Numbers modulo p of a message, COUNT elements of the extension of degree M (RFC 9380, section 5.2).
fn hash_to_field<const M: usize>(tag: &DomainSeparationTag, message: &[u8]) -> Vec<[BoxedUint; M]> {
    let p = parameters().field.p();
    let precision = p.bits_precision();
    let bytes = expand(tag, message, COUNT * M * NUMBER);
    let number = |bytes: &[u8]| {
        let number = BoxedUint::from_be_slice(bytes, 8 * NUMBER as u32);
        let number = number.expect("the precision is the slice's");
        let p = p.resize_unchecked(8 * NUMBER as u32);
        let p = p.into_nz().expect("p is not 0");
        number.rem_vartime(&p).resize_unchecked(precision)
    };
    let mut numbers = bytes.chunks(NUMBER).map(number);
    let element = |_| core::array::from_fn(|_| numbers.next().unwrap_or_else(BoxedUint::zero));
    (0..COUNT).map(element).collect()
}

/// The hashes of messages in G1, in the same order.
///
/// # Errors
/// [`EngineError`] where no device of the engine could compute it.
pub fn hash_to_g1_batch(
    pairing: &PreparedPairing,
    tag: &DomainSeparationTag,
    messages: &[&[u8]],
) -> Result<Vec<GroupElement>, EngineError> {
    let images = map_to_g1_curve_batch(pairing, tag, messages)?;
    clear_g1_batch(pairing, &images.iter().collect::<Vec<_>>())
}

/// The hashes of messages in G2, in the same order.
///
/// # Errors
/// [`EngineError`] where no device of the engine could compute it.
pub fn hash_to_g2_batch(
    pairing: &PreparedPairing,
    tag: &DomainSeparationTag,
    messages: &[&[u8]],
) -> Result<Vec<G2Element>, EngineError> {
    let images = map_to_g2_curve_batch(pairing, tag, messages)?;
    clear_g2_batch(pairing, &images.iter().collect::<Vec<_>>())
}

/// The points of the curve of G1 that [`clear_g1_batch`] takes to the hashes of messages, in the same order.
pub(crate) fn map_to_g1_curve_batch(
    pairing: &PreparedPairing,
    tag: &DomainSeparationTag,
    messages: &[&[u8]],
) -> Result<Vec<G1Image>, EngineError> {
    let elements = messages.iter().map(|message| hash_to_field(tag, message));
    swu_g1::images(pairing, &elements.collect::<Vec<_>>())
}

/// The points of the curve of G2 that [`clear_g2_batch`] takes to the hashes of messages, in the same order.
pub(crate) fn map_to_g2_curve_batch(
    pairing: &PreparedPairing,
    tag: &DomainSeparationTag,
    messages: &[&[u8]],
) -> Result<Vec<G2Image>, EngineError> {
    let elements = messages.iter().map(|message| hash_to_field(tag, message));
    swu_g2::images(pairing, &elements.collect::<Vec<_>>())
}
