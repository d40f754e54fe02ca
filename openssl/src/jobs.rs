//! Asynchronous jobs of OpenSSL: a job is paused, and its operation is computed elsewhere, while the program's thread
//! does something else.

use core::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::ffi;
use crate::kinds::KINDS;
use crate::module::Module;
use crate::operation::{Answer, Request};

/// Jobs that are paused. A program that gives up a connection whose job is paused leaves the job for ever: it counts as
/// paused until the process ends.
static PAUSED: AtomicUsize = AtomicUsize::new(0);

/// The number of jobs that are paused.
pub(crate) fn paused() -> usize {
    PAUSED.load(Ordering::Relaxed)
}

/// What is known of the company that jobs of a kind have: a program with one client would pause for nothing.
struct Company {
    /// Jobs that were paused.
    paused: AtomicU32,
    /// Jobs in a row that were computed alone, with no other one paused meanwhile.
    lone: AtomicU32,
    /// Operations to come for which no job is paused.
    unpaused: AtomicU32,
}

static COMPANY: [Company; KINDS.len()] = [const {
    Company {
        paused: AtomicU32::new(0),
        lone: AtomicU32::new(0),
        unpaused: AtomicU32::new(0),
    }
}; KINDS.len()];

/// Lone jobs in a row after which the next operations have no job paused.
const LONE: u32 = 4;
/// The most operations in a row for which no job is paused, as a power of two, before one looks for company again.
const MOST_UNPAUSED: u32 = 6;

impl Company {
    /// Whether to pause a job: always if they had company, else once after a number of operations.
    fn is_likely(&self) -> bool {
        let fewer = |left: u32| left.checked_sub(1);
        let unpaused = &self.unpaused;
        unpaused
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer)
            .is_err()
    }

    /// Runs a paused job, and notes whether it had company.
    fn watch(&self, job: impl FnOnce() -> Option<Answer>) -> Option<Answer> {
        let own = self.paused.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let answer = job();
        let is_alone = matches!(answer, Some(Answer::Status(_) | Answer::Made(_)))
            && self.paused.load(Ordering::Relaxed) == own;
        if !is_alone {
            self.lone.store(0, Ordering::Relaxed);
            self.unpaused.store(0, Ordering::Relaxed);
            return answer;
        }
        let lone = self.lone.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if let Some(more) = lone.checked_sub(LONE) {
            let unpaused = 1 << more.saturating_add(2).min(MOST_UNPAUSED);
            self.unpaused.store(unpaused, Ordering::Relaxed);
        }
        answer
    }
}

/// The key of this module's file descriptors among those of a job.
static KEY: u8 = 0;

/// Whether a job is worth pausing for an operation of this kind.
pub(crate) fn is_worth_pausing(module: &Module, kind: usize) -> bool {
    #[cfg(feature = "faults")]
    if crate::measures::is_forced() {
        return true;
    }
    module.measures.pays_in_jobs(kind) && COMPANY[kind].is_likely()
}

/// The asynchronous job that this thread runs.
pub(crate) struct Job(*mut ffi::ASYNC_JOB);

/// The job that this thread runs, if there is one.
pub(crate) fn current() -> Option<Job> {
    // SAFETY: the function takes nothing.
    let job = unsafe { ffi::ASYNC_get_current_job() };
    (!job.is_null()).then_some(Job(job))
}

/// A file descriptor that the program waits for (eventfd). The context of a job's waiting holds it, and whoever computes
/// for the job.
struct Signal {
    /// `None` when the context has been freed: the number may then be another file's.
    descriptor: Mutex<Option<c_int>>,
}

impl Signal {
    /// Wakes the program, if it still waits.
    fn raise(&self) {
        let descriptor = self
            .descriptor
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(descriptor) = *descriptor {
            // SAFETY: it is open, as it is only closed under the same lock, and takes eight bytes.
            unsafe { libc::write(descriptor, (&raw const ONE).cast(), size_of::<u64>()) };
        }
    }

    /// Takes back that it was raised.
    fn lower(&self) {
        let descriptor = self
            .descriptor
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(descriptor) = *descriptor {
            let mut count = 0u64;
            // SAFETY: it is open, does not block, and gives eight bytes.
            unsafe { libc::read(descriptor, (&raw mut count).cast(), size_of::<u64>()) };
        }
    }
}

static ONE: u64 = 1;

extern "C" fn close(_: *mut ffi::ASYNC_WAIT_CTX, _: *const c_void, _: c_int, signal: *mut c_void) {
    // SAFETY: it is the one that `signal` gave the context, which gives it back once.
    let signal = unsafe { Arc::from_raw(signal.cast::<Signal>()) };
    let mut descriptor = signal
        .descriptor
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(descriptor) = descriptor.take() {
        // SAFETY: it is this signal's own.
        unsafe { libc::close(descriptor) };
    }
}

/// The place of an answer that a job waits for.
#[derive(Default)]
struct Place {
    answer: Mutex<Option<Answer>>,
    there: Condvar,
}

impl Place {
    fn take(&self) -> Option<Answer> {
        self.answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Waits with the whole thread.
    fn wait(&self) -> Option<Answer> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.there.wait_while(answer, |answer| answer.is_none());
        answer.unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Job {
    /// The answer to a request, for which the job is paused; `None`, with nothing computed, if too many are paused, or
    /// there are no file descriptors.
    pub(crate) fn answer(
        &self,
        module: &'static Module,
        kind: usize,
        request: Request,
        alone: impl FnOnce() -> Answer + Send + 'static,
    ) -> Option<Answer> {
        let claimed = PAUSED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |paused| {
            (paused < module.jobs).then_some(paused + 1)
        });
        claimed.ok()?;
        let answer = COMPANY[kind].watch(|| self.paused_answer(module, kind, request, alone));
        PAUSED.fetch_sub(1, Ordering::Relaxed);
        answer
    }

    fn paused_answer(
        &self,
        module: &'static Module,
        kind: usize,
        request: Request,
        alone: impl FnOnce() -> Answer + Send + 'static,
    ) -> Option<Answer> {
        let signal = self.signal()?;
        let place = Arc::<Place>::default();
        let done = {
            let (signal, place) = (Arc::clone(&signal), Arc::clone(&place));
            move |answer| {
                *place.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
                place.there.notify_all();
                signal.raise();
            }
        };
        let alone = move || module.measures.time(kind, alone);
        module.gatherer.submit(kind, request, alone, done);
        // At least once, also if the answer is there: the program must hear of the file descriptor before the job ends.
        loop {
            // SAFETY: this thread runs the job.
            let is_paused = unsafe { ffi::ASYNC_pause_job() } != 0;
            signal.lower();
            let answer = if is_paused {
                place.take()
            } else {
                place.wait()
            };
            if answer.is_some() {
                return answer;
            }
        }
    }

    /// The signal of the job's connection, made when it is first needed.
    fn signal(&self) -> Option<Arc<Signal>> {
        let key = (&raw const KEY).cast::<c_void>();
        // SAFETY: the job is this thread's current one, and its context lives as long. What the context has under this
        // module's key is a signal, of which it holds a count.
        unsafe {
            let context = ffi::ASYNC_get_wait_ctx(self.0);
            if context.is_null() {
                return None;
            }
            let (mut descriptor, mut custom) = (-1, core::ptr::null_mut());
            if ffi::ASYNC_WAIT_CTX_get_fd(context, key, &raw mut descriptor, &raw mut custom) == 1 {
                let signal = custom.cast::<Signal>().cast_const();
                Arc::increment_strong_count(signal);
                return Some(Arc::from_raw(signal));
            }
            let descriptor = libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC);
            if descriptor < 0 {
                return None;
            }
            let signal = Arc::new(Signal {
                descriptor: Mutex::new(Some(descriptor)),
            });
            let given = Arc::into_raw(Arc::clone(&signal));
            let custom = given.cast_mut().cast::<c_void>();
            if ffi::ASYNC_WAIT_CTX_set_wait_fd(context, key, descriptor, custom, Some(close)) == 1 {
                return Some(signal);
            }
            close(context, key, descriptor, custom);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn company() -> Company {
        Company {
            paused: AtomicU32::new(0),
            lone: AtomicU32::new(0),
            unpaused: AtomicU32::new(0),
        }
    }

    /// Runs operations of a program with one client: the numbers of those whose job was paused.
    fn alone(company: &Company, operations: usize) -> Vec<usize> {
        let paused = (0..operations).filter(|_| {
            let is_paused = company.is_likely();
            if is_paused {
                company.watch(|| Some(Answer::Status(1)));
            }
            is_paused
        });
        paused.collect()
    }

    /// With one client few jobs are paused: after four in a row one in 5, in 9, 17, 33, and at last in 65.
    #[test]
    fn one_client() {
        let paused = alone(&company(), 300);
        assert_eq!(paused, [0, 1, 2, 3, 8, 17, 34, 67, 132, 197, 262]);
    }

    /// A batch, or another job that was paused meanwhile, is company: every job is paused from then on.
    #[test]
    fn several_clients() {
        let company = company();
        alone(&company, 8);
        assert!(company.is_likely());
        company.watch(|| Some(Answer::Number(Vec::new().into())));
        assert_eq!(alone(&company, 4), [0, 1, 2, 3]);
        while !company.is_likely() {}
        company.watch(|| {
            company.watch(|| Some(Answer::Status(1)));
            Some(Answer::Status(1))
        });
        assert!((0..3).all(|_| company.is_likely()));
    }
}
