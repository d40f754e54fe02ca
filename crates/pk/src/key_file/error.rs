//! Errors of key files of all kinds.

/// Length of the longest key file that is read, in bytes. The largest private key in PEM has 13,000
/// bytes; certificates and comments may stand before it.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// Why a key file is refused, whatever its algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The file is in none of the formats.
    #[error(
        "this is not a key file: neither PEM (-----BEGIN ...-----) nor DER nor a JSON Web Key nor a \
         public key of OpenSSH"
    )]
    NotAKey,
    /// The file is longer than any key file.
    #[error("{0} bytes are too long to be a key file: at most {MAX_FILE_BYTES} are read")]
    FileTooLong(usize),
    /// The file ends before the key does.
    #[error("the key is truncated: {0}")]
    Truncated(&'static str),
    /// The contents of the PEM or DER are not a key of the announced format.
    #[error("the key is malformed: {0}")]
    Malformed(String),
    /// The file is a certificate; a key is needed.
    #[error(
        "this is an X.509 certificate, not a key: take its public key out with \
         `openssl x509 -in cert.pem -pubkey -noout`"
    )]
    Certificate,
    /// The file is a public key; a private key is needed.
    #[error("this is a public key: a private key is needed")]
    PublicKeyGiven,
    /// The key is encrypted, and no passphrase was given.
    #[error("the private key is encrypted: a passphrase is needed")]
    PassphraseNeeded,
    /// The passphrase does not decrypt the key.
    #[error("wrong passphrase, or the encrypted key is damaged")]
    WrongPassphrase,
    /// The key has OpenSSL's old PEM encryption, whose key derivation is a single MD5.
    #[error(
        "legacy PEM encryption (Proc-Type: 4,ENCRYPTED) is not supported: convert the key with \
         `openssl pkcs8 -topk8 -in old.pem -out new.pem`"
    )]
    LegacyEncryption,
    /// The key has PKCS#8 encryption by an unsupported algorithm.
    #[error(
        "the key's encryption is not supported ({0}): convert it with \
         `openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem`"
    )]
    UnsupportedEncryption(String),
    /// The file is PKCS#12 with an encryption, a check of integrity or an encoding that is not supported.
    #[error(
        "this PKCS#12 file is not supported ({0}): `openssl pkcs12 -in old.p12 -nocerts -out key.pem` \
         takes the private key out, with -legacy if OpenSSL asks for it"
    )]
    UnsupportedPkcs12(String),
    /// A set of keys has several with one identifier.
    #[error("several keys have the kid {0:?}: which of them is meant cannot be told")]
    AmbiguousId(String),
    /// Keys of this algorithm have no format of OpenSSH.
    #[error("OpenSSH has no keys of {0}, only of RSA, P-256, P-384, P-521 and Ed25519")]
    NoOpenSshFormat(String),
    /// A parameter of the key derivation is one with which nothing can be derived.
    #[error("the file is damaged: the {name} is {value}, and must be {condition}")]
    KdfParameter {
        /// The parameter, in words.
        name: &'static str,
        /// Its value in the file.
        value: u64,
        /// The values that are possible, in words.
        condition: &'static str,
    },
    /// Opening the file would cost more than permitted.
    #[error(
        "opening the private key takes {needed} {what}: only {limit} are permitted (limits {factor} \
         times the default would permit it)"
    )]
    KdfCost {
        /// The resource, in words.
        what: &'static str,
        /// The amount that the file asks for.
        needed: u64,
        /// The amount that is permitted.
        limit: u64,
        /// The least factor of [`KdfLimits::times`](crate::KdfLimits::times) that permits it.
        factor: u64,
    },
    /// The system does not have the memory that opening the file takes.
    #[error("opening the encrypted key takes {0} bytes of memory, which this system does not have")]
    KdfMemory(u64),
    /// A new private key was to be encrypted with an empty passphrase.
    #[error("the passphrase is empty: give one, or write the key without encryption")]
    EmptyPassphrase,
}

#[allow(clippy::needless_pass_by_value)] // `map_err` passes the error by value.
pub(crate) fn malformed(error: impl ToString) -> KeyFileError {
    KeyFileError::Malformed(error.to_string())
}
