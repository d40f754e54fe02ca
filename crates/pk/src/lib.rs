//! Public-key cryptography in batches, on the residue-number-system engine.
//!
//! [`rsa`] has the keys (generation, PEM and DER), the signatures (PKCS#1 v1.5 and PSS, many keys
//! in one batch) and their verification, encryption and decryption (OAEP and PKCS#1 v1.5);
//! [`hash`] the digests that are signed.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::rsa::{PrivateKey, Scheme, SignRequest, SigningKey};
//! use sunzi_pk::rsa::{VerifyRequest, VerifyingKey, sign_batch, verify_batch};
//! use sunzi_pk::{Hash, system_rng};
//!
//! let engine = Engine::new(Backend::best())?;
//! let private = PrivateKey::generate(2048, &mut system_rng())?;
//! let signing = SigningKey::new(&engine, &private)?;
//! let verifying = VerifyingKey::new(&engine, private.public_key())?;
//!
//! let digest = Hash::Sha256.digest(b"a message");
//! let scheme = Scheme::Pkcs1v15;
//! let requests = [SignRequest { key: &signing, scheme, digest }];
//! let signatures = sign_batch(&engine, &mut system_rng(), &requests);
//! let signature = signatures[0].as_ref().expect("the key fits the hash");
//!
//! let requests = [VerifyRequest { key: &verifying, scheme, digest, signature }];
//! assert_eq!(verify_batch(&engine, &requests), [Ok(())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Memory comes from the program's global allocator: one that is fast at alignment to 64 bytes (the
//! command uses mimalloc) shortens single operations noticeably.
//!
//! Big integers and their constant-time arithmetic outside the engine are `crypto-bigint`'s; key
//! formats are read and written by the `pkcs1`, `pkcs8`, `spki` and `der` crates, hashing is
//! `sha1`'s, `sha2`'s and `sha3`'s, prime search `crypto-primes`'. The paddings are written here,
//! from RFC 8017: no maintained crate exposes them (the `rsa` crate keeps its own private).

pub mod hash;
mod padding;
pub mod rsa;

pub use hash::{Digest, Hash, Hasher};

/// The operating system's random number generator, as the functions of this crate take it.
///
/// # Panics
/// The generator panics when drawn from if the operating system has no randomness to give;
/// [`getrandom::SysRng`] reports that as an error instead, and [`rsa::sign_batch`] accepts it.
pub fn system_rng() -> rand_core::UnwrapErr<getrandom::SysRng> {
    rand_core::UnwrapErr(getrandom::SysRng)
}
