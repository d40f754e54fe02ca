//! Reading key files, with a passphrase if the key is encrypted. A key is used by what it is.

use crate::failure::{Failure, report};
use crate::options::passphrase::{MAX_KDF_LIMIT, UnlockOptions};
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use sunzi_pk::ec::{Curve, PreparedCurves};
use sunzi_pk::{Hash, KeyAlgorithm, KeyFileError, MAX_FILE_BYTES, ec, rsa};
use zeroize::Zeroizing;

/// A private key; boxed, because it is much larger than a public one.
#[derive(Debug)]
pub(crate) enum PrivateKey {
    Rsa(Box<rsa::PrivateKey>),
    Ec(Box<ec::PrivateKey>),
}

impl PrivateKey {
    /// The public half.
    pub(crate) fn public(&self) -> PublicKey {
        match self {
            Self::Rsa(key) => PublicKey::Rsa(key.public_key().clone()),
            Self::Ec(key) => PublicKey::Ec(key.public_key().clone()),
        }
    }

    /// The RSA key that this must be to do what `verb` says.
    pub(crate) fn into_rsa(self, path: &Path, verb: &str) -> Result<rsa::PrivateKey, Failure> {
        match self {
            Self::Rsa(key) => Ok(*key),
            Self::Ec(key) => Err(not_rsa(path, key.curve(), verb)),
        }
    }
}

/// A public key.
#[derive(Debug)]
pub(crate) enum PublicKey {
    Rsa(rsa::PublicKey),
    Ec(ec::PublicKey),
}

impl PublicKey {
    /// The algorithm and the size, `RSA-2048`, or the name of the curve.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Rsa(key) => format!("RSA-{}", key.bits()),
            Self::Ec(key) => key.curve().to_string(),
        }
    }

    /// The key in PEM, as `SubjectPublicKeyInfo`.
    pub(crate) fn to_spki_pem(&self) -> Result<String, Failure> {
        match self {
            Self::Rsa(key) => Ok(key.to_spki_pem()),
            Self::Ec(key) => key.to_spki_pem().map_err(Failure::from_error),
        }
    }

    /// The SHA-256 of the `SubjectPublicKeyInfo` in DER, in words.
    pub(crate) fn fingerprint(&self) -> Result<String, Failure> {
        let der = match self {
            Self::Rsa(key) => key.to_spki_der(),
            Self::Ec(key) => key.to_spki_der().map_err(Failure::from_error)?,
        };
        let digest = Hash::Sha256.digest(&der);
        Ok(format!(
            "sha256:{}",
            base16ct::lower::encode_string(digest.as_bytes())
        ))
    }

    /// The RSA key that this must be to do what `verb` says.
    pub(crate) fn into_rsa(self, path: &Path, verb: &str) -> Result<rsa::PublicKey, Failure> {
        match self {
            Self::Rsa(key) => Ok(key),
            Self::Ec(key) => Err(not_rsa(path, key.curve(), verb)),
        }
    }
}

fn not_rsa(path: &Path, curve: &Curve, verb: &str) -> Failure {
    let path = path.display();
    Failure::new(format!(
        "{path}: a key of {curve} cannot {verb}: give an RSA key"
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
            Self::Private(key) => key.public(),
            Self::Public(key) => key,
        }
    }
}

/// Reads a private key. The public half of one of a curve is computed on the curves' engine.
pub(crate) fn read_private(
    path: &Path,
    unlock: &UnlockOptions,
    curves: &PreparedCurves,
) -> Result<PrivateKey, Failure> {
    match read_any(path, unlock, curves)? {
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
    curves: &PreparedCurves,
) -> Result<AnyKey, Failure> {
    read_with_encryption(path, unlock, curves).map(|(key, _)| key)
}

/// Reads a private or a public key, and tells whether its file is encrypted.
pub(crate) fn read_with_encryption(
    path: &Path,
    unlock: &UnlockOptions,
    curves: &PreparedCurves,
) -> Result<(AnyKey, bool), Failure> {
    let file = KeyFile::read(path)?;
    let key = file.open(unlock)?;
    let refused =
        |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    let rsa = |error: rsa::KeyError| refused(&error);
    let ec = |error: ec::KeyError| refused(&error);
    let (der, was_encrypted) = (key.der(), key.was_encrypted());
    let key = match (key.algorithm(), key.is_private()) {
        (KeyAlgorithm::Rsa, true) => {
            let key = rsa::PrivateKey::from_pem_or_der(der, None).map_err(rsa)?;
            AnyKey::Private(PrivateKey::Rsa(Box::new(key)))
        }
        (KeyAlgorithm::Rsa, false) => {
            let key = rsa::PublicKey::from_pem_or_der(der).map_err(rsa)?;
            AnyKey::Public(PublicKey::Rsa(key))
        }
        (KeyAlgorithm::Ec, true) => {
            let key = ec::PrivateKey::from_pem_or_der(curves, der, None).map_err(ec)?;
            AnyKey::Private(PrivateKey::Ec(Box::new(key)))
        }
        (KeyAlgorithm::Ec, false) => {
            let key = ec::PublicKey::from_pem_or_der(der).map_err(ec)?;
            AnyKey::Public(PublicKey::Ec(key))
        }
        (other, _) => {
            return Err(refused(&format_args!(
                "neither an RSA key nor one of a curve for ECDSA: its algorithm is {other}"
            )));
        }
    };
    if matches!(key, AnyKey::Private(_)) {
        file.warn_if_others_can_read();
    }
    Ok((key, was_encrypted))
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
