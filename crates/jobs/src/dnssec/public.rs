//! Public halves of keys of zones: DNSKEY records.

use super::algorithm::Algorithm;
use super::error::KeyError;
use super::name::Apex;
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use core::fmt;
use domain::base::iana::{Class, SecurityAlgorithm};
use domain::rdata::{Dnskey, ZoneRecordData};
use domain::zonefile::inplace::{Entry, Zonefile};
use sha2::{Digest as _, Sha256};
use sunzi_pk::keys::{Algorithms, PublicKey, VerifyingKey};
use zeroize::Zeroizing;

/// The flag of keys that sign zones.
pub(super) const ZONE_KEY: u16 = 0x100;
/// The flag of keys that sign keys.
pub(super) const ENTRY_POINT: u16 = 1;
/// The flag of keys that are withdrawn (RFC 5011).
const REVOKED: u16 = 0x80;
/// The only protocol.
pub(super) const PROTOCOL: u8 = 3;

/// A DNSKEY record, with its owner.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicPart {
    owner: Apex,
    algorithm: Algorithm,
    flags: u16,
    tag: u16,
    /// The data of the record.
    data: Vec<u8>,
}

impl fmt::Debug for PublicPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file_name())
    }
}

impl PublicPart {
    /// Reads a file with one DNSKEY record, `K*.key`.
    ///
    /// # Errors
    /// [`KeyError::NotDnskey`], [`KeyError::NotZoneKey`], [`KeyError::Algorithm`].
    pub fn read(file: &[u8]) -> Result<Self, KeyError> {
        let wrong = |reason: String| KeyError::NotDnskey(reason);
        let mut scanner = Zonefile::from(file);
        scanner.extend_from_slice(b"\n");
        scanner.set_default_class(Class::IN);
        let mut entries = scanner.map(|entry| entry.map_err(|error| wrong(error.to_string())));
        let first = entries
            .next()
            .ok_or_else(|| wrong("it is empty".into()))??;
        let Entry::Record(record) = first else {
            return Err(wrong("it names another file".into()));
        };
        if entries.next().is_some() {
            return Err(wrong("there are more".into()));
        }
        let ZoneRecordData::Dnskey(key) = record.data() else {
            return Err(wrong(format!("its type is {}", record.rtype())));
        };
        Self::new(Apex::new(record.owner()), key)
    }

    pub(super) fn new(owner: Apex, key: &Dnskey<impl AsRef<[u8]>>) -> Result<Self, KeyError> {
        let algorithm = Algorithm::from_number(key.algorithm().to_int())?;
        if !key.is_zone_key() || key.protocol() != PROTOCOL {
            return Err(KeyError::NotZoneKey);
        }
        let mut data = key.flags().to_be_bytes().to_vec();
        data.extend([PROTOCOL, algorithm.number()]);
        data.extend_from_slice(key.public_key().as_ref());
        Ok(Self {
            owner,
            algorithm,
            flags: key.flags(),
            tag: key.key_tag(),
            data,
        })
    }

    /// Reads the data of a record of a zone.
    fn of_record(apex: &Apex, data: &[u8]) -> Result<Self, KeyError> {
        let (&[high, low, protocol, algorithm], key) =
            data.split_first_chunk().ok_or(KeyError::Public)?;
        let flags = u16::from_be_bytes([high, low]);
        let algorithm = SecurityAlgorithm::from_int(algorithm);
        let key = Dnskey::new(flags, protocol, algorithm, key).map_err(|_| KeyError::Public)?;
        Self::new(apex.clone(), &key)
    }

    /// Reads the data of a record of a zone, and prepares the key.
    pub(super) fn prepared(
        algorithms: &Algorithms,
        apex: &Apex,
        data: &[u8],
    ) -> Result<(Self, VerifyingKey), KeyError> {
        let part = Self::of_record(apex, data)?;
        let key = VerifyingKey::new(algorithms, &part.key()?)?;
        Ok((part, key))
    }

    /// The zone's name in lower case, as messages have it.
    pub fn wire_owner(&self) -> &[u8] {
        self.owner.wire()
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The key tag (RFC 4034, appendix B).
    pub fn tag(&self) -> u16 {
        self.tag
    }

    /// Whether the key signs keys: its flag of a secure entry point is set.
    pub fn signs_keys(&self) -> bool {
        self.flags & ENTRY_POINT != 0
    }

    pub(super) fn is_revoked(&self) -> bool {
        self.flags & REVOKED != 0
    }

    /// The data of the record.
    pub(super) fn data(&self) -> &[u8] {
        &self.data
    }

    /// The name that BIND gives the files of the key, without an ending: `Kexample.+013+04660`.
    pub fn file_name(&self) -> String {
        let (owner, number) = (self.owner.text(b""), self.algorithm.number());
        // As BIND writes a character that names of files cannot have.
        let owner = owner.replace('/', "%2F");
        format!("K{owner}+{number:03}+{:05}", self.tag)
    }

    /// The record, as a file has it.
    pub fn record(&self) -> String {
        let (owner, number) = (self.owner.text(b""), self.algorithm.number());
        let key = Base64::encode_string(&self.data[4..]);
        format!(
            "{owner} IN DNSKEY {} {PROTOCOL} {number} {key}\n",
            self.flags
        )
    }

    /// The DS record for the parent's zone, with SHA-256.
    pub fn ds(&self) -> String {
        let digest = Sha256::new()
            .chain_update(self.owner.wire())
            .chain_update(&self.data)
            .finalize();
        let (owner, number, tag) = (self.owner.text(b""), self.algorithm.number(), self.tag);
        let digest = base16ct::upper::encode_string(&digest);
        format!("{owner} IN DS {tag} {number} 2 {digest}")
    }

    /// The key.
    pub(super) fn key(&self) -> Result<PublicKey, KeyError> {
        let jwk = self.jwk(&[]).ok_or(KeyError::Public)?;
        PublicKey::from_pem_or_der(jwk.as_bytes()).map_err(|_| KeyError::Public)
    }

    /// The key as a JSON Web Key, with members in base64url besides.
    pub(super) fn jwk(&self, private: &[(&str, &[u8])]) -> Option<Zeroizing<String>> {
        let bytes = &self.data[4..];
        let (kind, public) = match self.algorithm {
            Algorithm::RsaSha256 | Algorithm::RsaSha512 => {
                // RFC 3110, section 2: the length of the exponent has one byte, or a zero and two.
                let (length, rest) = match bytes {
                    [0, high, low, rest @ ..] => (u16::from_be_bytes([*high, *low]), rest),
                    [length, rest @ ..] => (u16::from(*length), rest),
                    [] => return None,
                };
                let (e, n) = rest.split_at_checked(length.into())?;
                ("RSA", vec![("e", e), ("n", n)])
            }
            Algorithm::EcdsaP256Sha256 | Algorithm::EcdsaP384Sha384 => {
                let (x, y) = bytes.split_at(bytes.len() / 2);
                ("EC", vec![("x", x), ("y", y)])
            }
            Algorithm::Ed25519 | Algorithm::Ed448 => ("OKP", vec![("x", bytes)]),
        };
        let numbers = || public.iter().chain(private);
        let length: usize = numbers().map(|(_, bytes)| bytes.len() * 4 / 3 + 16).sum();
        // Long enough, since growing would leave a copy behind.
        let mut jwk = Zeroizing::new(String::with_capacity(64 + length));
        jwk.push_str("{\"kty\":\"");
        jwk.push_str(kind);
        jwk.push_str("\",\"crv\":\"");
        jwk.push_str(self.algorithm.curve());
        for (name, bytes) in numbers() {
            jwk.push_str("\",\"");
            jwk.push_str(name);
            jwk.push_str("\":\"");
            let text = Zeroizing::new(Base64UrlUnpadded::encode_string(bytes));
            jwk.push_str(&text);
        }
        jwk.push_str("\"}");
        Some(jwk)
    }
}
