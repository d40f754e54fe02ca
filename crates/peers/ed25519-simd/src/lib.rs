//! ed25519-simd behind two C functions, for `sunzi-peers`, which loads them.
//!
//! The crate chooses its instructions when it is compiled, and so must be compiled with
//! `-C target-feature=+avx512f,+avx512bw,+avx512dq,+avx512ifma`; a program that has it inside runs on such processors
//! only. `scripts/bench-ed25519-simd.sh` builds this.

use ed25519_simd::{DalekVerifier, NullKeyCache, VerifyInput};
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::slice;

/// The version that Cargo.toml requires.
const VERSION: &CStr = c"0.1.0";

/// A signature to verify.
#[repr(C)]
pub struct Request {
    public_key: [u8; 32],
    signature: [u8; 64],
    message: *const u8,
    message_bytes: usize,
}

thread_local! {
    // With its table of multiples of the base point, which takes longer to make than a batch. Public keys are not kept.
    static VERIFIER: RefCell<DalekVerifier<NullKeyCache>> = RefCell::new(DalekVerifier::new());
}

/// The version of ed25519-simd.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_simd_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Verifies `count` signatures; `verdicts[k]` becomes 1 if the k-th is right, and 0 otherwise.
///
/// # Safety
/// `signatures` and `verdicts` point to `count` each, and the messages to as many bytes as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ed25519_simd_verify(
    signatures: *const Request,
    count: usize,
    verdicts: *mut u8,
) {
    // SAFETY: the caller vouches for both.
    let (signatures, verdicts) = unsafe {
        (
            slice::from_raw_parts(signatures, count),
            slice::from_raw_parts_mut(verdicts, count),
        )
    };
    let inputs: Vec<VerifyInput<'_>> = signatures
        .iter()
        .map(|one| VerifyInput {
            public_key: one.public_key,
            signature: one.signature,
            // SAFETY: the caller vouches for the message.
            message: unsafe { slice::from_raw_parts(one.message, one.message_bytes) },
        })
        .collect();
    let mut right = vec![false; count];
    VERIFIER.with_borrow_mut(|verifier| verifier.verify_batch(&inputs, &mut right));
    for (verdict, right) in verdicts.iter_mut().zip(right) {
        *verdict = right.into();
    }
}
