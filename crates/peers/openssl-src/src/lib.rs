//! OpenSSL 4.0 under the name of OpenSSL 3.
//!
//! The crate `openssl-sys` works with OpenSSL 4, but its feature `vendored` compiles what the
//! crate `openssl-src` 300.x holds, which is OpenSSL 3. The workspace patches that crate with
//! this one, which hands on `openssl-src` 400.x: OpenSSL 4, with the same interface.

pub use newest::{Artifacts, Build, source_dir, version};
