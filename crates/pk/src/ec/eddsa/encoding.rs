//! Key files (RFC 8410), in PEM or DER: PKCS#8, also encrypted, and `SubjectPublicKeyInfo`.

use super::super::rfc8410::{
    Refusal, encrypted_pem, private_der, private_key, public_der, public_key,
};
use super::key::{KeyError, PrivateKey, PublicKey};
use crate::ec::{EdwardsCurve, PreparedEdwardsCurves};
use crate::key_file::{KdfLimits, LABEL_PKCS8, LABEL_SPKI, private_pem, public_pem};
use der::asn1::ObjectIdentifier;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

fn known(oid: &ObjectIdentifier) -> Option<EdwardsCurve> {
    let mut curves = EdwardsCurve::ALL.iter();
    curves.find(|curve| curve.oid() == *oid).copied()
}

impl From<Refusal> for KeyError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::File(error) => Self::File(error),
            Refusal::PrivateKeyGiven => Self::PrivateKeyGiven,
            Refusal::Other(algorithm) => Self::OtherAlgorithm(algorithm),
        }
    }
}

impl PublicKey {
    /// Reads a public key from PEM or DER, as `SubjectPublicKeyInfo`.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der(file: &[u8]) -> Result<Self, KeyError> {
        let (curve, bytes) = public_key(file, known)?;
        Self::from_bytes(curve, &bytes)
    }

    /// The key as `SubjectPublicKeyInfo` in DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        public_der(self.curve().oid(), self.as_bytes())
    }

    /// The key as `SubjectPublicKeyInfo` in PEM.
    pub fn to_spki_pem(&self) -> String {
        public_pem(LABEL_SPKI, &self.to_spki_der())
    }
}

impl PrivateKey {
    /// Reads a private key from PEM or DER: PKCS#8, or PKCS#8 encrypted with the passphrase. The public
    /// key is computed; one that the file has must be the same.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der(
        curves: &PreparedEdwardsCurves,
        file: &[u8],
        passphrase: Option<&[u8]>,
    ) -> Result<Self, KeyError> {
        Self::from_pem_or_der_within(curves, file, passphrase, KdfLimits::default())
    }

    /// [`from_pem_or_der`](Self::from_pem_or_der) with other limits on what opening an encrypted
    /// file may cost. The limits are checked before a passphrase is asked for.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der_within(
        curves: &PreparedEdwardsCurves,
        file: &[u8],
        passphrase: Option<&[u8]>,
        limits: KdfLimits,
    ) -> Result<Self, KeyError> {
        let read = private_key(file, passphrase, limits, known)?;
        let key = Self::from_bytes(&curves.get(read.algorithm)?, &read.bytes)?;
        match read.public {
            Some(public) if public != key.public_key().as_bytes() => Err(KeyError::Mismatch),
            _ => Ok(key),
        }
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in DER.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        private_der(self.curve().oid(), self.as_bytes())
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in PEM.
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        private_pem(LABEL_PKCS8, &self.to_pkcs8_der())
    }

    /// The key as PKCS#8 `EncryptedPrivateKeyInfo` in PEM. The encryption is PBES2 with
    /// PBKDF2-HMAC-SHA-256 (600,000 iterations, a fresh salt of 16 bytes) and AES-256-CBC, which
    /// every common tool reads.
    ///
    /// # Errors
    /// [`KeyFileError::EmptyPassphrase`](crate::KeyFileError::EmptyPassphrase), as
    /// [`KeyError::File`].
    pub fn to_encrypted_pkcs8_pem<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        passphrase: &[u8],
    ) -> Result<Zeroizing<String>, KeyError> {
        let oid = self.curve().oid();
        Ok(encrypted_pem(rng, passphrase, oid, self.as_bytes())?)
    }
}
