//! Any bytes as a modulus: it is prepared, or refused with the right error; and a power modulo it is
//! that of `num-bigint`, on every backend and in every layout.

#![no_main]

use crypto_bigint::BoxedUint;
use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine, EngineError, Exponent, MAX_BITS, MIN_BITS, Task, testing};

/// Engines on every backend, and on every layout alone.
static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let present = Backend::ALL
        .iter()
        .filter(|backend| backend.check().is_ok());
    let backends = present.copied().chain(testing::layouts().0);
    backends
        .map(|backend| Engine::new(backend).expect("it is present"))
        .collect()
});

fuzz_target!(|input: &[u8]| {
    let [choice, exponent_length, rest @ ..] = input else {
        return;
    };
    let engine = &ENGINES[*choice as usize % ENGINES.len()];
    let (exponent, rest) = rest.split_at(rest.len().min(usize::from(*exponent_length % 5)));
    let (base, modulus) = match choice & 0x40 {
        0 => (rest, rest),
        _ => rest.split_at(rest.len() / 2),
    };
    let uint = |bytes: &[u8]| {
        let precision = (8 * bytes.len() as u32).max(64);
        BoxedUint::from_be_slice(bytes, precision).expect("the precision is the slice's")
    };
    let big = BigUint::from_bytes_be(modulus);
    let bits = big.bits();
    let prepared = match engine.modulus(&uint(modulus)) {
        Ok(prepared) => prepared,
        Err(EngineError::ModulusSize(size)) => {
            assert_eq!(u64::from(size), bits);
            assert!(!(MIN_BITS..=MAX_BITS).contains(&size));
            return;
        }
        Err(EngineError::EvenModulus) => {
            assert!(!big.bit(0));
            return;
        }
        // A single layout may not serve a modulus; a whole backend serves all.
        Err(EngineError::NoPlan { .. }) if engine.backend().layout().is_some() => return,
        Err(error) => panic!("{}, {big:x}: {error}", engine.backend()),
    };
    assert!(big.bit(0) && u64::from(prepared.bits()) == bits);
    let (base, exponent) = (uint(base), uint(exponent));
    let exponent = match choice & 0x20 {
        0 => Exponent::Public(&exponent),
        _ => Exponent::Secret(&exponent),
    };
    let (Exponent::Public(value) | Exponent::Secret(value)) = exponent;
    let task = Task::power(&prepared, &base, exponent);
    // Two numbers, so that groups have more than one member.
    match engine.run(&[task, task]) {
        Ok(powers) => {
            let integer = |x: &BoxedUint| BigUint::from_bytes_be(&x.to_be_bytes());
            let expected = integer(&base).modpow(&integer(value), &big);
            for power in &powers {
                assert_eq!(integer(power), expected, "{}, {big:x}", engine.backend());
            }
        }
        Err(EngineError::NoPlan { .. }) if engine.backend().layout().is_some() => {}
        Err(error) => panic!("{}, {big:x}: {error}", engine.backend()),
    }
    assert!(engine.take_failures().is_empty());
});
