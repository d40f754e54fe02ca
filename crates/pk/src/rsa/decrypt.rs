//! Decryption in batches (RFC 8017, sections 7.1.2 and 7.2.2).

use super::encryption_scheme::EncryptionScheme;
use super::key::{KeyError, PrivateKey, PublicKey};
use super::private::{self, Fault, NoRandomness, PreparedKey, PrivateOperation};
use crate::batch::{CHUNK, in_random_parts};
use crate::integer::octets;
use crate::padding::{oaep, pkcs1v15_encryption};
use core::fmt;
use crypto_bigint::BoxedUint;
use pkcs1v15_encryption::RejectionKey;
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

/// A private key prepared for decryption on an engine; cheap to clone. The numbers are wiped when
/// the last clone is dropped.
#[derive(Clone)]
pub struct DecryptionKey(Arc<DecryptionKeyData>);

/// Data of the key, shared by its clones.
struct DecryptionKeyData {
    numbers: PreparedKey,
    rejection: RejectionKey,
}

impl DecryptionKey {
    /// Prepares a key for decryption.
    ///
    /// # Errors
    /// [`KeyError::TooShortToDecrypt`], or [`KeyError::Engine`] if the engine refuses a modulus.
    pub fn new(engine: &Engine, key: &PrivateKey) -> Result<Self, KeyError> {
        key.check_may_decrypt()?;
        let d = octets(&key.secret.d, key.public_key().size());
        Ok(Self(Arc::new(DecryptionKeyData {
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
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DecryptionKey")
            .field(self.public_key())
            .finish()
    }
}

/// A ciphertext to decrypt, with key and scheme.
#[derive(Clone, Copy, Debug)]
pub struct DecryptRequest<'a> {
    /// Decryption key.
    pub key: &'a DecryptionKey,
    /// Encryption scheme of the ciphertext.
    pub scheme: EncryptionScheme<'a>,
    /// Ciphertext, as long as the modulus.
    pub ciphertext: &'a [u8],
}

/// The reason why a request got no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecryptError {
    /// No message of this scheme fits the key.
    #[error("a key of {0} bits is too short for this scheme")]
    KeyTooShort(u32),
    /// The ciphertext is not as long as the modulus.
    #[error("the ciphertext has {given} bytes: with this key it must have {expected}")]
    Length {
        /// Length of the modulus, in bytes.
        expected: usize,
        /// Length of the ciphertext, in bytes.
        given: usize,
    },
    /// The ciphertext, as an integer, is not below the modulus.
    #[error("the ciphertext is not below the modulus")]
    OutOfRange,
    /// Something inside an OAEP ciphertext is wrong. There is one error for all defects, as telling
    /// them apart would help an attacker.
    #[error(
        "the ciphertext does not decrypt: it is damaged, or was made with another key, scheme, \
         hash or label"
    )]
    Undecryptable,
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The result did not encrypt to the ciphertext: a fault in the computation, or a key with
    /// wrong numbers.
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

/// One message for each request, in the same order.
///
/// A batch may mix keys, key sizes and schemes. Every private operation is blinded with fresh
/// randomness, and its result is checked before it is used. Time and memory access depend on no
/// secret other than the lengths of the returned messages.
///
/// With OAEP, every defect inside a ciphertext is [`DecryptError::Undecryptable`].
///
/// PKCS#1 v1.5 has *implicit rejection*: a ciphertext with a defect inside gives `Ok`, with a
/// synthetic message whose length and bytes are a pseudo-random function of the key and the
/// ciphertext (the same as OpenSSL's since version 3.2). An error would be the oracle that
/// Bleichenbacher's attack needs. The caller must treat this message like a real one, and will
/// fail later, when for instance a message authentication code does not match.
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
    in_random_parts(
        engine,
        rng,
        CHUNK,
        requests,
        |rng, part| decrypt_chunk(engine, rng, part),
        |rng, part| decrypt_chunk(engine, rng, part),
    )
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
#[inline(never)]
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

/// The message inside the padding. A function of its own in the executable, too: in it the length of the message, and
/// whether there is one, may decide branches.
#[inline(never)]
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
    use super::super::private::tests::{engine, faulty_keys};
    use super::super::{EncryptRequest, EncryptionKey, encrypt_batch};
    use super::*;
    use crate::system_rng;

    /// A message from a faulty key is withheld; the other messages of the batch are returned.
    #[test]
    fn a_wrong_half_is_withheld_and_its_neighbours_are_not() {
        let engine = engine();
        for (key, faulty) in faulty_keys(&engine) {
            let good = DecryptionKey::new(&engine, &key).unwrap();
            let bad = faulty.into_iter().map(|numbers| {
                DecryptionKey(Arc::new(DecryptionKeyData {
                    numbers,
                    rejection: RejectionKey::new(&[]),
                }))
            });
            let bad: Vec<_> = bad.collect();
            let key = EncryptionKey::new(&engine, good.public_key()).unwrap();
            for scheme in [EncryptionScheme::OAEP, EncryptionScheme::Pkcs1v15] {
                let request = EncryptRequest {
                    key: &key,
                    scheme,
                    message: b"message",
                };
                let ciphertext = encrypt_batch(&engine, &mut system_rng(), &[request]).remove(0);
                let ciphertext = &ciphertext.unwrap();
                for bad in &bad {
                    let requests = [&good, bad, &good].map(|key| DecryptRequest {
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
}
