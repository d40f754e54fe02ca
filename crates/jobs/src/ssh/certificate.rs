//! Certificates of OpenSSH (`PROTOCOL.certkeys`): their bytes, and what they say.

use super::keys::{CERTIFICATE, read_key};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use ssh_encoding::{Decode, Encode, Reader};
use sunzi_pk::keys::PublicKey;

/// Whom a certificate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CertificateKind {
    /// Somebody who logs in.
    User,
    /// A machine that is logged in to.
    Host,
}

impl CertificateKind {
    fn number(self) -> u32 {
        match self {
            Self::User => 1,
            Self::Host => 2,
        }
    }

    /// Its name: `user` or `host`.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Host => "host",
        }
    }
}

/// Options with their values, in the order of their names.
pub type CertificateOptions = Vec<(String, String)>;

/// The statement of a certificate: whom it names, for what, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// Number of the certificate, chosen by whoever issued it.
    pub serial: u64,
    /// Whom it is for.
    pub kind: CertificateKind,
    /// Name of the certificate in logs.
    pub key_id: String,
    /// Names of users or of hosts.
    pub principals: Vec<String>,
    /// When it becomes valid, in seconds since 1970.
    pub valid_after: u64,
    /// When it is valid no more, in seconds since 1970.
    pub valid_before: u64,
    /// Conditions; whoever does not know one must refuse the certificate.
    pub critical_options: CertificateOptions,
    /// Permissions; whoever does not know one ignores it.
    pub extensions: CertificateOptions,
}

impl Statement {
    /// What is signed: the key with the statement, and the key of the authority.
    pub(super) fn signed_data(
        &self,
        key: &[u8],
        nonce: &[u8],
        authority: &[u8],
    ) -> ssh_encoding::Result<Vec<u8>> {
        let mut numbers = key;
        let name = String::decode(&mut numbers)?;
        let mut data = Vec::with_capacity(512 + key.len() + authority.len());
        format!("{name}{CERTIFICATE}").encode(&mut data)?;
        nonce.encode(&mut data)?;
        // What follows the name of a key also follows the nonce here.
        data.extend_from_slice(numbers);
        self.serial.encode(&mut data)?;
        self.kind.number().encode(&mut data)?;
        self.key_id.encode(&mut data)?;
        self.principals.encode(&mut data)?;
        self.valid_after.encode(&mut data)?;
        self.valid_before.encode(&mut data)?;
        encode_options(&self.critical_options)?.encode(&mut data)?;
        encode_options(&self.extensions)?.encode(&mut data)?;
        // Reserved.
        "".encode(&mut data)?;
        authority.encode(&mut data)?;
        Ok(data)
    }
}

/// Each name with its value, which is a text within a text unless it is empty.
fn encode_options(options: &CertificateOptions) -> ssh_encoding::Result<Vec<u8>> {
    let mut data = Vec::new();
    for (name, value) in options {
        name.encode(&mut data)?;
        let value = if value.is_empty() {
            Vec::new()
        } else {
            value.encode_vec()?
        };
        value.encode(&mut data)?;
    }
    Ok(data)
}

/// A certificate that has been read, and not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certificate {
    /// The key that it is about.
    pub key: PublicKey,
    /// What it says.
    pub statement: Statement,
    /// The key of the authority, as it stands in the certificate.
    pub(super) authority: Vec<u8>,
    pub(super) signed: Vec<u8>,
    pub(super) signature: Vec<u8>,
}

impl Certificate {
    /// Reads a line such as `ssh-ed25519-cert-v01@openssh.com AAAA... comment`.
    ///
    /// # Errors
    /// The defect.
    pub fn from_line(line: &str) -> Result<Self, String> {
        let mut words = line.split_ascii_whitespace();
        let name = words.next().filter(|name| name.ends_with(CERTIFICATE));
        let name = name.ok_or("it is no line with a certificate of OpenSSH")?;
        let blob = words.next().ok_or("it ends after the kind of its key")?;
        let blob = STANDARD
            .decode(blob)
            .map_err(|_| "its second word is not base64")?;
        let mut reader = &blob[..];
        if String::decode(&mut reader).ok().as_deref() != Some(name) {
            return Err("its key is of another kind than its line says".into());
        }
        Self::read(name.trim_end_matches(CERTIFICATE), &blob, reader)
    }

    /// Reads what follows the name.
    fn read(kind: &str, blob: &[u8], mut reader: &[u8]) -> Result<Self, String> {
        let malformed = |_| String::from("a part of it is cut off or no text");
        let _nonce = Vec::<u8>::decode(&mut reader).map_err(malformed)?;
        let numbers = match kind {
            "ssh-ed25519" => 1,
            "ssh-rsa" => 2,
            _ if kind.starts_with("ecdsa-sha2-") => 2,
            _ => return Err(format!("keys of the kind {kind:?} are not known")),
        };
        let mut key = kind.encode_vec().map_err(malformed)?;
        for _ in 0..numbers {
            let number = Vec::<u8>::decode(&mut reader).map_err(malformed)?;
            number.encode(&mut key).map_err(malformed)?;
        }
        let serial = u64::decode(&mut reader).map_err(malformed)?;
        let kind = match u32::decode(&mut reader).map_err(malformed)? {
            1 => CertificateKind::User,
            2 => CertificateKind::Host,
            other => return Err(format!("its type {other} is neither user nor host")),
        };
        let statement = Statement {
            serial,
            kind,
            key_id: String::decode(&mut reader).map_err(malformed)?,
            principals: Vec::<String>::decode(&mut reader).map_err(malformed)?,
            valid_after: u64::decode(&mut reader).map_err(malformed)?,
            valid_before: u64::decode(&mut reader).map_err(malformed)?,
            critical_options: decode_options(&mut reader)?,
            extensions: decode_options(&mut reader)?,
        };
        let _reserved = Vec::<u8>::decode(&mut reader).map_err(malformed)?;
        let authority = Vec::<u8>::decode(&mut reader).map_err(malformed)?;
        let signed = blob[..blob.len() - reader.len()].to_vec();
        let signature = Vec::<u8>::decode(&mut reader).map_err(malformed)?;
        let rest = reader.ensure_finished();
        rest.map_err(|_| "bytes follow its signature")?;
        Ok(Self {
            key: read_key(&key)?,
            statement,
            authority,
            signed,
            signature,
        })
    }
}

fn decode_options(reader: &mut &[u8]) -> Result<CertificateOptions, String> {
    let malformed = |_| String::from("its options are cut off or no text");
    let block = Vec::<u8>::decode(reader).map_err(malformed)?;
    let mut block = &block[..];
    let mut options: CertificateOptions = Vec::new();
    while !block.is_empty() {
        let name = String::decode(&mut block).map_err(malformed)?;
        let value = Vec::<u8>::decode(&mut block).map_err(malformed)?;
        if options.last().is_some_and(|(last, _)| *last >= name) {
            return Err("its options are not in the order of their names, or double".into());
        }
        let mut inner = &value[..];
        let value = if value.is_empty() {
            String::new()
        } else {
            String::decode(&mut inner).map_err(malformed)?
        };
        inner.ensure_finished().map_err(malformed)?;
        options.push((name, value));
    }
    Ok(options)
}
