//! Verdicts on numbers that others chose.

use super::error::PrimeError;
use super::kind::Progress;
use super::miller_rabin::Candidate;
use super::search::{WORST_CASE_ROUNDS, rounds};
use super::sieve::has_small_factor;
use crate::integer::{low_u64, resized};
use crypto_bigint::{BoxedUint, Integer, U64};
use crypto_primes::Flavor;
use rand_core::CryptoRng;
use std::ops::ControlFlow;
use sunzi_engine::Engine;

/// Rounds between two looks at a watcher of a test: some groups of a device, and a fraction of a second.
const WATCHED_ROUNDS: usize = 16;

/// Whether each number is prime, whoever chose it: a composite is called prime with a probability of at
/// most 4^-65, and below 2^64 never; a prime is never called composite.
///
/// The numbers are treated as secrets but for their lengths and, if they are composite, the step at which
/// that is found.
///
/// # Errors
/// [`PrimeError::Engine`] for numbers of more than [`sunzi_engine::MAX_BITS`] bits, and
/// [`PrimeError::NoBase`] if `rng` is broken.
pub fn is_prime_batch<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    numbers: &[BoxedUint],
) -> Vec<Result<bool, PrimeError>> {
    let go_on = &mut || ControlFlow::Continue(());
    verdicts(engine, rng, numbers, WORST_CASE_ROUNDS - 1, go_on)
}

/// [`is_prime_batch`] for few long numbers: `watch` is called before every 16 rounds of tests, and ends them by
/// returning [`ControlFlow::Break`].
///
/// # Errors
/// The errors of [`is_prime_batch`], and [`PrimeError::Cancelled`] for each number without a verdict.
pub fn is_prime_batch_watched<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    numbers: &[BoxedUint],
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Vec<Result<bool, PrimeError>> {
    verdicts(engine, rng, numbers, WATCHED_ROUNDS, watch)
}

/// The verdicts, with at most `step` rounds at a time after the first one.
fn verdicts<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    numbers: &[BoxedUint],
    step: usize,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Vec<Result<bool, PrimeError>> {
    let mut verdicts: Vec<_> = numbers.iter().map(|_| Ok(false)).collect();
    let mut left = Vec::new();
    for (index, number) in numbers.iter().enumerate() {
        let bits = number.bits();
        if bits <= 64 {
            verdicts[index] = Ok(is_small_prime(number));
        } else if number.is_odd().into() && !has_small_factor(number, false, 0) {
            left.push(index);
        }
    }
    let mut done = 0;
    while done < WORST_CASE_ROUNDS && !left.is_empty() {
        if watch().is_break() {
            for index in left.drain(..) {
                verdicts[index] = Err(PrimeError::Cancelled);
            }
            break;
        }
        let count = if done == 0 {
            1
        } else {
            step.min(WORST_CASE_ROUNDS - done)
        };
        done += count;
        let values = left.iter().map(|&index| {
            let number = &numbers[index];
            resized(number, number.bits().next_multiple_of(64))
        });
        let prepared = Candidate::prepare(engine, values.collect(), false);
        let mut candidates = Vec::new();
        let mut indices = Vec::new();
        for (index, candidate) in left.drain(..).zip(prepared) {
            match candidate {
                Ok(candidate) => {
                    candidates.push(candidate);
                    indices.push(index);
                }
                Err(error) => verdicts[index] = Err(error.into()),
            }
        }
        match rounds(engine, rng, &candidates, count, &mut Progress::default()) {
            Ok(passed) => {
                let passing = indices.into_iter().zip(passed);
                left = passing
                    .filter_map(|(index, passed)| passed.then_some(index))
                    .collect();
            }
            Err(error) => indices
                .into_iter()
                .for_each(|index| verdicts[index] = Err(error.clone())),
        }
    }
    for index in left {
        verdicts[index] = Ok(true);
    }
    verdicts
}

/// Whether a number below 2^64 is prime: Miller-Rabin and Lucas (Baillie-PSW) have no exception there.
fn is_small_prime(number: &BoxedUint) -> bool {
    crypto_primes::is_prime(Flavor::Any, &U64::from(low_u64(number)))
}
