//! Key files: reading them, with a passphrase where one is needed.

use crate::failure::Failure;
use crate::passphrase::Source;
use std::io::Read;
use std::path::Path;
use sunzi_pk::rsa::{KeyError, PrivateKey, PublicKey};
use zeroize::Zeroizing;

/// The largest key file: keys have a few kilobytes, and a wrong file may be endless.
const MAX_LENGTH: u64 = 1 << 20;

/// A key of either kind.
#[derive(Debug)]
pub(crate) enum Key {
    /// A private key; boxed, for it is much larger.
    Private(Box<PrivateKey>),
    /// A public key.
    Public(PublicKey),
}

impl Key {
    /// The public half.
    pub(crate) fn public(&self) -> &PublicKey {
        match self {
            Self::Private(key) => key.public_key(),
            Self::Public(key) => key,
        }
    }
}

/// Reads a private key.
pub(crate) fn private(path: &Path, passphrase: &Source) -> Result<PrivateKey, Failure> {
    let file = read(path)?;
    open(path, &file, passphrase).map_err(|error| match error {
        Refusal::Key(KeyError::PublicKeyGiven) => Failure::new(format!(
            "{}: this is a public key: give the private one",
            path.display()
        )),
        other => other.into_failure(path),
    })
}

/// Reads a key of either kind.
pub(crate) fn any(path: &Path, passphrase: &Source) -> Result<Key, Failure> {
    let file = read(path)?;
    match open(path, &file, passphrase) {
        Ok(key) => Ok(Key::Private(Box::new(key))),
        Err(Refusal::Key(KeyError::PublicKeyGiven)) => PublicKey::from_pem_or_der(&file)
            .map(Key::Public)
            .map_err(|error| Refusal::Key(error).into_failure(path)),
        Err(other) => Err(other.into_failure(path)),
    }
}

/// Why a private key could not be had.
enum Refusal {
    Key(KeyError),
    Other(Failure),
}

impl Refusal {
    fn into_failure(self, path: &Path) -> Failure {
        match self {
            Self::Key(error) => Failure::new(format!("{}: {error}", path.display())),
            Self::Other(failure) => failure,
        }
    }
}

fn open(path: &Path, file: &[u8], passphrase: &Source) -> Result<PrivateKey, Refusal> {
    match PrivateKey::from_pem_or_der(file, None) {
        Err(KeyError::PassphraseNeeded) => {
            let passphrase = passphrase.to_open(path).map_err(Refusal::Other)?;
            PrivateKey::from_pem_or_der(file, Some(&passphrase)).map_err(Refusal::Key)
        }
        other => other.map_err(Refusal::Key),
    }
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let told = |error| Failure::new(format!("{}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(told)?;
    let mut content = Zeroizing::new(Vec::with_capacity(1 << 16));
    file.take(MAX_LENGTH + 1)
        .read_to_end(&mut content)
        .map_err(told)?;
    if content.len() as u64 > MAX_LENGTH {
        return Err(Failure::new(format!(
            "{}: too long to be a key file",
            path.display()
        )));
    }
    Ok(content)
}
