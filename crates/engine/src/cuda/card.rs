//! The interface of a card: it runs kernels on words.

use zeroize::Zeroizing;

use super::{matrix::Geometry, shape::Shape};
use crate::device::DeviceError;

/// Number of threads of a block, but for those of [`Kernel::Residues`]'s program.
pub(super) const BLOCK: usize = 128;

/// Kernels, with the definitions that they are compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kernel {
    /// Numbers in words.
    Limbs {
        shape: Shape,
        /// Number of numbers in the file: one of a few, lest there be many kernels.
        numbers: usize,
    },
    /// Numbers in residues.
    Residues(Geometry),
}

impl Kernel {
    /// The kernel for numbers of a shape, with a file of at least this many.
    pub(super) fn limbs(shape: Shape, numbers: usize) -> Self {
        let numbers = numbers.next_power_of_two().max(16);
        Self::Limbs { shape, numbers }
    }

    /// The source.
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Limbs { .. } => concat!(include_str!("run.h"), include_str!("kernel.cu")),
            Self::Residues(_) => {
                concat!(include_str!("run.h"), include_str!("matrix/residues.cu"))
            }
        }
    }

    /// Number of words of an integer.
    pub(super) fn words(self) -> usize {
        match self {
            Self::Limbs { shape, .. } => shape.words(),
            Self::Residues(geometry) => geometry.limbs,
        }
    }

    /// The definitions, as options of a compiler.
    pub(super) fn options(self) -> Vec<String> {
        let option = |(name, value): (&str, usize)| format!("-D{name}={value}");
        match self {
            Self::Limbs { shape, numbers } => {
                let [fold, shift, bits] = shape.form.definitions();
                let definitions = [
                    ("WORDS", shape.words_each),
                    ("THREADS", shape.threads),
                    ("NUMBERS", numbers),
                    ("BLOCK", BLOCK),
                    ("FOLD", fold as usize),
                    ("FOLD_SHIFT", shift as usize),
                    ("FOLD_BITS", bits as usize),
                ];
                definitions.map(option).to_vec()
            }
            Self::Residues(geometry) => geometry.definitions().map(option).to_vec(),
        }
    }
}

/// A launch of one function of a kernel's source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) function: Function,
    /// Number of blocks.
    pub(super) blocks: usize,
    /// Number of threads of a block.
    pub(super) threads: usize,
    /// The shared memory of a block, in bytes.
    pub(super) shared: usize,
}

/// The functions of the kernels' sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Function {
    /// Integers become residues.
    Enter,
    /// The program.
    Run,
    /// Residues become integers.
    Leave,
}

impl Function {
    /// The name in the source.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Run => "run",
            Self::Leave => "leave",
        }
    }
}

/// The kernel's argument: addresses, and sizes in words or rows. `run.h` has the same structure.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Run {
    pub(super) code: u64,
    pub(super) moduli: u64,
    pub(super) common: u64,
    pub(super) constants: u64,
    pub(super) modulus_of: u64,
    pub(super) constants_of: u64,
    pub(super) inputs: u64,
    pub(super) scalars: u64,
    pub(super) tables: u64,
    pub(super) outputs: u64,
    pub(super) flags: u64,
    pub(super) plan: u64,
    pub(super) rows: u64,
    pub(super) numbers: u64,
    pub(super) members: u32,
    pub(super) moduli_count: u32,
    pub(super) input_rows: u32,
    pub(super) scalar_words: u32,
    pub(super) output_rows: u32,
    pub(super) flag_count: u32,
    pub(super) common_rows: u32,
    pub(super) constant_rows: u32,
    pub(super) file_numbers: u32,
}

/// The addresses of sections are multiples of this many words.
pub(super) const ALIGNMENT: usize = 64;

/// The words of a launch: one block of memory, with what the kernel reads, its tables, and what it writes.
pub(super) struct Launch {
    pub(super) kernel: Kernel,
    /// The first words of the block.
    pub(super) upload: Zeroizing<Vec<u32>>,
    /// Number of words of the block.
    pub(super) words: usize,
    /// The first word that comes back; all after it do.
    pub(super) results: usize,
    /// The argument, with offsets in words in the place of addresses.
    pub(super) offsets: Run,
    /// The functions that run, in this order.
    pub(super) steps: Vec<Step>,
}

impl Launch {
    /// The argument for a block of memory that begins at this address.
    pub(super) fn at(&self, address: u64) -> Run {
        let mut run = self.offsets;
        for offset in [
            &mut run.code,
            &mut run.moduli,
            &mut run.common,
            &mut run.constants,
            &mut run.modulus_of,
            &mut run.constants_of,
            &mut run.inputs,
            &mut run.scalars,
            &mut run.tables,
            &mut run.outputs,
            &mut run.flags,
            &mut run.plan,
            &mut run.rows,
            &mut run.numbers,
        ] {
            *offset = address + 4 * *offset;
        }
        run
    }
}

/// A card, or what stands in for one.
pub(super) trait Card: Send + Sync {
    /// Runs all steps, and returns the words from `results` on. Memory on the card is wiped.
    ///
    /// # Errors
    /// [`DeviceError`]: the card has no memory left, failed or was lost.
    fn run(&self, launch: &Launch) -> Result<Zeroizing<Vec<u32>>, DeviceError>;
}
