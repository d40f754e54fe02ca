//! Errors of networks, of their runs, and of powers.

use super::place::{MAX_CUBES, NODES_PER_CUBE, Place};

/// The largest size of a window, in bits: the table of powers has at most `2^16` entries.
pub const MAX_WINDOW: u32 = 16;

/// The reason why elements and links do not form a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A link joins two places that are not neighbours.
    #[error("link {link} joins {from} and {to}, which are not neighbours")]
    NotNeighbours {
        /// The number of the link.
        link: usize,
        /// The place of its sender.
        from: Place,
        /// The place of its receiver.
        to: Place,
    },
    /// A link refers to an element that does not exist, or to no element at all.
    #[error("link {0} does not start or end at an element of the network")]
    LooseLink(usize),
    /// Two links have the same sender and the same receiver.
    #[error("link {0} joins the same two places as another link")]
    DoubleLink(usize),
    /// The number of links that lead out of the network is not 1.
    #[error("{0} links lead out of the network: there must be exactly 1")]
    Outputs(usize),
    /// No link leads to an element, which would never start.
    #[error("no link leads to {0}: an element needs an input")]
    Unfed(Place),
    /// A link or a step uses a value that is not known yet.
    #[error("{user} uses value {value}, but only {known} values are known there")]
    UnknownValue {
        /// The link or step that uses it.
        user: String,
        /// The number of the value.
        value: usize,
        /// The number of values known there.
        known: usize,
    },
    /// A cycle of links leads from an element back to itself.
    #[error("the links from {0} lead back to it: a network has no cycles")]
    Cycle(Place),
}

/// The reason why a run returned no powers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The operating system refused to start a thread.
    #[error("cannot start a thread for {element}: {reason}; use fewer cubes or stages")]
    Spawn {
        /// The processing element.
        element: String,
        /// The operating system's error message.
        reason: String,
    },
    /// A worker panicked.
    #[error("{element} panicked: {message}; no power is given")]
    Panicked {
        /// The processing element.
        element: String,
        /// The panic message.
        message: String,
    },
    /// A message did not arrive.
    #[error("the message from {from} to {to} for power {power} is lost; no power is given")]
    Lost {
        /// The sender.
        from: String,
        /// The receiver.
        to: String,
        /// The number of the power in the stream, from 0.
        power: usize,
    },
    /// A worker could not go on because a neighbour had ended early.
    #[error("{element} could not go on: {neighbour} had ended; no power is given")]
    Abandoned {
        /// The processing element.
        element: String,
        /// The neighbour that had ended.
        neighbour: String,
    },
}

impl RunError {
    /// The position of the error in a chain of causes: the smallest one is reported, since causes
    /// come before their consequences.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Spawn { .. } => 0,
            Self::Panicked { .. } => 1,
            Self::Lost { .. } => 2,
            Self::Abandoned { .. } => 3,
        }
    }
}

/// The reason why a power cannot be spread over processing elements, or was not computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HypercubeError {
    /// The number of cubes is 0.
    #[error("0 cubes: a hypercube has at least 1 cube of {NODES_PER_CUBE} processing elements")]
    NoCubes,
    /// The number of cubes is above [`MAX_CUBES`].
    #[error("{0} cubes are too many: at most {MAX_CUBES} are supported")]
    TooManyCubes(usize),
    /// The modulus is even.
    #[error("the modulus is even: it must be odd")]
    EvenModulus,
    /// The modulus is 1.
    #[error("the modulus is 1: it must be at least 3")]
    ModulusTooSmall,
    /// The base is not below the modulus.
    #[error(
        "the base (of {base_bits} bits) is not below the modulus (of {modulus_bits} bits): \
         reduce it first, its power modulo the modulus stays the same"
    )]
    BaseTooLarge {
        /// The size of the base, in bits.
        base_bits: u32,
        /// The size of the modulus, in bits.
        modulus_bits: u32,
    },
    /// The work cannot be cut into this number of parts.
    #[error(
        "{work} MulMods cannot be cut into {stages} parts: at least 1 and at most {} are needed",
        work.max(&1)
    )]
    Stages {
        /// The number of parts.
        stages: usize,
        /// The number of `MulMod`s.
        work: usize,
    },
    /// The window has no bits, or more than [`MAX_WINDOW`].
    #[error("a window of {bits} bits: it must have 1 to {MAX_WINDOW} bits")]
    Window {
        /// The size of the window, in bits.
        bits: u32,
    },
    /// The number of inputs is wrong.
    #[error("{given} values are given for a power: {needed} are needed")]
    Inputs {
        /// The number of values given.
        given: usize,
        /// The number of values needed.
        needed: usize,
    },
    /// There are fewer digits of the exponent than the operands refer to.
    #[error("{given} digits of the exponent are given: {needed} are needed")]
    Digits {
        /// The number of digits given.
        given: usize,
        /// The number of digits needed.
        needed: usize,
    },
    /// Elements and links do not form a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The run on threads failed.
    #[error(transparent)]
    Run(#[from] RunError),
}
