//! Defects of signed zones.

use core::fmt;

/// A defect of a signed zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The line of the record that it is about, or of one that it is about the absence of.
    pub line: u32,
    /// The owner, with a dot at the end.
    pub name: String,
    /// The type, as files have it.
    pub rtype: String,
    /// What is wrong.
    pub reason: Reason,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            name,
            rtype,
            reason,
        } = self;
        write!(f, "line {line}: {name} {rtype}: {reason}")
    }
}

/// What is wrong about a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The zone has no key.
    #[error("the zone has no DNSKEY record that can be used")]
    NoKeys,
    /// A key cannot be used.
    #[error("{0}")]
    Key(String),
    /// There is no valid signature by an algorithm of the zone's keys.
    #[error("it has no valid signature by algorithm {0}")]
    Unsigned(u8),
    /// The keys are not signed by one that is for that.
    #[error("it has no valid signature by a key-signing key of algorithm {0}")]
    NoEntryPoint(u8),
    /// A signature is of another zone.
    #[error("a signature names another zone")]
    OtherSigner,
    /// A signature is by a key that the zone does not have.
    #[error("a signature is by key {tag} of algorithm {algorithm}, which the zone does not have")]
    UnknownKey {
        /// The key tag.
        tag: u16,
        /// The algorithm's number.
        algorithm: u8,
    },
    /// A signature has expired.
    #[error("a signature by key {0} has expired")]
    Expired(u16),
    /// A signature is not valid yet.
    #[error("a signature by key {0} is not valid yet")]
    NotYetValid(u16),
    /// A signature has another number of labels, or another time to live.
    #[error("a signature by key {0} has other labels or another TTL")]
    OtherSet(u16),
    /// A signature is not that of the records.
    #[error("a signature by key {0} is not valid")]
    Invalid(u16),
    /// Nothing is known about a signature.
    #[error("a signature by key {0} could not be verified: {1}")]
    Undecided(u16, String),
    /// A signature cannot be read.
    #[error("a signature is cut off")]
    CutOff,
    /// A signature is of records that are not there.
    #[error("a signature is of records that are not there")]
    NoRecords,
    /// Records that are not the zone's own are signed.
    #[error("it is signed, although it is not the zone's own")]
    NotOurs,
    /// A NSEC or NSEC3 record is missing.
    #[error("there is none")]
    Missing,
    /// A NSEC or NSEC3 record has another next name, or other types.
    #[error("it does not name the next name and the types that are there")]
    WrongDenial,
    /// A NSEC or NSEC3 record is too many.
    #[error("it is one too many")]
    Unexpected,
}
