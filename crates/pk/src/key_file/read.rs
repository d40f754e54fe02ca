//! Key files read: their format is recognized, and their encryption removed.

use super::decrypt::decrypt;
use super::error::{KeyFileError, MAX_FILE_BYTES, malformed};
use super::format::{
    Contents, Encryption, Format, LABEL_PKCS1_PRIVATE, LABEL_PKCS1_PUBLIC, LABEL_PKCS8,
    LABEL_PKCS8_ENCRYPTED, LABEL_SEC1, LABEL_SPKI,
};
use super::kdf::KdfLimits;
use super::{jwk, openssh, pkcs12};
use der::asn1::AnyRef;
use der::{Decode, Reader, SecretDocument, SliceReader, Tag};
use zeroize::Zeroizing;

/// The kind of a file, by its label or its first elements.
enum Kind {
    Key(Format),
    Encrypted(Encryption),
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

/// The contents of a key file. Of several PEM blocks it takes the first whose label ends with `wanted`, else the
/// first that is a key, else the first.
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

/// The kind of a DER file, recognized by the types of its first elements.
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
    // The first four elements tell the formats apart.
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
