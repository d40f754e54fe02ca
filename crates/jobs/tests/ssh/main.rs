//! Signatures and certificates for SSH beside OpenSSH's own programs.

mod certificates;
mod policies;
mod server;
mod signatures;
mod signers;
mod tools;
