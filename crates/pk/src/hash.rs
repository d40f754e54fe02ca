//! Hash functions: those whose digests are signed, and those used inside paddings.

use core::fmt;
use core::str::FromStr;
use sha2::digest::DynDigest;
use zeroize::Zeroizing;

/// A hash function whose digests are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hash {
    /// SHA-224 (FIPS 180-4).
    Sha224,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
    /// SHA-512/224 (FIPS 180-4).
    Sha512_224,
    /// SHA-512/256 (FIPS 180-4).
    Sha512_256,
    /// SHA3-224 (FIPS 202).
    Sha3_224,
    /// SHA3-256 (FIPS 202).
    Sha3_256,
    /// SHA3-384 (FIPS 202).
    Sha3_384,
    /// SHA3-512 (FIPS 202).
    Sha3_512,
}

/// Length of the longest digest, in bytes.
pub(crate) const MAX_DIGEST: usize = 64;

impl Hash {
    /// All hash functions of this type.
    pub const ALL: &'static [Hash] = &[
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sha512_224,
        Self::Sha512_256,
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
    ];

    /// The usual name, in lower case: `sha256`, `sha512-256`, `sha3-384`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Sha512_224 => "sha512-224",
            Self::Sha512_256 => "sha512-256",
            Self::Sha3_224 => "sha3-224",
            Self::Sha3_256 => "sha3-256",
            Self::Sha3_384 => "sha3-384",
            Self::Sha3_512 => "sha3-512",
        }
    }

    /// Length of a digest, in bytes.
    pub fn digest_len(self) -> usize {
        match self {
            Self::Sha224 | Self::Sha512_224 | Self::Sha3_224 => 28,
            Self::Sha256 | Self::Sha512_256 | Self::Sha3_256 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 => 64,
        }
    }

    /// The digest of a whole message.
    pub fn digest(self, message: &[u8]) -> Digest {
        let mut hasher = Hasher::new(self);
        hasher.update(message);
        hasher.finish()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a name or a digest is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HashError {
    /// No hash function has this name.
    #[error("there is no hash named {0:?}: choose one of {known}", known = names())]
    Unknown(String),
    /// The bytes given as a digest have the wrong length.
    #[error("a {hash} digest has {} bytes, not {given}", hash.digest_len())]
    DigestLength {
        /// The hash function that the digest was said to come from.
        hash: Hash,
        /// Length of the bytes given.
        given: usize,
    },
}

/// The names of all hash functions, for error messages.
fn names() -> String {
    Hash::ALL
        .iter()
        .map(|h| h.name())
        .collect::<Vec<_>>()
        .join(", ")
}

impl FromStr for Hash {
    type Err = HashError;

    /// The hash function of this name, in small or capital letters: `sha256`, `SHA-256`, `SHA-512/256`,
    /// `sha3-256`.
    fn from_str(name: &str) -> Result<Self, HashError> {
        let plain = |name: &str| name.to_ascii_lowercase().replace(['-', '/'], "");
        let same = |known: &&Self| plain(known.name()) == plain(name);
        let mut known = Self::ALL.iter();
        known
            .find(same)
            .copied()
            .ok_or_else(|| HashError::Unknown(name.into()))
    }
}

/// A digest together with its hash function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    hash: Hash,
    bytes: [u8; MAX_DIGEST],
}

impl Digest {
    /// Wraps a digest that was computed elsewhere.
    ///
    /// # Errors
    /// [`HashError::DigestLength`] unless `digest` has [`Hash::digest_len`] bytes.
    pub fn new(hash: Hash, digest: &[u8]) -> Result<Self, HashError> {
        if digest.len() != hash.digest_len() {
            return Err(HashError::DigestLength {
                hash,
                given: digest.len(),
            });
        }
        let mut bytes = [0; MAX_DIGEST];
        bytes[..digest.len()].copy_from_slice(digest);
        Ok(Self { hash, bytes })
    }

    /// The hash function.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// The bytes of the digest, [`Hash::digest_len`] of them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.hash.digest_len()]
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.hash)?;
        self.as_bytes()
            .iter()
            .try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// The state of a hash function that takes its message piece by piece; also an
/// [`io::Write`](std::io::Write).
pub struct Hasher {
    hash: Hash,
    state: Box<dyn DynDigest + Send>,
}

impl Hasher {
    /// The state for an empty message.
    pub fn new(hash: Hash) -> Self {
        let state = PaddingHash::Strong(hash).state();
        Self { hash, state }
    }

    /// Appends to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }

    /// The digest of everything that was appended.
    pub fn finish(self) -> Digest {
        let mut bytes = [0; MAX_DIGEST];
        bytes[..self.hash.digest_len()].copy_from_slice(&self.state.finalize());
        Digest {
            hash: self.hash,
            bytes,
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher")
            .field("hash", &self.hash)
            .finish_non_exhaustive()
    }
}

impl std::io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A hash function inside a padding: that of OAEP's label, or of MGF1. Collisions do no harm
/// there, so SHA-1 is among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PaddingHash {
    /// SHA-1 (FIPS 180-4), the default of OAEP in many tools. This crate signs no SHA-1 digests.
    Sha1,
    /// A hash function that is strong enough for signatures, too.
    Strong(Hash),
}

impl PaddingHash {
    /// All hash functions of this type.
    pub fn all() -> impl Iterator<Item = Self> {
        let strong = Hash::ALL.iter().map(|&hash| Self::Strong(hash));
        core::iter::once(Self::Sha1).chain(strong)
    }

    /// The usual name, in lower case: `sha1`, or as [`Hash::name`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Strong(hash) => hash.name(),
        }
    }

    /// Length of a digest, in bytes.
    pub fn digest_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Strong(hash) => hash.digest_len(),
        }
    }

    /// The digest of a whole message. The message may be secret: all copies are wiped.
    pub(crate) fn digest(self, message: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut state = self.state();
        state.update(message);
        Zeroizing::new(state.finalize().into())
    }

    /// The state for an empty message; wiped on drop.
    pub(crate) fn state(self) -> Box<dyn DynDigest + Send> {
        match self {
            Self::Sha1 => Box::new(sha1::Sha1::default()),
            Self::Strong(Hash::Sha224) => Box::new(sha2::Sha224::default()),
            Self::Strong(Hash::Sha256) => Box::new(sha2::Sha256::default()),
            Self::Strong(Hash::Sha384) => Box::new(sha2::Sha384::default()),
            Self::Strong(Hash::Sha512) => Box::new(sha2::Sha512::default()),
            Self::Strong(Hash::Sha512_224) => Box::new(sha2::Sha512_224::default()),
            Self::Strong(Hash::Sha512_256) => Box::new(sha2::Sha512_256::default()),
            Self::Strong(Hash::Sha3_224) => Box::new(sha3::Sha3_224::default()),
            Self::Strong(Hash::Sha3_256) => Box::new(sha3::Sha3_256::default()),
            Self::Strong(Hash::Sha3_384) => Box::new(sha3::Sha3_384::default()),
            Self::Strong(Hash::Sha3_512) => Box::new(sha3::Sha3_512::default()),
        }
    }
}

impl From<Hash> for PaddingHash {
    fn from(hash: Hash) -> Self {
        Self::Strong(hash)
    }
}

impl fmt::Display for PaddingHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The digests of "abc" in the examples of FIPS 180-4 and FIPS 202, by their first bytes.
    #[test]
    fn the_names_stand_for_the_right_functions() {
        for (name, start) in [
            ("sha224", "23097d22"),
            ("sha256", "ba7816bf"),
            ("sha384", "cb00753f"),
            ("sha512", "ddaf35a1"),
            ("sha512-224", "4634270f"),
            ("sha512-256", "53048e26"),
            ("sha3-224", "e642824c"),
            ("sha3-256", "3a985da7"),
            ("sha3-384", "ec01498288516fc9"),
            ("sha3-512", "b751850b"),
        ] {
            let hash: Hash = name.parse().unwrap();
            let digest = hash.digest(b"abc");
            assert_eq!(digest.as_bytes().len(), hash.digest_len());
            let shown = format!("{digest:?}");
            assert!(shown.starts_with(&format!("{name}:{start}")), "{shown}");
        }
    }

    #[test]
    fn the_hashes_of_paddings() {
        let hashes: Vec<_> = PaddingHash::all().collect();
        assert_eq!(hashes.len(), 1 + Hash::ALL.len());
        for hash in hashes {
            let digest = hash.digest(b"abc");
            assert_eq!(digest.len(), hash.digest_len());
            match hash {
                PaddingHash::Sha1 => assert_eq!(digest[..4], [0xa9, 0x99, 0x3e, 0x36]),
                PaddingHash::Strong(hash) => assert_eq!(*digest, hash.digest(b"abc").as_bytes()),
            }
        }
    }

    #[test]
    fn pieces_make_the_same_digest() {
        for &hash in Hash::ALL {
            let mut hasher = Hasher::new(hash);
            hasher.write_all(b"a").unwrap();
            hasher.update(b"");
            hasher.update(b"bc");
            assert_eq!(hasher.finish(), hash.digest(b"abc"));
        }
    }

    #[test]
    fn unknown_names_and_wrong_lengths() {
        for (name, hash) in [
            ("SHA-256", Hash::Sha256),
            ("SHA-512/256", Hash::Sha512_256),
            ("SHA3-384", Hash::Sha3_384),
        ] {
            assert_eq!(name.parse(), Ok(hash));
        }
        let unknown = "md5".parse::<Hash>().unwrap_err();
        assert!(unknown.to_string().contains("sha256, sha384"), "{unknown}");
        let digest = Hash::Sha256.digest(b"abc");
        assert_eq!(Digest::new(Hash::Sha256, digest.as_bytes()), Ok(digest));
        let refused = Digest::new(Hash::Sha384, digest.as_bytes()).unwrap_err();
        assert_eq!(refused.to_string(), "a sha384 digest has 48 bytes, not 32");
    }
}
