//! The engine.

use core::ffi::{CStr, c_char};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};
use sunzi_engine::Backend;
use sunzi_pk::keys::Algorithms;

use crate::status::{Error, Status, guarded};

/// The most threads that may be asked for.
pub(crate) const MAX_THREADS: u32 = 1024;

/// An engine: what computes batches, and the threads that it uses.
pub struct Engine {
    pub(crate) algorithms: Algorithms,
    /// The backend's name, with a terminating zero.
    backend: std::ffi::CString,
    threads: usize,
    pool: Mutex<Option<Arc<OwnPool>>>,
}

/// An engine's threads.
struct OwnPool {
    /// The process that the threads belong to: a child has none of its parent's.
    process: u32,
    // Dropped in this order: the threads are told to end, and then waited for.
    pool: ThreadPool,
    _handles: Joined,
}

/// Threads that have ended when this is dropped.
struct Joined(Vec<JoinHandle<()>>);

impl OwnPool {
    fn new(threads: usize) -> Result<Self, Error> {
        let mut handles = Joined(Vec::new());
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|own| {
                let handle = thread::Builder::new().spawn(|| own.run())?;
                handles.0.push(handle);
                Ok(())
            })
            .build();
        let pool = pool.map_err(|error| {
            let words = format_args!("cannot start {threads} threads: {error}");
            Error::new(Status::Failed, words)
        })?;
        Ok(Self {
            process: std::process::id(),
            pool,
            _handles: handles,
        })
    }

    fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }

    /// Ends the threads, but a parent's, which cannot be waited for.
    fn end(pool: Option<Arc<Self>>) {
        if pool.as_ref().is_some_and(|pool| !pool.is_of_this_process()) {
            core::mem::forget(pool);
        }
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        for handle in self.0.drain(..) {
            // A thread that panicked has ended, too.
            let _ = handle.join();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let pool = self.pool.get_mut().unwrap_or_else(PoisonError::into_inner);
        OwnPool::end(pool.take());
    }
}

impl Engine {
    /// Runs a batch on this engine's threads.
    pub(crate) fn install<T: Send>(&self, batch: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let pool = {
            let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
            match &*pool {
                Some(pool) if pool.is_of_this_process() => Arc::clone(pool),
                _ => {
                    let new = Arc::new(OwnPool::new(self.threads)?);
                    OwnPool::end(pool.replace(Arc::clone(&new)));
                    new
                }
            }
        };
        Ok(pool.pool.install(batch))
    }
}

/// The version of this library: "0.2.0".
#[unsafe(no_mangle)]
pub extern "C" fn sunzi_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Makes an engine. `backend` is the name of a backend ("avx512", "float"), or null for the fastest that
/// this processor can run. `threads` is the number of threads for batches, or 0 for one for each
/// processor that this process may use. The engine is to be freed by sunzi_engine_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_engine_new(
    backend: *const c_char,
    threads: u32,
    engine: *mut *mut Engine,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or writable.
        let place = unsafe { Place::new(engine, "engine") }?;
        let backend = if backend.is_null() {
            Backend::best()
        } else {
            // SAFETY: the caller's string ends with a zero.
            let name = unsafe { text(backend, "backend") }?;
            name.parse().map_err(Error::argument)?
        };
        if threads > MAX_THREADS {
            return Err(Error::argument(format_args!(
                "threads is {threads}: at most {MAX_THREADS} are possible"
            )));
        }
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 {
            all()
        } else {
            threads as usize
        };
        let new = sunzi_engine::Engine::new(backend).map_err(Error::argument)?;
        place.hand_over(Engine {
            algorithms: Algorithms::new(&new),
            backend: std::ffi::CString::new(new.backend().to_string()).unwrap_or_default(),
            threads,
            pool: Mutex::default(),
        });
        Ok(())
    })
}

/// The name of the engine's backend, which lives as long as the engine. Null for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_engine_backend(engine: *const Engine) -> *const c_char {
    // SAFETY: the caller's pointer is null or comes from sunzi_engine_new.
    unsafe { engine.as_ref() }.map_or(core::ptr::null(), |engine| engine.backend.as_ptr())
}

/// Frees an engine and ends its threads. Keys that were made with it stay usable. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_engine_free(engine: *mut Engine) {
    // SAFETY: it is null, or comes from sunzi_engine_new, and nobody uses it any more.
    unsafe { freed(engine) }
}

/// The object behind a caller's pointer.
///
/// # Safety
/// It is null, or comes from this library, and is not freed during `'a`.
pub(crate) unsafe fn borrowed<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Error> {
    // SAFETY: by this function's condition.
    let object = unsafe { pointer.as_ref() };
    object.ok_or_else(|| Error::argument(format_args!("{what} is null")))
}

/// Frees an object.
///
/// # Safety
/// It is null, or comes from this library, and nobody uses it any more.
pub(crate) unsafe fn freed<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: by this function's condition; all objects are made by `Box::into_raw`.
        let object = unsafe { Box::from_raw(object) };
        guarded(|| {
            drop(object);
            Ok(())
        });
    }
}

/// The place for the pointer to a new object, given by the caller: null until the object is there, whatever fails.
pub(crate) struct Place<T>(*mut *mut T);

impl<T> Place<T> {
    /// The caller's place, in which there is null from now on.
    ///
    /// # Safety
    /// `place` is null, or writable as long as this is used.
    pub(crate) unsafe fn new(place: *mut *mut T, what: &str) -> Result<Self, Error> {
        if place.is_null() {
            return Err(Error::argument(format_args!("{what} is null")));
        }
        // SAFETY: by this function's condition.
        unsafe { place.write(core::ptr::null_mut()) };
        Ok(Self(place))
    }

    /// Hands the object to the caller.
    pub(crate) fn hand_over(self, object: T) {
        // SAFETY: by the condition of `new`.
        unsafe { self.0.write(Box::into_raw(Box::new(object))) };
    }
}

/// A copy of the text behind a caller's pointer.
///
/// # Safety
/// It is null, or points to a string that ends with a zero.
pub(crate) unsafe fn text(text: *const c_char, what: &str) -> Result<String, Error> {
    if text.is_null() {
        return Err(Error::argument(format_args!("{what} is null")));
    }
    // SAFETY: by this function's condition.
    let text = unsafe { CStr::from_ptr(text) }.to_owned().into_string();
    text.map_err(|_| Error::argument(format_args!("{what} is not UTF-8")))
}
