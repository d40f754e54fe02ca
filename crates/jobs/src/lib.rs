//! Bulk jobs whose signatures are batches: the formats around signatures, and nothing of the arithmetic.
//!
//! Module [`dnssec`] signs and verifies zones of the domain name system, [`jwt`] JSON Web Tokens, [`recover`] finds the keys
//! of signatures on secp256k1, [`ssh`] signs files and issues certificates for OpenSSH, [`acvp`] answers NIST's test
//! vectors. `sunzi-pk` and the engine know nothing of these formats.

pub mod acvp;
#[cfg(feature = "dnssec")]
pub mod dnssec;
mod json;
pub mod jwt;
pub mod recover;
mod rsa_numbers;
pub mod ssh;
