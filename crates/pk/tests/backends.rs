//! All backends of this processor give the same results, in batches of private and public operations that fill the widest groups.

mod common;

use common::private;
use rayon::ThreadPoolBuilder;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
    SaltLen, Scheme, SignRequest, SigningKey, VerifyRequest, VerifyingKey, decrypt_batch,
    encrypt_batch, sign_batch, verify_batch,
};
use sunzi_pk::{Hash, system_rng};

/// Number of signatures by each key. Each signature has two half-size powers, so these make a group
/// of 64 numbers and one of 16.
const SIGNATURES: usize = 40;

/// The keys that every backend signs with.
fn keys() -> Vec<PrivateKey> {
    [1024, 1536, 2048, 3072, 4096]
        .iter()
        .map(|bits| private(&format!("rsa{bits}.pkcs8.pem")))
        .collect()
}

/// Runs a test on every backend, on one thread, so that groups are not split among threads.
fn on_every_backend(test: impl Fn(&Engine) + Sync) {
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for &backend in Backend::ALL {
        match Engine::new(backend) {
            Ok(engine) => one_thread.install(|| test(&engine)),
            Err(reason) => println!("SKIPPED: {reason}"),
        }
    }
}

/// Deterministic signatures equal those of the portable backend, salted ones from the same batch
/// verify, and changed ones do not.
#[test]
fn signatures_of_every_backend() {
    let portable = Engine::new(Backend::PORTABLE).unwrap();
    on_every_backend(|engine| {
        let keys = keys();
        let signing = |engine: &Engine| -> Vec<_> {
            let keys = keys.iter().map(|key| SigningKey::new(engine, key).unwrap());
            keys.collect()
        };
        let schemes = [
            Scheme::Pkcs1v15,
            Scheme::Pss {
                salt_len: SaltLen::Hash,
                mgf1: None,
            },
        ];
        let cases: Vec<(usize, Scheme, _)> = (0..keys.len() * SIGNATURES)
            .map(|i| (i % keys.len(), schemes[i / keys.len() % 2], i))
            .map(|(key, scheme, i)| (key, scheme, Hash::Sha256.digest(&i.to_le_bytes())))
            .collect();
        let sign = |engine: &Engine| -> Vec<Vec<u8>> {
            let signing = signing(engine);
            let requests: Vec<_> = cases
                .iter()
                .map(|&(key, scheme, digest)| SignRequest {
                    key: &signing[key],
                    scheme,
                    digest,
                })
                .collect();
            let signatures = sign_batch(engine, &mut system_rng(), &requests);
            signatures.into_iter().map(Result::unwrap).collect()
        };
        let signatures = sign(engine);
        for (case, (here, there)) in cases.iter().zip(signatures.iter().zip(sign(&portable))) {
            if matches!(case.1, Scheme::Pkcs1v15) {
                assert_eq!(*here, there, "{}", engine.backend());
            }
        }

        let verifying: Vec<_> = keys
            .iter()
            .map(|key| VerifyingKey::new(engine, key.public_key()).unwrap())
            .collect();
        let verify = |signatures: &[Vec<u8>]| {
            let requests: Vec<_> = cases
                .iter()
                .zip(signatures)
                .map(|(&(key, scheme, digest), signature)| VerifyRequest {
                    key: &verifying[key],
                    scheme,
                    digest,
                    signature,
                })
                .collect();
            verify_batch(engine, &requests)
        };
        assert!(verify(&signatures).iter().all(Result::is_ok));
        let mut changed = signatures;
        for (i, signature) in changed.iter_mut().enumerate() {
            let last = signature.len() - 1;
            signature[last - i % 64] ^= 1 << (i % 8);
        }
        assert!(verify(&changed).iter().all(Result::is_err));
    });
}

/// Messages encrypted on a backend decrypt on the same backend.
#[test]
fn decryption_on_every_backend() {
    on_every_backend(|engine| {
        for key in keys() {
            let encryption = EncryptionKey::new(engine, key.public_key()).unwrap();
            let decryption = DecryptionKey::new(engine, &key).unwrap();
            let messages: Vec<[u8; 8]> = (0..SIGNATURES).map(usize::to_le_bytes).collect();
            let requests: Vec<_> = messages
                .iter()
                .map(|message| EncryptRequest {
                    key: &encryption,
                    scheme: EncryptionScheme::OAEP,
                    message,
                })
                .collect();
            let ciphertexts = encrypt_batch(engine, &mut system_rng(), &requests);
            let ciphertexts: Vec<Vec<u8>> = ciphertexts.into_iter().map(Result::unwrap).collect();
            let requests: Vec<_> = ciphertexts
                .iter()
                .map(|ciphertext| DecryptRequest {
                    key: &decryption,
                    scheme: EncryptionScheme::OAEP,
                    ciphertext,
                })
                .collect();
            let decrypted = decrypt_batch(engine, &mut system_rng(), &requests);
            for (decrypted, message) in decrypted.iter().zip(&messages) {
                let decrypted = decrypted.as_ref().unwrap();
                assert_eq!(decrypted[..], message[..], "{}", engine.backend());
            }
        }
    });
}
