//! Batches of jobs that answer with one integer each.

use super::error::PaillierError;
use crate::batch::fail_all;
use crypto_bigint::BoxedUint;
use sunzi_engine::{Engine, Job};

/// Number of numbers in the engine at a time.
pub(super) const CHUNK: usize = 4096;

/// The first integer of each `Ok` entry's job; `Err` entries pass through in order.
pub(super) fn chunked<'a, T>(
    engine: &Engine,
    entries: &'a [Result<T, PaillierError>],
    job: impl Fn(&'a T) -> Job<'a>,
) -> Vec<Result<BoxedUint, PaillierError>> {
    let jobs: Vec<Job<'_>> = entries.iter().flatten().map(job).collect();
    let mut outcomes = match engine.execute(&jobs) {
        Ok(outcomes) => outcomes.into_iter(),
        Err(error) => return fail_all(entries, &error.into()),
    };
    entries
        .iter()
        .map(|entry| {
            entry.as_ref().map_err(PaillierError::clone)?;
            let outcome = outcomes.next().expect("the engine answers every job");
            Ok((*outcome.integers[0]).clone())
        })
        .collect()
}
