//! Keys written as DER and PEM.

use super::error::KeyFileError;
use super::format::LABEL_PKCS8_ENCRYPTED;
use der::asn1::{BitStringRef, OctetStringRef};
use der::pem::LineEnding;
use der::{Encode, SecretDocument};
use pkcs8::{PrivateKeyInfoRef, pkcs5};
use rand_core::CryptoRng;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

/// The reason why the encoders cannot fail.
pub(crate) const ENCODES: &str = "a key of at most 16,384 bits is within DER's limits";

pub(crate) fn encode(message: &impl Encode) -> SecretDocument {
    SecretDocument::encode_msg(message).expect(ENCODES)
}

/// A public key as `SubjectPublicKeyInfo` in DER.
pub(crate) fn spki_der(algorithm: AlgorithmIdentifierRef<'_>, key: &[u8]) -> Vec<u8> {
    let info = SubjectPublicKeyInfoRef {
        algorithm,
        subject_public_key: BitStringRef::from_bytes(key).expect(ENCODES),
    };
    encode(&info).as_bytes().to_vec()
}

/// A private key as PKCS#8 `PrivateKeyInfo` in DER.
pub(crate) fn pkcs8_der(algorithm: AlgorithmIdentifierRef<'_>, key: &[u8]) -> Zeroizing<Vec<u8>> {
    encode(&private_key_info(algorithm, key)).to_bytes()
}

/// A private key as PKCS#8 `PrivateKeyInfo`.
pub(super) fn private_key_info<'a>(
    algorithm: AlgorithmIdentifierRef<'a>,
    key: &'a [u8],
) -> PrivateKeyInfoRef<'a> {
    PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(key).expect(ENCODES))
}

/// Number of PBKDF2 iterations in the encrypted keys that are written.
const PBKDF2_ROUNDS: u32 = 600_000;

/// A private key as PKCS#8 `EncryptedPrivateKeyInfo` in PEM. The encryption is PBES2 with
/// PBKDF2-HMAC-SHA-256 (600,000 iterations, a fresh salt of 16 bytes) and AES-256-CBC, which every
/// common tool reads.
///
/// # Errors
/// [`KeyFileError::EmptyPassphrase`].
pub(crate) fn encrypted_pkcs8_pem<R: CryptoRng + ?Sized>(
    rng: &mut R,
    passphrase: &[u8],
    algorithm: AlgorithmIdentifierRef<'_>,
    key: &[u8],
) -> Result<Zeroizing<String>, KeyFileError> {
    if passphrase.is_empty() {
        return Err(KeyFileError::EmptyPassphrase);
    }
    let mut salt = [0; 16];
    let mut iv = [0; 16];
    rng.fill_bytes(&mut salt);
    rng.fill_bytes(&mut iv);
    let with = pkcs5::pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(PBKDF2_ROUNDS, &salt, iv);
    let document = with
        .map_err(pkcs8::Error::from)
        .and_then(|with| private_key_info(algorithm, key).encrypt_with_params(with, passphrase))
        .expect("the parameters are valid");
    Ok(private_pem(LABEL_PKCS8_ENCRYPTED, document.as_bytes()))
}

pub(crate) fn public_pem(label: &str, der: &[u8]) -> String {
    der::pem::encode_string(label, LineEnding::LF, der).expect(ENCODES)
}

pub(crate) fn private_pem(label: &str, der: &[u8]) -> Zeroizing<String> {
    Zeroizing::new(public_pem(label, der))
}
