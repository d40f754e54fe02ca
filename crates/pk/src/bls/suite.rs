//! Suites: the group of signatures, the scheme, and the tags that messages are hashed with.

use crate::ec::pairing::DomainSeparationTag;
use core::fmt;
use core::str::FromStr;

/// The groups of keys and signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Keys of 48 bytes in G1, signatures of 96 bytes in G2: Ethereum's.
    MinPk,
    /// Signatures of 48 bytes in G1, keys of 96 bytes in G2: drand's quicknet.
    MinSig,
}

/// The scheme: its defence against keys that are chosen to cancel others in an aggregate (rogue keys).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// The messages of an aggregate differ.
    Basic,
    /// The signer's key is put before the message.
    MessageAugmentation,
    /// Each key comes with a proof that its owner knows the secret key: whoever verifies aggregates has checked it.
    ProofOfPossession,
}

impl Variant {
    /// The name of the group of signatures in tags.
    fn group(self) -> &'static str {
        match self {
            Self::MinPk => "BLS12381G2",
            Self::MinSig => "BLS12381G1",
        }
    }
}

impl Scheme {
    /// All schemes.
    pub const ALL: &'static [Self] = &[
        Self::Basic,
        Self::MessageAugmentation,
        Self::ProofOfPossession,
    ];

    /// The name: `basic`, `message-augmentation` or `proof-of-possession`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::MessageAugmentation => "message-augmentation",
            Self::ProofOfPossession => "proof-of-possession",
        }
    }

    /// The name in tags.
    fn tag(self) -> &'static str {
        match self {
            Self::Basic => "NUL",
            Self::MessageAugmentation => "AUG",
            Self::ProofOfPossession => "POP",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No scheme has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no scheme named {0:?}: choose basic, message-augmentation or proof-of-possession"
)]
pub struct UnknownScheme(String);

impl FromStr for Scheme {
    type Err = UnknownScheme;

    fn from_str(name: &str) -> Result<Self, UnknownScheme> {
        let mut schemes = Self::ALL.iter();
        let scheme = schemes.find(|scheme| scheme.name() == name);
        scheme.copied().ok_or_else(|| UnknownScheme(name.into()))
    }
}

/// A suite of the draft, or one with a tag of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    variant: Variant,
    scheme: Scheme,
    tag: DomainSeparationTag,
}

impl Suite {
    /// The suite of the draft (section 4.2), with its tag: `BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_`, for example.
    ///
    /// # Panics
    /// Never: no tag is empty.
    pub fn new(variant: Variant, scheme: Scheme) -> Self {
        let tag = tag("SIG", variant, scheme);
        Self {
            variant,
            scheme,
            tag,
        }
    }

    /// The same with another tag for messages.
    #[must_use]
    pub fn with_tag(self, tag: DomainSeparationTag) -> Self {
        Self { tag, ..self }
    }

    /// The groups of keys and signatures.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The tag that messages are hashed with.
    pub fn tag(&self) -> &DomainSeparationTag {
        &self.tag
    }

    /// The tag that keys are hashed with in proofs of possession.
    pub(super) fn proof_tag(&self) -> DomainSeparationTag {
        tag("POP", self.variant, Scheme::ProofOfPossession)
    }
}

fn tag(purpose: &str, variant: Variant, scheme: Scheme) -> DomainSeparationTag {
    let (group, scheme) = (variant.group(), scheme.tag());
    let tag = format!("BLS_{purpose}_{group}_XMD:SHA-256_SSWU_RO_{scheme}_");
    DomainSeparationTag::new(tag.as_bytes()).expect("the tag is not empty")
}
