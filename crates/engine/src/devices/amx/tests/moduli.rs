//! Tests of which moduli tiles serve, and of results for moduli that they do and do not serve.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::{BigInt, BigUint};

use super::{SIZES, any_modulus, balanced, inverse, modulo, plan, prepare, product};
use crate::{
    Backend, Engine, Exponent, Modulus, Task,
    devices::{
        amx::{LEAST_BITS, MAX_BITS},
        tests::{big, emulate_tiles, value},
    },
};

/// The constants of moduli of every length that a plan serves can be merged.
#[test]
fn constants_of_ordinary_moduli_can_be_merged() {
    let mut state = BigUint::from(0x9e37_79b9_7f4a_7c15u64);
    let prime = (BigUint::from(1u32) << 4423) - 1u32;
    for bits in (1..=8).map(|tiles| 512 * tiles) {
        let plan = plan(bits);
        for length in [bits, bits - 31, bits - 191] {
            for _ in 0..if bits <= 1024 { 60 } else { 4 } {
                state = state.modpow(&BigUint::from(5u32), &prime);
                let mut p = BigInt::from(&state % (BigUint::from(1u32) << length));
                p.set_bit(0, true);
                p.set_bit(u64::from(length) - 1, true);
                if let Some(modulus) = prepare(&plan, &p) {
                    assert!(modulus.merged().is_some(), "{bits} bits: {p:x}");
                }
            }
        }
    }
}

#[test]
fn moduli_that_share_a_prime_with_base_a_are_refused() {
    for bits in SIZES {
        let plan = plan(bits);
        let cofactor = product(&plan.b.primes[..plan.mains() - 1]);
        assert!(prepare(&plan, &cofactor).is_some());
        for p in &plan.a.primes {
            assert!(prepare(&plan, &(&cofactor * p.m)).is_none(), "{}", p.m);
        }
    }
}

/// A modulus and a base for a power.
struct Case {
    modulus: Arc<Modulus>,
    value: BoxedUint,
    base: BoxedUint,
}

impl Case {
    fn new(engine: &Engine, p: &BigUint, seed: u64) -> Self {
        let value = BoxedUint::from_words(p.iter_u64_digits());
        Self {
            modulus: engine.modulus(&value).unwrap(),
            base: self::value(64 + 64 * (seed as u32 % 40), seed),
            value,
        }
    }

    fn task<'a>(&'a self, exponent: &'a BoxedUint) -> Task<'a> {
        Task::power(&self.modulus, &self.base, Exponent::Public(exponent))
    }

    fn check(&self, exponent: &BoxedUint, result: &BoxedUint) {
        let expected = big(&self.base).modpow(&big(exponent), &big(&self.value));
        assert_eq!(big(result), expected, "modulo {:x}", self.value);
    }
}

/// Runs the cases and checks the results. Returns false if the engine does not serve them.
fn check(engine: &Engine, cases: &[Case], exponent: u64) -> bool {
    let exponent = BoxedUint::from(exponent);
    let tasks: Vec<_> = cases.iter().map(|case| case.task(&exponent)).collect();
    let Ok(results) = engine.run(&tasks) else {
        return false;
    };
    assert_eq!(results.len(), cases.len());
    for (case, result) in cases.iter().zip(&results) {
        case.check(&exponent, result);
    }
    true
}

/// The engine on tiles with its fallback, and the engine on tiles only.
fn engines() -> Option<[Engine; 2]> {
    emulate_tiles();
    let engine = |name: &str| Engine::new(name.parse::<Backend>().unwrap());
    match (engine("amx"), engine("amx:tiles")) {
        (Ok(both), Ok(tiles)) => Some([both, tiles]),
        (Err(error), _) | (_, Err(error)) => {
            println!("SKIPPED: {error}");
            None
        }
    }
}

/// The fallback computes powers modulo a P that tiles cannot serve. Without a fallback, P is
/// refused.
#[test]
fn groups_with_a_modulus_that_is_not_served() {
    let Some([engine, tiles]) = engines() else {
        return;
    };
    for bits in [512, 1024] {
        let plan = plan(bits);
        let shared = plan.a.primes[plan.mains() / 2].m;
        let odd = big(&value(bits, 3)) / shared / 2u32 * 2u32 + 1u32;
        let bad = odd * shared;
        let refused = tiles.modulus(&BoxedUint::from_words(bad.iter_u64_digits()));
        assert!(refused.unwrap_err().to_string().contains("divides"));
        let (p, _) = any_modulus(&plan, 0);
        let mut cases: Vec<Case> = (0..20)
            .map(|seed| Case::new(&tiles, p.magnitude(), seed))
            .collect();
        assert!(check(&tiles, &cases, 11));
        cases = (0..20)
            .map(|seed| Case::new(&engine, p.magnitude(), seed))
            .collect();
        cases.insert(7, Case::new(&engine, &bad, 1));
        assert!(check(&engine, &cases, 11));
        assert!(check(&engine, &cases[7..8], 11));
        assert_eq!(engine.take_failures(), []);
    }
}

/// Moduli of every size class, from the smallest to the largest. P may be much smaller than its
/// plan.
#[test]
fn every_size_class() {
    let Some([_, tiles]) = engines() else { return };
    let mut sizes: Vec<u32> = (LEAST_BITS..=MAX_BITS).map(crate::size_class).collect();
    sizes.dedup();
    assert!(sizes.len() > 20);
    let mut below = LEAST_BITS - 64;
    for bits in sizes {
        let one = BigUint::from(1u32);
        let ends = [&one << below, (&one << bits) - 1000u32, &one << (bits - 1)];
        let mut cases: Vec<Case> = Vec::new();
        for (seed, end) in (0..).zip(ends) {
            // The next modulus that is coprime to base A.
            let served = (0..100u32).map(|k| &end + (2 * k + 1)).find(|p| {
                tiles
                    .modulus(&BoxedUint::from_words(p.iter_u64_digits()))
                    .is_ok()
            });
            let served = served.expect("one of a hundred is coprime to base A");
            cases.push(Case::new(&tiles, &served, 7 * seed + 1));
        }
        assert!(check(&tiles, &cases, 13), "{bits} bits");
        below = bits;
    }
}

/// Merged constants and constants in lanes give the same results.
#[test]
fn merged_constants_and_constants_in_lanes_agree() {
    let Some([_, tiles]) = engines() else { return };
    for bits in SIZES {
        let (p, modulus) = any_modulus(&plan(bits), 0);
        assert!(modulus.merged().is_some());
        // Enough products for constants to be merged.
        let exponent = value(if bits <= 1024 { 256 } else { 64 }, 5);
        let cases: Vec<Case> = (0..32)
            .map(|seed| Case::new(&tiles, p.magnitude(), seed))
            .collect();
        let run = |modulus: &dyn Fn(usize) -> Arc<Modulus>| {
            let moduli: Vec<_> = (0..cases.len()).map(modulus).collect();
            let task = |(case, modulus)| {
                let case: &Case = case;
                Task::power(modulus, &case.base, Exponent::Secret(&exponent))
            };
            let tasks: Vec<_> = cases.iter().zip(&moduli).map(task).collect();
            tiles.run(&tasks).unwrap()
        };
        // Each case has prepared the modulus anew, so that they are not the same object.
        let in_lanes = run(&|number| Arc::clone(&cases[number].modulus));
        let merged = run(&|_| Arc::clone(&cases[0].modulus));
        for (case, (merged, in_lanes)) in cases.iter().zip(merged.iter().zip(&in_lanes)) {
            assert_eq!(merged.as_words(), in_lanes.as_words());
            case.check(&exponent, merged);
        }
    }
}

/// A modulus for which all factors of merged digits are as large as possible, so that its overshoot
/// would exceed c. Its constants are used in lanes.
#[test]
fn a_modulus_whose_constants_cannot_be_merged() {
    let Some([_, tiles]) = engines() else { return };
    let plan = plan(512);
    let a = product(&plan.a.primes);
    let chosen = &plan.a.primes[..plan.mains() - 1];
    let part = product(chosen);
    let mut p = BigInt::ZERO;
    for prime in chosen {
        // The factors of both digits near m / 2.
        let m = prime.m;
        let both = |f: &u32| balanced(&BigInt::from(*f), m) + balanced(&BigInt::from(f * 256), m);
        let factor = (1..m.min(65_536)).max_by_key(both).unwrap();
        // factor = -P^-1 R (A/m)^-1
        let residue = inverse(&(&a / m * factor), m) * -65_536;
        let rest = &part / m;
        p += modulo(&(residue * inverse(&rest, m)), m) * rest;
    }
    let mut p = p % &part;
    while !p.bit(0) || prepare(&plan, &p).is_none() {
        p += &part;
    }
    let length = p.bits();
    assert!((320..=512).contains(&length), "{length}");
    let modulus = prepare(&plan, &p).unwrap();
    assert!(modulus.merged().is_none());
    let shared = Case::new(&tiles, p.magnitude(), 0);
    let cases: Vec<Case> = (0..32)
        .map(|seed| Case {
            modulus: Arc::clone(&shared.modulus),
            value: shared.value.clone(),
            base: value(512, seed),
        })
        .collect();
    assert!(check(&tiles, &cases, 21));
}
