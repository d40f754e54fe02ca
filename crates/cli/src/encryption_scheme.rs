//! Which encryption: the options that `encrypt` and `decrypt` share.

use crate::failure::Failure;
use clap::ValueEnum;
use sunzi_pk::Hash;
use sunzi_pk::hash::PaddingHash;
use sunzi_pk::rsa::EncryptionScheme;

/// The padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Padding {
    /// RSAES-OAEP
    Oaep,
    /// RSAES-PKCS1-v1_5, for systems that cannot be changed
    Pkcs1v15,
}

/// A hash inside OAEP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HashName {
    /// SHA-1, what many tools use unless told
    Sha1,
    /// SHA-224
    Sha224,
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
    /// SHA-512/224
    Sha512_224,
    /// SHA-512/256
    Sha512_256,
}

impl HashName {
    fn hash(self) -> PaddingHash {
        PaddingHash::Strong(match self {
            Self::Sha1 => return PaddingHash::Sha1,
            Self::Sha224 => Hash::Sha224,
            Self::Sha256 => Hash::Sha256,
            Self::Sha384 => Hash::Sha384,
            Self::Sha512 => Hash::Sha512,
            Self::Sha512_224 => Hash::Sha512_224,
            Self::Sha512_256 => Hash::Sha512_256,
        })
    }
}

/// The options.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EncryptionArgs {
    /// The encryption scheme
    #[arg(long, value_enum, default_value_t = Padding::Oaep)]
    scheme: Padding,
    /// The hash in OAEP [default: sha256]
    #[arg(long, value_enum)]
    hash: Option<HashName>,
    /// The hash in OAEP's mask generation, MGF1 [default: as --hash]
    #[arg(long, value_enum, value_name = "HASH")]
    mgf1_hash: Option<HashName>,
    /// OAEP's label, which both sides must give [default: empty]
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
}

impl EncryptionArgs {
    fn oaep_hash(&self) -> PaddingHash {
        self.hash.unwrap_or(HashName::Sha256).hash()
    }

    /// The scheme; an option of OAEP without it is an error.
    pub(crate) fn scheme(&self) -> Result<EncryptionScheme<'_>, Failure> {
        match self.scheme {
            Padding::Oaep => {
                let hash = self.oaep_hash();
                Ok(EncryptionScheme::Oaep {
                    hash,
                    mgf1: self.mgf1_hash.map_or(hash, HashName::hash),
                    label: self.label.as_deref().unwrap_or_default().as_bytes(),
                })
            }
            Padding::Pkcs1v15 => {
                if self.hash.is_some() || self.mgf1_hash.is_some() || self.label.is_some() {
                    return Err(Failure::new(
                        "--hash, --mgf1-hash and --label need --scheme oaep: PKCS#1 v1.5 has none \
                         of them",
                    ));
                }
                Ok(EncryptionScheme::Pkcs1v15)
            }
        }
    }

    /// For people: `OAEP, sha256`.
    pub(crate) fn describe(&self) -> String {
        match self.scheme {
            Padding::Oaep => format!("OAEP, {}", self.oaep_hash()),
            Padding::Pkcs1v15 => String::from("PKCS#1 v1.5"),
        }
    }
}
