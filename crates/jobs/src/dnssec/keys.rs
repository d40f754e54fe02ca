//! Keys of zones: DNSKEY records, and private halves in BIND's files.

use super::error::KeyError;
use super::name::Apex;
use super::rrsig::{is_before, read_time, write_time};
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use core::fmt;
use domain::base::Name;
use domain::base::iana::{Class, SecurityAlgorithm};
use domain::rdata::{Dnskey, ZoneRecordData};
use domain::zonefile::inplace::{Entry, Zonefile};
use rand_core::CryptoRng;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use sunzi_pk::ec::ecdsa;
use sunzi_pk::ec::eddsa::Variant;
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey, Scheme, SigningKey};
use sunzi_pk::{Hash, KdfLimits, rsa};
use zeroize::Zeroizing;

/// The flag of keys that sign zones.
const ZONE_KEY: u16 = 0x100;
/// The flag of keys that sign keys.
const ENTRY_POINT: u16 = 1;
/// The flag of keys that are withdrawn (RFC 5011).
const REVOKED: u16 = 0x80;
/// The only protocol.
const PROTOCOL: u8 = 3;

/// An algorithm of signatures in zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// RSA with SHA-256, number 8 (RFC 5702).
    RsaSha256,
    /// RSA with SHA-512, number 10 (RFC 5702).
    RsaSha512,
    /// ECDSA on P-256 with SHA-256, number 13 (RFC 6605).
    EcdsaP256Sha256,
    /// ECDSA on P-384 with SHA-384, number 14 (RFC 6605).
    EcdsaP384Sha384,
    /// Ed25519, number 15 (RFC 8080).
    Ed25519,
    /// Ed448, number 16 (RFC 8080).
    Ed448,
}

impl Algorithm {
    /// All algorithms, by their numbers.
    pub const ALL: [Self; 6] = [
        Self::RsaSha256,
        Self::RsaSha512,
        Self::EcdsaP256Sha256,
        Self::EcdsaP384Sha384,
        Self::Ed25519,
        Self::Ed448,
    ];

    /// Its number in DNSKEY records.
    pub fn number(self) -> u8 {
        match self {
            Self::RsaSha256 => 8,
            Self::RsaSha512 => 10,
            Self::EcdsaP256Sha256 => 13,
            Self::EcdsaP384Sha384 => 14,
            Self::Ed25519 => 15,
            Self::Ed448 => 16,
        }
    }

    /// Its name in BIND's files: `ECDSAP256SHA256`.
    pub fn name(self) -> &'static str {
        match self {
            Self::RsaSha256 => "RSASHA256",
            Self::RsaSha512 => "RSASHA512",
            Self::EcdsaP256Sha256 => "ECDSAP256SHA256",
            Self::EcdsaP384Sha384 => "ECDSAP384SHA384",
            Self::Ed25519 => "ED25519",
            Self::Ed448 => "ED448",
        }
    }

    /// The algorithm of this number.
    ///
    /// # Errors
    /// [`KeyError::Algorithm`].
    pub fn from_number(number: u8) -> Result<Self, KeyError> {
        let found = Self::ALL.into_iter().find(|known| known.number() == number);
        found.ok_or(KeyError::Algorithm(number))
    }

    /// The algorithm of this name, in any case, or number.
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |known: &Self| {
            known.name().eq_ignore_ascii_case(name) || known.number().to_string() == name
        };
        Self::ALL.into_iter().find(is)
    }

    /// The scheme of its signatures.
    pub(super) fn scheme(self) -> Scheme<'static> {
        let ecdsa = |hash| Scheme::Ecdsa {
            hash,
            encoding: ecdsa::Encoding::Raw,
            s: ecdsa::SRange::Any,
        };
        match self {
            Self::RsaSha256 => Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha256),
            Self::RsaSha512 => Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha512),
            Self::EcdsaP256Sha256 => ecdsa(Hash::Sha256),
            Self::EcdsaP384Sha384 => ecdsa(Hash::Sha384),
            Self::Ed25519 | Self::Ed448 => Scheme::Eddsa(Variant::Pure),
        }
    }

    /// The name of its keys, those of RSA with this many bits.
    fn key_name(self, bits: u32) -> String {
        match self {
            Self::RsaSha256 | Self::RsaSha512 => format!("RSA-{bits}"),
            other => other.curve().into(),
        }
    }

    /// The name of its curve, if it has one.
    fn curve(self) -> &'static str {
        match self {
            Self::RsaSha256 | Self::RsaSha512 => "",
            Self::EcdsaP256Sha256 => "P-256",
            Self::EcdsaP384Sha384 => "P-384",
            Self::Ed25519 => "Ed25519",
            Self::Ed448 => "Ed448",
        }
    }
}

/// The purpose of a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It signs the zone, and not its keys: a zone-signing key.
    Zone,
    /// It signs the keys of the zone, and where there is no other key all of the zone: a key-signing key, or a combined
    /// one.
    Keys,
}

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

    fn new(owner: Apex, key: &Dnskey<impl AsRef<[u8]>>) -> Result<Self, KeyError> {
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
    pub(super) fn of_record(apex: &Apex, data: &[u8]) -> Result<Self, KeyError> {
        let (&[high, low, protocol, algorithm], key) =
            data.split_first_chunk().ok_or(KeyError::Public)?;
        let flags = u16::from_be_bytes([high, low]);
        let algorithm = SecurityAlgorithm::from_int(algorithm);
        let key = Dnskey::new(flags, protocol, algorithm, key).map_err(|_| KeyError::Public)?;
        Self::new(apex.clone(), &key)
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
    fn jwk(&self, private: &[(&str, &[u8])]) -> Option<Zeroizing<String>> {
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

/// The times in a file of a private key, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Timing {
    publish: Option<u32>,
    activate: Option<u32>,
    inactive: Option<u32>,
    delete: Option<u32>,
}

impl Timing {
    fn is_published(&self, now: u32) -> bool {
        has_come(self.publish, now, true) && !has_come(self.delete, now, false)
    }

    fn is_active(&self, now: u32) -> bool {
        has_come(self.activate, now, true) && !has_come(self.inactive, now, false)
    }
}

fn has_come(time: Option<u32>, now: u32, unset: bool) -> bool {
    time.map_or(unset, |time| !is_before(now, time))
}

/// A key of a zone, with or without its private half.
#[derive(Clone, Debug)]
pub struct ZoneKey {
    public: PublicPart,
    signing: Option<SigningKey>,
    timing: Timing,
}

/// Numbers of RSA in BIND's files, with their names in JSON Web Keys.
const RSA_NUMBERS: [(&str, &str); 8] = [
    ("Modulus", "n"),
    ("PublicExponent", "e"),
    ("PrivateExponent", "d"),
    ("Prime1", "p"),
    ("Prime2", "q"),
    ("Exponent1", "dp"),
    ("Exponent2", "dq"),
    ("Coefficient", "qi"),
];

/// The number of a curve in BIND's files.
const NUMBER: &str = "PrivateKey";

impl ZoneKey {
    /// A key without its private half: it is published, and signs nothing.
    pub fn without_private(public: PublicPart) -> Self {
        Self {
            public,
            signing: None,
            timing: Timing::default(),
        }
    }

    /// A key with its private half, which is a file of BIND (`K*.private`), or of Knot or others in PEM.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Mismatch`], [`KeyError::Key`].
    pub fn new(
        algorithms: &Algorithms,
        public: PublicPart,
        private: &[u8],
    ) -> Result<Self, KeyError> {
        let (key, timing) = if private.trim_ascii_start().starts_with(b"-----") {
            let key = PrivateKey::from_pem_or_der(algorithms, private, None, KdfLimits::default())?;
            (key, Timing::default())
        } else {
            read_bind(algorithms, &public, private)?
        };
        let signing = SigningKey::new(algorithms, &key)?;
        if *signing.public_key() != public.key()? {
            return Err(KeyError::Mismatch);
        }
        Ok(Self {
            public,
            signing: Some(signing),
            timing,
        })
    }

    /// The public half.
    pub fn public(&self) -> &PublicPart {
        &self.public
    }

    pub(super) fn signing(&self) -> Option<&SigningKey> {
        self.signing.as_ref()
    }

    pub(super) fn is_published(&self, now: u32) -> bool {
        self.timing.is_published(now)
    }

    /// Whether it can sign and is to sign.
    pub(super) fn is_active(&self, now: u32) -> bool {
        self.signing.is_some() && self.is_published(now) && self.timing.is_active(now)
    }
}

/// Reads a private key in BIND's format.
fn read_bind(
    algorithms: &Algorithms,
    public: &PublicPart,
    file: &[u8],
) -> Result<(PrivateKey, Timing), KeyError> {
    let text = core::str::from_utf8(file).map_err(|_| KeyError::Format("it is no text"))?;
    let mut fields = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (name, value) = line
            .split_once(':')
            .ok_or(KeyError::Format("a line has no colon"))?;
        fields.push((name.trim(), value.trim()));
    }
    let field = |name| {
        let mut found = fields.iter().filter(|(known, _)| *known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(*value),
            _ => None,
        }
    };
    if !field("Private-key-format").is_some_and(|version| version.starts_with("v1.")) {
        return Err(KeyError::Format("Private-key-format is not v1"));
    }
    let number = field("Algorithm").and_then(|value| value.split_whitespace().next());
    let number: Option<u8> = number.and_then(|number| number.parse().ok());
    let number = number.ok_or(KeyError::Format("it has no Algorithm"))?;
    if Algorithm::from_number(number)? != public.algorithm {
        return Err(KeyError::Mismatch);
    }
    // In constant time.
    let decoded = |name| {
        let value = field(name).ok_or(KeyError::Format("a number is missing, or there twice"))?;
        let bytes = Base64::decode_vec(value).map(Zeroizing::new);
        bytes.map_err(|_| KeyError::Format("a number is not in base64"))
    };
    let mut numbers = Vec::new();
    if public.algorithm.curve().is_empty() {
        // n and e come from the public half, and p and q are checked against n.
        for (name, member) in &RSA_NUMBERS[2..] {
            numbers.push((*member, decoded(name)?));
        }
    } else {
        let length = match public.algorithm {
            Algorithm::EcdsaP384Sha384 => 48,
            Algorithm::Ed448 => 57,
            _ => 32,
        };
        let bytes = decoded(NUMBER)?;
        // Old versions of BIND leave leading zeros out.
        let zeros = usize::checked_sub(length, bytes.len());
        let zeros = zeros.ok_or(KeyError::Format("a number is too long"))?;
        let mut number = Zeroizing::new(vec![0; length]);
        number[zeros..].copy_from_slice(&bytes);
        numbers.push(("d", number));
    }
    let numbers: Vec<(&str, &[u8])> = numbers
        .iter()
        .map(|(name, bytes)| (*name, &bytes[..]))
        .collect();
    let jwk = public.jwk(&numbers).ok_or(KeyError::Public)?;
    let key = PrivateKey::from_pem_or_der(algorithms, jwk.as_bytes(), None, KdfLimits::default())?;
    let time = |name| match field(name) {
        None => Ok(None),
        Some(text) => {
            let time = read_time(text, 0).ok_or(KeyError::Format("a time is wrong"))?;
            Ok(Some(time))
        }
    };
    let timing = Timing {
        publish: time("Publish")?,
        activate: time("Activate")?,
        inactive: time("Inactive")?,
        delete: time("Delete")?,
    };
    Ok((key, timing))
}

/// A new key of a zone, with the content of its private file in BIND's format. Keys of RSA have so many bits.
///
/// # Errors
/// [`KeyError::NotDnskey`] if the zone's name is none, [`KeyError::Key`].
pub fn generate<R: CryptoRng + ?Sized>(
    algorithms: &Algorithms,
    zone: &str,
    algorithm: Algorithm,
    bits: u32,
    purpose: Purpose,
    now: u32,
    rng: &mut R,
) -> Result<(PublicPart, Zeroizing<String>), KeyError> {
    let owner = Name::vec_from_str(zone).map_err(|error| KeyError::NotDnskey(error.to_string()))?;
    let key = PrivateKey::generate(algorithms, &algorithm.key_name(bits), rng)?;
    let flags = match purpose {
        Purpose::Zone => ZONE_KEY,
        Purpose::Keys => ZONE_KEY | ENTRY_POINT,
    };
    let bytes = public_bytes(&key.public_key());
    let number = SecurityAlgorithm::from_int(algorithm.number());
    let dnskey = Dnskey::new(flags, PROTOCOL, number, bytes).map_err(|_| KeyError::Public)?;
    let public = PublicPart::new(Apex::new(&owner), &dnskey)?;
    Ok((public, write_bind(&key, algorithm, now)?))
}

/// The public key of a DNSKEY record.
fn public_bytes(key: &PublicKey) -> Vec<u8> {
    match key {
        PublicKey::Rsa(key) => {
            let e = key.e().to_be_bytes();
            let zeros = e.iter().take_while(|byte| **byte == 0).count();
            let e = &e[zeros..];
            let mut bytes = vec![e.len() as u8];
            bytes.extend_from_slice(e);
            bytes.extend(key.n().to_be_bytes_trimmed_vartime());
            bytes
        }
        PublicKey::Ec(key) => key.to_sec1_bytes(false)[1..].to_vec(),
        PublicKey::Edwards(key) => key.as_bytes().to_vec(),
        // Keys of zones are none of these.
        _ => Vec::new(),
    }
}

/// A private key in BIND's format.
fn write_bind(
    key: &PrivateKey,
    algorithm: Algorithm,
    now: u32,
) -> Result<Zeroizing<String>, KeyError> {
    /// The members, whose texts are parts of the whole.
    #[derive(Deserialize)]
    struct Jwk<'a> {
        n: &'a str,
        e: &'a str,
        d: &'a str,
        p: &'a str,
        q: &'a str,
        dp: &'a str,
        dq: &'a str,
        qi: &'a str,
    }
    // Longer than any, since growing would leave a copy behind.
    let mut text = Zeroizing::new(String::with_capacity(1 << 14));
    let (number, name) = (algorithm.number(), algorithm.name());
    text.push_str("Private-key-format: v1.3\n");
    text.push_str(&format!("Algorithm: {number} ({name})\n"));
    let mut push = |name: &str, bytes: &[u8]| {
        let value = Zeroizing::new(Base64::encode_string(bytes));
        for part in [name, ": ", &value, "\n"] {
            text.push_str(part);
        }
    };
    match key {
        PrivateKey::Rsa(key) => {
            let wrong = || KeyError::Format("its numbers cannot be written");
            let jwk = key.to_jwk();
            let jwk: Jwk<'_> = serde_json::from_str(&jwk).map_err(|_| wrong())?;
            let numbers = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi];
            for ((name, _), number) in RSA_NUMBERS.iter().zip(numbers) {
                let bytes = Base64UrlUnpadded::decode_vec(number).map(Zeroizing::new);
                push(name, &bytes.map_err(|_| wrong())?);
            }
        }
        PrivateKey::Ec(key) => push(NUMBER, &key.to_bytes()),
        PrivateKey::Edwards(key) => push(NUMBER, key.as_bytes()),
        // No algorithm here has others.
        _ => return Err(KeyError::Format("it is a key for agreement")),
    }
    let now = write_time(now);
    for name in ["Created", "Publish", "Activate"] {
        text.push_str(&format!("{name}: {now}\n"));
    }
    Ok(text)
}
