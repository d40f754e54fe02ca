//! What the engine refuses.

use crate::{
    choices::{MOST_REDUNDANT, MOST_SPLITS},
    program::{MAX_BITS, MIN_BITS, ProgramError},
};

/// What the engine refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The modulus is even.
    #[error("the modulus is even: RNS Montgomery multiplication needs an odd one")]
    EvenModulus,
    /// The modulus is too small or too large.
    #[error("the modulus has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    ModulusSize(u32),
    /// No backend has this name.
    #[error("there is no backend named {name:?}: choose one of {known}")]
    UnknownBackend {
        /// What was asked for.
        name: String,
        /// The backends of this version.
        known: String,
    },
    /// The backend has no such layout.
    #[error("backend {backend} has no layout {layout:?}: it has {known}")]
    UnknownLayout {
        /// The backend's name.
        backend: &'static str,
        /// What was asked for.
        layout: String,
        /// The layouts it has.
        known: String,
    },
    /// This processor lacks what the backend needs.
    #[error("backend {backend} cannot run here: {missing}")]
    BackendUnavailable {
        /// The backend's name.
        backend: &'static str,
        /// What is missing.
        missing: &'static str,
    },
    /// There is no such limit of instructions.
    #[error("there are no instructions named {0:?}: choose one of baseline, avx2, avx512, ifma")]
    UnknownLimit(String),
    /// Devices have been looked for, or another limit is set.
    #[error("too late to use no more than {0}: what devices may use is fixed already")]
    LateLimit(&'static str),
    /// No base satisfies the bounds of a plan; names the last condition that failed.
    #[error("no plan for {bits} bits: {condition}")]
    NoPlan {
        /// The size asked for.
        bits: u32,
        /// The bound that does not hold for the narrowest moduli tried.
        condition: String,
    },
    /// The modulus was prepared by another engine.
    #[error("number {index} of the batch has a modulus, or a program, of another engine")]
    ForeignModulus {
        /// Its place in the batch.
        index: usize,
    },
    /// A job does not bring what its program takes.
    #[error("number {index} of the batch: {condition}")]
    BadJob {
        /// Its place in the batch.
        index: usize,
        /// What is wrong.
        condition: String,
    },
    /// A program broke a condition when it was built.
    #[error("the program is refused: {0}")]
    Program(#[from] ProgramError),
    /// More random bases were asked for than there may be, or fewer.
    #[error("{0} random splits of the bases: 2 to {MOST_SPLITS} are supported")]
    RandomBases(usize),
    /// Random bases were asked for on a backend without bases.
    #[error(
        "backend {backend} computes in limbs: it has no bases that could be drawn at random; choose \
         one that computes in residues"
    )]
    NoBases {
        /// The backend's name.
        backend: &'static str,
    },
    /// More redundant channels were asked for than there may be.
    #[error("{0} redundant channels: 0 to {MOST_REDUNDANT} are supported")]
    Redundancy(usize),
    /// Redundant channels were asked for on a backend, or in a layout, without them.
    #[error(
        "backend {backend} has no redundant channels in this layout: choose avx512 or portable, in \
         lanes"
    )]
    NoRedundancy {
        /// The backend's name.
        backend: &'static str,
    },
    /// A number was computed wrongly twice, by its redundant channels.
    #[error(
        "number {index} of the batch was computed wrongly, also the second time, and has been withheld"
    )]
    Fault {
        /// Its place in the batch.
        index: usize,
    },
    /// What an engine keeps for later is not what it was when it was made: a bit of it has changed in memory.
    /// What was computed with it has been withheld.
    #[error(
        "{what} in memory changed after it was made, and what was computed with it has been withheld: this \
         machine's memory is faulty; start the process anew, and have the memory tested"
    )]
    Damaged {
        /// What has changed.
        what: &'static str,
    },
    /// The operating system has no random numbers.
    #[error("the system's random number generator failed")]
    Random,
    /// A device did not compute a group, and no other could.
    #[error("device {device} failed: {reason}")]
    DeviceFailed {
        /// The device's name.
        device: &'static str,
        /// What happened.
        reason: String,
    },
}
