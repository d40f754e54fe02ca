//! The curve processor's microprogram, tables, and a traced scalar multiplication for each curve.
//!
//! The microprogram is assembled from the text `programs/scalar_multiplication.txt`, which is written
//! by hand in the form of the engine's programs. Registers are followed over the residues of
//! `sunzi_rns`, with the reductions and inversions of `sunzi_field`.

use std::collections::BTreeMap;

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Resize};
use serde_json::{Value, json};
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, Fixed, Plain};

use crate::cox_rower::Pair;
use crate::files::File;
use crate::inverter::Inverter;
use crate::json::{hex, lines};
use crate::random::Random;
use crate::systemverilog::Bits;

/// The program.
const TEXT: &str = include_str!("../programs/scalar_multiplication.txt");

/// Curves `y^2 = x^3 + a x + b`: name, P, a (as its distance to P, or 0), b, and the base point.
const CURVES: [[&str; 6]; 2] = [
    [
        "secp256k1",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "0",
        "7",
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
    ],
    [
        "p256",
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        "ffffffff00000001000000000000000000000000fffffffffffffffffffffffc",
        "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    ],
];

/// Width of a channel, in bits.
const WIDTH: u32 = 28;
/// Bits of a register's number, and the register that holds P.
const REGISTER_BITS: u32 = 5;
const P_REGISTER: u32 = 31;
/// Largest multiple of P in a product.
const PRODUCT: u64 = 3;
/// Register writes that are traced, from the first.
const TRACED_WRITES: usize = 120;

/// Tables of every core.
pub(crate) fn files() -> Vec<File> {
    CURVES
        .map(Processor::new)
        .iter()
        .map(Processor::tables)
        .collect()
}

/// One traced scalar multiplication for every core.
pub(crate) fn random_vectors(_: usize, random: &mut Random) -> Vec<File> {
    CURVES
        .map(Processor::new)
        .iter()
        .map(|p| p.trace(random))
        .collect()
}

/// An operation of the text.
enum Operation {
    /// A product, or a sum of products.
    Products(u32, Vec<(u32, u32)>),
    /// Factors and registers, and how many times P is added.
    Combine(u32, Vec<(i64, u32)>, u32),
    /// The integer with this number (see `curve_processor.sv`).
    Enter(u32, u32),
    Choose(u32, u32, u32),
    Output(u32, u32),
    Invert(u32, u32),
    Repeat,
    End,
}

/// The number of the last output among the integers that enter, and of the first constant.
const LAST_OUTPUT: u32 = 3;
const FIRST_CONSTANT: u32 = 4;

/// Operations of the text; lines that declare, and comments, are passed over.
fn parse(text: &str) -> Vec<Operation> {
    let lines = text.lines().map(str::trim);
    let declares = |line: &str| {
        ["program", "input", "own", "scalar", "digits", "#"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    lines
        .filter(|line| !line.is_empty() && !declares(line))
        .map(parse_line)
        .collect()
}

fn number(word: &str, prefix: char) -> u32 {
    let digits = word
        .strip_prefix(prefix)
        .map(|rest| rest.trim_end_matches("[0]"));
    digits
        .and_then(|d| d.parse().ok())
        .unwrap_or_else(|| panic!("{word} is not {prefix} and a number"))
}

fn parse_line(line: &str) -> Operation {
    let words: Vec<&str> = line.split_whitespace().collect();
    let register = |word: &str| number(word, 'r');
    match words[..] {
        ["repeat", "e0"] => Operation::Repeat,
        ["end"] => Operation::End,
        [y, ":=", "output", x] => Operation::Output(number(y, 'y'), register(x)),
        [d, ":=", "invert", x] => Operation::Invert(register(d), register(x)),
        [d, ":=", "choose", "d0[i]", x, y] => {
            Operation::Choose(register(d), register(x), register(y))
        }
        [d, ":=", "enter", x] if x.starts_with('y') => Operation::Enter(register(d), LAST_OUTPUT),
        [d, ":=", "enter", x] => Operation::Enter(register(d), number(x, 'x')),
        // Constants: P, the square of the Montgomery factor, then the own ones.
        [d, ":=", "montgomery", "square"] => Operation::Enter(register(d), FIRST_CONSTANT + 1),
        [d, ":=", "own", k] => Operation::Enter(register(d), FIRST_CONSTANT + 2 + number(k, 'k')),
        [d, ":=", x, "*", y] => Operation::Products(register(d), vec![(register(x), register(y))]),
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
                terms.push((sign * factor, number(x, 'r')));
                more
            }
            [times, "P", more @ ..] => {
                lift = times.parse().expect("a small number");
                more
            }
            [x, more @ ..] => {
                terms.push((sign, number(x, 'r')));
                more
            }
            [] => panic!("a sign without a term"),
        };
    }
    Operation::Combine(d, terms, lift)
}

/// An instruction, as in `curve_processor.sv`.
#[derive(Clone, Copy, Default)]
struct Instruction {
    operation: u32,
    d: u32,
    x: u32,
    y: u32,
    immediate: u32,
    first: bool,
    negate: bool,
}

impl Instruction {
    fn new(operation: u32) -> Self {
        Self {
            operation,
            ..Self::default()
        }
    }

    fn word(self) -> u128 {
        let fields = [
            (self.operation, 4),
            (self.d, REGISTER_BITS),
            (self.x, REGISTER_BITS),
            (self.y, REGISTER_BITS),
            (self.immediate, 8),
            (self.first.into(), 1),
            (self.negate.into(), 1),
        ];
        fields.iter().fold(0, |word, &(value, bits)| {
            assert!(value >> bits == 0, "a field of {bits} bits for {value}");
            (word << bits) | u128::from(value)
        })
    }
}

const MULTIPLY: u32 = 0;
const SCALE: u32 = 1;
const REDUCE: u32 = 2;
const STORE: u32 = 3;
const ENTER: u32 = 4;
const CHOOSE: u32 = 5;
const OUTPUT: u32 = 6;
const INVERT: u32 = 7;
const REPEAT: u32 = 8;
const HALT: u32 = 9;

/// The instructions.
fn assemble(operations: &[Operation]) -> Vec<Instruction> {
    let new = Instruction::new;
    let mut code = Vec::new();
    let enter = |code: &mut Vec<Instruction>, d, immediate| {
        code.push(Instruction {
            immediate,
            ..new(ENTER)
        });
        code.push(Instruction { d, ..new(STORE) });
    };
    enter(&mut code, P_REGISTER, FIRST_CONSTANT);
    let mut start = 0;
    for operation in operations {
        match operation {
            Operation::Products(d, terms) => {
                for (k, &(x, y)) in terms.iter().enumerate() {
                    code.push(Instruction {
                        x,
                        y,
                        first: k == 0,
                        ..new(MULTIPLY)
                    });
                }
                code.push(Instruction {
                    d: *d,
                    ..new(REDUCE)
                });
            }
            Operation::Combine(d, terms, lift) => {
                let lift = (*lift > 0).then_some((i64::from(*lift), P_REGISTER));
                for (k, &(factor, x)) in terms.iter().chain(&lift).enumerate() {
                    let immediate = factor.unsigned_abs() as u32;
                    let (first, negate) = (k == 0, factor < 0);
                    code.push(Instruction {
                        x,
                        immediate,
                        first,
                        negate,
                        ..new(SCALE)
                    });
                }
                code.push(Instruction {
                    d: *d,
                    ..new(STORE)
                });
            }
            &Operation::Enter(d, immediate) => enter(&mut code, d, immediate),
            &Operation::Choose(d, x, y) => code.push(Instruction {
                d,
                x,
                y,
                ..new(CHOOSE)
            }),
            &Operation::Output(immediate, x) => {
                code.push(Instruction {
                    x,
                    immediate,
                    ..new(OUTPUT)
                });
            }
            &Operation::Invert(d, x) => {
                code.push(Instruction { x, ..new(INVERT) });
                code.push(Instruction {
                    immediate: 2,
                    first: true,
                    ..new(OUTPUT)
                });
                enter(&mut code, d, LAST_OUTPUT);
            }
            Operation::Repeat => start = code.len() as u32,
            Operation::End => code.push(Instruction {
                immediate: start,
                ..new(REPEAT)
            }),
        }
    }
    code.push(new(HALT));
    code
}

/// Asserts that no number is negative, and that sums of products are at most `largest P^2`.
fn check_ranges(operations: &[Operation], largest: u64) {
    let mut bounds: BTreeMap<u32, u64> = BTreeMap::new();
    // The loop's body, twice: the second time it begins with what the first has left.
    let place = |wanted: fn(&Operation) -> bool| {
        operations
            .iter()
            .position(wanted)
            .expect("a program has a loop")
    };
    let start = place(|operation| matches!(operation, Operation::Repeat));
    let end = place(|operation| matches!(operation, Operation::End));
    let order = (0..end).chain(start..operations.len());
    let mut at_start: Vec<BTreeMap<u32, u64>> = Vec::new();
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
            Operation::Choose(d, x, y) => (d, bound(x).max(bound(y))),
            Operation::Output(_, x) => {
                assert!(bound(x) <= PRODUCT, "only products leave");
                continue;
            }
            Operation::Repeat => {
                at_start.push(bounds.clone());
                continue;
            }
            Operation::End => continue,
        };
        bounds.insert(*d, range);
    }
    // A third time would begin with nothing larger.
    let grown = |(x, range): (&u32, &u64)| bounds.get(x).is_some_and(|last| last > range);
    assert!(
        !at_start[1].iter().any(grown),
        "numbers grow from one turn of the loop to the next"
    );
}

/// A processor for one curve.
struct Processor {
    name: &'static str,
    p: NonZero<BoxedUint>,
    inverter: Inverter,
    point: [BoxedUint; 2],
    constants: Vec<BoxedUint>,
    operations: Vec<Operation>,
}

impl Processor {
    fn new([name, p, a, b, x, y]: [&'static str; 6]) -> Self {
        let integer = |digits: &str| {
            let x = BoxedUint::from_str_radix_vartime(digits, 16).expect("hexadecimal digits");
            x.resize_unchecked(256)
        };
        let prime = integer(p);
        let inverter = Inverter::with_prime(name.into(), &prime, WIDTH, true);
        let model = &inverter.model;
        let p = Option::<NonZero<BoxedUint>>::from(NonZero::new(prime.clone())).expect("P > 0");
        let times = |x: &BoxedUint, y: &BoxedUint| x.concatenating_mul(y).rem_vartime(&p);
        let factor = model.a.product().rem_vartime(&p);
        let a = integer(a);
        let b3 = times(&integer(b), &BoxedUint::from(3u64));
        let minus_a2 = times(&times(&a, &a), &prime.wrapping_sub(BoxedUint::one()));
        let mut constants = vec![prime.clone(), times(&factor, &factor)];
        let own = [a, b3, minus_a2, BoxedUint::one(), BoxedUint::zero()];
        constants.extend(own.iter().map(|x| times(x, &factor)));
        let operations = parse(TEXT);
        let largest = model.a.product().div_rem_vartime(&p).0;
        check_ranges(&operations, largest.as_words()[0].min(1 << 20));
        Self {
            name,
            p,
            inverter,
            point: [integer(x), integer(y)],
            constants,
            operations,
        }
    }

    fn bits(&self) -> u32 {
        self.p.as_ref().bits_vartime()
    }

    fn base(&self) -> &Base {
        &self.inverter.model.a
    }

    /// An integer in words of channels, the least significant first.
    fn words(&self, x: &BoxedUint) -> Vec<u128> {
        let bits = Bits::new(x, WIDTH * self.base().len() as u32);
        bits.words(WIDTH)
    }

    fn tables(&self) -> File {
        let model = &self.inverter.model;
        let n = model.a.len();
        let about = format!("Curve processor for {}.", self.name);
        // Powers of 2^W, by which words enter.
        let powers: Vec<Vec<u128>> = (0..n)
            .map(|i| {
                let both = [&model.a.moduli()[i], &model.b.moduli()[i]];
                let power = |j: u32| {
                    let one = BoxedUint::one_with_precision(1024);
                    one.unbounded_shl_vartime(j * WIDTH)
                };
                (0..n as u32)
                    .flat_map(|j| both.map(|m| m.reduce_uint(&power(j))))
                    .collect()
            })
            .collect();
        let mut header = self.inverter.header(&about, &powers);
        let code = assemble(&self.operations);
        let conversion = Kawamura::with_fewest_bits(&model.a, &model.b, Fixed::HALF);
        let kept = conversion.expect("a base close to 2^w").cox().kept_bits();
        let integers = [
            ("Bits of the scalar.", "SCALAR_BITS", self.bits()),
            (
                "Width of a register's number.",
                "REGISTER_BITS",
                REGISTER_BITS,
            ),
            ("Instructions.", "PROGRAM_LENGTH", code.len() as u32),
            (
                "First factor of words that enter.",
                "ENTER_FACTORS",
                self.inverter.free_factor() as u32,
            ),
            ("t of the conversion to integers.", "CONVERTER_KEPT", kept),
            (
                "Cycles, without the steps of the inversion.",
                "CYCLES",
                self.cycles(&code),
            ),
        ];
        for (about, name, value) in integers {
            header.integer(about, name, value);
        }
        let program: Vec<u128> = code.iter().map(|i| i.word()).collect();
        let constants: Vec<u128> = self.constants.iter().flat_map(|c| self.words(c)).collect();
        let cofactors: Vec<Vec<u128>> = (0..n)
            .map(|i| self.words(&model.a.cofactor(i)))
            .chain([self.words(model.a.product())])
            .collect();
        let columns: Vec<u128> = (0..n)
            .flat_map(|j| cofactors.iter().map(move |words| words[j]))
            .collect();
        let p = self.p.as_ref();
        let twice = p.concatenating_mul(BoxedUint::from(2u64));
        let instruction_bits = 4 + 3 * REGISTER_BITS + 8 + 2;
        let vectors = [
            (
                "The program.",
                "PROGRAM",
                Bits::residues(&program, instruction_bits),
            ),
            (
                "Constants: P, the Montgomery factor squared, a, 3 b, -a^2, 1 and 0 times the factor.",
                "CONSTANTS",
                Bits::residues(&constants, WIDTH),
            ),
            (
                "Words of A/a_i and A.",
                "COFACTORS",
                Bits::residues(&columns, WIDTH),
            ),
            ("P.", "P_WORDS", Bits::residues(&self.words(p), WIDTH)),
            (
                "2 P.",
                "TWICE_P_WORDS",
                Bits::residues(&self.words(&twice), WIDTH),
            ),
        ];
        for (about, name, bits) in &vectors {
            header.vector(about, name, bits);
        }
        File {
            path: format!("curve/{}/constants.svh", self.name),
            text: header.text(),
        }
    }

    /// Cycles from the one that takes the operands to the first in which the result is valid,
    /// without those of the inversion's steps: the sum of the instructions' in `curve_processor.sv`.
    fn cycles(&self, code: &[Instruction]) -> u32 {
        let n = self.base().len() as u32;
        // END of rower_array.sv, with one modulus for each rower.
        let reduction = 2 * n + 18;
        let cost = |instruction: &Instruction| match instruction.operation {
            MULTIPLY | SCALE => 2,
            REDUCE => 4 + reduction,
            STORE => 5,
            ENTER => 2 * n,
            OUTPUT => n * (n + 3) + 7,
            // From the cycle of the start to that of the end.
            INVERT => 16,
            _ => 1,
        };
        let end = code
            .iter()
            .position(|i| i.operation == REPEAT)
            .expect("a loop");
        let start = code[end].immediate as usize;
        let sum = |part: &[Instruction]| part.iter().map(cost).sum::<u32>();
        let once = sum(&code[..start]) + sum(&code[end + 1..]);
        once + self.bits() * sum(&code[start..=end]) + 1
    }

    /// The first register writes, and the result, of one multiplication.
    fn trace(&self, random: &mut Random) -> File {
        let one = BoxedUint::one_with_precision(512).unbounded_shl_vartime(self.bits());
        let (scalar, blind) = (random.below(&one), random.below(self.p.as_ref()));
        let inputs = [self.point[0].clone(), self.point[1].clone(), blind.clone()];
        let mut run = Run {
            processor: self,
            registers: BTreeMap::new(),
            writes: Vec::new(),
            outputs: vec![BoxedUint::zero(); 3],
            last: BoxedUint::zero(),
        };
        run.write(P_REGISTER, self.inverter.model.residues(self.p.as_ref()));
        let place = |wanted: fn(&Operation) -> bool| self.operations.iter().position(wanted);
        let start = place(|o| matches!(o, Operation::Repeat)).unwrap_or(0);
        let end = place(|o| matches!(o, Operation::End)).unwrap_or(0);
        let execute = |run: &mut Run, part: &[Operation], bit: bool| {
            for operation in part {
                run.execute(operation, &inputs, bit);
            }
        };
        execute(&mut run, &self.operations[..start], false);
        for position in (0..self.bits()).rev() {
            let bit = scalar.bit_vartime(position);
            execute(&mut run, &self.operations[start + 1..end], bit);
        }
        execute(&mut run, &self.operations[end + 1..], false);
        let case = json!({
            "x": format!("{:x}", self.point[0]), "y": format!("{:x}", self.point[1]),
            "blind": format!("{blind:x}"), "scalar": format!("{scalar:x}"), "writes": run.writes,
            "result_x": format!("{:x}", run.outputs[0]), "result_y": format!("{:x}", run.outputs[1]),
        });
        File {
            path: format!("curve/{}/trace_random.json", self.name),
            text: lines([case]),
        }
    }
}

/// The registers while a program runs.
struct Run<'a> {
    processor: &'a Processor,
    registers: BTreeMap<u32, Pair>,
    writes: Vec<Value>,
    outputs: Vec<BoxedUint>,
    last: BoxedUint,
}

impl Run<'_> {
    fn write(&mut self, d: u32, x: Pair) {
        if self.writes.len() < TRACED_WRITES {
            self.writes
                .push(json!([d, hex(x[0].values()), hex(x[1].values())]));
        }
        self.registers.insert(d, x);
    }

    fn execute(&mut self, operation: &Operation, inputs: &[BoxedUint], bit: bool) {
        let processor = self.processor;
        let model = &processor.inverter.model;
        let get = |x: &u32| self.registers[x].clone();
        match operation {
            Operation::Products(d, terms) => {
                let sum = |i: usize| {
                    let products = terms.iter().map(|(x, y)| get(x)[i].mul(&Plain, &get(y)[i]));
                    products
                        .reduce(|sum, product| sum.add(&Plain, &product))
                        .expect("terms")
                };
                let (reduced, _) = model.reduce(&[sum(0), sum(1)]);
                self.write(*d, reduced);
            }
            Operation::Combine(d, terms, lift) => {
                let lift = (i64::from(*lift), P_REGISTER);
                let mut sum = model.residues(&BoxedUint::zero());
                for (factor, x) in terms.iter().chain([&lift]) {
                    let small = model.residues(&BoxedUint::from(factor.unsigned_abs()));
                    let x = get(x);
                    sum = [0, 1].map(|i| {
                        let term = x[i].mul(&Plain, &small[i]);
                        let term = if *factor < 0 { term.neg(&Plain) } else { term };
                        sum[i].add(&Plain, &term)
                    });
                }
                self.write(*d, sum);
            }
            Operation::Enter(d, number) => {
                let integer = match *number {
                    LAST_OUTPUT => &self.last,
                    k if k < LAST_OUTPUT => &inputs[k as usize],
                    k => &processor.constants[(k - FIRST_CONSTANT) as usize],
                };
                let entered = model.residues(integer);
                self.write(*d, entered);
            }
            Operation::Choose(d, x, y) => {
                let chosen = get(if bit { y } else { x });
                self.write(*d, chosen);
            }
            Operation::Output(index, x) => {
                let value = get(x)[0].to_uint().rem_vartime(&processor.p);
                self.outputs[*index as usize] = value.clone();
                self.last = value;
            }
            Operation::Invert(d, x) => {
                let inverse = processor.inverter.invert(&get(x)[0]).expect("a prime P");
                self.last = inverse.to_uint().rem_vartime(&processor.p);
                let entered = model.residues(&self.last);
                self.write(*d, entered);
            }
            Operation::Repeat | Operation::End => {}
        }
    }
}
