//! The conformance suite: the results of a device, compared with those of the reference.
//!
//! Every operation, random programs, and the programs that the engine serves, on moduli at both ends of their
//! size class, with operands and scalars at the ends of their ranges and magnitudes as large as the plan
//! allows, for numbers of members around the layout's width. In builds with debug assertions the kernels
//! check every range and the interpreter every magnitude on the way.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;

use crate::{
    Backend, Constants, Engine, EngineError, Job, Modulus, Outcome, ProgramKey, Programs,
    program::{
        Builder, Limits, Magnitude, Recoding, Stream, Value,
        fixed_base::Comb,
        inverse,
        multi_power::{pippenger, straus},
        power,
    },
};

/// The effort of a run of the suite.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Size classes in bits.
    pub sizes: Vec<u32>,
    /// Number of random programs, spread over the sizes.
    pub random_programs: usize,
    /// The longest exponent of the real programs, in bits.
    pub exponent_bits: u32,
    /// The seed of the random choices.
    pub seed: u64,
}

/// The numbers of comparisons in a run of the suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of programs.
    pub programs: usize,
    /// Number of members of all programs together.
    pub members: usize,
    /// Number of operations of all programs together.
    pub operations: usize,
    /// Number of members whose modulus the device does not serve.
    pub unserved: usize,
}

/// Runs the suite on a backend, or one device in one layout if the backend forces it, against the reference.
///
/// # Errors
/// The first program and member whose results differ, or an error of the engine.
pub fn conformance(backend: Backend, effort: &Effort) -> Result<Report, String> {
    let engine = Engine::new(backend).map_err(|error| error.to_string())?;
    conforms(engine, effort)
}

/// [`conformance`] for any engine.
pub(crate) fn conforms(engine: Engine, effort: &Effort) -> Result<Report, String> {
    let mut suite = Suite {
        tested: engine,
        reference: crate::testing::reference(),
        random: Random(effort.seed),
        report: Report::default(),
        exponent_bits: effort.exponent_bits,
    };
    let count = effort.sizes.len().max(1);
    for (index, &bits) in effort.sizes.iter().enumerate() {
        let field = match suite.field(bits) {
            Ok(field) => field,
            Err(EngineError::NoPlan { .. }) => continue,
            Err(error) => return Err(error.to_string()),
        };
        suite.every_operation(&field)?;
        suite.real_programs(&field)?;
        let programs = (effort.random_programs + index) / count;
        for _ in 0..programs {
            suite.random_program(&field)?;
        }
    }
    Ok(suite.report)
}

/// Random numbers that are the same in every run (Steele, Lea and Flood: `SplitMix`, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn bits(&mut self, bits: u32) -> BigUint {
        let words = (0..bits.div_ceil(32)).map(|_| self.next() as u32);
        BigUint::new(words.collect()) % (BigUint::from(1u32) << bits)
    }

    /// A number below `2^bits`: mostly random, often at an end of its range or with long runs of equal bits.
    fn edge(&mut self, bits: u32) -> BigUint {
        let one = BigUint::from(1u32);
        let all = (&one << bits) - &one;
        match self.below(8) {
            0 => BigUint::ZERO,
            1 => one,
            2 => all,
            3 => &one << (bits - 1),
            4 => all >> self.below(bits as usize),
            _ => self.bits(bits),
        }
    }
}

/// Primes for which devices have products of their own: of secp256k1, Curve25519 and P-256.
fn special_primes() -> impl Iterator<Item = BigUint> {
    let power = |exponent: u32| BigUint::from(1u32) << exponent;
    [
        power(256) - power(32) - 977u32,
        power(255) - 19u32,
        power(256) - power(224) + power(192) + power(96) - 1u32,
    ]
    .into_iter()
}

fn uint(x: &BigUint, bits: u32) -> BoxedUint {
    let bits = bits.next_multiple_of(64).max(64);
    BoxedUint::from_le_slice(&x.to_bytes_le(), bits).expect("it has at most so many bits")
}

/// The moduli of a size class, prepared for both engines.
struct Field {
    bits: u32,
    values: Vec<BigUint>,
    tested: Vec<Arc<Modulus>>,
    reference: Vec<Arc<Modulus>>,
    width: usize,
}

/// The numbers of one member.
#[derive(Clone)]
struct Numbers {
    modulus: usize,
    inputs: Vec<BoxedUint>,
    scalars: Vec<BoxedUint>,
    constants: Vec<BoxedUint>,
}

struct Suite {
    tested: Engine,
    reference: Engine,
    random: Random,
    report: Report,
    exponent_bits: u32,
}

/// The inputs, scalars and constants that a program takes from each member.
#[derive(Clone, Default)]
struct Takes {
    /// Bits of each input.
    inputs: Vec<u32>,
    /// Bits of each scalar.
    scalars: Vec<u32>,
    /// Forms of the constants, the powers of the Montgomery factor.
    constants: Vec<i32>,
}

type Build<'a> = &'a dyn Fn(&mut Builder);

impl Suite {
    /// The moduli of a class: its largest and least, one in the middle, random ones.
    fn field(&mut self, bits: u32) -> Result<Field, EngineError> {
        let one = BigUint::from(1u32);
        let step = if bits <= 64 { 1 } else { 63 };
        let mut values = vec![
            (&one << bits) - 1u32,
            (&one << (bits - 1)) + 1u32,
            (&one << (bits - step)) + 1u32,
        ];
        values.extend(special_primes().filter(|p| crate::size_class(p.bits() as u32) == bits));
        while values.len() < 8 {
            let ends = (&one << (bits - 1)) | &one;
            values.push(self.random.bits(bits) | ends);
        }
        let mut field = Field {
            bits,
            values: Vec::new(),
            tested: Vec::new(),
            reference: Vec::new(),
            width: 1,
        };
        for value in values {
            let integer = uint(&value, bits);
            let tested = match self.tested.modulus(&integer) {
                Ok(modulus) if modulus.class() != bits => continue,
                Ok(modulus) => modulus,
                Err(EngineError::NoPlan { .. }) => {
                    self.report.unserved += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            field.tested.push(tested);
            field.reference.push(self.reference.modulus(&integer)?);
            field.values.push(value);
        }
        if field.tested.is_empty() {
            return Err(EngineError::NoPlan {
                bits,
                condition: String::from("it serves none of the suite's moduli"),
            });
        }
        let explained = self.tested.explain(bits, 1000, 1)?;
        field.width = explained
            .groups
            .iter()
            .map(|g| g.layout.width())
            .max()
            .unwrap_or(1);
        Ok(field)
    }

    /// Numbers of a member, most of them at the ends of their ranges.
    fn numbers(&mut self, field: &Field, takes: &Takes) -> Numbers {
        let modulus = self.random.below(field.values.len());
        let p = &field.values[modulus];
        let mut integer = |bits: u32| {
            let near_p: BigUint = match self.random.below(12) {
                0 => p - 1u32,
                1 => p.clone(),
                2 => p + 1u32,
                3 => p >> 1u32,
                _ => self.random.edge(bits),
            };
            uint(&(near_p % (BigUint::from(1u32) << bits)), bits)
        };
        Numbers {
            inputs: takes.inputs.iter().map(|&bits| integer(bits)).collect(),
            constants: takes
                .constants
                .iter()
                .map(|_| integer(field.bits))
                .collect(),
            scalars: takes
                .scalars
                .iter()
                .map(|&bits| {
                    uint(
                        &(self.random.edge(bits.max(1)) % (BigUint::from(1u32) << bits)),
                        bits,
                    )
                })
                .collect(),
            modulus,
        }
    }

    /// Builds a program on both engines, runs it for a few counts of members around the width, and compares
    /// the results.
    fn check(
        &mut self,
        field: &Field,
        name: &'static str,
        takes: &Takes,
        build: Build<'_>,
    ) -> Result<(), String> {
        let key = || ProgramKey {
            bits: field.bits,
            kind: name,
            parameters: vec![self.report.programs as u64],
        };
        let refused = |error: EngineError| format!("{name}, {} bits: {error}", field.bits);
        let tested = self.tested.programs(key(), build).map_err(refused)?;
        let reference = self.reference.programs(key(), build).map_err(refused)?;
        self.report.programs += 1;
        let width = field.width;
        let mut counts = match self.report.programs % 4 {
            0 => vec![width],
            1 => vec![1, width],
            2 => vec![width + 1],
            _ => vec![width.max(2) - 1],
        };
        if width > 1 && self.report.programs.is_multiple_of(7) {
            counts.push(2);
        }
        for count in counts {
            let one_modulus = self.random.below(3) == 0;
            let members: Vec<Numbers> = (0..count)
                .map(|_| {
                    let mut numbers = self.numbers(field, takes);
                    if one_modulus {
                        numbers.modulus = 0;
                    }
                    numbers
                })
                .collect();
            let found = run(&self.tested, &tested, &field.tested, takes, &members);
            let expected = run(
                &self.reference,
                &reference,
                &field.reference,
                takes,
                &members,
            );
            let (found, expected) = (found.map_err(refused)?, expected.map_err(refused)?);
            for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
                self.report.members += 1;
                self.report.operations += tested.program().operations().len();
                if found != expected {
                    return Err(self.describe(field, name, &members, index, found, expected)
                        + &tested.program().to_string());
                }
            }
        }
        Ok(())
    }

    fn describe(
        &self,
        field: &Field,
        name: &str,
        members: &[Numbers],
        index: usize,
        found: &Outcome,
        expected: &Outcome,
    ) -> String {
        let numbers = &members[index];
        format!(
            "{}: {name}, {} bits, member {index} of {}: modulo {:x}, inputs {:x?}, scalars {:x?}, \
             constants {:x?}: {:x?}, {:?} instead of {:x?}, {:?}\n",
            self.tested.backend(),
            field.bits,
            members.len(),
            field.values[numbers.modulus],
            numbers.inputs,
            numbers.scalars,
            numbers.constants,
            found.integers,
            found.flags,
            expected.integers,
            expected.flags,
        )
    }

    /// Each operation by itself, and at the largest magnitudes.
    #[expect(clippy::too_many_lines, reason = "a list of short programs")]
    fn every_operation(&mut self, field: &Field) -> Result<(), String> {
        let bits = field.bits;
        let takes = |inputs: &[u32], scalars: &[u32], constants: &[i32]| Takes {
            inputs: inputs.to_vec(),
            scalars: scalars.to_vec(),
            constants: constants.to_vec(),
        };
        let (two, none) = (takes(&[bits, bits], &[], &[]), Takes::default());
        // Programs depend on what the tested device allows, not on the reference's wider limits:
        // a product of two products may be multiplied by `room`.
        let product = self.limits(field)?.product.weight();
        let room = self.limits(field)?.operands / (product * product);
        let pair = |b: &mut Builder| {
            let bits = b.bits();
            (b.input(bits), b.input(bits))
        };
        self.check(field, "multiply", &two, &|b| {
            let (x, y) = pair(b);
            let product = b.multiply(x, y);
            let large = b.scale(product, room.min(Builder::MAX_FACTOR.into()) as u32);
            let product = b.multiply(large, y);
            b.output(product);
        })?;
        self.check(field, "square", &two, &|b| {
            let (x, y) = pair(b);
            let square = b.square(x);
            b.output(square);
            let many = b.square_times(y, 5);
            b.output(many);
            let same = b.multiply(x, x);
            b.output(same);
        })?;
        self.check(field, "sum of products", &two, &|b| {
            let (x, y) = pair(b);
            for count in [1, 2, 5] {
                let term = |k| (k % 2 == 1, x, if k < 2 { y } else { x });
                let terms: Vec<_> = (0..count).map(term).collect();
                if count <= room {
                    let sum = b.sum_of_products(&terms);
                    b.output(sum);
                }
            }
            let negative = b.sum_of_products(&[(true, x, y)]);
            b.output(negative);
        })?;
        self.check(field, "add and subtract", &two, &|b| {
            let (x, y) = pair(b);
            let sum = b.add(x, y);
            b.output(sum);
            let difference = b.subtract(x, y);
            b.output(difference);
            let back = b.add(difference, y);
            b.equal(back, x);
            b.equal(x, y);
            let double = b.add(x, x);
            b.output(double);
            let nothing = b.subtract(x, x);
            b.is_zero(nothing);
        })?;
        self.check(field, "negate and scale", &two, &|b| {
            let (x, y) = pair(b);
            let negative = b.negate(x);
            b.output(negative);
            for factor in [1, 2, 3, 8, 127, Builder::MAX_FACTOR] {
                let one = b.montgomery_one();
                if u64::from(factor) <= room {
                    let multiple = b.scale(y, factor);
                    let product = b.multiply(multiple, one);
                    b.output(product);
                }
            }
            let zero = b.subtract(x, x);
            let zero = b.negate(zero);
            b.output(zero);
        })?;
        self.check(field, "is zero", &two, &|b| {
            let (x, y) = pair(b);
            b.is_zero(x);
            let product = b.multiply(x, y);
            b.is_zero(product);
            let negative = b.negate(x);
            let sum = b.add(x, negative);
            b.is_zero(sum);
        })?;
        let lengths = [bits / 2, bits, bits + 1, 2 * bits, 3 * bits + 64];
        self.check(
            field,
            "inputs of any length",
            &takes(&lengths, &[], &[]),
            &|b| {
                for length in lengths {
                    let x = b.input(length);
                    b.output(x);
                }
            },
        )?;
        self.check(field, "unreduced inputs", &two, &|b| {
            let (x, y) = (b.input_unreduced(bits), b.input_unreduced(bits));
            let one = b.montgomery_one();
            let x_plain = b.multiply(x, one);
            let index = b.output(x_plain);
            let again = b.output_again(index);
            b.equal(again, x);
            let difference = b.subtract(x, y);
            b.is_zero(difference);
        })?;
        self.check(field, "constants", &takes(&[], &[], &[0, 1, 2]), &|b| {
            let [plain, form, square] = [0, 1, 2].map(|form| b.own_constant(form));
            b.output(plain);
            b.output(form);
            let product = b.multiply(plain, square);
            b.output(product);
            let common = b.common(&BoxedUint::from(0x1234_5678_9abc_def1u64));
            let product = b.multiply(common, form);
            b.output(product);
            let one = b.one();
            b.output(one);
        })?;
        for secret in [true, false] {
            let name = if secret {
                "secret digits"
            } else {
                "public digits"
            };
            self.check(field, name, &takes(&[bits, bits], &[90], &[]), &|b| {
                let (x, y) = pair(b);
                let scalar = b.scalar("digits", 90, secret);
                for width in [1, 2, 3, 5] {
                    let stream = b.digits(scalar, Recoding::Windows { width });
                    let table = entries(b, x, y, 1 << width);
                    for position in [0, 3, b.digits_in(stream) - 1] {
                        let entry = b.select(table, stream, position);
                        let entry = b.reduced_integer(entry);
                        b.output(entry);
                    }
                    if !secret {
                        b.store_at(table, stream, 1, y);
                        for entry in 0..1 << width {
                            let x = b.load(table, entry);
                            let x = b.reduced_integer(x);
                            b.output(x);
                        }
                    }
                }
                let stream = b.digits(scalar, Recoding::BITS);
                choices(b, x, y, stream);
                let comb = Recoding::Comb {
                    teeth: 4,
                    spacing: 23,
                };
                let stream = b.digits(scalar, comb);
                let table = entries(b, y, x, 16);
                for position in [0, 22] {
                    let entry = b.select(table, stream, position);
                    b.output(entry);
                }
            })?;
        }
        for secret in [true, false] {
            let name = if secret {
                "secret digits of constants"
            } else {
                "public digits of constants"
            };
            self.check(field, name, &takes(&[], &[90], &[1; 24]), &|b| {
                let scalar = b.scalar("digits", 90, secret);
                let tables = [8, 1, 15].map(|entries| b.own_table(entries, 1));
                let first = b.load_own(tables[1], 0);
                b.output(first);
                let windows = b.digits(scalar, Recoding::Windows { width: 3 });
                let magnitudes = b.digits(scalar, Recoding::OddMagnitudes { width: 4 });
                let signs = b.digits(scalar, Recoding::OddSigns { width: 4 });
                for position in [0, 5, 22] {
                    for (table, stream) in [(0, windows), (2, windows), (0, magnitudes)] {
                        let entry = b.select_own(tables[table], stream, position);
                        b.output(entry);
                        let signed = b.negate_if(entry, signs, position);
                        b.output(signed);
                    }
                }
            })?;
        }
        self.check(field, "one", &none, &|b| {
            let one = b.montgomery_one();
            b.output(one);
        })
    }

    /// The programs that the engine serves.
    fn real_programs(&mut self, field: &Field) -> Result<(), String> {
        let (bits, length) = (field.bits, self.exponent_bits);
        let takes = |inputs: usize, scalars: &[u32]| Takes {
            inputs: vec![bits; inputs],
            scalars: scalars.to_vec(),
            constants: Vec::new(),
        };
        for secret in [true, false] {
            let name = if secret {
                "secret power"
            } else {
                "public power"
            };
            for length in [0, 1, 63, length] {
                self.check(field, name, &takes(1, &[length]), &|b| {
                    let x = b.input(bits);
                    let e = b.scalar("exponent", length, secret);
                    let power = power::fixed_window(b, x, e);
                    b.output(power);
                })?;
            }
        }
        for exponent in [
            0u64,
            1,
            2,
            3,
            65_537,
            0xffff_ffff_ffff_ffff,
            0x8000_0000_0000_0001,
        ] {
            self.check(field, "fixed power", &takes(1, &[]), &|b| {
                let x = b.input_unreduced(bits);
                let square = b.montgomery_square();
                let form = b.multiply(x, square);
                let power = power::public(b, form, x, &BoxedUint::from(exponent));
                b.output(power);
            })?;
        }
        for (count, secret) in [(1, true), (2, true), (3, false)] {
            let length = length.min(70);
            self.check(field, "straus", &takes(count, &vec![length; count]), &|b| {
                let terms = terms(b, count, length, secret);
                let product = straus(b, &terms);
                b.output(product);
            })?;
        }
        for count in [1, 4, 13] {
            let length = length.min(40);
            self.check(
                field,
                "pippenger",
                &takes(count, &vec![length; count]),
                &|b| {
                    let terms = terms(b, count, length, false);
                    let product = pippenger(b, &terms);
                    b.output(product);
                },
            )?;
        }
        self.inverses(field)?;
        self.fixed_base(field)
    }

    /// Products as in Montgomery's trick around a power with an exponent of the members' own. (An inversion that is noted as one
    /// needs a prime P; a power gives the same on all devices.)
    fn inverses(&mut self, field: &Field) -> Result<(), String> {
        let bits = field.bits;
        let length = self.exponent_bits.min(bits);
        let takes = Takes {
            inputs: vec![bits; 4],
            scalars: vec![length],
            constants: Vec::new(),
        };
        self.check(field, "shared inverses", &takes, &|b| {
            let numbers = [(); 4].map(|()| b.input(bits));
            let exponent = b.scalar("P - 2", length, true);
            let inverses = inverse::shared(b, &numbers, |b, x| power::fixed_window(b, x, exponent));
            for inverse in inverses {
                b.output(inverse);
            }
        })
    }

    /// A comb with a table that the tested engine makes and the reference checks.
    fn fixed_base(&mut self, field: &Field) -> Result<(), String> {
        let bits = field.bits;
        let comb = Comb::new(self.exponent_bits.min(120), 40);
        let takes = Takes {
            inputs: vec![bits],
            ..Takes::default()
        };
        self.check(field, "comb table", &takes, &|b| comb.prepare(b))?;
        // Any table serves the comparison.
        let takes = Takes {
            inputs: Vec::new(),
            scalars: vec![comb.bits],
            constants: vec![1; comb.entries()],
        };
        self.check(field, "comb", &takes, &|b| {
            let exponent = b.scalar("exponent", comb.bits, true);
            let power = comb.power(b, exponent);
            b.output(power);
        })
    }

    /// Random operations on random registers; most magnitudes are at the limit.
    fn random_program(&mut self, field: &Field) -> Result<(), String> {
        let limits = self.limits(field)?;
        let steps = 4 + self.random.below(26);
        let takes = Takes {
            inputs: vec![field.bits, field.bits, 2 * field.bits],
            scalars: vec![64, 40],
            constants: vec![1, 1],
        };
        let mut recipe = Recipe::default();
        {
            // Chosen on a builder with the tested device's limits, so that the reference, whose
            // limits are wider, gets the same program.
            let mut builder = Builder::new("trial", field.bits, limits, 48);
            let mut values = Recipe::begin(&mut builder, &takes);
            for _ in 0..steps {
                let step = Step::random(&mut self.random, &builder, &values.all);
                step.apply(&mut builder, &mut values);
                recipe.steps.push(step);
            }
        }
        let recipe = &recipe;
        self.check(field, "random program", &takes.clone(), &move |b| {
            let mut values = Recipe::begin(b, &takes);
            for step in &recipe.steps {
                step.apply(b, &mut values);
            }
            for &value in values.all.iter().rev().take(4) {
                b.output(value);
            }
            if let [.., x, y] = values.all[..] {
                b.equal(x, y);
            }
        })
    }

    /// The limits of the tested device for a size.
    fn limits(&self, field: &Field) -> Result<Limits, String> {
        let key = ProgramKey {
            bits: field.bits,
            kind: "one, for its limits",
            parameters: Vec::new(),
        };
        let programs = self.tested.programs(key, |b| {
            let one = b.one();
            b.output(one);
        });
        let programs = programs.map_err(|error| error.to_string())?;
        Ok(*programs.program().limits())
    }
}

/// Runs a program for members.
fn run(
    engine: &Engine,
    programs: &Arc<Programs>,
    moduli: &[Arc<Modulus>],
    takes: &Takes,
    members: &[Numbers],
) -> Result<Vec<Outcome>, EngineError> {
    let constants = members
        .iter()
        .map(|member| {
            let constants: Vec<_> = member
                .constants
                .iter()
                .zip(takes.constants.iter().copied())
                .collect();
            let none = constants.is_empty();
            (!none)
                .then(|| engine.constants(&moduli[member.modulus], &constants))
                .transpose()
        })
        .collect::<Result<Vec<Option<Arc<Constants>>>, EngineError>>()?;
    let jobs: Vec<Job<'_>> = members
        .iter()
        .zip(&constants)
        .map(|(member, constants)| Job {
            programs,
            modulus: &moduli[member.modulus],
            constants: constants.as_ref(),
            inputs: member.inputs.iter().collect(),
            scalars: member.scalars.iter().collect(),
        })
        .collect();
    engine.execute(&jobs)
}

/// Whether a sum of these products is within the limits.
fn fits_limits(builder: &Builder, terms: &[(bool, Value, Value)]) -> bool {
    let weight = |x| {
        builder
            .magnitude(x)
            .map_or(u64::MAX, |x: Magnitude| x.weight())
    };
    let sum: u128 = terms
        .iter()
        .map(|&(_, x, y)| u128::from(weight(x)) * u128::from(weight(y)))
        .sum();
    sum <= builder.limits().operands.into()
}

/// A table of different entries made from two numbers.
fn entries(builder: &mut Builder, x: Value, y: Value, count: usize) -> crate::program::Table {
    let mut entry = x;
    let table = builder.table(count);
    for index in 0..count {
        builder.store(table, index, entry);
        entry = builder.multiply(entry, y);
    }
    table
}

/// Choices by bits of a stream.
fn choices(builder: &mut Builder, x: Value, y: Value, stream: Stream) {
    for position in [0, 7, 89] {
        let chosen = builder.choose(x, y, stream, position);
        builder.output(chosen);
        let signed = builder.negate_if(x, stream, position);
        builder.output(signed);
        for value in builder.swap_if(x, y, stream, position) {
            builder.output(value);
        }
    }
}

/// Bases and exponents for a product of powers.
fn terms(
    builder: &mut Builder,
    count: usize,
    bits: u32,
    secret: bool,
) -> Vec<(Value, crate::program::Scalar)> {
    let size = builder.bits();
    (0..count)
        .map(|_| {
            (
                builder.input(size),
                builder.scalar("exponent", bits, secret),
            )
        })
        .collect()
}

/// The steps of a random program.
#[derive(Default)]
struct Recipe {
    steps: Vec<Step>,
}

/// The values that a random program has made so far, all in Montgomery form.
struct Values {
    all: Vec<Value>,
    bits: Stream,
    digits: [Stream; 2],
}

impl Recipe {
    fn begin(builder: &mut Builder, takes: &Takes) -> Values {
        let mut all: Vec<Value> = takes
            .inputs
            .iter()
            .map(|&bits| builder.input(bits))
            .collect();
        all.extend(
            takes
                .constants
                .iter()
                .map(|&form| builder.own_constant(form)),
        );
        let secret = builder.scalar("secret", takes.scalars[0], true);
        let public = builder.scalar("public", takes.scalars[1], false);
        Values {
            all,
            bits: builder.digits(secret, Recoding::BITS),
            digits: [
                builder.digits(secret, Recoding::Windows { width: 2 }),
                builder.digits(public, Recoding::Windows { width: 2 }),
            ],
        }
    }
}

/// A step of a random program, by the places of its operands.
enum Step {
    Multiply(usize, usize),
    /// x, times a factor as large as the limits allow, times y.
    AtTheLimit(usize, usize, u32),
    Square(usize, u32),
    Sum(Vec<(bool, usize, usize)>),
    Add(usize, usize),
    Subtract(usize, usize),
    Negate(usize),
    Scale(usize, u32),
    Choose(usize, usize, u32),
    Swap(usize, usize, u32),
    Select([usize; 4], usize, u32),
    StoreAt([usize; 4], usize, u32),
    Reduce(usize),
}

impl Step {
    fn random(random: &mut Random, builder: &Builder, values: &[Value]) -> Self {
        // Prefers late values, which depend on more operations.
        let mut pick = || {
            let back = random.below(values.len()).min(random.below(values.len()));
            values.len() - 1 - back
        };
        let (x, y) = (pick(), pick());
        let four = [x, y, pick(), pick()];
        let weight = |x: usize| builder.magnitude(values[x]).map_or(1, |m| m.weight());
        let fits = |terms: &[(bool, usize, usize)]| {
            let terms: Vec<_> = terms
                .iter()
                .map(|&(n, x, y)| (n, values[x], values[y]))
                .collect();
            fits_limits(builder, &terms)
        };
        let limit = builder.limits().operands;
        // A value too large even for a product with 1 is of no use.
        let small = |weight: u64| weight < limit / builder.limits().product.weight();
        match random.below(14) {
            0 | 1 if fits(&[(false, x, y)]) => Self::Multiply(x, y),
            2 if fits(&[(false, x, y)]) => {
                let factor = limit / (weight(x) * weight(y)).max(1);
                Self::AtTheLimit(x, y, factor.clamp(1, Builder::MAX_FACTOR.into()) as u32)
            }
            3 if fits(&[(false, x, x)]) => Self::Square(x, 1 + random.below(3) as u32),
            4 | 5 => {
                let mut terms = Vec::new();
                for k in 0..=random.below(6) {
                    let term = (random.below(2) == 1, four[k % 4], four[(k + k / 2 + 1) % 4]);
                    terms.push(term);
                    if !fits(&terms) {
                        terms.pop();
                        break;
                    }
                }
                if terms.is_empty() {
                    Self::Reduce(x)
                } else {
                    Self::Sum(terms)
                }
            }
            6 if small(weight(x) + weight(y)) => Self::Add(x, y),
            7 if small(weight(x) + weight(y)) => Self::Subtract(x, y),
            8 => Self::Negate(x),
            9 => {
                let factor = 1 + random.below(9) as u32;
                if small(weight(x) * u64::from(factor)) {
                    Self::Scale(x, factor)
                } else {
                    Self::Reduce(x)
                }
            }
            10 => Self::Choose(x, y, random.below(64) as u32),
            11 => Self::Swap(x, y, random.below(64) as u32),
            12 => Self::Select(four, random.below(2), random.below(20) as u32),
            13 => Self::StoreAt(four, y, random.below(20) as u32),
            _ => Self::Reduce(x),
        }
    }

    fn apply(&self, builder: &mut Builder, values: &mut Values) {
        let get = |x: &usize| values.all[*x];
        let result = match self {
            Self::Multiply(x, y) => builder.multiply(get(x), get(y)),
            Self::AtTheLimit(x, y, factor) => {
                let x = builder.scale(get(x), *factor);
                builder.multiply(x, get(y))
            }
            Self::Square(x, times) => builder.square_times(get(x), *times),
            Self::Sum(terms) => {
                let terms: Vec<_> = terms.iter().map(|(n, x, y)| (*n, get(x), get(y))).collect();
                builder.sum_of_products(&terms)
            }
            Self::Add(x, y) => builder.add(get(x), get(y)),
            Self::Subtract(x, y) => builder.subtract(get(x), get(y)),
            Self::Negate(x) => builder.negate(get(x)),
            Self::Scale(x, factor) => builder.scale(get(x), *factor),
            Self::Choose(x, y, bit) => builder.choose(get(x), get(y), values.bits, *bit),
            Self::Swap(x, y, bit) => {
                let [x, y] = builder.swap_if(get(x), get(y), values.bits, *bit);
                values.all.push(x);
                y
            }
            Self::Select(entries, stream, digit) => {
                let table = builder.table_of(&entries.each_ref().map(get));
                builder.select(table, values.digits[*stream], *digit)
            }
            Self::StoreAt(entries, x, digit) => {
                let table = builder.table_of(&entries.each_ref().map(get));
                builder.store_at(table, values.digits[1], *digit, get(x));
                let first = builder.load(table, 0);
                values.all.push(first);
                builder.load(table, 3)
            }
            Self::Reduce(x) => {
                let square = builder.montgomery_square();
                let one = builder.one();
                let one = builder.multiply(one, square);
                builder.multiply(get(x), one)
            }
        };
        values.all.push(result);
    }
}
