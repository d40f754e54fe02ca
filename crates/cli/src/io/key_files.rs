//! Reading key files, with a passphrase if the key is encrypted. A key is used by what it is.

use crate::failure::{Failure, report};
use crate::options::passphrase::{MAX_KDF_LIMIT, UnlockOptions};
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use sunzi_pk::keys::{Algorithms, KeyError, PrivateKey, PublicKey};
use sunzi_pk::{Hash, KeyAlgorithm, KeyFileError, MAX_FILE_BYTES, rsa};
use zeroize::Zeroizing;

/// The RSA key that a private one must be to do what `verb` says.
pub(crate) fn private_rsa(
    key: PrivateKey,
    path: &Path,
    verb: &str,
) -> Result<rsa::PrivateKey, Failure> {
    match key {
        PrivateKey::Rsa(key) => Ok(*key),
        other => Err(not_rsa(path, &other.public_key(), verb)),
    }
}

/// The RSA key that a public one must be to do what `verb` says.
pub(crate) fn public_rsa(
    key: PublicKey,
    path: &Path,
    verb: &str,
) -> Result<rsa::PublicKey, Failure> {
    match key {
        PublicKey::Rsa(key) => Ok(key),
        other => Err(not_rsa(path, &other, verb)),
    }
}

fn not_rsa(path: &Path, key: &PublicKey, verb: &str) -> Failure {
    let (path, algorithm) = (path.display(), key.algorithm());
    Failure::new(format!(
        "{path}: a key of {algorithm} cannot {verb}: give an RSA key"
    ))
}

/// The SHA-256 of the `SubjectPublicKeyInfo` in DER, in words.
pub(crate) fn fingerprint(key: &PublicKey) -> Result<String, Failure> {
    let digest = Hash::Sha256.digest(&key.to_spki_der().map_err(Failure::from_error)?);
    Ok(format!(
        "sha256:{}",
        base16ct::lower::encode_string(digest.as_bytes())
    ))
}

/// A private or a public key.
#[derive(Debug)]
pub(crate) enum AnyKey {
    Private(PrivateKey),
    Public(PublicKey),
}

impl AnyKey {
    /// The public key, or the public half of the private key.
    pub(crate) fn into_public(self) -> PublicKey {
        match self {
            Self::Private(key) => key.public_key(),
            Self::Public(key) => key,
        }
    }
}

/// Reads a private key. The public half of one of a curve is computed on the algorithms' engine.
pub(crate) fn read_private(
    path: &Path,
    unlock: &UnlockOptions,
    algorithms: &Algorithms,
) -> Result<PrivateKey, Failure> {
    match read_any(path, unlock, algorithms)? {
        AnyKey::Private(key) => Ok(key),
        AnyKey::Public(_) => Err(Failure::new(format!(
            "{}: this is a public key: give the private one",
            path.display()
        ))),
    }
}

/// Reads a private or a public key.
pub(crate) fn read_any(
    path: &Path,
    unlock: &UnlockOptions,
    algorithms: &Algorithms,
) -> Result<AnyKey, Failure> {
    read_with_encryption(path, unlock, algorithms).map(|(key, _)| key)
}

/// Reads a private or a public key, and tells whether its file is encrypted.
pub(crate) fn read_with_encryption(
    path: &Path,
    unlock: &UnlockOptions,
    algorithms: &Algorithms,
) -> Result<(AnyKey, bool), Failure> {
    let file = KeyFile::read(path)?;
    let key = file.open(unlock)?;
    let refused =
        |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    if let KeyAlgorithm::Other(name) = key.algorithm() {
        return Err(refused(&format_args!(
            "neither an RSA key nor one of a curve: its algorithm is {name}"
        )));
    }
    let was_encrypted = key.was_encrypted();
    let key = key_in(&key, unlock, algorithms).map_err(|error| refused(&error))?;
    if matches!(key, AnyKey::Private(_)) {
        file.warn_if_others_can_read();
    }
    Ok((key, was_encrypted))
}

/// The key of a file that has been opened.
pub(super) fn key_in(
    file: &sunzi_pk::KeyFile,
    unlock: &UnlockOptions,
    algorithms: &Algorithms,
) -> Result<AnyKey, KeyError> {
    let der = file.der();
    if file.is_private() {
        // It is not encrypted any more.
        let key = PrivateKey::from_pem_or_der(algorithms, der, None, unlock.kdf_limits());
        return key.map(AnyKey::Private);
    }
    PublicKey::from_pem_or_der(der).map(AnyKey::Public)
}

/// A key file, read once, so that it may be a pipe.
pub(super) struct KeyFile<'a> {
    path: &'a Path,
    /// The access rights of the file, if others can read it.
    readable_by_others: Option<u32>,
    pub(super) content: Zeroizing<Vec<u8>>,
}

impl<'a> KeyFile<'a> {
    pub(super) fn read(path: &'a Path) -> Result<Self, Failure> {
        let unreadable = |error| Failure::new(format!("{}: {error}", path.display()));
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        // Large enough for the whole content, since growing would leave a copy behind.
        let mut content = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES + 2));
        file.take(MAX_FILE_BYTES as u64 + 1)
            .read_to_end(&mut content)
            .map_err(unreadable)?;
        if content.len() > MAX_FILE_BYTES {
            return Err(Failure::new(format!(
                "{}: too long to be a key file: at most {MAX_FILE_BYTES} bytes are read",
                path.display()
            )));
        }
        Ok(Self {
            path,
            readable_by_others: readable_by_others(&metadata),
            content,
        })
    }

    /// The key, decrypted with a passphrase if necessary.
    fn open(&self, unlock: &UnlockOptions) -> Result<sunzi_pk::KeyFile, Failure> {
        let limits = unlock.kdf_limits();
        let open = |passphrase| sunzi_pk::KeyFile::open(&self.content, passphrase, limits);
        let opened = match open(None) {
            Err(KeyFileError::PassphraseNeeded) => open(Some(&unlock.passphrase(self.path)?)),
            other => other,
        };
        opened.map_err(|error| {
            let advice = match error {
                KeyFileError::KdfCost { factor, .. } if factor <= u64::from(MAX_KDF_LIMIT) => {
                    format!("; --kdf-limit {factor} permits it, if you trust whoever made the file")
                }
                _ => String::new(),
            };
            Failure::new(format!("{}: {error}{advice}", self.path.display()))
        })
    }

    /// Warns if the access rights of the file let others read the private key.
    pub(super) fn warn_if_others_can_read(&self) {
        if let Some(mode) = self.readable_by_others {
            let path = self.path.display();
            report(&format_args!(
                "warning: {path}: other users can read this private key (mode {mode:04o}): \
                 `chmod 600 {path}` makes it yours only"
            ));
        }
    }
}

/// The access rights of a file, if they let others than its owner read it.
#[cfg(unix)]
fn readable_by_others(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let mode = metadata.mode() & 0o777;
    // Of pipes and devices it means nothing.
    (metadata.is_file() && mode & 0o044 != 0).then_some(mode)
}

/// Other systems have other access rights, which are not looked at.
#[cfg(not(unix))]
fn readable_by_others(_: &Metadata) -> Option<u32> {
    None
}
