//! Verification of Groth16 proofs on BLS12-381 in batches (Groth, "On the size of pairing-based non-interactive arguments",
//! 2016), by a prepared key.
//!
//! A proof (A, B, C) for public inputs x is valid if
//! `e(A, B) = e(alpha, beta) e(K_0 + x_1 K_1 + ..., gamma) e(C, delta)` for the elements of the key. Of these pairings only
//! e(A, B) has an element of G2 that is not prepared.

mod key;
mod proof;
#[cfg(test)]
mod tests;
mod verify;

pub use key::{PreparedVerifyingKey, VerifyingKey};
pub use proof::{PROOF_BYTES, Proof};
pub use verify::{Groth16Error, VerifyRequest};
