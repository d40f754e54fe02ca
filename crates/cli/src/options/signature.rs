//! The options of `sign` and `verify` that select the signature scheme. Which of them mean anything
//! depends on the key.

use crate::failure::Failure;
use crate::io::key_files::PublicKey;
use clap::ValueEnum;
use sunzi_pk::Hash;
use sunzi_pk::ec::Curve;
use sunzi_pk::ec::ecdsa::{Encoding, SRange};
use sunzi_pk::rsa::{SaltLen, Scheme};

/// A signature scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemeName {
    /// RSASSA-PKCS1-v1_5
    Pkcs1v15,
    /// RSASSA-PSS, with MGF1 over the same hash
    Pss,
    /// ECDSA
    Ecdsa,
}

/// The hash of the messages that are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MessageHash {
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
}

impl MessageHash {
    /// The hash with which a curve's strength is not lost (FIPS 186-5, section 6.1.1).
    fn for_curve(curve: &Curve) -> Self {
        match curve.bits() {
            0..=256 => Self::Sha256,
            257..=384 => Self::Sha384,
            _ => Self::Sha512,
        }
    }

    fn hash(self) -> Hash {
        match self {
            Self::Sha256 => Hash::Sha256,
            Self::Sha384 => Hash::Sha384,
            Self::Sha512 => Hash::Sha512,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
        }
    }
}

/// How an ECDSA signature is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SignatureEncoding {
    /// DER, as OpenSSL writes it
    Der,
    /// r and s one after the other, each as long as the curve's order (IEEE P1363, JWS)
    Raw,
}

/// The options for the signature scheme.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SignatureOptions {
    /// The signature scheme [default: pkcs1v15 for RSA keys, ecdsa for keys of curves]
    #[arg(long, value_enum)]
    scheme: Option<SchemeName>,
    /// The hash of the messages [default: sha256; with curves of more than 256 bits sha384, and of
    /// more than 384 bits sha512]
    #[arg(long, value_enum)]
    hash: Option<MessageHash>,
    /// Length of the salt in PSS, in bytes [default: the length of the hash]
    #[arg(long, value_name = "BYTES")]
    salt_length: Option<u16>,
    /// How ECDSA signatures are written [default: der]
    #[arg(long, value_enum)]
    encoding: Option<SignatureEncoding>,
    /// ECDSA signatures have an s of at most half the order, as Bitcoin asks for: `sign` makes such
    /// ones, `verify` accepts only these
    #[arg(long)]
    low_s: bool,
}

/// How the keys of an algorithm sign.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyScheme {
    Rsa(Scheme),
    Ecdsa { encoding: Encoding, s: SRange },
}

/// What the options mean for a key.
#[derive(Clone, Debug)]
pub(crate) struct ChosenScheme {
    pub(crate) scheme: KeyScheme,
    pub(crate) hash: Hash,
    /// Key, scheme and hash in the summary: `RSA-2048, PKCS#1 v1.5, SHA-256`.
    pub(crate) description: String,
}

impl SignatureOptions {
    /// What the options mean for a key.
    ///
    /// # Errors
    /// An option that means nothing for it, by name.
    pub(crate) fn for_key(self, key: &PublicKey) -> Result<ChosenScheme, Failure> {
        let (scheme, words, default_hash) = match key {
            PublicKey::Rsa(_) => {
                let (scheme, words) = self.rsa()?;
                (scheme, words, MessageHash::Sha256)
            }
            PublicKey::Ec(key) => {
                let (scheme, words) = self.ecdsa(key.curve())?;
                (scheme, words, MessageHash::for_curve(key.curve()))
            }
        };
        let hash = self.hash.unwrap_or(default_hash);
        Ok(ChosenScheme {
            scheme,
            hash: hash.hash(),
            description: format!("{}, {words}, {}", key.name(), hash.name()),
        })
    }

    fn rsa(self) -> Result<(KeyScheme, &'static str), Failure> {
        let for_curves = |option| {
            Failure::new(format!(
                "{option} is for keys of curves, and this is an RSA key"
            ))
        };
        if self.encoding.is_some() {
            return Err(for_curves("--encoding"));
        }
        if self.low_s {
            return Err(for_curves("--low-s"));
        }
        let pss = || match self.salt_length {
            None => Scheme::PSS,
            Some(bytes) => Scheme::pss(SaltLen::Bytes(bytes.into())),
        };
        match (self.scheme, self.salt_length) {
            (Some(SchemeName::Ecdsa), _) => Err(for_curves("--scheme ecdsa")),
            (Some(SchemeName::Pss), _) => Ok((KeyScheme::Rsa(pss()), "PSS")),
            (_, None) => Ok((KeyScheme::Rsa(Scheme::Pkcs1v15), "PKCS#1 v1.5")),
            (_, Some(_)) => Err(Failure::new(
                "--salt-length needs --scheme pss: PKCS#1 v1.5 has no salt",
            )),
        }
    }

    fn ecdsa(self, curve: &Curve) -> Result<(KeyScheme, &'static str), Failure> {
        let for_rsa = |option| {
            Failure::new(format!(
                "{option} is for RSA keys, and this is a key of {curve}"
            ))
        };
        match self.scheme {
            Some(SchemeName::Pkcs1v15) => return Err(for_rsa("--scheme pkcs1v15")),
            Some(SchemeName::Pss) => return Err(for_rsa("--scheme pss")),
            Some(SchemeName::Ecdsa) | None => {}
        }
        if self.salt_length.is_some() {
            return Err(for_rsa("--salt-length"));
        }
        super::curve::check_signing(curve).map_err(Failure::new)?;
        let (encoding, words) = match self.encoding {
            None | Some(SignatureEncoding::Der) => (Encoding::Der, "ECDSA"),
            Some(SignatureEncoding::Raw) => (Encoding::Raw, "ECDSA (raw)"),
        };
        let s = if self.low_s { SRange::Low } else { SRange::Any };
        Ok((KeyScheme::Ecdsa { encoding, s }, words))
    }
}
