//! Statuses, which functions return, and the words that go with them.

use core::ffi::c_char;
use core::fmt::Display;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Outcome of a function, or of an item of a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success. Of a verification or a test: the signature or the proof is valid, the number is prime, or
    /// is a member.
    Ok = 0,
    /// The signature or the proof is not valid, the number is not prime, or is no member.
    Invalid = 1,
    /// An argument is wrong: sunzi_error_message says which condition it violates.
    BadArgument = 2,
    /// An item of the batch failed: the statuses of the items tell which. The others have their results.
    SomeFailed = 3,
    /// A buffer is too small for its result.
    BufferTooSmall = 4,
    /// A key or a file with a key is refused.
    BadKey = 5,
    /// Nothing is known about the result: no device of the engine could compute it, or there were no
    /// random numbers.
    Failed = 6,
    /// An error within the library, which is to be reported.
    Internal = 7,
    /// The caller's watcher ended the search.
    Cancelled = 8,
}

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A status, with words for it.
#[derive(Clone)]
pub(crate) struct Error(pub(crate) Status, pub(crate) String);

impl Error {
    pub(crate) fn new(status: Status, words: impl Display) -> Self {
        Self(status, words.to_string())
    }

    pub(crate) fn internal() -> Self {
        Self::new(Status::Internal, "an error within the library")
    }

    pub(crate) fn argument(words: impl Display) -> Self {
        Self::new(Status::BadArgument, words)
    }
}

/// Runs a function's body; what it returns or panics with becomes a status and a message.
pub(crate) fn guarded(body: impl FnOnce() -> Result<(), Error>) -> Status {
    // Nothing that the body could leave half done outlives it: it writes to the caller's buffers and to
    // objects behind locks that survive panics.
    let result = catch_unwind(AssertUnwindSafe(body));
    let (status, message) = match result {
        Ok(Ok(())) => (Status::Ok, String::new()),
        Ok(Err(Error(status, message))) => (status, message),
        Err(_) => {
            let Error(status, message) = Error::internal();
            (status, message)
        }
    };
    MESSAGE.set(message);
    status
}

/// Runs the body of a function that returns a size, which is 0 if it fails; what went wrong becomes the message.
pub(crate) fn answered(body: impl FnOnce() -> Result<usize, Error>) -> usize {
    let mut answer = 0;
    guarded(|| {
        answer = body()?;
        Ok(())
    });
    answer
}

/// The name of a status as in this header, "SUNZI_STATUS_BAD_ARGUMENT"; "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn sunzi_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"SUNZI_STATUS_OK",
        1 => c"SUNZI_STATUS_INVALID",
        2 => c"SUNZI_STATUS_BAD_ARGUMENT",
        3 => c"SUNZI_STATUS_SOME_FAILED",
        4 => c"SUNZI_STATUS_BUFFER_TOO_SMALL",
        5 => c"SUNZI_STATUS_BAD_KEY",
        6 => c"SUNZI_STATUS_FAILED",
        7 => c"SUNZI_STATUS_INTERNAL",
        8 => c"SUNZI_STATUS_CANCELLED",
        _ => c"unknown",
    };
    name.as_ptr()
}

/// Writes the message of this thread's last failed call into `buffer`, which has `size` bytes, with a
/// terminating zero, cut if it is too long. Returns the bytes that the whole message takes, with the
/// zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_error_message(buffer: *mut c_char, size: usize) -> usize {
    MESSAGE.with_borrow(|message| {
        if !buffer.is_null() && size > 0 {
            let length = message.floor_char_boundary(message.len().min(size - 1));
            // SAFETY: the caller's buffer has `size` bytes, and length + 1 <= size. Messages are in
            // memory of this library, which does not overlap.
            unsafe {
                core::ptr::copy_nonoverlapping(message.as_ptr(), buffer.cast::<u8>(), length);
                *buffer.add(length) = 0;
            }
        }
        message.len() + 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic in a function's body becomes a status, and the next call is as usual.
    #[test]
    fn a_panic_does_not_cross_the_border() {
        let panicking = || -> Result<(), Error> {
            let empty: [u8; 0] = [];
            let place = std::hint::black_box(1);
            Err(Error::argument(empty[place]))
        };
        assert_eq!(guarded(panicking), Status::Internal);
        let mut message = [0x7f; 64];
        // SAFETY: the buffer has as many bytes.
        let size = unsafe { sunzi_error_message(message.as_mut_ptr().cast(), message.len()) };
        assert_eq!(&message[..size], b"an error within the library\0");
        assert_eq!(guarded(|| Ok(())), Status::Ok);
        // SAFETY: null is allowed.
        assert_eq!(unsafe { sunzi_error_message(core::ptr::null_mut(), 0) }, 1);
    }
}
