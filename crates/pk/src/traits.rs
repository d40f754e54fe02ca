//! The traits of the crate `signature` (feature `signature`), for programs that sign or verify one
//! message at a time through an interface that other libraries have, too.
//!
//! What makes this crate fast are batches: [`crate::rsa::sign_batch`], [`crate::ec::ecdsa::sign_batch`],
//! [`crate::ec::eddsa::sign_batch`] and [`crate::ec::schnorr::sign_batch`]. The same keys serve both.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::ecdsa::{Encoding, SigningKey};
//! use sunzi_pk::ec::{PreparedCurve, PrivateKey};
//! use sunzi_pk::signature::{Keypair, Signer, Verifier};
//! use sunzi_pk::traits::{MessageSigner, SignatureBytes};
//! use sunzi_pk::{Hash, system_rng};
//!
//! let engine = Engine::new(Backend::best())?;
//! let curve = PreparedCurve::new(&engine, &"P-256".parse()?)?;
//! let private = PrivateKey::generate(&curve, &mut system_rng())?;
//! let key = SigningKey::new(&curve, &private)?;
//!
//! let signer = MessageSigner::ecdsa(&engine, key, Hash::Sha256, Encoding::Der);
//! let signature: SignatureBytes = signer.try_sign(b"a message")?;
//! signer.verifying_key().verify(b"a message", &signature)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::ec::NonceKind;
use crate::ec::ecdsa::{self, Encoding, SRange};
use crate::ec::{eddsa, schnorr};
use crate::{Hash, rsa};
use getrandom::SysRng;
use rand_core::TryCryptoRng;
use signature::{Error, Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};
use sunzi_engine::Engine;

/// The bytes of a signature of any scheme, as long as any. Verification checks what is in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureBytes(Box<[u8]>);

impl AsRef<[u8]> for SignatureBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for SignatureBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<&[u8]> for SignatureBytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }
}

impl From<SignatureBytes> for Box<[u8]> {
    fn from(signature: SignatureBytes) -> Self {
        signature.0
    }
}

impl SignatureEncoding for SignatureBytes {
    type Repr = Box<[u8]>;
}

/// A private key that signs messages, on an engine.
#[derive(Clone, Debug)]
pub struct MessageSigner {
    engine: Engine,
    key: SignerKey,
}

#[derive(Clone, Debug)]
enum SignerKey {
    Rsa(rsa::SigningKey, rsa::Scheme, Hash),
    Ecdsa(ecdsa::SigningKey, Encoding, Hash),
    Eddsa(eddsa::SigningKey),
    Schnorr(schnorr::SigningKey),
}

impl MessageSigner {
    /// An RSA key, which was prepared on this engine.
    pub fn rsa(engine: &Engine, key: rsa::SigningKey, scheme: rsa::Scheme, hash: Hash) -> Self {
        Self {
            engine: engine.clone(),
            key: SignerKey::Rsa(key, scheme, hash),
        }
    }

    /// A key of a curve, which was prepared on this engine.
    pub fn ecdsa(engine: &Engine, key: ecdsa::SigningKey, hash: Hash, encoding: Encoding) -> Self {
        Self {
            engine: engine.clone(),
            key: SignerKey::Ecdsa(key, encoding, hash),
        }
    }

    /// A key of Ed25519 or Ed448, without context and not prehashed, which was prepared on this engine.
    pub fn eddsa(engine: &Engine, key: eddsa::SigningKey) -> Self {
        Self {
            engine: engine.clone(),
            key: SignerKey::Eddsa(key),
        }
    }

    /// A key for Schnorr signatures (BIP 340), which was prepared on this engine.
    pub fn schnorr(engine: &Engine, key: schnorr::SigningKey) -> Self {
        Self {
            engine: engine.clone(),
            key: SignerKey::Schnorr(key),
        }
    }

    fn sign_with<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        nonces: NonceKind,
        message: &[u8],
    ) -> Result<SignatureBytes, Error> {
        match &self.key {
            SignerKey::Rsa(key, scheme, hash) => {
                let request = rsa::SignRequest {
                    key,
                    scheme: *scheme,
                    digest: hash.digest(message),
                };
                let signature = rsa::sign_batch(&self.engine, rng, &[request]).remove(0);
                signature.map(Into::into).map_err(Error::from_source)
            }
            SignerKey::Ecdsa(key, encoding, hash) => {
                let digest = hash.digest(message);
                let request = ecdsa::SignRequest { key, digest };
                let signatures = ecdsa::sign_batch(&self.engine, rng, nonces, &[request]);
                let signature = signatures.into_iter().next().ok_or_else(Error::new)?;
                let signature = signature.map_err(Error::from_source)?;
                Ok(signature.to_bytes(*encoding).into())
            }
            SignerKey::Eddsa(key) => {
                let request = eddsa::SignRequest {
                    key,
                    variant: eddsa::Variant::Pure,
                    message,
                };
                let signatures = eddsa::sign_batch(&self.engine, rng, nonces, &[request]);
                let signature = signatures.into_iter().next().ok_or_else(Error::new)?;
                let signature = signature.map_err(Error::from_source)?;
                Ok(signature.as_bytes().into())
            }
            SignerKey::Schnorr(key) => {
                let mut auxiliary = [0; 32];
                if nonces == NonceKind::Hedged {
                    rng.try_fill_bytes(&mut auxiliary)
                        .map_err(|_| Error::new())?;
                }
                let request = schnorr::SignRequest {
                    key,
                    message,
                    auxiliary,
                };
                let signature = schnorr::sign_batch(&self.engine, &[request]).remove(0);
                let signature = signature.map_err(Error::from_source)?;
                Ok(signature.as_bytes()[..].into())
            }
        }
    }
}

/// With salts and blinds from the operating system, and nonces from key and message.
impl Signer<SignatureBytes> for MessageSigner {
    fn try_sign(&self, message: &[u8]) -> Result<SignatureBytes, Error> {
        self.sign_with(&mut SysRng, NonceKind::Deterministic, message)
    }
}

/// With salts and blinds from the generator, and nonces from it, key and message.
impl RandomizedSigner<SignatureBytes> for MessageSigner {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<SignatureBytes, Error> {
        self.sign_with(rng, NonceKind::Hedged, message)
    }
}

impl Keypair for MessageSigner {
    type VerifyingKey = MessageVerifier;

    fn verifying_key(&self) -> MessageVerifier {
        MessageVerifier {
            engine: self.engine.clone(),
            key: match &self.key {
                SignerKey::Rsa(key, scheme, hash) => {
                    VerifierKey::Rsa(key.verifying_key().clone(), *scheme, *hash)
                }
                SignerKey::Ecdsa(key, encoding, hash) => {
                    let key = key.verifying_key().clone();
                    VerifierKey::Ecdsa(key, (*encoding, SRange::Any), *hash)
                }
                SignerKey::Eddsa(key) => VerifierKey::Eddsa(key.verifying_key().clone()),
                SignerKey::Schnorr(key) => VerifierKey::Schnorr(key.verifying_key().clone()),
            },
        }
    }
}

/// A public key that verifies signatures of messages, on an engine.
#[derive(Clone, Debug)]
pub struct MessageVerifier {
    engine: Engine,
    key: VerifierKey,
}

#[derive(Clone, Debug)]
enum VerifierKey {
    Rsa(rsa::VerifyingKey, rsa::Scheme, Hash),
    Ecdsa(ecdsa::VerifyingKey, (Encoding, SRange), Hash),
    Eddsa(eddsa::VerifyingKey),
    Schnorr(schnorr::VerifyingKey),
}

impl MessageVerifier {
    /// An RSA key, which was prepared on this engine.
    pub fn rsa(engine: &Engine, key: rsa::VerifyingKey, scheme: rsa::Scheme, hash: Hash) -> Self {
        Self {
            engine: engine.clone(),
            key: VerifierKey::Rsa(key, scheme, hash),
        }
    }

    /// A key of a curve, which was prepared on this engine.
    pub fn ecdsa(
        engine: &Engine,
        key: ecdsa::VerifyingKey,
        hash: Hash,
        accepted: (Encoding, SRange),
    ) -> Self {
        Self {
            engine: engine.clone(),
            key: VerifierKey::Ecdsa(key, accepted, hash),
        }
    }

    /// A key of Ed25519 or Ed448, without context and not prehashed, which was prepared on this engine.
    pub fn eddsa(engine: &Engine, key: eddsa::VerifyingKey) -> Self {
        Self {
            engine: engine.clone(),
            key: VerifierKey::Eddsa(key),
        }
    }

    /// A key for Schnorr signatures (BIP 340), which was prepared on this engine.
    pub fn schnorr(engine: &Engine, key: schnorr::VerifyingKey) -> Self {
        Self {
            engine: engine.clone(),
            key: VerifierKey::Schnorr(key),
        }
    }
}

impl Verifier<SignatureBytes> for MessageVerifier {
    fn verify(&self, message: &[u8], signature: &SignatureBytes) -> Result<(), Error> {
        let (engine, signature) = (&self.engine, &*signature.0);
        match &self.key {
            VerifierKey::Rsa(key, scheme, hash) => {
                let request = rsa::VerifyRequest {
                    key,
                    scheme: *scheme,
                    digest: hash.digest(message),
                    signature,
                };
                let verdict = rsa::verify_batch(engine, &[request]).remove(0);
                verdict.map_err(Error::from_source)
            }
            VerifierKey::Ecdsa(key, (encoding, s), hash) => {
                let request = ecdsa::VerifyRequest {
                    key,
                    digest: hash.digest(message),
                    encoding: *encoding,
                    s: *s,
                    signature,
                };
                let verdict = ecdsa::verify_batch(engine, &[request]).remove(0);
                verdict.map_err(Error::from_source)
            }
            VerifierKey::Eddsa(key) => {
                let request = eddsa::VerifyRequest {
                    key,
                    variant: eddsa::Variant::Pure,
                    message,
                    signature,
                };
                let verdict = eddsa::verify_batch(engine, &[request]).remove(0);
                verdict.map_err(Error::from_source)
            }
            VerifierKey::Schnorr(key) => {
                let request = schnorr::VerifyRequest {
                    key,
                    message,
                    signature,
                };
                let verdict = schnorr::verify_batch(engine, &[request]).remove(0);
                verdict.map_err(Error::from_source)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::{EdwardsCurve, PreparedCurve, PreparedEdwardsCurve, PrivateKey};
    use crate::system_rng;
    use sunzi_engine::Backend;

    fn check(signer: &MessageSigner, deterministic: bool) {
        let verifier = signer.verifying_key();
        let one: SignatureBytes = signer.try_sign(b"a message").unwrap();
        let two = signer.try_sign_with_rng(&mut system_rng(), b"a message");
        let two = two.unwrap();
        for signature in [&one, &two] {
            assert!(verifier.verify(b"a message", signature).is_ok());
            assert!(verifier.verify(b"another", signature).is_err());
            let bytes = signature.to_bytes();
            assert_eq!(SignatureBytes::from(&bytes[..]), *signature);
        }
        assert_eq!(signer.try_sign(b"a message").unwrap() == one, deterministic);
        let hedged = !matches!(signer.key, SignerKey::Rsa(..));
        assert_eq!(two != one, hedged || !deterministic);
        assert!(verifier.verify(b"a message", &vec![0; 9].into()).is_err());
    }

    #[test]
    fn every_scheme() {
        let engine = Engine::new(Backend::best()).unwrap();
        let private = rsa::PrivateKey::generate(2048, &mut system_rng()).unwrap();
        let key = rsa::SigningKey::new(&engine, &private).unwrap();
        for (scheme, deterministic) in [(rsa::Scheme::Pkcs1v15, true), (rsa::Scheme::PSS, false)] {
            let signer = MessageSigner::rsa(&engine, key.clone(), scheme, Hash::Sha256);
            check(&signer, deterministic);
        }
        let curve = PreparedCurve::new(&engine, &"P-384".parse().unwrap()).unwrap();
        let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let key = ecdsa::SigningKey::new(&curve, &private).unwrap();
        for encoding in [Encoding::Der, Encoding::Raw] {
            let signer = MessageSigner::ecdsa(&engine, key.clone(), Hash::Sha384, encoding);
            check(&signer, true);
        }
        for &curve in EdwardsCurve::ALL {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let private = eddsa::PrivateKey::generate(&curve, &mut system_rng()).unwrap();
            let key = eddsa::SigningKey::new(&curve, &private).unwrap();
            let verifier = MessageVerifier::eddsa(&engine, key.verifying_key().clone());
            let signer = MessageSigner::eddsa(&engine, key);
            check(&signer, true);
            let signature: SignatureBytes = signer.try_sign(b"").unwrap();
            assert!(verifier.verify(b"", &signature).is_ok());
        }
        let curve = PreparedCurve::new(&engine, &"secp256k1".parse().unwrap()).unwrap();
        let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let key = schnorr::SigningKey::new(&curve, &private).unwrap();
        let verifier = MessageVerifier::schnorr(&engine, key.verifying_key().clone());
        let signer = MessageSigner::schnorr(&engine, key);
        check(&signer, true);
        let signature: SignatureBytes = signer.try_sign(b"").unwrap();
        assert!(verifier.verify(b"", &signature).is_ok());
    }
}
