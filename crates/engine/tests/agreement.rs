//! Every backend against num-bigint: one shared check over sizes, batch lengths and
//! adversarial operands.

use std::{collections::BTreeSet, sync::Arc};

use crypto_bigint::{BoxedUint, Resize};
use num_bigint::BigUint;
use proptest::{prelude::*, test_runner::TestRng};
use sunzi_engine::{Backend, Engine, EngineError, Exponent, Modulus, Task};
use sunzi_rns::Base;

/// Batch lengths on both sides of every group width.
const BATCHES: [usize; 15] = [
    1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 1000,
];

fn uint(value: &BigUint) -> BoxedUint {
    let bits = u32::try_from(value.bits())
        .unwrap()
        .max(1)
        .next_multiple_of(64);
    BoxedUint::from_le_slice(&padded(value, bits), bits).unwrap()
}

fn padded(value: &BigUint, bits: u32) -> Vec<u8> {
    let mut bytes = value.to_bytes_le();
    bytes.resize(bits as usize / 8, 0);
    bytes
}

fn big(value: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&value.to_le_bytes())
}

fn power_of_two(exponent: u32) -> BigUint {
    BigUint::from(1u32) << exponent
}

fn random(rng: &mut TestRng, bits: u32) -> BigUint {
    let mut bytes = vec![0; bits.div_ceil(8) as usize];
    rng.fill_bytes(&mut bytes);
    BigUint::from_bytes_le(&bytes) % power_of_two(bits)
}

/// An odd modulus of exactly `bits` bits.
fn random_modulus(rng: &mut TestRng, bits: u32) -> BigUint {
    random(rng, bits) | power_of_two(bits - 1) | BigUint::from(1u32)
}

fn rng() -> TestRng {
    TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}

/// Every backend that this processor can run; says which are skipped.
fn engines() -> Vec<Engine> {
    let run = |&backend: &Backend| match Engine::new(backend) {
        Ok(engine) => Some(engine),
        Err(error) => {
            println!("SKIPPED: {error}");
            None
        }
    };
    Backend::ALL.iter().filter_map(run).collect()
}

/// One case: numbers of any size, and whether the exponent is secret.
struct Case {
    modulus: BigUint,
    base: BigUint,
    exponent: BigUint,
    factor: Option<BigUint>,
    secret: bool,
}

/// The shared check: the whole batch at once equals num-bigint, case by case.
fn check(engine: &Engine, cases: &[Case]) {
    let moduli: Vec<Arc<Modulus>> = cases
        .iter()
        .map(|case| engine.modulus(&uint(&case.modulus)).unwrap())
        .collect();
    let numbers: Vec<_> = cases
        .iter()
        .map(|case| {
            (
                uint(&case.base),
                uint(&case.exponent),
                case.factor.as_ref().map(uint),
            )
        })
        .collect();
    let tasks: Vec<Task<'_>> = cases
        .iter()
        .zip(&moduli)
        .zip(&numbers)
        .map(|((case, modulus), (base, exponent, factor))| Task {
            modulus,
            base,
            exponent: if case.secret {
                Exponent::Secret(exponent)
            } else {
                Exponent::Public(exponent)
            },
            factor: factor.as_ref(),
        })
        .collect();
    let results = engine.run(&tasks);
    assert_eq!(results.len(), cases.len());
    for (case, result) in cases.iter().zip(&results) {
        let factor = case.factor.clone().unwrap_or_else(|| BigUint::from(1u32));
        let expected = case.base.modpow(&case.exponent, &case.modulus) * factor % &case.modulus;
        assert_eq!(
            big(result),
            expected,
            "{}, modulus {:#x}",
            engine.backend(),
            case.modulus
        );
        assert_eq!(
            u64::from(result.bits_precision()),
            case.modulus.bits().next_multiple_of(64),
            "the result has the modulus' size in whole words"
        );
    }
}

#[test]
fn every_batch_length_with_mixed_moduli_and_exponents() {
    let mut rng = rng();
    for engine in engines() {
        for length in BATCHES {
            let cases: Vec<Case> = (0..length)
                .map(|i| Case {
                    modulus: random_modulus(&mut rng, 127 + (i % 3) as u32),
                    base: random(&mut rng, 128),
                    exponent: random(&mut rng, 20 + (i % 7) as u32),
                    factor: (i % 2 == 0).then(|| random(&mut rng, 128)),
                    secret: i % 5 < 3,
                })
                .collect();
            check(&engine, &cases);
        }
        assert!(engine.run(&[]).is_empty());
    }
}

#[test]
fn every_size_with_adversarial_operands() {
    let mut rng = rng();
    let sizes = [
        64, 65, 127, 128, 255, 512, 1000, 1024, 1025, 1536, 2048, 3072, 4096,
    ];
    for engine in engines() {
        for bits in sizes {
            let top = power_of_two(bits) - 1u32;
            let bottom = power_of_two(bits - 1) + 1u32;
            let one_bit_words = power_of_two(bits - 1) + power_of_two(bits / 2) + 1u32;
            let mut cases = Vec::new();
            for modulus in [top, bottom, one_bit_words, random_modulus(&mut rng, bits)] {
                let (zero, one) = (BigUint::ZERO, BigUint::from(1u32));
                let below = &modulus - 1u32;
                let above = &modulus * &modulus + 5u32;
                let all_ones = power_of_two(bits.next_multiple_of(64)) - 1u32;
                for base in [&zero, &one, &below, &modulus, &above, &all_ones] {
                    for (exponent, secret) in [
                        (0u32, true),
                        (1, false),
                        (2, true),
                        (65_537, false),
                        (0, false),
                    ] {
                        cases.push(Case {
                            modulus: modulus.clone(),
                            base: base.clone(),
                            exponent: exponent.into(),
                            factor: Some(below.clone()).filter(|_| exponent != 2),
                            secret,
                        });
                    }
                }
            }
            check(&engine, &cases);
        }
    }
}

#[test]
fn full_size_secret_exponents() {
    let mut rng = rng();
    for engine in engines() {
        for (bits, count) in [
            (64, 40),
            (127, 33),
            (512, 17),
            (1024, 9),
            (2048, 3),
            (4096, 1),
        ] {
            let cases: Vec<Case> = (0..count)
                .map(|_| Case {
                    modulus: random_modulus(&mut rng, bits),
                    base: random(&mut rng, bits),
                    exponent: random(&mut rng, bits),
                    factor: None,
                    secret: true,
                })
                .collect();
            check(&engine, &cases);
        }
    }
}

#[test]
fn the_widest_modulus() {
    let mut rng = rng();
    for engine in engines() {
        for bits in [8192, 16_384] {
            let modulus = random_modulus(&mut rng, bits);
            let case = |base: BigUint, secret| Case {
                modulus: modulus.clone(),
                base,
                exponent: 65_537u32.into(),
                factor: None,
                secret,
            };
            check(
                &engine,
                &[
                    case(&modulus - 1u32, true),
                    case(random(&mut rng, bits), false),
                ],
            );
        }
    }
}

/// Moduli divisible by primes of the engine's own bases: the plan has to avoid them.
#[test]
fn moduli_that_share_primes_with_a_base() {
    let mut rng = rng();
    for engine in engines() {
        for width in (26..=30).chain(46..=50) {
            let primes = Base::descending_primes(width, 12, &BTreeSet::new()).unwrap();
            let primes: Vec<BigUint> = primes
                .moduli()
                .iter()
                .map(|m| BigUint::from(m.value()))
                .collect();
            let modulus: BigUint = primes.iter().product();
            let base = random(&mut rng, 400);
            let cases = [true, false].map(|secret| Case {
                modulus: modulus.clone(),
                base: base.clone(),
                exponent: 0xdead_beefu32.into(),
                factor: Some(&primes[0] * &primes[7]),
                secret,
            });
            check(&engine, &cases);
        }
    }
}

#[test]
fn a_million_and_three_tasks() {
    let engine = Engine::new(Backend::best()).unwrap();
    let modulus_value = u64::MAX - 58;
    let modulus = engine.modulus(&BoxedUint::from(modulus_value)).unwrap();
    let exponent = BoxedUint::from(5u64);
    let bases: Vec<BoxedUint> = (0..1_000_003u64).map(BoxedUint::from).collect();
    let tasks: Vec<Task<'_>> = bases
        .iter()
        .map(|base| Task::power(&modulus, base, Exponent::Public(&exponent)))
        .collect();
    let results = engine.run(&tasks);
    assert_eq!(results.len(), 1_000_003);
    for (base, result) in (0u128..).zip(&results) {
        // Below 2^100.
        let expected = base.pow(5) % u128::from(modulus_value);
        assert_eq!(*result, BoxedUint::from(expected as u64), "{base}");
    }
}

#[test]
fn bad_moduli_are_refused() {
    for engine in engines() {
        let refused = |value: BigUint| engine.modulus(&uint(&value)).unwrap_err();
        assert_eq!(refused(power_of_two(127)), EngineError::EvenModulus);
        assert_eq!(
            refused(power_of_two(63) - 1u32),
            EngineError::ModulusSize(63)
        );
        assert_eq!(
            refused(power_of_two(16_384) + 1u32),
            EngineError::ModulusSize(16_385)
        );
        assert_eq!(refused(BigUint::ZERO), EngineError::ModulusSize(0));
    }
    let error = "abacus".parse::<Backend>().unwrap_err();
    assert_eq!(error, EngineError::UnknownBackend("abacus".into()));
    assert!(error.to_string().contains("portable"), "{error}");
}

/// A wider precision than the number needs changes nothing but the time.
#[test]
fn precision_beyond_the_number() {
    let engine = Engine::new(Backend::best()).unwrap();
    let modulus_value = BigUint::from((1u128 << 127) - 1);
    let modulus = engine.modulus(&uint(&modulus_value).resize(512)).unwrap();
    let base = BoxedUint::from(7u64).resize(1024);
    let exponent = BoxedUint::from(1000u64).resize(256);
    let results = engine.run(&[Task::power(&modulus, &base, Exponent::Secret(&exponent))]);
    let expected = BigUint::from(7u32).modpow(&1000u32.into(), &modulus_value);
    assert_eq!(big(&results[0]), expected);
    assert_eq!(results[0].bits_precision(), 128);
}
