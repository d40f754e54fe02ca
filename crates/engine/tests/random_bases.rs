//! Engines in random bases, and with redundant channels, give the same results as without.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{
    Backend, Engine, EngineBuilder, EngineError, Exponent, Modulus, Task, size_class,
};

/// An integer of at most this many bits, random and the same in every run.
fn integer(bits: u32, seed: u64) -> BigUint {
    let mut state = seed;
    let digits = (0..bits.div_ceil(32)).map(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32
    });
    BigUint::new(digits.collect()) >> (bits.next_multiple_of(32) - bits)
}

/// An odd modulus of exactly this many bits.
fn modulus(bits: u32, seed: u64) -> BigUint {
    let mut modulus = integer(bits, seed);
    modulus.set_bit(u64::from(bits) - 1, true);
    modulus.set_bit(0, true);
    modulus
}

fn boxed(x: &BigUint) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(&x.to_bytes_be())
}

/// Every backend of this processor in random bases, except those of limbs, which have none; and every backend
/// that has redundant channels with them, in random and in fixed bases.
fn engines() -> Vec<Engine> {
    let builder = |&backend: &Backend| Engine::builder().backend(backend);
    let builders = Backend::ALL.iter().flat_map(|backend| {
        [
            builder(backend).random_bases(3),
            builder(backend).random_bases(3).redundancy(2),
            builder(backend).redundancy(1),
            builder(backend).redundancy(3),
        ]
    });
    let engine = |builder: EngineBuilder| match builder.build() {
        Ok(engine) => Some(engine),
        Err(EngineError::NoBases { .. } | EngineError::NoRedundancy { .. }) => None,
        Err(error) => {
            println!("SKIPPED: {error}");
            None
        }
    };
    builders.filter_map(engine).collect()
}

/// Checks powers modulo these numbers, all in one batch, on an engine against num-bigint.
fn check(engine: &Engine, moduli: &[BigUint]) {
    let prepare = |modulus: &BigUint| engine.modulus(&boxed(modulus)).unwrap();
    let prepared: Vec<Arc<Modulus>> = moduli.iter().map(prepare).collect();
    let one = BigUint::from(1u32);
    let bases: Vec<BigUint> = (0u64..)
        .zip(moduli)
        .map(|(k, modulus)| match k % 5 {
            0 => modulus - &one,
            1 => one.clone(),
            // Longer than the modulus.
            2 => integer(modulus.bits() as u32 + 70, k),
            _ => integer(modulus.bits() as u32, k) % modulus,
        })
        .collect();
    let exponents: Vec<BigUint> = (0..moduli.len() as u64).map(|k| integer(40, k)).collect();
    let (inputs, scalars): (Vec<BoxedUint>, Vec<BoxedUint>) = (
        bases.iter().map(boxed).collect(),
        exponents.iter().map(boxed).collect(),
    );
    let tasks: Vec<Task<'_>> = (prepared.iter().zip(&inputs).zip(&scalars).enumerate())
        .map(|(k, ((modulus, base), exponent))| {
            let exponent = match k % 2 {
                0 => Exponent::Secret(exponent),
                _ => Exponent::Public(exponent),
            };
            Task::power(modulus, base, exponent)
        })
        .collect();
    let results = engine.run(&tasks).unwrap();
    assert_eq!(engine.faults_found(), 0);
    for (k, (modulus, result)) in moduli.iter().zip(&results).enumerate() {
        let result = BigUint::from_bytes_be(&result.to_be_bytes());
        let expected = bases[k].modpow(&exponents[k], modulus);
        let backend = engine.backend();
        assert_eq!(
            result,
            expected,
            "{backend}, {} bits, number {k}",
            modulus.bits()
        );
    }
}

/// Sizes at the ends of size classes, where one plan gives way to the next, in batches of one
/// number, of whole groups, and of some more; three times, so that several plans are drawn.
#[test]
fn sizes_and_batches() {
    for engine in engines() {
        for bits in [64, 65, 127, 128, 256, 511, 512, 513, 1024, 1025, 2048] {
            assert!(size_class(bits) >= bits);
            for count in [1, 2, 35] {
                let seeds = (0..count).map(|seed| modulus(bits, u64::from(bits) + seed));
                check(&engine, &seeds.collect::<Vec<_>>());
            }
        }
        // All sizes in one batch.
        let mixed = (64..1200).step_by(37).map(|bits| modulus(bits, 5));
        check(&engine, &mixed.collect::<Vec<_>>());
        check(&engine, &[modulus(4096, 1), modulus(4095, 2)]);
    }
}

/// Moduli divisible by many primes of a plan: with any draw, some of the primes are in base A.
#[test]
fn moduli_that_share_primes_with_the_bases() {
    for width in [16, 23, 24, 25, 28, 29, 49] {
        let primes: Vec<BigUint> = sunzi_rns::primes::descending_vartime(width)
            .take(40)
            .map(BigUint::from)
            .collect();
        let products = [2, 7, 20, 40].map(|count| primes[..count].iter().product::<BigUint>());
        let moduli: Vec<BigUint> = (products.into_iter())
            .map(|product| match product.bits() {
                ..64 => product * modulus(64, 3),
                _ => product,
            })
            .collect();
        for engine in engines() {
            for _ in 0..3 {
                check(&engine, &moduli);
            }
        }
    }
}
