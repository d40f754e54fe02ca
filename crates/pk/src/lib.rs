//! Public-key cryptography in batches, on the residue-number-system engine.
//!
//! Module [`rsa`] has keys (generation, PEM and DER), signatures and their verification (PKCS#1
//! v1.5 and PSS), and encryption and decryption (OAEP and PKCS#1 v1.5). Module [`ec`] has elliptic
//! curves: ECDSA, ECDH, EdDSA, X25519 and X448, and Schnorr signatures. One batch may mix many keys.
//! Module [`keys`] has keys of any of these algorithms, for programs that learn from a key file what its key
//! can do, and batches that mix them. Module [`paillier`] adds under encryption, [`ffc`] has groups modulo a
//! prime with ballots and proofs, and [`primes`] makes and tests primes. Module [`bls`] has BLS signatures, [`kzg`]
//! and [`groth16`] verify proofs on BLS12-381. Module [`hash`] has the hash functions
//! and the digests that are signed. With the feature `signature` there are the traits of that crate.
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
//! Memory comes from the program's global allocator. An allocator that aligns blocks to 64 bytes
//! quickly, as mimalloc does, makes single operations noticeably faster. One that wipes what is
//! freed, as the crate `zeroizing-alloc` makes of any other, is needed if no copy of a secret may stay
//! in memory: reading or making a key leaves its primes in temporaries of crypto-bigint and
//! crypto-primes, which do not wipe them. Everything else is wiped by this crate.
//!
//! Integer arithmetic outside the engine is that of `crypto-bigint`. The crates `pkcs1`, `pkcs8`,
//! `spki` and `der` read and write key files, `sha1`, `sha2` and `sha3` hash, and `crypto-primes`
//! searches primes. The paddings are implemented here, from RFC 8017, because no maintained crate
//! exposes them: those of the `rsa` crate are private.

pub mod batch;
pub mod bls;
pub mod ec;
pub mod ffc;
pub mod groth16;
pub mod hash;
mod integer;
mod key_file;
pub mod keys;
pub mod kzg;
mod padding;
pub mod paillier;
pub mod primes;
pub mod rsa;
#[cfg(feature = "signature")]
pub mod traits;
mod verdict;
mod wipe;

pub use hash::{Digest, Hash, Hasher};
pub use key_file::{KdfLimits, KeyAlgorithm, KeyFile, KeyFileError, KeySet, MAX_FILE_BYTES};

#[cfg(feature = "signature")]
pub use signature;

/// The operating system's random number generator, in the form that this crate's functions take.
///
/// It keeps no state in the process, so that after a fork parent and child draw different numbers.
/// With a generator that does keep one, seed it anew in the child: else both sides would draw the
/// same salts, seeds and blinds.
///
/// # Panics
/// Drawing from the generator panics if the operating system fails to provide randomness.
/// [`getrandom::SysRng`] returns an error instead, and [`rsa::sign_batch`] accepts it.
pub fn system_rng() -> rand_core::UnwrapErr<getrandom::SysRng> {
    rand_core::UnwrapErr(getrandom::SysRng)
}

/// The examples of the README, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
