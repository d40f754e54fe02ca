//! Key files, in PEM or DER: PKCS#1 (RFC 8017, appendix A.1), PKCS#8 (RFC 5958), encrypted PKCS#8
//! (RFC 8018, PBES2) and `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7).

use super::kdf::KdfLimits;
use super::key::{KeyError, MAX_BITS, MAX_FILE_BYTES, PrivateKey, PublicKey, Secret, equal};
use crate::wipe::wipe_stack;
use crypto_bigint::BoxedUint;
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef, UintRef};
use der::pem::LineEnding;
use der::{Decode, Encode, Reader, SecretDocument, SliceReader, Tag};
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, pkcs5};
use rand_core::CryptoRng;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

const LABEL_PKCS1_PRIVATE: &str = "RSA PRIVATE KEY";
const LABEL_PKCS1_PUBLIC: &str = "RSA PUBLIC KEY";
const LABEL_PKCS8: &str = "PRIVATE KEY";
const LABEL_PKCS8_ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";
const LABEL_SPKI: &str = "PUBLIC KEY";

/// Number of PBKDF2 iterations in the encrypted keys that are written.
const PBKDF2_ROUNDS: u32 = 600_000;

/// Format of a key file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Pkcs1Private,
    Pkcs1Public,
    Pkcs8,
    Pkcs8Encrypted,
    Spki,
    Certificate,
}

impl PublicKey {
    /// Reads a public key from PEM or DER: `SubjectPublicKeyInfo`, PKCS#1, or the public half of an
    /// unencrypted private key.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der(file: &[u8]) -> Result<Self, KeyError> {
        let (format, der) = read(file, LABEL_SPKI)?;
        match format {
            Format::Spki => {
                let info = SubjectPublicKeyInfoRef::from_der(&der).map_err(malformed)?;
                check_algorithm(&info.algorithm)?;
                let key = info.subject_public_key.as_bytes().ok_or_else(|| {
                    KeyError::Malformed("the key's bit string has unused bits".into())
                })?;
                public_from_pkcs1(key)
            }
            Format::Pkcs1Public => public_from_pkcs1(&der),
            Format::Certificate => Err(KeyError::Certificate),
            Format::Pkcs1Private | Format::Pkcs8 | Format::Pkcs8Encrypted => {
                let private = private_from(format, &der, None, KdfLimits::default())?;
                Ok(private.public_key().clone())
            }
        }
    }

    /// The key as `SubjectPublicKeyInfo` in DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        let key = self.to_pkcs1_der();
        encode(&SubjectPublicKeyInfoRef {
            algorithm: pkcs1::ALGORITHM_ID,
            subject_public_key: bits(&key),
        })
        .as_bytes()
        .to_vec()
    }

    /// The key as `SubjectPublicKeyInfo` in PEM.
    pub fn to_spki_pem(&self) -> String {
        public_pem(LABEL_SPKI, &self.to_spki_der())
    }

    /// The key as PKCS#1 `RSAPublicKey` in DER.
    pub fn to_pkcs1_der(&self) -> Vec<u8> {
        let (n, e) = (self.n().to_be_bytes(), self.e().to_be_bytes());
        encode(&pkcs1::RsaPublicKeyRef {
            modulus: uint(&n),
            public_exponent: uint(&e),
        })
        .as_bytes()
        .to_vec()
    }

    /// The key as PKCS#1 `RSAPublicKey` in PEM.
    pub fn to_pkcs1_pem(&self) -> String {
        public_pem(LABEL_PKCS1_PUBLIC, &self.to_pkcs1_der())
    }
}

impl PrivateKey {
    /// Reads a private key from PEM or DER: PKCS#1, PKCS#8, or PKCS#8 encrypted with the
    /// passphrase. The numbers are checked as in [`from_components`](Self::from_components), and
    /// the file's values for the Chinese remainder theorem must match them. An encrypted file may
    /// cost what the default of [`KdfLimits`] permits.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der(file: &[u8], passphrase: Option<&[u8]>) -> Result<Self, KeyError> {
        Self::from_pem_or_der_within(file, passphrase, KdfLimits::default())
    }

    /// [`from_pem_or_der`](Self::from_pem_or_der) with other limits on what opening an encrypted
    /// file may cost. The limits are checked before a passphrase is asked for.
    ///
    /// # Errors
    /// The [`KeyError`] that says what the file is instead, or what is wrong with the key.
    pub fn from_pem_or_der_within(
        file: &[u8],
        passphrase: Option<&[u8]>,
        limits: KdfLimits,
    ) -> Result<Self, KeyError> {
        let (format, der) = read(file, LABEL_PKCS8)?;
        private_from(format, &der, passphrase, limits)
    }

    /// The key as PKCS#8 `PrivateKeyInfo` in DER.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        let key = self.to_pkcs1_der();
        encode(&private_key_info(&key)).to_bytes()
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
    /// [`KeyError::EmptyPassphrase`].
    pub fn to_encrypted_pkcs8_pem<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        passphrase: &[u8],
    ) -> Result<Zeroizing<String>, KeyError> {
        if passphrase.is_empty() {
            return Err(KeyError::EmptyPassphrase);
        }
        let mut salt = [0; 16];
        let mut iv = [0; 16];
        rng.fill_bytes(&mut salt);
        rng.fill_bytes(&mut iv);
        Ok(private_pem(
            LABEL_PKCS8_ENCRYPTED,
            &encrypt(&self.to_pkcs1_der(), passphrase, &salt, iv),
        ))
    }

    /// The key as PKCS#1 `RSAPrivateKey` in DER.
    pub fn to_pkcs1_der(&self) -> Zeroizing<Vec<u8>> {
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
        encode(&pkcs1::RsaPrivateKeyRef {
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
        .to_bytes()
    }

    /// The key as PKCS#1 `RSAPrivateKey` in PEM.
    pub fn to_pkcs1_pem(&self) -> Zeroizing<String> {
        private_pem(LABEL_PKCS1_PRIVATE, &self.to_pkcs1_der())
    }
}

/// The reason why the encoders cannot fail.
const ENCODES: &str = "a key of at most 16,384 bits is within DER's limits";

fn encode(message: &impl Encode) -> SecretDocument {
    SecretDocument::encode_msg(message).expect(ENCODES)
}

fn uint(big_endian: &[u8]) -> UintRef<'_> {
    UintRef::new(big_endian).expect(ENCODES)
}

fn bits(bytes: &[u8]) -> BitStringRef<'_> {
    BitStringRef::from_bytes(bytes).expect(ENCODES)
}

fn private_key_info(pkcs1: &[u8]) -> PrivateKeyInfoRef<'_> {
    let key = OctetStringRef::new(pkcs1).expect(ENCODES);
    PrivateKeyInfoRef::new(pkcs1::ALGORITHM_ID, key)
}

fn encrypt(pkcs1: &[u8], passphrase: &[u8], salt: &[u8; 16], iv: [u8; 16]) -> Vec<u8> {
    pkcs5::pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(PBKDF2_ROUNDS, salt, iv)
        .map_err(pkcs8::Error::from)
        .and_then(|with| private_key_info(pkcs1).encrypt_with_params(with, passphrase))
        .expect("the parameters are valid")
        .as_bytes()
        .to_vec()
}

fn public_pem(label: &str, der: &[u8]) -> String {
    der::pem::encode_string(label, LineEnding::LF, der).expect(ENCODES)
}

fn private_pem(label: &str, der: &[u8]) -> Zeroizing<String> {
    Zeroizing::new(public_pem(label, der))
}

#[allow(clippy::needless_pass_by_value)] // `map_err` passes the error by value.
fn malformed(error: impl ToString) -> KeyError {
    KeyError::Malformed(error.to_string())
}

fn private_from(
    format: Format,
    der: &[u8],
    passphrase: Option<&[u8]>,
    limits: KdfLimits,
) -> Result<PrivateKey, KeyError> {
    match format {
        Format::Pkcs1Private => private_from_pkcs1(der),
        Format::Pkcs8 => private_from_pkcs8(der),
        Format::Pkcs8Encrypted => private_from_pkcs8(&decrypt(der, passphrase, limits)?),
        Format::Pkcs1Public | Format::Spki => Err(KeyError::PublicKeyGiven),
        Format::Certificate => Err(KeyError::Certificate),
    }
}

fn decrypt(
    der: &[u8],
    passphrase: Option<&[u8]>,
    limits: KdfLimits,
) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let unsupported = |e: &dyn ToString| KeyError::UnsupportedEncryption(e.to_string());
    let info = EncryptedPrivateKeyInfoRef::from_der(der).map_err(|e| unsupported(&e))?;
    if let pkcs5::EncryptionScheme::Pbes2(parameters) = &info.encryption_algorithm {
        limits.check(&parameters.kdf)?;
    }
    let passphrase = passphrase.ok_or(KeyError::PassphraseNeeded)?;
    let decrypted = info.decrypt(passphrase);
    // Decryption by AES leaves up to 64 decrypted blocks there.
    wipe_stack();
    match decrypted {
        Ok(document) => Ok(document.to_bytes()),
        // Either the padding of a wrong decryption was right by chance (1 in 256), or what was
        // encrypted is not a key.
        Err(pkcs8::Error::Asn1(_)) => Err(KeyError::WrongPassphrase),
        Err(pkcs8::Error::EncryptedPrivateKey(pkcs5::Error::DecryptFailed)) => {
            Err(KeyError::WrongPassphrase)
        }
        Err(e) => Err(unsupported(&e)),
    }
}

fn private_from_pkcs8(der: &[u8]) -> Result<PrivateKey, KeyError> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(malformed)?;
    check_algorithm(&info.algorithm)?;
    private_from_pkcs1(info.private_key.as_bytes())
}

fn private_from_pkcs1(der: &[u8]) -> Result<PrivateKey, KeyError> {
    let key = pkcs1::RsaPrivateKeyRef::from_der(der).map_err(malformed)?;
    if key.other_prime_infos.is_some() {
        return Err(KeyError::MultiPrime);
    }
    let n = modulus(key.modulus)?;
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

fn check_algorithm(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<(), KeyError> {
    if algorithm.oid != pkcs1::ALGORITHM_OID {
        return Err(KeyError::NotRsa(algorithm_name(algorithm.oid)));
    }
    match algorithm.parameters {
        None => Ok(()),
        Some(parameters) if parameters.is_null() => Ok(()),
        Some(_) => Err(KeyError::Malformed(
            "rsaEncryption takes no parameters".into(),
        )),
    }
}

fn algorithm_name(oid: ObjectIdentifier) -> String {
    let dotted = oid.to_string();
    let name = match dotted.as_str() {
        "1.2.840.10045.2.1" => "EC",
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.112" => "Ed25519",
        "1.3.101.113" => "Ed448",
        "1.2.840.10040.4.1" => "DSA",
        "1.2.840.113549.1.3.1" => "DH",
        "1.2.840.113549.1.1.7" => "RSA restricted to OAEP",
        "1.2.840.113549.1.1.10" => "RSA restricted to PSS",
        _ => return dotted,
    };
    name.into()
}

/// The format and the DER of a key file. Of several PEM blocks it takes the first whose label ends
/// with `wanted`, else the first that is a key, else the first.
fn read(file: &[u8], wanted: &str) -> Result<(Format, Zeroizing<Vec<u8>>), KeyError> {
    if file.len() > MAX_FILE_BYTES {
        return Err(KeyError::FileTooLong(file.len()));
    }
    let text = core::str::from_utf8(file)
        .ok()
        .filter(|t| t.contains(BEGIN));
    let Some(text) = text else {
        return Ok((format_of_der(file)?, Zeroizing::new(file.to_vec())));
    };
    let blocks = pem_blocks(text)?;
    let (label, block) = blocks
        .iter()
        .find(|(label, _)| label.ends_with(wanted))
        .or_else(|| blocks.iter().find(|(label, _)| label.ends_with("KEY")))
        .or(blocks.first())
        .ok_or(KeyError::NotAKey)?;
    let format = format_of_label(label)?;
    if block.contains("Proc-Type:") {
        return Err(KeyError::LegacyEncryption);
    }
    let (_, document) = SecretDocument::from_pem(block).map_err(|e| match e.kind() {
        der::ErrorKind::Incomplete { .. } => KeyError::Truncated(CUT_DER),
        _ => malformed(e),
    })?;
    Ok((format, document.to_bytes()))
}

const BEGIN: &str = "-----BEGIN ";
const CUT_DER: &str = "its DER says that it is longer than it is";

/// The PEM blocks of a file, each as its label and its text.
fn pem_blocks(text: &str) -> Result<Vec<(&str, &str)>, KeyError> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find(BEGIN) {
        let block = &rest[begin..];
        let (label, _) = block[BEGIN.len()..]
            .split_once("-----")
            .ok_or(KeyError::Truncated("its -----BEGIN line is cut"))?;
        let end_line = format!("-----END {label}-----");
        let end = block
            .find(&end_line)
            .ok_or(KeyError::Truncated("its -----END line is missing"))?;
        let (block, after) = block.split_at(end + end_line.len());
        blocks.push((label, block));
        rest = after;
    }
    Ok(blocks)
}

fn format_of_label(label: &str) -> Result<Format, KeyError> {
    Ok(match label {
        LABEL_PKCS1_PRIVATE => Format::Pkcs1Private,
        LABEL_PKCS1_PUBLIC => Format::Pkcs1Public,
        LABEL_PKCS8 => Format::Pkcs8,
        LABEL_PKCS8_ENCRYPTED => Format::Pkcs8Encrypted,
        LABEL_SPKI => Format::Spki,
        _ if label.ends_with("CERTIFICATE") => Format::Certificate,
        "OPENSSH PRIVATE KEY" => {
            return Err(KeyError::Malformed(
                "OpenSSH's own format is not supported: convert the key with \
                 `ssh-keygen -p -m PKCS8 -f key`"
                    .into(),
            ));
        }
        _ => match label.split_once(' ') {
            Some((algorithm @ ("EC" | "DSA"), _)) => {
                return Err(KeyError::NotRsa(algorithm.into()));
            }
            _ => {
                return Err(KeyError::Malformed(format!(
                    "PEM of a {label} is no RSA key"
                )));
            }
        },
    })
}

/// The format of a DER file, recognized by the types of its first elements.
fn format_of_der(der: &[u8]) -> Result<Format, KeyError> {
    // 0x30 opens a SEQUENCE.
    if der.first() != Some(&0x30) {
        return Err(KeyError::NotAKey);
    }
    let sequence = AnyRef::from_der(der).map_err(|e| match e.kind() {
        der::ErrorKind::Incomplete { .. } => KeyError::Truncated(CUT_DER),
        _ => malformed(e),
    })?;
    // The first four elements tell the formats apart.
    let mut elements = Vec::with_capacity(4);
    let mut reader = SliceReader::new(sequence.value()).map_err(malformed)?;
    while !reader.is_finished() && elements.len() < 4 {
        elements.push(AnyRef::decode(&mut reader).map_err(malformed)?);
    }
    let tags: Vec<Tag> = elements.iter().map(der::Tagged::tag).collect();
    match tags.as_slice() {
        [Tag::Integer, Tag::Integer] => Ok(Format::Pkcs1Public),
        [Tag::Integer, Tag::Integer, ..] => Ok(Format::Pkcs1Private),
        [Tag::Integer, Tag::Sequence, Tag::OctetString, ..] => Ok(Format::Pkcs8),
        // ECPrivateKey of RFC 5915.
        [Tag::Integer, Tag::OctetString, ..] => Err(KeyError::NotRsa("EC".into())),
        [Tag::Sequence, Tag::OctetString] => Ok(Format::Pkcs8Encrypted),
        [Tag::Sequence, Tag::BitString] => Ok(Format::Spki),
        [Tag::Sequence, Tag::Sequence, Tag::BitString] => Ok(Format::Certificate),
        _ => Err(KeyError::Malformed(
            "this DER is none of the key formats".into(),
        )),
    }
}
