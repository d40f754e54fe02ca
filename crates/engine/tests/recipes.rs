//! The values of the functions that build programs, against num-bigint: the conformance suite
//! compares devices with the reference, which runs the same programs.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::program::{
    Builder, Value,
    fixed_base::Comb,
    inverse,
    multi_power::{pippenger, straus},
    power,
};
use sunzi_engine::testing::reference;
use sunzi_engine::{Backend, Constants, Engine, Job, Modulus, Outcome, ProgramKey};

fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

fn uint(x: &BigUint, bits: u32) -> BoxedUint {
    BoxedUint::from_le_slice(&x.to_bytes_le(), bits.next_multiple_of(64)).unwrap()
}

/// A number of at most `bits` bits, the same in every run.
fn number(bits: u32, seed: u64) -> BigUint {
    let prime = (BigUint::from(1u32) << 521) - 1u32;
    BigUint::from(seed + 3).modpow(&BigUint::from(65_537u32), &prime)
        % (BigUint::from(1u32) << bits)
}

/// The prime 2^127 - 1.
fn prime() -> BigUint {
    (BigUint::from(1u32) << 127) - 1u32
}

/// Every backend that this processor has. Of others a line says that they were skipped.
fn available() -> impl Iterator<Item = (Backend, Engine)> {
    Backend::ALL.iter().filter_map(|&backend| {
        let engine = Engine::new(backend).inspect_err(|error| println!("SKIPPED: {error}"));
        Some((backend, engine.ok()?))
    })
}

fn engines() -> [Engine; 2] {
    [reference(), Engine::new(Backend::PORTABLE).unwrap()]
}

fn run(
    engine: &Engine,
    modulus: &Arc<Modulus>,
    constants: Option<&Arc<Constants>>,
    inputs: &[BoxedUint],
    scalars: &[BoxedUint],
    build: impl Fn(&mut Builder),
) -> Outcome {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let key = ProgramKey {
        bits: modulus.class(),
        kind: "recipe",
        parameters: vec![NEXT.fetch_add(1, Ordering::Relaxed)],
    };
    let programs = engine.programs(key, build).unwrap();
    let job = Job {
        programs: &programs,
        modulus,
        constants,
        inputs: inputs.iter().collect(),
        scalars: scalars.iter().collect(),
    };
    engine.execute(&[job]).unwrap().remove(0)
}

#[test]
fn products_of_powers() {
    for engine in engines() {
        let p = prime();
        let modulus = engine.modulus(&uint(&p, 128)).unwrap();
        for count in [1usize, 2, 5, 20] {
            let bases: Vec<BigUint> = (0..count as u64).map(|i| number(127, i)).collect();
            let exponents: Vec<BigUint> = (0..count as u64).map(|i| number(100, 50 + i)).collect();
            let expected = bases
                .iter()
                .zip(&exponents)
                .fold(BigUint::from(1u32), |product, (base, e)| {
                    product * base.modpow(e, &p) % &p
                });
            let inputs: Vec<_> = bases.iter().map(|x| uint(x, 128)).collect();
            let scalars: Vec<_> = exponents.iter().map(|x| uint(x, 128)).collect();
            for method in [straus, pippenger] {
                let outcome = run(&engine, &modulus, None, &inputs, &scalars, |b| {
                    let terms: Vec<_> = (0..count)
                        .map(|_| (b.input(b.bits()), b.scalar("e", 100, false)))
                        .collect();
                    let product = method(b, &terms);
                    b.output(product);
                });
                assert_eq!(big(&outcome.integers[0]), expected, "{count} bases");
            }
        }
    }
}

/// A comb's table, prepared by its own program, gives the base's powers.
#[test]
fn combs() {
    for engine in engines() {
        let p = prime();
        let modulus = engine.modulus(&uint(&p, 128)).unwrap();
        let base = number(127, 9);
        for (bits, entries) in [(1, 2), (100, 8), (100, 64), (127, 48), (40, 1000)] {
            let comb = Comb::new(bits, entries);
            assert!(comb.entries() <= entries, "{comb:?}");
            let table = run(&engine, &modulus, None, &[uint(&base, 128)], &[], |b| {
                comb.prepare(b);
            });
            assert_eq!(table.integers.len(), comb.entries());
            let table: Vec<(&BoxedUint, i32)> = table.integers.iter().map(|x| (&**x, 1)).collect();
            let constants = engine.constants(&modulus, &table).unwrap();
            let all = (BigUint::from(1u32) << bits) - 1u32;
            for exponent in [BigUint::ZERO, BigUint::from(1u32), number(bits, 70), all] {
                let scalar = uint(&exponent, bits);
                let outcome = run(&engine, &modulus, Some(&constants), &[], &[scalar], |b| {
                    let exponent = b.scalar("e", bits, true);
                    let power = comb.power(b, exponent);
                    b.output(power);
                });
                assert_eq!(
                    big(&outcome.integers[0]),
                    base.modpow(&exponent, &p),
                    "{comb:?}"
                );
            }
        }
    }
}

/// Inverses modulo a prime, alone and sharing one inversion; 0 makes all of them 0.
#[test]
fn inverses() {
    for engine in engines() {
        let p = prime();
        let modulus = engine.modulus(&uint(&p, 128)).unwrap();
        let less_two = uint(&(&p - 2u32), 128);
        for count in 1..=5u64 {
            let numbers: Vec<BigUint> = (0..count).map(|i| number(127, 20 + i) + 1u32).collect();
            let build = |b: &mut Builder| {
                let numbers: Vec<Value> = (0..count).map(|_| b.input(b.bits())).collect();
                let exponent = b.scalar("P - 2", 127, true);
                let invert = |b: &mut Builder, x| inverse::fermat(b, x, exponent);
                for inverse in inverse::shared(b, &numbers, invert) {
                    b.output(inverse);
                }
            };
            let scalars = [less_two.clone()];
            let mut inputs: Vec<_> = numbers.iter().map(|x| uint(x, 128)).collect();
            let outcome = run(&engine, &modulus, None, &inputs, &scalars, build);
            for (x, inverse) in numbers.iter().zip(&outcome.integers) {
                assert_eq!(
                    x * big(inverse) % &p,
                    BigUint::from(1u32),
                    "{count} numbers"
                );
            }
            inputs[0] = uint(&BigUint::ZERO, 128);
            let outcome = run(&engine, &modulus, None, &inputs, &scalars, build);
            assert!(outcome.integers.iter().all(|x| big(x) == BigUint::ZERO));
        }
    }
}

/// Inverses of batches, whose groups share inversions on some devices: two one after the other, of numbers that are used later,
/// too. Some numbers are 0, and one batch mixes moduli.
#[test]
fn inverses_of_batches() {
    // The primes of P-256 and brainpoolP256r1, of the curves with 255 bits and secp256k1, of P-384 and BLS12-381, of P-521 and the
    // curves with 448 bits.
    let two = BigUint::from(2u32);
    let hex = |digits: &str| BigUint::parse_bytes(digits.as_bytes(), 16).unwrap();
    let primes = [
        vec![
            hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
            hex("a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377"),
        ],
        vec![two.pow(255) - 19u32, two.pow(256) - two.pow(32) - 977u32],
        vec![
            two.pow(384) - two.pow(128) - two.pow(96) + two.pow(32) - 1u32,
            hex(concat!(
                "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf",
                "6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
            )),
        ],
        vec![two.pow(448) - two.pow(224) - 1u32],
        vec![two.pow(521) - 1u32],
    ];
    for (backend, engine) in available() {
        for primes in &primes {
            check_inverses(backend, &engine, primes);
        }
    }
}

/// Inverts numbers modulo the first of some primes of one size class, and modulo all of them in turn.
fn check_inverses(backend: Backend, engine: &Engine, primes: &[BigUint]) {
    let modulus = |p: &BigUint| engine.modulus(&uint(p, p.bits() as u32)).unwrap();
    let moduli: Vec<_> = primes.iter().map(modulus).collect();
    let bits = moduli[0].class();
    let less_two = primes.iter().map(|p| uint(&(p - 2u32), bits));
    let less_two: Vec<_> = less_two.collect();
    let key = ProgramKey {
        bits,
        kind: "recipe-inverses",
        parameters: Vec::new(),
    };
    let programs = engine.programs(key, |b| {
        let x = b.input(bits);
        let exponent = b.scalar("P - 2", primes[0].bits() as u32, false);
        let inverse = inverse::fermat(b, x, exponent);
        let sum = b.add(x, inverse);
        let one = b.montgomery_one();
        let sum = b.multiply(sum, one);
        let second = inverse::fermat(b, sum, exponent);
        for number in [x, inverse, sum, second] {
            b.output(number);
        }
    });
    let programs = programs.unwrap();
    let one_modulus = [1, 8, 33, 257, 300].map(|count| (count, 1));
    for (count, mixed) in one_modulus.into_iter().chain([(300, primes.len())]) {
        let numbers: Vec<BigUint> = (0..count)
            .map(|i| match i % 11 {
                3 => BigUint::ZERO,
                7 => &primes[i % mixed] - 1u32,
                _ => number(bits, i as u64) % &primes[i % mixed],
            })
            .collect();
        let inputs: Vec<_> = numbers.iter().map(|x| uint(x, bits)).collect();
        let jobs = inputs.iter().enumerate().map(|(i, x)| Job {
            programs: &programs,
            modulus: &moduli[i % mixed],
            constants: None,
            inputs: vec![x],
            scalars: vec![&less_two[i % mixed]],
        });
        let outcomes = engine.execute(&jobs.collect::<Vec<_>>()).unwrap();
        for (i, (x, outcome)) in numbers.iter().zip(&outcomes).enumerate() {
            let p = &primes[i % mixed];
            let inverse = |x: &BigUint| x.modpow(&(p - 2u32), p);
            let sum = (x + inverse(x)) % p;
            let expected = [x.clone(), inverse(x), sum.clone(), inverse(&sum)];
            let found: Vec<_> = outcome.integers.iter().map(|x| big(x)).collect();
            assert_eq!(
                found, expected,
                "{backend}, {bits} bits, {count} numbers: {i}"
            );
        }
    }
}

/// Powers of batches, by tables that some devices use for one group after the other: with secret and with public digits. One
/// batch mixes moduli.
#[test]
fn powers_of_batches() {
    let highest = BigUint::from(1u32) << 127;
    let moduli = [prime(), number(127, 2) | highest | BigUint::from(1u32)];
    for (backend, engine) in available() {
        let key = ProgramKey {
            bits: 128,
            kind: "recipe-powers",
            parameters: Vec::new(),
        };
        let programs = engine.programs(key, |b| {
            let x = b.input(128);
            for is_secret in [true, false] {
                let exponent = b.scalar("exponent", 70, is_secret);
                let power = power::fixed_window(b, x, exponent);
                b.output(power);
            }
        });
        let programs = programs.unwrap();
        let prepared = moduli.each_ref().map(|p| engine.modulus(&uint(p, 128)));
        let prepared = prepared.map(Result::unwrap);
        for (count, mixed) in [(33, 1), (300, 1), (300, 2)] {
            let of = |i: u64| (number(127, i), [1, 2].map(|k| number(70, 1000 * k + i)));
            let numbers: Vec<_> = (0..count).map(of).collect();
            let inputs = numbers.iter();
            let inputs = inputs.map(|(x, e)| (uint(x, 128), e.each_ref().map(|e| uint(e, 70))));
            let inputs: Vec<_> = inputs.collect();
            let jobs = inputs.iter().enumerate().map(|(i, (x, exponents))| Job {
                programs: &programs,
                modulus: &prepared[i % mixed],
                constants: None,
                inputs: vec![x],
                scalars: exponents.iter().collect(),
            });
            let outcomes = engine.execute(&jobs.collect::<Vec<_>>()).unwrap();
            for (i, ((x, exponents), outcome)) in numbers.iter().zip(&outcomes).enumerate() {
                let p = &moduli[i % mixed];
                let expected = exponents.each_ref().map(|e| x.modpow(e, p));
                let found: Vec<_> = outcome.integers.iter().map(|x| big(x)).collect();
                assert_eq!(found, expected, "{backend}, {count} numbers: {i}");
            }
        }
    }
}

/// Public powers by every window, and integers of any length.
#[test]
fn powers_and_long_inputs() {
    for engine in engines() {
        let p = prime();
        let modulus = engine.modulus(&uint(&p, 128)).unwrap();
        let base = number(127, 3);
        let mut exponents: Vec<BigUint> = (0..70u32).map(BigUint::from).collect();
        exponents.extend((0..20).map(|i| number(64 + 20 * (i as u32 % 6), i)));
        exponents.extend([64u32, 128, 200].map(|bits| (BigUint::from(1u32) << bits) - 1u32));
        for exponent in &exponents {
            let value = uint(exponent, 256);
            let outcome = run(&engine, &modulus, None, &[uint(&base, 128)], &[], |b| {
                let x = b.input_unreduced(128);
                let square = b.montgomery_square();
                let form = b.multiply(x, square);
                let power = power::public(b, form, x, &value);
                b.output(power);
            });
            assert_eq!(
                big(&outcome.integers[0]),
                base.modpow(exponent, &p),
                "{exponent:x}"
            );
        }
        for bits in [1, 127, 128, 129, 256, 300, 511] {
            let x = (BigUint::from(1u32) << bits)
                - 1u32
                - number(bits / 2 + 1, 7) % (BigUint::from(1u32) << (bits - 1));
            let outcome = run(&engine, &modulus, None, &[uint(&x, bits)], &[], |b| {
                let x = b.input(bits);
                b.output(x);
            });
            assert_eq!(big(&outcome.integers[0]), &x % &p, "{bits} bits");
        }
    }
}

/// Numbers with other powers of the Montgomery factor, numbers whose lowest word is zero, and
/// negative numbers that leave as they are.
#[test]
fn forms_zeros_and_signs() {
    for layout in [
        "portable:lanes4",
        "avx512:lanes16",
        "avx512:spread",
        "octet",
        "radix52",
        "float",
        "fused52",
        "radix64",
    ] {
        let backend: Backend = layout.parse().unwrap();
        let engine = match Engine::new(backend) {
            Ok(engine) => engine,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        let p = prime();
        let modulus = engine.modulus(&uint(&p, 128)).unwrap();
        let outcome = run(&engine, &modulus, None, &[], &[], |b| {
            let square = b.montgomery_square();
            let cube = b.square(square);
            assert_eq!(b.form(cube), 3);
            let one = b.one();
            let (two, second) = (b.multiply(cube, one), one);
            let form = b.multiply(two, second);
            b.output(form);
        });
        assert_eq!(big(&outcome.integers[0]), BigUint::from(1u32));

        let shifted = BigUint::from(1u32) << 64;
        let outcome = run(&engine, &modulus, None, &[uint(&shifted, 128)], &[], |b| {
            let x = b.input(128);
            let index = b.output(x);
            let again = b.output_again(index);
            b.is_zero(again);
        });
        assert_eq!(outcome.flags, [false]);

        // -k x 1 for a large k: a product just below zero, which leaves without another product.
        for bits in [64u32, 128, 192, 320] {
            for seed in 0..40 {
                let p =
                    number(bits, seed) | (BigUint::from(1u32) << (bits - 1)) | BigUint::from(1u32);
                let modulus = engine.modulus(&uint(&p, bits)).unwrap();
                let k = &p - 1u32 - seed;
                let constants = engine.constants(&modulus, &[(&uint(&k, bits), 0)]).unwrap();
                let x = number(bits, 100 + seed);
                let outcome = run(
                    &engine,
                    &modulus,
                    Some(&constants),
                    &[uint(&x, bits)],
                    &[],
                    |b| {
                        let x = b.input(bits);
                        let room = b.limits().operands / b.limits().product.weight();
                        let factor = room.min(Builder::MAX_FACTOR.into()) as u32;
                        let scaled = b.scale(x, factor);
                        let negative = b.negate(scaled);
                        let k = b.own_constant(0);
                        let product = b.multiply(negative, k);
                        b.output(product);
                        let positive = b.multiply(scaled, k);
                        b.output(positive);
                    },
                );
                let sum = (big(&outcome.integers[0]) + big(&outcome.integers[1])) % &p;
                assert_eq!(sum, BigUint::ZERO, "{layout}, {bits} bits, {seed}");
            }
        }
    }
}

/// Many moduli prepared together have the same constants as prepared alone.
#[test]
fn moduli_prepared_together() {
    for backend in [Backend::PORTABLE, Backend::AVX512, Backend::OCTET] {
        let engine = match Engine::new(backend) {
            Ok(engine) => engine,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        for count in [1u64, 3, 64, 65, 130] {
            let values: Vec<BoxedUint> = (0..count)
                .map(|seed| {
                    let bits = [128u32, 256][seed as usize % 2];
                    let odd = number(bits, seed)
                        | BigUint::from(1u32)
                        | (BigUint::from(1u32) << (bits - 1));
                    uint(&odd, bits)
                })
                .collect();
            let (base, exponent) = (BoxedUint::from(5u64), BoxedUint::from(1_000_003u64));
            for (value, modulus) in values.iter().zip(engine.moduli(&values)) {
                let modulus = modulus.unwrap();
                let exponent = sunzi_engine::Exponent::Secret(&exponent);
                let task = sunzi_engine::Task::power(&modulus, &base, exponent);
                let result = engine.run(&[task]).unwrap().remove(0);
                let expected = BigUint::from(5u32).modpow(&1_000_003u32.into(), &big(value));
                assert_eq!(big(&result), expected, "{backend}, {count} moduli");
            }
        }
        let even = BoxedUint::from(1u64 << 63);
        let good = BoxedUint::from(u64::MAX);
        let mixed = engine.moduli(&[good.clone(), even, good]);
        assert!(mixed[0].is_ok() && mixed[1].is_err() && mixed[2].is_ok());
    }
}
