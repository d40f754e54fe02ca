//! Measures the time of setup on each backend: for the first modulus of a size, which includes the
//! plan of that size; for one more modulus; and per modulus for 1,024 that are prepared together.
//! Run it in the release profile.

use std::time::{Duration, Instant};

use crypto_bigint::BoxedUint;
use sunzi_engine::{Backend, Engine, Exponent, Task};

/// Number of engines per figure.
const RUNS: u64 = 21;
/// Number of moduli that are prepared together.
const MANY: u64 = 1024;

fn main() {
    for &backend in Backend::ALL {
        if let Err(error) = backend.check() {
            println!("SKIPPED: {error}");
            continue;
        }
        for bits in [1024, 1536, 2048, 3072, 4096] {
            let [first, further] = modulus(backend, bits);
            let many = moduli(backend, bits);
            println!(
                "{backend}, {bits} bits: first modulus {first}, another {further}, each of \
                 {MANY} {many}"
            );
        }
    }
}

/// The times for the first modulus of an engine and for a further one. Each includes one power, as
/// constants are made when they are first used.
fn modulus(backend: Backend, bits: u32) -> [String; 2] {
    let mut first = Vec::new();
    let mut further = Vec::new();
    for run in 0..RUNS {
        let engine = Engine::new(backend).expect("it has been checked");
        for (times, seed) in [(&mut first, 2 * run), (&mut further, 2 * run + 1)] {
            let value = odd(bits, seed);
            let exponent = BoxedUint::one();
            let start = Instant::now();
            let modulus = engine.modulus(&value).expect("it is odd");
            let task = Task::power(&modulus, &exponent, Exponent::Public(&exponent));
            std::hint::black_box(engine.run(&[task]).expect("the engine has a device"));
            times.push(start.elapsed());
        }
    }
    [first, further].map(|times| summary(times, 1))
}

/// The time per modulus, for many that one thread prepares together.
fn moduli(backend: Backend, bits: u32) -> String {
    let engine = Engine::new(backend).expect("it has been checked");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread can be started");
    let mut times = Vec::new();
    for run in 0..5 {
        let values: Vec<BoxedUint> = (0..MANY).map(|seed| odd(bits, MANY * run + seed)).collect();
        let start = Instant::now();
        let prepared = pool.install(|| engine.moduli(&values));
        times.push(start.elapsed());
        assert!(prepared.iter().all(Result::is_ok));
    }
    summary(times, MANY)
}

/// The median and, in parentheses, the shortest time, in microseconds for each of `count` moduli.
fn summary(mut times: Vec<Duration>, count: u64) -> String {
    times.sort();
    let us = |time: Duration| time.as_secs_f64() * 1e6 / count as f64;
    let (median, fastest) = (us(times[times.len() / 2]), us(times[0]));
    format!("{median:.1} us ({fastest:.1})")
}

/// An odd number of exactly `bits` bits, a multiple of 64.
fn odd(bits: u32, seed: u64) -> BoxedUint {
    let words = (1..=u64::from(bits / 64))
        .map(|i| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1);
    BoxedUint::from_words(words)
}
