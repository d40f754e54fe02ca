//! Formats of the key files that are written.

use crate::failure::Failure;
use crate::options::curve::KeyCurve;
use clap::ValueEnum;
use sunzi_pk::keys::{PrivateKey, PublicKey};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// The format of a private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KeyFormat {
    /// PKCS#8, which all current tools read
    Pkcs8,
    /// PKCS#1, an older format of RSA keys that cannot be encrypted
    Pkcs1,
    /// SEC 1, an older format of keys of curves that cannot be encrypted
    Sec1,
    /// A JSON Web Key (RFC 7517), which is not encrypted either
    Jwk,
    /// OpenSSH's format, of RSA keys and keys of P-256, P-384, P-521 and Ed25519; public keys are one line
    Ssh,
}

impl KeyFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Pkcs8 => "PKCS#8",
            Self::Pkcs1 => "PKCS#1",
            Self::Sec1 => "SEC 1",
            Self::Jwk => "JWK",
            Self::Ssh => "OpenSSH's format",
        }
    }

    /// Refuses this format for keys of other algorithms, and for keys that are to be encrypted.
    pub(super) fn check(self, kind: KeyKind, encrypted: bool) -> Result<(), Failure> {
        let name = self.name();
        let other = match self {
            Self::Pkcs1 => kind != KeyKind::Rsa,
            Self::Sec1 => kind != KeyKind::Ec,
            Self::Pkcs8 | Self::Jwk | Self::Ssh => false,
        };
        if other {
            let kind = match kind {
                KeyKind::Rsa => "an RSA key",
                KeyKind::Ec => "a key of a curve",
                KeyKind::Octets => "a key of this curve",
            };
            return Err(Failure::new(format!(
                "--format: {name} is no format of {kind}"
            )));
        }
        if encrypted && !matches!(self, Self::Pkcs8 | Self::Ssh) {
            return Err(Failure::new(format!(
                "{name} keys cannot be encrypted: leave --format at pkcs8"
            )));
        }
        Ok(())
    }

    /// Refuses this format for a key that is for PSS alone, unless the format can say so.
    pub(super) fn check_restriction(self, key: &PublicKey) -> Result<(), Failure> {
        match key {
            PublicKey::Rsa(key) if key.restriction().is_some() && self != Self::Pkcs8 => {
                Err(Failure::new(format!(
                    "--format: the key is for RSASSA-PSS alone, which {} cannot say: leave it at pkcs8",
                    self.name()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// The property of keys that formats depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyKind {
    Rsa,
    /// Of a curve for ECDSA and ECDH.
    Ec,
    /// Of EdDSA, X25519 or X448: a string of bytes.
    Octets,
}

impl KeyKind {
    pub(super) fn of(key: &PublicKey) -> Self {
        match key {
            PublicKey::Rsa(_) => Self::Rsa,
            PublicKey::Ec(_) => Self::Ec,
            _ => Self::Octets,
        }
    }

    /// Of a new key, by the curve that was asked for.
    pub(super) fn of_new(curve: Option<&KeyCurve>) -> Self {
        match curve {
            None => Self::Rsa,
            Some(KeyCurve::Ec(_)) => Self::Ec,
            Some(_) => Self::Octets,
        }
    }
}

/// The content of a file with a private key, in PKCS#8 encrypted if there is a passphrase.
pub(super) fn private_file(
    key: &PrivateKey,
    format: KeyFormat,
    passphrase: Option<&[u8]>,
) -> Result<Zeroizing<String>, Failure> {
    match (key, format, passphrase) {
        (_, KeyFormat::Jwk, _) => key.to_jwk(),
        (_, KeyFormat::Ssh, passphrase) => key.to_openssh(&mut system_rng(), passphrase),
        (PrivateKey::Rsa(key), KeyFormat::Pkcs1, _) => Ok(key.to_pkcs1_pem()),
        (PrivateKey::Ec(key), KeyFormat::Sec1, _) => {
            return key.to_sec1_pem().map_err(Failure::from_error);
        }
        (_, _, Some(passphrase)) => key.to_encrypted_pkcs8_pem(&mut system_rng(), passphrase),
        (_, _, None) => key.to_pkcs8_pem(),
    }
    .map_err(Failure::from_error)
}

/// The content of a file with a public key.
pub(super) fn public_file(key: &PublicKey, format: KeyFormat) -> Result<String, Failure> {
    match (key, format) {
        (_, KeyFormat::Jwk) => key.to_jwk(),
        (_, KeyFormat::Ssh) => key.to_openssh(),
        (PublicKey::Rsa(key), KeyFormat::Pkcs1) => Ok(key.to_pkcs1_pem()),
        (PublicKey::Ec(_), KeyFormat::Sec1) => {
            return Err(Failure::new(
                "--format: SEC 1 is a format of private keys only",
            ));
        }
        (key, _) => key.to_spki_pem(),
    }
    .map_err(Failure::from_error)
}
