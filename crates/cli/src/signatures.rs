//! Signing and verifying with a key of any algorithm, in batches.

use crate::io::files::{self, Lengths};
use crate::io::pipeline::BytesResult;
use crate::options::curve::check_strength;
use crate::options::signature::{ChosenScheme, KeyScheme};
use getrandom::SysRng;
use std::path::Path;
use sunzi_engine::Engine;
use sunzi_pk::ec::NonceKind;
use sunzi_pk::ec::ecdsa::{self, Encoding, SRange};
use sunzi_pk::ec::{Curve, eddsa, schnorr};
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey};
use sunzi_pk::{Digest, Hash, rsa};
use zeroize::Zeroizing;

/// What of a message is signed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signed {
    /// Its digest by this hash.
    Digest(Hash),
    /// All of it, which such schemes read twice.
    Message,
}

/// The digest of a message, or all of it, as [`Signed`] says.
pub(crate) type Signable = Zeroizing<Vec<u8>>;

/// The largest file that is signed as a whole, in bytes.
const MAX_WHOLE_FILE: usize = 64 << 20;

impl Signed {
    /// Of a message in memory.
    pub(crate) fn of(self, message: Zeroizing<Vec<u8>>) -> Signable {
        match self {
            Self::Digest(hash) => Zeroizing::new(hash.digest(&message).as_bytes().to_vec()),
            Self::Message => message,
        }
    }

    /// Of a file.
    ///
    /// # Errors
    /// The reason why it cannot be read or signed.
    pub(crate) fn of_file(self, path: &Path) -> Result<Signable, String> {
        match self {
            Self::Digest(hash) => {
                let digest = files::digest(path, hash).map_err(|error| error.to_string())?;
                Ok(Zeroizing::new(digest.as_bytes().to_vec()))
            }
            Self::Message => {
                let read = files::read_short(path, MAX_WHOLE_FILE);
                read.map_err(|error| error.to_string())?.map_err(|given| {
                    format!(
                        "{given} bytes: this scheme reads messages twice, and takes files of at \
                         most {MAX_WHOLE_FILE}; sign a digest of it"
                    )
                })
            }
        }
    }

    /// What is kept of a file of this length, in bytes.
    pub(crate) fn kept_bytes(self, length: u64) -> usize {
        match self {
            Self::Digest(hash) => hash.digest_len(),
            Self::Message => {
                usize::try_from(length).map_or(MAX_WHOLE_FILE, |length| length.min(MAX_WHOLE_FILE))
            }
        }
    }
}

/// The digest that [`Signed::Digest`] of this hash has made: both come from one choice of a scheme
/// (`ChosenScheme`), so that it has this hash's length.
fn digest(hash: Hash, signable: &Signable) -> Digest {
    Digest::new(hash, signable).expect("it is a digest by this hash")
}

/// A key that verifies, prepared on an engine, with how its signatures are made.
pub(crate) enum Verifier {
    Rsa {
        key: rsa::VerifyingKey,
        scheme: rsa::Scheme,
        hash: Hash,
    },
    Ecdsa {
        key: ecdsa::VerifyingKey,
        hash: Hash,
        encoding: Encoding,
        s: SRange,
    },
    Eddsa(eddsa::VerifyingKey),
    Schnorr(schnorr::VerifyingKey),
}

impl Verifier {
    /// Prepares a key.
    ///
    /// # Errors
    /// The reason why the key cannot verify.
    pub(crate) fn new(
        algorithms: &Algorithms,
        key: &PublicKey,
        chosen: &ChosenScheme,
    ) -> Result<Self, String> {
        match (key, chosen.scheme) {
            (PublicKey::Rsa(key), KeyScheme::Rsa { scheme, hash }) => {
                let key = rsa::VerifyingKey::new(algorithms.engine(), key).map_err(words)?;
                Ok(Self::Rsa { key, scheme, hash })
            }
            (PublicKey::Ec(key), KeyScheme::Ecdsa { hash, encoding, s }) => {
                let curve = algorithms.curves().get(key.curve()).map_err(words)?;
                let key = ecdsa::VerifyingKey::new(&curve, key).map_err(words)?;
                Ok(Self::Ecdsa {
                    key,
                    hash,
                    encoding,
                    s,
                })
            }
            (PublicKey::Ec(key), KeyScheme::Schnorr) => {
                let curve = algorithms.curves().get(key.curve()).map_err(words)?;
                let key = schnorr::VerifyingKey::new(&curve, key).map_err(words)?;
                Ok(Self::Schnorr(key))
            }
            (PublicKey::Edwards(key), KeyScheme::Eddsa) => {
                let curve = algorithms.edwards().get(key.curve()).map_err(words)?;
                let key = eddsa::VerifyingKey::new(&curve, key).map_err(words)?;
                Ok(Self::Eddsa(key))
            }
            _ => Err(OTHER_ALGORITHM.into()),
        }
    }

    /// The lengths in bytes that a signature may have.
    pub(crate) fn lengths(&self) -> Lengths {
        let exactly = |bytes| Lengths(bytes..=bytes);
        match self {
            Self::Rsa { key, .. } => exactly(key.public_key().size()),
            Self::Ecdsa { key, encoding, .. } => {
                let bytes = key.public_key().curve().order_bytes();
                match encoding {
                    Encoding::Raw => exactly(2 * bytes),
                    _ => der_lengths(bytes),
                }
            }
            Self::Eddsa(key) => exactly(2 * key.public_key().curve().encoded_bytes()),
            Self::Schnorr(_) => exactly(schnorr::SIGNATURE_BYTES),
        }
    }

    /// For each message with a signature, in order, whether the signature is valid, or the
    /// description of an error.
    pub(crate) fn verify<'a>(
        &self,
        engine: &Engine,
        claims: impl Iterator<Item = (&'a Signable, &'a [u8])>,
    ) -> Vec<Result<(), String>> {
        match self {
            &Self::Rsa {
                ref key,
                scheme,
                hash,
            } => {
                let request = |(signable, signature)| rsa::VerifyRequest {
                    key,
                    scheme,
                    digest: digest(hash, signable),
                    signature,
                };
                let requests: Vec<_> = claims.map(request).collect();
                in_words(rsa::verify_batch(engine, &requests))
            }
            &Self::Ecdsa {
                ref key,
                hash,
                encoding,
                s,
            } => {
                let request = |(signable, signature)| ecdsa::VerifyRequest {
                    key,
                    digest: digest(hash, signable),
                    encoding,
                    s,
                    signature,
                };
                let requests: Vec<_> = claims.map(request).collect();
                in_words(ecdsa::verify_batch(engine, &requests))
            }
            Self::Eddsa(key) => {
                let request = |(message, signature): (&'a Signable, _)| eddsa::VerifyRequest {
                    key,
                    variant: eddsa::Variant::Pure,
                    message,
                    signature,
                };
                let requests: Vec<_> = claims.map(request).collect();
                in_words(eddsa::verify_batch(engine, &requests))
            }
            Self::Schnorr(key) => {
                let request = |(message, signature): (&'a Signable, _)| schnorr::VerifyRequest {
                    key,
                    message,
                    signature,
                };
                let requests: Vec<_> = claims.map(request).collect();
                in_words(schnorr::verify_batch(engine, &requests))
            }
        }
    }
}

/// A key that signs, prepared on an engine, with how it signs.
pub(crate) enum Signer {
    Rsa {
        key: Box<rsa::SigningKey>,
        scheme: rsa::Scheme,
        hash: Hash,
    },
    Ecdsa {
        key: ecdsa::SigningKey,
        hash: Hash,
        encoding: Encoding,
        s: SRange,
        nonces: NonceKind,
    },
    Eddsa {
        key: eddsa::SigningKey,
        nonces: NonceKind,
    },
    Schnorr {
        key: schnorr::SigningKey,
        nonces: NonceKind,
    },
}

/// Choices of `sign` that do not change what is a right signature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SigningChoices {
    /// Whether keys that are too weak may sign.
    pub(crate) weak: bool,
    /// Kind of nonces, if one is asked for.
    pub(crate) nonces: Option<NonceKind>,
}

impl Signer {
    /// Prepares a key.
    ///
    /// # Errors
    /// The reason why the key cannot sign.
    pub(crate) fn new(
        algorithms: &Algorithms,
        key: PrivateKey,
        chosen: &ChosenScheme,
        choices: SigningChoices,
    ) -> Result<Self, String> {
        let nonces = choices.nonces.unwrap_or_default();
        match (key, chosen.scheme) {
            (PrivateKey::Rsa(key), KeyScheme::Rsa { scheme, hash }) => {
                if choices.nonces.is_some() {
                    return Err(
                        "--nonces and --hedged are for keys of curves, and this is an RSA key"
                            .into(),
                    );
                }
                let key = if choices.weak {
                    key.permit_1024()
                } else {
                    *key
                };
                let key = rsa::SigningKey::new(algorithms.engine(), &key).map_err(|error| {
                    let advice = if choices.weak {
                        ""
                    } else {
                        "; --force-1024 permits it"
                    };
                    match error {
                        rsa::KeyError::TooShortToSign(bits) => {
                            format!("a key of {bits} bits is too weak to sign{advice}")
                        }
                        error => error.to_string(),
                    }
                })?;
                let key = Box::new(key);
                Ok(Self::Rsa { key, scheme, hash })
            }
            (PrivateKey::Ec(key), KeyScheme::Ecdsa { hash, encoding, s }) => {
                if !choices.weak {
                    check_strength(key.curve())?;
                }
                let curve = algorithms.curves().get(key.curve()).map_err(words)?;
                Ok(Self::Ecdsa {
                    key: ecdsa::SigningKey::new(&curve, &key).map_err(words)?,
                    hash,
                    encoding,
                    s,
                    nonces,
                })
            }
            (PrivateKey::Ec(key), KeyScheme::Schnorr) => {
                let curve = algorithms.curves().get(key.curve()).map_err(words)?;
                let key = schnorr::SigningKey::new(&curve, &key).map_err(words)?;
                Ok(Self::Schnorr { key, nonces })
            }
            (PrivateKey::Edwards(key), KeyScheme::Eddsa) => {
                let curve = algorithms.edwards().get(key.curve()).map_err(words)?;
                let key = eddsa::SigningKey::new(&curve, &key).map_err(words)?;
                Ok(Self::Eddsa { key, nonces })
            }
            _ => Err(OTHER_ALGORITHM.into()),
        }
    }

    /// The signatures of the messages, in order.
    pub(crate) fn sign(&self, engine: &Engine, messages: &[Signable]) -> Vec<BytesResult> {
        match self {
            &Self::Rsa {
                ref key,
                scheme,
                hash,
            } => {
                let request = |signable| rsa::SignRequest {
                    key,
                    scheme,
                    digest: digest(hash, signable),
                };
                let requests: Vec<_> = messages.iter().map(request).collect();
                let signatures = rsa::sign_batch(engine, &mut SysRng, &requests);
                in_words(signatures.into_iter().map(|s| s.map(Zeroizing::new)))
            }
            &Self::Ecdsa {
                ref key,
                hash,
                encoding,
                s,
                nonces,
            } => {
                let request = |signable| ecdsa::SignRequest {
                    key,
                    digest: digest(hash, signable),
                };
                let requests: Vec<_> = messages.iter().map(request).collect();
                let signatures = ecdsa::sign_batch(engine, &mut SysRng, nonces, &requests);
                let curve = key.public_key().curve();
                let written = |signature| Zeroizing::new(written(curve, encoding, s, signature));
                in_words(signatures.into_iter().map(|s| s.map(written)))
            }
            &Self::Eddsa { ref key, nonces } => {
                let requests = messages.iter().map(|message| eddsa::SignRequest {
                    key,
                    variant: eddsa::Variant::Pure,
                    message,
                });
                let requests: Vec<_> = requests.collect();
                let signatures = eddsa::sign_batch(engine, &mut SysRng, nonces, &requests);
                let written =
                    |signature: eddsa::Signature| Zeroizing::new(signature.as_bytes().to_vec());
                in_words(signatures.into_iter().map(|s| s.map(written)))
            }
            Self::Schnorr { key, nonces } => {
                let mut auxiliary = vec![[0; 32]; messages.len()];
                let hedged = *nonces == NonceKind::Hedged;
                if hedged && getrandom::fill(auxiliary.as_flattened_mut()).is_err() {
                    let error = String::from("the random number generator failed");
                    return vec![Err(error); messages.len()];
                }
                let requests = messages.iter().zip(auxiliary);
                let requests: Vec<_> = requests
                    .map(|(message, auxiliary)| schnorr::SignRequest {
                        key,
                        message,
                        auxiliary,
                    })
                    .collect();
                let signatures = schnorr::sign_batch(engine, &requests).into_iter();
                let written =
                    |signature: schnorr::Signature| Zeroizing::new(signature.as_bytes().to_vec());
                in_words(signatures.map(|s| s.map(written)))
            }
        }
    }
}

fn words(error: impl core::fmt::Display) -> String {
    error.to_string()
}

/// A signature as it is asked for.
fn written(curve: &Curve, encoding: Encoding, s: SRange, signature: ecdsa::Signature) -> Vec<u8> {
    let signature = match s {
        SRange::Low => signature.with_low_s(curve),
        _ => signature,
    };
    signature.to_bytes(encoding)
}

/// The lengths of `ECDSA-Sig-Value` in DER, for an order of this many bytes.
fn der_lengths(bytes: usize) -> Lengths {
    // Two integers, each with type, length, and a leading zero if its first bit is set.
    let content = 2 * (2 + 1 + bytes);
    let header = if content < 128 { 2 } else { 3 };
    Lengths(2 + 2 * (2 + 1)..=header + content)
}

const OTHER_ALGORITHM: &str = "the options are for a key of another algorithm";

fn in_words<T, E: core::fmt::Display>(
    results: impl IntoIterator<Item = Result<T, E>>,
) -> Vec<Result<T, String>> {
    let results = results.into_iter();
    results.map(|result| result.map_err(words)).collect()
}
