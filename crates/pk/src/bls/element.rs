//! Public keys and signatures: elements of G1 and G2. Public.

use super::suite::Variant;
use crate::ec::pairing::{G1Image, G2Element, G2Image, PreparedG2};
use crate::ec::{ElementFormat, GroupElement};
use core::fmt;
use std::sync::{Arc, OnceLock};

/// An element of one of the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Element {
    G1(GroupElement),
    G2(G2Element),
}

impl Element {
    pub(super) fn is_identity(&self) -> bool {
        match self {
            Self::G1(element) => element.is_identity(),
            Self::G2(element) => element.is_identity(),
        }
    }

    /// The compressed encoding.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::G1(element) => {
                let bytes = element.to_bytes(ElementFormat::Zcash, true);
                bytes.expect("G1 of BLS12-381 has this encoding")
            }
            Self::G2(element) => element.to_bytes(true),
        }
    }
}

/// A hash of a message before the cofactor is cleared: a point of one of the curves, of any order.
#[derive(Clone)]
pub(super) enum Image {
    G1(G1Image),
    G2(G2Image),
}

/// A validated public key: an element of its group other than the neutral one. Cheap to clone.
#[derive(Clone)]
pub struct PublicKey(Arc<PublicKeyData>);

struct PublicKeyData {
    element: Element,
    /// The encoding, made when first asked for.
    bytes: OnceLock<Vec<u8>>,
    /// The key with the lines of its Miller loop, in G2, if it has been prepared.
    lines: OnceLock<PreparedG2>,
}

impl PublicKey {
    /// The key of an element other than the neutral one.
    pub(super) fn of(element: Element) -> Self {
        Self(Arc::new(PublicKeyData {
            element,
            bytes: OnceLock::new(),
            lines: OnceLock::new(),
        }))
    }

    /// The compressed encoding: 48 bytes in G1, 96 in G2.
    pub fn to_bytes(&self) -> &[u8] {
        self.0.bytes.get_or_init(|| self.0.element.to_bytes())
    }

    /// The variant whose keys are in this group.
    pub fn variant(&self) -> Variant {
        match self.0.element {
            Element::G1(_) => Variant::MinPk,
            Element::G2(_) => Variant::MinSig,
        }
    }

    /// Prepares a key in G2 for many verifications, with this key or its clones. Takes milliseconds; no use in G1.
    pub fn prepare(&self) {
        if let Element::G2(element) = &self.0.element {
            self.0.lines.get_or_init(|| PreparedG2::new(element));
        }
    }

    pub(super) fn element(&self) -> &Element {
        &self.0.element
    }

    /// The key in G2 with its lines, if it has been prepared.
    pub(super) fn lines(&self) -> Option<&PreparedG2> {
        self.0.lines.get()
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.element == other.0.element
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PublicKey").field(&self.0.element).finish()
    }
}

/// A signature, or an aggregate of signatures: an element of its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(pub(super) Element);

impl Signature {
    /// The compressed encoding: 96 bytes in G2, 48 in G1.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }
}
