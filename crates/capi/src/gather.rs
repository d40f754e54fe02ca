//! Batches made of single signatures: from the threads that ask for them, or submitted without waiting.

use core::ffi::{c_int, c_void};
use std::collections::VecDeque;
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sunzi_engine::on_calling_thread;
use sunzi_gather::{Compute, Gatherer, Limits};
use sunzi_pk::keys::{self, Algorithms, NonceKind, SignRequest, SigningKey};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::buffers::{Bytes, Output, write};
use crate::engine::{Engine, MAX_THREADS, Place, borrowed, freed};
use crate::keys::{Options, PrivateKey, SignatureOptions, nonce_kind, refused};
use crate::status::{Error, Status, answered, guarded};

/// A gatherer: makes batches of single signatures.
pub struct Gather {
    gatherer: Arc<Gatherer<Signing, Box<dyn Fn() -> Signing + Send + Sync>>>,
    algorithms: Algorithms,
    finished: Arc<Finished>,
}

/// A signature that was submitted and is finished.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Completion {
    /// What it was submitted with.
    pub tag: *mut c_void,
    /// Its status, which sunzi_sign would give.
    pub status: Status,
}

// SAFETY: the tag is a value of the caller's, which this library hands on.
unsafe impl Send for Completion {}

/// A place of the caller's that a signature is written to.
struct Destination(*mut Output, *mut c_void);

// SAFETY: the caller leaves the place to this library until the signature is taken.
unsafe impl Send for Destination {}

/// A message to sign.
#[derive(Clone)]
struct Request {
    key: SigningKey,
    scheme: keys::Scheme<'static>,
    message: Zeroizing<Vec<u8>>,
}

/// Signatures in batches. The kinds are the sources of nonces.
struct Signing(Algorithms);

/// The sources of nonces, by kind.
const KINDS: [NonceKind; 2] = [NonceKind::Deterministic, NonceKind::Hedged];

/// A signature.
type Answer = Result<Zeroizing<Vec<u8>>, Error>;

/// The answers to requests, in order, computed by the calling thread.
fn sign(algorithms: &Algorithms, kind: usize, requests: &[Request]) -> Vec<Answer> {
    let requests = requests.iter().map(|request| SignRequest {
        key: &request.key,
        scheme: request.scheme,
        content: request.message[..].into(),
    });
    let requests: Vec<_> = requests.collect();
    let made = on_calling_thread(|| {
        keys::sign_batch(algorithms, &mut system_rng(), KINDS[kind], &requests)
    });
    let answer = |made: Result<Vec<u8>, _>| {
        made.map(Zeroizing::new)
            .map_err(|error| Error::new(Status::Failed, error))
    };
    made.into_iter().map(answer).collect()
}

impl Compute for Signing {
    type Request = Request;
    type Answer = Answer;

    fn least(&self, _: usize) -> usize {
        1
    }

    fn compute(&self, kind: usize, requests: Vec<Request>) -> Option<Vec<Option<Answer>>> {
        let answers = sign(&self.0, kind, &requests);
        Some(answers.into_iter().map(Some).collect())
    }
}

/// Signatures that are finished, and a pipe that can be read while there are any. It is a pipe, and not Linux's eventfd,
/// as callers see no difference: they only wait for it to be readable. A pipe is there on every system that the library
/// is built for, needs no unsafe code, and is written to once for each time that the queue begins to fill, not for each
/// signature; it takes a second file descriptor for each gatherer.
struct Finished {
    queue: Mutex<VecDeque<Completion>>,
    /// Has a byte while the queue is not empty.
    reader: PipeReader,
    writer: PipeWriter,
}

impl Finished {
    fn new() -> Result<Self, Error> {
        let made = pipe().map_err(|error| {
            let words = format_args!("cannot make a pipe: {error}");
            Error::new(Status::Failed, words)
        });
        let (reader, writer) = made?;
        let queue = Mutex::default();
        Ok(Self {
            queue,
            reader,
            writer,
        })
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Completion>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, completion: Completion) {
        let mut queue = self.queue();
        if queue.is_empty() {
            // There is room for one byte. Without it the caller would not be woken, which asks for it anyway.
            let _ = (&self.writer).write(&[1]);
        }
        queue.push_back(completion);
    }

    fn pop(&self) -> Option<Completion> {
        let mut queue = self.queue();
        let first = queue.pop_front();
        if first.is_some() && queue.is_empty() {
            let _ = (&self.reader).read(&mut [0]);
        }
        first
    }
}

/// Makes a gatherer, which computes single signatures in batches: those that are asked for while others are computed
/// become the next batch. A batch is computed by one thread; `leaders` is the number of batches that are computed at a
/// time, or 0 for one for every two processors. The gatherer is to be freed by sunzi_gather_free. A child of a fork
/// makes its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_gather_new(
    engine: *const Engine,
    leaders: u32,
    gather: *mut *mut Gather,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (place, engine) =
            unsafe { (Place::new(gather, "gather")?, borrowed(engine, "engine")?) };
        if leaders > MAX_THREADS {
            return Err(Error::argument(format_args!(
                "leaders is {leaders}: at most {MAX_THREADS} are possible"
            )));
        }
        let mut limits = Limits::default();
        if leaders > 0 {
            limits.leaders = leaders as usize;
        }
        let algorithms = engine.algorithms.clone();
        let own = algorithms.clone();
        let make: Box<dyn Fn() -> Signing + Send + Sync> = Box::new(move || Signing(own.clone()));
        place.hand_over(Gather {
            gatherer: Arc::new(Gatherer::new(limits, KINDS.len(), make)),
            algorithms,
            finished: Arc::new(Finished::new()?),
        });
        Ok(())
    })
}

/// Frees a gatherer. No thread may wait in it, and all signatures that were submitted must have been taken. Null is
/// allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_gather_free(gather: *mut Gather) {
    // SAFETY: it is null, or comes from sunzi_gather_new, and nobody uses it any more.
    unsafe { freed(gather) }
}

/// The kind and the request of a message, copied.
///
/// # Safety
/// The pointers are null, or what they are said to be in sunzi_gather_sign.
unsafe fn request(
    key: *const PrivateKey,
    message: Bytes,
    options: *const SignatureOptions,
    nonces: u32,
) -> Result<(usize, Request), Error> {
    let nonces = nonce_kind(nonces)?;
    // SAFETY: by this function's condition.
    let (key, options, message) = unsafe {
        let key = borrowed(key, "key")?;
        (key, Options::new(options)?, message.copied("the message")?)
    };
    let key = key.signing.as_ref().map_err(refused)?;
    let kind = usize::from(nonces == NonceKind::Hedged);
    let request = Request {
        scheme: options.scheme(key.public_key())?,
        key: key.clone(),
        message: Zeroizing::new(message),
    };
    Ok((kind, request))
}

/// The answer to a request, computed by itself.
fn alone(algorithms: &Algorithms, kind: usize, request: Request) -> Answer {
    let mut answers = sign(algorithms, kind, &[request]);
    answers.pop().unwrap_or_else(|| Err(Error::internal()))
}

/// Signs a message, in a batch with those of other threads. `options` and `nonces` are as in sunzi_sign_with_nonces. The
/// key must be of the gatherer's engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_gather_sign(
    gather: *const Gather,
    key: *const PrivateKey,
    message: Bytes,
    options: *const SignatureOptions,
    nonces: u32,
    signature: *mut Output,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (gather, (kind, own)) = unsafe {
            let gather = borrowed(gather, "gather")?;
            borrowed(signature, "signature")?;
            (gather, request(key, message, options, nonces)?)
        };
        let copy = own.clone();
        let alone = || alone(&gather.algorithms, kind, own);
        let made = gather.gatherer.call(kind, || Some(copy), alone)?;
        // SAFETY: the caller's pointer is an `Output`.
        unsafe { write(signature, "the signature", &made) }
    })
}

/// Submits a message to be signed, without waiting. The status of this function says whether it was submitted;
/// sunzi_gather_take tells when it is finished, with `tag`. Until then `signature` and its buffer stay where they are,
/// and nobody else uses them. If more than 4,096 wait, the message is signed before the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_gather_submit(
    gather: *const Gather,
    key: *const PrivateKey,
    message: Bytes,
    options: *const SignatureOptions,
    nonces: u32,
    signature: *mut Output,
    tag: *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (gather, (kind, own)) = unsafe {
            let gather = borrowed(gather, "gather")?;
            borrowed(signature, "signature")?;
            (gather, request(key, message, options, nonces)?)
        };
        let algorithms = gather.algorithms.clone();
        let copy = own.clone();
        let finished = Arc::clone(&gather.finished);
        let destination = Destination(signature, tag);
        let done = move |made: Answer| {
            let Destination(signature, tag) = { destination };
            // SAFETY: the caller leaves its place to this library until the signature is taken.
            let written = made.and_then(|made| unsafe { write(signature, "a signature", &made) });
            let status = written.err().map_or(Status::Ok, |Error(status, _)| status);
            finished.push(Completion { tag, status });
        };
        let alone = move || alone(&algorithms, kind, own);
        if gather.gatherer.submit(kind, copy, alone, done) {
            Ok(())
        } else {
            Err(Error::internal())
        }
    })
}

/// Takes up to `count` signatures that are finished, without waiting, in the order in which they finished. Returns
/// their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_gather_take(
    gather: *const Gather,
    completions: *mut Completion,
    count: usize,
) -> usize {
    answered(|| {
        // SAFETY: the caller's pointer is null or a gatherer.
        let gather = unsafe { borrowed(gather, "gather") }?;
        if completions.is_null() && count > 0 {
            return Err(Error::argument("completions is null"));
        }
        let mut taken = 0;
        while taken < count
            && let Some(completion) = gather.finished.pop()
        {
            // SAFETY: the caller's array has `count` places.
            unsafe { completions.add(taken).write(completion) };
            taken += 1;
        }
        Ok(taken)
    })
}

/// A file descriptor that can be read while there is a signature to take: for poll, select and their like. It is the
/// gatherer's, and nothing is to be read from it. -1 where there are none, and for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_gather_descriptor(gather: *const Gather) -> c_int {
    // SAFETY: the caller's pointer is null or a gatherer.
    let gather = unsafe { gather.as_ref() };
    gather.map_or(-1, |gather| descriptor(&gather.finished.reader))
}

#[cfg(unix)]
fn descriptor(reader: &PipeReader) -> c_int {
    use std::os::fd::AsRawFd;
    reader.as_raw_fd()
}

#[cfg(not(unix))]
fn descriptor(_: &PipeReader) -> c_int {
    -1
}
