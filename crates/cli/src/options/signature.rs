//! The options of `sign` and `verify` that select the signature scheme.

use crate::failure::Failure;
use clap::ValueEnum;
use sunzi_pk::Hash;
use sunzi_pk::rsa::{SaltLen, Scheme};

/// The padding of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SignaturePadding {
    /// RSASSA-PKCS1-v1_5
    Pkcs1v15,
    /// RSASSA-PSS, with MGF1 over the same hash
    Pss,
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

/// The options for the signature scheme.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SignatureOptions {
    /// The signature scheme
    #[arg(long, value_enum, default_value_t = SignaturePadding::Pkcs1v15)]
    scheme: SignaturePadding,
    /// The hash of the messages
    #[arg(long, value_enum, default_value_t = MessageHash::Sha256)]
    hash: MessageHash,
    /// Length of the salt in PSS, in bytes [default: the length of the hash]
    #[arg(long, value_name = "BYTES")]
    salt_length: Option<u16>,
}

impl SignatureOptions {
    /// The hash function.
    pub(crate) fn hash(self) -> Hash {
        match self.hash {
            MessageHash::Sha256 => Hash::Sha256,
            MessageHash::Sha384 => Hash::Sha384,
            MessageHash::Sha512 => Hash::Sha512,
        }
    }

    /// The signature scheme. A salt length without PSS is an error.
    pub(crate) fn scheme(self) -> Result<Scheme, Failure> {
        match (self.scheme, self.salt_length) {
            (SignaturePadding::Pkcs1v15, None) => Ok(Scheme::Pkcs1v15),
            (SignaturePadding::Pkcs1v15, Some(_)) => Err(Failure::new(
                "--salt-length needs --scheme pss: PKCS#1 v1.5 has no salt",
            )),
            (SignaturePadding::Pss, None) => Ok(Scheme::PSS),
            (SignaturePadding::Pss, Some(bytes)) => Ok(Scheme::pss(SaltLen::Bytes(bytes.into()))),
        }
    }

    /// The name of the scheme in the summary: `PKCS#1 v1.5, SHA-256`.
    pub(crate) fn describe(self) -> String {
        let padding = match self.scheme {
            SignaturePadding::Pkcs1v15 => "PKCS#1 v1.5",
            SignaturePadding::Pss => "PSS",
        };
        let hash = match self.hash {
            MessageHash::Sha256 => "SHA-256",
            MessageHash::Sha384 => "SHA-384",
            MessageHash::Sha512 => "SHA-512",
        };
        format!("{padding}, {hash}")
    }
}
