//! Certificates issued and checked by the batch.

use super::certificate::{Certificate, CertificateKind, Statement};
use super::error::{KeyError, SignError};
use super::keys::{SignatureAlgorithm, blob_of, name_of};
use super::request::Request;
use super::sign::SshKey;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;
use rand_core::TryCryptoRng;
use ssh_encoding::Encode;
use std::collections::HashMap;
use std::convert::Infallible;
use sunzi_pk::Hash;
use sunzi_pk::batch::answered;
use sunzi_pk::keys::{
    self, Algorithms, NonceKind, PublicKey, Scheme, SigningKey, VerifyRequest, VerifyingKey,
};

/// Length of a certificate's nonce, in bytes, as OpenSSH has it.
const NONCE_BYTES: usize = 32;

/// The key of an authority that issues certificates.
pub struct Authority(SshKey);

impl fmt::Debug for Authority {
    /// Shows no key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Authority {
    /// An authority with this key, which signs by rsa-sha2-512 if it is one of RSA.
    ///
    /// # Errors
    /// [`KeyError::Key`] unless the key is of RSA, P-256, P-384, P-521 or Ed25519.
    pub fn new(key: SigningKey) -> Result<Self, KeyError> {
        Ok(Self(SshKey::new(key, Hash::Sha512)?))
    }
}

/// A certificate for each request, in the same order, as a line of OpenSSH with the comment of the request. Requests are
/// not checked here: that is what a [policy](super::Policy) does.
///
/// Constant time, as [`keys::sign_batch`].
pub fn certify_batch<R: TryCryptoRng + ?Sized>(
    algorithms: &Algorithms,
    rng: &mut R,
    nonces: NonceKind,
    authority: &Authority,
    requests: &[Request],
) -> Vec<Result<String, SignError>> {
    let mut draws = vec![0; NONCE_BYTES * requests.len()];
    if rng.try_fill_bytes(&mut draws).is_err() {
        return vec![Err(SignError::Random); requests.len()];
    }
    let texts = requests
        .iter()
        .zip(draws.chunks_exact(NONCE_BYTES))
        .map(|(request, nonce)| {
            let key = blob_of(&request.key).map_err(keys::SignError::OtherScheme)?;
            Ok(request
                .statement
                .signed_data(&key, nonce, &authority.0.blob)?)
        });
    let texts: Vec<Result<Vec<u8>, SignError>> = texts.collect();
    let sign = |texts: &[Vec<u8>]| {
        let signatures = authority.0.sign_batch(algorithms, rng, nonces, texts);
        let signed = texts.iter().zip(signatures).map(|(text, signature)| {
            let mut certificate = text.clone();
            signature?.encode(&mut certificate)?;
            Ok(certificate)
        });
        Ok::<_, Infallible>(signed.collect())
    };
    let certificates = answered(texts, sign, || SignError::Random);
    let certificates = certificates.unwrap_or_else(|never| match never {});
    let line = |(request, certificate): (&Request, Result<Vec<u8>, SignError>)| {
        let certificate = certificate?;
        let name = name_of(&certificate).unwrap_or_default();
        let (text, comment) = (STANDARD.encode(certificate), &request.comment);
        let blank = if comment.is_empty() { "" } else { " " };
        Ok(format!("{name} {text}{blank}{comment}"))
    };
    requests.iter().zip(certificates).map(line).collect()
}

/// Critical options of certificates for users that OpenSSH knows.
const KNOWN_OPTIONS: [&str; 3] = ["force-command", "source-address", "verify-required"];

/// What is asked of a certificate.
#[derive(Debug)]
pub struct Checker {
    authorities: HashMap<Vec<u8>, VerifyingKey>,
    /// The time, in seconds since 1970.
    pub now: u64,
    /// The kind, if one is asked for.
    pub kind: Option<CertificateKind>,
    /// A principal, if one is asked for.
    pub principal: Option<String>,
}

impl Checker {
    /// Accepts the certificates of these authorities at a time, in seconds since 1970.
    ///
    /// # Errors
    /// [`KeyError::Key`].
    pub fn new(
        algorithms: &Algorithms,
        authorities: &[PublicKey],
        now: u64,
    ) -> Result<Self, KeyError> {
        let prepared = authorities.iter().map(|key| {
            let blob = blob_of(key).map_err(KeyError::Key)?;
            let key = VerifyingKey::new(algorithms, key);
            Ok((blob, key.map_err(|error| KeyError::Key(error.to_string()))?))
        });
        Ok(Self {
            authorities: prepared.collect::<Result<_, KeyError>>()?,
            now,
            kind: None,
            principal: None,
        })
    }

    /// The key, scheme and signature to verify with, if all else is right.
    fn claim(
        &self,
        certificate: &Certificate,
    ) -> Result<(&VerifyingKey, Scheme<'static>, Vec<u8>), String> {
        let key = self.authorities.get(&certificate.authority);
        let key = key.ok_or("it is by another authority")?;
        self.check(&certificate.statement)?;
        let decoded = SignatureAlgorithm::decode(key.public_key(), &certificate.signature);
        let (scheme, raw) = decoded?;
        Ok((key, scheme, raw))
    }

    fn check(&self, statement: &Statement) -> Result<(), String> {
        let kind = statement.kind;
        if self.kind.is_some_and(|asked| asked != kind) {
            return Err(format!("it is for a {}", kind.name()));
        }
        if self.now < statement.valid_after {
            return Err("it is not valid yet".into());
        }
        if self.now >= statement.valid_before {
            return Err("it is valid no more".into());
        }
        if statement.principals.is_empty() {
            return Err("it has no principals".into());
        }
        if let Some(asked) = &self.principal
            && !statement.principals.contains(asked)
        {
            return Err(format!("it is not for {asked:?}"));
        }
        let known = |name: &str| kind == CertificateKind::User && KNOWN_OPTIONS.contains(&name);
        let mut options = statement.critical_options.iter();
        if let Some((name, _)) = options.find(|(name, _)| !known(name)) {
            return Err(format!("its critical option {name:?} is unknown"));
        }
        Ok(())
    }
}

/// Whether each certificate is right, or why not, in the same order.
pub fn check_batch(
    algorithms: &Algorithms,
    checker: &Checker,
    certificates: &[Certificate],
) -> Vec<Result<(), String>> {
    let claims = certificates.iter().map(|certificate| {
        let (key, scheme, raw) = checker.claim(certificate)?;
        Ok((key, scheme, raw, &certificate.signed[..]))
    });
    let verify = |claims: &[(&VerifyingKey, Scheme<'static>, Vec<u8>, &[u8])]| {
        let requests = claims
            .iter()
            .map(|&(key, scheme, ref raw, text)| VerifyRequest {
                key,
                scheme,
                content: text.into(),
                signature: raw,
            });
        let requests: Vec<_> = requests.collect();
        let verdicts = keys::verify_batch(algorithms, &requests).into_iter();
        let verdicts = verdicts.map(|verdict| {
            verdict.map_err(|error| {
                if error.is_undecided() {
                    error.to_string()
                } else {
                    "its signature is not valid".into()
                }
            })
        });
        Ok::<_, Infallible>(verdicts.collect())
    };
    let verdicts = answered(claims, verify, || "no verdict was computed".into());
    verdicts.unwrap_or_else(|never| match never {})
}
