//! Which signature: the options that `sign` and `verify` share.

use crate::failure::Failure;
use clap::ValueEnum;
use sunzi_pk::Hash;
use sunzi_pk::rsa::{SaltLen, Scheme};

/// The padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Padding {
    /// RSASSA-PKCS1-v1_5
    Pkcs1v15,
    /// RSASSA-PSS, with MGF1 over the same hash
    Pss,
}

/// The hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HashName {
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
}

/// The options.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SchemeArgs {
    /// The signature scheme
    #[arg(long, value_enum, default_value_t = Padding::Pkcs1v15)]
    scheme: Padding,
    /// The hash of the messages
    #[arg(long, value_enum, default_value_t = HashName::Sha256)]
    hash: HashName,
    /// Bytes of salt for PSS [default: as many as the hash has]
    #[arg(long, value_name = "BYTES")]
    salt_length: Option<u16>,
}

impl SchemeArgs {
    /// The hash function.
    pub(crate) fn hash(self) -> Hash {
        match self.hash {
            HashName::Sha256 => Hash::Sha256,
            HashName::Sha384 => Hash::Sha384,
            HashName::Sha512 => Hash::Sha512,
        }
    }

    /// The scheme; a salt without PSS is an error.
    pub(crate) fn scheme(self) -> Result<Scheme, Failure> {
        match (self.scheme, self.salt_length) {
            (Padding::Pkcs1v15, None) => Ok(Scheme::Pkcs1v15),
            (Padding::Pkcs1v15, Some(_)) => Err(Failure::new(
                "--salt-length needs --scheme pss: PKCS#1 v1.5 has no salt",
            )),
            (Padding::Pss, None) => Ok(Scheme::PSS),
            (Padding::Pss, Some(bytes)) => Ok(Scheme::pss(SaltLen::Bytes(bytes.into()))),
        }
    }

    /// For people: `PKCS#1 v1.5, SHA-256`.
    pub(crate) fn describe(self) -> String {
        let padding = match self.scheme {
            Padding::Pkcs1v15 => "PKCS#1 v1.5",
            Padding::Pss => "PSS",
        };
        let hash = match self.hash {
            HashName::Sha256 => "SHA-256",
            HashName::Sha384 => "SHA-384",
            HashName::Sha512 => "SHA-512",
        };
        format!("{padding}, {hash}")
    }
}
