//! Moduli that share primes with the engine's bases, which anyone can make: results are right, and
//! such moduli take neither more memory nor much more time than others.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use sunzi_rns::primes;

/// An odd number of exactly `bits` bits that is different for each seed, and divisible by two primes
/// of 16 bits and two of each width that channels have.
fn hostile(bits: u32, seed: usize) -> BigUint {
    let mut product = BigUint::from(2 * seed + 1);
    for width in [16].into_iter().chain(24..=30).chain(46..=50) {
        let skipped = if width == 16 { 0 } else { seed % 20 };
        let primes = primes::descending_vartime(width)
            .skip(skipped)
            .step_by(3)
            .take(2);
        product = primes.fold(product, |product, prime| product * prime);
    }
    let cofactor = (BigUint::from(1u32) << (bits - 1)) / &product + 1u32;
    let modulus = product * (cofactor | BigUint::from(1u32));
    assert_eq!(modulus.bits(), bits.into());
    modulus
}

fn boxed(x: &BigUint, bits: u32) -> BoxedUint {
    BoxedUint::from_le_slice(&x.to_bytes_le(), bits.next_multiple_of(64)).unwrap()
}

/// Powers modulo `count` different hostile moduli, each compared with num-bigint.
fn powers_are_right(engine: &Engine, bits: u32, count: usize) {
    let moduli: Vec<BigUint> = (0..count).map(|seed| hostile(bits, seed)).collect();
    let values: Vec<BoxedUint> = moduli.iter().map(|modulus| boxed(modulus, bits)).collect();
    let prepared = engine
        .moduli(&values)
        .into_iter()
        .collect::<Result<Vec<_>, _>>();
    let prepared = prepared.unwrap();
    let bases: Vec<BigUint> = moduli.iter().map(|modulus| modulus / 3u32 - 1u32).collect();
    let boxed_bases: Vec<BoxedUint> = bases.iter().map(|base| boxed(base, bits)).collect();
    let exponents = [65_537u64, 0xfeed_5eed].map(BoxedUint::from);
    let tasks: Vec<Task<'_>> = (prepared.iter().zip(&boxed_bases).enumerate())
        .map(|(index, (modulus, base))| {
            let exponent = &exponents[index % 2];
            let secret = [Exponent::Public(exponent), Exponent::Secret(exponent)];
            let [public, secret] = secret;
            Task::power(modulus, base, if index % 3 == 0 { secret } else { public })
        })
        .collect();
    let results = engine.run(&tasks).unwrap();
    for (index, result) in results.iter().enumerate() {
        let exponent = [65_537u32, 0xfeed_5eed][index % 2];
        let expected = bases[index].modpow(&exponent.into(), &moduli[index]);
        assert_eq!(
            BigUint::from_bytes_le(&result.to_le_bytes()),
            expected,
            "{index}"
        );
    }
}

/// The process' memory in bytes, if the system reports it.
fn resident() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * pages.split(' ').nth(1)?.parse::<usize>().ok()?)
}

#[test]
fn hostile_moduli_take_no_memory_of_their_own() {
    /// The limit in bytes for 60 prepared moduli. With a plan for each modulus they would take a gigabyte on
    /// `portable`.
    const MOST: usize = 100 << 20;
    for &backend in Backend::ALL {
        let engine = match Engine::new(backend) {
            Ok(engine) => engine,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        powers_are_right(&engine, 2048, 100);
        powers_are_right(&engine, 1024, 100);
        // Makes the plans that all moduli of this size share.
        powers_are_right(&engine, 16_384, 2);
        let before = resident();
        powers_are_right(&engine, 16_384, 60);
        match before.zip(resident()) {
            Some((before, after)) => {
                let grown = after.saturating_sub(before);
                println!("{backend}: {} MiB more for 16,384 bits", grown >> 20);
                assert!(grown <= MOST, "{backend}: {grown} bytes");
            }
            None => println!("SKIPPED: memory, which this system does not tell"),
        }
    }
}
