//! Groups of finite-field cryptography, as used in elections: powers of fixed bases, products of powers, membership,
//! `ElGamal` encryption, and proofs of knowledge, in batches.
//!
//! A [`Group`] is the subgroup of prime order q in the integers modulo a prime p: one of RFC 3526, RFC 7919 or
//! `ElectionGuard`, or your own. [`power_batch`] raises one base to secret exponents by tables,
//! [`product_of_powers_batch_vartime`] multiplies powers of public numbers, and [`is_member_batch`] tests membership of
//! the subgroup. Module [`elgamal`] encrypts ballots, adds them, and proves and verifies that each is a 0 or a 1;
//! module [`equality`] proves and verifies that two elements have one logarithm (Chaum-Pedersen), such as a tally and
//! its decryption.
//!
//! The example `verify_ballots` makes an election of 10,000 ballots and verifies it.

pub mod elgamal;
pub mod equality;
mod group;
mod named;
mod powers;
mod transcript;

use crate::fail_all;
use crate::primes::PrimeError;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Job, Outcome, Programs};

pub use group::{FixedBase, Group, MAX_BITS, MIN_BITS, PreparedGroup};
pub use powers::{is_member_batch, power_batch, product_of_powers_batch_vartime};

/// The reason why there is no result, or why an input is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FfcError {
    /// The modulus is too short or too long.
    #[error("p has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    GroupSize(u32),
    /// The numbers do not form a group.
    #[error("no group of prime order: {0}")]
    BadGroup(&'static str),
    /// A number is not from 1 to p - 1.
    #[error("the element is not from 1 to p - 1")]
    ElementRange,
    /// A number is not in the subgroup.
    #[error("the element is not in the subgroup of order q")]
    NotMember,
    /// An exponent is not below q.
    #[error("the exponent is not below q")]
    ExponentRange,
    /// A vote is neither 0 nor 1.
    #[error("the vote is {0}: it must be 0 or 1")]
    Vote(u32),
    /// A decrypted sum is larger than it can be.
    #[error("the sum is not from 0 to {0}")]
    SumRange(u32),
    /// A proof does not prove its statement.
    #[error("the proof is wrong")]
    WrongProof,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The watcher ended the computation.
    #[error("the computation was cancelled")]
    Cancelled,
    /// The tests of primality ended without a verdict.
    #[error(transparent)]
    Primes(Box<PrimeError>),
    /// The engine refuses the modulus, or no device could compute.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// Number of items in the engine at a time.
const CHUNK: usize = 4096;

/// Runs the job of each `Ok` entry; `Err` entries pass through in order.
fn run<'a, T>(
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
