//! The options of `encrypt` and `decrypt` that select the encryption scheme.

use crate::failure::Failure;
use clap::ValueEnum;
use sunzi_pk::Hash;
use sunzi_pk::hash::PaddingHash;
use sunzi_pk::rsa::EncryptionScheme;

/// The padding of encrypted messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EncryptionPadding {
    /// RSAES-OAEP
    Oaep,
    /// RSAES-PKCS1-v1_5, for systems that cannot be changed
    Pkcs1v15,
}

/// A hash function inside OAEP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OaepHash {
    /// SHA-1, the default of many tools
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

impl OaepHash {
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

/// The options for the encryption scheme.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EncryptionOptions {
    /// The encryption scheme
    #[arg(long, value_enum, default_value_t = EncryptionPadding::Oaep)]
    scheme: EncryptionPadding,
    /// The hash in OAEP [default: sha256]
    #[arg(long, value_enum)]
    hash: Option<OaepHash>,
    /// The hash in OAEP's mask generation, MGF1 [default: as --hash]
    #[arg(long, value_enum, value_name = "HASH")]
    mgf1_hash: Option<OaepHash>,
    /// OAEP's label, which must be the same for encryption and decryption [default: empty]
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
}

impl EncryptionOptions {
    fn oaep_hash(&self) -> PaddingHash {
        self.hash.unwrap_or(OaepHash::Sha256).hash()
    }

    /// The encryption scheme. An option of OAEP with another scheme is an error.
    pub(crate) fn scheme(&self) -> Result<EncryptionScheme<'_>, Failure> {
        match self.scheme {
            EncryptionPadding::Oaep => {
                let hash = self.oaep_hash();
                Ok(EncryptionScheme::Oaep {
                    hash,
                    mgf1: self.mgf1_hash.map_or(hash, OaepHash::hash),
                    label: self.label.as_deref().unwrap_or_default().as_bytes(),
                })
            }
            EncryptionPadding::Pkcs1v15 => {
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

    /// The name of the scheme in the summary: `OAEP, sha256`.
    pub(crate) fn describe(&self) -> String {
        match self.scheme {
            EncryptionPadding::Oaep => format!("OAEP, {}", self.oaep_hash()),
            EncryptionPadding::Pkcs1v15 => String::from("PKCS#1 v1.5"),
        }
    }
}
