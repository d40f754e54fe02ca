//! Signatures in SSH's format SSHSIG (OpenSSH's `PROTOCOL.sshsig`), as `ssh-keygen -Y sign` makes them.

use super::error::{KeyError, SignError};
use super::keys::{SignatureAlgorithm, algorithms_of, blob_of};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;
use rand_core::TryCryptoRng;
use ssh_encoding::Encode;
use sunzi_pk::keys::{self, Algorithms, NonceKind, SignRequest, SigningKey};
use sunzi_pk::{Digest, Hash};

/// The first bytes of signatures, and of what is signed.
pub(super) const MAGIC: [u8; 6] = *b"SSHSIG";
pub(super) const VERSION: u32 = 1;
pub(super) const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
pub(super) const END: &str = "-----END SSH SIGNATURE-----";
/// Characters in a line of the armor.
const LINE: usize = 70;

/// A private key that signs as SSH does.
pub(super) struct SshKey {
    key: SigningKey,
    algorithm: SignatureAlgorithm,
    /// The public key.
    pub(super) blob: Vec<u8>,
}

impl SshKey {
    /// A key that signs by its only algorithm, or, if it is one of RSA, by the one with this hash.
    pub(super) fn new(key: SigningKey, hash: Hash) -> Result<Self, KeyError> {
        let blob = blob_of(key.public_key()).map_err(KeyError::Key)?;
        let algorithms = algorithms_of(key.public_key());
        let by_hash = |known: &&SignatureAlgorithm| known.scheme().hash() == Some(hash);
        let algorithm = algorithms.iter().find(by_hash).or(algorithms.first());
        let algorithm = *algorithm.ok_or_else(|| KeyError::Key("SSH has no such keys".into()))?;
        Ok(Self {
            key,
            algorithm,
            blob,
        })
    }

    /// Signatures of texts, with their names.
    pub(super) fn sign_batch<R: TryCryptoRng + ?Sized>(
        &self,
        algorithms: &Algorithms,
        rng: &mut R,
        nonces: NonceKind,
        texts: &[Vec<u8>],
    ) -> Vec<Result<Vec<u8>, SignError>> {
        let requests = texts.iter().map(|text| SignRequest {
            key: &self.key,
            scheme: self.algorithm.scheme(),
            content: text[..].into(),
        });
        let requests: Vec<_> = requests.collect();
        let signatures = keys::sign_batch(algorithms, rng, nonces, &requests);
        let encode = |raw: Result<Vec<u8>, keys::SignError>| Ok(self.algorithm.encode(&raw?)?);
        signatures.into_iter().map(encode).collect()
    }
}

/// A key that signs messages for one purpose.
pub struct Signer {
    key: SshKey,
    namespace: String,
    hash: Hash,
}

impl fmt::Debug for Signer {
    /// Shows no key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer")
            .field("namespace", &self.namespace)
            .field("hash", &self.hash)
            .finish_non_exhaustive()
    }
}

impl Signer {
    /// A key that signs digests by `hash` (SHA-256 or SHA-512) in a namespace, which names the purpose: `file`, `git`,
    /// or a name with a domain of one's own. RSA signs by rsa-sha2-256 or rsa-sha2-512, with the same hash.
    ///
    /// # Errors
    /// [`KeyError::Key`] unless the key is of RSA, P-256, P-384, P-521 or Ed25519; [`KeyError::Hash`],
    /// [`KeyError::EmptyNamespace`].
    pub fn new(key: SigningKey, namespace: &str, hash: Hash) -> Result<Self, KeyError> {
        check_namespace(namespace)?;
        if !matches!(hash, Hash::Sha256 | Hash::Sha512) {
            return Err(KeyError::Hash(hash));
        }
        Ok(Self {
            key: SshKey::new(key, hash)?,
            namespace: namespace.into(),
            hash,
        })
    }

    /// The hash of the messages.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    fn wrap(&self, signature: &[u8]) -> Result<Vec<u8>, SignError> {
        let mut blob = Vec::with_capacity(128 + self.key.blob.len() + signature.len());
        MAGIC.encode(&mut blob)?;
        VERSION.encode(&mut blob)?;
        self.key.blob.encode(&mut blob)?;
        self.namespace.encode(&mut blob)?;
        // Reserved.
        "".encode(&mut blob)?;
        self.hash.name().encode(&mut blob)?;
        signature.encode(&mut blob)?;
        Ok(blob)
    }
}

pub(super) fn check_namespace(namespace: &str) -> Result<(), KeyError> {
    if namespace.is_empty() {
        return Err(KeyError::EmptyNamespace);
    }
    Ok(())
}

/// What is signed for a digest.
pub(super) fn signed_data(namespace: &str, digest: &Digest) -> ssh_encoding::Result<Vec<u8>> {
    let mut data = Vec::with_capacity(128 + namespace.len());
    MAGIC.encode(&mut data)?;
    namespace.encode(&mut data)?;
    // Reserved.
    "".encode(&mut data)?;
    digest.hash().name().encode(&mut data)?;
    digest.as_bytes().encode(&mut data)?;
    Ok(data)
}

/// A signature for each digest of a message, in the same order: SSHSIG without its [armor]. Digests are by the
/// signer's [hash](Signer::hash).
///
/// Constant time, as [`keys::sign_batch`].
pub fn sign_batch<R: TryCryptoRng + ?Sized>(
    algorithms: &Algorithms,
    rng: &mut R,
    nonces: NonceKind,
    signer: &Signer,
    digests: &[Digest],
) -> Vec<Result<Vec<u8>, SignError>> {
    let other_hash = digests.iter().find(|digest| digest.hash() != signer.hash);
    if let Some(digest) = other_hash {
        let (expected, given) = (signer.hash, digest.hash());
        let error = keys::SignError::Content(keys::ContentError::OtherHash { expected, given });
        return vec![Err(error.into()); digests.len()];
    }
    let texts = digests
        .iter()
        .map(|digest| signed_data(&signer.namespace, digest));
    let texts: Result<Vec<_>, _> = texts.collect();
    let Ok(texts) = texts else {
        return vec![Err(SignError::TooLong); digests.len()];
    };
    let signatures = signer.key.sign_batch(algorithms, rng, nonces, &texts);
    let wrap = |signature: Result<Vec<u8>, SignError>| signer.wrap(&signature?);
    signatures.into_iter().map(wrap).collect()
}

/// A signature as a file: base64 between a line that begins it and one that ends it.
pub fn armor(signature: &[u8]) -> String {
    let text = STANDARD.encode(signature);
    let mut armored = String::with_capacity(text.len() + text.len() / LINE + 80);
    armored.push_str(BEGIN);
    let mut rest = &text[..];
    while !rest.is_empty() {
        let (line, next) = rest.split_at(rest.len().min(LINE));
        armored.push('\n');
        armored.push_str(line);
        rest = next;
    }
    armored.push('\n');
    armored.push_str(END);
    armored.push('\n');
    armored
}
