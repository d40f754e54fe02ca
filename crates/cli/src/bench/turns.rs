//! Taking turns: how times are measured.
//!
//! Everybody who does the same work (each backend, each peer) has a short *burst* in turn, round
//! after round, so that whatever else the machine does falls on all of them. A burst repeats the
//! work for some milliseconds, or does it once if it takes longer.

use crate::failure::Failure;
use std::time::Instant;

/// Does a unit of work so many times.
pub(crate) type Work<'a> = Box<dyn FnMut(usize) -> Result<(), Failure> + 'a>;

/// Somebody who does the work.
pub(crate) struct Contestant<'a> {
    /// Backend, or library and version.
    pub(crate) name: String,
    /// Does [`unit`](Self::unit) operations, so many times.
    pub(crate) work: Work<'a>,
    /// Operations in a unit.
    pub(crate) unit: usize,
}

/// What was found out about a contestant. Times are of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) median_us: f64,
    pub(super) best_us: f64,
    /// How many bursts were measured.
    pub(super) bursts: usize,
}

/// A burst takes this long, or as long as a unit of work.
const BURST_SECONDS: f64 = 0.005;
/// Every contestant has so many bursts at least, ...
const MIN_BURSTS: usize = 5;
/// ... unless they take this many times the time that was asked for.
const PATIENCE: f64 = 4.0;

/// One contestant's bursts so far.
struct Bursts {
    repetitions: usize,
    /// Seconds of one operation.
    operation: Vec<f64>,
    /// Seconds of all.
    spent: f64,
}

impl Bursts {
    fn are_enough(&self, seconds: f64) -> bool {
        let many = self.spent >= seconds && self.operation.len() >= MIN_BURSTS;
        many || self.spent >= PATIENCE * seconds
    }

    fn add(&mut self, elapsed: f64, operations: usize) {
        self.operation.push(elapsed / operations as f64);
        self.spent += elapsed;
    }

    fn figures(mut self) -> Figures {
        self.operation.sort_by(f64::total_cmp);
        let n = self.operation.len();
        let median = f64::midpoint(self.operation[(n - 1) / 2], self.operation[n / 2]);
        Figures {
            median_us: 1e6 * median,
            best_us: 1e6 * self.operation[0],
            bursts: n,
        }
    }
}

fn timed(contestant: &mut Contestant<'_>, repetitions: usize) -> Result<f64, Failure> {
    let start = Instant::now();
    (contestant.work)(repetitions)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Lets everyone do a burst, round after round, until each has spent `seconds`.
pub(super) fn take(
    contestants: &mut [Contestant<'_>],
    seconds: f64,
) -> Result<Vec<Figures>, Failure> {
    let mut all = Vec::with_capacity(contestants.len());
    for contestant in &mut *contestants {
        let mut bursts = Bursts {
            repetitions: 1,
            operation: Vec::new(),
            spent: 0.0,
        };
        // Caches, plans and the processor's clock settle. That does not matter, and so is
        // measured, where the work takes all the time that was asked for.
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
    Ok(all.into_iter().map(Bursts::figures).collect())
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
        let figures = bursts(&[3e-6, 1e-6, 2e-6]).figures();
        assert!((figures.median_us - 2.0).abs() < 1e-9);
        assert!((figures.best_us - 1.0).abs() < 1e-9);
        assert_eq!(figures.bursts, 3);
        assert!((bursts(&[4e-6, 1e-6]).figures().median_us - 2.5).abs() < 1e-9);
    }

    #[test]
    fn slow_work_ends_before_the_fewest_bursts() {
        assert!(!bursts(&[0.1; 4]).are_enough(0.2));
        assert!(bursts(&[0.1; 5]).are_enough(0.2));
        assert!(bursts(&[1.0]).are_enough(0.2));
        assert!(!bursts(&[0.01; 6]).are_enough(0.2));
    }

    #[test]
    fn everyone_has_the_same_turns() {
        let order = RefCell::new(String::new());
        let mut contestants: Vec<_> = ["a", "b", "c"]
            .map(|name| Contestant {
                name: name.into(),
                work: Box::new(|repetitions| {
                    order.borrow_mut().push_str(name);
                    std::thread::sleep(std::time::Duration::from_millis(1) * repetitions as u32);
                    Ok(())
                }),
                unit: 1,
            })
            .into();
        let figures = take(&mut contestants, 0.001).unwrap();
        assert!(figures.iter().all(|f| f.best_us <= f.median_us));
        drop(contestants);
        assert!(order.into_inner().contains("abc"));
    }

    #[test]
    fn a_failure_ends_it() {
        let work: Work<'_> = Box::new(|_| Err(Failure::new("no")));
        let contestant = Contestant {
            name: String::new(),
            work,
            unit: 1,
        };
        assert!(take(&mut [contestant], 1.0).is_err());
    }
}
