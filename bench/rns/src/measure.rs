//! Measurement of several contestants, which take turns in many short repetitions. The minimum and
//! the median of each are reported.

use serde::Serialize;
use std::time::{Duration, Instant};

/// The shortest time of a repetition, so that reading the clock does not matter.
const REPETITION: Duration = Duration::from_micros(200);

/// The time after which a row ends, if it has at least [`FEWEST`] samples.
const BUDGET: Duration = Duration::from_secs(2);

/// The smallest number of samples of a row.
const FEWEST: usize = 5;

/// An operation of one contestant. It passes its result to `black_box`.
pub(crate) type Operation<'a> = Box<dyn FnMut() + 'a>;

/// The times of one contestant, in nanoseconds per operation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Times {
    pub(crate) min_ns: f64,
    pub(crate) median_ns: f64,
}

/// The times of each contestant. There are `repetitions` rounds, and in each round every contestant
/// runs as many operations as take [`REPETITION`], at least one. Slow rows stop after [`BUDGET`].
pub(crate) fn alternate(contestants: &mut [Operation<'_>], repetitions: usize) -> Vec<Times> {
    let counts: Vec<u32> = contestants.iter_mut().map(calibrate).collect();
    let mut samples = vec![Vec::with_capacity(repetitions); contestants.len()];
    let start = Instant::now();
    for round in 0..repetitions {
        if round >= FEWEST && start.elapsed() > BUDGET {
            break;
        }
        for ((operation, &count), samples) in contestants.iter_mut().zip(&counts).zip(&mut samples)
        {
            let elapsed = time(operation, count);
            samples.push(elapsed.as_secs_f64() * 1e9 / f64::from(count));
        }
    }
    samples.into_iter().map(summary).collect()
}

/// The number of operations that take [`REPETITION`]. Finding it also warms the caches.
fn calibrate(operation: &mut Operation<'_>) -> u32 {
    let mut count = 1;
    while time(operation, count) < REPETITION && count < 1 << 24 {
        count *= 2;
    }
    count
}

/// The time of `count` operations.
fn time(operation: &mut Operation<'_>, count: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        operation();
    }
    start.elapsed()
}

fn summary(mut samples: Vec<f64>) -> Times {
    samples.sort_by(f64::total_cmp);
    Times {
        min_ns: samples[0],
        median_ns: samples[samples.len() / 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_and_median_of_the_samples() {
        let times = summary(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(
            times,
            Times {
                min_ns: 1.0,
                median_ns: 3.0
            }
        );
    }

    #[test]
    fn contestants_alternate() {
        let (mut a, mut b) = (0u64, 0u64);
        let times = alternate(&mut [Box::new(|| a += 1), Box::new(|| b += 1)], 3);
        assert_eq!(times.len(), 2);
        assert!(a > 3 && b > 3);
    }
}
