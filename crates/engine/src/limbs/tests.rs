//! Tests at the edges: sums of more products than fit a column, differences, operands as large as
//! limbs allow, folding, and moduli of special forms.

use crypto_bigint::{BoxedUint, Resize};
use num_bigint::{BigInt, BigUint};

use std::sync::Arc;

use crate::{
    Backend, Engine, Job, ProgramKey,
    layout::ForcedLayout,
    limbs::fused52,
    program::{Builder, Recoding, Value},
    testing::{Effort, conforms},
};
#[cfg(target_arch = "x86_64")]
use crate::{
    instructions::{Avx2, Avx512, AvxIfma, Ifma},
    limbs::{kernels::Kernels, numbers::WIDTH},
    row::Row,
};

fn uint(x: &BigUint, bits: u32) -> BoxedUint {
    BoxedUint::from_le_slice_vartime(&x.to_bytes_le()).resize_unchecked(bits)
}

/// An engine for each device with limbs, on each instruction set.
fn engines() -> Vec<Engine> {
    let mut engines = Vec::new();
    match Engine::new(Backend::RADIX52) {
        Ok(engine) => engines.push(engine),
        Err(error) => println!("SKIPPED: {error}"),
    }
    let fused = fused52::available().into_iter();
    engines.extend(fused.map(|device| Engine::on(Backend::FUSED52, vec![device])));
    engines
}

/// The outputs of a program of two inputs, for eight pairs of inputs modulo one modulus each. All engines must give the
/// same; `None` if there is no engine.
fn run(
    bits: u32,
    moduli: &[BigUint],
    inputs: &[[BigUint; 2]],
    build: impl Fn(&mut Builder, Value, Value) -> Value,
) -> Option<Vec<BigUint>> {
    let engines = engines();
    let outputs = engines
        .iter()
        .map(|engine| run_on(engine, bits, moduli, inputs, &build));
    outputs.reduce(|one, other| {
        assert_eq!(one, other, "{bits} bits");
        one
    })
}

fn run_on(
    engine: &Engine,
    bits: u32,
    moduli: &[BigUint],
    inputs: &[[BigUint; 2]],
    build: impl Fn(&mut Builder, Value, Value) -> Value,
) -> Vec<BigUint> {
    let key = ProgramKey {
        bits,
        kind: "edges",
        parameters: vec![],
    };
    let programs = engine
        .programs(key, |builder| {
            let [x, y] = [(), ()].map(|()| builder.input(bits));
            let out = build(builder, x, y);
            builder.output(out);
        })
        .unwrap();
    let moduli: Vec<_> = (moduli.iter())
        .map(|modulus| engine.modulus(&uint(modulus, bits)).unwrap())
        .collect();
    let inputs: Vec<_> = (inputs.iter())
        .map(|pair| pair.each_ref().map(|x| uint(x, bits)))
        .collect();
    let jobs: Vec<Job<'_>> = (moduli.iter().zip(&inputs))
        .map(|(modulus, inputs)| Job {
            programs: &programs,
            modulus,
            constants: None,
            inputs: inputs.iter().collect(),
            scalars: vec![],
        })
        .collect();
    let outcomes = engine.execute(&jobs).unwrap();
    let integer = |x: &BoxedUint| BigUint::from_bytes_le(&x.to_le_bytes());
    outcomes.iter().map(|o| integer(&o.integers[0])).collect()
}

/// Moduli of full size with extreme limbs, and inputs up to all ones.
fn cases(bits: u32) -> (Vec<BigUint>, Vec<[BigUint; 2]>) {
    let one = BigUint::from(1u32);
    let top = &one << (bits - 1);
    let all = (&one << bits) - &one;
    let moduli = [
        all.clone(),
        &top + &one,
        &all - (&one << 52u32),
        &top + (&one << 52u32) - &one,
        &all - (&one << (bits / 2)),
        &top + (&one << (bits / 2)) + &one,
        &all - &one - &one,
        (&all / 3u32 * 2u32) | &one,
    ];
    let inputs = (moduli.iter().enumerate())
        .map(|(k, p)| match k % 4 {
            0 => [all.clone(), all.clone()],
            1 => [p - &one, p - &one],
            2 => [all.clone(), one.clone()],
            _ => [&all / 3u32, p / 2u32],
        })
        .collect();
    (moduli.to_vec(), inputs)
}

/// Sums of enough products that columns are carried on the way, with and without signs.
#[test]
fn long_sums_of_products() {
    for (bits, terms) in [(64, 40), (1024, 150), (8192, 30), (16_384, 12)] {
        for signs in [false, true] {
            let (moduli, inputs) = cases(bits);
            let negative = |k: usize| signs && !k.is_multiple_of(3);
            let computed = run(bits, &moduli, &inputs, |builder, x, y| {
                let terms: Vec<_> = (0..terms).map(|k| (negative(k), x, y)).collect();
                builder.sum_of_products(&terms)
            });
            let count: i64 = (0..terms).map(|k| if negative(k) { -1 } else { 1 }).sum();
            for (k, computed) in computed.into_iter().flatten().enumerate() {
                let p = BigInt::from(moduli[k].clone());
                let [x, y] = inputs[k].each_ref().map(|x| BigInt::from(x.clone()));
                let expected = ((x * y * count) % &p + &p) % &p;
                assert_eq!(BigInt::from(computed), expected, "{bits} bits, number {k}");
            }
        }
    }
}

/// Differences that are lifted by more multiples of P than a factor of a combination may be.
#[test]
fn large_lifts() {
    for bits in [384, 1152] {
        let (moduli, inputs) = cases(bits);
        for (first, second) in [(1000, 1), (1000, 7), (1024, 2), (1000, 500)] {
            let computed = run(bits, &moduli, &inputs, |builder, x, y| {
                // Only what a plan has no room for is reduced in between.
                let multiple = builder.scale(y, first);
                let multiple = builder.scale(multiple, second);
                let difference = builder.subtract(x, multiple);
                let one = builder.montgomery_one();
                builder.fitting_product(difference, one)
            });
            let factor = BigInt::from(first * second);
            for (k, computed) in computed.into_iter().flatten().enumerate() {
                let p = BigInt::from(moduli[k].clone());
                let [x, y] = inputs[k].each_ref().map(|x| BigInt::from(x.clone()));
                let expected = ((x - y * &factor) % &p + &p) % &p;
                assert_eq!(BigInt::from(computed), expected, "{bits} bits, number {k}");
            }
        }
    }
}

/// Products and squares of negated numbers as large as the limits allow.
#[test]
fn products_of_negated_numbers() {
    for bits in [64, 128, 256, 512, 1152, 2048] {
        let (moduli, inputs) = cases(bits);
        for [negate_x, negate_y] in [[true, false], [true, true], [false, true]] {
            let computed = run(bits, &moduli, &inputs, |builder, x, y| {
                let [x, y] = [(x, negate_x), (y, negate_y)].map(|(value, negate)| {
                    if negate { builder.negate(value) } else { value }
                });
                let product = builder.multiply(x, y);
                let square = builder.square(x);
                let difference = builder.subtract(product, square);
                let one = builder.montgomery_one();
                builder.multiply(difference, one)
            });
            let sign = |negate| BigInt::from(if negate { -1 } else { 1 });
            for (k, computed) in computed.into_iter().flatten().enumerate() {
                let p = BigInt::from(moduli[k].clone());
                let [x, y] = inputs[k].each_ref().map(|x| BigInt::from(x.clone()));
                let (x, y) = (x * sign(negate_x), y * sign(negate_y));
                let expected = ((&x * y - &x * &x) % &p + &p) % &p;
                assert_eq!(BigInt::from(computed), expected, "{bits} bits, number {k}");
            }
        }
    }
}

/// Moduli of the forms that have products of their own, and their neighbours.
fn special_moduli(bits: u32) -> Vec<BigUint> {
    let power = |exponent: u32| BigUint::from(1u32) << exponent;
    let p256 = power(256) - power(224) + power(192) + power(96) - 1u32;
    match bits {
        254 => {
            // The prime and the order of BN254: 36 t^4 + 36 t^3 + 24 t^2 or 18 t^2, and 6 t + 1.
            let t = BigUint::from(4_965_661_367_192_848_881u64);
            let bn = |square: u32| {
                let upper = t.pow(4) * 36u32 + t.pow(3) * 36u32;
                upper + t.pow(2) * square + &t * 6u32 + 1u32
            };
            vec![bn(24), bn(18), power(254) - 1u32, power(253) + 1u32]
        }
        256 => vec![
            p256.clone(),
            p256 - 2u32,
            power(256) - 0x1_0000_03d1u64,
            power(256) - 1u32,
            power(256) - (power(51) - 1u32),
            power(256) - (power(52) + 1u32),
            power(255) - 19u32,
            power(255) - (power(51) - 1u32),
            power(255) + 1u32,
            // Shorter moduli are replaced by multiples.
            power(240) - 1u32,
            power(239) + 1u32,
            power(200) - 3u32,
            power(192) + 1u32,
        ],
        384 => vec![
            power(384) - power(128) - power(96) + power(32) - 1u32,
            power(384) - power(128) - power(96) + power(32) - 3u32,
            power(384) - 1u32,
        ],
        448 => vec![
            power(448) - power(224) - 1u32,
            power(448) - power(224) - 3u32,
            power(448) - 1u32,
        ],
        _ => vec![power(521) - 1u32, power(521) - 3u32, power(520) + 1u32],
    }
}

/// Products, squares, sums of products and differences of numbers from 0 up to all ones, modulo
/// numbers of special forms, each with a group of its own and all in one batch.
#[test]
fn moduli_of_special_forms() {
    for bits in [254, 256, 384, 448, 576] {
        let moduli = special_moduli(bits);
        let one = BigUint::from(1u32);
        let inputs = |p: &BigUint| {
            let edges = [BigUint::ZERO, one.clone(), p - 1u32, p / 2u32, p.clone()];
            let longer = [
                (&one << p.bits()) - 1u32,
                &one << (p.bits() - 1),
                (&one << bits) - 1u32,
            ];
            let all: Vec<_> = edges.into_iter().chain(longer).collect();
            let pairs = all
                .iter()
                .flat_map(|x| all.iter().map(|y| [x.clone(), y.clone()]));
            pairs.collect::<Vec<_>>()
        };
        let cases = moduli.iter().flat_map(|p| {
            let inputs = inputs(p);
            inputs.into_iter().map(|pair| (p.clone(), pair))
        });
        let (moduli, inputs): (Vec<_>, Vec<_>) = cases.unzip();
        let computed = run(bits, &moduli, &inputs, |builder, x, y| {
            let product = builder.multiply(x, y);
            let square = builder.square(y);
            let sum = builder.fitting_sum(&[(false, x, x), (true, y, product), (false, x, square)]);
            let difference = builder.subtract(sum, product);
            let multiple = builder.scale(difference, 9);
            // A difference with as many multiples of P as its bounds take.
            let large = builder.scale(y, 1023);
            let large = builder.subtract(multiple, large);
            builder.fitting_product(large, y)
        });
        for (k, computed) in computed.into_iter().flatten().enumerate() {
            let p = BigInt::from(moduli[k].clone());
            let [x, y] = inputs[k].each_ref().map(|x| BigInt::from(x.clone()));
            let product = &x * &y;
            let sum = &x * &x - &y * &product + &x * &y * &y;
            let large = (sum - product) * 9 - &y * 1023;
            let expected = ((large * y) % &p + &p) % &p;
            assert_eq!(BigInt::from(computed), expected, "{bits} bits, number {k}");
        }
    }
}

/// Linear combinations as large as can be folded, small ones, and chains of them.
#[test]
fn folding() {
    for bits in [254, 256] {
        folding_at(bits);
    }
}

fn folding_at(bits: u32) {
    let mut moduli = special_moduli(bits);
    let (more, _) = cases(bits);
    moduli.extend(more);
    let one = BigUint::from(1u32);
    let inputs: Vec<_> = moduli
        .iter()
        .enumerate()
        .map(|(k, p)| match k % 4 {
            0 => [p - 1u32, p - 1u32],
            1 => [BigUint::ZERO, p - 1u32],
            2 => [one.clone(), p / 3u32],
            _ => [p - 1u32, BigUint::ZERO],
        })
        .collect();
    for factors in [
        (1i64, 1i64),
        (1, -1),
        (511, 1),
        (512, -1),
        (-1024, -1024),
        (1024, 7),
        (-3, 1000),
    ] {
        let computed = run(bits, &moduli, &inputs, |builder, x, y| {
            let multiple = |builder: &mut Builder, x, factor: i64| {
                let multiple = builder.scale(x, factor.unsigned_abs() as u32);
                if factor < 0 {
                    builder.negate(multiple)
                } else {
                    multiple
                }
            };
            let (a, b) = (
                multiple(builder, x, factors.0),
                multiple(builder, y, factors.1),
            );
            let sum = builder.add(a, b);
            let difference = builder.subtract(sum, x);
            let again = builder.subtract(difference, sum);
            let product = builder.fitting_product(difference, again);
            builder.fitting_product(product, sum)
        });
        for (k, computed) in computed.into_iter().flatten().enumerate() {
            let p = BigInt::from(moduli[k].clone());
            let [x, y] = inputs[k].each_ref().map(|x| BigInt::from(x.clone()));
            let sum = &x * factors.0 + &y * factors.1;
            let expected = (((&sum - &x) * -&x * &sum) % &p + &p) % &p;
            assert_eq!(BigInt::from(computed), expected, "{factors:?}, number {k}");
        }
    }
}

/// Secret digits of constants, of tables with one group of sixteen entries to many, and with some more entries.
#[test]
fn look_ups_in_tables_of_all_sizes() {
    const POSITIONS: u32 = 40;
    let p = uint(&((BigUint::from(1u32) << 255u32) - 19u32), 256);
    for engine in engines() {
        let modulus = engine.modulus(&p).unwrap();
        let bits = modulus.class();
        for (width, more) in (1..=9).flat_map(|width| [(width, 0), (width, 5)]) {
            let entries = (1usize << width) + more;
            let numbers: Vec<_> = (0..entries as u64)
                .map(|k| BoxedUint::from(1000 * k + 7))
                .collect();
            // One constant before the table, so that the table is not aligned.
            let numbers: Vec<_> = numbers[..1].iter().chain(&numbers).collect();
            let numbers: Vec<_> = numbers.into_iter().map(|number| (number, 0)).collect();
            let constants = engine.constants(&modulus, &numbers).unwrap();
            let key = ProgramKey {
                bits,
                kind: "look-ups",
                parameters: vec![entries as u64],
            };
            let programs = engine
                .programs(key, |builder| {
                    builder.own_constant(0);
                    let table = builder.own_table(entries, 0);
                    let scalar = builder.scalar("digits", POSITIONS * width, true);
                    let digits = builder.digits(scalar, Recoding::Windows { width });
                    for position in 0..POSITIONS {
                        let entry = builder.select_own(table, digits, position);
                        builder.output(entry);
                    }
                })
                .unwrap();
            // All digits of all members differ: every entry is read.
            let digit =
                |member: u32, position: u32| (member * POSITIONS + 7 * position) % (1 << width);
            let scalars: Vec<_> = (0..33)
                .map(|member| {
                    let digits = (0..POSITIONS).map(|position| {
                        BigUint::from(digit(member, position)) << (position * width)
                    });
                    uint(
                        &digits.sum::<BigUint>(),
                        (POSITIONS * width).next_multiple_of(64),
                    )
                })
                .collect();
            let jobs: Vec<_> = scalars
                .iter()
                .map(|scalar| Job {
                    programs: &programs,
                    modulus: &modulus,
                    constants: Some(&constants),
                    inputs: Vec::new(),
                    scalars: vec![scalar],
                })
                .collect();
            let outcomes = engine.execute(&jobs).unwrap();
            for (member, outcome) in (0..).zip(outcomes) {
                for (position, integer) in (0..).zip(&outcome.integers) {
                    let expected = 1000 * u64::from(digit(member, position)) + 7;
                    assert_eq!(integer.as_words()[0], expected, "{entries}");
                }
            }
        }
    }
}

/// `fused52` with every instruction set of this processor.
#[test]
fn fused_kernels_on_every_instruction_set() {
    for device in fused52::available() {
        for layout in device.layouts(512) {
            let mut sizes = vec![64, 192, 256, 512, 576, 1024, 1152];
            sizes.retain(|&bits| device.layouts(bits).contains(&layout));
            let backend = Backend::FUSED52.with_layout(ForcedLayout::only(layout));
            let engine = Engine::on(backend, vec![Arc::clone(&device)]);
            let effort = Effort {
                sizes,
                random_programs: 60,
                exponent_bits: 40,
                seed: 9,
            };
            let result = conforms(engine, &effort);
            result.unwrap_or_else(|error| panic!("{layout}: {error}"));
        }
    }
}

/// Transposes rows of different numbers into each number of rows, and compares every one.
#[cfg(target_arch = "x86_64")]
fn check_transpose(instructions: &str, kernels: Option<impl Kernels>) {
    let Some(kernels) = kernels else {
        println!("SKIPPED: the processor lacks {instructions}, or the limit excludes it");
        return;
    };
    let number = |row: usize, k: usize| (row << 32 | k) as u64;
    let rows: [[u64; WIDTH]; WIDTH] =
        core::array::from_fn(|row| core::array::from_fn(|k| number(row, k)));
    for count in 0..2 * WIDTH {
        let mut out = vec![Row([u64::MAX; WIDTH]); count];
        kernels.transpose(rows.each_ref(), &mut out);
        for (k, out) in out.iter().enumerate() {
            let right =
                core::array::from_fn(|row| if k < WIDTH { number(row, k) } else { u64::MAX });
            assert_eq!(out.0, right, "row {k} of {count}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn transposed_rows() {
    check_transpose("AVX-512 IFMA", Ifma::detect().ok());
    check_transpose("AVX-512F", Avx512::detect());
    check_transpose("AVX-IFMA", AvxIfma::detect());
    check_transpose("AVX2", Avx2::detect());
}
