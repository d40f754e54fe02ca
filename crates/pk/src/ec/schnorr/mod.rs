//! Schnorr signatures on secp256k1 (BIP 340) in batches.
//!
//! Public keys are 32 bytes: the coordinate x of the one of two points whose y is even. Signatures are
//! 64 bytes: x of the nonce's point, whose y is even, and the number s.

mod combined;
mod hash;
mod key;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

pub use combined::verify_combined_batch;
pub use key::{KeyError, SIGNATURE_BYTES};
pub use sign::{SignError, SignRequest, Signature, SigningKey, sign_batch};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};
