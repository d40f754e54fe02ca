//! Signatures in SSH's format SSHSIG that are read.

use super::error::{MAX_SIGNATURE_BYTES, Refusal};
use super::sign::{BEGIN, END, MAGIC, VERSION};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ssh_encoding::{Decode, Reader};
use sunzi_pk::Hash;

/// A signature that has been read, and not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The signer's public key, or certificate.
    pub(super) key: Vec<u8>,
    pub(super) namespace: String,
    pub(super) hash: Hash,
    /// The signature itself, in SSH's encoding.
    pub(super) blob: Vec<u8>,
}

impl Signature {
    /// Reads a signature, with its armor or without.
    ///
    /// # Errors
    /// [`Refusal::TooLong`], [`Refusal::Malformed`], [`Refusal::Hash`].
    pub fn read(file: &[u8]) -> Result<Self, Refusal> {
        if file.len() > MAX_SIGNATURE_BYTES {
            return Err(Refusal::TooLong);
        }
        if file.starts_with(&MAGIC) {
            return Self::read_blob(file);
        }
        let text = core::str::from_utf8(file).map_err(|_| Refusal::Malformed("it is no text"))?;
        let text = text.trim_ascii();
        let body = text
            .strip_prefix(BEGIN)
            .ok_or(Refusal::Malformed("it does not begin as one"))?;
        let body = body
            .strip_suffix(END)
            .ok_or(Refusal::Malformed("it does not end as one"))?;
        let body: Vec<u8> = body
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        let blob = STANDARD.decode(body);
        Self::read_blob(&blob.map_err(|_| Refusal::Malformed("it is not base64"))?)
    }

    fn read_blob(blob: &[u8]) -> Result<Self, Refusal> {
        let cut = |_| Refusal::Malformed("a part is cut off or no text");
        let mut reader = blob;
        let magic = <[u8; 6]>::decode(&mut reader).map_err(cut)?;
        let version = u32::decode(&mut reader).map_err(cut)?;
        if magic != MAGIC || version != VERSION {
            return Err(Refusal::Malformed("it is of another version"));
        }
        let key = Vec::<u8>::decode(&mut reader).map_err(cut)?;
        let namespace = String::decode(&mut reader).map_err(cut)?;
        // Nobody may rely on it; it is signed as empty here.
        let reserved = Vec::<u8>::decode(&mut reader).map_err(cut)?;
        let hash = String::decode(&mut reader).map_err(cut)?;
        let signature = Vec::<u8>::decode(&mut reader).map_err(cut)?;
        reader
            .ensure_finished()
            .map_err(|_| Refusal::Malformed("bytes follow it"))?;
        if !reserved.is_empty() {
            return Err(Refusal::Malformed("its reserved part is not empty"));
        }
        let hash = match &hash[..] {
            "sha256" => Hash::Sha256,
            "sha512" => Hash::Sha512,
            _ => return Err(Refusal::Hash(hash)),
        };
        Ok(Self {
            key,
            namespace,
            hash,
            blob: signature,
        })
    }

    /// The hash of the message.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// The purpose that it was made for.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }
}
