//! RSA: keys, signatures and their verification, encryption and decryption (RFC 8017).
//!
//! [`PublicKey`] and [`PrivateKey`] are keys as numbers: they are read, written, generated and
//! checked. [`VerifyingKey`], [`SigningKey`], [`EncryptionKey`] and [`DecryptionKey`] are keys
//! prepared for an engine and for one purpose, cheap to clone. [`sign_batch`], [`verify_batch`],
//! [`encrypt_batch`] and [`decrypt_batch`] take any mix of keys, key sizes, schemes and hashes.
//!
//! Keys shorter than [`MIN_SIGNING_BITS`] only verify, until [`PrivateKey::permit_1024`] or
//! [`PublicKey::permit_1024`] lets them do the rest. Powers without padding are in [`raw`], blind signatures in
//! [`blind`]. Keys whose files say that they are for PSS alone do nothing else: see [`PssRestriction`].

pub mod blind;
mod blinding;
mod decrypt;
mod encoding;
mod encrypt;
mod encryption_scheme;
mod from_primes;
mod generate;
mod generate_batch;
mod key;
mod private;
mod programs;
pub mod raw;
mod restriction;
mod sign;
mod signature_scheme;
mod sizes;
mod verify;

pub use decrypt::{DecryptError, DecryptRequest, DecryptionKey, decrypt_batch};
pub use encrypt::{EncryptError, EncryptRequest, EncryptionKey, encrypt_batch};
pub use encryption_scheme::EncryptionScheme;
pub use key::{KeyError, PrivateKey, PublicKey};
pub use programs::KeyPrograms;
pub use restriction::{PssParameters, PssRestriction, RestrictionError};
pub use sign::{SignError, SignRequest, SigningKey, sign_batch};
pub use signature_scheme::{SaltLen, Scheme};
pub use sizes::{MAX_BITS, MAX_EXPONENT, MAX_GENERATED_BITS, MIN_BITS, MIN_SIGNING_BITS};
pub use verify::{VerifyError, VerifyRequest, VerifyingKey, verify_batch};
