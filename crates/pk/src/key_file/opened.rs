//! Key files whose algorithm is not known beforehand.

use super::error::{KeyFileError, malformed};
use super::format::{Contents, Format, LABEL_PKCS8, RSA_PSS, algorithm_name};
use super::kdf::KdfLimits;
use super::read::read;
use crate::ec::{EdwardsCurve, MontgomeryCurve};
use core::fmt;
use der::Decode;
use pkcs8::PrivateKeyInfoRef;
use spki::SubjectPublicKeyInfoRef;
use zeroize::Zeroizing;

/// The algorithm of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyAlgorithm {
    /// RSA: a key of [`crate::rsa`].
    Rsa,
    /// A curve for ECDSA and ECDH: a key of [`crate::ec`].
    Ec,
    /// An Edwards curve: a key of [`crate::ec::eddsa`].
    Edwards(EdwardsCurve),
    /// A Montgomery curve: a key of [`crate::ec::xdh`].
    Montgomery(MontgomeryCurve),
    /// Another algorithm, by its usual name or its object identifier.
    Other(String),
}

impl KeyAlgorithm {
    fn named(name: String) -> Self {
        match name.as_str() {
            "RSA" | RSA_PSS => Self::Rsa,
            "EC" => Self::Ec,
            _ => {
                let edwards = EdwardsCurve::ALL
                    .iter()
                    .find(|curve| algorithm_name(curve.oid()) == name);
                let montgomery = MontgomeryCurve::ALL.iter();
                let mut montgomery = montgomery.filter(|curve| algorithm_name(curve.oid()) == name);
                match (edwards, montgomery.next()) {
                    (Some(&curve), _) => Self::Edwards(curve),
                    (None, Some(&curve)) => Self::Montgomery(curve),
                    (None, None) => Self::Other(name),
                }
            }
        }
    }
}

impl fmt::Display for KeyAlgorithm {
    /// Its usual name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rsa => f.write_str("RSA"),
            Self::Ec => f.write_str("EC"),
            Self::Edwards(curve) => f.write_str(&algorithm_name(curve.oid())),
            Self::Montgomery(curve) => f.write_str(&algorithm_name(curve.oid())),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// A key file in PEM, DER, JSON (JWK) or a format of OpenSSH whose algorithm is known, without encryption; wiped on
/// drop.
///
/// The numbers of the key are checked by the reader of [`der`](Self::der), the `from_pem_or_der` of the algorithm's
/// keys.
pub struct KeyFile {
    algorithm: KeyAlgorithm,
    is_private: bool,
    was_encrypted: bool,
    der: Zeroizing<Vec<u8>>,
}

impl KeyFile {
    /// Opens a file: the private key in it if there is one, else the public key. An encrypted one may
    /// cost what the limits permit.
    ///
    /// # Errors
    /// The [`KeyFileError`] that names the defect; [`KeyFileError::PassphraseNeeded`] if the key is encrypted and there
    /// is no passphrase.
    pub fn open(
        file: &[u8],
        passphrase: Option<&[u8]>,
        limits: KdfLimits,
    ) -> Result<Self, KeyFileError> {
        let contents = read(file, LABEL_PKCS8)?;
        let was_encrypted = matches!(contents, Contents::Encrypted(..));
        let (format, der) = contents.decrypted(passphrase, limits)?;
        Self::new(format, der, was_encrypted)
    }

    pub(super) fn new(
        format: Format,
        der: Zeroizing<Vec<u8>>,
        was_encrypted: bool,
    ) -> Result<Self, KeyFileError> {
        let opened = |algorithm, is_private, der| Self {
            algorithm,
            is_private,
            was_encrypted,
            der,
        };
        Ok(match format {
            Format::Pkcs1Private => opened(KeyAlgorithm::Rsa, true, der),
            Format::Pkcs1Public => opened(KeyAlgorithm::Rsa, false, der),
            Format::Sec1 => opened(KeyAlgorithm::Ec, true, der),
            Format::Pkcs8 => opened(pkcs8_algorithm(&der)?, true, der),
            Format::Spki => {
                let info = SubjectPublicKeyInfoRef::from_der(&der).map_err(malformed)?;
                let name = algorithm_name(info.algorithm.oid);
                opened(KeyAlgorithm::named(name), false, der)
            }
            Format::Certificate => return Err(KeyFileError::Certificate),
            Format::Other(name) => opened(KeyAlgorithm::Other(name), true, der),
        })
    }

    /// The algorithm of the key.
    pub fn algorithm(&self) -> &KeyAlgorithm {
        &self.algorithm
    }

    /// Whether it is a private key.
    pub fn is_private(&self) -> bool {
        self.is_private
    }

    /// Whether the file is encrypted.
    pub fn was_encrypted(&self) -> bool {
        self.was_encrypted
    }

    /// The key in DER: in the format of the file, in PKCS#8 if that was encrypted PKCS#8 or PKCS#12, and in
    /// PKCS#1, SEC 1, PKCS#8 or `SubjectPublicKeyInfo` if it was JSON or OpenSSH's. Empty for other algorithms in
    /// JSON and OpenSSH's formats.
    pub fn der(&self) -> &[u8] {
        &self.der
    }
}

impl fmt::Debug for KeyFile {
    /// Shows nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyFile")
            .field("algorithm", &self.algorithm)
            .field("is_private", &self.is_private)
            .finish_non_exhaustive()
    }
}

fn pkcs8_algorithm(der: &[u8]) -> Result<KeyAlgorithm, KeyFileError> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(malformed)?;
    Ok(KeyAlgorithm::named(algorithm_name(info.algorithm.oid)))
}
