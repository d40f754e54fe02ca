//! Measurements of a job at a batch size.

use super::job::Job;
use super::turns::OperationTimes;

/// The times of all contestants for a job at a batch size, by their names.
pub(super) struct Measurement {
    pub(super) job: Job,
    pub(super) batch: usize,
    pub(super) backends: Vec<(String, OperationTimes)>,
    pub(super) peers: Vec<(String, OperationTimes)>,
}

/// The operations per second if one operation takes `us` microseconds.
pub(super) fn rate(us: f64) -> f64 {
    1e6 / us
}
