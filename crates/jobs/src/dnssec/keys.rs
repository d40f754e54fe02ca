//! Keys of zones, with private halves from BIND's files.

use super::algorithm::Algorithm;
use super::error::KeyError;
use super::public::PublicPart;
use super::rrsig::{is_before, read_time};
use base64ct::{Base64, Encoding};
use sunzi_pk::KdfLimits;
use sunzi_pk::keys::{Algorithms, PrivateKey, SigningKey};
use zeroize::Zeroizing;

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
pub(super) const RSA_NUMBERS: [(&str, &str); 8] = [
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
pub(super) const NUMBER: &str = "PrivateKey";

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
    if Algorithm::from_number(number)? != public.algorithm() {
        return Err(KeyError::Mismatch);
    }
    // In constant time.
    let decoded = |name| {
        let value = field(name).ok_or(KeyError::Format("a number is missing, or there twice"))?;
        let bytes = Base64::decode_vec(value).map(Zeroizing::new);
        bytes.map_err(|_| KeyError::Format("a number is not in base64"))
    };
    let mut numbers = Vec::new();
    if public.algorithm().curve().is_empty() {
        // n and e come from the public half, and p and q are checked against n.
        for (name, member) in &RSA_NUMBERS[2..] {
            numbers.push((*member, decoded(name)?));
        }
    } else {
        let length = match public.algorithm() {
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
    let time = |name| {
        let read = |text| read_time(text, 0).ok_or(KeyError::Format("a time is wrong"));
        field(name).map(read).transpose()
    };
    let timing = Timing {
        publish: time("Publish")?,
        activate: time("Activate")?,
        inactive: time("Inactive")?,
        delete: time("Delete")?,
    };
    Ok((key, timing))
}
