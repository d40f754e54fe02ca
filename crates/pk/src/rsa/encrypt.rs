//! Encryption in batches (RFC 8017, sections 7.1.1 and 7.2.1).

use super::encryption_scheme::EncryptionScheme;
use super::key::{KeyError, PublicKey};
use super::private::NoRandomness;
use super::verify::VerifyingKey;
use crate::batch::fail_all;
use crate::integer::octets;
use crate::padding::{oaep, pkcs1v15_encryption};
use core::fmt;
use crypto_bigint::BoxedUint;
use rand_core::TryCryptoRng;
use sunzi_engine::{Engine, EngineError, Job};
use zeroize::Zeroizing;

/// A public key prepared for encryption on an engine; cheap to clone.
#[derive(Clone, Debug)]
pub struct EncryptionKey(VerifyingKey);

impl EncryptionKey {
    /// Prepares a key for encryption.
    ///
    /// # Errors
    /// [`KeyError::TooShortToEncrypt`], or [`KeyError::Engine`] if the engine refuses the modulus.
    pub fn new(engine: &Engine, key: &PublicKey) -> Result<Self, KeyError> {
        key.check_may_encrypt()?;
        VerifyingKey::new(engine, key).map(Self)
    }

    /// The key that was prepared.
    pub fn public_key(&self) -> &PublicKey {
        self.0.public_key()
    }
}

/// A message to encrypt, with key and scheme.
#[derive(Clone, Copy)]
pub struct EncryptRequest<'a> {
    /// Key of the recipient.
    pub key: &'a EncryptionKey,
    /// Encryption scheme.
    pub scheme: EncryptionScheme<'a>,
    /// Message, no longer than [`EncryptionScheme::max_message`].
    pub message: &'a [u8],
}

impl fmt::Debug for EncryptRequest<'_> {
    /// Shows the length of the message, not its bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptRequest")
            .field("key", &self.key)
            .field("scheme", &self.scheme)
            .field("message_len", &self.message.len())
            .finish_non_exhaustive()
    }
}

/// The reason why a request got no ciphertext.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncryptError {
    /// No message of this scheme fits the key.
    #[error("a key of {0} bits is too short for this scheme")]
    KeyTooShort(u32),
    /// The message is too long for the key.
    #[error(
        "the message has {given} bytes: with this key and scheme at most {max} fit (RSA encrypts \
         keys, not files: encrypt a file with a symmetric cipher, and that cipher's key with RSA)"
    )]
    MessageTooLong {
        /// Length of the longest message that fits, in bytes.
        max: usize,
        /// Length of the message, in bytes.
        given: usize,
    },
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<NoRandomness> for EncryptError {
    fn from(_: NoRandomness) -> Self {
        Self::Random
    }
}

/// One ciphertext for each request, in the same order; each is as long as its modulus.
///
/// A batch may mix keys, key sizes and schemes. Time and memory access depend on the lengths of
/// the messages, not on their bytes.
pub fn encrypt_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[EncryptRequest<'_>],
) -> Vec<Result<Vec<u8>, EncryptError>> {
    requests
        .chunks(engine.at_a_time())
        .flat_map(|chunk| encrypt_chunk(engine, rng, chunk))
        .collect()
}

fn encrypt_chunk<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[EncryptRequest<'_>],
) -> Vec<Result<Vec<u8>, EncryptError>> {
    let integers: Vec<_> = requests
        .iter()
        .map(|request| integer(rng, request))
        .collect();
    let jobs: Vec<Job<'_>> = requests
        .iter()
        .zip(&integers)
        .filter_map(|(request, m)| m.as_ref().ok().map(|m| request.key.0.raise(m)))
        .collect();
    let mut powers = match engine.execute(&jobs) {
        Ok(powers) => powers.into_iter(),
        Err(error) => return fail_all(&integers, &error.into()),
    };
    requests
        .iter()
        .zip(&integers)
        .map(|(request, m)| {
            m.as_ref().map_err(EncryptError::clone)?;
            let c = powers.next().expect("the engine answers every task");
            Ok(octets(&c.integers[0], request.key.public_key().size()).to_vec())
        })
        .collect()
}

/// The encoded message as an integer. It is below the modulus because its first byte is zero.
fn integer<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    request: &EncryptRequest<'_>,
) -> Result<Zeroizing<BoxedUint>, EncryptError> {
    let key = request.key.public_key();
    let message = request.message;
    let max = (request.scheme.max_message(key)).ok_or(EncryptError::KeyTooShort(key.bits()))?;
    let given = message.len();
    if given > max {
        return Err(EncryptError::MessageTooLong { max, given });
    }
    let em = match request.scheme {
        EncryptionScheme::Oaep { hash, mgf1, label } => {
            let mut seed = Zeroizing::new(vec![0; hash.digest_len()]);
            rng.try_fill_bytes(&mut seed).map_err(|_| NoRandomness)?;
            oaep::encode(message, label, &seed, hash, mgf1, key.size())
        }
        EncryptionScheme::Pkcs1v15 => {
            let len = pkcs1v15_encryption::padding_len(message, key.size());
            pkcs1v15_encryption::encode(message, &nonzero_bytes(rng, len)?)
        }
    };
    let m = BoxedUint::from_be_slice(&em, key.n().bits_precision())
        .expect("an encoded message is as long as the modulus");
    Ok(Zeroizing::new(m))
}

/// Uniform bytes from 1 to 255, by rejection sampling: the number of draws is independent of the
/// bytes that result.
fn nonzero_bytes<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    len: usize,
) -> Result<Zeroizing<Vec<u8>>, NoRandomness> {
    let mut bytes = Zeroizing::new(vec![0; len]);
    rng.try_fill_bytes(&mut bytes).map_err(|_| NoRandomness)?;
    for byte in bytes.iter_mut() {
        // Each draw is zero with probability 1/256, unless the generator is broken.
        let mut draws = 0;
        while *byte == 0 {
            if draws == 16 {
                return Err(NoRandomness);
            }
            rng.try_fill_bytes(core::slice::from_mut(byte))
                .map_err(|_| NoRandomness)?;
            draws += 1;
        }
    }
    Ok(bytes)
}
