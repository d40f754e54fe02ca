//! Kinds of primes, and how far a search for them is.

use std::ops::ControlFlow;

/// A kind of primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Any odd prime.
    Any,
    /// A prime that is 3 modulo 4. The product of two is a Blum integer.
    Blum,
    /// A prime p for which (p - 1)/2 is prime, too.
    Safe,
}

/// Progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Primes found.
    pub found: usize,
    /// Primes wanted.
    pub wanted: usize,
    /// Numbers drawn at random.
    pub drawn: u64,
    /// Exponentiations done.
    pub tested: u64,
}

/// A watcher that lets every search go on, for callers that show no progress.
pub fn unwatched(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
