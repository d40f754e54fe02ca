//! Algorithms of signatures in zones.

use super::error::KeyError;
use sunzi_pk::ec::ecdsa;
use sunzi_pk::ec::eddsa::Variant;
use sunzi_pk::keys::Scheme;
use sunzi_pk::{Hash, rsa};

/// An algorithm of signatures in zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// RSA with SHA-256, number 8 (RFC 5702).
    RsaSha256,
    /// RSA with SHA-512, number 10 (RFC 5702).
    RsaSha512,
    /// ECDSA on P-256 with SHA-256, number 13 (RFC 6605).
    EcdsaP256Sha256,
    /// ECDSA on P-384 with SHA-384, number 14 (RFC 6605).
    EcdsaP384Sha384,
    /// Ed25519, number 15 (RFC 8080).
    Ed25519,
    /// Ed448, number 16 (RFC 8080).
    Ed448,
}

impl Algorithm {
    /// All algorithms, by their numbers.
    pub const ALL: [Self; 6] = [
        Self::RsaSha256,
        Self::RsaSha512,
        Self::EcdsaP256Sha256,
        Self::EcdsaP384Sha384,
        Self::Ed25519,
        Self::Ed448,
    ];

    /// Its number in DNSKEY records.
    pub fn number(self) -> u8 {
        match self {
            Self::RsaSha256 => 8,
            Self::RsaSha512 => 10,
            Self::EcdsaP256Sha256 => 13,
            Self::EcdsaP384Sha384 => 14,
            Self::Ed25519 => 15,
            Self::Ed448 => 16,
        }
    }

    /// Its name in BIND's files: `ECDSAP256SHA256`.
    pub fn name(self) -> &'static str {
        match self {
            Self::RsaSha256 => "RSASHA256",
            Self::RsaSha512 => "RSASHA512",
            Self::EcdsaP256Sha256 => "ECDSAP256SHA256",
            Self::EcdsaP384Sha384 => "ECDSAP384SHA384",
            Self::Ed25519 => "ED25519",
            Self::Ed448 => "ED448",
        }
    }

    /// The algorithm of this number.
    ///
    /// # Errors
    /// [`KeyError::Algorithm`].
    pub fn from_number(number: u8) -> Result<Self, KeyError> {
        let found = Self::ALL.into_iter().find(|known| known.number() == number);
        found.ok_or(KeyError::Algorithm(number))
    }

    /// The algorithm of this name, in any case, or number.
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |known: &Self| {
            known.name().eq_ignore_ascii_case(name) || known.number().to_string() == name
        };
        Self::ALL.into_iter().find(is)
    }

    /// The scheme of its signatures.
    pub(super) fn scheme(self) -> Scheme<'static> {
        let ecdsa = |hash| Scheme::Ecdsa {
            hash,
            encoding: ecdsa::Encoding::Raw,
            s: ecdsa::SRange::Any,
        };
        match self {
            Self::RsaSha256 => Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha256),
            Self::RsaSha512 => Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha512),
            Self::EcdsaP256Sha256 => ecdsa(Hash::Sha256),
            Self::EcdsaP384Sha384 => ecdsa(Hash::Sha384),
            Self::Ed25519 | Self::Ed448 => Scheme::Eddsa(Variant::Pure),
        }
    }

    /// The name of its keys, those of RSA with this many bits.
    pub(super) fn key_name(self, bits: u32) -> String {
        match self {
            Self::RsaSha256 | Self::RsaSha512 => format!("RSA-{bits}"),
            other => other.curve().into(),
        }
    }

    /// The name of its curve, if it has one.
    pub(super) fn curve(self) -> &'static str {
        match self {
            Self::RsaSha256 | Self::RsaSha512 => "",
            Self::EcdsaP256Sha256 => "P-256",
            Self::EcdsaP384Sha384 => "P-384",
            Self::Ed25519 => "Ed25519",
            Self::Ed448 => "Ed448",
        }
    }
}
