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
mod error;
mod kind;
mod miller_rabin;
mod search;
mod sieve;
mod verdict;

pub(crate) use search::{Wanted, search};

pub use error::{MAX_BITS, MIN_BITS, PrimeError};
pub use kind::{Kind, Progress, unwatched};
pub use search::generate_batch;
pub use verdict::{is_prime_batch, is_prime_batch_watched};
