//! Tests of refused moduli, of a very large batch, and of precisions beyond the number.

use crypto_bigint::{BoxedUint, Resize};
use num_bigint::BigUint;
use sunzi_engine::{Backend, EngineError, Exponent, Task};

use crate::{
    backends::engines,
    numbers::{big, ones, power_of_two, uint},
};

#[test]
fn a_million_and_three_tasks() {
    let engine = &engines()[0];
    let modulus_value = u64::MAX - 58;
    let modulus = engine.modulus(&BoxedUint::from(modulus_value)).unwrap();
    let exponent = BoxedUint::from(5u64);
    let bases: Vec<BoxedUint> = (0..1_000_003u64).map(BoxedUint::from).collect();
    let tasks: Vec<Task<'_>> = bases
        .iter()
        .map(|base| Task::power(&modulus, base, Exponent::Public(&exponent)))
        .collect();
    let results = engine.run(&tasks).unwrap();
    assert_eq!(results.len(), 1_000_003);
    for (base, result) in (0u128..).zip(&results) {
        // The power is below 2^100.
        let expected = base.pow(5) % u128::from(modulus_value);
        assert_eq!(**result, BoxedUint::from(expected as u64), "{base}");
    }
}

#[test]
fn bad_moduli_are_refused() {
    for engine in engines() {
        let refused = |value: BigUint| engine.modulus(&uint(&value)).unwrap_err();
        assert_eq!(refused(power_of_two(127)), EngineError::EvenModulus);
        assert_eq!(refused(ones(63)), EngineError::ModulusSize(63));
        assert_eq!(
            refused(power_of_two(16_384) + 1u32),
            EngineError::ModulusSize(16_385)
        );
        assert_eq!(refused(BigUint::ZERO), EngineError::ModulusSize(0));
    }
    let error = "abacus".parse::<Backend>().unwrap_err();
    assert_eq!(
        error,
        EngineError::UnknownBackend {
            name: "abacus".into(),
            known: "cuda-matrix, cuda, avx512, octet, radix52, float, fused52, portable, radix64"
                .into(),
        }
    );
    assert!(error.to_string().contains("portable"), "{error}");
}

/// A precision beyond the number does not change the result.
#[test]
fn precision_beyond_the_number() {
    for engine in engines() {
        let modulus_value = ones(127);
        let modulus = engine.modulus(&uint(&modulus_value).resize(512)).unwrap();
        let base = BoxedUint::from(7u64).resize(1024);
        let exponent = BoxedUint::from(1000u64).resize(256);
        let task = Task::power(&modulus, &base, Exponent::Secret(&exponent));
        let results = engine.run(&[task]).unwrap();
        let expected = BigUint::from(7u32).modpow(&1000u32.into(), &modulus_value);
        assert_eq!(big(&results[0]), expected);
        assert_eq!(results[0].bits_precision(), 128);
    }
}
