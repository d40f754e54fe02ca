//! Arithmetic modulo the order of the base point on hashes and secret scalars, by programs. Constant
//! time.

use super::super::edwards::prepared::PreparedEdwardsCurve;
use crypto_bigint::{BoxedUint, CtLt};
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value};
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};
use zeroize::{Zeroize, Zeroizing};

/// The integer of a hash, little-endian.
pub(super) fn integer(hash: &[u8]) -> Zeroizing<BoxedUint> {
    let integer = BoxedUint::from_le_slice(hash, 8 * hash.len() as u32);
    Zeroizing::new(integer.expect("the precision is the slice's"))
}

/// The integers of hashes modulo the orders of their curves, and below them.
pub(super) fn reduced(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, &BoxedUint)],
) -> Result<Vec<Zeroizing<BoxedUint>>, EngineError> {
    let work = numbers.iter().map(|&(curve, number)| (curve, vec![number]));
    run(engine, &work.collect::<Vec<_>>(), reduction)
}

/// `x + h y` modulo the order, and below it, of x, h and y each, where h is the integer of a hash, and x
/// and y are below the order.
pub(super) fn combined(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, [&BoxedUint; 3])],
) -> Result<Vec<Zeroizing<BoxedUint>>, EngineError> {
    let work = numbers
        .iter()
        .map(|&(curve, numbers)| (curve, numbers.to_vec()));
    run(engine, &work.collect::<Vec<_>>(), combination)
}

/// The only output of a program for each number. A fault may leave one that is not below the order: it
/// becomes 0.
fn run(
    engine: &Engine,
    work: &[(&PreparedEdwardsCurve, Vec<&BoxedUint>)],
    program: impl Fn(&PreparedEdwardsCurve) -> Result<Arc<Programs>, EngineError>,
) -> Result<Vec<Zeroizing<BoxedUint>>, EngineError> {
    let programs = work.iter().map(|(curve, _)| program(curve));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = work
        .iter()
        .zip(&programs)
        .map(|((curve, inputs), programs)| Job {
            programs,
            modulus: curve.order(),
            constants: None,
            inputs: inputs.clone(),
            scalars: Vec::new(),
        });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let numbers = work.iter().zip(outcomes).map(|((curve, _), mut outcome)| {
        let mut number = outcome.integers.swap_remove(0);
        if !number.ct_lt(&curve.parameters().order).to_bool() {
            number.zeroize();
        }
        number
    });
    Ok(numbers.collect())
}

/// Number of bits of a hash.
fn hash_bits(curve: &PreparedEdwardsCurve) -> u32 {
    16 * curve.curve().encoded_bytes() as u32
}

fn key(curve: &PreparedEdwardsCurve, kind: &'static str) -> ProgramKey {
    ProgramKey {
        bits: curve.order().class(),
        kind,
        parameters: vec![hash_bits(curve).into()],
    }
}

fn reduction(curve: &PreparedEdwardsCurve) -> Result<Arc<Programs>, EngineError> {
    curve
        .engine()
        .programs(key(curve, "eddsa-reduction"), |builder| {
            let number = builder.input(hash_bits(curve));
            builder.output(number);
        })
}

fn combination(curve: &PreparedEdwardsCurve) -> Result<Arc<Programs>, EngineError> {
    let key = key(curve, "eddsa-combination");
    curve.engine().programs(key, |builder| {
        let [x, h, y] = factors(builder, hash_bits(curve));
        let one = builder.montgomery_one();
        let sum = builder.sum_of_products(&[(false, y, h), (false, x, one)]);
        builder.output(sum);
    })
}

/// The values x and y as they are, and h in Montgomery form.
fn factors(builder: &mut Builder, hash_bits: u32) -> [Value; 3] {
    let bits = builder.bits();
    let x = builder.input_unreduced(bits);
    let h = builder.input(hash_bits);
    let y = builder.input_unreduced(bits);
    [x, h, y]
}
