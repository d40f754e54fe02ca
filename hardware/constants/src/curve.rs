//! The curve processor's microprogram, tables, and a traced scalar multiplication for each curve.
//!
//! The microprogram is made from the engine's program of `sunzi_pk::ec::double_and_add`. Registers are
//! followed over the residues of `sunzi_rns`, with the reductions and inversions of `sunzi_field`.

use std::collections::BTreeMap;

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero};
use serde_json::{Value, json};
use sunzi_engine::program::{Builder, Limits, Magnitude};
use sunzi_field::inversion::InversionError;
use sunzi_pk::ec::{Curve, GroupElement, double_and_add};
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, Fixed, Plain};

use crate::cox_rower::Pair;
use crate::files::File;
use crate::instruction::{
    ENTER, INVERT, Instruction, MULTIPLY, OUTPUT, P_REGISTER, REDUCE, REGISTER_BITS, REPEAT, SCALE,
    STORE, WAIT,
};
use crate::inverter::Inverter;
use crate::json::{hex, lines};
use crate::microprogram::{Microprogram, PRODUCT};
use crate::operation::{Constant, Operation, Source};
use crate::random::Random;
use crate::schedule::{BEFORE_REDUCTION, BEFORE_STORE, PRODUCT_CYCLES, REDUCE_CYCLES};
use crate::systemverilog::{Bits, Header};

/// The instructions after the engine's program.
const ENDING: &str = include_str!("../programs/ending.txt");

/// Name of the folder, curve, width of a channel in bits, moduli in a row (1: Kawamura's extension), and banks of
/// accumulators (1: reductions do not overlap).
type Core = (&'static str, &'static str, u32, usize, usize);

/// The cores.
const CORES: [Core; 10] = [
    ("secp256k1", "secp256k1", 28, 1, 1),
    ("secp256k1_overlap", "secp256k1", 28, 1, 2),
    ("secp256k1_w17", "secp256k1", 17, 1, 1),
    ("secp256k1_w17_hbe2", "secp256k1", 17, 2, 1),
    ("p256", "P-256", 28, 1, 1),
    ("brainpoolp256r1", "brainpoolP256r1", 28, 1, 1),
    ("p384", "P-384", 28, 1, 1),
    ("p384_hbe2", "P-384", 28, 2, 1),
    ("p384_hbe3", "P-384", 28, 3, 1),
    ("p384_hbe2_overlap", "P-384", 28, 2, 2),
];

/// The cores that the quick run simulates, as in `hardware/cores.py`.
const QUICK: [&str; 2] = ["secp256k1_overlap", "p384_hbe3"];

/// Cycles of `INVERT` without the inversion's steps, from its start to its end; and the same where there is no inverse.
const INVERSION: u32 = 16;
const FAILED_INVERSION: u32 = 11;

/// The largest weight of a sum of products that is used.
const MOST_OPERANDS: u64 = 1 << 20;
/// Number of register writes of a whole multiplication that are traced, from the first.
const TRACED_WRITES: usize = 120;
/// Bits of the scalars of short multiplications, all of whose register writes are traced.
const SHORT_BITS: u32 = 8;
/// Short scalars whose products pass the point at infinity, or end there, and those with all bits equal.
const SHORT_ADVERSARIAL: [u64; 5] = [0, 1, 2, 0x80, 0xff];
/// Number of random short scalars.
const SHORT_RANDOM: usize = 3;

/// Tables of every core.
pub(crate) fn files() -> Vec<File> {
    CORES
        .map(Processor::new)
        .iter()
        .flat_map(|processor| [processor.tables(), processor.text()])
        .collect()
}

/// Traced scalar multiplications: short ones for the cores of the quick run if `count` is 0, else for every core, and a
/// whole one, too.
pub(crate) fn random_vectors(count: usize, random: &mut Random) -> Vec<File> {
    let wanted = |core: &Core| count > 0 || QUICK.contains(&core.0);
    let processors = CORES.into_iter().filter(wanted).map(Processor::new);
    processors.map(|p| p.traces(count > 0, random)).collect()
}

/// A processor for one curve.
struct Processor {
    name: &'static str,
    curve: Curve,
    p: NonZero<BoxedUint>,
    inverter: Inverter,
    /// Banks of accumulators.
    banks: usize,
    microprogram: Microprogram,
    /// The numbers that the microprogram's constants stand for.
    constants: Vec<BoxedUint>,
}

impl Processor {
    fn new((name, curve, width, columns, banks): Core) -> Self {
        let curve: Curve = curve.parse().expect("a named curve");
        let prime = curve.parameters()[0].clone();
        let inverter = Inverter::with_prime(name.into(), &prime, width, columns, true);
        let model = &inverter.model;
        let p = Option::<NonZero<BoxedUint>>::from(NonZero::new(prime.clone())).expect("P > 0");
        let room = model.a.product().div_rem_vartime(&p).0;
        let largest = if room.bits_vartime() > u64::BITS {
            MOST_OPERANDS
        } else {
            room.as_words()[0].min(MOST_OPERANDS)
        };
        let bits = prime.bits_vartime();
        let limits = Limits {
            product: Magnitude::interval(0, PRODUCT.cast_signed()),
            operands: largest,
            signed: false,
            folded: None,
        };
        let mut builder = Builder::new("double-and-add", bits, limits, 1);
        let own = double_and_add(&mut builder, &curve);
        let program = builder.finish().expect("a program within the limits");
        let microprogram =
            Microprogram::new(&program, ENDING, bits, largest, banks, model.reduction());
        let times = |x: &BoxedUint, y: &BoxedUint| x.concatenating_mul(y).rem_vartime(&p);
        let factor = model.a.product().rem_vartime(&p);
        let numbers = microprogram
            .constants
            .iter()
            .map(|constant| match constant {
                Constant::P => prime.clone(),
                Constant::One => BoxedUint::one(),
                Constant::MontgomerySquare => times(&factor, &factor),
                Constant::Common(integer) => integer.clone(),
                Constant::Own(k) => {
                    let (number, form) = &own[*k as usize];
                    (0..*form).fold(number.clone(), |number, _| times(&number, &factor))
                }
            });
        Self {
            name,
            constants: numbers.collect(),
            curve,
            p,
            inverter,
            banks,
            microprogram,
        }
    }

    /// The microprogram as text, for readers.
    fn text(&self) -> File {
        let comment = "\
            # From the engine's program `double_and_add` and from constants/programs/ending.txt, by\n\
            # sunzi-hardware-constants; not to be edited. x0 and x1 are the coordinates of the point, x2 is the\n\
            # number by which Z is blinded; y0 and y1 are the coordinates of the result, y2 is Z times x2.\n";
        File {
            path: format!("curve/{}/program.txt", self.name),
            text: format!("{comment}{}", self.microprogram.text()),
        }
    }

    fn bits(&self) -> u32 {
        self.p.as_ref().bits_vartime()
    }

    /// The number that a constant stands for.
    fn constant(&self, wanted: &Constant) -> &BoxedUint {
        let place = self
            .microprogram
            .constants
            .iter()
            .position(|constant| constant == wanted);
        &self.constants[place.expect("constants are collected")]
    }

    fn base(&self) -> &Base {
        &self.inverter.model.a
    }

    fn width(&self) -> u32 {
        self.inverter.model.width
    }

    /// An integer in words of channels, the least significant first.
    fn words(&self, x: &BoxedUint) -> Vec<u128> {
        let bits = Bits::new(x, self.width() * self.base().len() as u32);
        bits.words(self.width())
    }

    /// Adds the integers among the tables.
    fn add_integers(&self, header: &mut Header, code: &[Instruction]) {
        let model = &self.inverter.model;
        let conversion = Kawamura::with_fewest_bits(&model.a, &model.b, Fixed::HALF);
        let kept = conversion.expect("a base close to 2^w").cox().kept_bits();
        let cycles = self.cycles(code);
        let integers = [
            ("Banks of accumulators.", "BANKS", self.banks as u32),
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
                "Constants that enter.",
                "NUMBERS",
                self.constants.len() as u32,
            ),
            (
                "Cycles, without the steps of the inversion.",
                "CYCLES",
                cycles.whole,
            ),
            (
                "Cycles of one bit of the scalar.",
                "TURN_CYCLES",
                cycles.turn,
            ),
            (
                "Cycles of these in which the multipliers work.",
                "TURN_SLOTS",
                cycles.slots,
            ),
            (
                "Cycles to infinity, without the steps of the inversion.",
                "INFINITY_CYCLES",
                cycles.infinity,
            ),
        ];
        for (about, name, value) in integers {
            header.integer(about, name, value);
        }
    }

    fn tables(&self) -> File {
        let model = &self.inverter.model;
        let (n, width) = (model.a.len(), self.width());
        let about = format!("Curve processor for {}.", self.name);
        // Powers of 2^W, by which words enter.
        let powers: Vec<Vec<u128>> = (0..n)
            .map(|i| {
                let both = [&model.a.moduli()[i], &model.b.moduli()[i]];
                let power = |j: u32| {
                    let one = BoxedUint::one_with_precision(1024);
                    one.unbounded_shl_vartime(j * self.width())
                };
                (0..n as u32)
                    .flat_map(|j| both.map(|m| m.reduce_uint(&power(j))))
                    .collect()
            })
            .collect();
        let mut header = self.inverter.header(&about, &powers);
        let code = self.microprogram.assemble();
        self.add_integers(&mut header, &code);
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
                "Constants, P first: those of program.txt in the order in which they enter.",
                "CONSTANTS",
                Bits::residues(&constants, width),
            ),
            (
                "Words of A/a_i and A.",
                "COFACTORS",
                Bits::residues(&columns, width),
            ),
            ("P.", "P_WORDS", Bits::residues(&self.words(p), width)),
            (
                "2 P.",
                "TWICE_P_WORDS",
                Bits::residues(&self.words(&twice), width),
            ),
        ];
        for (about, name, bits) in &vectors {
            header.vector(about, name, bits);
        }
        let name = format!("curve_processor_{}", self.name);
        let number = n as u32 * width;
        let ports = [
            ("input", "wipe", 1),
            ("output", "wiping", 1),
            ("input", "x", number),
            ("input", "y", number),
            ("input", "blind", number),
            ("input", "scalar", self.bits()),
            ("output", "result_x", number),
            ("output", "result_y", number),
            ("output", "infinity", 1),
        ];
        let others = [
            "SHARE",
            "CYCLES",
            "TURN_CYCLES",
            "TURN_SLOTS",
            "INFINITY_CYCLES",
        ];
        File {
            path: format!("curve/{}/{name}.sv", self.name),
            text: header.module("curve_processor", &name, &others, &ports),
        }
    }

    /// Cycles of an operation, from the one that takes the operands to the first in which the result is valid, without
    /// the steps of the inversion: sums of the instructions' cycles in `curve_processor.sv`.
    fn cycles(&self, code: &[Instruction]) -> Cycles {
        let n = self.base().len() as u32;
        let overlaps = self.banks > 1;
        let reduction = self.inverter.model.reduction();
        let cost = |instruction: &Instruction| match instruction.operation {
            MULTIPLY | SCALE => PRODUCT_CYCLES,
            REDUCE if overlaps => REDUCE_CYCLES,
            REDUCE => BEFORE_REDUCTION + reduction.end + 1,
            STORE if overlaps => 1,
            STORE => BEFORE_STORE + 1,
            WAIT => instruction.immediate,
            ENTER => 2 * n,
            OUTPUT => n * (n + 3) + 7,
            INVERT => INVERSION,
            _ => 1,
        };
        let place = |operation| {
            let place = code.iter().position(|i| i.operation == operation);
            place.expect("a loop, and an inversion after it")
        };
        let (end, inversion) = (place(REPEAT), place(INVERT));
        let start = code[end].immediate as usize;
        let sum = |part: &[Instruction]| part.iter().map(cost).sum::<u32>();
        let turn = sum(&code[start..=end]);
        if let Some(schedule) = &self.microprogram.schedule {
            assert_eq!(schedule.turn, turn, "cycles of a turn");
        }
        let until = |end: usize| sum(&code[..end]) + (self.bits() - 1) * turn + 1;
        let slots = |instruction: &Instruction| match instruction.operation {
            MULTIPLY | SCALE => PRODUCT_CYCLES,
            REDUCE => reduction.slots.len() as u32,
            _ => 0,
        };
        Cycles {
            whole: until(code.len()),
            turn,
            slots: code[start..=end].iter().map(slots).sum(),
            infinity: until(inversion) + FAILED_INVERSION,
        }
    }

    /// Multiplications by random and adversarial scalars of [`SHORT_BITS`] bits, with all register writes, and if
    /// `whole` one by a random scalar, with the first of them. The last finite result is the next point.
    fn traces(&self, whole: bool, random: &mut Random) -> File {
        let one = BoxedUint::one_with_precision(512);
        let generator = GroupElement::generator(&self.curve);
        let mut point = generator.coordinates().expect("a finite point");
        let random_scalars =
            (0..SHORT_RANDOM).map(|_| random.below(&one.unbounded_shl_vartime(SHORT_BITS)));
        let short: Vec<BoxedUint> = random_scalars
            .chain(SHORT_ADVERSARIAL.map(BoxedUint::from))
            .collect();
        let mut cases = Vec::new();
        for scalar in &short {
            let (case, product) = self.trace(scalar, SHORT_BITS, usize::MAX, &point, random);
            cases.push(case);
            point = product.unwrap_or(point);
        }
        if whole {
            let scalar = random.below(&one.unbounded_shl_vartime(self.bits()));
            cases.push(
                self.trace(&scalar, self.bits(), TRACED_WRITES, &point, random)
                    .0,
            );
        }
        File {
            path: format!("curve/{}/trace_random.json", self.name),
            text: lines(cases),
        }
    }

    /// One multiplication, by the lowest `bits` bits of a scalar: at most `writes` register writes, and the result,
    /// which is null at infinity.
    fn trace(
        &self,
        scalar: &BoxedUint,
        bits: u32,
        writes: usize,
        point: &[BoxedUint; 2],
        random: &mut Random,
    ) -> (Value, Option<[BoxedUint; 2]>) {
        let blind = random.below(self.p.as_ref());
        let inputs = [point[0].clone(), point[1].clone(), blind.clone()];
        let mut run = Run {
            processor: self,
            registers: BTreeMap::new(),
            traced: true,
            writes: Vec::new(),
            outputs: vec![BoxedUint::zero(); 3],
            last: BoxedUint::zero(),
        };
        run.write(P_REGISTER, self.inverter.model.residues(self.p.as_ref()));
        let [before, body, after] = self.microprogram.parts();
        let execute = |run: &mut Run, part: &[Operation], bit: bool| {
            part.iter()
                .all(|operation| run.execute(operation, &inputs, bit))
        };
        execute(&mut run, before, false);
        for position in (0..bits).rev() {
            let begun = run.writes.len();
            run.traced = begun < writes;
            execute(&mut run, body, scalar.bit_vartime(position));
            if let Some(schedule) = &self.microprogram.schedule
                && run.traced
            {
                let turn = run.writes.split_off(begun);
                let written = schedule.writes().into_iter().map(|i| turn[i].clone());
                run.writes.extend(written);
            }
        }
        let finite = execute(&mut run, after, false);
        run.writes.truncate(writes);
        let result = finite.then(|| [run.outputs[0].clone(), run.outputs[1].clone()]);
        let case = json!({
            "x": format!("{:x}", point[0]), "y": format!("{:x}", point[1]),
            "blind": format!("{blind:x}"), "scalar": format!("{scalar:x}"), "bits": bits,
            "writes": run.writes,
            "result": result.as_ref().map(|result| result.each_ref().map(|x| format!("{x:x}"))),
        });
        (case, result)
    }
}

/// Cycles of an operation without the steps of its inversion.
struct Cycles {
    /// Of an operation with a finite result.
    whole: u32,
    /// Of a turn of the loop.
    turn: u32,
    /// Of these, those in which the multipliers work.
    slots: u32,
    /// Of an operation that ends at infinity.
    infinity: u32,
}

/// The registers while a program runs.
struct Run<'a> {
    processor: &'a Processor,
    registers: BTreeMap<u32, Pair>,
    /// Whether writes are kept.
    traced: bool,
    writes: Vec<Value>,
    outputs: Vec<BoxedUint>,
    last: BoxedUint,
}

impl Run<'_> {
    fn write(&mut self, d: u32, x: Pair) {
        if self.traced {
            self.writes
                .push(json!([d, hex(x[0].values()), hex(x[1].values())]));
        }
        self.registers.insert(d, x);
    }

    /// Whether the program goes on: false at the inversion of 0.
    fn execute(&mut self, operation: &Operation, inputs: &[BoxedUint], bit: bool) -> bool {
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
            Operation::Enter(d, source) => {
                let integer = match source {
                    Source::Output(_) => &self.last,
                    Source::Input(k) => &inputs[*k as usize],
                    Source::Constant(constant) => processor.constant(constant),
                };
                let entered = model.residues(integer);
                self.write(*d, entered);
            }
            Operation::Choose(d, _, x, y) => {
                let chosen = get(if bit { y } else { x });
                self.write(*d, chosen);
            }
            Operation::Output(index, x) => {
                let value = get(x)[0].to_uint().rem_vartime(&processor.p);
                self.outputs[*index as usize] = value.clone();
                self.last = value;
            }
            Operation::Invert(d, x) => {
                let inverse = match processor.inverter.invert(&get(x)[0]) {
                    Ok(inverse) => inverse,
                    Err(InversionError::NotInvertible) => return false,
                    Err(error) => panic!("{error}"),
                };
                self.last = inverse.to_uint().rem_vartime(&processor.p);
                let entered = model.residues(&self.last);
                self.write(*d, entered);
            }
            Operation::Repeat | Operation::End => {}
        }
        true
    }
}
