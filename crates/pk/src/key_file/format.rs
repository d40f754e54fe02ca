//! Formats of key files, the labels that they have in PEM, and the names of algorithms.

use der::asn1::ObjectIdentifier;
use zeroize::Zeroizing;

pub(crate) const LABEL_PKCS1_PRIVATE: &str = "RSA PRIVATE KEY";
pub(crate) const LABEL_PKCS1_PUBLIC: &str = "RSA PUBLIC KEY";
pub(crate) const LABEL_SEC1: &str = "EC PRIVATE KEY";
pub(crate) const LABEL_PKCS8: &str = "PRIVATE KEY";
pub(super) const LABEL_PKCS8_ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";
pub(crate) const LABEL_SPKI: &str = "PUBLIC KEY";

/// Format of a key file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Format {
    Pkcs1Private,
    Pkcs1Public,
    Sec1,
    Pkcs8,
    Spki,
    Certificate,
    /// The format of another algorithm, which is named.
    Other(String),
}

/// The format by which a private key is encrypted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encryption {
    Pkcs8,
    Pkcs12,
    OpenSsh,
}

/// The key of a file, in DER of its format, or what the file holds if it is encrypted.
pub(crate) enum Contents {
    Key(Format, Zeroizing<Vec<u8>>),
    Encrypted(Encryption, Zeroizing<Vec<u8>>),
}

/// The name of RSA if a key is for PSS alone.
pub(super) const RSA_PSS: &str = "RSA restricted to PSS";

/// The usual name of an algorithm.
pub(crate) fn algorithm_name(oid: ObjectIdentifier) -> String {
    let dotted = oid.to_string();
    let name = match dotted.as_str() {
        "1.2.840.113549.1.1.1" => "RSA",
        "1.2.840.10045.2.1" => "EC",
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.112" => "Ed25519",
        "1.3.101.113" => "Ed448",
        "1.2.840.10040.4.1" => "DSA",
        "1.2.840.113549.1.3.1" => "DH",
        "1.2.840.113549.1.1.7" => "RSA restricted to OAEP",
        "1.2.840.113549.1.1.10" => RSA_PSS,
        _ => return dotted,
    };
    name.into()
}
