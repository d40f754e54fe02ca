//! Reading key files, with a passphrase if the key is encrypted.

use crate::failure::{Failure, report};
use crate::options::passphrase::{MAX_KDF_LIMIT, UnlockOptions};
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use sunzi_pk::rsa::{KeyError, PrivateKey, PublicKey};
use sunzi_pk::{KeyFileError, MAX_FILE_BYTES};
use zeroize::Zeroizing;

/// A private or a public key.
pub(crate) enum AnyKey {
    /// A private key, which is boxed because it is much larger than a public one.
    Private(Box<PrivateKey>),
    /// A public key.
    Public(PublicKey),
}

impl AnyKey {
    /// The public key, or the public half of the private key.
    pub(crate) fn public(&self) -> &PublicKey {
        match self {
            Self::Private(key) => key.public_key(),
            Self::Public(key) => key,
        }
    }
}

/// Reads a private key.
pub(crate) fn read_private(path: &Path, unlock: &UnlockOptions) -> Result<PrivateKey, Failure> {
    let file = KeyFile::read(path)?;
    file.private(unlock).map_err(|error| match error {
        PrivateKeyError::Key(KeyError::File(KeyFileError::PublicKeyGiven)) => {
            Failure::new(format!(
                "{}: this is a public key: give the private one",
                path.display()
            ))
        }
        other => other.into_failure(path),
    })
}

/// Reads a private or a public key.
pub(crate) fn read_any(path: &Path, unlock: &UnlockOptions) -> Result<AnyKey, Failure> {
    let file = KeyFile::read(path)?;
    match file.private(unlock) {
        Ok(key) => Ok(AnyKey::Private(Box::new(key))),
        Err(PrivateKeyError::Key(KeyError::File(KeyFileError::PublicKeyGiven))) => {
            PublicKey::from_pem_or_der(&file.content)
                .map(AnyKey::Public)
                .map_err(|error| PrivateKeyError::Key(error).into_failure(path))
        }
        Err(other) => Err(other.into_failure(path)),
    }
}

/// The reason why a file gave no private key.
enum PrivateKeyError {
    /// The content of the file is not a usable private key.
    Key(KeyError),
    /// The passphrase could not be read.
    Passphrase(Failure),
}

impl From<KeyError> for PrivateKeyError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl PrivateKeyError {
    fn into_failure(self, path: &Path) -> Failure {
        let error = match self {
            Self::Key(error) => error,
            Self::Passphrase(failure) => return failure,
        };
        let advice = match error {
            KeyError::File(KeyFileError::KdfCost { factor, .. })
                if factor <= u64::from(MAX_KDF_LIMIT) =>
            {
                format!("; --kdf-limit {factor} permits it, if you trust whoever made the file")
            }
            _ => String::new(),
        };
        Failure::new(format!("{}: {error}{advice}", path.display()))
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

    /// The private key, decrypted with a passphrase if necessary.
    fn private(&self, unlock: &UnlockOptions) -> Result<PrivateKey, PrivateKeyError> {
        let limits = unlock.kdf_limits();
        let open =
            |passphrase| PrivateKey::from_pem_or_der_within(&self.content, passphrase, limits);
        let key = match open(None) {
            Err(KeyError::File(KeyFileError::PassphraseNeeded)) => {
                let passphrase = unlock
                    .passphrase(self.path)
                    .map_err(PrivateKeyError::Passphrase)?;
                open(Some(&passphrase))?
            }
            other => other?,
        };
        self.warn_if_others_can_read();
        Ok(key)
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
