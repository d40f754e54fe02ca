//! Exponents and bases of many lengths, each of which has a program of its own: the memory that an engine keeps for
//! them is limited, and programs that are in use stay.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{Backend, Engine, Exponent, MAX_BITS, Modulus, Task};

/// The largest size in bytes of the programs that an engine may keep (SECURITY.md).
const KEPT: usize = 32 << 20;

/// A small modulus: programs are as long as for a large one, and run in little time.
const MODULUS: u64 = 0xffff_ffff_ffff_ffc5;

fn modulus(engine: &Engine) -> Arc<Modulus> {
    engine.modulus(&BoxedUint::from(MODULUS)).unwrap()
}

/// A number of a few bits with leading zeros.
fn padded(number: u64, precision: u32) -> BoxedUint {
    BoxedUint::from_be_slice(&number.to_be_bytes(), precision).unwrap()
}

/// Engines with devices that are there everywhere, and with those that are chosen here. Devices keep no programs: the
/// engine does.
fn engines() -> impl Iterator<Item = Engine> {
    let mut backends = vec![Backend::PORTABLE];
    if Backend::best() != Backend::PORTABLE {
        backends.push(Backend::best());
    }
    backends
        .into_iter()
        .map(|backend| Engine::new(backend).unwrap())
}

/// Powers of bases and to exponents with these precisions, each compared with num-bigint.
fn powers_are_right(engine: &Engine, precisions: &[(u32, u32)], is_secret: bool) {
    let modulus = modulus(engine);
    let (base, exponent) = (0xfeed_5eed, 65_539);
    let numbers: Vec<[BoxedUint; 2]> = precisions
        .iter()
        .map(|&(of_base, of_exponent)| [padded(base, of_base), padded(exponent, of_exponent)])
        .collect();
    let tasks: Vec<Task<'_>> = numbers
        .iter()
        .map(|[base, exponent]| {
            let exponent = if is_secret {
                Exponent::Secret(exponent)
            } else {
                Exponent::Public(exponent)
            };
            Task::power(&modulus, base, exponent)
        })
        .collect();
    let expected = BigUint::from(base).modpow(&exponent.into(), &MODULUS.into());
    for (power, precisions) in engine.run(&tasks).unwrap().iter().zip(precisions) {
        let power = BigUint::from_bytes_le(&power.to_le_bytes());
        assert_eq!(power, expected, "{precisions:?}");
    }
}

#[test]
fn programs_are_kept_by_bytes() {
    for engine in engines() {
        let in_use = || engine.secret_power_programs(2048, 2048).unwrap();
        let first = in_use();
        for of_base in [64, 128, 192] {
            for of_exponent in (64..=MAX_BITS).rev().step_by(64 * 4) {
                powers_are_right(&engine, &[(of_base, of_exponent)], true);
                assert!(Arc::ptr_eq(&first, &in_use()), "{of_base}, {of_exponent}");
            }
        }
        let (programs, bytes) = engine.kept_programs();
        println!("{}: {programs} programs of {bytes} bytes", engine.backend());
        assert!(bytes <= KEPT);
    }
}

/// Lengths that differ little share a program.
#[test]
fn secret_exponents_have_few_lengths() {
    // One device: the programs of two would not all be kept.
    let engine = Engine::new("portable:lanes4".parse().unwrap()).unwrap();
    for of_exponent in (8256..=MAX_BITS).step_by(64) {
        powers_are_right(&engine, &[(64, of_exponent)], true);
    }
    // All 128 exponents in 32 programs.
    assert_eq!(engine.kept_programs().0, 32);
}

/// A single batch may ask for more programs than are kept.
#[test]
fn a_batch_of_many_lengths() {
    for engine in engines() {
        let precisions: Vec<(u32, u32)> = (0..400)
            .map(|index| (64 * (1 + index / 32), MAX_BITS - 256 * (index % 32)))
            .collect();
        powers_are_right(&engine, &precisions, true);
        let (programs, bytes) = engine.kept_programs();
        assert!(programs < precisions.len());
        assert!(bytes <= KEPT);
    }
}

/// Many public exponents, each of which has a program.
#[test]
fn many_public_exponents() {
    for engine in engines() {
        let modulus = modulus(&engine);
        let base = BoxedUint::from(3u64);
        let in_use = || engine.secret_power_programs(2048, 2048).unwrap();
        let first = in_use();
        for k in 0..2000u64 {
            let e = u64::MAX - k;
            let exponent = BoxedUint::from(e);
            let task = Task::power(&modulus, &base, Exponent::Public(&exponent));
            let power = engine.run(&[task]).unwrap().swap_remove(0);
            let expected = BigUint::from(3u32).modpow(&e.into(), &MODULUS.into());
            assert_eq!(BigUint::from_bytes_le(&power.to_le_bytes()), expected);
            assert!(Arc::ptr_eq(&first, &in_use()), "{e}");
        }
        assert!(engine.kept_programs().1 <= KEPT);
    }
}
