//! Key files of all kinds, in PEM, DER, JSON or OpenSSH's formats: their formats, their encryption
//! (PKCS#8, RFC 5958, with PBES2 of RFC 8018; PKCS#12; OpenSSH), and their errors. The numbers in a key
//! are left to its algorithm.

mod decrypt;
mod error;
mod format;
pub(crate) mod jwk;
mod kdf;
mod opened;
pub(crate) mod openssh;
mod pkcs12;
mod read;
mod set;
mod write;

pub(crate) use error::malformed;
pub(crate) use format::{
    Contents, Format, LABEL_PKCS1_PRIVATE, LABEL_PKCS1_PUBLIC, LABEL_PKCS8, LABEL_SEC1, LABEL_SPKI,
    algorithm_name,
};
pub(crate) use read::read;
pub(crate) use write::{
    ENCODES, encode, encrypted_pkcs8_pem, pkcs8_der, private_pem, public_pem, spki_der,
};

pub use error::{KeyFileError, MAX_FILE_BYTES};
pub use kdf::KdfLimits;
pub use opened::{KeyAlgorithm, KeyFile};
pub use set::KeySet;
