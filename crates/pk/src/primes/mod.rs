//! Random primes and tests of primality, by the batch.
//!
//! Candidates are drawn independently of each other, from the numbers that the first small primes do not divide,
//! sieved by further ones, and those that remain are tested together, each modulo itself: a batch fills the
//! engine, although every number in it is a modulus of its own.
//!
//! **Distribution.** Candidates are uniform among the numbers without those first factors (to within 2^-71 in total
//! variation: by the Chinese remainder theorem, a residue for each of the primes is drawn by itself). As no prime
//! has such a factor, every prime is uniform among the primes of its kind from sqrt(2) 2^(k - 1) to 2^k
//! (to within 2^-63), so that the product of two has exactly 2 k bits, as FIPS 186-5, appendix A.1.3, asks
//! of primes for RSA. There is no search upwards from a random number, which would favour primes after
//! long gaps.
//!
//! **Error.** A number that is returned is composite with a probability below 2^-128. For random primes
//! and Blum primes the number of rounds is that of Damgard, Landrock and Pomerance ("Average case error
//! estimates for the strong probable prime test", 1993; FIPS 186-5, appendix C.1), for an error of 2^-130
//! among odd numbers, which the restriction to a part of them raises to less than 2^-128; numbers with small factors
//! are composite, and to draw none of them takes nothing from the primes and lowers the error. For q of a safe
//! prime p = 2 q + 1 the worst case is assumed, 4^-65 after 65 rounds; p is then proved by Pocklington's
//! criterion.
//!
//! **Secrets.** Candidates are treated as secrets. The exponentiations take constant time, their bases are
//! random, and all numbers are wiped. What varies by nature is how many candidates there were. The sieve
//! stops at the first divisor of a candidate, which is then thrown away; those that remain have all gone
//! through the same operations.
//!
//! ```
//! use std::ops::ControlFlow;
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::{primes, system_rng};
//!
//! let engine = Engine::new(Backend::best())?;
//! let mut watch = |progress: primes::Progress| {
//!     eprintln!("{} of {}", progress.found, progress.wanted);
//!     ControlFlow::Continue(())
//! };
//! let kind = primes::Kind::Safe;
//! let found = primes::generate_batch(&engine, &mut system_rng(), kind, 128, 2, &mut watch)?;
//! assert!(found.iter().all(|p| p.bits() == 128));
//! # Ok::<(), primes::PrimeError>(())
//! ```

mod draw;
mod miller_rabin;
mod search;
mod sieve;

use crate::integer::{low_u64, resized};
use crypto_bigint::{BoxedUint, Integer, U64};
use crypto_primes::Flavor;
use miller_rabin::Candidate;
use rand_core::CryptoRng;
use std::ops::ControlFlow;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

pub(crate) use search::{Wanted, search};

/// Length in bits of the shortest prime that is generated.
pub const MIN_BITS: u32 = 128;
/// Length in bits of the longest prime that is generated.
pub const MAX_BITS: u32 = 8192;

/// The security level: the error is below 2 to the power of minus this.
const SECURITY: u32 = 128;
/// The number of rounds after which any composite has passed with a probability of at most 4^-65 = 2^-130.
const WORST_CASE_ROUNDS: usize = 65;
/// The number of rounds between two calls of a test's watcher: some groups of a device, and a fraction of a second.
const WATCHED_ROUNDS: usize = 16;

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

/// The progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Number of primes found.
    pub found: usize,
    /// Number of primes wanted.
    pub wanted: usize,
    /// Number of numbers drawn at random.
    pub drawn: u64,
    /// Number of exponentiations done.
    pub tested: u64,
}

/// A watcher that lets every search go on, for callers that show no progress.
pub fn unwatched(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The reason why there is no prime, or no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrimeError {
    /// Primes of this size are not generated.
    #[error("primes of {0} bits are not generated: choose {MIN_BITS} to {MAX_BITS}")]
    Size(u32),
    /// The watcher ended the search.
    #[error("the search was cancelled")]
    Cancelled,
    /// No prime was found where one must be.
    #[error("no prime among {0} random numbers: the random number generator is broken")]
    NoPrime(u64),
    /// No base for a test was found where one must be.
    #[error(
        "no base from 2 to n - 2 among 128 random numbers: the random number generator is broken"
    )]
    NoBase,
    /// The number is longer than what the engine takes as a modulus, or no device could compute.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Random primes of `bits` bits, `count` of them, independent of each other and in no order.
///
/// `watch` is called before each batch of tests, and ends the search by returning
/// [`ControlFlow::Break`]: a batch takes some hundredths of a second, and half a second for numbers of
/// 4,096 bits.
///
/// # Errors
/// [`PrimeError::Size`] for other than [`MIN_BITS`] to [`MAX_BITS`] bits, [`PrimeError::Cancelled`],
/// [`PrimeError::NoPrime`] or [`PrimeError::NoBase`] if `rng` is broken, and [`PrimeError::Engine`].
pub fn generate_batch<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: Kind,
    bits: u32,
    count: usize,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<Zeroizing<BoxedUint>>, PrimeError> {
    let wanted = Wanted {
        kind,
        bits,
        coprime_to: None,
    };
    search(engine, rng, wanted, count, watch)
}

/// Whether each number is prime, also if an adversary chose it: a composite is called prime with a probability of at
/// most 4^-65, and below 2^64 never; a prime is never called composite.
///
/// The numbers are treated as secrets except for their lengths and, if they are composite, the step that finds this.
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
        } else if number.is_odd().into() && !sieve::has_small_factor(number, false, 0) {
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
        match search::rounds(engine, rng, &candidates, count, &mut Progress::default()) {
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
