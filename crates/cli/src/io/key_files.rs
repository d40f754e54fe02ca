//! Reading key files, with a passphrase if the key is encrypted.

use crate::failure::Failure;
use crate::options::passphrase::PassphraseOptions;
use std::io::Read;
use std::path::Path;
use sunzi_pk::rsa::{KeyError, PrivateKey, PublicKey};
use zeroize::Zeroizing;

/// The largest length of a key file, in bytes. Keys have a few kilobytes; a wrong file may be
/// endless.
const MAX_LENGTH: u64 = 1 << 20;

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
pub(crate) fn read_private(
    path: &Path,
    passphrase: &PassphraseOptions,
) -> Result<PrivateKey, Failure> {
    let file = read(path)?;
    parse_private(path, &file, passphrase).map_err(|error| match error {
        PrivateKeyError::Key(KeyError::PublicKeyGiven) => Failure::new(format!(
            "{}: this is a public key: give the private one",
            path.display()
        )),
        other => other.into_failure(path),
    })
}

/// Reads a private or a public key.
pub(crate) fn read_any(path: &Path, passphrase: &PassphraseOptions) -> Result<AnyKey, Failure> {
    let file = read(path)?;
    match parse_private(path, &file, passphrase) {
        Ok(key) => Ok(AnyKey::Private(Box::new(key))),
        Err(PrivateKeyError::Key(KeyError::PublicKeyGiven)) => PublicKey::from_pem_or_der(&file)
            .map(AnyKey::Public)
            .map_err(|error| PrivateKeyError::Key(error).into_failure(path)),
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

impl PrivateKeyError {
    fn into_failure(self, path: &Path) -> Failure {
        match self {
            Self::Key(error) => Failure::new(format!("{}: {error}", path.display())),
            Self::Passphrase(failure) => failure,
        }
    }
}

/// The private key in the content `file` of a key file, decrypted with a passphrase if necessary.
fn parse_private(
    path: &Path,
    file: &[u8],
    passphrase: &PassphraseOptions,
) -> Result<PrivateKey, PrivateKeyError> {
    match PrivateKey::from_pem_or_der(file, None) {
        Err(KeyError::PassphraseNeeded) => {
            let passphrase = passphrase
                .to_open(path)
                .map_err(PrivateKeyError::Passphrase)?;
            PrivateKey::from_pem_or_der(file, Some(&passphrase)).map_err(PrivateKeyError::Key)
        }
        other => other.map_err(PrivateKeyError::Key),
    }
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let unreadable = |error| Failure::new(format!("{}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut content = Zeroizing::new(Vec::with_capacity(1 << 16));
    file.take(MAX_LENGTH + 1)
        .read_to_end(&mut content)
        .map_err(unreadable)?;
    if content.len() as u64 > MAX_LENGTH {
        return Err(Failure::new(format!(
            "{}: too long to be a key file",
            path.display()
        )));
    }
    Ok(content)
}
