//! Times of several contestants, which take turns in many short repetitions.

use serde::Serialize;
use std::time::{Duration, Instant};

/// The shortest time of a repetition, so that reading the clock does not matter.
const REPETITION: Duration = Duration::from_micros(200);

/// The smallest number of samples of a contestant.
const FEWEST: usize = 5;

/// The limits of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The number of repetitions.
    pub repetitions: usize,
    /// The time after which a measurement ends, if it has at least 5 samples of each contestant.
    pub budget: Duration,
}

/// An operation of one contestant. It passes its result to `black_box`.
pub type Operation<'a> = Box<dyn FnMut() + 'a>;

/// The times of one contestant, in nanoseconds per operation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// The number of repetitions that were measured.
    pub repetitions: usize,
    /// The shortest time.
    pub min_ns: f64,
    /// The lower quartile.
    pub lower_ns: f64,
    /// The median.
    pub median_ns: f64,
    /// The upper quartile.
    pub upper_ns: f64,
}

impl Times {
    /// Half the distance between the quartiles.
    pub fn spread_ns(&self) -> f64 {
        (self.upper_ns - self.lower_ns) / 2.0
    }
}

/// The times of each contestant. In each round every contestant runs as many operations as take
/// 200 microseconds, at least one.
pub fn alternate(contestants: &mut [Operation<'_>], patience: Patience) -> Vec<Times> {
    let counts: Vec<u32> = contestants.iter_mut().map(calibrate).collect();
    let mut samples = vec![Vec::with_capacity(patience.repetitions); contestants.len()];
    let start = Instant::now();
    for round in 0..patience.repetitions.max(1) {
        if round >= FEWEST && start.elapsed() > patience.budget {
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

/// The order statistics of at least one sample.
pub(crate) fn summary(mut samples: Vec<f64>) -> Times {
    samples.sort_by(f64::total_cmp);
    let at = |part: usize| samples[(samples.len() - 1) * part / 4];
    Times {
        repetitions: samples.len(),
        min_ns: samples[0],
        lower_ns: at(1),
        median_ns: samples[samples.len() / 2],
        upper_ns: at(3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_the_samples() {
        let times = summary(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        let expected = Times {
            repetitions: 5,
            min_ns: 1.0,
            lower_ns: 2.0,
            median_ns: 3.0,
            upper_ns: 4.0,
        };
        assert_eq!(times, expected);
        assert!((times.spread_ns() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn contestants_alternate() {
        let (mut a, mut b) = (0u64, 0u64);
        let patience = Patience {
            repetitions: 3,
            budget: Duration::from_secs(2),
        };
        let times = alternate(&mut [Box::new(|| a += 1), Box::new(|| b += 1)], patience);
        assert_eq!(times.len(), 2);
        assert!(a > 3 && b > 3);
    }
}
