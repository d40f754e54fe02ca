//! Batches in parts, and batches that fail as a whole.

/// Number of requests in the engine at a time: far more than fill it, and few enough that a batch of millions needs
/// memory for its results only.
pub(crate) const CHUNK: usize = 8192;

/// The answer to every `Ok` entry of a batch that could not be computed; `Err` entries pass through
/// in order.
pub(crate) fn fail_all<T, U, E: Clone>(batch: &[Result<T, E>], error: &E) -> Vec<Result<U, E>> {
    let fail = |entry: &Result<T, E>| Err(entry.as_ref().err().unwrap_or(error).clone());
    batch.iter().map(fail).collect()
}
