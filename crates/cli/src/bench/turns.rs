//! The measurement of times, in turns.
//!
//! The contestants (the backends and peers that do the same operation) each have a short *burst* in
//! turn, round after round, so that other activity of the machine affects all of them. A burst
//! repeats a unit of operations for some milliseconds, or does it once if it takes longer.

use crate::failure::Failure;
use std::time::Instant;

/// A function that does a unit of operations for a given number of times.
pub(super) type RepeatUnit<'a> = Box<dyn FnMut(usize) -> Result<(), Failure> + 'a>;

/// A backend or a peer that is measured.
pub(super) struct Contestant<'a> {
    /// The name of the backend, or the name and version of the peer.
    pub(super) name: String,
    /// Does a unit of operations for a given number of times.
    pub(super) repeat: RepeatUnit<'a>,
    /// The number of operations in a unit.
    pub(super) unit: usize,
}

/// The measured times of one operation of a contestant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OperationTimes {
    /// The median over the bursts, in microseconds.
    pub(crate) median_us: f64,
    /// The smallest time of all bursts, in microseconds.
    pub(crate) best_us: f64,
    /// The number of bursts.
    pub(super) bursts: usize,
}

/// The intended duration of a burst. A burst is longer if one unit takes longer.
const BURST_SECONDS: f64 = 0.005;
/// The smallest number of bursts for each contestant, unless they exceed [`MAX_OVERRUN`].
const MIN_BURSTS: usize = 5;
/// The number of times that the bursts may exceed the time asked for, to reach [`MIN_BURSTS`].
const MAX_OVERRUN: f64 = 4.0;

/// The bursts of one contestant so far.
struct Bursts {
    /// The number of units in a burst.
    repetitions: usize,
    /// For each burst, the seconds for one operation.
    operation: Vec<f64>,
    /// The seconds of all bursts together.
    spent: f64,
}

impl Bursts {
    fn are_enough(&self, seconds: f64) -> bool {
        let many = self.spent >= seconds && self.operation.len() >= MIN_BURSTS;
        many || self.spent >= MAX_OVERRUN * seconds
    }

    fn add(&mut self, elapsed: f64, operations: usize) {
        self.operation.push(elapsed / operations as f64);
        self.spent += elapsed;
    }

    fn times(mut self) -> OperationTimes {
        self.operation.sort_by(f64::total_cmp);
        let n = self.operation.len();
        let median = f64::midpoint(self.operation[(n - 1) / 2], self.operation[n / 2]);
        OperationTimes {
            median_us: 1e6 * median,
            best_us: 1e6 * self.operation[0],
            bursts: n,
        }
    }
}

/// The seconds that a contestant takes for this number of units.
fn timed(contestant: &mut Contestant<'_>, repetitions: usize) -> Result<f64, Failure> {
    let start = Instant::now();
    (contestant.repeat)(repetitions)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Measures the contestants: each does a burst, round after round, until it has spent `seconds`.
pub(super) fn take(
    contestants: &mut [Contestant<'_>],
    seconds: f64,
) -> Result<Vec<OperationTimes>, Failure> {
    let mut all = Vec::with_capacity(contestants.len());
    for contestant in &mut *contestants {
        let mut bursts = Bursts {
            repetitions: 1,
            operation: Vec::new(),
            spent: 0.0,
        };
        // The first unit fills caches, makes plans and raises the processor's clock, so it is not
        // measured, unless it alone takes all the time asked for: then this does not matter.
        let first = timed(contestant, 1)?;
        if first >= seconds {
            bursts.add(first, contestant.unit);
        } else {
            let second = timed(contestant, 1)?;
            bursts.repetitions = (BURST_SECONDS / second).ceil().clamp(1.0, 1e6) as usize;
        }
        all.push(bursts);
    }
    while !all.iter().all(|bursts| bursts.are_enough(seconds)) {
        for (contestant, bursts) in contestants.iter_mut().zip(&mut all) {
            if !bursts.are_enough(seconds) {
                let elapsed = timed(contestant, bursts.repetitions)?;
                bursts.add(elapsed, bursts.repetitions * contestant.unit);
            }
        }
    }
    Ok(all.into_iter().map(Bursts::times).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn bursts(operation: &[f64]) -> Bursts {
        Bursts {
            repetitions: 1,
            operation: operation.to_vec(),
            spent: operation.iter().sum(),
        }
    }

    #[test]
    fn the_median_is_the_middle() {
        let times = bursts(&[3e-6, 1e-6, 2e-6]).times();
        assert!((times.median_us - 2.0).abs() < 1e-9);
        assert!((times.best_us - 1.0).abs() < 1e-9);
        assert_eq!(times.bursts, 3);
        assert!((bursts(&[4e-6, 1e-6]).times().median_us - 2.5).abs() < 1e-9);
    }

    #[test]
    fn slow_operations_end_before_the_smallest_number_of_bursts() {
        assert!(!bursts(&[0.1; 4]).are_enough(0.2));
        assert!(bursts(&[0.1; 5]).are_enough(0.2));
        assert!(bursts(&[1.0]).are_enough(0.2));
        assert!(!bursts(&[0.01; 6]).are_enough(0.2));
    }

    #[test]
    fn all_contestants_have_turns() {
        let order = RefCell::new(String::new());
        let mut contestants: Vec<_> = ["a", "b", "c"]
            .map(|name| Contestant {
                name: name.into(),
                repeat: Box::new(|repetitions| {
                    order.borrow_mut().push_str(name);
                    std::thread::sleep(std::time::Duration::from_millis(1) * repetitions as u32);
                    Ok(())
                }),
                unit: 1,
            })
            .into();
        let times = take(&mut contestants, 0.001).unwrap();
        assert!(times.iter().all(|t| t.best_us <= t.median_us));
        drop(contestants);
        assert!(order.into_inner().contains("abc"));
    }

    #[test]
    fn a_failure_ends_the_measurement() {
        let repeat: RepeatUnit<'_> = Box::new(|_| Err(Failure::new("no")));
        let contestant = Contestant {
            name: String::new(),
            repeat,
            unit: 1,
        };
        assert!(take(&mut [contestant], 1.0).is_err());
    }
}
