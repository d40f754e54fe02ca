//! Signatures in SSH's format SSHSIG, of files and of messages.

use super::{Signable, SigningChoices};
use crate::io::files::{self, Lengths};
use crate::io::pipeline::BytesResult;
use getrandom::SysRng;
use std::convert::Infallible;
use std::path::Path;
use sunzi_jobs::ssh::{self, Claim, MAX_SIGNATURE_BYTES, Signature, Verifier};
use sunzi_pk::batch::answered;
use sunzi_pk::keys::{Algorithms, NonceKind, PrivateKey};
use sunzi_pk::{Digest, Hash};
use zeroize::Zeroizing;

/// The namespace of signatures of files in general, as `ssh-keygen(1)` has it.
pub(crate) const DEFAULT_NAMESPACE: &str = "file";

/// Lengths that a signature may have, in bytes.
pub(crate) const LENGTHS: Lengths = Lengths(1..=MAX_SIGNATURE_BYTES);

/// A key that signs for SSH, and verifies what it signed.
pub(crate) struct SshSigner {
    signer: ssh::Signer,
    verifier: Verifier,
    nonces: NonceKind,
    /// Whether signatures are texts, as in files.
    armored: bool,
}

impl SshSigner {
    /// Prepares a key.
    ///
    /// # Errors
    /// The reason why the key cannot sign.
    pub(crate) fn new(
        algorithms: &Algorithms,
        key: &PrivateKey,
        namespace: &str,
        hash: Hash,
        choices: SigningChoices,
        armored: bool,
    ) -> Result<Self, String> {
        let prepared = choices.prepare(algorithms, key)?;
        let words = |error: ssh::KeyError| error.to_string();
        let verifier = Verifier::of_key(algorithms, &key.public_key(), namespace);
        Ok(Self {
            signer: ssh::Signer::new(prepared, namespace, hash).map_err(words)?,
            verifier: verifier.map_err(words)?,
            nonces: choices.nonces.unwrap_or_default(),
            armored,
        })
    }

    /// The signatures of the messages, which are digests, in order.
    pub(crate) fn sign(&self, algorithms: &Algorithms, messages: &[Signable]) -> Vec<BytesResult> {
        let digests: Vec<_> = messages.iter().filter_map(Signable::digest).collect();
        let signer = &self.signer;
        let signatures = ssh::sign_batch(algorithms, &mut SysRng, self.nonces, signer, &digests);
        let written = signatures.into_iter().map(|signature| {
            let signature = signature.map_err(|error| error.to_string())?;
            Ok(Zeroizing::new(if self.armored {
                ssh::armor(&signature).into_bytes()
            } else {
                signature
            }))
        });
        written.collect()
    }

    /// Whether each of the signatures is right, in order.
    pub(crate) fn verify(
        &self,
        algorithms: &Algorithms,
        claims: &[(&Signable, Vec<u8>)],
    ) -> Vec<bool> {
        let claims = claims.iter().map(|(message, signature)| {
            let claim = claim_of(&self.verifier, signature)?;
            let digest = message.digest().ok_or("the message is no digest")?;
            Ok((claim, digest))
        });
        let verdicts = verdicts(algorithms, claims.collect());
        verdicts.iter().map(Result::is_ok).collect()
    }
}

/// A signature of a message by one of the keys of a verifier, or the description of an error.
pub(crate) type SshClaim<'a> = Result<(Claim<'a>, Digest), String>;

fn claim_of<'a>(verifier: &'a Verifier, signature: &[u8]) -> Result<Claim<'a>, String> {
    let read = Signature::read(signature);
    let claim = read.and_then(|signature| verifier.claim(&signature));
    claim.map_err(|refusal| refusal.to_string())
}

/// The claim of a message.
pub(crate) fn claim_of_message<'a>(
    verifier: &'a Verifier,
    message: &[u8],
    signature: &[u8],
) -> SshClaim<'a> {
    let claim = claim_of(verifier, signature)?;
    let digest = claim.hash().digest(message);
    Ok((claim, digest))
}

/// The claim of a file and its signature, which are read.
pub(crate) fn claim_of_file<'a>(
    verifier: &'a Verifier,
    file: &Path,
    signature: &Path,
) -> SshClaim<'a> {
    let claim = claim_of(verifier, &files::read_signature(signature, &LENGTHS)?)?;
    let digest = files::digest(file, claim.hash()).map_err(|error| error.to_string())?;
    Ok((claim, digest))
}

/// For each claim, in order, `Ok` if the signature is valid, or the description of an error.
pub(crate) fn verdicts(
    algorithms: &Algorithms,
    claims: Vec<SshClaim<'_>>,
) -> Vec<Result<(), String>> {
    let verify = |claims: &[(Claim<'_>, Digest)]| {
        let verdicts = ssh::verify_batch(algorithms, claims).into_iter();
        let verdicts = verdicts.map(|verdict| verdict.map_err(|refusal| refusal.to_string()));
        Ok::<_, Infallible>(verdicts.collect())
    };
    let computed = answered(claims, verify, || String::from("no verdict was computed"));
    computed.unwrap_or_else(|never| match never {})
}
