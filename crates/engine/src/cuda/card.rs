//! The interface of a card: it runs the kernel on words.

use zeroize::Zeroizing;

use super::shape::Shape;
use crate::device::DeviceError;

/// The kernel's source.
pub(super) const SOURCE: &str = include_str!("kernel.cu");

/// Number of threads of a block.
pub(super) const BLOCK: usize = 128;

/// The definitions that the kernel is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kernel {
    pub(super) shape: Shape,
    /// Number of numbers in the file: one of a few, lest there be many kernels.
    pub(super) numbers: usize,
}

impl Kernel {
    /// The kernel for numbers of a shape, with a file of at least this many.
    pub(super) fn new(shape: Shape, numbers: usize) -> Self {
        let numbers = numbers.next_power_of_two().max(16);
        Self { shape, numbers }
    }

    /// The definitions, as options of a compiler.
    pub(super) fn options(self) -> Vec<String> {
        let [fold, shift, bits] = self.shape.form.definitions();
        let definitions = [
            ("WORDS", self.shape.words_each),
            ("THREADS", self.shape.threads),
            ("NUMBERS", self.numbers),
            ("BLOCK", BLOCK),
            ("FOLD", fold as usize),
            ("FOLD_SHIFT", shift as usize),
            ("FOLD_BITS", bits as usize),
        ];
        let option = |(name, value): (&str, usize)| format!("-D{name}={value}");
        definitions.map(option).to_vec()
    }
}

/// The kernel's argument: addresses, and sizes in words or rows. `kernel.cu` has the same structure.
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
    pub(super) members: u32,
    pub(super) moduli_count: u32,
    pub(super) input_rows: u32,
    pub(super) scalar_words: u32,
    pub(super) output_rows: u32,
    pub(super) flag_count: u32,
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
    /// Number of threads, whole blocks.
    pub(super) threads: usize,
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
        ] {
            *offset = address + 4 * *offset;
        }
        run
    }
}

/// A card, or what stands in for one.
pub(super) trait Card: Send + Sync {
    /// Runs the kernel, and returns the words from `results` on. Memory on the card is wiped.
    ///
    /// # Errors
    /// [`DeviceError`]: the card has no memory left, failed or was lost.
    fn run(&self, launch: &Launch) -> Result<Zeroizing<Vec<u32>>, DeviceError>;
}
