//! Primes.

use core::ffi::c_void;
use std::ops::ControlFlow;

use sunzi_pk::primes::{self, Kind, PrimeError};
use sunzi_pk::system_rng;

use crate::batch::{Answer, Operand, Rows, sum_up};
use crate::buffers::{ByteOrder, Numbers};
use crate::engine::{Engine, borrowed};
use crate::status::{Error, Status, guarded};

/// A kind of primes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimeKind {
    /// Any odd prime.
    Any = 0,
    /// A prime that is 3 modulo 4. The product of two is a Blum integer.
    Blum = 1,
    /// A prime p for which (p - 1) / 2 is prime, too.
    Safe = 2,
}

/// Progress of a search for primes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
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

/// Is told how far a search is, some times a second, and ends it by returning anything but 0. It is called on
/// one of the engine's threads, one call at a time, while the caller waits, and must not unwind. Null: nobody
/// is told.
pub type Watcher =
    Option<unsafe extern "C" fn(context: *mut c_void, progress: *const Progress) -> i32>;

/// The caller's watcher with its context.
pub(crate) struct Watch {
    watcher: Watcher,
    context: *mut c_void,
}

// SAFETY: the context is the caller's, and goes to the caller's function only, which is said to be called
// on another thread.
unsafe impl Send for Watch {}

impl Watch {
    pub(crate) fn new(watcher: Watcher, context: *mut c_void) -> Self {
        Self { watcher, context }
    }

    pub(crate) fn tell(&self, progress: primes::Progress) -> ControlFlow<()> {
        let Some(watcher) = self.watcher else {
            return ControlFlow::Continue(());
        };
        let progress = Progress {
            found: progress.found,
            wanted: progress.wanted,
            drawn: progress.drawn,
            tested: progress.tested,
        };
        // SAFETY: the caller's function is called as it is said to be.
        match unsafe { watcher(self.context, &raw const progress) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

fn refused(error: PrimeError) -> Error {
    let status = match error {
        PrimeError::Size(_) => Status::BadArgument,
        PrimeError::Cancelled => Status::Cancelled,
        _ => Status::Failed,
    };
    Error::new(status, error)
}

/// Makes `count` random primes of exactly `bits` bits, 128 to 8,192, independent of each other: prime k is
/// written to `results + k * result_width`. `kind` is a sunzi_prime_kind. A number is composite with a
/// probability below 2^-128. `context` is handed to `watcher`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_primes(
    engine: *const Engine,
    kind: u32,
    bits: u32,
    count: usize,
    order: u32,
    results: *mut u8,
    result_width: usize,
    watcher: Watcher,
    context: *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or an engine.
        let engine = unsafe { borrowed(engine, "engine") }?;
        let order = ByteOrder::new(order)?;
        let kind = match kind {
            0 => Kind::Any,
            1 => Kind::Blum,
            2 => Kind::Safe,
            other => {
                return Err(Error::argument(format_args!(
                    "kind is {other}: no sunzi_prime_kind"
                )));
            }
        };
        let least = bits.div_ceil(8) as usize;
        let nowhere = core::ptr::null_mut();
        let rows = Rows::new(results, result_width, least, count, order, nowhere)?;
        let watch = Watch::new(watcher, context);
        let found = engine.install(|| {
            // The whole of it, which may go to another thread.
            let watch = watch;
            let mut tell = |progress| watch.tell(progress);
            let engine = engine.algorithms.engine();
            primes::generate_batch(engine, &mut system_rng(), kind, bits, count, &mut tell)
        })?;
        let found = found.map_err(refused)?;
        // SAFETY: the caller's buffer has room for all primes.
        unsafe { rows.write(found.into_iter().map(Ok)) }
    })
}

/// Tests `count` numbers, of up to 16,384 bits, whoever chose them: status k is SUNZI_STATUS_OK for a prime,
/// and SUNZI_STATUS_INVALID for a number that is not prime. A composite is called prime with a probability of
/// at most 2^-130. Returns SUNZI_STATUS_OK if all are prime, SUNZI_STATUS_INVALID if one is not, and
/// SUNZI_STATUS_SOME_FAILED if nothing is known about one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_are_primes(
    engine: *const Engine,
    count: usize,
    numbers: Numbers,
    order: u32,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or an engine.
        let engine = unsafe { borrowed(engine, "engine") }?;
        let order = ByteOrder::new(order)?;
        // SAFETY: the caller's buffer has a number for each item.
        let numbers = unsafe { Operand::read(numbers, count, order, "numbers") }?.plain(count);
        let verdicts = engine.install(|| {
            primes::is_prime_batch(engine.algorithms.engine(), &mut system_rng(), &numbers)
        })?;
        let answer = |verdict| match verdict {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::new(Status::Invalid, "the number is not prime")),
            Err(error) => Err(refused(error)),
        };
        let answers: Vec<Answer<()>> = verdicts.into_iter().map(answer).collect();
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}
