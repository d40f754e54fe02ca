//! Failures on purpose, for tests.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::operation::Answer;

/// Takes the answer of every n-th operation away, and panics at every 10 n-th batch.
pub(crate) struct Faults {
    every: u64,
    operations: AtomicU64,
    batches: AtomicU64,
}

impl Faults {
    /// None if `every` is 0.
    pub(crate) fn new(every: u64) -> Self {
        Self {
            every,
            operations: AtomicU64::new(0),
            batches: AtomicU64::new(0),
        }
    }

    pub(crate) fn strike(&self, mut answers: Vec<Option<Answer>>) -> Vec<Option<Answer>> {
        if self.every == 0 {
            return answers;
        }
        let is_turn = |counter: &AtomicU64, every: u64| {
            (counter.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(every)
        };
        assert!(!is_turn(&self.batches, 10 * self.every), "on purpose");
        for answer in &mut answers {
            if is_turn(&self.operations, self.every) {
                *answer = None;
            }
        }
        answers
    }
}
