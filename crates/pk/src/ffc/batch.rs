//! Batches of jobs by one program.

use super::error::FfcError;
use crate::batch::fail_all;
use std::sync::Arc;
use sunzi_engine::{Engine, Job, Outcome, Programs};

/// Number of items in the engine at a time.
pub(super) const CHUNK: usize = 4096;

/// Runs the job of each `Ok` entry; `Err` entries pass through in order.
pub(super) fn run<'a, T>(
    engine: &Engine,
    programs: &'a Result<Arc<Programs>, FfcError>,
    entries: &'a [Result<T, FfcError>],
    job: impl Fn(&'a Arc<Programs>, &'a T) -> Job<'a>,
) -> Vec<Result<Outcome, FfcError>> {
    let programs = match programs {
        Ok(programs) => programs,
        Err(error) => return fail_all(entries, error),
    };
    let jobs = entries.iter().flatten().map(|entry| job(programs, entry));
    let jobs: Vec<Job<'_>> = jobs.collect();
    let mut outcomes = match engine.execute(&jobs) {
        Ok(outcomes) => outcomes.into_iter(),
        Err(error) => return fail_all(entries, &error.into()),
    };
    entries
        .iter()
        .map(|entry| {
            entry.as_ref().map_err(FfcError::clone)?;
            Ok(outcomes.next().expect("the engine answers every job"))
        })
        .collect()
}
