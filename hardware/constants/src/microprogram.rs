//! Microprograms of the curve processor: the text of the engine's programs, with its loop folded, registers assigned,
//! ranges checked, and instructions assembled.
//!
//! A program of the engine has no loop. Here, the operations of one bit of the scalar are found to be the same as those
//! of every other bit, except for the names of registers, and are kept once.

use std::collections::{BTreeMap, BTreeSet};

use crypto_bigint::{BoxedUint, Resize};
use sunzi_engine::program::Program;

use crate::fold::folded;
use crate::instruction::{ENTER, HALT, INVERT, Instruction, OUTPUT, P_REGISTER, REPEAT, STORE};
use crate::operation::{Constant, Operation, Source};
use crate::schedule::{
    BEFORE_REDUCTION, BEFORE_STORE, REDUCE_CYCLES, Reduction, Schedule, last_of, products, wait,
};

/// Largest multiple of P in a product.
pub(crate) const PRODUCT: u64 = 3;
/// The number of the last output among the integers that enter, and of the first constant.
const LAST_OUTPUT: u32 = 3;
const FIRST_CONSTANT: u32 = 4;
/// The first output that is a result of the processor; the outputs before it are the engine's program's.
const RESULTS: u32 = 3;

/// The operations of a text of the engine; what declares is passed over.
fn parse(lines: impl IntoIterator<Item = String>, common: &[BoxedUint]) -> Vec<Operation> {
    let parsed = lines.into_iter().map(|line| parse_line(&line, common));
    parsed.collect()
}

/// The number after a letter: `r5`, `x0[0]`, `d0[255]`.
fn number(word: &str, prefix: &str) -> u32 {
    let digits = word
        .strip_prefix(prefix)
        .and_then(|rest| rest.split(['[', ']']).next());
    digits
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_else(|| panic!("{word} is not {prefix} and a number"))
}

fn parse_line(line: &str, common: &[BoxedUint]) -> Operation {
    let words: Vec<&str> = line.split_whitespace().collect();
    let register = |word: &str| number(word, "r");
    let constant = |d, constant| Operation::Enter(register(d), Source::Constant(constant));
    match words[..] {
        [y, ":=", "output", x] => Operation::Output(number(y, "y"), register(x)),
        [d, ":=", "invert", x] => Operation::Invert(register(d), register(x)),
        [d, ":=", "choose", digit, x, y] => {
            let position = Some(number(digit, "d0["));
            Operation::Choose(register(d), position, register(x), register(y))
        }
        [d, ":=", "enter", y] if y.starts_with('y') => {
            Operation::Enter(register(d), Source::Output(number(y, "y")))
        }
        [d, ":=", "enter", x] => Operation::Enter(register(d), Source::Input(number(x, "x"))),
        [d, ":=", "1"] => constant(d, Constant::One),
        [d, ":=", "montgomery", "square"] => constant(d, Constant::MontgomerySquare),
        [d, ":=", "common", c] => {
            let integer = &common[number(c, "c") as usize];
            constant(d, Constant::Common(integer.clone()))
        }
        [d, ":=", "own", k] => constant(d, Constant::Own(number(k, "k"))),
        [d, ":=", x, "*", y] => Operation::Products(register(d), vec![(register(x), register(y))]),
        [d, ":=", x, "^", "2", "^", "1"] => {
            Operation::Products(register(d), vec![(register(x), register(x))])
        }
        [d, ":=", "sum", ref terms @ ..] => {
            let terms = terms.chunks(4).map(|term| match term {
                ["+", x, "*", y] => (register(x), register(y)),
                _ => panic!("{line}: products are added"),
            });
            Operation::Products(register(d), terms.collect())
        }
        [d, ":=", "combine", ref terms @ ..] => parse_combination(register(d), terms),
        _ => panic!("{line}: no such operation"),
    }
}

fn parse_combination(d: u32, words: &[&str]) -> Operation {
    let (mut terms, mut lift, mut rest) = (Vec::new(), 0, words);
    while let [sign, after @ ..] = rest {
        let sign = if *sign == "-" { -1 } else { 1 };
        rest = match after {
            [factor, ".", x, more @ ..] => {
                let factor: i64 = factor.parse().expect("a small factor");
                terms.push((sign * factor, number(x, "r")));
                more
            }
            [times, "P", more @ ..] => {
                lift = times.parse().expect("a small number");
                more
            }
            [x, more @ ..] => {
                terms.push((sign, number(x, "r")));
                more
            }
            [] => panic!("a sign without a term"),
        };
    }
    Operation::Combine(d, terms, lift)
}

/// The common integers that a program's text declares.
fn common(text: &str) -> Vec<BoxedUint> {
    let declared = text.lines().filter_map(|line| line.strip_prefix("common"));
    let integer = |line: &str| {
        let digits = line
            .split_once("0x")
            .expect("a name and a hexadecimal number")
            .1;
        let integer = BoxedUint::from_str_radix_vartime(digits, 16).expect("hexadecimal digits");
        // The integer 0 would have no bits at all.
        let bits = integer.bits_precision().max(64);
        integer.resize_unchecked(bits)
    };
    declared.map(integer).collect()
}

/// Gives each value a name of its own: the content of a register after it was written. The factors of a product come in
/// the order in which they are made.
fn values(operations: &[Operation]) -> Vec<Operation> {
    let mut names: BTreeMap<u32, u32> = BTreeMap::new();
    let mut next = 0;
    let renamed = operations.iter().map(|operation| {
        let read = names.clone();
        let new = |d| {
            names.insert(d, next);
            next += 1;
            next - 1
        };
        let mut operation = operation.renamed(new, |x| read[&x]);
        if let Operation::Products(_, terms) = &mut operation {
            for (x, y) in terms {
                (*x, *y) = ((*x).min(*y), (*x).max(*y));
            }
        }
        operation
    });
    renamed.collect()
}

/// Assigns registers to values, as few as live at a time. A value that is made before the loop and read in it, or that
/// passes from turn to turn, keeps its register until the end of the loop.
fn with_registers(operations: &[Operation]) -> Vec<Operation> {
    let [start, end] = loop_of(operations);
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, operation) in operations.iter().enumerate() {
        for x in operation.reads().into_iter().chain(operation.out()) {
            let made = *first.entry(x).or_insert(index);
            let outlives = made < start && (start..end).contains(&index);
            let until = last.entry(x).or_insert(index);
            *until = (*until).max(if outlives { end } else { index });
        }
    }
    let mut free: Vec<u32> = (0..P_REGISTER).rev().collect();
    let mut registers: BTreeMap<u32, u32> = BTreeMap::new();
    let assigned = operations.iter().enumerate().map(|(index, operation)| {
        let read = registers.clone();
        // An operation may write over its operands.
        let mut over: Vec<u32> = operation.reads();
        if *operation == Operation::End {
            over = registers.keys().copied().collect();
        }
        over.retain(|x| last[x] == index);
        over.sort_unstable();
        over.dedup();
        for x in over {
            free.extend(registers.remove(&x));
        }
        operation.renamed(
            |d| {
                let new = || free.pop().expect("registers for all that live at a time");
                let register = *registers.entry(d).or_insert_with(new);
                if last[&d] == index {
                    free.extend(registers.remove(&d));
                }
                register
            },
            |x| read[&x],
        )
    });
    assigned.collect()
}

/// The places of `repeat` and `end`.
fn loop_of(operations: &[Operation]) -> [usize; 2] {
    [Operation::Repeat, Operation::End].map(|wanted| {
        let place = operations.iter().position(|operation| *operation == wanted);
        place.expect("a microprogram has a loop")
    })
}

/// A microprogram.
pub(crate) struct Microprogram {
    pub(crate) operations: Vec<Operation>,
    /// The integers that enter by number, from [`FIRST_CONSTANT`] on.
    pub(crate) constants: Vec<Constant>,
    /// The schedule of the loop's body on a processor with several banks, and the cycles of a reduction.
    pub(crate) schedule: Option<Schedule>,
    reduction: Reduction,
}

impl Microprogram {
    /// A microprogram from a program of the engine, whose scalar has `bits` bits, and the text of the operations that
    /// follow it. Sums of products must be at most `largest P^2`.
    ///
    /// In the operations that follow, the program's outputs 0 and 1 enter again as the registers that they would have
    /// left from; they do not leave.
    ///
    /// With several `banks` of accumulators, the operations of the loop come in the order of a schedule in which they
    /// overlap; in `text`, too.
    pub(crate) fn new(
        program: &Program,
        ending: &str,
        bits: u32,
        largest: u64,
        banks: usize,
        reduction: Reduction,
    ) -> Self {
        let text = program.to_string();
        let common = common(&text);
        let mut begun = values(&parse(
            program.operations().map(ToString::to_string),
            &common,
        ));
        let mut left: BTreeMap<u32, u32> = BTreeMap::new();
        begun.retain(|operation| match operation {
            Operation::Output(k @ (0 | 1), x) => left.insert(*k, *x).is_some(),
            _ => true,
        });
        let lines = ending.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let ending = values(&parse(lines.map(Into::into), &common));
        let reductions = |operations: &[Operation]| {
            let products = operations
                .iter()
                .filter(|o| matches!(o, Operation::Products(..)));
            products.count() as u64
        };
        let expected = program.counts().products + reductions(&ending);
        // The first name that the program does not have.
        let shift = begun.len() as u32;
        let mut entered: BTreeMap<u32, u32> = BTreeMap::new();
        for operation in ending {
            let read = |x| *entered.get(&(x + shift)).unwrap_or(&(x + shift));
            match operation.renamed(|d| d + shift, read) {
                Operation::Enter(d, Source::Output(k)) if left.contains_key(&k) => {
                    entered.insert(d, left[&k]);
                }
                Operation::Output(k, x) if k >= RESULTS => {
                    begun.push(Operation::Output(k - RESULTS, x));
                }
                operation => begun.push(operation),
            }
        }
        // The engine's program also takes constants that it does not use.
        let used: BTreeSet<u32> = begun.iter().flat_map(Operation::reads).collect();
        begun.retain(|operation| match operation {
            Operation::Enter(d, _) => used.contains(d),
            _ => true,
        });
        let mut operations = folded(&values(&begun), bits as usize);
        let schedule = (banks > 1).then(|| {
            let [start, end] = loop_of(&operations);
            let (schedule, body) = Schedule::new(&operations[start + 1..end], banks, &reduction);
            operations.splice(start + 1..end, body);
            schedule
        });
        let operations = with_registers(&operations);
        check_ranges(&operations, largest);
        let mut constants = vec![Constant::P];
        for operation in &operations {
            if let Operation::Enter(_, Source::Constant(constant)) = operation
                && !constants.contains(constant)
            {
                constants.push(constant.clone());
            }
        }
        let microprogram = Self {
            operations,
            constants,
            schedule,
            reduction,
        };
        let [before, body, after] = microprogram.parts().map(reductions);
        let found = before + u64::from(bits) * body + after;
        assert_eq!(
            found, expected,
            "reductions of the microprogram and of the program"
        );
        microprogram
    }

    /// The three parts: the operations before the loop, its body, and the operations after it.
    pub(crate) fn parts(&self) -> [&[Operation]; 3] {
        let operations = &self.operations;
        let [start, end] = loop_of(operations);
        [
            &operations[..start],
            &operations[start + 1..end],
            &operations[end + 1..],
        ]
    }

    /// The operations, one a line.
    pub(crate) fn text(&self) -> String {
        let lines = self
            .operations
            .iter()
            .map(|operation| format!("{operation}\n"));
        lines.collect()
    }

    /// The number by which an integer enters.
    fn source(&self, source: &Source) -> u32 {
        match source {
            Source::Input(k) => *k,
            Source::Output(_) => LAST_OUTPUT,
            Source::Constant(wanted) => {
                let place = self
                    .constants
                    .iter()
                    .position(|constant| constant == wanted);
                FIRST_CONSTANT + place.expect("constants are collected") as u32
            }
        }
    }

    /// The instructions.
    pub(crate) fn assemble(&self) -> Vec<Instruction> {
        let [before, body, after] = self.parts();
        let mut code = self.enter(P_REGISTER, FIRST_CONSTANT);
        code.extend(before.iter().flat_map(|operation| self.alone(operation)));
        let start = code.len() as u32;
        match &self.schedule {
            None => code.extend(body.iter().flat_map(|operation| self.alone(operation))),
            Some(schedule) => code.extend(schedule.instructions(body)),
        }
        code.push(Instruction {
            immediate: start,
            ..Instruction::new(REPEAT)
        });
        code.extend(after.iter().flat_map(|operation| self.alone(operation)));
        code.push(Instruction::new(HALT));
        code
    }

    /// An instruction that waits, where instructions do not wait themselves.
    fn wait(&self, cycles: u32) -> Option<Instruction> {
        self.schedule.as_ref().and_then(|_| wait(cycles))
    }

    /// The instructions by which an integer enters.
    fn enter(&self, d: u32, immediate: u32) -> Vec<Instruction> {
        let enter = Instruction {
            immediate,
            ..Instruction::new(ENTER)
        };
        let store = Instruction {
            d,
            ..Instruction::new(STORE)
        };
        [Some(enter), self.wait(BEFORE_STORE), Some(store)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The instructions of an operation that overlaps with no other one.
    fn alone(&self, operation: &Operation) -> Vec<Instruction> {
        match operation {
            Operation::Enter(d, source) => self.enter(*d, self.source(source)),
            &Operation::Output(immediate, x) => vec![Instruction {
                x,
                immediate,
                ..Instruction::new(OUTPUT)
            }],
            &Operation::Invert(d, x) => {
                let invert = Instruction {
                    x,
                    ..Instruction::new(INVERT)
                };
                let output = Instruction {
                    immediate: 2,
                    first: true,
                    ..Instruction::new(OUTPUT)
                };
                let mut code = vec![invert, output];
                code.extend(self.enter(d, LAST_OUTPUT));
                code
            }
            operation => {
                let (before, after) = match operation {
                    Operation::Products(..) => {
                        (BEFORE_REDUCTION, self.reduction.end + 1 - REDUCE_CYCLES)
                    }
                    Operation::Combine(..) => (BEFORE_STORE, 0),
                    _ => (0, 0),
                };
                let mut code = products(operation, 0);
                code.extend(self.wait(before));
                code.push(last_of(operation, 0).1);
                code.extend(self.wait(after));
                code
            }
        }
    }
}

/// Asserts that no number is negative, and that sums of products are at most `largest P^2`.
fn check_ranges(operations: &[Operation], largest: u64) {
    let mut bounds: BTreeMap<u32, u64> = BTreeMap::new();
    // The loop's body, twice: the second time it begins with the ranges that the first has left.
    let [start, end] = loop_of(operations);
    let order = (0..=end).chain(start..operations.len());
    let mut turns: Vec<BTreeMap<u32, u64>> = Vec::new();
    for operation in order.map(|index| &operations[index]) {
        let bound = |x: &u32| {
            *bounds
                .get(x)
                .expect("registers are written before they are read")
        };
        let (d, range) = match operation {
            Operation::Products(d, terms) => {
                let sum: u64 = terms.iter().map(|(x, y)| bound(x) * bound(y)).sum();
                assert!(
                    sum <= largest,
                    "a sum of products of {sum} P^2, and {largest} is allowed"
                );
                (d, PRODUCT)
            }
            Operation::Combine(d, terms, lift) => {
                let part = |negative| -> u64 {
                    let terms = terms.iter().filter(|(factor, _)| (*factor < 0) == negative);
                    terms
                        .map(|(factor, x)| factor.unsigned_abs() * bound(x))
                        .sum()
                };
                assert!(
                    part(true) <= u64::from(*lift),
                    "a combination may be negative"
                );
                (d, part(false) + u64::from(*lift))
            }
            Operation::Enter(d, _) | Operation::Invert(d, _) => (d, 1),
            Operation::Choose(d, _, x, y) => (d, bound(x).max(bound(y))),
            Operation::Output(_, x) => {
                assert!(bound(x) <= PRODUCT, "only products leave");
                continue;
            }
            Operation::Repeat => continue,
            Operation::End => {
                turns.push(bounds.clone());
                continue;
            }
        };
        bounds.insert(*d, range);
    }
    // A third time would begin with the same ranges as the second.
    assert_eq!(
        turns[0], turns[1],
        "numbers grow from one turn of the loop to the next"
    );
}
