//! Batches, what is left to the callers, and a stress test of all of it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use sunzi_gather::{Compute, Gatherer, KindStatistics, Limits};

/// Doubles numbers. Kind 0 pays from 3 on, and not with an 11 after all, kind 1 never, kind 2 always. Of kind 2, 13 panics and multiples of 7 have no
/// answer.
#[derive(Default)]
struct Doubles {
    sizes: Arc<Mutex<Vec<(usize, usize)>>>,
}

const FAULTS: u64 = 7;
const PANIC: u64 = 13;
const UNPAID: u64 = 11;

impl Compute for Doubles {
    type Request = u64;
    type Answer = (u64, By);

    fn least(&self, kind: usize) -> usize {
        [3, usize::MAX, 1][kind]
    }

    fn compute(&self, kind: usize, requests: Vec<u64>) -> Option<Vec<Option<(u64, By)>>> {
        if kind == 0 && requests.contains(&UNPAID) {
            return None;
        }
        self.sizes.lock().unwrap().push((kind, requests.len()));
        assert!(kind != 2 || !requests.contains(&PANIC), "on purpose");
        let answer =
            |x: &u64| (kind != 2 || !x.is_multiple_of(FAULTS)).then_some((2 * x, By::Batch));
        Some(requests.iter().map(answer).collect())
    }
}

/// Who computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Batch,
    Caller,
}

fn gatherer(leaders: usize, waiting: usize) -> Gatherer<Doubles> {
    let limits = Limits {
        leaders,
        waiting,
        ..Limits::default()
    };
    Gatherer::new(limits, 3, Doubles::default)
}

fn call(gatherer: &Gatherer<Doubles>, kind: usize, x: u64) -> (u64, By) {
    gatherer.call(kind, || Some(x), || (2 * x, By::Caller))
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_mins(1), "waited in vain");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Has a leader compute alone until all these calls wait, and returns their answers in order.
fn behind_a_leader(gatherer: &Gatherer<Doubles>, calls: &[(usize, u64)]) -> Vec<(u64, By)> {
    let barrier = &Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(move || {
            gatherer.call(
                0,
                || None,
                || {
                    barrier.wait();
                    barrier.wait();
                    (0, By::Caller)
                },
            )
        });
        barrier.wait();
        assert!(gatherer.is_busy());
        let mut threads: Vec<ScopedJoinHandle<'_, (u64, By)>> = Vec::new();
        for (number, &(kind, x)) in calls.iter().enumerate() {
            threads.push(scope.spawn(move || call(gatherer, kind, x)));
            wait_until(|| gatherer.waiting() == number + 1);
        }
        barrier.wait();
        let answers = threads.into_iter().map(|thread| thread.join().unwrap());
        answers.collect()
    })
}

fn kind(gatherer: &Gatherer<Doubles>, kind: usize) -> KindStatistics {
    gatherer.statistics().kinds[kind].clone()
}

#[test]
fn a_lone_call_is_computed_by_its_caller() {
    let gatherer = gatherer(1, 10);
    assert_eq!(call(&gatherer, 0, 4), (8, By::Caller));
    assert_eq!(call(&gatherer, 1, 4), (8, By::Caller));
    assert_eq!(call(&gatherer, 9, 4), (8, By::Caller));
    assert!(!gatherer.is_busy());
    let counts = [0, 1].map(|number| kind(&gatherer, number));
    assert_eq!([counts[0].lone, counts[0].sizes[0]], [1, 1]);
    assert_eq!([counts[1].unpaid, counts[1].operations()], [1, 1]);
    // Of the kind that pays by itself it is a batch of one.
    assert_eq!(call(&gatherer, 2, 4), (8, By::Batch));
    assert_eq!(call(&gatherer, 2, 7), (14, By::Caller));
    let counts = kind(&gatherer, 2);
    assert_eq!([counts.together, counts.faults, counts.sizes[0]], [1, 1, 2]);
}

/// All that wait are one batch for each kind, whose members have their own answers.
#[test]
fn calls_that_wait_are_a_batch() {
    let gatherer = gatherer(1, 10);
    let calls = [(0, 1), (2, 2), (0, 3), (0, 4), (2, 5)];
    let answers = behind_a_leader(&gatherer, &calls);
    assert_eq!(answers, calls.map(|(_, x)| (2 * x, By::Batch)));
    let sizes = gatherer.compute().sizes.lock().unwrap().clone();
    assert_eq!(sizes, [(0, 3), (2, 2)]);
    let counts = kind(&gatherer, 0);
    assert_eq!([counts.together, counts.lone, counts.batches], [3, 1, 1]);
    assert_eq!(counts.sizes[..3], [1, 1, 0]);
}

/// Fewer than pay return to their threads.
#[test]
fn few_are_computed_alone() {
    let gatherer = gatherer(1, 10);
    let answers = behind_a_leader(&gatherer, &[(0, 1), (0, 2), (2, 3)]);
    let by = answers.iter().map(|&(_, by)| by).collect::<Vec<_>>();
    assert_eq!(by, [By::Caller, By::Caller, By::Batch]);
    assert_eq!(kind(&gatherer, 0).few, 2);
    let answers = behind_a_leader(&gatherer, &[(0, 1), (0, UNPAID), (0, 3)]);
    assert_eq!(answers, [1, UNPAID, 3].map(|x| (2 * x, By::Caller)));
    let counts = kind(&gatherer, 0);
    assert_eq!([counts.few, counts.faults, counts.batches], [5, 0, 0]);
}

/// An item without an answer, and a panic: the neighbours in the batch of a fault have theirs, and all are right.
#[test]
fn faults_and_panics() {
    let gatherer = gatherer(1, 10);
    let answers = behind_a_leader(&gatherer, &[(2, 1), (2, 14), (2, 3)]);
    assert_eq!(answers, [(2, By::Batch), (28, By::Caller), (6, By::Batch)]);
    let answers = behind_a_leader(&gatherer, &[(2, PANIC), (2, 5)]);
    assert_eq!(answers, [(26, By::Caller), (10, By::Caller)]);
    let counts = kind(&gatherer, 2);
    assert_eq!([counts.together, counts.faults, counts.panics], [2, 3, 1]);
}

#[test]
fn a_full_queue_and_a_refused_key() {
    let gatherer = gatherer(1, 0);
    let answers = thread::scope(|scope| {
        let (entered, has_entered) = mpsc::channel();
        let (leave, may_leave) = mpsc::channel::<()>();
        let gatherer = &gatherer;
        scope.spawn(move || {
            let stay = || {
                entered.send(()).unwrap();
                may_leave.recv().unwrap();
                (0, By::Caller)
            };
            gatherer.call(0, || None, stay)
        });
        has_entered.recv().unwrap();
        let full = call(gatherer, 0, 1);
        let refused = gatherer.call(0, || None, || (7, By::Caller));
        leave.send(()).unwrap();
        [full, refused]
    });
    assert_eq!(answers, [(2, By::Caller), (7, By::Caller)]);
    let counts = kind(&gatherer, 0);
    assert_eq!([counts.full, counts.refused, counts.lone], [1, 1, 1]);
}

/// One thread has a thousand requests computed without waiting for any.
#[test]
fn requests_that_nobody_waits_for() {
    for (leaders, waiting) in [(1, 4096), (2, 4096), (2, 16)] {
        let gatherer = gatherer(leaders, waiting);
        let (sender, answers) = mpsc::channel();
        for x in 0..1000 {
            let sender = sender.clone();
            let alone = move || (2 * x, By::Caller);
            let done = move |answer| sender.send((x, answer)).unwrap();
            assert!(gatherer.submit([0, 2][x as usize % 2], x, alone, done));
        }
        assert!(!gatherer.submit(3, 0, || (0, By::Caller), |_| ()));
        drop(sender);
        let mut answered = BTreeSet::new();
        for (x, (double, _)) in answers {
            assert_eq!(double, 2 * x);
            assert!(answered.insert(x));
        }
        assert_eq!(answered.len(), 1000);
        wait_until(|| !gatherer.is_busy());
        let statistics = gatherer.statistics();
        let operations = statistics.kinds.iter().map(KindStatistics::operations);
        assert_eq!(operations.sum::<u64>(), 1000);
    }
}

/// Many threads, kinds, faults and panics: every answer is right, every call is counted once, and nobody hangs.
#[test]
fn stress() {
    const THREADS: u64 = 64;
    const CALLS: u64 = 500;
    for leaders in [1, 2, 4] {
        let gatherer = gatherer(leaders, 48);
        let (panics, submitted) = (AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (gatherer, panics, submitted) = (&gatherer, &panics, &submitted);
                scope.spawn(move || {
                    for number in 0..CALLS {
                        let x = 100 + thread * CALLS + number;
                        // A single panic, as each prints its message.
                        let is_first = number == 250 && !panics.swap(true, Ordering::Relaxed);
                        let x = if is_first { PANIC } else { x };
                        if number % 10 == 9 {
                            let submitted = Arc::clone(submitted);
                            let done = move |(double, _)| {
                                assert_eq!(double, 2 * x);
                                submitted.fetch_add(1, Ordering::Relaxed);
                            };
                            gatherer.submit(2, x, move || (2 * x, By::Caller), done);
                        } else {
                            assert_eq!(call(gatherer, (x % 3) as usize, x).0, 2 * x);
                        }
                    }
                });
            }
        });
        wait_until(|| submitted.load(Ordering::Relaxed) == THREADS * CALLS / 10);
        wait_until(|| !gatherer.is_busy() && gatherer.waiting() == 0);
        let statistics = gatherer.statistics();
        let operations = statistics.kinds.iter().map(KindStatistics::operations);
        assert_eq!(operations.sum::<u64>(), THREADS * CALLS);
    }
}
