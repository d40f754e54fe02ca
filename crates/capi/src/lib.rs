//! The C library. What its functions do is said in their comments, which are the header's.
//!
//! The border to C is where unsafe code is allowed. Every function checks its pointers for null, and
//! turns panics into [`Status::Internal`]: nothing unwinds into C.

#![allow(unsafe_code)]
#![allow(
    clippy::missing_safety_doc,
    reason = "what callers must see to is said in the header's words"
)]
#![allow(
    clippy::doc_markdown,
    reason = "the comments are those of the header, where names need no quotes"
)]

mod buffers;
mod engine;
mod keys;
mod powers;
mod status;

use mimalloc::MiMalloc;
use zeroizing_alloc::ZeroAlloc;

pub use buffers::{ByteOrder, Bytes, Numbers, Output};
pub use engine::{
    Engine, sunzi_engine_backend, sunzi_engine_free, sunzi_engine_new, sunzi_version,
};
pub use keys::{
    Padding, PrivateKey, PublicKey, SignatureOptions, sunzi_private_key_free,
    sunzi_private_key_generate, sunzi_private_key_load, sunzi_private_key_public,
    sunzi_private_key_write, sunzi_public_key_free, sunzi_public_key_load, sunzi_public_key_write,
    sunzi_sign, sunzi_verify,
};
pub use powers::{Secrecy, sunzi_powers};
pub use status::{Status, sunzi_error_message};

/// As in the command: numbers are aligned to cache lines, which is fast in mimalloc, and what is freed
/// is wiped. Memory of C's `malloc` is not touched.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);
