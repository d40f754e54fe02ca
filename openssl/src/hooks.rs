//! The functions that OpenSSL calls in place of its own: x^d modulo n, and signing of a digest by ECDSA.

use core::ffi::{c_int, c_uchar};
use core::ptr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sunzi_pk::{Digest, Hash};

use crate::ffi;
use crate::jobs;
use crate::keys;
use crate::kinds;
use crate::module::Module;
use crate::operation::{Answer, Input, Request};
use crate::paused;
use crate::report;

/// A call of OpenSSL's own x^d modulo n, with the arguments of the hook.
#[derive(Clone, Copy)]
struct Power {
    own: ffi::ModExp,
    result: *mut ffi::BIGNUM,
    number: *const ffi::BIGNUM,
    key: *mut ffi::RSA,
    context: *mut ffi::BN_CTX,
}

impl Power {
    fn run(self) -> c_int {
        // SAFETY: these are the arguments that OpenSSL called the hook with, for this function.
        unsafe { (self.own)(self.result, self.number, self.key, self.context) }
    }
}

/// A call of OpenSSL's own signing, with the arguments of the hook.
#[derive(Clone, Copy)]
struct Signing {
    own: ffi::SignSig,
    digest: *const c_uchar,
    length: c_int,
    inverse: *const ffi::BIGNUM,
    r: *const ffi::BIGNUM,
    key: *mut ffi::EC_KEY,
}

// SAFETY: the pointers are used by one thread at a time: by the one that OpenSSL called, or, while its asynchronous job
// is paused, by a thread that computes for it. A paused job that is never continued stays in memory, with all that it
// uses.
unsafe impl Send for Signing {}

impl Signing {
    fn run(self) -> *mut ffi::ECDSA_SIG {
        // SAFETY: these are the arguments that OpenSSL called the hook with, for this function.
        unsafe { (self.own)(self.digest, self.length, self.inverse, self.r, self.key) }
    }
}

/// The answer to an operation: from a batch, or by OpenSSL's own function (`alone`).
fn answer(
    module: &'static Module,
    kind: usize,
    request: impl FnOnce() -> Option<Request>,
    alone: impl Fn() -> Answer,
) -> Answer {
    let timed = || module.measures.time(kind, alone);
    let answer = module.gatherer.call(kind, request, timed);
    report::write_now_and_then(module);
    answer
}

/// x^d modulo n.
pub(crate) extern "C" fn mod_exp(
    result: *mut ffi::BIGNUM,
    number: *const ffi::BIGNUM,
    key: *mut ffi::RSA,
    context: *mut ffi::BN_CTX,
) -> c_int {
    let Some(module) = Module::get() else {
        return 0;
    };
    let power = Power {
        own: module.own.mod_exp,
        result,
        number,
        key,
        context,
    };
    // A panic has not run OpenSSL's function, which is the last that is called.
    let run = AssertUnwindSafe(|| raised(module, power));
    catch_unwind(run).unwrap_or_else(|_| power.run())
}

fn raised(module: &'static Module, power: Power) -> c_int {
    // SAFETY: OpenSSL called the hook with this key, which has a modulus in each private operation.
    let (n, entry) = unsafe {
        let entry = ffi::RSA_get_ex_data(power.key, module.rsa_place);
        (ffi::RSA_get0_n(power.key), keys::entry(entry))
    };
    let length = keys::length_of(n);
    let (Some(kind), Some(entry)) = (kinds::of_modulus(8 * length as u32), entry) else {
        return power.run();
    };
    if paused::is_counted() {
        return power.run();
    }
    // A job may neither be paused here nor make the program's thread wait.
    let takes_part = jobs::current().is_none() && entry.is_used_again();
    let request = || {
        let key = takes_part.then(|| entry.rsa(power.key)).flatten()?;
        let input = Input::Number(keys::bytes_of(power.number, length)?);
        Some(Request { key, input })
    };
    match answer(module, kind, request, move || Answer::Status(power.run())) {
        Answer::Status(status) => status,
        Answer::Number(bytes) => {
            // SAFETY: the result is OpenSSL's, to write to.
            let made = unsafe { keys::number(&bytes, power.result) };
            c_int::from(!made.is_null())
        }
        Answer::Signature(_) | Answer::Made(_) => power.run(),
    }
}

/// The signature of a digest by ECDSA.
pub(crate) extern "C" fn sign_sig(
    digest: *const c_uchar,
    length: c_int,
    inverse: *const ffi::BIGNUM,
    r: *const ffi::BIGNUM,
    key: *mut ffi::EC_KEY,
) -> *mut ffi::ECDSA_SIG {
    let Some(module) = Module::get() else {
        return ptr::null_mut();
    };
    let signing = Signing {
        own: module.own.sign_sig,
        digest,
        length,
        inverse,
        r,
        key,
    };
    let run = AssertUnwindSafe(|| signed(module, signing));
    catch_unwind(run).unwrap_or_else(|_| signing.run())
}

/// The digest, as one of a hash function of its length: the nonce is derived by that function. `None` for other lengths.
fn digest_of(bytes: &[u8]) -> Option<Digest> {
    let hashes = [Hash::Sha224, Hash::Sha256, Hash::Sha384, Hash::Sha512];
    let mut fitting = hashes.into_iter();
    let hash = fitting.find(|hash| hash.digest_len() == bytes.len())?;
    Digest::new(hash, bytes).ok()
}

fn signed(module: &'static Module, signing: Signing) -> *mut ffi::ECDSA_SIG {
    let is_usual = signing.inverse.is_null() && signing.r.is_null() && !signing.digest.is_null();
    // SAFETY: OpenSSL called the hook with this key.
    let (group, entry) = unsafe {
        let entry = ffi::EC_KEY_get_ex_data(signing.key, module.ec_place);
        (ffi::EC_KEY_get0_group(signing.key), keys::entry(entry))
    };
    let (Some(entry), false) = (entry, group.is_null() || !is_usual) else {
        return signing.run();
    };
    // SAFETY: the group is the key's.
    let curve = unsafe { ffi::EC_GROUP_get_curve_name(group) };
    let Some(kind) = kinds::of_curve(curve) else {
        return signing.run();
    };
    // SAFETY: OpenSSL called the hook with a digest of this length.
    let digest = unsafe {
        core::slice::from_raw_parts(signing.digest, usize::try_from(signing.length).unwrap_or(0))
    };
    let is_used_again = entry.is_used_again();
    let request = || {
        let input = Input::Digest(digest_of(digest)?);
        let key = is_used_again
            .then(|| entry.ec(signing.key, kind))
            .flatten()?;
        Some(Request { key, input })
    };
    let alone = move || Answer::Made(signing.run().expose_provenance());
    let paused = jobs::current().filter(|_| jobs::is_worth_pausing(module, kind));
    let answered = match paused {
        Some(job) => {
            let paused = request().and_then(|request| job.answer(module, kind, request, alone));
            paused.unwrap_or_else(|| answer(module, kind, || None, alone))
        }
        None => answer(module, kind, request, alone),
    };
    match answered {
        Answer::Made(address) => ptr::with_exposed_provenance_mut(address),
        Answer::Signature(bytes) => signature(&bytes),
        Answer::Number(_) | Answer::Status(_) => signing.run(),
    }
}

/// A signature of OpenSSL's with the numbers r and s of the same length; null if there is no memory.
fn signature(bytes: &[u8]) -> *mut ffi::ECDSA_SIG {
    let (r, s) = bytes.split_at(bytes.len() / 2);
    // SAFETY: OpenSSL makes new numbers.
    let (r, s) = unsafe {
        let number = |bytes| keys::number(bytes, ptr::null_mut());
        (number(r), number(s))
    };
    // SAFETY: the three are new, or null. Once they are set, the numbers belong to the signature.
    unsafe {
        let signature = ffi::ECDSA_SIG_new();
        let is_whole = !(signature.is_null() || r.is_null() || s.is_null());
        if is_whole && ffi::ECDSA_SIG_set0(signature, r, s) == 1 {
            return signature;
        }
        ffi::BN_clear_free(r);
        ffi::BN_clear_free(s);
        ffi::ECDSA_SIG_free(signature);
    }
    ptr::null_mut()
}
