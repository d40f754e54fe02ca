//! How a zone is signed.

use super::denial::Nsec3;
use super::resign::Signatures;

/// The serial number of the signed zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serial {
    /// The serial of the zone.
    Keep,
    /// One more.
    Increment,
    /// The time in seconds since 1970, or one more than the zone's if that is later.
    Unixtime,
}

/// How a zone is signed.
#[derive(Clone, Debug)]
pub struct SignOptions<'a> {
    /// The present time. All times are in seconds since 1970, modulo 2^32.
    pub now: u32,
    /// The time from which on the signatures are valid.
    pub inception: u32,
    /// The time until which they are valid.
    pub expiration: u32,
    /// The serial number.
    pub serial: Serial,
    /// NSEC3 in place of NSEC.
    pub nsec3: Option<Nsec3>,
    /// Signatures of older versions of the zone, to be kept where they are valid.
    pub old: &'a [Signatures],
    /// Old signatures are kept if they are valid for longer than this many seconds from now on.
    pub refresh: u32,
}
