//! Key files of RFC 8410, in PEM or DER: PKCS#8, also encrypted, and `SubjectPublicKeyInfo`, whose
//! algorithm names the curve; and JSON Web Keys.

use crate::key_file::{
    Contents, Format, KdfLimits, KeyFileError, LABEL_PKCS8, LABEL_SPKI, algorithm_name,
    encrypted_pkcs8_pem, malformed, pkcs8_der, read, spki_der,
};
use der::asn1::{ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode};
use pkcs8::PrivateKeyInfoRef;
use rand_core::CryptoRng;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

/// The reason why a file has no key of the wanted kind.
pub(super) enum Refusal {
    File(KeyFileError),
    PrivateKeyGiven,
    /// Its algorithm.
    Other(String),
}

impl From<KeyFileError> for Refusal {
    fn from(error: KeyFileError) -> Self {
        Self::File(error)
    }
}

/// A public key: the algorithm that `known` finds, and the bytes.
pub(super) fn public_key<A>(
    file: &[u8],
    known: impl Fn(&ObjectIdentifier) -> Option<A>,
) -> Result<(A, Vec<u8>), Refusal> {
    let Contents::Key(format, der) = read(file, LABEL_SPKI)? else {
        return Err(Refusal::PrivateKeyGiven);
    };
    match format {
        Format::Spki => {
            let info = SubjectPublicKeyInfoRef::from_der(&der).map_err(malformed)?;
            let algorithm = algorithm(&info.algorithm, known)?;
            let bytes = info.subject_public_key.as_bytes();
            let bytes = bytes.ok_or_else(|| malformed("the key's bit string has unused bits"))?;
            Ok((algorithm, bytes.to_vec()))
        }
        Format::Sec1 | Format::Pkcs8 => Err(Refusal::PrivateKeyGiven),
        other => Err(other_format(other)),
    }
}

/// A private key.
pub(super) struct Private<A> {
    pub(super) algorithm: A,
    pub(super) bytes: Zeroizing<Vec<u8>>,
    /// The public key, if the file has it.
    pub(super) public: Option<Vec<u8>>,
}

/// A private key, with an algorithm that `known` finds.
pub(super) fn private_key<A>(
    file: &[u8],
    passphrase: Option<&[u8]>,
    limits: KdfLimits,
    known: impl Fn(&ObjectIdentifier) -> Option<A>,
) -> Result<Private<A>, Refusal> {
    let (format, der) = read(file, LABEL_PKCS8)?.decrypted(passphrase, limits)?;
    let der = match format {
        Format::Pkcs8 => der,
        Format::Spki => return Err(KeyFileError::PublicKeyGiven.into()),
        other => return Err(other_format(other)),
    };
    let info = PrivateKeyInfoRef::from_der(&der).map_err(malformed)?;
    let algorithm = algorithm(&info.algorithm, known)?;
    // CurvePrivateKey ::= OCTET STRING
    let bytes = <&OctetStringRef>::from_der(info.private_key.as_bytes()).map_err(malformed)?;
    let public = match info.public_key {
        None => None,
        Some(bits) => {
            let bytes = bits.as_bytes();
            let bytes = bytes.ok_or_else(|| malformed("the key's bit string has unused bits"))?;
            Some(bytes.to_vec())
        }
    };
    Ok(Private {
        algorithm,
        bytes: Zeroizing::new(bytes.as_bytes().to_vec()),
        public,
    })
}

/// The reason why a file in a format of other keys is refused.
fn other_format(format: Format) -> Refusal {
    match format {
        Format::Certificate => KeyFileError::Certificate.into(),
        Format::Sec1 => Refusal::Other("EC".into()),
        Format::Other(algorithm) => Refusal::Other(algorithm),
        _ => Refusal::Other("RSA".into()),
    }
}

fn algorithm<A>(
    algorithm: &AlgorithmIdentifierRef<'_>,
    known: impl Fn(&ObjectIdentifier) -> Option<A>,
) -> Result<A, Refusal> {
    let found = known(&algorithm.oid);
    let found = found.ok_or_else(|| Refusal::Other(algorithm_name(algorithm.oid)))?;
    // RFC 8410, section 3.
    if algorithm.parameters.is_some() {
        return Err(malformed("its algorithm has parameters").into());
    }
    Ok(found)
}

fn identifier(oid: ObjectIdentifier) -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifierRef {
        oid,
        parameters: None,
    }
}

/// A public key as `SubjectPublicKeyInfo` in DER.
pub(super) fn public_der(oid: ObjectIdentifier, key: &[u8]) -> Vec<u8> {
    spki_der(identifier(oid), key)
}

/// `CurvePrivateKey`.
fn curve_private_key(key: &[u8]) -> Zeroizing<Vec<u8>> {
    const ENCODES: &str = "a key of 57 bytes is within DER's limits";
    let key = OctetStringRef::new(key).expect(ENCODES);
    Zeroizing::new(Encode::to_der(&key).expect(ENCODES))
}

/// A private key as PKCS#8 `PrivateKeyInfo` in DER.
pub(super) fn private_der(oid: ObjectIdentifier, key: &[u8]) -> Zeroizing<Vec<u8>> {
    pkcs8_der(identifier(oid), &curve_private_key(key))
}

/// A private key as PKCS#8 `EncryptedPrivateKeyInfo` in PEM.
///
/// # Errors
/// [`KeyFileError::EmptyPassphrase`].
pub(super) fn encrypted_pem<R: CryptoRng + ?Sized>(
    rng: &mut R,
    passphrase: &[u8],
    oid: ObjectIdentifier,
    key: &[u8],
) -> Result<Zeroizing<String>, KeyFileError> {
    encrypted_pkcs8_pem(rng, passphrase, identifier(oid), &curve_private_key(key))
}

/// Reading and writing of the types `PublicKey` and `PrivateKey` of a module, for its curves and these
/// when prepared; and `KeyError` of [`Refusal`].
macro_rules! key_files {
    ($curve:ident, $prepared:ident) => {
        fn known(oid: &ObjectIdentifier) -> Option<$curve> {
            let mut curves = $curve::ALL.iter();
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
            /// Reads a public key from PEM or DER, as `SubjectPublicKeyInfo`, or JSON (JWK).
            ///
            /// # Errors
            /// The [`KeyError`] that names the file's actual content, or the defect of the key.
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

            /// The key as JSON Web Key (RFC 8037).
            pub fn to_jwk(&self) -> String {
                jwk::octet_key(self.curve().oid(), self.as_bytes(), None).to_string()
            }
        }

        impl PrivateKey {
            /// Reads a private key from PEM or DER: PKCS#8, or PKCS#8 encrypted with the passphrase, or JSON
            /// (JWK). The public key is computed; one that the file has must be the same.
            ///
            /// # Errors
            /// The [`KeyError`] that names the file's actual content, or the defect of the key.
            pub fn from_pem_or_der(
                curves: &$prepared,
                file: &[u8],
                passphrase: Option<&[u8]>,
            ) -> Result<Self, KeyError> {
                Self::from_pem_or_der_within(curves, file, passphrase, KdfLimits::default())
            }

            /// [`from_pem_or_der`](Self::from_pem_or_der) with other limits on what opening an encrypted
            /// file may cost. The limits are checked before a passphrase is asked for.
            ///
            /// # Errors
            /// The [`KeyError`] that names the file's actual content, or the defect of the key.
            pub fn from_pem_or_der_within(
                curves: &$prepared,
                file: &[u8],
                passphrase: Option<&[u8]>,
                limits: KdfLimits,
            ) -> Result<Self, KeyError> {
                let read = private_key(file, passphrase, limits, known)?;
                let key = Self::from_bytes(&curves.get(read.algorithm)?, &read.bytes)?;
                match read.public {
                    Some(public) if public != key.public_key().as_bytes() => {
                        Err(KeyError::Mismatch)
                    }
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

            /// The key as JSON Web Key (RFC 8037), without encryption.
            pub fn to_jwk(&self) -> Zeroizing<String> {
                let public = self.public_key().as_bytes();
                jwk::octet_key(self.curve().oid(), public, Some(self.as_bytes()))
            }
        }
    };
}

pub(super) use key_files;
