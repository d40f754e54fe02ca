//! The keys of `sign` and `verify`, and what they take of files and messages.

pub(crate) mod ssh;

use crate::io::files::{self, Lengths};
use crate::io::pipeline::BytesResult;
use crate::options::curve::check_strength;
use getrandom::SysRng;
use std::path::Path;
use sunzi_pk::ec::NonceKind;
use sunzi_pk::keys::{
    self, Algorithms, Content, KeyError, PrivateKey, PublicKey, Scheme, SignRequest, SigningKey,
    VerifyRequest, VerifyingKey,
};
use sunzi_pk::{Digest, Hash, rsa};
use zeroize::Zeroizing;

/// The form in which a scheme takes messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signed {
    /// Their digests by this hash.
    Digest(Hash),
    /// The messages as they are, which such schemes read twice.
    Message,
}

/// A message in the form that its scheme takes.
pub(crate) enum Signable {
    Digest(Digest),
    Message(Zeroizing<Vec<u8>>),
}

impl Signable {
    /// The digest, if it is one.
    fn digest(&self) -> Option<Digest> {
        match self {
            Self::Digest(digest) => Some(*digest),
            Self::Message(_) => None,
        }
    }

    /// The content of a request.
    pub(crate) fn content(&self) -> Content<'_> {
        match self {
            Self::Digest(digest) => Content::Digest(*digest),
            Self::Message(message) => Content::Message(message),
        }
    }
}

/// The largest file that is signed as a whole, in bytes.
const MAX_WHOLE_FILE: usize = 64 << 20;

impl Signed {
    /// The form that a scheme takes.
    pub(crate) fn by(scheme: &Scheme<'_>) -> Self {
        scheme.hash().map_or(Self::Message, Self::Digest)
    }

    /// A message in memory in this form.
    pub(crate) fn of(self, message: Zeroizing<Vec<u8>>) -> Signable {
        match self {
            Self::Digest(hash) => Signable::Digest(hash.digest(&message)),
            Self::Message => Signable::Message(message),
        }
    }

    /// A file in this form.
    ///
    /// # Errors
    /// The reason why it cannot be read or signed.
    pub(crate) fn of_file(self, path: &Path) -> Result<Signable, String> {
        match self {
            Self::Digest(hash) => {
                let digest = files::digest(path, hash).map_err(|error| error.to_string())?;
                Ok(Signable::Digest(digest))
            }
            Self::Message => {
                let read = files::read_short(path, MAX_WHOLE_FILE);
                let message = read.map_err(|error| error.to_string())?.map_err(|given| {
                    format!(
                        "{given} bytes: this scheme reads messages twice, and takes files of at \
                         most {MAX_WHOLE_FILE}; sign a digest of it"
                    )
                })?;
                Ok(Signable::Message(message))
            }
        }
    }

    /// Memory that a file of this length takes in this form, in bytes.
    pub(crate) fn kept_bytes(self, length: u64) -> usize {
        match self {
            Self::Digest(hash) => hash.digest_len(),
            Self::Message => {
                usize::try_from(length).map_or(MAX_WHOLE_FILE, |length| length.min(MAX_WHOLE_FILE))
            }
        }
    }
}

/// A key that verifies by one scheme.
pub(crate) struct Verifier {
    key: VerifyingKey,
    scheme: Scheme<'static>,
    signed: Signed,
    lengths: Lengths,
}

impl Verifier {
    /// Prepares a key for a scheme of its algorithm.
    ///
    /// # Errors
    /// The reason why the key cannot verify.
    pub(crate) fn new(
        algorithms: &Algorithms,
        key: &PublicKey,
        scheme: Scheme<'static>,
    ) -> Result<Self, String> {
        let lengths = scheme.signature_bytes(key).ok_or(OTHER_ALGORITHM)?;
        Ok(Self {
            key: VerifyingKey::new(algorithms, key).map_err(words)?,
            scheme,
            signed: Signed::by(&scheme),
            lengths: Lengths(lengths),
        })
    }

    /// The form in which messages are taken.
    pub(crate) fn signed(&self) -> Signed {
        self.signed
    }

    /// The lengths in bytes that a signature may have.
    pub(crate) fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// The request to verify a signature of a message.
    pub(crate) fn request<'a>(
        &'a self,
        message: &'a Signable,
        signature: &'a [u8],
    ) -> VerifyRequest<'a> {
        VerifyRequest {
            key: &self.key,
            scheme: self.scheme,
            content: message.content(),
            signature,
        }
    }
}

/// Whether each signature is valid, in order, or the description of an error.
pub(crate) fn verify(
    algorithms: &Algorithms,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), String>> {
    let verdicts = keys::verify_batch(algorithms, requests).into_iter();
    verdicts
        .map(|verdict| verdict.map_err(|error| error.to_string()))
        .collect()
}

/// A key that signs by one scheme.
pub(crate) struct Signer {
    key: SigningKey,
    scheme: Scheme<'static>,
    nonces: NonceKind,
}

/// Choices of `sign` that do not change which signatures are valid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SigningChoices {
    /// Whether keys that are too weak may sign.
    pub(crate) weak: bool,
    /// Kind of nonces, if one is asked for.
    pub(crate) nonces: Option<NonceKind>,
}

impl SigningChoices {
    /// Prepares a key.
    ///
    /// # Errors
    /// The reason why the key cannot sign.
    fn prepare(self, algorithms: &Algorithms, key: &PrivateKey) -> Result<SigningKey, String> {
        if self.nonces.is_some() && matches!(key, PrivateKey::Rsa(_)) {
            return Err(
                "--nonces and --hedged are for keys of curves, and this is an RSA key".into(),
            );
        }
        let prepared = if self.weak {
            SigningKey::new_permitting_weak(algorithms, key)
        } else {
            if let PrivateKey::Ec(key) = key {
                check_strength(key.curve())?;
            }
            SigningKey::new(algorithms, key)
        };
        let advice = if self.weak {
            ""
        } else {
            "; --force-1024 permits it"
        };
        prepared.map_err(|error| match error {
            KeyError::Rsa(error) => match *error {
                rsa::KeyError::TooShortToSign(bits) => {
                    format!("a key of {bits} bits is too weak to sign{advice}")
                }
                error => error.to_string(),
            },
            error => words(error),
        })
    }
}

impl Signer {
    /// Prepares a key for a scheme of its algorithm.
    ///
    /// # Errors
    /// The reason why the key cannot sign.
    pub(crate) fn new(
        algorithms: &Algorithms,
        key: &PrivateKey,
        scheme: Scheme<'static>,
        choices: SigningChoices,
    ) -> Result<Self, String> {
        Ok(Self {
            key: choices.prepare(algorithms, key)?,
            scheme,
            nonces: choices.nonces.unwrap_or_default(),
        })
    }

    /// The signatures of the messages, in order.
    pub(crate) fn sign(&self, algorithms: &Algorithms, messages: &[Signable]) -> Vec<BytesResult> {
        let requests = messages.iter().map(|message| SignRequest {
            key: &self.key,
            scheme: self.scheme,
            content: message.content(),
        });
        let requests: Vec<_> = requests.collect();
        let signatures = keys::sign_batch(algorithms, &mut SysRng, self.nonces, &requests);
        let signatures = signatures.into_iter();
        signatures
            .map(|signature| {
                let signature = signature.map_err(|error| error.to_string())?;
                Ok(Zeroizing::new(signature))
            })
            .collect()
    }
}

/// The description of an error about a key, without a preface where the engine refuses it.
fn words(error: KeyError) -> String {
    match error {
        KeyError::Engine(error) => error.to_string(),
        error => error.to_string(),
    }
}

const OTHER_ALGORITHM: &str = "the options are for a key of another algorithm";
