//! Primes by the batch, against num-bigint and known numbers.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use std::ops::ControlFlow;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::primes::{Kind, PrimeError, generate_batch, is_prime_batch, unwatched};
use sunzi_pk::system_rng;

fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_be(&x.to_be_bytes())
}

fn uint(x: &BigUint) -> BoxedUint {
    let bits = (x.bits() as u32).max(1).next_multiple_of(64);
    BoxedUint::from_be_slice(&x.to_bytes_be(), bits).unwrap()
}

/// Ten rounds of Miller-Rabin with small bases: an implementation of its own.
fn is_prime(n: &BigUint) -> bool {
    let one = BigUint::from(1u32);
    let two = BigUint::from(2u32);
    if n < &two || (n % 2u32 == BigUint::ZERO && n != &two) {
        return n == &two;
    }
    let s = (n - 1u32).trailing_zeros().unwrap();
    let d = (n - 1u32) >> s;
    [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29].iter().all(|&base| {
        let mut x = BigUint::from(base).modpow(&d, n);
        if n <= &BigUint::from(base) || x == one || x == n - 1u32 {
            return true;
        }
        (1..s).any(|_| {
            x = x.modpow(&two, n);
            x == n - 1u32
        })
    })
}

fn engines() -> Vec<Engine> {
    let mut backends = vec![Backend::PORTABLE];
    if Backend::best() != Backend::PORTABLE {
        backends.push(Backend::best());
    }
    let engine = |&backend| Engine::new(backend).unwrap();
    backends.iter().map(engine).collect()
}

#[test]
fn primes_of_every_kind() {
    for engine in engines() {
        for (kind, bits, count) in [
            (Kind::Any, 128, 20),
            (Kind::Any, 512, 5),
            (Kind::Any, 1023, 2),
            (Kind::Blum, 129, 20),
            (Kind::Blum, 768, 3),
            (Kind::Safe, 128, 6),
            (Kind::Safe, 129, 3),
            (Kind::Safe, 193, 3),
            (Kind::Safe, 256, 3),
        ] {
            let rng = &mut system_rng();
            let primes = generate_batch(&engine, rng, kind, bits, count, &mut unwatched).unwrap();
            assert_eq!(primes.len(), count);
            for prime in &primes {
                let p = big(prime);
                assert_eq!((&p * &p).bits(), 2 * u64::from(bits), "{kind:?}, {bits}");
                assert!(is_prime(&p), "{p} is not prime");
                match kind {
                    Kind::Blum => assert_eq!(&p % 4u32, BigUint::from(3u32)),
                    Kind::Safe => assert!(is_prime(&(p >> 1u32))),
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn verdicts_on_known_numbers() {
    let power = |k: u32| BigUint::from(1u32) << k;
    let mersenne = |k: u32| power(k) - 1u32;
    // p (2 p - 1) for primes p and 2 p - 1, which passes for as many bases as a composite can.
    let passes_often = (0..100_000u32)
        .map(|i| power(96) + 1u32 + 2 * i)
        .find(|p| is_prime(p) && is_prime(&(2u32 * p - 1u32)))
        .map(|p| (2u32 * &p - 1u32) * p)
        .unwrap();
    let cases = [
        (BigUint::ZERO, false),
        (BigUint::from(1u32), false),
        (BigUint::from(2u32), true),
        (BigUint::from(9u32), false),
        (BigUint::from(65_537u32), true),
        (BigUint::from(4_294_967_291u64), true),
        (BigUint::from(18_446_744_073_709_551_557u64), true),
        (BigUint::from(18_446_744_073_709_551_615u64), false),
        (power(64) + 13u32, true),
        (power(64) + 15u32, false),
        (power(127), false),
        (mersenne(127), true),
        (mersenne(521), true),
        (mersenne(523), false),
        (mersenne(607), true),
        (mersenne(127) * mersenne(89), false),
        (mersenne(127) * mersenne(127), false),
        // s is large: 3 2^189 + 1 and 5 2^127 + 1 are primes.
        (BigUint::from(3u32) * power(189) + 1u32, true),
        (BigUint::from(5u32) * power(127) + 1u32, true),
        (BigUint::from(3u32) * power(188) + 1u32, false),
        (passes_often, false),
    ];
    for engine in engines() {
        let numbers: Vec<_> = cases.iter().map(|(n, _)| uint(n)).collect();
        let verdicts = is_prime_batch(&engine, &mut system_rng(), &numbers);
        for ((n, expected), verdict) in cases.iter().zip(verdicts) {
            assert_eq!(verdict, Ok(*expected), "{n}");
        }
    }
}

/// All odd numbers of an interval, and all products of two primes of it.
#[test]
fn verdicts_agree_with_another_implementation() {
    let engine = &engines()[0];
    let start = (BigUint::from(1u32) << 96) + 1u32;
    let mut numbers: Vec<_> = (0..400u32).map(|i| &start + 2 * i).collect();
    let primes: Vec<_> = numbers.iter().filter(|n| is_prime(n)).cloned().collect();
    assert!(primes.len() > 5);
    for p in &primes {
        numbers.extend(primes.iter().map(|q| p * q));
    }
    let given: Vec<_> = numbers.iter().map(uint).collect();
    let verdicts = is_prime_batch(engine, &mut system_rng(), &given);
    for (n, verdict) in numbers.iter().zip(verdicts) {
        assert_eq!(verdict, Ok(is_prime(n)), "{n}");
    }
}

#[test]
fn a_number_that_is_too_long_harms_no_neighbour() {
    let engine = &engines()[0];
    let long = (BigUint::from(1u32) << 16_385) - 1u32;
    // Without small factors, so that the sieve does not decide.
    let long = (0..100_000u32)
        .map(|i| &long + 2u32 * i)
        .find(|n| (3u32..65_536).step_by(2).all(|r| n % r != BigUint::ZERO));
    let numbers = [
        uint(&((BigUint::from(1u32) << 127) - 1u32)),
        uint(&long.unwrap()),
        BoxedUint::from(7u32),
    ];
    let verdicts = is_prime_batch(engine, &mut system_rng(), &numbers);
    assert_eq!(verdicts[0], Ok(true));
    assert!(matches!(verdicts[1], Err(PrimeError::Engine(_))));
    assert_eq!(verdicts[2], Ok(true));
}

#[test]
fn what_is_refused_and_what_is_cancelled() {
    let engine = &engines()[0];
    let rng = &mut system_rng();
    for bits in [0, 127, 8193, u32::MAX] {
        let result = generate_batch(engine, rng, Kind::Any, bits, 1, &mut unwatched);
        assert_eq!(result.unwrap_err(), PrimeError::Size(bits));
    }
    let none = generate_batch(engine, rng, Kind::Safe, 2048, 0, &mut unwatched);
    assert!(none.unwrap().is_empty());
    let mut calls = 0;
    let mut watch = |progress: sunzi_pk::primes::Progress| {
        assert!(progress.found < 20 && progress.wanted == 20);
        calls += 1;
        if calls < 3 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    // So many that three calls are never enough.
    let result = generate_batch(engine, rng, Kind::Safe, 2048, 20, &mut watch);
    assert_eq!(result.unwrap_err(), PrimeError::Cancelled);
    assert_eq!(calls, 3);
}

/// A generator that always gives the same bytes.
struct Stuck;

impl rand_core::TryRng for Stuck {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(0xfefe_fefe)
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(0xfefe_fefe_fefe_fefe)
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(0xfe);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Stuck {}

#[test]
fn a_broken_generator_is_noticed() {
    let engine = &engines()[0];
    for kind in [Kind::Any, Kind::Blum, Kind::Safe] {
        let result = generate_batch(engine, &mut Stuck, kind, 256, 1, &mut unwatched);
        let error = result.unwrap_err();
        let noticed = matches!(error, PrimeError::NoPrime(_) | PrimeError::NoBase);
        assert!(noticed, "{error}");
    }
}
