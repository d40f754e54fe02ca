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

mod decrypt;
mod encoded;
mod encrypt;
mod jwk;
mod key;
mod programs;

use crate::integer::octets;
use crypto_bigint::BoxedUint;
use sunzi_engine::{Engine, EngineError, Job};

pub use decrypt::{DecryptionKey, decrypt_batch};
pub use encoded::{EncodeError, Encoded};
pub use encrypt::{
    EncryptionKey, Method, add_batch, add_plain_batch, encrypt_batch, multiply_batch,
    multiply_batch_vartime, negate_batch_vartime, randomize_batch, sum,
};
pub use key::{KeyError, MAX_BITS, MIN_BITS, PrivateKey, PublicKey};

/// The reason why an item of a batch has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PaillierError {
    /// The plaintext or the factor is not below n.
    #[error("the plain number is not below n")]
    PlaintextRange,
    /// The ciphertext is not from 1 to n^2 - 1, or shares a prime with n.
    #[error("the ciphertext is not from 1 to n^2 - 1, or shares a prime with n")]
    CiphertextRange,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The plaintext was computed wrongly, or the ciphertext shares a prime with n.
    #[error(
        "the plaintext was computed wrongly and has been withheld: a fault, or a number that is no \
         ciphertext"
    )]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// Number of numbers in the engine at a time.
const CHUNK: usize = 4096;

/// The first integer of each `Ok` entry's job; `Err` entries pass through in order.
fn chunked<'a, T>(
    engine: &Engine,
    entries: &'a [Result<T, PaillierError>],
    job: impl Fn(&'a T) -> Job<'a>,
) -> Vec<Result<BoxedUint, PaillierError>> {
    let jobs: Vec<Job<'_>> = entries.iter().flatten().map(job).collect();
    let mut outcomes = match engine.execute(&jobs) {
        Ok(outcomes) => outcomes.into_iter(),
        Err(error) => return crate::fail_all(entries, &error.into()),
    };
    entries
        .iter()
        .map(|entry| {
            entry.as_ref().map_err(PaillierError::clone)?;
            let outcome = outcomes.next().expect("the engine answers every job");
            Ok((*outcome.integers[0]).clone())
        })
        .collect()
}

/// A number in `size` big-endian bytes; `None` if it does not fit.
pub fn to_bytes(number: &BoxedUint, size: usize) -> Option<Vec<u8>> {
    let fits = number.bits().div_ceil(8) as usize <= size;
    let missing = size.saturating_sub(number.bits_precision() as usize / 8);
    let kept = size - missing;
    fits.then(|| {
        let mut bytes = vec![0; missing];
        bytes.extend_from_slice(&octets(number, kept));
        bytes
    })
}

/// The number of these big-endian bytes.
pub fn from_bytes(bytes: &[u8]) -> BoxedUint {
    let bits = (8 * bytes.len() as u32).next_multiple_of(64).max(64);
    BoxedUint::from_be_slice_truncated(bytes, bits)
}
