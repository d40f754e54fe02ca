//! Paillier's cryptosystem (Paillier, 1999), which adds under encryption, in batches.
//!
//! A public key is a modulus n; with g = n + 1 a plaintext m below n is encrypted as
//! `c = (1 + n m) r^n mod n^2` for a random r. The product of two ciphertexts is one of the sum, and a power
//! of a ciphertext one of the multiple, both modulo n. [`encrypt_batch`], [`decrypt_batch`], [`add_batch`],
//! [`sum`], [`add_plain_batch`], [`multiply_batch`] and [`randomize_batch`] each take many numbers and one
//! prepared key, and answer for each number. Numbers go in and out as integers; as bytes they are
//! big-endian, of [`PublicKey::plaintext_size`] and [`PublicKey::ciphertext_size`] bytes
//! ([`to_bytes`], [`from_bytes`]).
//!
//! Keys, ciphertexts and the encoding of signed and fractional numbers ([`Encoded`]) are those of the Python
//! package `phe`, also as JSON.
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::paillier::{
//!     DecryptionKey, EncryptionKey, Method, PrivateKey, decrypt_batch, encrypt_batch, sum,
//! };
//! use sunzi_pk::{primes, system_rng};
//!
//! let engine = Engine::new(Backend::best())?;
//! let rng = &mut system_rng();
//! let mut keys = PrivateKey::generate_batch(&engine, rng, 2048, 1, &mut primes::unwatched)?;
//! let private = keys.remove(0);
//! let encryption = EncryptionKey::new(&engine, private.public_key(), Method::Short)?;
//! let decryption = DecryptionKey::new(&engine, &private)?;
//!
//! let numbers = [3u32, 5, 7].map(BoxedUint::from);
//! let ciphertexts = encrypt_batch(&engine, rng, &encryption, &numbers);
//! let ciphertexts: Vec<_> = ciphertexts.into_iter().collect::<Result<_, _>>()?;
//! let total = sum(&engine, &encryption, &ciphertexts)?;
//! let plaintexts = decrypt_batch(&engine, &decryption, &[total]);
//! assert_eq!(**plaintexts[0].as_ref().unwrap(), BoxedUint::from(15u32));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A party that may send ciphertexts to be decrypted and sees the answers can change encrypted numbers of others: the
//! scheme is malleable by design. Decrypt only what a protocol requires.

mod batch;
mod bytes;
mod decrypt;
mod encoded;
mod encrypt;
mod error;
mod generate;
mod jwk;
mod key;
mod programs;

pub use bytes::{from_bytes, to_bytes};
pub use decrypt::{DecryptionKey, decrypt_batch};
pub use encoded::{EncodeError, Encoded};
pub use encrypt::{
    EncryptionKey, Method, add_batch, add_plain_batch, encrypt_batch, multiply_batch,
    multiply_batch_vartime, negate_batch_vartime, randomize_batch, sum,
};
pub use error::PaillierError;
pub use key::{KeyError, MAX_BITS, MIN_BITS, PrivateKey, PublicKey};
