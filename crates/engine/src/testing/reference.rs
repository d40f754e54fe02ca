//! The reference device, which specifies every operation: an interpreter on big integers, for
//! tests.
//!
//! Registers hold canonical numbers modulo P. There are no Montgomery factors, because the builder
//! ensures that they cancel out. Tests compare the other devices with this one.

use core::any::Any;

use crypto_bigint::{BoxedUint, Odd};
use num_bigint::BigUint;
use zeroize::Zeroizing;

use crate::{
    EngineError,
    device::{Device, DeviceError, Member, Outcome, PlanSummary, Work},
    kept::{Kept, Prepared, own},
    layout::Layout,
    program::{Constant, Input, Limits, Magnitude, Multiple, Operation, Part, Program, piece_bits},
};
use sunzi_program::seal::Checksum;

/// The reference device.
pub(crate) struct Reference;

// Its numbers are not sealed: it serves tests only.
impl Kept for BigUint {
    fn add_part(&self, _: Part, _: &mut Checksum) {}
}

impl Kept for Vec<BigUint> {
    fn add_part(&self, _: Part, _: &mut Checksum) {}
}

fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

impl Device for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn unit(&self) -> &'static str {
        "limbs"
    }

    fn layouts(&self, _: u32) -> Vec<Layout> {
        vec![Layout::Single]
    }

    fn limits(&self, _: u32) -> Result<Limits, EngineError> {
        Ok(Limits {
            product: Magnitude::interval(-1, 1),
            operands: 1 << 60,
            signed: true,
            folded: None,
        })
    }

    fn entries_per_product(&self, _: u32) -> u32 {
        48
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        Ok(PlanSummary::of_limbs(bits, 1, bits, 1))
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], _: u32) -> Vec<Result<Prepared, EngineError>> {
        let prepare = |modulus: &&Odd<BoxedUint>| Ok(Box::new(big(modulus)) as Prepared);
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        _: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        _: &[i32],
    ) -> Prepared {
        Box::new(integers.iter().map(|x| big(x)).collect::<Vec<_>>())
    }

    fn limits_of(&self, _: &(dyn Any + Send + Sync)) -> Limits {
        Limits {
            product: Magnitude::interval(-1, 1),
            operands: 1 << 60,
            signed: true,
            folded: None,
        }
    }

    fn group_key(&self, _: &(dyn Any + Send + Sync)) -> usize {
        0
    }

    fn product_ns(&self, _: Layout, bits: u32) -> f64 {
        f64::from(bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        let run = |member| execute(work.program, member);
        Ok(work.members.iter().map(run).collect())
    }
}

/// The value of a constant for a member.
fn value_of(constant: Constant, program: &Program, member: &Member<'_>) -> BigUint {
    match constant {
        Constant::One | Constant::MontgomerySquare => BigUint::from(1u32),
        Constant::Common(k) => {
            let words = program.common()[k as usize].iter().copied();
            big(&BoxedUint::from_words(words))
        }
        Constant::Own(k) => {
            let constants = member.constants.map(own::<Vec<BigUint>>);
            constants.map_or(BigUint::ZERO, |constants| constants[k as usize].clone())
        }
    }
}

/// An integer below P, in as many words as P has.
fn boxed(x: &BigUint, p: &BigUint) -> Zeroizing<BoxedUint> {
    let words = p.bits().div_ceil(crypto_bigint::Word::BITS.into()) as u32;
    let integer = BoxedUint::from_le_slice(&x.to_bytes_le(), words * crypto_bigint::Word::BITS);
    Zeroizing::new(integer.expect("it is below P"))
}

/// A multiple of x modulo P, up to P.
fn multiple(x: &BigUint, factor: i32, p: &BigUint) -> BigUint {
    let multiple = x * factor.unsigned_abs() % p;
    if factor < 0 { p - multiple } else { multiple }
}

/// Executes a program for one member.
fn execute(program: &Program, member: &Member<'_>) -> Outcome {
    let p: &BigUint = own(member.modulus);
    let mut registers = vec![BigUint::ZERO; program.registers()];
    let mut tables: Vec<Vec<BigUint>> = (program.tables().iter())
        .map(|&entries| vec![BigUint::ZERO; entries])
        .collect();
    let mut outcome = Outcome::default();
    let digit = |stream: crate::program::Stream, position: u32| {
        let info = &program.streams()[stream.index()];
        let scalar = member.scalars[info.scalar as usize].as_words();
        info.recoding.digit(scalar, position) as usize
    };
    for operation in program.operations() {
        let get = |register: crate::program::Register| registers[register.index()].clone();
        let value = match operation {
            Operation::Enter { input, piece, .. } => {
                let integer = match input {
                    Input::Given(k) => big(member.inputs[*k as usize]),
                    Input::Output(k) => big(&outcome.integers[*k as usize]),
                };
                let bits = piece_bits(program.bits());
                (integer >> (piece * bits)) % (BigUint::from(1u32) << bits)
            }
            Operation::Constant { constant, .. } => value_of(*constant, program, member),
            Operation::Multiply { x, y, .. } => get(*x) * get(*y),
            Operation::Square { x, times, .. } => {
                (0..*times).fold(get(*x), |square, _| &square * &square % p)
            }
            Operation::SumOfProducts { terms, .. } => {
                let term = |term: &crate::program::Product| {
                    let product = get(term.x) * get(term.y) % p;
                    if term.negative { p - product } else { product }
                };
                terms.iter().map(term).sum()
            }
            Operation::Combine { terms, .. } => {
                let term = |term: &Multiple| multiple(&get(term.x), term.factor, p);
                terms.iter().map(term).sum()
            }
            Operation::Choose {
                x,
                y,
                stream,
                position,
                ..
            } => get(if digit(*stream, *position) == 1 {
                *y
            } else {
                *x
            }),
            Operation::Load { table, entry, .. } => tables[table.index()][*entry as usize].clone(),
            Operation::Select {
                table,
                stream,
                position,
                ..
            } => tables[table.index()][digit(*stream, *position)].clone(),
            Operation::SelectOwn {
                table,
                stream,
                position,
                ..
            } => {
                let k = table.first + digit(*stream, *position) as u32;
                value_of(Constant::Own(k), program, member)
            }
            Operation::Store { table, entry, x } => {
                tables[table.index()][*entry as usize] = get(*x);
                continue;
            }
            Operation::StoreAt {
                table,
                stream,
                position,
                x,
            } => {
                tables[table.index()][digit(*stream, *position)] = get(*x);
                continue;
            }
            Operation::Output { x, .. } => {
                outcome.integers.push(boxed(&get(*x), p));
                continue;
            }
            Operation::IsZero { x, .. } => {
                outcome.flags.push(get(*x) == BigUint::ZERO);
                continue;
            }
        };
        if let Some(out) = operation.out() {
            registers[out.index()] = value % p;
        }
    }
    outcome
}
