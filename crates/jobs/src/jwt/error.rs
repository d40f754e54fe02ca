//! Reasons: why a token is refused, why a set of keys is, and why a token cannot be made.

use sunzi_pk::keys;

/// Length of the longest token that is read, in bytes.
pub const MAX_TOKEN_BYTES: usize = 1 << 20;

/// Why a token is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The token is longer than what is read.
    #[error("it has {0} bytes: at most {max} are read", max = MAX_TOKEN_BYTES)]
    TooLong(usize),
    /// The token is no compact serialization.
    #[error("it is not three parts with a dot between them")]
    NotCompact,
    /// A part is not base64url: it has whitespace, padding, other characters, or bits that must be 0.
    #[error("its {0} is not base64url without padding")]
    NotBase64(&'static str),
    /// A part is no JSON object.
    #[error("its {part} is no JSON object ({reason})")]
    NotJson {
        /// The header or the claims.
        part: &'static str,
        /// The defect, with its place.
        reason: String,
    },
    /// A member of the header, or a claim, has a wrong type.
    #[error("its {0} has a wrong type")]
    WrongType(&'static str),
    /// The header names no algorithm.
    #[error("its header has no alg")]
    NoAlgorithm,
    /// The token is unsecured.
    #[error("its alg is none: it has no signature")]
    Unsecured,
    /// The caller does not permit the algorithm.
    #[error("its alg {0:?} is not among those permitted")]
    NotPermitted(String),
    /// The key is for another algorithm.
    #[error("its alg {0:?} is not that of its key")]
    OtherAlgorithm(String),
    /// The key leaves several algorithms open, and so does the caller.
    #[error("its key names no alg, and several are possible: name the permitted ones")]
    NotBound,
    /// The header demands extensions.
    #[error("its header has crit, and no extension is known here")]
    Critical,
    /// The type is another one than the one asked for.
    #[error("its typ is not {0:?}")]
    OtherType(String),
    /// The header names no key.
    #[error("its header has no kid")]
    NoKeyId,
    /// No key has this identifier.
    #[error("no key has its kid")]
    UnknownKeyId,
    /// Several keys have this identifier.
    #[error("several keys have its kid")]
    AmbiguousKeyId,
    /// The key is refused, for this reason.
    #[error("its key is refused: {0}")]
    Key(String),
    /// The signature is not this key's.
    #[error("its signature is not valid")]
    Signature,
    /// Nothing is known about the signature.
    #[error("its signature could not be verified: {0}")]
    Undecided(Box<keys::VerifyError>),
    /// The time of expiry has come.
    #[error("it expired {0} seconds ago")]
    Expired(u64),
    /// The token is not valid yet.
    #[error("it is not valid before {0} seconds from now")]
    NotYetValid(u64),
    /// A claim that is asked for is missing.
    #[error("it has no claim {0:?}")]
    Missing(String),
    /// The issuer is another one.
    #[error("its iss is not the one asked for")]
    Issuer,
    /// The audience is another one.
    #[error("its aud is not the one asked for")]
    Audience,
    /// The token is meant for an audience, and the caller named none.
    #[error("it has an aud, and no audience was named")]
    AudienceNotNamed,
}

/// Why a set of keys, or a key of it, is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeysError {
    /// The file is too long.
    #[error("it has {0} bytes: of a set of keys at most {max} are read", max = sunzi_pk::MAX_FILE_BYTES)]
    TooLong(usize),
    /// The file is no set of keys.
    #[error("it is no set of JSON Web Keys: {0}")]
    NotJson(String),
    /// Another number of keys than one.
    #[error("it has {0} keys, of which one must be chosen by its kid")]
    NotOne(usize),
    /// No key has the identifier.
    #[error("no key has the kid {0:?}")]
    Unknown(String),
    /// Several keys have the identifier.
    #[error("several keys have the kid {0:?}")]
    Ambiguous(String),
    /// The key cannot be used.
    #[error("the key is refused: {0}")]
    Key(String),
    /// The key has no such algorithm.
    #[error("alg {0:?} is not one of this key")]
    Algorithm(String),
    /// Several algorithms are possible.
    #[error("the key names no alg, and several are possible: name one")]
    NotBound,
}

/// Why no token was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The claims are no JSON object.
    #[error("the claims are no JSON object ({0})")]
    NotJson(String),
    /// A claim has a wrong type.
    #[error("the claim {0} has a wrong type")]
    WrongType(&'static str),
    /// A claim is there that the signer adds itself.
    #[error("the claim {0} is there already, and would be added")]
    Present(&'static str),
    /// Signing failed.
    #[error(transparent)]
    Sign(Box<keys::SignError>),
}

impl From<keys::SignError> for SignError {
    fn from(error: keys::SignError) -> Self {
        Self::Sign(Box::new(error))
    }
}
