//! Key files, in PEM or DER: `ECPrivateKey` (SEC 1, appendix C.4), PKCS#8 (RFC 5958), also encrypted,
//! `SubjectPublicKeyInfo` (RFC 5480), and JSON Web Keys (RFC 7517), for curves that have an object identifier.

use super::curve::Curve;
use super::key::{KeyError, PrivateKey, PublicKey};
use super::prepared::PreparedCurves;
use crate::key_file::{
    Contents, Format, KdfLimits, KeyFileError, LABEL_PKCS8, LABEL_SEC1, LABEL_SPKI, algorithm_name,
    encode, encrypted_pkcs8_pem, jwk, malformed, pkcs8_der, private_pem, public_pem, read,
    spki_der,
};
use der::Decode;
use der::asn1::{AnyRef, ObjectIdentifier};
use pkcs8::PrivateKeyInfoRef;
use rand_core::CryptoRng;
use sec1::{EcParameters, EcPrivateKey};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

/// `id-ecPublicKey` (RFC 5480, section 2.1.1).
const ALGORITHM: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

impl PublicKey {
    /// Reads a public key from PEM or DER, as `SubjectPublicKeyInfo`, or a JSON Web Key.
    ///
    /// # Errors
    /// The [`KeyError`] that names the file's actual content, or the defect of the key.
    pub fn from_pem_or_der(file: &[u8]) -> Result<Self, KeyError> {
        let Contents::Key(format, der) = read(file, LABEL_SPKI)? else {
            return Err(KeyError::PrivateKeyGiven);
        };
        match format {
            Format::Spki => {
                let info = SubjectPublicKeyInfoRef::from_der(&der).map_err(malformed)?;
                let curve = curve_of(&info.algorithm)?;
                let point = info.subject_public_key.as_bytes();
                let point =
                    point.ok_or_else(|| malformed("the key's bit string has unused bits"))?;
                Self::from_sec1_bytes(&curve, point)
            }
            Format::Sec1 | Format::Pkcs8 => Err(KeyError::PrivateKeyGiven),
            other => Err(other_format(other)),
        }
    }

    /// The key as `SubjectPublicKeyInfo` in DER, its point uncompressed.
    ///
    /// # Errors
    /// [`KeyError::NoIdentifier`].
    pub fn to_spki_der(&self) -> Result<Vec<u8>, KeyError> {
        let curve = identifier(self.curve())?;
        Ok(spki_der(algorithm(&curve), &self.to_sec1_bytes(false)))
    }

    /// The key as JSON Web Key (RFC 7518, section 6.2.1; RFC 8812).
    ///
    /// # Errors
    /// [`KeyError::NoJwkName`].
    pub fn to_jwk(&self) -> Result<String, KeyError> {
        Ok(self.jwk(None)?.to_string())
    }

    fn jwk(&self, d: Option<&[u8]>) -> Result<Zeroizing<String>, KeyError> {
        let oid = self.curve().oid();
        let key = oid.and_then(|oid| jwk::ec_key(&oid, &self.to_sec1_bytes(false), d));
        key.ok_or_else(|| KeyError::NoJwkName(self.curve().to_string()))
    }

    /// The key as `SubjectPublicKeyInfo` in PEM.
    ///
    /// # Errors
    /// [`KeyError::NoIdentifier`].
    pub fn to_spki_pem(&self) -> Result<String, KeyError> {
        Ok(public_pem(LABEL_SPKI, &self.to_spki_der()?))
    }
}

impl PrivateKey {
    /// Reads a private key from PEM, DER or JSON: `ECPrivateKey`, PKCS#8, PKCS#8 encrypted with the
    /// passphrase, or a JSON Web Key. The public key is computed; one that the file has must be the same.
    ///
    /// # Errors
    /// The [`KeyError`] that names the file's actual content, or the defect of the key.
    pub fn from_pem_or_der(
        curves: &PreparedCurves,
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
        curves: &PreparedCurves,
        file: &[u8],
        passphrase: Option<&[u8]>,
        limits: KdfLimits,
    ) -> Result<Self, KeyError> {
        let (format, der) = read(file, LABEL_PKCS8)?.decrypted(passphrase, limits)?;
        match format {
            Format::Sec1 => from_sec1(curves, None, &der),
            Format::Pkcs8 => from_pkcs8(curves, &der),
            Format::Spki => Err(KeyFileError::PublicKeyGiven.into()),
            other => Err(other_format(other)),
        }
    }

    /// The key as `ECPrivateKey` in DER, with its curve and its public key.
    ///
    /// # Errors
    /// [`KeyError::NoIdentifier`].
    pub fn to_sec1_der(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let curve = identifier(self.curve())?;
        Ok(self.sec1(Some(EcParameters::NamedCurve(curve))))
    }

    /// The key as `ECPrivateKey` in PEM.
    ///
    /// # Errors
    /// [`KeyError::NoIdentifier`].
    pub fn to_sec1_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        Ok(private_pem(LABEL_SEC1, &self.to_sec1_der()?))
    }

    /// The key as JSON Web Key (RFC 7518, section 6.2.2; RFC 8812).
    ///
    /// # Errors
    /// [`KeyError::NoJwkName`].
    pub fn to_jwk(&self) -> Result<Zeroizing<String>, KeyError> {
        self.public_key().jwk(Some(&self.to_bytes()))
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in DER.
    ///
    /// # Errors
    /// [`KeyError::NoIdentifier`].
    pub fn to_pkcs8_der(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let curve = identifier(self.curve())?;
        Ok(pkcs8_der(algorithm(&curve), &self.sec1(None)))
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in PEM.
    ///
    /// # Errors
    /// [`KeyError::NoIdentifier`].
    pub fn to_pkcs8_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        Ok(private_pem(LABEL_PKCS8, &self.to_pkcs8_der()?))
    }

    /// The key as PKCS#8 `EncryptedPrivateKeyInfo` in PEM. The encryption is PBES2 with
    /// PBKDF2-HMAC-SHA-256 (600,000 iterations, a fresh salt of 16 bytes) and AES-256-CBC, which
    /// every common tool reads.
    ///
    /// # Errors
    /// [`KeyFileError::EmptyPassphrase`], as [`KeyError::File`]; [`KeyError::NoIdentifier`].
    pub fn to_encrypted_pkcs8_pem<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        passphrase: &[u8],
    ) -> Result<Zeroizing<String>, KeyError> {
        let curve = identifier(self.curve())?;
        let key = self.sec1(None);
        Ok(encrypted_pkcs8_pem(
            rng,
            passphrase,
            algorithm(&curve),
            &key,
        )?)
    }

    fn sec1(&self, parameters: Option<EcParameters>) -> Zeroizing<Vec<u8>> {
        let (private_key, public_key) = (self.to_bytes(), self.public_key().to_sec1_bytes(false));
        encode(&EcPrivateKey {
            private_key: &private_key,
            parameters,
            public_key: Some(&public_key),
        })
        .to_bytes()
    }
}

fn from_pkcs8(curves: &PreparedCurves, der: &[u8]) -> Result<PrivateKey, KeyError> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(malformed)?;
    let curve = curve_of(&info.algorithm)?;
    from_sec1(curves, Some(curve), info.private_key.as_bytes())
}

/// The key of an `ECPrivateKey`, which names its curve unless that is given.
fn from_sec1(
    curves: &PreparedCurves,
    given: Option<Curve>,
    der: &[u8],
) -> Result<PrivateKey, KeyError> {
    let key = EcPrivateKey::from_der(der).map_err(malformed)?;
    let named = match &key.parameters {
        Some(EcParameters::NamedCurve(oid)) => Some(named(oid)?),
        None => None,
    };
    if let (Some(given), Some(named)) = (&given, &named)
        && given != named
    {
        return Err(malformed(format_args!("it is for {given} and for {named}")).into());
    }
    let curve = given
        .or(named)
        .ok_or_else(|| malformed("it does not say for which curve"))?;
    let private = PrivateKey::from_bytes(&curves.get(&curve)?, key.private_key)?;
    match key.public_key {
        Some(point) if PublicKey::from_sec1_bytes(&curve, point)? != *private.public_key() => {
            Err(KeyError::Mismatch)
        }
        _ => Ok(private),
    }
}

/// The reason why a file in a format of other keys is refused.
fn other_format(format: Format) -> KeyError {
    match format {
        Format::Certificate => KeyFileError::Certificate.into(),
        Format::Other(algorithm) => KeyError::OtherAlgorithm(algorithm),
        _ => KeyError::OtherAlgorithm("RSA".into()),
    }
}

/// The curve of an algorithm identifier.
fn curve_of(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<Curve, KeyError> {
    if algorithm.oid != ALGORITHM {
        return Err(KeyError::OtherAlgorithm(algorithm_name(algorithm.oid)));
    }
    let parameters = algorithm.parameters;
    let parameters = parameters.ok_or_else(|| malformed("it does not say for which curve"))?;
    match parameters.decode_as::<ObjectIdentifier>() {
        Ok(oid) => named(&oid),
        Err(_) => Err(KeyError::ExplicitParameters),
    }
}

fn named(oid: &ObjectIdentifier) -> Result<Curve, KeyError> {
    Curve::from_oid(oid).ok_or_else(|| KeyError::UnknownCurve(oid.to_string()))
}

fn identifier(curve: &Curve) -> Result<ObjectIdentifier, KeyError> {
    curve.oid().ok_or(KeyError::NoIdentifier)
}

fn algorithm(curve: &ObjectIdentifier) -> AlgorithmIdentifierRef<'_> {
    AlgorithmIdentifierRef {
        oid: ALGORITHM,
        parameters: Some(AnyRef::from(curve)),
    }
}
