//! Reasons: why a vector set is not answered.

use core::fmt;

/// Length of the longest vector set that is read, in bytes.
pub const MAX_SET_BYTES: usize = 4 << 20;

/// A place in a vector set: the set as a whole, a test group of it, or a test case of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The member `tgId` of the test group.
    pub group: Option<u64>,
    /// The member `tcId` of the test case.
    pub case: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.group, self.case) {
            (None, _) => f.write_str("the vector set"),
            (Some(group), None) => write!(f, "tgId {group}"),
            (Some(group), Some(case)) => write!(f, "tgId {group}, tcId {case}"),
        }
    }
}

/// Why there are no answers. One defect is enough: a set is answered whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcvpError {
    /// The file is too long.
    #[error("it has {0} bytes: of a vector set at most {max} are read", max = MAX_SET_BYTES)]
    TooLong(usize),
    /// The file is no JSON object, or has members that occur twice.
    #[error("it is no vector set: {0}")]
    NotJson(String),
    /// Tests of this kind are not answered.
    #[error("{asked} is not among the tests that are answered: {known}")]
    Unknown {
        /// Algorithm, mode and revision.
        asked: String,
        /// The tests that are answered.
        known: String,
    },
    /// A member is refused.
    #[error("{place}: {member} {defect}")]
    Member {
        /// The set, group or case that has the member, or should have it.
        place: Place,
        /// The name of the member.
        member: &'static str,
        /// Its defect.
        defect: Defect,
    },
    /// No answer was computed.
    #[error("{place}: no answer was computed: {reason}")]
    Failed {
        /// The group or case.
        place: Place,
        /// The error of the computation.
        reason: String,
    },
}

/// The defect of a member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// The member is not there.
    #[error("is missing")]
    Missing,
    /// The member has another type or form.
    #[error("is not {0}")]
    Not(&'static str),
    /// The member asks for what cannot be computed.
    #[error("is {value:?}, which is not supported; {known} can be answered")]
    Unsupported {
        /// The value.
        value: String,
        /// The values that are supported.
        known: String,
    },
    /// The value is refused, for this reason.
    #[error("is refused: {0}")]
    Refused(String),
    /// Two groups, or two cases of a group, have this identifier.
    #[error("occurs twice")]
    Twice,
    /// The private key is needed, without which the expected answers cannot be compared.
    #[error(
        "is missing: answers by keys of its own choice can be compared only if the file has the keys, as \
         internalProjection.json of NIST's samples does"
    )]
    NoKey,
}
