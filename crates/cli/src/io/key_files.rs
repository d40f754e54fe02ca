//! Reading key files, with a passphrase if the key is encrypted. A key is used by what it is.

use crate::failure::{Failure, report};
use crate::options::passphrase::{MAX_KDF_LIMIT, UnlockOptions};
use std::collections::HashMap;
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use sunzi_pk::keys::{Algorithms, KeyError, PrivateKey, PublicKey};
use sunzi_pk::{Hash, KeyAlgorithm, KeyFileError, KeySet, MAX_FILE_BYTES, rsa};
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
fn key_in(
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

/// Makes a key of a set ready, which may name the algorithm that it is intended for.
type Prepare<'a, T> = &'a dyn Fn(&PublicKey, Option<&str>) -> Result<T, String>;

/// The keys of a JSON Web Key Set, each prepared when it is first asked for.
pub(crate) struct KeyRing<'a, T> {
    set: KeySet,
    unlock: &'a UnlockOptions,
    algorithms: &'a Algorithms,
    prepare: Prepare<'a, T>,
    /// By identifier.
    prepared: HashMap<String, Result<Arc<T>, String>>,
}

impl<'a, T> KeyRing<'a, T> {
    /// Reads a set, whose keys `prepare` will make ready.
    pub(crate) fn read(
        path: &Path,
        unlock: &'a UnlockOptions,
        algorithms: &'a Algorithms,
        prepare: Prepare<'a, T>,
    ) -> Result<Self, Failure> {
        let file = KeyFile::read(path)?;
        let refused =
            |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
        let set = KeySet::from_json(&file.content).map_err(|error| refused(&error))?;
        if set.ids().next().is_none() {
            return Err(refused(&"none of its keys has a kid"));
        }
        if set
            .ids()
            .any(|id| matches!(set.get(id), Some(Ok(key)) if key.is_private()))
        {
            file.warn_if_others_can_read();
        }
        Ok(Self {
            set,
            unlock,
            algorithms,
            prepare,
            prepared: HashMap::new(),
        })
    }

    /// Number of keys that have identifiers.
    pub(crate) fn len(&self) -> usize {
        self.set.ids().count()
    }

    /// The key with this identifier, or why there is none.
    pub(crate) fn get(&mut self, id: &str) -> Result<Arc<T>, String> {
        if let Some(prepared) = self.prepared.get(id) {
            return prepared.clone();
        }
        // Only what is in the set is kept, whatever a stream asks for.
        let key = self
            .set
            .get(id)
            .ok_or_else(|| String::from("no key has this kid"))?;
        let prepared = key
            .map_err(ToString::to_string)
            .and_then(|file| {
                key_in(file, self.unlock, self.algorithms).map_err(|error| error.to_string())
            })
            .and_then(|key| (self.prepare)(&key.into_public(), self.set.intended_algorithm(id)))
            .map(Arc::new)
            .map_err(|error| format!("the key with this kid: {error}"));
        self.prepared.insert(id.to_owned(), prepared.clone());
        prepared
    }
}

/// A key file, read once, so that it may be a pipe.
struct KeyFile<'a> {
    path: &'a Path,
    /// The access rights of the file, if others can read it.
    readable_by_others: Option<u32>,
    content: Zeroizing<Vec<u8>>,
}

impl<'a> KeyFile<'a> {
    fn read(path: &'a Path) -> Result<Self, Failure> {
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
    fn warn_if_others_can_read(&self) {
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
