//! A group's work as words: what a launch takes to the card, and what comes back.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crypto_bigint::BoxedUint;
use zeroize::{Zeroize, Zeroizing};

use super::{
    card::{ALIGNMENT, BLOCK, Kernel, Launch, Run},
    code::{Code, piece_words, words_of_scalar, write_words},
    modulus::{CardConstants, CardModulus, read_words},
};
use crate::{
    device::{DeviceError, Member, Outcome, Work},
    kept::own,
};

/// Memory of launches that have ended, wiped and empty, for the next ones: new memory for each would cost as much as
/// packing does.
#[derive(Default)]
pub(super) struct Spare(Mutex<Vec<Zeroizing<Vec<u32>>>>);

impl Spare {
    /// Empty memory with room for this many words.
    fn take(&self, words: usize) -> Zeroizing<Vec<u32>> {
        let spare = self.lock().pop();
        let mut memory = spare.unwrap_or_default();
        memory.reserve_exact(words);
        memory
    }

    /// Wipes memory and keeps it.
    pub(super) fn put(&self, mut memory: Zeroizing<Vec<u32>>) {
        memory.zeroize();
        self.lock().push(memory);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Zeroizing<Vec<u32>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A block of words that is written section by section.
struct Block(Zeroizing<Vec<u32>>);

impl Block {
    /// Adds a section with these words, and returns its offset.
    fn add(&mut self, words: &[u32]) -> u64 {
        let offset = self.add_zeros(words.len());
        self.0[offset as usize..][..words.len()].copy_from_slice(words);
        offset
    }

    /// Adds a section of zeros, and returns its offset.
    fn add_zeros(&mut self, words: usize) -> u64 {
        let offset = self.0.len();
        let end = offset + words.max(1).next_multiple_of(ALIGNMENT);
        // Memory that is outgrown would keep secrets: the whole size is reserved before.
        assert!(
            end <= self.0.capacity(),
            "a block has room for its sections"
        );
        self.0.resize(end, 0);
        offset as u64
    }
}

/// The different moduli, or constants, of a group, and the number of each member's.
struct Different<'a, T> {
    all: Vec<&'a T>,
    of_members: Vec<u32>,
}

impl<'a, T: 'static> Different<'a, T> {
    fn of(items: impl Iterator<Item = &'a T>) -> Self {
        let mut numbers: HashMap<*const T, u32> = HashMap::new();
        let mut different = Self {
            all: Vec::new(),
            of_members: Vec::new(),
        };
        let mut before: Option<(&T, u32)> = None;
        for item in items {
            let number = match before {
                Some((last, number)) if core::ptr::eq(last, item) => number,
                _ => *numbers.entry(item).or_insert_with(|| {
                    different.all.push(item);
                    different.all.len() as u32 - 1
                }),
            };
            before = Some((item, number));
            different.of_members.push(number);
        }
        different
    }
}

/// The work as a launch.
///
/// # Errors
/// [`DeviceError`] for programs that the code has no form for.
pub(super) fn of_work(work: &Work<'_>, spare: &Spare) -> Result<Launch, DeviceError> {
    let (program, members) = (work.program, work.members);
    let code = Code::new(program)?;
    let moduli = Different::of(members.iter().map(modulus_of));
    let constants = Different::of(
        members
            .iter()
            .filter_map(|member| member.constants.map(own)),
    );
    let shape = moduli.all[0].shape;
    let length = shape.words();
    let rows_of = |constants: &CardConstants| constants.rows.len();
    let threads = (members.len() * shape.threads).next_multiple_of(BLOCK);
    let sizes = [
        code.words.len(),
        moduli.all.len() * (2 * length + 1),
        program.common().len() * length,
        constants.all.iter().copied().map(rows_of).sum(),
        members.len(),
        members.len(),
        members.len() * code.rows * length,
        members.len() * code.words_of_scalars,
    ];
    let whole = |size: &usize| (*size).max(1).next_multiple_of(ALIGNMENT);
    let upload = sizes.iter().map(whole).sum();
    let mut block = Block(spare.take(upload));

    let code_at = block.add(&code.words);
    let moduli_at = block.add_zeros(sizes[1]);
    let (rows, inverses) =
        block.0[moduli_at as usize..].split_at_mut(moduli.all.len() * 2 * length);
    for ((modulus, row), inverse) in (moduli.all.iter())
        .zip(rows.chunks_mut(2 * length))
        .zip(inverses)
    {
        row.copy_from_slice(&modulus.rows);
        *inverse = *modulus.inverse;
    }
    let common_at = block.add_zeros(sizes[2]);
    for (integer, row) in
        (program.common().iter()).zip(block.0[common_at as usize..].chunks_mut(length))
    {
        write_words(integer, row);
    }
    let constants_at = block.add_zeros(sizes[3]);
    let mut first_rows = Vec::with_capacity(constants.all.len());
    let mut next = constants_at as usize;
    for constants in &constants.all {
        first_rows.push(((next - constants_at as usize) / length) as u32);
        block.0[next..][..constants.rows.len()].copy_from_slice(&constants.rows);
        next += constants.rows.len();
    }
    let modulus_of_at = block.add(&moduli.of_members);
    let first_rows: Vec<u32> = (constants.of_members.iter())
        .map(|&number| first_rows[number as usize])
        .chain(core::iter::repeat(0))
        .take(members.len())
        .collect();
    let constants_of_at = block.add(&first_rows);
    let inputs_at = block.add_zeros(sizes[6]);
    let piece = piece_words(program.bits());
    let all_inputs = &mut block.0[inputs_at as usize..];
    for (number, member) in members.iter().enumerate() {
        for (input, first) in member.inputs.iter().zip(&code.input_rows) {
            let row = number * code.rows + first;
            write_pieces(input, piece, all_inputs[row * length..].chunks_mut(length));
        }
    }
    let scalars_at = block.add_zeros(sizes[7]);
    let all_scalars = &mut block.0[scalars_at as usize..];
    for (number, member) in members.iter().enumerate() {
        let scalars = member.scalars.iter().zip(&code.scalar_words);
        for ((scalar, first), info) in scalars.zip(program.scalar_infos()) {
            let words = words_of_scalar(info.bits);
            let place = number * code.words_of_scalars + first;
            write_words(scalar.as_words(), &mut all_scalars[place..][..words]);
        }
    }
    let tables_at = block.0.len();
    let table_words = (code.entries * threads * shape.words_each).next_multiple_of(ALIGNMENT);
    let outputs_at = tables_at + table_words;
    let flags_at = outputs_at + members.len() * program.outputs() * length;
    Ok(Launch {
        kernel: Kernel::new(shape, code.numbers),
        upload: block.0,
        words: flags_at + members.len() * program.flags(),
        results: outputs_at,
        offsets: Run {
            code: code_at,
            moduli: moduli_at,
            common: common_at,
            constants: constants_at,
            modulus_of: modulus_of_at,
            constants_of: constants_of_at,
            inputs: inputs_at,
            scalars: scalars_at,
            tables: tables_at as u64,
            outputs: outputs_at as u64,
            flags: flags_at as u64,
            members: members.len() as u32,
            moduli_count: moduli.all.len() as u32,
            input_rows: code.rows as u32,
            scalar_words: code.words_of_scalars as u32,
            output_rows: program.outputs() as u32,
            flag_count: program.flags() as u32,
        },
        threads,
    })
}

/// A member's modulus.
fn modulus_of<'a>(member: &Member<'a>) -> &'a CardModulus {
    own(member.modulus)
}

/// Writes an integer in pieces of some words, each into a row.
fn write_pieces<'a>(integer: &BoxedUint, piece: usize, rows: impl Iterator<Item = &'a mut [u32]>) {
    for (words, row) in integer.as_words().chunks(piece / 2).zip(rows) {
        write_words(words, row);
    }
}

/// The outcomes of the members, from the words that come back.
pub(super) fn outcomes(work: &Work<'_>, launch: &Launch, results: &[u32]) -> Vec<Outcome> {
    let (outputs, flags) = (work.program.outputs(), work.program.flags());
    let length = launch.kernel.shape.words();
    let all_flags = &results[launch.offsets.flags as usize - launch.results..];
    let outcome = |(number, member): (usize, &Member<'_>)| {
        let words = modulus_of(member).integer_words;
        let rows = &results[number * outputs * length..][..outputs * length];
        let integer = |row| Zeroizing::new(BoxedUint::from_words(read_words(row, words)));
        let flags = &all_flags[number * flags..][..flags];
        Outcome {
            integers: rows.chunks(length).map(integer).collect(),
            flags: flags.iter().map(|&flag| flag != 0).collect(),
        }
    };
    work.members.iter().enumerate().map(outcome).collect()
}
