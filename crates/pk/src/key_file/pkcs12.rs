//! PKCS#12 (RFC 7292), as OpenSSL 3 and others write it: the private key, encrypted by PBES2, in a file whose integrity
//! a MAC with the passphrase ensures. Certificates are skipped.
//!
//! The structures are read here, as the crates for them copy what they read without wiping it, and derive keys before
//! anybody can bound the cost. Keys are decrypted by the reader of PKCS#8.

use super::decrypt::decrypt;
use super::error::{KeyFileError, malformed};
use super::kdf::KdfLimits;
use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode, Sequence};
use hmac::digest::block_api::EagerHash;
use hmac::digest::{Digest, block_api::BlockSizeUser};
use hmac::{Hmac, KeyInit, Mac};
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const KEY_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.1");
const SHROUDED_KEY_BAG: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.2");
/// The common start of the identifiers of PKCS#12's own encryption.
const OLD_ENCRYPTION: &str = "1.2.840.113549.1.12.1.";

/// `PFX`.
#[derive(Sequence)]
struct Pfx<'a> {
    version: u8,
    safe: ContentInfo<'a>,
    #[asn1(optional = "true")]
    mac: Option<MacData<'a>>,
}

/// `ContentInfo` of PKCS#7.
#[derive(Sequence)]
struct ContentInfo<'a> {
    content_type: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    content: AnyRef<'a>,
}

impl<'a> ContentInfo<'a> {
    /// The bytes of content that is neither encrypted nor signed.
    fn data(&self) -> Option<Result<&'a [u8], KeyFileError>> {
        let data = (self.content_type == DATA).then(|| self.content.decode_as::<&OctetStringRef>());
        data.map(|data| data.map(OctetStringRef::as_bytes).map_err(malformed))
    }
}

#[derive(Sequence)]
struct MacData<'a> {
    mac: DigestInfo<'a>,
    salt: &'a OctetStringRef,
    #[asn1(default = "one")]
    rounds: u32,
}

fn one() -> u32 {
    1
}

#[derive(Sequence)]
struct DigestInfo<'a> {
    algorithm: AlgorithmIdentifierRef<'a>,
    digest: &'a OctetStringRef,
}

#[derive(Sequence)]
struct SafeBag<'a> {
    id: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    value: AnyRef<'a>,
    #[asn1(optional = "true")]
    attributes: Option<AnyRef<'a>>,
}

/// The `PrivateKeyInfo` of a file.
pub(super) fn open(
    der: &[u8],
    passphrase: Option<&[u8]>,
    limits: KdfLimits,
) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    let pfx = Pfx::from_der(der).map_err(malformed)?;
    if pfx.version != 3 {
        let version = pfx.version;
        return Err(malformed(format_args!(
            "it is PKCS#12 of version {version}, not 3"
        )));
    }
    let unsupported = |what: &str| KeyFileError::UnsupportedPkcs12(what.into());
    let data = pfx.safe.data();
    let safe = data.ok_or_else(|| unsupported("its integrity is ensured by a signature"))??;
    let mac = pfx.mac.ok_or_else(|| unsupported("it has no MAC"))?;
    let algorithm = MacAlgorithm::of(&mac.mac.algorithm)?;
    limits.check_pkcs12(mac.rounds)?;
    let key = find_key(safe)?;
    if key.id == SHROUDED_KEY_BAG {
        check_encryption(&key.value, limits)?;
    }

    let passphrase = passphrase.ok_or(KeyFileError::PassphraseNeeded)?;
    algorithm.check(&mac, passphrase, safe)?;
    let value = Zeroizing::new(key.value.to_der().map_err(malformed)?);
    if key.id == KEY_BAG {
        return Ok(value);
    }
    decrypt(&value, Some(passphrase), limits)
}

/// The bag of the only private key.
fn find_key(safe: &[u8]) -> Result<SafeBag<'_>, KeyFileError> {
    let mut found = None;
    for content in Vec::<ContentInfo<'_>>::from_der(safe).map_err(malformed)? {
        // Contents that are encrypted as a whole are certificates.
        let Some(bags) = content.data() else { continue };
        for bag in Vec::<SafeBag<'_>>::from_der(bags?).map_err(malformed)? {
            if [KEY_BAG, SHROUDED_KEY_BAG].contains(&bag.id) && found.replace(bag).is_some() {
                return Err(malformed("it holds several private keys, not one"));
            }
        }
    }
    found.ok_or_else(|| malformed("it holds no private key"))
}

/// Refuses encryption that [`decrypt`] cannot or must not undo, before anybody is asked for a passphrase.
fn check_encryption(key: &AnyRef<'_>, limits: KdfLimits) -> Result<(), KeyFileError> {
    #[derive(Sequence)]
    struct Encrypted<'a> {
        algorithm: AlgorithmIdentifierRef<'a>,
        key: &'a OctetStringRef,
    }
    let encrypted: Encrypted<'_> = key.decode_as().map_err(malformed)?;
    if encrypted.key.is_empty() {
        return Err(malformed("its encrypted key is empty"));
    }
    let oid = encrypted.algorithm.oid.to_string();
    if let Some(number) = oid.strip_prefix(OLD_ENCRYPTION) {
        let name = match number {
            "1" => "RC4 of 128 bits",
            "2" => "RC4 of 40 bits",
            "3" => "triple DES",
            "4" => "double DES",
            "5" => "RC2 of 128 bits",
            "6" => "RC2 of 40 bits",
            _ => "an unknown cipher",
        };
        let reason = format!("the old encryption with SHA-1 and {name}");
        return Err(KeyFileError::UnsupportedPkcs12(reason));
    }
    let value = key.to_der().map_err(malformed)?;
    match decrypt(&value, None, limits) {
        Err(KeyFileError::PassphraseNeeded) => Ok(()),
        Err(KeyFileError::UnsupportedEncryption(reason)) => {
            Err(KeyFileError::UnsupportedPkcs12(reason))
        }
        other => other.map(drop),
    }
}

/// The hash function of a MAC.
#[derive(Clone, Copy)]
enum MacAlgorithm {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl MacAlgorithm {
    fn of(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<Self, KeyFileError> {
        match algorithm.oid.to_string().as_str() {
            "1.3.14.3.2.26" => Ok(Self::Sha1),
            "2.16.840.1.101.3.4.2.1" => Ok(Self::Sha256),
            "2.16.840.1.101.3.4.2.2" => Ok(Self::Sha384),
            "2.16.840.1.101.3.4.2.3" => Ok(Self::Sha512),
            oid => {
                let reason = format!("a MAC with the algorithm {oid}");
                Err(KeyFileError::UnsupportedPkcs12(reason))
            }
        }
    }

    /// Whether the passphrase confirms the content.
    fn check(
        self,
        mac: &MacData<'_>,
        passphrase: &[u8],
        content: &[u8],
    ) -> Result<(), KeyFileError> {
        let (salt, rounds) = (mac.salt.as_bytes(), mac.rounds);
        let password = password(passphrase)?;
        let expected = mac.mac.digest.as_bytes();
        let is_right = match self {
            Self::Sha1 => confirms::<sha1::Sha1>(&password, salt, rounds, content, expected),
            Self::Sha256 => confirms::<sha2::Sha256>(&password, salt, rounds, content, expected),
            Self::Sha384 => confirms::<sha2::Sha384>(&password, salt, rounds, content, expected),
            Self::Sha512 => confirms::<sha2::Sha512>(&password, salt, rounds, content, expected),
        };
        is_right.then_some(()).ok_or(KeyFileError::WrongPassphrase)
    }
}

/// A passphrase as PKCS#12 hashes it: UTF-16, big-endian, with an end of two zeros.
fn password(passphrase: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    // UTF-8 is the only text whose encoding is known.
    let text = core::str::from_utf8(passphrase).map_err(|_| KeyFileError::WrongPassphrase)?;
    // Large enough for all, since growing would leave a copy behind.
    let mut password = Zeroizing::new(Vec::with_capacity(2 * passphrase.len() + 2));
    password.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
    password.extend([0, 0]);
    Ok(password)
}

/// Whether this is the HMAC of the content, with the key that PKCS#12 derives (RFC 7292, appendix B.2, where the
/// key is as long as the hash, so that there is one block of it).
fn confirms<D: EagerHash + Digest + BlockSizeUser>(
    password: &[u8],
    salt: &[u8],
    rounds: u32,
    content: &[u8],
    expected: &[u8],
) -> bool {
    const MAC_KEY: u8 = 3;
    let block = <D as BlockSizeUser>::block_size();
    let mut hash = <D as Digest>::new();
    hash.update(vec![MAC_KEY; block]);
    for part in [salt, password] {
        let length = part.len().next_multiple_of(block);
        let repeated: Zeroizing<Vec<u8>> =
            Zeroizing::new(part.iter().copied().cycle().take(length).collect());
        hash.update(&repeated);
    }
    let mut key = hash.finalize();
    for _ in 1..rounds {
        key = D::digest(&key);
    }
    let mac = <Hmac<D> as KeyInit>::new_from_slice(&key);
    zeroize::Zeroize::zeroize(key.as_mut_slice());
    let Ok(mut mac) = mac else { return false };
    mac.update(content);
    mac.verify_slice(expected).is_ok()
}
