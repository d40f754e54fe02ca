//! Key files, in PEM, DER, JSON (JWK, RFC 7517) or OpenSSH's formats: PKCS#1 (RFC 8017, appendix A.1), PKCS#8 (RFC
//! 5958), encrypted PKCS#8 (RFC 8018, PBES2) and `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7).

use super::key::{KeyError, PrivateKey, PublicKey, Secret};
use super::restriction::{self, PssRestriction};
use super::sizes::MAX_BITS;
use crate::integer::equal;
use crate::key_file::{
    ENCODES, Format, KdfLimits, KeyFileError, LABEL_PKCS1_PRIVATE, LABEL_PKCS1_PUBLIC, LABEL_PKCS8,
    LABEL_SPKI, algorithm_name, encode, encrypted_pkcs8_pem, jwk, malformed, pkcs8_der,
    private_pem, public_pem, read, spki_der,
};
use crypto_bigint::BoxedUint;
use der::Decode;
use der::asn1::UintRef;
use pkcs8::PrivateKeyInfoRef;
use rand_core::CryptoRng;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

impl PublicKey {
    /// Reads a public key from PEM, DER, JSON or the line of an OpenSSH key: `SubjectPublicKeyInfo`, also of
    /// RSASSA-PSS, PKCS#1, a JSON Web Key, or the public half of an unencrypted private key.
    ///
    /// # Errors
    /// The [`KeyError`] that names the file's actual content, or the defect of the key.
    pub fn from_pem_or_der(file: &[u8]) -> Result<Self, KeyError> {
        let contents = read(file, LABEL_SPKI)?;
        let (format, der) = contents.decrypted(None, KdfLimits::default())?;
        match format {
            Format::Spki => {
                let info = SubjectPublicKeyInfoRef::from_der(&der).map_err(malformed)?;
                let restriction = restriction_of(&info.algorithm)?;
                let key = info
                    .subject_public_key
                    .as_bytes()
                    .ok_or_else(|| malformed("the key's bit string has unused bits"))?;
                let key = public_from_pkcs1(key)?;
                Ok(match restriction {
                    Some(restriction) => key.restrict_to_pss(restriction),
                    None => key,
                })
            }
            Format::Pkcs1Public => public_from_pkcs1(&der),
            other => {
                let private = private_from(other, &der, KdfLimits::default())?;
                Ok(private.public_key().clone())
            }
        }
    }

    /// The key as `SubjectPublicKeyInfo` in DER. A restriction to PSS is part of it; no other format states it.
    pub fn to_spki_der(&self) -> Vec<u8> {
        let key = self.to_pkcs1_der();
        self.with_algorithm(|algorithm| spki_der(algorithm, &key))
    }

    /// Hands the algorithm identifier of the key to `write`.
    fn with_algorithm<T>(&self, write: impl FnOnce(AlgorithmIdentifierRef<'_>) -> T) -> T {
        match self.restriction() {
            None => write(pkcs1::ALGORITHM_ID),
            Some(restriction) => {
                let written = restriction.with_algorithm(|algorithm| Ok(write(algorithm)));
                written.expect(ENCODES)
            }
        }
    }

    /// The key as `SubjectPublicKeyInfo` in PEM.
    pub fn to_spki_pem(&self) -> String {
        public_pem(LABEL_SPKI, &self.to_spki_der())
    }

    /// The key as JSON Web Key (RFC 7518, section 6.3.1).
    pub fn to_jwk(&self) -> String {
        self.with_pkcs1(jwk::rsa_public).to_string()
    }

    /// The key as PKCS#1 `RSAPublicKey` in DER.
    pub fn to_pkcs1_der(&self) -> Vec<u8> {
        self.with_pkcs1(|key| encode(key).as_bytes().to_vec())
    }

    pub(crate) fn with_pkcs1<T>(&self, write: impl FnOnce(&pkcs1::RsaPublicKeyRef<'_>) -> T) -> T {
        let (n, e) = (self.n().to_be_bytes(), self.e().to_be_bytes());
        write(&pkcs1::RsaPublicKeyRef {
            modulus: uint(&n),
            public_exponent: uint(&e),
        })
    }

    /// The key as PKCS#1 `RSAPublicKey` in PEM.
    pub fn to_pkcs1_pem(&self) -> String {
        public_pem(LABEL_PKCS1_PUBLIC, &self.to_pkcs1_der())
    }
}

impl PrivateKey {
    /// Reads a private key from PEM, DER or JSON: PKCS#1, PKCS#8, also of RSASSA-PSS, a JSON Web Key or OpenSSH's
    /// format; PKCS#8, PKCS#12 or OpenSSH's format, encrypted with the passphrase. The numbers are checked as in
    /// [`from_components`](Self::from_components), and the file's values for the Chinese remainder theorem must match
    /// them. Opening the file may cost what the default of [`KdfLimits`] permits: the modulus has at most 8,192 bits.
    ///
    /// # Errors
    /// The [`KeyError`] that names the file's actual content, or the defect of the key.
    pub fn from_pem_or_der(file: &[u8], passphrase: Option<&[u8]>) -> Result<Self, KeyError> {
        Self::from_pem_or_der_within(file, passphrase, KdfLimits::default())
    }

    /// [`from_pem_or_der`](Self::from_pem_or_der) with other limits on what opening the
    /// file may cost. The limits are checked before a passphrase is asked for.
    ///
    /// # Errors
    /// The [`KeyError`] that names the file's actual content, or the defect of the key.
    pub fn from_pem_or_der_within(
        file: &[u8],
        passphrase: Option<&[u8]>,
        limits: KdfLimits,
    ) -> Result<Self, KeyError> {
        let (format, der) = read(file, LABEL_PKCS8)?.decrypted(passphrase, limits)?;
        private_from(format, &der, limits)
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in DER. A restriction to PSS is part of it; no format but PKCS#8, also
    /// encrypted, states it.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        let key = self.to_pkcs1_der();
        let public = self.public_key();
        public.with_algorithm(|algorithm| pkcs8_der(algorithm, &key))
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
    /// [`KeyFileError::EmptyPassphrase`], as [`KeyError::File`].
    pub fn to_encrypted_pkcs8_pem<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        passphrase: &[u8],
    ) -> Result<Zeroizing<String>, KeyError> {
        let key = self.to_pkcs1_der();
        let public = self.public_key();
        let pem = public
            .with_algorithm(|algorithm| encrypted_pkcs8_pem(rng, passphrase, algorithm, &key));
        Ok(pem?)
    }

    /// The key as PKCS#1 `RSAPrivateKey` in DER.
    pub fn to_pkcs1_der(&self) -> Zeroizing<Vec<u8>> {
        self.with_pkcs1(|key| encode(key).to_bytes())
    }

    /// The key as JSON Web Key (RFC 7518, section 6.3.2).
    pub fn to_jwk(&self) -> Zeroizing<String> {
        self.with_pkcs1(jwk::rsa_private)
    }

    pub(crate) fn with_pkcs1<T>(&self, write: impl FnOnce(&pkcs1::RsaPrivateKeyRef<'_>) -> T) -> T {
        let public = self.public_key();
        let (n, e) = (public.n().to_be_bytes(), public.e().to_be_bytes());
        let Secret {
            d,
            p,
            q,
            dp,
            dq,
            qinv,
        } = &self.secret;
        let [d, p, q, dp, dq, qinv] =
            [d, p, q, dp, dq, qinv].map(|x| Zeroizing::new(x.to_be_bytes()));
        write(&pkcs1::RsaPrivateKeyRef {
            modulus: uint(&n),
            public_exponent: uint(&e),
            private_exponent: uint(&d),
            prime1: uint(&p),
            prime2: uint(&q),
            exponent1: uint(&dp),
            exponent2: uint(&dq),
            coefficient: uint(&qinv),
            other_prime_infos: None,
        })
    }

    /// The key as PKCS#1 `RSAPrivateKey` in PEM.
    pub fn to_pkcs1_pem(&self) -> Zeroizing<String> {
        private_pem(LABEL_PKCS1_PRIVATE, &self.to_pkcs1_der())
    }
}

fn uint(big_endian: &[u8]) -> UintRef<'_> {
    UintRef::new(big_endian).expect(ENCODES)
}

fn private_from(format: Format, der: &[u8], limits: KdfLimits) -> Result<PrivateKey, KeyError> {
    match format {
        Format::Pkcs1Private => private_from_pkcs1(der, limits),
        Format::Pkcs8 => private_from_pkcs8(der, limits),
        Format::Pkcs1Public | Format::Spki => Err(KeyFileError::PublicKeyGiven.into()),
        Format::Certificate => Err(KeyFileError::Certificate.into()),
        Format::Sec1 => Err(KeyError::NotRsa("EC".into())),
        Format::Other(algorithm) => Err(KeyError::NotRsa(algorithm)),
    }
}

fn private_from_pkcs8(der: &[u8], limits: KdfLimits) -> Result<PrivateKey, KeyError> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(malformed)?;
    let restriction = restriction_of(&info.algorithm)?;
    let key = private_from_pkcs1(info.private_key.as_bytes(), limits)?;
    Ok(match restriction {
        Some(restriction) => key.restrict_to_pss(restriction),
        None => key,
    })
}

fn private_from_pkcs1(der: &[u8], limits: KdfLimits) -> Result<PrivateKey, KeyError> {
    let key = pkcs1::RsaPrivateKeyRef::from_der(der).map_err(malformed)?;
    if key.other_prime_infos.is_some() {
        return Err(KeyError::MultiPrime);
    }
    let n = modulus(key.modulus)?;
    limits.check_rsa(n.bits_vartime())?;
    let secret = |name, x| number(name, x).map(Zeroizing::new);
    let d = secret("d", key.private_exponent)?;
    let p = secret("p", key.prime1)?;
    let q = secret("q", key.prime2)?;
    let dp = secret("d mod (p - 1)", key.exponent1)?;
    let dq = secret("d mod (q - 1)", key.exponent2)?;
    let qinv = secret("q^-1 mod p", key.coefficient)?;
    let e = exponent(key.public_exponent)?;
    let private = PrivateKey::from_components(&n, e, &d, &p, &q)?;
    let expected = &private.secret;
    for (name, given, expected) in [
        ("d mod (p - 1)", dp, &expected.dp),
        ("d mod (q - 1)", dq, &expected.dq),
        ("q^-1 mod p", qinv, &expected.qinv),
    ] {
        if !equal(&given, expected) {
            return Err(KeyError::CrtMismatch(name));
        }
    }
    Ok(private)
}

fn public_from_pkcs1(der: &[u8]) -> Result<PublicKey, KeyError> {
    let key = pkcs1::RsaPublicKeyRef::from_der(der).map_err(malformed)?;
    PublicKey::new(&modulus(key.modulus)?, exponent(key.public_exponent)?)
}

fn modulus(n: UintRef<'_>) -> Result<BoxedUint, KeyError> {
    number("n", n).map_err(|error| match error {
        KeyError::NumberSize { bits, .. } => {
            KeyError::ModulusSize(u32::try_from(bits).unwrap_or(u32::MAX))
        }
        other => other,
    })
}

/// A number of a key file, whose length is checked before it gets memory of its own.
fn number(name: &'static str, x: UintRef<'_>) -> Result<BoxedUint, KeyError> {
    let bytes = x.as_bytes();
    let unused = bytes.first().map_or(0, |first| first.leading_zeros());
    let bits = 8 * bytes.len() as u64 - u64::from(unused);
    if bits > MAX_BITS.into() {
        return Err(KeyError::NumberSize { name, bits });
    }
    let precision = 8 * bytes.len() as u32;
    Ok(BoxedUint::from_be_slice(bytes, precision).expect("the precision is the slice's"))
}

fn exponent(e: UintRef<'_>) -> Result<u64, KeyError> {
    let bytes = e.as_bytes();
    if bytes.len() > size_of::<u64>() {
        return Err(KeyError::ExponentRange(format!("of {} bytes", bytes.len())));
    }
    Ok(bytes.iter().fold(0, |e, &b| (e << 8) | u64::from(b)))
}

/// The restriction of a key by its algorithm, which must be one of RSA.
fn restriction_of(
    algorithm: &AlgorithmIdentifierRef<'_>,
) -> Result<Option<PssRestriction>, KeyError> {
    if algorithm.oid == restriction::OID {
        return Ok(Some(PssRestriction::of(algorithm.parameters)?));
    }
    if algorithm.oid != pkcs1::ALGORITHM_OID {
        return Err(KeyError::NotRsa(algorithm_name(algorithm.oid)));
    }
    match algorithm.parameters {
        None => Ok(None),
        Some(parameters) if parameters.is_null() => Ok(None),
        Some(_) => Err(malformed("rsaEncryption takes no parameters").into()),
    }
}
