//! Measures the time of setup on each backend: the first modulus of a size, with the plan of that
//! size, and a further modulus. Run it in the release profile.

use std::time::{Duration, Instant};

use crypto_bigint::BoxedUint;
use sunzi_engine::{Backend, Engine, Exponent, Task};

/// Number of engines per figure.
const RUNS: u64 = 21;

fn main() {
    for &backend in Backend::ALL {
        if let Err(error) = backend.check() {
            println!("SKIPPED: {error}");
            continue;
        }
        for bits in [1024, 1536, 2048, 3072, 4096] {
            let [first, further] = modulus(backend, bits);
            println!("{backend}, {bits} bits: first modulus {first}, another {further}");
        }
    }
}

/// The times for the first modulus of an engine and for a further one. Each includes one power, as
/// layouts are made when they are first used.
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
    [first, further].map(summary)
}

/// The median and, in parentheses, the shortest time, in milliseconds.
fn summary(mut times: Vec<Duration>) -> String {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, fastest) = (ms(times[times.len() / 2]), ms(times[0]));
    format!("{median:.2} ms ({fastest:.2})")
}

/// An odd number of exactly `bits` bits, a multiple of 64.
fn odd(bits: u32, seed: u64) -> BoxedUint {
    let words = (1..=u64::from(bits / 64))
        .map(|i| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1);
    BoxedUint::from_words(words)
}
