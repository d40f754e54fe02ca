//! A program compiled for a lone number: its arithmetic in another order, so that products which do not need each other
//! stand together, and packed into words, which take a fraction of the time to read and to check.

use sunzi_program::{content, seal::Seal};

use crate::program::{Operation, Program, Register, Step};

/// How far beyond the first operation that has to wait others are taken. A value that is made early needs a register until
/// it is read.
const WINDOW: usize = 64;

/// The largest number of products that are computed in turns.
pub(super) const MOST_TOGETHER: usize = 6;

/// The arithmetic of a program.
pub(super) struct Tape {
    /// Operations that follow each other and compute with registers alone.
    runs: Vec<Run>,
    /// The instructions of the runs, each with its operands after it.
    words: Vec<u64>,
    /// Number of registers: those of the program, then those for values that it has kept in fewer.
    registers: usize,
    /// Whether the program was unchanged when it had been read: later its arithmetic is not compared any more.
    was_whole: bool,
    /// The seal of everything above.
    seal: Seal,
}

/// Operations of a program, and the words that do the same.
struct Run {
    steps: core::ops::Range<usize>,
    words: core::ops::Range<usize>,
}

content!(Tape { runs, words, registers, was_whole } without { seal });
content!(Run { steps, words });

/// The kind of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Products, `count` of them, computed in turns: for each a word with its number of terms and its register, then its
    /// terms.
    Products,
    /// A linear combination of `count` terms.
    Combination,
    /// A power: `count` squarings of the register in the next word.
    Power,
}

/// An instruction, or the beginning of a product: what, how many, and the register that it writes.
#[derive(Clone, Copy)]
pub(super) struct Head(u64);

impl Head {
    fn word(kind: Kind, count: usize, out: usize) -> u64 {
        (out as u64) << 40 | (count as u64) << 2 | kind as u64
    }

    pub(super) fn of(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(super) fn kind(self) -> Kind {
        match self.0 & 3 {
            0 => Kind::Products,
            1 => Kind::Combination,
            _ => Kind::Power,
        }
    }

    #[inline]
    pub(super) fn count(self) -> usize {
        (self.0 >> 2) as u32 as usize
    }

    #[inline]
    pub(super) fn out(self) -> usize {
        (self.0 >> 40) as usize
    }
}

/// A term of a sum of products: `x y`, or `-x y`.
#[derive(Clone, Copy)]
pub(super) struct Term(u64);

impl Term {
    fn word(negative: bool, x: usize, y: usize) -> u64 {
        (x as u64) << 32 | (y as u64) << 1 | u64::from(negative)
    }

    #[inline]
    pub(super) fn of(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(super) fn negative(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    pub(super) fn factors(self) -> [usize; 2] {
        [(self.0 >> 32) as usize, (self.0 as u32 >> 1) as usize]
    }
}

/// A term of a linear combination.
#[derive(Clone, Copy)]
pub(super) struct Multiple(u64);

impl Multiple {
    fn word(factor: i32, x: usize) -> u64 {
        (x as u64) << 32 | u64::from(factor.cast_unsigned())
    }

    #[inline]
    pub(super) fn of(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(super) fn factor(self) -> i32 {
        (self.0 as u32).cast_signed()
    }

    #[inline]
    pub(super) fn register(self) -> usize {
        (self.0 >> 32) as usize
    }
}

impl Tape {
    pub(super) fn new(program: &Program) -> Self {
        let mut tape = Self {
            runs: Vec::new(),
            words: Vec::new(),
            registers: program.registers(),
            was_whole: false,
            seal: Seal::default(),
        };
        let steps = program.steps();
        let mut next = 0;
        // Inversions may be computed by other means: no run goes across their ends.
        let inversions = program.inversions().iter();
        let mut ends = inversions
            .flat_map(|inversion| [inversion.steps.start, inversion.steps.end])
            .chain([steps.len()])
            .peekable();
        while next < steps.len() {
            while ends.next_if(|&end| end <= next).is_some() {}
            let end = ends.peek().copied().unwrap_or(steps.len());
            let length = steps[next..end]
                .iter()
                .take_while(|step| step.operation.is_arithmetic());
            let length = length.count();
            if length > 0 {
                tape.add(next, &steps[next..next + length], program.registers());
            }
            next += length.max(1);
        }
        tape.words.shrink_to_fit();
        tape.was_whole = program.is_whole();
        tape.seal = Seal::of(&tape);
        tape
    }

    /// Whether it is unchanged since it was made, from a program that was unchanged.
    pub(super) fn is_whole(&self) -> bool {
        self.was_whole && self.seal.holds(self)
    }

    /// Number of registers.
    pub(super) fn registers(&self) -> usize {
        self.registers
    }

    /// The run that begins with this operation, if one does: its length in operations, and its words.
    pub(super) fn run_from(&self, operation: usize) -> Option<(usize, &[u64])> {
        let found = (self.runs).binary_search_by_key(&operation, |run| run.steps.start);
        let run = &self.runs[found.ok()?];
        Some((run.steps.len(), &self.words[run.words.clone()]))
    }

    /// Appends a run of arithmetic operations, the first of which has this number.
    fn add(&mut self, first: usize, steps: &[Step], registers: usize) {
        let begin = self.words.len();
        let values = Values::new(steps, registers);
        let groups = values.in_groups(steps);
        let places = values.places(&groups, registers);
        self.registers = self.registers.max(places.registers);
        for group in &groups {
            self.write(group, steps, &values, &places);
        }
        for &(register, value) in &places.copies {
            self.words.push(Head::word(Kind::Combination, 1, register));
            self.words.push(Multiple::word(1, places.of_value[value]));
        }
        self.runs.push(Run {
            steps: first..first + steps.len(),
            words: begin..self.words.len(),
        });
    }

    /// Appends the operations of a group.
    fn write(&mut self, group: &[usize], steps: &[Step], values: &Values, places: &Places) {
        let is_product = |&step: &usize| is_single_product(&steps[step]);
        if group.iter().all(is_product) {
            self.words.push(Head::word(Kind::Products, group.len(), 0));
        }
        for &step in group {
            let out = places.of_value[step];
            let mut sources = values.reads[step].iter().map(|&source| places.of(source));
            let mut next = || sources.next().unwrap_or_default();
            match &steps[step].operation {
                Operation::Square { times: 1, .. } => {
                    let x = next();
                    self.words.push(Head::word(Kind::Products, 1, out));
                    self.words.push(Term::word(false, x, x));
                }
                &Operation::Square { times, .. } => {
                    self.words
                        .push(Head::word(Kind::Power, times as usize, out));
                    self.words.push(next() as u64);
                }
                Operation::SumOfProducts { terms, .. } => {
                    self.words
                        .push(Head::word(Kind::Products, terms.len(), out));
                    for term in terms {
                        let (x, y) = (next(), next());
                        self.words.push(Term::word(term.negative, x, y));
                    }
                }
                Operation::Combine { terms, .. } => {
                    self.words
                        .push(Head::word(Kind::Combination, terms.len(), out));
                    for term in terms {
                        self.words.push(Multiple::word(term.factor, next()));
                    }
                }
                // A product of two numbers.
                _ => {
                    let (x, y) = (next(), next());
                    self.words.push(Head::word(Kind::Products, 1, out));
                    self.words.push(Term::word(false, x, y));
                }
            }
        }
    }
}

/// Whether the operation has one reduction.
fn is_single_product(step: &Step) -> bool {
    matches!(
        step.operation,
        Operation::Multiply { .. }
            | Operation::Square { times: 1, .. }
            | Operation::SumOfProducts { .. }
    )
}

/// The origin of an operand: a register as it was before the run, or what an operation of the run has written.
#[derive(Clone, Copy)]
enum Source {
    Register(usize),
    Value(usize),
}

/// The values that operations of a run write, which have the operations' numbers.
struct Values {
    /// The operands of each operation, in the order of its fields.
    reads: Vec<Vec<Source>>,
    /// The register that a value is in after the run, if it is in one.
    home: Vec<Option<usize>>,
}

impl Values {
    fn new(steps: &[Step], registers: usize) -> Self {
        let mut writer = vec![None; registers];
        let mut reads = Vec::with_capacity(steps.len());
        for (index, Step { operation, .. }) in steps.iter().enumerate() {
            let source = |register: Register| match writer[register.index()] {
                Some(value) => Source::Value(value),
                None => Source::Register(register.index()),
            };
            reads.push(operation.reads().into_iter().map(source).collect());
            if let Some(out) = operation.out() {
                writer[out.index()] = Some(index);
            }
        }
        let mut home = vec![None; steps.len()];
        for (register, value) in writer.into_iter().enumerate() {
            if let Some(value) = value {
                home[value] = Some(register);
            }
        }
        Self { reads, home }
    }

    /// The values that an operation reads.
    fn needed(&self, step: usize) -> impl Iterator<Item = usize> {
        self.reads[step].iter().filter_map(|&source| match source {
            Source::Value(value) => Some(value),
            Source::Register(_) => None,
        })
    }

    /// The operations in an order in which every value is there when it is read: up to [`MOST_TOGETHER`] products
    /// in a group, all others alone.
    fn in_groups(&self, steps: &[Step]) -> Vec<Vec<usize>> {
        let mut is_done = vec![false; steps.len()];
        let mut groups = Vec::new();
        let mut first = 0;
        while first < steps.len() {
            let mut products = Vec::new();
            for step in first..steps.len().min(first + WINDOW) {
                if is_done[step] || self.needed(step).any(|value| !is_done[value]) {
                    continue;
                }
                if is_single_product(&steps[step]) {
                    products.push(step);
                    if products.len() == MOST_TOGETHER {
                        break;
                    }
                } else {
                    is_done[step] = true;
                    groups.push(vec![step]);
                }
            }
            for &step in &products {
                is_done[step] = true;
            }
            if !products.is_empty() {
                groups.push(products);
            }
            while first < steps.len() && is_done[first] {
                first += 1;
            }
        }
        groups
    }

    /// The registers of values.
    fn places(&self, groups: &[Vec<usize>], registers: usize) -> Places {
        // The last group that reads each value, and each register as it was.
        let mut last_of_value = vec![0; self.reads.len()];
        let mut last_of_register = vec![0; registers];
        for (time, group) in groups.iter().enumerate() {
            for source in group.iter().flat_map(|&step| &self.reads[step]) {
                match *source {
                    Source::Value(value) => last_of_value[value] = time,
                    Source::Register(register) => last_of_register[register] = time,
                }
            }
            for &step in group {
                last_of_value[step] = last_of_value[step].max(time);
            }
        }
        let mut places = Places {
            of_value: vec![0; self.reads.len()],
            copies: Vec::new(),
            registers,
        };
        let mut free = Vec::new();
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
        for (time, group) in groups.iter().enumerate() {
            // Operations of a group read before any of them writes.
            free.append(&mut ends[time]);
            for &step in group {
                let home = self.home[step];
                if let Some(register) = home
                    && last_of_register[register] <= time
                {
                    places.of_value[step] = register;
                    continue;
                }
                let place = free.pop().unwrap_or_else(|| {
                    places.registers += 1;
                    places.registers - 1
                });
                places.of_value[step] = place;
                if let Some(register) = home {
                    places.copies.push((register, step));
                } else if let Some(end) = ends.get_mut(last_of_value[step].max(time + 1)) {
                    end.push(place);
                }
            }
        }
        places
    }
}

/// The registers of a run's values.
struct Places {
    of_value: Vec<usize>,
    /// Registers, and the values that are copied there at the end.
    copies: Vec<(usize, usize)>,
    /// Number of registers in use.
    registers: usize,
}

impl Places {
    fn of(&self, source: Source) -> usize {
        match source {
            Source::Register(register) => register,
            Source::Value(value) => self.of_value[value],
        }
    }
}
