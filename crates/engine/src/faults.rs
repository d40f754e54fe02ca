//! Faults that a device found during a computation.

use core::fmt;

use crate::layout::Layout;

/// A fault that redundant channels found while a batch was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFault {
    /// The device's name.
    pub device: &'static str,
    /// The layout of the group's numbers in registers.
    pub layout: Layout,
    /// The operation of the program that disagreed, a product or an output, as an index into
    /// [`Program::operations`]: the fault struck there, or in an operation that led to one of its operands.
    ///
    /// [`Program::operations`]: crate::program::Program::operations
    pub operation: usize,
    /// The job's index in the batch.
    pub job: usize,
    /// The wrong word, if there are at least two redundant channels and their differences identify exactly
    /// one faulty channel.
    pub word: Option<FaultyWord>,
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
        if let Some(word) = &self.word {
            write!(f, ", {word}")?;
        }
        f.write_str(if self.is_repaired {
            ": computed again"
        } else {
            ": withheld"
        })
    }
}

/// A faulty word of a number's representation, or a faulty constant that the word is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultyWord {
    /// The part of the representation: base A, base B, or the redundant channels of a plan in residues.
    pub part: &'static str,
    /// Its index in the part.
    pub index: usize,
    /// Its modulus.
    pub modulus: u64,
}

impl fmt::Display for FaultyWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "word {} of {}, modulo {}",
            self.index, self.part, self.modulus
        )
    }
}

/// A member of a group that has disagreed for the first time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspect {
    pub(crate) member: usize,
    pub(crate) word: Option<FaultyWord>,
}

/// A finding of a program's run: a suspect, and the operation that disagreed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    pub(crate) suspect: Suspect,
    pub(crate) operation: usize,
}
