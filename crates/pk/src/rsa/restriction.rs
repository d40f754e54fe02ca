//! Keys for RSASSA-PSS alone: the restriction by `id-RSASSA-PSS` and its parameters in a key file (RFC 4055, section
//! 3.1; RFC 8017, appendix A.2.3).

use super::signature_scheme::{SaltLen, Scheme};
use crate::Hash;
use crate::hash::PaddingHash;
use crate::key_file::{KeyFileError, malformed};
use core::fmt;
use der::Encode;
use der::asn1::{AnyRef, ObjectIdentifier};
use pkcs1::{RsaPssParamsOwned, RsaPssParamsRef};
use spki::AlgorithmIdentifierRef;

/// `id-RSASSA-PSS`.
pub(super) const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
/// `id-mgf1`.
const MGF1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.8");

/// The identifiers of hash functions, as X.509 has them.
const HASHES: [(&str, PaddingHash); 11] = [
    ("1.3.14.3.2.26", PaddingHash::Sha1),
    ("2.16.840.1.101.3.4.2.4", PaddingHash::Strong(Hash::Sha224)),
    ("2.16.840.1.101.3.4.2.1", PaddingHash::Strong(Hash::Sha256)),
    ("2.16.840.1.101.3.4.2.2", PaddingHash::Strong(Hash::Sha384)),
    ("2.16.840.1.101.3.4.2.3", PaddingHash::Strong(Hash::Sha512)),
    (
        "2.16.840.1.101.3.4.2.5",
        PaddingHash::Strong(Hash::Sha512_224),
    ),
    (
        "2.16.840.1.101.3.4.2.6",
        PaddingHash::Strong(Hash::Sha512_256),
    ),
    (
        "2.16.840.1.101.3.4.2.7",
        PaddingHash::Strong(Hash::Sha3_224),
    ),
    (
        "2.16.840.1.101.3.4.2.8",
        PaddingHash::Strong(Hash::Sha3_256),
    ),
    (
        "2.16.840.1.101.3.4.2.9",
        PaddingHash::Strong(Hash::Sha3_384),
    ),
    (
        "2.16.840.1.101.3.4.2.10",
        PaddingHash::Strong(Hash::Sha3_512),
    ),
];

/// The parameters that a key prescribes for PSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PssParameters {
    /// Hash function of the message.
    pub hash: PaddingHash,
    /// Hash function of MGF1.
    pub mgf1: PaddingHash,
    /// Length of the shortest salt, in bytes.
    pub min_salt: u8,
}

/// The restriction of a key to RSASSA-PSS, which its file states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PssRestriction {
    /// The prescribed parameters; `None` if all are permitted.
    pub parameters: Option<PssParameters>,
}

/// The reason why a key restricted to RSASSA-PSS refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestrictionError {
    /// Signatures of PKCS#1 v1.5.
    #[error("the key is for RSASSA-PSS alone, and PKCS#1 v1.5 was asked for")]
    Padding,
    /// Another hash function of the message.
    #[error("the key is for PSS with {key}, and {asked} was asked for")]
    Hash {
        /// The key's hash function.
        key: PaddingHash,
        /// The request's hash function.
        asked: Hash,
    },
    /// Another hash function of MGF1.
    #[error("the key is for PSS with {key} in MGF1, and {asked} was asked for there")]
    Mgf1 {
        /// The key's hash function.
        key: PaddingHash,
        /// The request's hash function.
        asked: PaddingHash,
    },
    /// A salt that is too short.
    #[error(
        "the key is for PSS with a salt of at least {key} bytes, and one of {asked} was asked for"
    )]
    Salt {
        /// Length of the key's shortest salt, in bytes.
        key: u8,
        /// Length of the salt of the request, in bytes.
        asked: usize,
    },
    /// Another purpose than signatures.
    #[error("the key is for RSASSA-PSS alone: it cannot {0}")]
    Purpose(&'static str),
}

impl PssRestriction {
    /// The restriction that the parameters of `id-RSASSA-PSS` state.
    pub(super) fn of(parameters: Option<AnyRef<'_>>) -> Result<Self, KeyFileError> {
        let parameters = parameters.map(|parameters| {
            let parameters: RsaPssParamsOwned = parameters.decode_as().map_err(malformed)?;
            let mgf = &parameters.mask_gen;
            if mgf.oid != MGF1 {
                let oid = mgf.oid;
                return Err(malformed(format_args!(
                    "its PSS parameters have the mask generation {oid}, which is not MGF1"
                )));
            }
            let mgf1 = mgf.parameters.as_ref();
            let mgf1 = mgf1.ok_or_else(|| malformed("its MGF1 has no hash function"))?;
            Ok(PssParameters {
                hash: hash_of(parameters.hash.oid)?,
                mgf1: hash_of(mgf1.oid)?,
                min_salt: parameters.salt_len,
            })
        });
        let parameters = parameters.transpose()?;
        Ok(Self { parameters })
    }

    /// Hands the algorithm identifier of this restriction to `write`.
    pub(super) fn with_algorithm<T>(
        self,
        write: impl FnOnce(AlgorithmIdentifierRef<'_>) -> Result<T, der::Error>,
    ) -> Result<T, der::Error> {
        let parameters = self.parameters.map(|parameters| {
            RsaPssParamsRef {
                hash: identifier(parameters.hash),
                mask_gen: spki::AlgorithmIdentifier {
                    oid: MGF1,
                    parameters: Some(identifier(parameters.mgf1)),
                },
                salt_len: parameters.min_salt,
                trailer_field: pkcs1::TrailerField::BC,
            }
            .to_der()
        });
        let parameters = parameters.transpose()?;
        let parameters = parameters.as_deref().map(AnyRef::try_from).transpose()?;
        write(AlgorithmIdentifierRef {
            oid: OID,
            parameters,
        })
    }

    /// Whether signatures of this scheme and hash are permitted. With [`SaltLen::Any`] it depends on the salt of the
    /// signature, too.
    ///
    /// # Errors
    /// The [`RestrictionError`] that names the contradiction to the key.
    pub fn check(self, scheme: Scheme, asked: Hash) -> Result<(), RestrictionError> {
        let Scheme::Pss { salt_len, mgf1 } = scheme else {
            return Err(RestrictionError::Padding);
        };
        let Some(key) = self.parameters else {
            return Ok(());
        };
        if key.hash != asked.into() {
            let key = key.hash;
            return Err(RestrictionError::Hash { key, asked });
        }
        let mgf1 = mgf1.unwrap_or(asked.into());
        if key.mgf1 != mgf1 {
            let (key, asked) = (key.mgf1, mgf1);
            return Err(RestrictionError::Mgf1 { key, asked });
        }
        let salt = salt_len.for_signing(asked);
        if salt_len != SaltLen::Any && salt < key.min_salt.into() {
            let (key, asked) = (key.min_salt, salt);
            return Err(RestrictionError::Salt { key, asked });
        }
        Ok(())
    }

    /// Length of the shortest salt that is permitted, in bytes.
    pub(super) fn min_salt(self) -> usize {
        self.parameters.map_or(0, |key| key.min_salt.into())
    }

    /// The scheme and the hash function that the key prescribes, else PSS with SHA-256. (With these, a key for SHA-1,
    /// which signs nothing, is refused.)
    pub fn scheme(self) -> (Scheme, Hash) {
        let usual = (Scheme::PSS, Hash::Sha256);
        let Some(key) = self.parameters else {
            return usual;
        };
        let PaddingHash::Strong(hash) = key.hash else {
            return usual;
        };
        // Other tools take the length of the shortest salt, too, unless they are asked for another one.
        let salt_len = SaltLen::Bytes(key.min_salt.into());
        let mgf1 = (key.mgf1 != hash.into()).then_some(key.mgf1);
        (Scheme::Pss { salt_len, mgf1 }, hash)
    }
}

impl fmt::Display for PssRestriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RSASSA-PSS")?;
        let Some(PssParameters {
            hash,
            mgf1,
            min_salt,
        }) = self.parameters
        else {
            return Ok(());
        };
        write!(
            f,
            " with {hash}, {mgf1} in MGF1 and a salt of at least {min_salt} bytes"
        )
    }
}

fn hash_of(oid: ObjectIdentifier) -> Result<PaddingHash, KeyFileError> {
    let oid = oid.to_string();
    let known = HASHES.iter().find(|(known, _)| *known == oid);
    let known = known.map(|&(_, hash)| hash);
    known.ok_or_else(|| {
        malformed(format_args!(
            "its PSS parameters have the unknown hash {oid}"
        ))
    })
}

fn identifier(hash: PaddingHash) -> AlgorithmIdentifierRef<'static> {
    let known = HASHES.iter().find(|(_, known)| *known == hash);
    let (oid, _) = known.expect("all hash functions are listed");
    AlgorithmIdentifierRef {
        oid: ObjectIdentifier::new_unwrap(oid),
        parameters: Some(AnyRef::NULL),
    }
}
