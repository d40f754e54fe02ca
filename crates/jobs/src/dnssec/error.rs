//! Errors about zones, their keys, and their signatures.

use std::io;
use sunzi_pk::keys;

/// The longest entry of a zone file, in bytes: records of 65,535 bytes fit, even as octets in decimal.
pub(super) const MAX_ENTRY: usize = 1 << 19;

/// Why a zone is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ZoneError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// An entry of the file, which begins on this line, is refused.
    #[error("line {line}: {reason}")]
    Entry {
        /// The line, counted from 1.
        line: u32,
        /// The defect.
        reason: EntryError,
    },
    /// The name given for the apex is none.
    #[error("{0:?} is no name of a zone")]
    Origin(String),
    /// There is nothing in the file.
    #[error("it has no records")]
    Empty,
    /// There is no SOA record at the apex.
    #[error("it has no SOA record at {0}")]
    NoSoa(String),
    /// There is no NS record at the apex.
    #[error("it has no NS record at {0}")]
    NoNs(String),
    /// The file has too many lines.
    #[error("it has more than {} lines", u32::MAX)]
    TooLong,
}

/// Why an entry of a zone file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// It cannot be read, for the reason that the crate `domain` gives.
    #[error("{0}")]
    Syntax(String),
    /// It is too long, most likely since a parenthesis is not closed.
    #[error("the entry that begins here has more than {max} bytes", max = MAX_ENTRY)]
    TooLong,
    /// A parenthesis is not closed.
    #[error("a parenthesis of the entry that begins here is not closed")]
    Unclosed,
    /// It names another file.
    #[error("$INCLUDE is not followed: write the zone into one file, as named-compilezone does")]
    Include,
    /// The first record is not the SOA record, and no apex was named.
    #[error("the first record is no SOA record: name the zone")]
    NoApex,
    /// The owner is not in the zone.
    #[error("{0} is not in the zone")]
    OutOfZone(String),
    /// There are two SOA records, or one is not at the apex.
    #[error("a second SOA record")]
    SecondSoa,
    /// A name has a CNAME record and others.
    #[error("{0} has a CNAME record and others")]
    CnameAndOthers(String),
    /// A name has several records of a type of which there can be only one.
    #[error("{0} has two {1} records")]
    Second(String, &'static str),
    /// The records of a set have different times to live.
    #[error("the TTL is {ttl}, and that of another record of the set {name} {rtype} is {other}")]
    Ttl {
        /// The owner.
        name: String,
        /// The type.
        rtype: String,
        /// The time to live of this record.
        ttl: u32,
        /// That of the other one.
        other: u32,
    },
    /// The zone has a key of an algorithm by which nothing can be signed.
    #[error(
        "the zone has a DNSKEY record of algorithm {0}, and no private key of that algorithm is there"
    )]
    UnsignedAlgorithm(u8),
    /// A DNSKEY record of the zone is no key.
    #[error("the DNSKEY record is refused: {0}")]
    Dnskey(Box<KeyError>),
}

/// Why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file with the public half is not one DNSKEY record.
    #[error("it is not one DNSKEY record: {0}")]
    NotDnskey(String),
    /// The key does not sign zones.
    #[error("its flags or its protocol say that it does not sign zones")]
    NotZoneKey,
    /// No such algorithm is known.
    #[error(
        "algorithm {0} is not known: 8 (RSASHA256), 10 (RSASHA512), 13 (ECDSAP256SHA256), 14 (ECDSAP384SHA384), \
         15 (ED25519) and 16 (ED448) are"
    )]
    Algorithm(u8),
    /// The public half is not one of its algorithm.
    #[error("its public key is not one of its algorithm")]
    Public,
    /// The file with the private half has a wrong form.
    #[error("it is no private key in BIND's format, version 1: {0}")]
    Format(&'static str),
    /// The halves are of different algorithms, or do not belong together.
    #[error("its private key is not that of its DNSKEY record")]
    Mismatch,
    /// The key cannot be used.
    #[error(transparent)]
    Key(Box<keys::KeyError>),
    /// There is no key that can sign.
    #[error("no key of {0} has a private half and is active")]
    NoKeys(String),
    /// The key that must sign the keys is not there.
    #[error("the keys of algorithm {0} have a key-signing key, and no private half of one")]
    NoPrivateKsk(u8),
    /// An algorithm is published, and nothing is signed by it.
    #[error("no key of algorithm {0} can sign, and one is published")]
    OnlyPublic(u8),
}

impl From<keys::KeyError> for KeyError {
    fn from(error: keys::KeyError) -> Self {
        Self::Key(Box::new(error))
    }
}

/// Why a zone was not signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The zone is refused.
    #[error(transparent)]
    Zone(#[from] ZoneError),
    /// The keys are refused.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The signatures would never be valid.
    #[error(
        "the signatures would expire before they begin to be valid, or be valid for more than 68 years"
    )]
    Times,
    /// The salt is too long.
    #[error("a salt has at most 255 bytes")]
    Salt,
    /// Two names have one hash.
    #[error("{0} and {1} have the same hash: choose another salt")]
    Collision(String, String),
    /// A signature was not made.
    #[error("{name} {rtype}: {error}")]
    Signature {
        /// The owner.
        name: String,
        /// The type.
        rtype: String,
        /// The reason.
        error: Box<keys::SignError>,
    },
    /// The output cannot be written.
    #[error("{0}")]
    Output(io::Error),
}
