//! New keys of EdDSA, and their test.

use super::super::edwards::prepared::PreparedEdwardsCurve;
use super::super::nonces::NonceKind;
use super::hash::Variant;
use super::key::{KeyError, PrivateKey};
use super::sign::{SignRequest, SigningKey, sign_batch};
use super::verify::{VerifyRequest, verify_batch};
use getrandom::SysRng;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

impl PrivateKey {
    /// A new key.
    ///
    /// Before it is returned it passes a pairwise consistency test: it signs a message, and its public key
    /// verifies the signature.
    ///
    /// # Errors
    /// [`KeyError::Inconsistent`] if the machine computes wrongly, [`KeyError::Engine`].
    pub fn generate<R: CryptoRng + ?Sized>(
        curve: &PreparedEdwardsCurve,
        rng: &mut R,
    ) -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new(vec![0; curve.curve().encoded_bytes()]);
        rng.fill_bytes(&mut bytes);
        let key = Self::from_bytes(curve, &bytes)?;
        if key.is_consistent(curve) {
            Ok(key)
        } else {
            Err(KeyError::Inconsistent)
        }
    }

    /// Whether the public key verifies a signature by the private one.
    fn is_consistent(&self, curve: &PreparedEdwardsCurve) -> bool {
        let Ok(key) = SigningKey::new(curve, self) else {
            return false;
        };
        let (variant, message) = (Variant::Pure, &b"pairwise consistency test"[..]);
        let request = SignRequest {
            key: &key,
            variant,
            message,
        };
        let nonces = NonceKind::Deterministic;
        let signatures = sign_batch(curve.engine(), &mut SysRng, nonces, &[request]);
        let [Ok(signature)] = &signatures[..] else {
            return false;
        };
        let request = VerifyRequest {
            key: key.verifying_key(),
            variant,
            message,
            signature: signature.as_bytes(),
        };
        verify_batch(curve.engine(), &[request])[0].is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::EdwardsCurve;
    use crate::system_rng;
    use sunzi_engine::{Backend, Engine};

    /// A key of which any byte is wrong, as faults make it, fails.
    #[test]
    fn the_pairwise_consistency_test_finds_every_wrong_byte() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for &curve in EdwardsCurve::ALL {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let key = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
            assert!(key.is_consistent(&curve));
            for place in (0..key.bytes.len()).step_by(5) {
                let mut wrong = key.clone();
                wrong.bytes[place] ^= 1 << (place % 8);
                assert!(!wrong.is_consistent(&curve), "private, byte {place}");
                let mut wrong = key.clone();
                wrong.public.bytes[place] ^= 1 << (place % 8);
                assert!(!wrong.is_consistent(&curve), "public, byte {place}");
            }
        }
    }
}
