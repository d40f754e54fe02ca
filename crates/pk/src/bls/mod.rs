//! BLS signatures on BLS12-381 in batches (draft-irtf-cfrg-bls-signature-05), as Ethereum, drand, Filecoin and others
//! verify them.
//!
//! A [`Suite`] is the group of signatures, the scheme and its domain separation tag; [`PreparedBls`] is a suite on an
//! engine. Keys are validated once, by [`PreparedBls::key_validate_batch`]. Signatures are verified each by itself,
//! with an answer for each ([`PreparedBls::verify_batch`]), or all together by random factors
//! ([`PreparedBls::verify_sets`]), which takes half the time and has one answer.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::bls::{PreparedBls, Scheme, SecretKey, SignRequest, Suite, Variant, VerifyRequest};
//! use sunzi_pk::ec::pairing::PreparedPairing;
//!
//! let pairing = PreparedPairing::bls12_381(&Engine::new(Backend::best())?)?;
//! let bls = PreparedBls::new(&pairing, Suite::new(Variant::MinPk, Scheme::ProofOfPossession));
//! let secret = SecretKey::from_key_material(&[7; 32], b"")?;
//! let public = bls.public_key_batch(&[&secret]).remove(0)?;
//!
//! let (key, message) = (&secret, &b"a message"[..]);
//! let signature = bls.sign_batch(&[SignRequest { key, message }]).remove(0)?;
//! let signature = &signature.to_bytes()[..];
//! let request = VerifyRequest { key: &public, message, signature };
//! assert_eq!(bls.verify_batch(&[request]), [Ok(())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aggregate;
mod element;
mod find_bad;
mod keystore;
mod prepared;
mod secret_key;
mod sets;
mod sign;
mod suite;
#[cfg(test)]
mod tests;
mod verify;

pub use element::{PublicKey, Signature};
pub use keystore::{Keystore, KeystoreError, KeystoreKdf, MAX_KEYSTORE_BYTES};
pub use prepared::PreparedBls;
pub use secret_key::{SecretKey, SecretKeyError};
pub use sign::{SignError, SignRequest};
pub use suite::{Scheme, Suite, UnknownScheme, Variant};
pub use verify::{VerifyError, VerifyRequest};
