//! The traits of the crate `signature` (feature `signature`), for programs that sign or verify one
//! message at a time through an interface that other libraries have, too.
//!
//! Batches make this crate fast: [`crate::keys::sign_batch`]. The same keys serve both.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::keys::{Algorithms, PrivateKey, Scheme, SigningKey};
//! use sunzi_pk::signature::{Keypair, Signer, Verifier};
//! use sunzi_pk::system_rng;
//! use sunzi_pk::traits::{MessageSigner, SignatureBytes};
//!
//! let algorithms = Algorithms::new(&Engine::new(Backend::best())?);
//! let private = PrivateKey::generate(&algorithms, "P-256", &mut system_rng())?;
//! let key = SigningKey::new(&algorithms, &private)?;
//!
//! let scheme = Scheme::of(key.public_key());
//! let signer = MessageSigner::new(&algorithms, key, scheme);
//! let signature: SignatureBytes = signer.try_sign(b"a message")?;
//! signer.verifying_key().verify(b"a message", &signature)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::keys::{
    Algorithms, NonceKind, Scheme, SignRequest, SigningKey, VerifyRequest, VerifyingKey,
    sign_batch, verify_batch,
};
use getrandom::SysRng;
use rand_core::TryCryptoRng;
use signature::{Error, Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};

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

/// A private key of any algorithm that signs messages by one scheme.
#[derive(Clone, Debug)]
pub struct MessageSigner {
    algorithms: Algorithms,
    key: SigningKey,
    scheme: Scheme<'static>,
}

impl MessageSigner {
    /// A key, prepared on the engine of these algorithms, with a scheme of its algorithm: of another one's there are
    /// errors instead of signatures.
    pub fn new(algorithms: &Algorithms, key: SigningKey, scheme: Scheme<'static>) -> Self {
        Self {
            algorithms: algorithms.clone(),
            key,
            scheme,
        }
    }

    fn sign_with<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        nonces: NonceKind,
        message: &[u8],
    ) -> Result<SignatureBytes, Error> {
        let request = SignRequest {
            key: &self.key,
            scheme: self.scheme,
            content: message.into(),
        };
        let signatures = sign_batch(&self.algorithms, rng, nonces, &[request]);
        let signature = signatures.into_iter().next().ok_or_else(Error::new)?;
        signature.map(Into::into).map_err(Error::from_source)
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
        MessageVerifier::new(&self.algorithms, self.key.verifying_key(), self.scheme)
    }
}

/// A public key of any algorithm that verifies signatures of messages by one scheme.
#[derive(Clone, Debug)]
pub struct MessageVerifier {
    algorithms: Algorithms,
    key: VerifyingKey,
    scheme: Scheme<'static>,
}

impl MessageVerifier {
    /// A key, prepared on the engine of these algorithms, with a scheme of its algorithm: by another one's no
    /// signature is valid.
    pub fn new(algorithms: &Algorithms, key: VerifyingKey, scheme: Scheme<'static>) -> Self {
        Self {
            algorithms: algorithms.clone(),
            key,
            scheme,
        }
    }
}

impl Verifier<SignatureBytes> for MessageVerifier {
    fn verify(&self, message: &[u8], signature: &SignatureBytes) -> Result<(), Error> {
        let request = VerifyRequest {
            key: &self.key,
            scheme: self.scheme,
            content: message.into(),
            signature: &signature.0,
        };
        let verdicts = verify_batch(&self.algorithms, &[request]);
        let verdict = verdicts.into_iter().next().ok_or_else(Error::new)?;
        verdict.map_err(Error::from_source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::ecdsa::{Encoding, SRange};
    use crate::keys::PrivateKey;
    use crate::{Hash, rsa, system_rng};
    use sunzi_engine::{Backend, Engine};

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
        let hedged = !matches!(signer.scheme, Scheme::Rsa(..));
        assert_eq!(two != one, hedged || !deterministic);
        assert!(verifier.verify(b"a message", &vec![0; 9].into()).is_err());
        // The public half alone, and the empty message.
        let key = VerifyingKey::new(&signer.algorithms, signer.key.public_key()).unwrap();
        let verifier = MessageVerifier::new(&signer.algorithms, key, signer.scheme);
        let signature: SignatureBytes = signer.try_sign(b"").unwrap();
        assert!(verifier.verify(b"", &signature).is_ok());
    }

    #[test]
    fn every_scheme() {
        let algorithms = Algorithms::new(&Engine::new(Backend::best()).unwrap());
        let ecdsa = |encoding| Scheme::Ecdsa {
            hash: Hash::Sha384,
            encoding,
            s: SRange::Any,
        };
        let eddsa = Scheme::Eddsa(crate::ec::eddsa::Variant::Pure);
        for (name, schemes) in [
            (
                "RSA-2048",
                &[
                    (Scheme::Rsa(rsa::Scheme::Pkcs1v15, Hash::Sha256), true),
                    (Scheme::Rsa(rsa::Scheme::PSS, Hash::Sha256), false),
                ][..],
            ),
            (
                "P-384",
                &[(ecdsa(Encoding::Der), true), (ecdsa(Encoding::Raw), true)],
            ),
            ("Ed25519", &[(eddsa, true)]),
            ("Ed448", &[(eddsa, true)]),
            ("secp256k1", &[(Scheme::Bip340 { auxiliary: None }, true)]),
        ] {
            let private = PrivateKey::generate(&algorithms, name, &mut system_rng()).unwrap();
            let key = SigningKey::new(&algorithms, &private).unwrap();
            for &(scheme, deterministic) in schemes {
                let signer = MessageSigner::new(&algorithms, key.clone(), scheme);
                check(&signer, deterministic);
            }
        }
    }

    #[test]
    fn a_scheme_of_another_algorithm() {
        let algorithms = Algorithms::new(&Engine::new(Backend::best()).unwrap());
        let private = PrivateKey::generate(&algorithms, "Ed25519", &mut system_rng()).unwrap();
        let key = SigningKey::new(&algorithms, &private).unwrap();
        let scheme = Scheme::Bip340 { auxiliary: None };
        let signer = MessageSigner::new(&algorithms, key, scheme);
        assert!(signer.try_sign(b"a message").is_err());
        let verifier = signer.verifying_key();
        assert!(verifier.verify(b"a message", &vec![0; 64].into()).is_err());
    }
}
