//! Signing and verifying with a key of any algorithm, in batches.

use crate::io::files::Lengths;
use crate::io::key_files::{PrivateKey, PublicKey};
use crate::io::pipeline::BytesResult;
use crate::options::curve::check_strength;
use crate::options::signature::{ChosenScheme, KeyScheme};
use getrandom::SysRng;
use sunzi_engine::Engine;
use sunzi_pk::ec::ecdsa::{self, Encoding, NonceKind, SRange};
use sunzi_pk::ec::{Curve, PreparedCurves};
use sunzi_pk::{Digest, rsa};
use zeroize::Zeroizing;

/// A key that verifies, prepared on an engine, with how its signatures are made.
pub(crate) enum Verifier {
    Rsa {
        key: rsa::VerifyingKey,
        scheme: rsa::Scheme,
    },
    Ecdsa {
        key: ecdsa::VerifyingKey,
        encoding: Encoding,
        s: SRange,
    },
}

impl Verifier {
    /// Prepares a key.
    ///
    /// # Errors
    /// The reason why the key cannot verify.
    pub(crate) fn new(
        curves: &PreparedCurves,
        key: &PublicKey,
        chosen: &ChosenScheme,
    ) -> Result<Self, String> {
        match (key, chosen.scheme) {
            (PublicKey::Rsa(key), KeyScheme::Rsa(scheme)) => {
                let key = rsa::VerifyingKey::new(curves.engine(), key);
                let key = key.map_err(|error| error.to_string())?;
                Ok(Self::Rsa { key, scheme })
            }
            (PublicKey::Ec(key), KeyScheme::Ecdsa { encoding, s }) => {
                let curve = curves.get(key.curve());
                let curve = curve.map_err(|error| error.to_string())?;
                let key = ecdsa::VerifyingKey::new(&curve, key);
                let key = key.map_err(|error| error.to_string())?;
                Ok(Self::Ecdsa { key, encoding, s })
            }
            _ => Err(OTHER_ALGORITHM.into()),
        }
    }

    /// The lengths in bytes that a signature may have.
    pub(crate) fn lengths(&self) -> Lengths {
        match self {
            Self::Rsa { key, .. } => {
                let size = key.public_key().size();
                Lengths(size..=size)
            }
            Self::Ecdsa { key, encoding, .. } => {
                let bytes = key.public_key().curve().order_bytes();
                match encoding {
                    Encoding::Raw => Lengths(2 * bytes..=2 * bytes),
                    _ => der_lengths(bytes),
                }
            }
        }
    }

    /// For each digest with a signature, in order, whether the signature is valid, or the
    /// description of an error.
    pub(crate) fn verify<'a>(
        &self,
        engine: &Engine,
        claims: impl Iterator<Item = (Digest, &'a [u8])>,
    ) -> Vec<Result<(), String>> {
        match self {
            Self::Rsa { key, scheme } => {
                let request = |(digest, signature)| rsa::VerifyRequest {
                    key,
                    scheme: *scheme,
                    digest,
                    signature,
                };
                let requests: Vec<_> = claims.map(request).collect();
                in_words(rsa::verify_batch(engine, &requests))
            }
            &Self::Ecdsa {
                ref key,
                encoding,
                s,
            } => {
                let request = |(digest, signature)| ecdsa::VerifyRequest {
                    key,
                    digest,
                    encoding,
                    s,
                    signature,
                };
                let requests: Vec<_> = claims.map(request).collect();
                in_words(ecdsa::verify_batch(engine, &requests))
            }
        }
    }
}

/// A key that signs, prepared on an engine, with how it signs.
pub(crate) enum Signer {
    Rsa {
        key: Box<rsa::SigningKey>,
        scheme: rsa::Scheme,
    },
    Ecdsa {
        key: ecdsa::SigningKey,
        encoding: Encoding,
        s: SRange,
        nonces: NonceKind,
    },
}

/// Choices of `sign` that do not change what is a right signature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SigningChoices {
    /// Whether keys that are too weak may sign.
    pub(crate) weak: bool,
    /// Whether nonces of ECDSA also come from fresh randomness.
    pub(crate) hedged: bool,
}

impl Signer {
    /// Prepares a key.
    ///
    /// # Errors
    /// The reason why the key cannot sign.
    pub(crate) fn new(
        curves: &PreparedCurves,
        key: PrivateKey,
        chosen: &ChosenScheme,
        choices: SigningChoices,
    ) -> Result<Self, String> {
        match (key, chosen.scheme) {
            (PrivateKey::Rsa(key), KeyScheme::Rsa(scheme)) => {
                if choices.hedged {
                    return Err("--hedged is for keys of curves, and this is an RSA key".into());
                }
                let key = if choices.weak {
                    key.permit_1024()
                } else {
                    *key
                };
                let key = rsa::SigningKey::new(curves.engine(), &key).map_err(|error| {
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
                Ok(Self::Rsa { key, scheme })
            }
            (PrivateKey::Ec(key), KeyScheme::Ecdsa { encoding, s }) => {
                if !choices.weak {
                    check_strength(key.curve())?;
                }
                let curve = curves.get(key.curve());
                let curve = curve.map_err(|error| error.to_string())?;
                let key = ecdsa::SigningKey::new(&curve, &key);
                Ok(Self::Ecdsa {
                    key: key.map_err(|error| error.to_string())?,
                    encoding,
                    s,
                    nonces: if choices.hedged {
                        NonceKind::Hedged
                    } else {
                        NonceKind::Deterministic
                    },
                })
            }
            _ => Err(OTHER_ALGORITHM.into()),
        }
    }

    /// The signatures of the digests, in order.
    pub(crate) fn sign(&self, engine: &Engine, digests: &[Digest]) -> Vec<BytesResult> {
        match self {
            Self::Rsa { key, scheme } => {
                let request = |&digest| rsa::SignRequest {
                    key,
                    scheme: *scheme,
                    digest,
                };
                let requests: Vec<_> = digests.iter().map(request).collect();
                let signatures = rsa::sign_batch(engine, &mut SysRng, &requests);
                in_words(signatures.into_iter().map(|s| s.map(Zeroizing::new)))
            }
            Self::Ecdsa {
                key,
                encoding,
                s,
                nonces,
            } => {
                let request = |&digest| ecdsa::SignRequest { key, digest };
                let requests: Vec<_> = digests.iter().map(request).collect();
                let signatures = ecdsa::sign_batch(engine, &mut SysRng, *nonces, &requests);
                let curve = key.public_key().curve();
                let written = |signature| Zeroizing::new(written(curve, *encoding, *s, signature));
                in_words(signatures.into_iter().map(|s| s.map(written)))
            }
        }
    }
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
    results
        .map(|result| result.map_err(|error| error.to_string()))
        .collect()
}
