//! OpenSSL 4.0 under the name of OpenSSL 3.
//!
//! The crate `openssl-sys` works with OpenSSL 4, but its feature `vendored` compiles the sources in
//! the crate `openssl-src` 300.x, which are OpenSSL 3. The workspace replaces that crate by this
//! one, which re-exports `openssl-src` 400.x: OpenSSL 4, with the same interface.

pub use newest::{Artifacts, Build, source_dir, version};
