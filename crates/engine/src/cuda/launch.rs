//! A group's work as words: what a launch takes to the card, and what comes back.

use core::iter;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crypto_bigint::BoxedUint;
use zeroize::{Zeroize, Zeroizing};

use super::{
    card::{ALIGNMENT, BLOCK, Function, Kernel, Launch, Run, Step},
    code::{Code, piece_words, words_of_scalar, write_words},
    matrix::{Geometry, OF_WARP},
    modulus::{CardConstants, CardModulus, read_words},
    shape::Shape,
};
use crate::{
    device::{DeviceError, Member, Outcome, Work},
    kept::own,
    program::Program,
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
        let (offset, section) = self.add_zeros(words.len());
        section[..words.len()].copy_from_slice(words);
        offset
    }

    /// Adds a section of zeros, and returns its offset and its words.
    fn add_zeros(&mut self, words: usize) -> (u64, &mut [u32]) {
        let offset = self.0.len();
        let end = offset + whole(words);
        // Memory that is outgrown would keep secrets: the whole size is reserved before.
        assert!(
            end <= self.0.capacity(),
            "a block has room for its sections"
        );
        self.0.resize(end, 0);
        (offset as u64, &mut self.0[offset..])
    }
}

/// The size of a section in words: not empty, and a multiple of the alignment.
fn whole(words: usize) -> usize {
    words.max(1).next_multiple_of(ALIGNMENT)
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
    let moduli = Different::of(members.iter().map(modulus_of));
    let constants = Different::of(
        members
            .iter()
            .filter_map(|member| member.constants.map(own)),
    );
    let first = moduli.all[0];
    let plan = first.plan.as_deref();
    let code = Code::new(program, plan.is_some())?;
    let shape = first.shape;
    let sizes = Sizes {
        length: shape.words(),
        code: &code,
        members: members.len(),
        plan: plan.map_or(&[], |plan| &plan.words),
    };
    let mut block = Block(spare.take(sizes.upload(program, &moduli, &constants)));
    let constant_words = constants.all.iter().map(|constants| constants.rows.len());
    let offsets = Run {
        code: block.add(&code.words),
        moduli: add_moduli(&mut block, &moduli),
        common: sizes.add_common(&mut block, program),
        constants: add_constants(&mut block, &constants),
        modulus_of: block.add(&moduli.of_members),
        constants_of: block.add(&sizes.first_rows(&constants)),
        inputs: sizes.add_inputs(&mut block, work),
        scalars: sizes.add_scalars(&mut block, work),
        plan: block.add(sizes.plan),
        tables: 0,
        rows: 0,
        numbers: 0,
        outputs: 0,
        flags: 0,
        members: members.len() as u32,
        moduli_count: moduli.all.len() as u32,
        input_rows: code.rows as u32,
        scalar_words: code.words_of_scalars as u32,
        output_rows: program.outputs() as u32,
        flag_count: program.flags() as u32,
        common_rows: program.common().len() as u32,
        constant_rows: (constant_words.sum::<usize>() / sizes.length) as u32,
        file_numbers: code.numbers as u32,
    };
    let memory = match plan {
        None => Memory::of_limbs(shape, &code, members.len()),
        Some(plan) => Memory::of_residues(plan.geometry, &code, &offsets),
    };
    let mut next = block.0.len();
    let mut place = |words: usize| {
        let offset = next;
        next += whole(words);
        offset
    };
    let tables = place(memory.tables);
    let rows = place(memory.rows);
    let numbers = place(memory.numbers);
    let outputs = next;
    let flags = outputs + members.len() * program.outputs() * sizes.length;
    Ok(Launch {
        kernel: memory.kernel,
        upload: block.0,
        words: flags + members.len() * program.flags(),
        results: outputs,
        offsets: Run {
            tables: tables as u64,
            rows: rows as u64,
            numbers: numbers as u64,
            outputs: outputs as u64,
            flags: flags as u64,
            ..offsets
        },
        steps: memory.steps,
    })
}

/// The card's own memory in a launch, in words, and what runs.
struct Memory {
    kernel: Kernel,
    tables: usize,
    /// Rows and numbers as residues.
    rows: usize,
    numbers: usize,
    steps: Vec<Step>,
}

impl Memory {
    fn of_limbs(shape: Shape, code: &Code, members: usize) -> Self {
        let blocks = (members * shape.threads).div_ceil(BLOCK);
        Self {
            kernel: Kernel::limbs(shape, code.numbers),
            tables: code.entries * blocks * BLOCK * shape.words_each,
            rows: 0,
            numbers: 0,
            steps: vec![Step {
                function: Function::Run,
                blocks,
                threads: BLOCK,
                shared: 0,
            }],
        }
    }

    fn of_residues(geometry: Geometry, code: &Code, run: &Run) -> Self {
        let members = run.members as usize;
        let blocks = members.div_ceil(OF_WARP * geometry.warps);
        let warps = blocks * geometry.warps;
        let rows = 2 * run.moduli_count + run.common_rows + run.constant_rows;
        let rows = rows as usize + members * code.rows;
        let leaving = (run.output_rows + run.flag_count) as usize;
        let step = |function, threads: usize| Step {
            function,
            blocks: threads.div_ceil(BLOCK),
            threads: BLOCK,
            shared: 0,
        };
        Self {
            kernel: Kernel::Residues(geometry),
            tables: code.entries * warps * geometry.span(),
            rows: rows * geometry.row(),
            // The file and the number that is computed with in both bases, but for its part in shared memory.
            numbers: warps * (2 * code.numbers + 1 + leaving) * geometry.span(),
            steps: vec![
                step(Function::Enter, rows * geometry.row()),
                Step {
                    function: Function::Run,
                    blocks,
                    threads: 32 * geometry.warps,
                    shared: geometry.shared_bytes(),
                },
                step(Function::Leave, members * leaving.max(1)),
            ],
        }
    }
}

/// The sizes of a group's sections.
struct Sizes<'a> {
    /// Number of words of a number.
    length: usize,
    code: &'a Code,
    members: usize,
    /// The words of the plan; empty for limbs.
    plan: &'a [u32],
}

impl Sizes<'_> {
    /// Number of words of all sections that go to the card.
    fn upload(
        &self,
        program: &Program,
        moduli: &Different<'_, CardModulus>,
        constants: &Different<'_, CardConstants>,
    ) -> usize {
        let words_of = |constants: &&CardConstants| constants.rows.len();
        let sections = [
            self.code.words.len(),
            moduli.all.len() * (2 * self.length + 1),
            program.common().len() * self.length,
            constants.all.iter().map(words_of).sum(),
            self.members,
            self.members,
            self.members * self.code.rows * self.length,
            self.members * self.code.words_of_scalars,
            self.plan.len(),
        ];
        sections.into_iter().map(whole).sum()
    }

    /// The program's integers, each in a row.
    fn add_common(&self, block: &mut Block, program: &Program) -> u64 {
        let (offset, words) = block.add_zeros(program.common().len() * self.length);
        for (integer, row) in program.common().iter().zip(words.chunks_mut(self.length)) {
            write_words(integer, row);
        }
        offset
    }

    /// The row of the first constant of each member; 0 without constants.
    fn first_rows(&self, constants: &Different<'_, CardConstants>) -> Vec<u32> {
        let mut next = 0;
        let first: Vec<u32> = (constants.all.iter())
            .map(|constants| {
                let first = next;
                next += constants.rows.len() / self.length;
                first as u32
            })
            .collect();
        let numbers = constants.of_members.iter();
        let of_members = numbers.map(|&number| first[number as usize]);
        of_members
            .chain(iter::repeat(0))
            .take(self.members)
            .collect()
    }

    /// The members' integers, in pieces of a row each.
    fn add_inputs(&self, block: &mut Block, work: &Work<'_>) -> u64 {
        let rows = self.code.rows;
        let piece = piece_words(work.program.bits()) / 2;
        let (offset, words) = block.add_zeros(self.members * rows * self.length);
        for (number, member) in work.members.iter().enumerate() {
            for (input, first) in member.inputs.iter().zip(&self.code.input_rows) {
                let rows = words[(number * rows + first) * self.length..].chunks_mut(self.length);
                for (piece, row) in input.as_words().chunks(piece).zip(rows) {
                    write_words(piece, row);
                }
            }
        }
        offset
    }

    /// The members' scalars.
    fn add_scalars(&self, block: &mut Block, work: &Work<'_>) -> u64 {
        let each = self.code.words_of_scalars;
        let (offset, words) = block.add_zeros(self.members * each);
        for (number, member) in work.members.iter().enumerate() {
            let scalars = member.scalars.iter().zip(&self.code.scalar_words);
            for ((scalar, first), info) in scalars.zip(work.program.scalar_infos()) {
                let place = number * each + first;
                let own = &mut words[place..][..words_of_scalar(info.bits)];
                write_words(scalar.as_words(), own);
            }
        }
        offset
    }
}

/// The rows of all moduli, then the word of each.
fn add_moduli(block: &mut Block, moduli: &Different<'_, CardModulus>) -> u64 {
    let rows: usize = moduli.all.iter().map(|modulus| modulus.rows.len()).sum();
    let (offset, words) = block.add_zeros(rows + moduli.all.len());
    let mut next = 0;
    for (number, modulus) in moduli.all.iter().enumerate() {
        words[next..][..modulus.rows.len()].copy_from_slice(&modulus.rows);
        words[rows + number] = *modulus.inverse;
        next += modulus.rows.len();
    }
    offset
}

/// The rows of all constants.
fn add_constants(block: &mut Block, constants: &Different<'_, CardConstants>) -> u64 {
    let words = constants.all.iter().map(|constants| constants.rows.len());
    let (offset, words) = block.add_zeros(words.sum());
    let mut next = 0;
    for constants in &constants.all {
        words[next..][..constants.rows.len()].copy_from_slice(&constants.rows);
        next += constants.rows.len();
    }
    offset
}

/// A member's modulus.
fn modulus_of<'a>(member: &Member<'a>) -> &'a CardModulus {
    own(member.modulus)
}

/// The outcomes of the members, from the words that come back.
pub(super) fn outcomes(work: &Work<'_>, launch: &Launch, results: &[u32]) -> Vec<Outcome> {
    let (outputs, flags) = (work.program.outputs(), work.program.flags());
    let length = launch.kernel.words();
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
