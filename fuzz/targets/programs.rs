//! Random calls of the builder. Building ends in a program or in an error, and what one device's
//! limits permit computes on it what the reference computes.

#![no_main]

use arbitrary::{Result, Unstructured};
use crypto_bigint::BoxedUint;
use libfuzzer_sys::fuzz_target;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use sunzi_engine::program::{
    Builder, ProgramError, Recoding, Scalar, Stream, Table, Value, fixed_base::Comb, inverse,
    multi_power, power,
};
use sunzi_engine::{Backend, Engine, EngineError, Job, Modulus, ProgramKey, Programs, testing};

static REFERENCE: LazyLock<Engine> = LazyLock::new(testing::reference);

static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let present = Backend::ALL
        .iter()
        .filter(|backend| backend.check().is_ok());
    let backends = present.copied().chain(testing::layouts().0);
    backends
        .map(|backend| Engine::new(backend).expect("it is present"))
        .collect()
});

/// The most calls of the builder, and the most operations of a program that is run.
const MAX_CALLS: usize = 60;
const MAX_OPERATIONS: usize = 20_000;
/// The longest scalar of powers, in bits.
const MAX_EXPONENT: u32 = 130;

/// What the calls before have returned, and what the program takes.
struct Made {
    values: Vec<Value>,
    tables: Vec<(Table, usize)>,
    scalars: Vec<Scalar>,
    streams: Vec<Stream>,
    outputs: u32,
    inputs: Vec<u32>,
    scalar_bits: Vec<u32>,
    forms: Vec<i32>,
}

fuzz_target!(|input: &[u8]| {
    let _ = run(&mut Unstructured::new(input));
});

/// Builds a program on a device and on the reference, and compares what they compute.
fn run(random: &mut Unstructured<'_>) -> Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let engine = &ENGINES[random.choose_index(ENGINES.len())?];
    let bits = *random.choose(&[64, 128, 192, 256, 320, 448, 0, 1, 100, 1 << 20, u32::MAX])?;
    let numbers = random.arbitrary::<[u64; 16]>()?;
    let calls = random.bytes(random.len())?;
    let takes = Cell::new(None);
    let build = |builder: &mut Builder| {
        takes.set(Some(call(builder, &mut Unstructured::new(calls))));
    };
    let key = || ProgramKey {
        bits,
        kind: "fuzz",
        parameters: vec![COUNT.fetch_add(1, Ordering::Relaxed)],
    };
    let Ok(tested) = engine.programs(key(), build) else {
        return Ok(());
    };
    let reference = match REFERENCE.programs(key(), build) {
        Ok(reference) => reference,
        // A device that folds has reduced a sum of integers before its product with another integer.
        Err(EngineError::Program(ProgramError::TwoIntegers { .. })) => return Ok(()),
        Err(error) => panic!("the reference has wider limits: {error}"),
    };
    let Some(takes) = takes.take() else {
        return Ok(());
    };
    let program = tested.program();
    // Printing it must not panic.
    let text = program.to_string();
    let inputs_are_short = takes.inputs.iter().all(|&bits| bits <= 1 << 14);
    let scalars_are_short = takes.scalar_bits.iter().all(|&bits| bits <= 1 << 14);
    let counts = program.counts();
    let work = counts.products + counts.terms + counts.read + counts.linear;
    if work > MAX_OPERATIONS as u64 || !inputs_are_short || !scalars_are_short {
        return Ok(());
    }
    let members: Vec<[u64; 16]> = (0..3)
        .map(|k| numbers.map(|word| word.rotate_left(9 * k)))
        .collect();
    let (Some(found), Some(expected)) = (
        execute(engine, &tested, bits, &takes, &members),
        execute(&REFERENCE, &reference, bits, &takes, &members),
    ) else {
        return Ok(());
    };
    assert_eq!(found, expected, "{}, {bits} bits: {text}", engine.backend());
    Ok(())
}

/// An integer of at most `bits` bits made of these words.
fn integer(words: &[u64; 16], shift: usize, bits: u32) -> BoxedUint {
    let precision = bits.next_multiple_of(64).max(64);
    let bytes = (0..precision as usize / 8).map(|k| {
        let word = words[(k / 8 + shift) % words.len()];
        (word >> (8 * (k % 8))) as u8
    });
    let bytes: Vec<u8> = bytes.collect();
    let integer = BoxedUint::from_le_slice(&bytes, precision).expect("it is the slice's length");
    integer.wrapping_shr_vartime(precision - bits)
}

/// What the program puts out for each member; `None` if the engine does not serve a modulus.
fn execute(
    engine: &Engine,
    programs: &Arc<Programs>,
    bits: u32,
    takes: &Made,
    members: &[[u64; 16]],
) -> Option<Vec<(Vec<Vec<u8>>, Vec<bool>)>> {
    let modulus = |words: &[u64; 16]| -> Option<Arc<Modulus>> {
        let mut modulus = integer(words, 0, bits);
        modulus.as_mut_words()[0] |= 1;
        let top = modulus.as_words().len() - 1;
        modulus.as_mut_words()[top] |= 1 << 63;
        engine.modulus(&modulus).ok()
    };
    let moduli = members.iter().map(modulus).collect::<Option<Vec<_>>>()?;
    let make = |sizes: &[u32], shift: usize| -> Vec<Vec<BoxedUint>> {
        let of = |words: &[u64; 16]| {
            let sized = sizes.iter().enumerate();
            sized
                .map(|(k, &bits)| integer(words, k + shift, bits))
                .collect()
        };
        members.iter().map(of).collect()
    };
    let inputs = make(&takes.inputs, 1);
    let scalars = make(&takes.scalar_bits, 5);
    let integers = make(&vec![bits; takes.forms.len()], 9);
    let constants = integers.iter().zip(&moduli).map(|(integers, modulus)| {
        let with_forms: Vec<_> = integers.iter().zip(takes.forms.iter().copied()).collect();
        engine.constants(modulus, &with_forms)
    });
    let constants: Vec<_> = constants
        .collect::<core::result::Result<_, _>>()
        .expect("the builder allows the forms that the engine does");
    let jobs: Vec<Job<'_>> = (0..members.len())
        .map(|k| Job {
            programs,
            modulus: &moduli[k],
            constants: Some(&constants[k]),
            inputs: inputs[k].iter().collect(),
            scalars: scalars[k].iter().collect(),
        })
        .collect();
    let outcomes = match engine.execute(&jobs) {
        Ok(outcomes) => outcomes,
        // A single layout may not serve a modulus.
        Err(sunzi_engine::EngineError::NoPlan { .. }) if engine.backend().layout().is_some() => {
            return None;
        }
        Err(error) => panic!("{}: {error}\n{}", engine.backend(), programs.program()),
    };
    let outcomes = outcomes.iter().map(|outcome| {
        let trimmed = |integer: &BoxedUint| {
            let bytes = integer.to_be_bytes();
            let start = bytes.iter().position(|&byte| byte != 0);
            bytes[start.unwrap_or(bytes.len())..].to_vec()
        };
        let integers = outcome.integers.iter().map(|x| trimmed(x)).collect();
        (integers, outcome.flags.clone())
    });
    Some(outcomes.collect())
}

/// Calls the builder as the bytes say.
fn call(builder: &mut Builder, random: &mut Unstructured<'_>) -> Made {
    let mut made = Made {
        values: Vec::new(),
        tables: Vec::new(),
        scalars: Vec::new(),
        streams: Vec::new(),
        outputs: 0,
        inputs: Vec::new(),
        scalar_bits: Vec::new(),
        forms: Vec::new(),
    };
    for _ in 0..MAX_CALLS {
        if random.is_empty() || one_call(builder, random, &mut made).is_err() {
            break;
        }
    }
    if let (0, Some(&last)) = (made.outputs, made.values.last()) {
        builder.output(last);
    }
    made
}

/// A number that is mostly small and sometimes any.
fn number(random: &mut Unstructured<'_>, usual: u32) -> Result<u32> {
    match random.arbitrary::<u8>()? {
        0 => random.arbitrary(),
        _ => random.int_in_range(0..=usual),
    }
}

/// Calls the builder once.
fn one_call(builder: &mut Builder, random: &mut Unstructured<'_>, made: &mut Made) -> Result<()> {
    let which = random.int_in_range(0..=33)?;
    if made.values.is_empty() || which < 3 {
        let value = leaf(builder, random, made)?;
        made.values.push(value);
        return Ok(());
    }
    let count = made.values.len();
    let values = made.values.clone();
    let any = |random: &mut Unstructured<'_>| -> Result<Value> {
        // Recent values more often, so that chains grow.
        let back = random.int_in_range(0..=count.min(4) - 1)?;
        Ok(match random.ratio(1, 4)? {
            true => *random.choose(&values)?,
            false => values[count - 1 - back],
        })
    };
    let new = match which {
        3..=5 => builder.multiply(any(random)?, any(random)?),
        6 => builder.square(any(random)?),
        7 => builder.square_times(any(random)?, number(random, 12)?),
        8..=10 => builder.add(any(random)?, any(random)?),
        11 | 12 => builder.subtract(any(random)?, any(random)?),
        13 => builder.negate(any(random)?),
        14 => builder.scale(any(random)?, number(random, 9)?),
        15 | 16 => {
            let mut terms = Vec::new();
            for _ in 0..random.int_in_range(0..=4)? {
                terms.push((random.arbitrary()?, any(random)?, any(random)?));
            }
            builder.sum_of_products(&terms)
        }
        17 => builder.reduced_integer(any(random)?),
        18 => {
            made.outputs += 1;
            builder.output(any(random)?);
            return Ok(());
        }
        19 => {
            made.outputs += 1;
            builder.is_zero(any(random)?);
            return Ok(());
        }
        20 => {
            made.outputs += 1;
            builder.equal(any(random)?, any(random)?);
            return Ok(());
        }
        21 => builder.output_again(number(random, 2)?),
        // Digits and tables.
        22 => {
            let (bits, secret) = (number(random, 140)?, random.arbitrary()?);
            made.scalars.push(builder.scalar("scalar", bits, secret));
            made.scalar_bits.push(bits);
            return Ok(());
        }
        23 => {
            let Some(&scalar) = made.scalars.last() else {
                return Ok(());
            };
            let recoding = match random.arbitrary()? {
                true => Recoding::Windows {
                    width: number(random, 5)?,
                },
                false => Recoding::Comb {
                    teeth: number(random, 5)?,
                    spacing: number(random, 40)?,
                },
            };
            made.streams.push(builder.digits(scalar, recoding));
            return Ok(());
        }
        24 => {
            let mut entries = Vec::new();
            for _ in 0..random.int_in_range(0..=9)? {
                entries.push(any(random)?);
            }
            made.tables
                .push((builder.table_of(&entries), entries.len()));
            return Ok(());
        }
        25 => {
            let entries = number(random, 16)? as usize;
            made.tables.push((builder.table(entries), entries));
            return Ok(());
        }
        26..=30 => {
            let (Some(&(table, entries)), stream) = (made.tables.last(), made.streams.last())
            else {
                return Ok(());
            };
            let place = number(random, entries.min(99) as u32)?;
            match (which, stream) {
                (26, _) => {
                    builder.store(table, place as usize, any(random)?);
                    return Ok(());
                }
                (27, _) => builder.load(table, place as usize),
                (28, Some(&stream)) => {
                    builder.store_at(table, stream, place, any(random)?);
                    return Ok(());
                }
                (29, Some(&stream)) => builder.select(table, stream, place),
                (30, Some(&stream)) => {
                    let [x, y] = builder.swap_if(any(random)?, any(random)?, stream, place);
                    made.values.push(x);
                    y
                }
                _ => return Ok(()),
            }
        }
        31 => {
            let x = any(random)?;
            power_of(builder, random, made, x)?
        }
        32 => {
            let values = [any(random)?, any(random)?, any(random)?];
            let inverses = inverse::shared(builder, &values, |builder, x| builder.square(x));
            inverses[random.choose_index(inverses.len())?]
        }
        // A value of another builder, which is refused when it is used.
        _ => Builder::new("other", 64, builder.limits().clone(), 1).one(),
    };
    made.values.push(new);
    Ok(())
}

/// A number that comes in, or a constant.
fn leaf(builder: &mut Builder, random: &mut Unstructured<'_>, made: &mut Made) -> Result<Value> {
    Ok(match random.int_in_range(0..=9)? {
        0..=4 => {
            let bits = number(random, builder.bits().min(1 << 10))?;
            made.inputs.push(bits);
            builder.input(bits)
        }
        5 => {
            let bits = number(random, builder.bits())?;
            made.inputs.push(bits);
            builder.input_unreduced(bits)
        }
        6 => builder.one(),
        7 => builder.montgomery_one(),
        8 => builder.common(&BoxedUint::from(random.arbitrary::<u64>()?)),
        _ => {
            let form = match random.arbitrary::<u8>()? {
                0 => random.arbitrary()?,
                form => i32::from(form % 3),
            };
            made.forms.push(form);
            builder.own_constant(form)
        }
    })
}

/// A power by one of the recipes.
fn power_of(
    builder: &mut Builder,
    random: &mut Unstructured<'_>,
    made: &mut Made,
    x: Value,
) -> Result<Value> {
    let scalar = made.scalars.last().copied();
    let short = scalar.filter(|&scalar| builder.scalar_bits(scalar).0 <= MAX_EXPONENT);
    Ok(match (random.int_in_range(0..=5)?, short) {
        (0, Some(scalar)) => power::fixed_window(builder, x, scalar),
        (1, Some(scalar)) => multi_power::straus(builder, &[(x, scalar)]),
        (2, Some(scalar)) => multi_power::pippenger(builder, &[(x, scalar), (x, scalar)]),
        (3, Some(scalar)) => {
            let comb = Comb {
                bits: number(random, MAX_EXPONENT)?.min(1 << 10),
                teeth: number(random, 4)?.min(64),
                tables: number(random, 2)?.min(64),
            };
            // The builder refuses a comb with more than these, and the program with it.
            let entries = comb.entries().min(64 * Builder::MAX_ENTRIES);
            made.forms.extend(std::iter::repeat_n(1, entries));
            comb.power(builder, scalar)
        }
        _ => {
            let exponent = BoxedUint::from(random.arbitrary::<u64>()?);
            power::public(builder, x, x, &exponent)
        }
    })
}
