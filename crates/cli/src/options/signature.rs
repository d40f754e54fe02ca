//! The options of `sign` and `verify` that select the signature scheme. Which of them mean anything
//! depends on the key.

use crate::failure::Failure;
use clap::ValueEnum;
use sunzi_pk::Hash;
use sunzi_pk::ec::Curve;
use sunzi_pk::ec::ecdsa::{Encoding, SRange};
use sunzi_pk::keys::{PublicKey, Scheme};
use sunzi_pk::rsa::{self, PssRestriction, SaltLen};

/// A signature scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemeName {
    /// RSASSA-PKCS1-v1_5
    Pkcs1v15,
    /// RSASSA-PSS, with MGF1 over the same hash
    Pss,
    /// ECDSA
    Ecdsa,
    /// EdDSA, of messages as they are
    Eddsa,
    /// Schnorr signatures of BIP 340, with keys of secp256k1, of messages as they are
    Bip340,
    /// SSHSIG, as `ssh-keygen -Y` signs and verifies, with keys of RSA, P-256, P-384, P-521 and Ed25519
    Sshsig,
}

impl SchemeName {
    /// The option that chooses it.
    fn option(self) -> &'static str {
        match self {
            Self::Pkcs1v15 => "--scheme pkcs1v15",
            Self::Pss => "--scheme pss",
            Self::Ecdsa => "--scheme ecdsa",
            Self::Eddsa => "--scheme eddsa",
            Self::Bip340 => "--scheme bip340",
            Self::Sshsig => "--scheme sshsig",
        }
    }
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
    fn hash(self) -> Hash {
        match self {
            Self::Sha256 => Hash::Sha256,
            Self::Sha384 => Hash::Sha384,
            Self::Sha512 => Hash::Sha512,
        }
    }
}

/// Encoding of an ECDSA signature.
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
    /// The signature scheme [default: pkcs1v15 for RSA keys, eddsa for keys of Ed25519 and Ed448, ecdsa
    /// for keys of other curves]
    #[arg(long, value_enum)]
    scheme: Option<SchemeName>,
    /// The hash of the messages, of RSA and ECDSA [default: sha256; with curves of more than 256 bits sha384, and of
    /// more than 384 bits, and of SSHSIG, sha512]
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

/// The scheme that the options choose for a key.
#[derive(Clone, Debug)]
pub(crate) struct ChosenScheme {
    pub(crate) scheme: Scheme<'static>,
    /// Key, scheme and hash in the summary: `RSA-2048, PKCS#1 v1.5, SHA-256`.
    pub(crate) description: String,
}

impl SignatureOptions {
    /// The scheme for a key: its usual one, with what the options change in it.
    ///
    /// # Errors
    /// An option that means nothing for it, by name.
    pub(crate) fn for_key(self, key: &PublicKey) -> Result<ChosenScheme, Failure> {
        let name = key.algorithm();
        let (scheme, description) = match (key, Scheme::of(key)) {
            (PublicKey::Rsa(key), Scheme::Rsa(_, usual)) => {
                let hash = self.hash.map_or(usual, MessageHash::hash);
                let (scheme, words) = match key.restriction() {
                    Some(restriction) => self.pss_alone(restriction, hash)?,
                    None => self.rsa()?,
                };
                let description = format!("{name}, {words}, {}", hash_words(hash));
                (Scheme::Rsa(scheme, hash), description)
            }
            (PublicKey::Ec(key), _) if self.scheme == Some(SchemeName::Bip340) => {
                self.bip340(key.curve())?;
                // Signing draws the auxiliary data, as the kind of nonces says.
                let scheme = Scheme::Bip340 { auxiliary: None };
                (scheme, format!("{name}, BIP 340"))
            }
            (PublicKey::Ec(key), Scheme::Ecdsa { hash: usual, .. }) => {
                let hash = self.hash.map_or(usual, MessageHash::hash);
                let (scheme, words) = self.ecdsa(key.curve(), hash)?;
                let description = format!("{name}, {words}, {}", hash_words(hash));
                (scheme, description)
            }
            (PublicKey::Edwards(_), scheme) => {
                if let Some(scheme) = self.scheme.filter(|&scheme| scheme != SchemeName::Eddsa) {
                    return Err(for_others(scheme.option(), &name));
                }
                self.no_choices(&name)?;
                (scheme, name)
            }
            _ => {
                return Err(Failure::new(format!(
                    "a key of {name} cannot sign: it is for `sunzi agree`"
                )));
            }
        };
        Ok(ChosenScheme {
            scheme,
            description,
        })
    }

    /// The scheme named by the member `alg` of a JSON Web Key.
    ///
    /// # Errors
    /// An `alg` of other keys or for other purposes, and options that contradict it.
    pub(crate) fn for_intended(self, alg: &str, key: &PublicKey) -> Result<ChosenScheme, Failure> {
        let name = key.algorithm();
        let scheme = Scheme::of_jws(alg, key).ok_or_else(|| {
            Failure::new(format!(
                "its alg {alg:?} is none for signatures by a key of {name}"
            ))
        })?;
        if self.is_given() && self.for_key(key)?.scheme != scheme {
            return Err(Failure::new(format!(
                "the options contradict its alg {alg:?}"
            )));
        }
        Ok(ChosenScheme {
            scheme,
            description: format!("{name}, {alg}"),
        })
    }

    /// Whether one of these options is given.
    fn is_given(self) -> bool {
        self.low_s
            || self.scheme.is_some()
            || self.hash.is_some()
            || self.salt_length.is_some()
            || self.encoding.is_some()
    }

    /// Refuses the options that mean nothing for schemes that leave nothing to choose.
    fn no_choices(self, name: &str) -> Result<(), Failure> {
        let given = [
            ("--hash", self.hash.is_some()),
            ("--salt-length", self.salt_length.is_some()),
            ("--encoding", self.encoding.is_some()),
            ("--low-s", self.low_s),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(for_others(option, name)),
            None => Ok(()),
        }
    }

    /// The hash of the messages, if the options choose SSHSIG.
    ///
    /// # Errors
    /// An option that means nothing for it, by name.
    pub(crate) fn sshsig(self) -> Result<Option<Hash>, Failure> {
        if self.scheme != Some(SchemeName::Sshsig) {
            return Ok(None);
        }
        let hash = self.hash.map_or(Hash::Sha512, MessageHash::hash);
        Self { hash: None, ..self }.no_choices("SSHSIG")?;
        Ok(Some(hash))
    }

    /// The same options, where SSHSIG is the scheme unless they name another.
    pub(crate) fn or_sshsig(self) -> Self {
        let scheme = self.scheme.or(Some(SchemeName::Sshsig));
        Self { scheme, ..self }
    }

    fn bip340(self, curve: &Curve) -> Result<(), Failure> {
        if curve.name() != Some("secp256k1") {
            return Err(Failure::new(format!(
                "--scheme bip340 is for keys of secp256k1, and this is a key of {curve}"
            )));
        }
        self.no_choices("BIP 340")
    }

    /// Padding of a key for PSS alone, which decides what the options leave open.
    fn pss_alone(
        self,
        restriction: PssRestriction,
        hash: Hash,
    ) -> Result<(rsa::Scheme, &'static str), Failure> {
        let (own, _) = restriction.scheme();
        let asked = Self {
            scheme: Some(self.scheme.unwrap_or(SchemeName::Pss)),
            ..self
        };
        let (scheme, words) = asked.rsa()?;
        let scheme = match (scheme, own) {
            (
                rsa::Scheme::Pss { salt_len, .. },
                rsa::Scheme::Pss {
                    salt_len: own,
                    mgf1,
                },
            ) => rsa::Scheme::Pss {
                salt_len: if self.salt_length.is_some() {
                    salt_len
                } else {
                    own
                },
                mgf1,
            },
            (other, _) => other,
        };
        restriction
            .check(scheme, hash)
            .map_err(Failure::from_error)?;
        Ok((scheme, words))
    }

    fn rsa(self) -> Result<(rsa::Scheme, &'static str), Failure> {
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
        let pss = match self.salt_length {
            None => rsa::Scheme::PSS,
            Some(bytes) => rsa::Scheme::pss(SaltLen::Bytes(bytes.into())),
        };
        let (scheme, words) = match (self.scheme, self.salt_length) {
            (Some(SchemeName::Pss), _) => (pss, "PSS"),
            (None | Some(SchemeName::Pkcs1v15), None) => (rsa::Scheme::Pkcs1v15, "PKCS#1 v1.5"),
            (None | Some(SchemeName::Pkcs1v15), Some(_)) => {
                return Err(Failure::new(
                    "--salt-length needs --scheme pss: PKCS#1 v1.5 has no salt",
                ));
            }
            (Some(other), _) => return Err(for_curves(other.option())),
        };
        Ok((scheme, words))
    }

    fn ecdsa(self, curve: &Curve, hash: Hash) -> Result<(Scheme<'static>, &'static str), Failure> {
        let for_rsa = |option| {
            Failure::new(format!(
                "{option} is for RSA keys, and this is a key of {curve}"
            ))
        };
        match self.scheme {
            Some(rsa @ (SchemeName::Pkcs1v15 | SchemeName::Pss)) => {
                return Err(for_rsa(rsa.option()));
            }
            Some(other @ (SchemeName::Eddsa | SchemeName::Sshsig)) => {
                return Err(for_others(other.option(), &curve.to_string()));
            }
            Some(SchemeName::Ecdsa | SchemeName::Bip340) | None => {}
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
        Ok((Scheme::Ecdsa { hash, encoding, s }, words))
    }
}

/// The name of a hash function in the summary.
fn hash_words(hash: Hash) -> &'static str {
    match hash {
        Hash::Sha256 => "SHA-256",
        Hash::Sha384 => "SHA-384",
        Hash::Sha512 => "SHA-512",
        other => other.name(),
    }
}

/// The refusal of an option that means nothing for this key or scheme.
fn for_others(option: &str, name: &str) -> Failure {
    Failure::new(format!("{option} means nothing for {name}"))
}
