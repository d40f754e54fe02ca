//! Errors of the engine.

use crate::{
    choices::{MOST_REDUNDANT, MOST_SPLITS},
    program::{MAX_BITS, MIN_BITS, ProgramError},
};

/// An error of the engine: the reason why it refused or withheld something.
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
        /// The name that was asked for.
        name: String,
        /// The backends of this version.
        known: String,
    },
    /// The backend has no such layout.
    #[error("backend {backend} has no layout {layout:?}: it has {known}")]
    UnknownLayout {
        /// The backend's name.
        backend: &'static str,
        /// The layout that was asked for.
        layout: String,
        /// The layouts it has.
        known: String,
    },
    /// This processor lacks instructions that the backend needs.
    #[error("backend {backend} cannot run here: {missing}")]
    BackendUnavailable {
        /// The backend's name.
        backend: &'static str,
        /// The missing instructions.
        missing: &'static str,
    },
    /// No limit of instructions has this name.
    #[error(
        "there are no instructions named {0:?}: choose one of baseline, avx2, avx-ifma, avx512, ifma"
    )]
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
        /// The job's index in the batch.
        index: usize,
    },
    /// A job does not bring the inputs that its program takes.
    #[error("number {index} of the batch: {condition}")]
    BadJob {
        /// The job's index in the batch.
        index: usize,
        /// The condition that does not hold.
        condition: String,
    },
    /// A program broke a condition when it was built.
    #[error("the program is refused: {0}")]
    Program(#[from] ProgramError),
    /// The number of random bases asked for is out of range.
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
    /// The number of redundant channels asked for is too large.
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
    /// A number's redundant channels disagreed twice.
    #[error(
        "number {index} of the batch was computed wrongly, also the second time, and has been withheld"
    )]
    Fault {
        /// The number's index in the batch.
        index: usize,
    },
    /// A program, plan or constant that the engine keeps has changed in memory since it was made. Everything computed
    /// with it has been withheld.
    #[error(
        "{what} in memory changed after it was made, and what was computed with it has been withheld: this \
         machine's memory is faulty; start the process anew, and have the memory tested"
    )]
    Damaged {
        /// The kind of thing that has changed.
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
        /// The reason for the failure.
        reason: String,
    },
}

impl EngineError {
    /// The error of a part of a batch as that of the batch: the part begins at this index.
    pub(crate) fn of_part(mut self, first: usize) -> Self {
        if let Self::ForeignModulus { index } | Self::BadJob { index, .. } | Self::Fault { index } =
            &mut self
        {
            *index += first;
        }
        self
    }
}
