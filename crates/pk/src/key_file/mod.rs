//! Key files of all kinds, in PEM, DER, JSON or OpenSSH's formats: their formats, their encryption (PKCS#8, RFC 5958,
//! with PBES2 of RFC 8018; PKCS#12; OpenSSH), and the reasons why they are refused. The contents of a key are left to
//! its algorithm.

pub(crate) mod jwk;
mod kdf;
mod opened;
pub(crate) mod openssh;
mod pkcs12;
mod set;

use crate::wipe::wipe_stack;
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef};
use der::pem::LineEnding;
use der::{Decode, Encode, Reader, SecretDocument, SliceReader, Tag};
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, pkcs5};
use rand_core::CryptoRng;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

pub use kdf::KdfLimits;
pub use opened::{KeyAlgorithm, KeyFile};
pub use set::KeySet;

/// Length of the longest key file that is read, in bytes. The largest private key in PEM has 13,000
/// bytes; certificates and comments may stand before it.
pub const MAX_FILE_BYTES: usize = 1 << 20;

pub(crate) const LABEL_PKCS1_PRIVATE: &str = "RSA PRIVATE KEY";
pub(crate) const LABEL_PKCS1_PUBLIC: &str = "RSA PUBLIC KEY";
pub(crate) const LABEL_SEC1: &str = "EC PRIVATE KEY";
pub(crate) const LABEL_PKCS8: &str = "PRIVATE KEY";
const LABEL_PKCS8_ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";
pub(crate) const LABEL_SPKI: &str = "PUBLIC KEY";

/// Number of PBKDF2 iterations in the encrypted keys that are written.
const PBKDF2_ROUNDS: u32 = 600_000;

/// The reason why a key file is refused, for any algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The file is in none of the formats.
    #[error(
        "this is not a key file: neither PEM (-----BEGIN ...-----) nor DER nor a JSON Web Key nor a \
         public key of OpenSSH"
    )]
    NotAKey,
    /// The file is longer than any key file.
    #[error("{0} bytes are too long to be a key file: at most {MAX_FILE_BYTES} are read")]
    FileTooLong(usize),
    /// The file ends before the key does.
    #[error("the key is truncated: {0}")]
    Truncated(&'static str),
    /// The contents of the PEM or DER are not a key of the announced format.
    #[error("the key is malformed: {0}")]
    Malformed(String),
    /// The file is a certificate; a key is needed.
    #[error(
        "this is an X.509 certificate, not a key: take its public key out with \
         `openssl x509 -in cert.pem -pubkey -noout`"
    )]
    Certificate,
    /// The file is a public key; a private key is needed.
    #[error("this is a public key: a private key is needed")]
    PublicKeyGiven,
    /// The key is encrypted, and no passphrase was given.
    #[error("the private key is encrypted: a passphrase is needed")]
    PassphraseNeeded,
    /// The passphrase does not decrypt the key.
    #[error("wrong passphrase, or the encrypted key is damaged")]
    WrongPassphrase,
    /// The key has OpenSSL's old PEM encryption, whose key derivation is a single MD5.
    #[error(
        "legacy PEM encryption (Proc-Type: 4,ENCRYPTED) is not supported: convert the key with \
         `openssl pkcs8 -topk8 -in old.pem -out new.pem`"
    )]
    LegacyEncryption,
    /// The key has PKCS#8 encryption by an unsupported algorithm.
    #[error(
        "the key's encryption is not supported ({0}): convert it with \
         `openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem`"
    )]
    UnsupportedEncryption(String),
    /// The file is PKCS#12 with an encryption, a check of integrity or an encoding that is not supported.
    #[error(
        "this PKCS#12 file is not supported ({0}): `openssl pkcs12 -in old.p12 -nocerts -out key.pem` \
         takes the private key out, with -legacy if OpenSSL asks for it"
    )]
    UnsupportedPkcs12(String),
    /// A set of keys has several with one identifier.
    #[error("several keys have the kid {0:?}: which of them is meant cannot be told")]
    AmbiguousId(String),
    /// Keys of this algorithm have no format of OpenSSH.
    #[error("OpenSSH has no keys of {0}, only of RSA, P-256, P-384, P-521 and Ed25519")]
    NoOpenSshFormat(String),
    /// A parameter of the key derivation makes the derivation impossible.
    #[error("the file is damaged: the {name} is {value}, and must be {condition}")]
    KdfParameter {
        /// The parameter, in words.
        name: &'static str,
        /// Its value in the file.
        value: u64,
        /// The values that are possible, in words.
        condition: &'static str,
    },
    /// Opening the file would cost more than permitted.
    #[error(
        "opening the private key takes {needed} {what}: only {limit} are permitted (limits {factor} \
         times the default would permit it)"
    )]
    KdfCost {
        /// The resource, in words.
        what: &'static str,
        /// The amount of it that the file needs.
        needed: u64,
        /// The amount of it that is permitted.
        limit: u64,
        /// The least factor of [`KdfLimits::times`] that permits it.
        factor: u64,
    },
    /// The system does not have the memory that opening the file takes.
    #[error("opening the encrypted key takes {0} bytes of memory, which this system does not have")]
    KdfMemory(u64),
    /// A new private key was to be encrypted with an empty passphrase.
    #[error("the passphrase is empty: give one, or write the key without encryption")]
    EmptyPassphrase,
}

/// Format of a key file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Format {
    Pkcs1Private,
    Pkcs1Public,
    Sec1,
    Pkcs8,
    Spki,
    Certificate,
    /// The format of another algorithm, which is named.
    Other(String),
}

/// The encryption of a private key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encryption {
    Pkcs8,
    Pkcs12,
    OpenSsh,
}

/// The content of a file, by its label or its first elements.
enum Kind {
    Key(Format),
    Encrypted(Encryption),
}

/// The key of a file, in DER of its format, or the content of the file if it is encrypted.
pub(crate) enum Contents {
    Key(Format, Zeroizing<Vec<u8>>),
    Encrypted(Encryption, Zeroizing<Vec<u8>>),
}

impl Contents {
    fn new(kind: Kind, bytes: Zeroizing<Vec<u8>>) -> Self {
        match kind {
            Kind::Key(format) => Self::Key(format, bytes),
            Kind::Encrypted(encryption) => Self::Encrypted(encryption, bytes),
        }
    }

    /// The key, decrypted if that is necessary. Limits are checked before a passphrase is asked for.
    pub(crate) fn decrypted(
        self,
        passphrase: Option<&[u8]>,
        limits: KdfLimits,
    ) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
        let (encryption, bytes) = match self {
            Self::Key(format, der) => return Ok((format, der)),
            Self::Encrypted(encryption, bytes) => (encryption, bytes),
        };
        match encryption {
            Encryption::Pkcs8 => Ok((Format::Pkcs8, decrypt(&bytes, passphrase, limits)?)),
            Encryption::Pkcs12 => Ok((Format::Pkcs8, pkcs12::open(&bytes, passphrase, limits)?)),
            Encryption::OpenSsh => openssh::decrypt(&bytes, passphrase, limits),
        }
    }
}

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

fn private_key_info<'a>(
    algorithm: AlgorithmIdentifierRef<'a>,
    key: &'a [u8],
) -> PrivateKeyInfoRef<'a> {
    PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(key).expect(ENCODES))
}

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

#[allow(clippy::needless_pass_by_value)] // `map_err` passes the error by value.
pub(crate) fn malformed(error: impl ToString) -> KeyFileError {
    KeyFileError::Malformed(error.to_string())
}

/// The PKCS#8 `PrivateKeyInfo` that an `EncryptedPrivateKeyInfo` holds.
fn decrypt(
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
        // Either the padding of a wrong decryption was right by chance (1 in 256), or the encrypted content
        // is not a key.
        Err(pkcs8::Error::Asn1(_)) => Err(KeyFileError::WrongPassphrase),
        Err(pkcs8::Error::EncryptedPrivateKey(pkcs5::Error::DecryptFailed)) => {
            Err(KeyFileError::WrongPassphrase)
        }
        Err(e) => Err(unsupported(&e)),
    }
}

/// The name of RSA for keys that are for PSS alone.
const RSA_PSS: &str = "RSA restricted to PSS";

/// The usual name of an algorithm.
pub(crate) fn algorithm_name(oid: ObjectIdentifier) -> String {
    let dotted = oid.to_string();
    let name = match dotted.as_str() {
        "1.2.840.113549.1.1.1" => "RSA",
        "1.2.840.10045.2.1" => "EC",
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.112" => "Ed25519",
        "1.3.101.113" => "Ed448",
        "1.2.840.10040.4.1" => "DSA",
        "1.2.840.113549.1.3.1" => "DH",
        "1.2.840.113549.1.1.7" => "RSA restricted to OAEP",
        "1.2.840.113549.1.1.10" => RSA_PSS,
        _ => return dotted,
    };
    name.into()
}

/// Reads the content of a key file: of several PEM blocks the first whose label ends with `wanted`, else the first that
/// is a key, else the first.
pub(crate) fn read(file: &[u8], wanted: &str) -> Result<Contents, KeyFileError> {
    if file.len() > MAX_FILE_BYTES {
        return Err(KeyFileError::FileTooLong(file.len()));
    }
    let text = core::str::from_utf8(file)
        .ok()
        .filter(|t| t.contains(BEGIN));
    let Some(text) = text else {
        if jwk::is_json(file) {
            let (format, der) = jwk::read(file)?;
            return Ok(Contents::Key(format, der));
        }
        if let Some(line) = openssh::public_line(file)? {
            let (format, der) = openssh::read_public(line)?;
            return Ok(Contents::Key(format, der));
        }
        let kind = kind_of_der(file)?;
        return Ok(Contents::new(kind, Zeroizing::new(file.to_vec())));
    };
    let blocks = pem_blocks(text)?;
    let (label, block) = blocks
        .iter()
        .find(|(label, _)| label.ends_with(wanted))
        .or_else(|| blocks.iter().find(|(label, _)| label.ends_with("KEY")))
        .or(blocks.first())
        .ok_or(KeyFileError::NotAKey)?;
    if *label == openssh::LABEL {
        return openssh::read_private(block);
    }
    let kind = kind_of_label(label)?;
    if block.contains("Proc-Type:") {
        return Err(KeyFileError::LegacyEncryption);
    }
    let (_, document) = SecretDocument::from_pem(block).map_err(|e| match e.kind() {
        der::ErrorKind::Incomplete { .. } => KeyFileError::Truncated(CUT_DER),
        _ => malformed(e),
    })?;
    Ok(Contents::new(kind, document.to_bytes()))
}

const BEGIN: &str = "-----BEGIN ";
const CUT_DER: &str = "its DER says that it is longer than it is";

/// The PEM blocks of a file, each as its label and its text.
fn pem_blocks(text: &str) -> Result<Vec<(&str, &str)>, KeyFileError> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find(BEGIN) {
        let block = &rest[begin..];
        let (label, _) = block[BEGIN.len()..]
            .split_once("-----")
            .ok_or(KeyFileError::Truncated("its -----BEGIN line is cut"))?;
        let end_line = format!("-----END {label}-----");
        let end = block
            .find(&end_line)
            .ok_or(KeyFileError::Truncated("its -----END line is missing"))?;
        let (block, after) = block.split_at(end + end_line.len());
        blocks.push((label, block));
        rest = after;
    }
    Ok(blocks)
}

fn kind_of_label(label: &str) -> Result<Kind, KeyFileError> {
    Ok(Kind::Key(match label {
        LABEL_PKCS1_PRIVATE => Format::Pkcs1Private,
        LABEL_PKCS1_PUBLIC => Format::Pkcs1Public,
        LABEL_PKCS8 => Format::Pkcs8,
        LABEL_PKCS8_ENCRYPTED => return Ok(Kind::Encrypted(Encryption::Pkcs8)),
        LABEL_SPKI => Format::Spki,
        LABEL_SEC1 => Format::Sec1,
        _ if label.ends_with("CERTIFICATE") => Format::Certificate,
        _ => match label.split_once(' ') {
            Some((algorithm @ ("EC" | "DSA"), _)) => Format::Other(algorithm.into()),
            _ => {
                return Err(KeyFileError::Malformed(format!(
                    "PEM of a {label} is no key"
                )));
            }
        },
    }))
}

/// The content of a DER file, recognized by the types of its first elements.
fn kind_of_der(der: &[u8]) -> Result<Kind, KeyFileError> {
    // 0x30 opens a SEQUENCE.
    if der.first() != Some(&0x30) {
        return Err(KeyFileError::NotAKey);
    }
    let sequence = AnyRef::from_der(der).map_err(|e| match e.kind() {
        der::ErrorKind::Incomplete { .. } => KeyFileError::Truncated(CUT_DER),
        der::ErrorKind::IndefiniteLength => {
            malformed("it is BER, whose lengths are not written, not DER")
        }
        _ => malformed(e),
    })?;
    // The first four elements distinguish the formats.
    let mut elements = Vec::with_capacity(4);
    let mut reader = SliceReader::new(sequence.value()).map_err(malformed)?;
    while !reader.is_finished() && elements.len() < 4 {
        elements.push(AnyRef::decode(&mut reader).map_err(malformed)?);
    }
    let tags: Vec<Tag> = elements.iter().map(der::Tagged::tag).collect();
    Ok(Kind::Key(match tags.as_slice() {
        [Tag::Integer, Tag::Integer] => Format::Pkcs1Public,
        [Tag::Integer, Tag::Integer, ..] => Format::Pkcs1Private,
        [Tag::Integer, Tag::Sequence, Tag::OctetString, ..] => Format::Pkcs8,
        // ECPrivateKey of RFC 5915.
        [Tag::Integer, Tag::OctetString, ..] => Format::Sec1,
        [Tag::Sequence, Tag::BitString] => Format::Spki,
        [Tag::Sequence, Tag::Sequence, Tag::BitString] => Format::Certificate,
        // PFX of RFC 7292, whose last element is optional.
        [Tag::Integer, Tag::Sequence] | [Tag::Integer, Tag::Sequence, Tag::Sequence] => {
            return Ok(Kind::Encrypted(Encryption::Pkcs12));
        }
        [Tag::Sequence, Tag::OctetString] => return Ok(Kind::Encrypted(Encryption::Pkcs8)),
        _ => return Err(malformed("this DER is none of the key formats")),
    }))
}
