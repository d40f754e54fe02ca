//! RSA's private operations inside asynchronous jobs.
//!
//! A job may not be paused inside x^d modulo n: OpenSSL keeps the factor of its blinding with the thread, and another
//! job of the same thread would change it. So jobs are paused before OpenSSL's function begins, with the padded block.

use core::cell::Cell;
use core::ffi::{c_int, c_uchar};
use std::panic::{AssertUnwindSafe, catch_unwind};

use zeroize::Zeroizing;

use crate::ffi;
use crate::jobs;
use crate::keys;
use crate::kinds;
use crate::module::Module;
use crate::operation::{Answer, Input, Request};
use crate::report;

thread_local! {
    /// Whether this thread runs an operation that has been counted.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs an operation that has been counted already.
pub(crate) fn is_counted() -> bool {
    COUNTED.get()
}

/// A call of OpenSSL's own private operation, with the arguments of the hook.
#[derive(Clone, Copy)]
struct Private {
    own: ffi::PrivateOperation,
    length: c_int,
    from: *const c_uchar,
    to: *mut c_uchar,
    key: *mut ffi::RSA,
    padding: c_int,
}

// SAFETY: the pointers are used by one thread at a time: by the one that OpenSSL called, or, while its job is paused, by
// a thread that computes for it. A paused job that is never continued stays in memory, with all that it uses.
unsafe impl Send for Private {}

impl Private {
    fn run(self) -> c_int {
        // SAFETY: these are the arguments that OpenSSL called the hook with, for this function.
        unsafe { (self.own)(self.length, self.from, self.to, self.key, self.padding) }
    }

    /// The same for an operation that has been counted.
    fn run_counted(self) -> c_int {
        let before = COUNTED.replace(true);
        let status = self.run();
        COUNTED.set(before);
        status
    }

    /// The padded block, as long as the modulus; `None` for paddings that are left to OpenSSL.
    fn block(self, size: usize, signs: bool) -> Option<Zeroizing<Vec<u8>>> {
        let count = c_int::try_from(size).ok()?;
        let mut block = Zeroizing::new(vec![0; size]);
        // SAFETY: the block has as many bytes as said, and OpenSSL called the hook with `length` bytes at `from`.
        let is_padded = unsafe {
            match self.padding {
                ffi::RSA_PKCS1_PADDING if signs => ffi::RSA_padding_add_PKCS1_type_1(
                    block.as_mut_ptr(),
                    count,
                    self.from,
                    self.length,
                ),
                ffi::RSA_NO_PADDING if self.length == count => {
                    block.copy_from_slice(core::slice::from_raw_parts(self.from, size));
                    1
                }
                _ => 0,
            }
        };
        (is_padded == 1).then_some(block)
    }
}

/// A private operation on a padded digest.
pub(crate) extern "C" fn private_encrypt(
    length: c_int,
    from: *const c_uchar,
    to: *mut c_uchar,
    key: *mut ffi::RSA,
    padding: c_int,
) -> c_int {
    let own = |module: &Module| module.own.private_encrypt;
    hooked(own, true, (length, from, to, key, padding))
}

/// A private operation on a ciphertext.
pub(crate) extern "C" fn private_decrypt(
    length: c_int,
    from: *const c_uchar,
    to: *mut c_uchar,
    key: *mut ffi::RSA,
    padding: c_int,
) -> c_int {
    let own = |module: &Module| module.own.private_decrypt;
    hooked(own, false, (length, from, to, key, padding))
}

fn hooked(
    own: impl Fn(&Module) -> ffi::PrivateOperation,
    signs: bool,
    (length, from, to, key, padding): (c_int, *const c_uchar, *mut c_uchar, *mut ffi::RSA, c_int),
) -> c_int {
    let Some(module) = Module::get() else {
        return -1;
    };
    let private = Private {
        own: own(module),
        length,
        from,
        to,
        key,
        padding,
    };
    let Some(job) = jobs::current() else {
        return private.run();
    };
    let run = AssertUnwindSafe(|| paused(module, &job, private, signs));
    let status = catch_unwind(run).unwrap_or_default();
    status.unwrap_or_else(|| private.run())
}

/// The status of an operation for which the job was paused; `None` if it was not, and nothing is computed.
fn paused(
    module: &'static Module,
    job: &jobs::Job,
    private: Private,
    signs: bool,
) -> Option<c_int> {
    // SAFETY: OpenSSL called the hook with this key.
    let (n, entry) = unsafe {
        let entry = ffi::RSA_get_ex_data(private.key, module.rsa_place);
        (ffi::RSA_get0_n(private.key), keys::entry(entry))
    };
    let size = keys::length_of(n);
    let (kind, entry) = (kinds::of_modulus(8 * size as u32)?, entry?);
    if !jobs::is_worth_pausing(module, kind) || !entry.is_used_again() {
        return None;
    }
    let request = Request {
        key: entry.rsa(private.key)?,
        input: Input::Number(private.block(size, signs)?),
    };
    let alone = move || Answer::Status(private.run_counted());
    let answer = job.answer(module, kind, request, alone)?;
    report::write_now_and_then(module);
    match answer {
        Answer::Number(bytes) => {
            // SAFETY: OpenSSL called the hook with a place for as many bytes as the modulus has.
            unsafe {
                let from = bytes.as_ptr();
                private.to.copy_from_nonoverlapping(from, bytes.len());
            }
            c_int::try_from(bytes.len()).ok()
        }
        // The reason of an error is to be found in this thread.
        Answer::Status(status) if status < 0 => Some(private.run_counted()),
        Answer::Status(status) => Some(status),
        Answer::Signature(_) | Answer::Made(_) => None,
    }
}
