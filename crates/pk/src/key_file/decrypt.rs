//! Decryption of PKCS#8.

use super::error::KeyFileError;
use super::kdf::KdfLimits;
use crate::wipe::wipe_stack;
use der::Decode;
use pkcs8::{EncryptedPrivateKeyInfoRef, pkcs5};
use zeroize::Zeroizing;

/// The PKCS#8 `PrivateKeyInfo` that an `EncryptedPrivateKeyInfo` holds.
pub(super) fn decrypt(
    der: &[u8],
    passphrase: Option<&[u8]>,
    limits: KdfLimits,
) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    let unsupported = |e: &dyn ToString| KeyFileError::UnsupportedEncryption(e.to_string());
    let info = EncryptedPrivateKeyInfoRef::from_der(der).map_err(|e| unsupported(&e))?;
    if let pkcs5::EncryptionScheme::Pbes2(parameters) = &info.encryption_algorithm {
        limits.check(&parameters.kdf)?;
    }
    let passphrase = passphrase.ok_or(KeyFileError::PassphraseNeeded)?;
    let decrypted = info.decrypt(passphrase);
    // Decryption by AES leaves up to 64 decrypted blocks there.
    wipe_stack();
    match decrypted {
        Ok(document) => Ok(document.to_bytes()),
        // Either the padding of a wrong decryption was right by chance (1 in 256), or what was
        // encrypted is not a key.
        Err(pkcs8::Error::Asn1(_)) => Err(KeyFileError::WrongPassphrase),
        Err(pkcs8::Error::EncryptedPrivateKey(pkcs5::Error::DecryptFailed)) => {
            Err(KeyFileError::WrongPassphrase)
        }
        Err(e) => Err(unsupported(&e)),
    }
}
