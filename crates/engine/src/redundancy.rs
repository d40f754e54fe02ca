//! Faults that redundant channels have found: what is reported of them.

use core::fmt;

use crate::Layout;

/// The most redundant channels that a plan may have.
pub(crate) const MOST_REDUNDANT: usize = 4;

/// A fault that redundant channels found while a batch was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFault {
    /// The device's name.
    pub device: &'static str,
    /// How the numbers of the group lay in registers.
    pub layout: Layout,
    /// The operation of the program that disagreed, a product or an output: the fault struck there,
    /// or in what led to one of its operands. Its place among [`Program::operations`].
    ///
    /// [`Program::operations`]: crate::program::Program::operations
    pub operation: usize,
    /// The job's place in the batch.
    pub job: usize,
    /// The wrong channel, if there are two redundant channels at least, and if what is wrong in them
    /// is what one wrong channel explains, and no other.
    pub channel: Option<FaultyChannel>,
    /// Whether the job's second computation agreed with its redundant channels.
    pub is_repaired: bool,
}

impl fmt::Display for FoundFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (job, operation, device) = (self.job, self.operation, self.device);
        write!(
            f,
            "number {job} of the batch, operation {operation}, on {device}"
        )?;
        write!(f, " ({})", self.layout)?;
        if let Some(channel) = &self.channel {
            write!(f, ", {channel}")?;
        }
        f.write_str(if self.is_repaired {
            ": computed again"
        } else {
            ": withheld"
        })
    }
}

/// A channel whose residue, weight or constant was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultyChannel {
    /// Which of the plan's bases it belongs to.
    pub base: ChannelBase,
    /// Its place in the base.
    pub index: usize,
    /// Its modulus.
    pub modulus: u64,
}

impl fmt::Display for FaultyChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = match self.base {
            ChannelBase::A => "of base A",
            ChannelBase::B => "of base B",
            ChannelBase::Redundant => "that is redundant",
        };
        write!(f, "channel {} {base}, modulo {}", self.index, self.modulus)
    }
}

/// The bases of a plan (`docs/engine.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelBase {
    /// The base whose product a modular product divides by.
    A,
    /// The base in which a modular product is computed.
    B,
    /// The redundant channels.
    Redundant,
}

/// What a group found: one of its members has disagreed for the first time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspect {
    pub(crate) member: usize,
    pub(crate) channel: Option<FaultyChannel>,
}

/// What a run of a program found: a suspect, and the operation that disagreed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    pub(crate) suspect: Suspect,
    pub(crate) operation: usize,
}
