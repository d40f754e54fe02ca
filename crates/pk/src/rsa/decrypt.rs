//! Decryption in batches (RFC 8017, sections 7.1.2 and 7.2.2).

use super::key::{KeyError, PrivateKey, PublicKey, octets};
use super::private::{self, Fault, NoRandomness, PreparedKey, PrivateOperation};
use super::{CHUNK, EncryptionScheme};
use crate::padding::{oaep, pkcs1v15_encryption};
use core::fmt;
use crypto_bigint::BoxedUint;
use pkcs1v15_encryption::RejectionKey;
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

/// A private key to decrypt with, prepared for an engine; cheap to clone. Wiped when the last
/// clone goes.
#[derive(Clone)]
pub struct DecryptionKey(Arc<Prepared>);

struct Prepared {
    numbers: PreparedKey,
    rejection: RejectionKey,
}

impl DecryptionKey {
    /// Prepares the key.
    ///
    /// # Errors
    /// [`KeyError::TooShortToDecrypt`], or [`KeyError::Engine`] if the engine refuses a modulus.
    pub fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, KeyError> {
        key.check_may_decrypt()?;
        let d = octets(&key.secret.d, key.public_key().size());
        Ok(Self(Arc::new(Prepared {
            numbers: PreparedKey::new(engine, key)?,
            rejection: RejectionKey::new(&d),
        })))
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        self.0.numbers.public_key()
    }
}

impl fmt::Debug for DecryptionKey {
    /// The public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DecryptionKey")
            .field(self.public_key())
            .finish()
    }
}

/// A ciphertext to decrypt.
#[derive(Clone, Copy, Debug)]
pub struct DecryptRequest<'a> {
    /// With which key.
    pub key: &'a DecryptionKey,
    /// How it was encrypted.
    pub scheme: EncryptionScheme<'a>,
    /// The ciphertext, as long as the modulus.
    pub ciphertext: &'a [u8],
}

/// Why there is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecryptError {
    /// No message of this scheme fits the key.
    #[error("a key of {0} bits is too short for this scheme")]
    KeyTooShort(u32),
    /// The ciphertext is not as long as the modulus.
    #[error("the ciphertext has {given} bytes: with this key it must have {expected}")]
    Length {
        /// Length of the modulus.
        expected: usize,
        /// Length of the ciphertext.
        given: usize,
    },
    /// As an integer it is not below the modulus.
    #[error("the ciphertext is not below the modulus")]
    OutOfRange,
    /// The one answer to everything that can be wrong inside an OAEP ciphertext.
    #[error(
        "the ciphertext does not decrypt: it is damaged, or was made with another key, scheme, \
         hash or label"
    )]
    Undecryptable,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The result did not encrypt to the ciphertext: a fault in the computation, or a key whose
    /// numbers are wrong.
    #[error("the message was computed wrongly and has been withheld: a fault, or a bad key")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<NoRandomness> for DecryptError {
    fn from(_: NoRandomness) -> Self {
        Self::Random
    }
}

impl From<Fault> for DecryptError {
    fn from(_: Fault) -> Self {
        Self::Fault
    }
}

/// Decrypts any mix of keys, sizes and schemes; the results are in the requests' order. Every
/// private operation is blinded with fresh randomness and checked before a result leaves; time
/// and memory access depend on no secret but the length of a message that is returned.
///
/// OAEP: whatever is wrong inside a ciphertext is [`DecryptError::Undecryptable`].
///
/// PKCS#1 v1.5 has *implicit rejection*: whatever is wrong inside a ciphertext, the result is
/// `Ok`, with a message of random length and bytes that depends on the key and the ciphertext
/// only. (It is the same that OpenSSL gives since version 3.2.) An error would be the oracle of
/// Bleichenbacher's attack. The caller must go on with such a message as with a right one, and so
/// fail where a message authentication code does not match.
///
/// # Example
/// ```
/// use sunzi_engine::{Backend, Engine};
/// use sunzi_pk::rsa::{DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey};
/// use sunzi_pk::rsa::{EncryptionScheme, PrivateKey, decrypt_batch, encrypt_batch};
/// use sunzi_pk::system_rng;
///
/// let engine = Engine::new(Backend::best())?;
/// let private = PrivateKey::generate(2048, &mut system_rng())?;
/// let key = EncryptionKey::new(&engine, private.public_key())?;
/// let scheme = EncryptionScheme::OAEP;
/// let requests = [EncryptRequest { key: &key, scheme, message: b"a key" }];
/// let ciphertexts = encrypt_batch(&engine, &mut system_rng(), &requests);
/// let ciphertext = ciphertexts[0].as_ref().expect("the message is short");
///
/// let key = DecryptionKey::new(&engine, &private)?;
/// let requests = [DecryptRequest { key: &key, scheme, ciphertext }];
/// let messages = decrypt_batch(&engine, &mut system_rng(), &requests);
/// assert_eq!(**messages[0].as_ref().expect("it was encrypted to this key"), b"a key"[..]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decrypt_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[DecryptRequest<'_>],
) -> Vec<Result<Zeroizing<Vec<u8>>, DecryptError>> {
    requests
        .chunks(CHUNK)
        .flat_map(|chunk| decrypt_chunk(engine, rng, chunk))
        .collect()
}

fn decrypt_chunk<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[DecryptRequest<'_>],
) -> Vec<Result<Zeroizing<Vec<u8>>, DecryptError>> {
    let operations: Vec<_> = requests.iter().map(operation).collect();
    requests
        .iter()
        .zip(private::run(engine, rng, &operations))
        .map(|(request, em)| decode(request, &mut em?))
        .collect()
}

/// The private operation on a ciphertext of the right length and range: both are public.
fn operation<'a>(request: &DecryptRequest<'a>) -> Result<PrivateOperation<'a>, DecryptError> {
    let key = request.key.public_key();
    if request.scheme.max_message(key).is_none() {
        return Err(DecryptError::KeyTooShort(key.bits()));
    }
    let (expected, given) = (key.size(), request.ciphertext.len());
    if given != expected {
        return Err(DecryptError::Length { expected, given });
    }
    let c = BoxedUint::from_be_slice(request.ciphertext, key.n().bits_precision())
        .expect("it is as long as the modulus");
    if c.cmp_vartime(key.n()).is_ge() {
        return Err(DecryptError::OutOfRange);
    }
    Ok(PrivateOperation::new(
        &request.key.0.numbers,
        Zeroizing::new(c),
    ))
}

fn decode(request: &DecryptRequest<'_>, em: &mut [u8]) -> Result<Zeroizing<Vec<u8>>, DecryptError> {
    match request.scheme {
        EncryptionScheme::Oaep { hash, mgf1, label } => {
            oaep::decode(em, label, hash, mgf1).ok_or(DecryptError::Undecryptable)
        }
        EncryptionScheme::Pkcs1v15 => {
            let key = &request.key.0.rejection;
            Ok(pkcs1v15_encryption::decode(em, key, request.ciphertext))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::private::tests::{engine, faulty_keys, private_key};
    use super::super::{EncryptRequest, EncryptionKey, encrypt_batch};
    use super::*;
    use crate::system_rng;

    /// No message of a faulty key may leave, and the others of the batch must.
    #[test]
    fn a_wrong_half_is_withheld_and_its_neighbours_are_not() {
        let engine = engine();
        let good = DecryptionKey::new(&engine, &private_key()).unwrap();
        let key = EncryptionKey::permitting_1024(&engine, good.public_key()).unwrap();
        for scheme in [EncryptionScheme::OAEP, EncryptionScheme::Pkcs1v15] {
            let request = EncryptRequest {
                key: &key,
                scheme,
                message: b"message",
            };
            let ciphertext = encrypt_batch(&engine, &mut system_rng(), &[request]).remove(0);
            let ciphertext = &ciphertext.unwrap();
            for numbers in faulty_keys(&engine) {
                let bad = DecryptionKey(Arc::new(Prepared {
                    numbers,
                    rejection: RejectionKey::new(&[]),
                }));
                let requests = [&good, &bad, &good].map(|key| DecryptRequest {
                    key,
                    scheme,
                    ciphertext,
                });
                let results = decrypt_batch(&engine, &mut system_rng(), &requests);
                assert_eq!(results[1], Err(DecryptError::Fault));
                assert_eq!(**results[0].as_ref().unwrap(), b"message"[..]);
                assert_eq!(results[0], results[2]);
            }
        }
    }
}
