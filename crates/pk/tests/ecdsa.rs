//! ECDSA on all named curves and backends, and its edge cases.

use crypto_bigint::BoxedUint;
use serde_json::Value;
use std::path::Path;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::ecdsa::{
    Encoding, NonceKind, RecoverError, RecoverRequest, RecoveryId, SRange, SignRequest, SigningKey,
    VerifyError, VerifyRequest, VerifyingKey, recover_batch, sign_batch, sign_recoverable_batch,
    verify_batch,
};
use sunzi_pk::ec::{Curve, PreparedCurve, PrivateKey, PublicKey};
use sunzi_pk::{Digest, Hash, system_rng};

/// The engines that this processor can run. The others are named in the output.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|reason| println!("SKIPPED: {reason}"))
            .ok()
    })
}

fn hex(digits: &str) -> BoxedUint {
    let digits = digits.trim_start_matches("0x");
    BoxedUint::from_str_radix_vartime(digits, 16).unwrap()
}

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|k| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).unwrap())
        .collect()
}

/// Scalars of 0, sums at infinity, digests and x at least the order: cases that batches of random
/// signatures never have.
#[test]
fn edge_cases() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/curves/ecdsa_edge_vectors.json");
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for engine in engines() {
        let text = |vector: &Value, name: &str| vector[name].as_str().unwrap().to_owned();
        let mut keys = Vec::new();
        for vector in &vectors {
            let curve: Curve = text(vector, "curve").parse().unwrap();
            let [x, y] = ["qx", "qy"].map(|name| hex(&text(vector, name)));
            let prepared = PreparedCurve::new(&engine, &curve).unwrap();
            let public = PublicKey::new(&curve, &x, &y).unwrap();
            let length = curve.order_bytes();
            let signature = ["r", "s"].map(|name| {
                let digits = text(vector, name);
                let digits = digits.trim_start_matches("0x");
                bytes(&format!("{digits:0>width$}", width = 2 * length))
            });
            let digest = bytes(&text(vector, "digest"));
            let hash = [Hash::Sha256, Hash::Sha384, Hash::Sha512];
            let hash = hash
                .into_iter()
                .find(|hash| hash.digest_len() == digest.len());
            let digest = Digest::new(hash.unwrap(), &digest).unwrap();
            let key = VerifyingKey::new(&prepared, &public).unwrap();
            keys.push((key, digest, signature.concat()));
        }
        let requests: Vec<_> = keys
            .iter()
            .map(|(key, digest, signature)| VerifyRequest {
                key,
                digest: *digest,
                encoding: Encoding::Raw,
                s: SRange::Any,
                signature,
            })
            .collect();
        let results = verify_batch(&engine, &requests);
        for (vector, result) in vectors.iter().zip(results) {
            let expected = vector["valid"].as_bool().unwrap();
            assert_eq!(
                result.is_ok(),
                expected,
                "{}: {vector}: {result:?}",
                engine.backend()
            );
        }
    }
}

/// Signatures of one batch with all curves verify in one batch; changed ones do not.
#[test]
fn every_curve() {
    for engine in engines() {
        let keys: Vec<SigningKey> = Curve::ALL_NAMES
            .iter()
            .map(|name| {
                let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
                let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
                SigningKey::new(&curve, &private).unwrap()
            })
            .collect();
        let digests: Vec<_> = (0..9)
            .map(|k| Hash::ALL[k % Hash::ALL.len()].digest(&[k as u8]))
            .collect();
        let requests: Vec<_> = digests
            .iter()
            .flat_map(|&digest| keys.iter().map(move |key| SignRequest { key, digest }))
            .collect();
        for kind in [NonceKind::Deterministic, NonceKind::Hedged] {
            let signatures = sign_batch(&engine, &mut system_rng(), kind, &requests);
            let signatures: Vec<_> = signatures
                .iter()
                .map(|signature| signature.as_ref().unwrap().to_bytes(Encoding::Der))
                .collect();
            let verify = |shift: usize| {
                let requests: Vec<_> = (0..requests.len())
                    .map(|k| VerifyRequest {
                        key: requests[k].key.verifying_key(),
                        digest: requests[(k + shift) % requests.len()].digest,
                        encoding: Encoding::Der,
                        s: SRange::Any,
                        signature: &signatures[k],
                    })
                    .collect();
                verify_batch(&engine, &requests)
            };
            for (result, request) in verify(0).iter().zip(&requests) {
                let curve = request.key.public_key().curve();
                assert_eq!(*result, Ok(()), "{curve} on {}", engine.backend());
            }
            for result in verify(keys.len()) {
                assert_eq!(result, Err(VerifyError::Mismatch));
            }
        }
    }
}

/// So many signatures that the points of nonces are confirmed together, of some curves on every device, with points
/// of too few among them: they and their ids are those that are made alone.
#[test]
fn many_signatures() {
    let counts = [
        ("P-256", 130),
        ("secp256k1", 128),
        ("brainpoolP320r1", 129),
        ("P-384", 5),
    ];
    let digests: Vec<_> = (0..130u8).map(|k| Hash::Sha256.digest(&[k])).collect();
    let requests_of = |keys: &[SigningKey]| {
        let mut requests = Vec::new();
        for (k, &digest) in digests.iter().enumerate() {
            let own = keys.iter().zip(counts).filter(|(_, (_, count))| k < *count);
            requests.extend(own.map(|(key, _)| (key.clone(), digest)));
        }
        requests
    };
    let sign = |engine: &Engine, requests: &[(SigningKey, Digest)]| {
        let requests = requests.iter().map(|(key, digest)| SignRequest {
            key,
            digest: *digest,
        });
        let requests: Vec<_> = requests.collect();
        let kind = NonceKind::Deterministic;
        let signatures = sign_recoverable_batch(engine, &mut system_rng(), kind, &requests);
        signatures
            .into_iter()
            .map(Result::unwrap)
            .collect::<Vec<_>>()
    };
    let keys = |engine: &Engine| {
        let keys = counts.map(|(name, _)| {
            let curve = PreparedCurve::new(engine, &name.parse().unwrap()).unwrap();
            let bytes = vec![0x5a; curve.curve().order_bytes()];
            let key = PrivateKey::from_bytes(&curve, &bytes).unwrap();
            SigningKey::new(&curve, &key).unwrap()
        });
        keys.to_vec()
    };
    let alone = Engine::new(Backend::PORTABLE).unwrap();
    let requests = requests_of(&keys(&alone));
    let few = requests
        .chunks(16)
        .flat_map(|requests| sign(&alone, requests));
    let expected: Vec<_> = few.collect();
    for engine in engines() {
        assert_eq!(sign(&engine, &requests_of(&keys(&engine))), expected);
    }
}

/// The examples of RFC 6979, appendix A.2, with all hashes but SHA-1, each alone and all in one batch.
#[test]
fn deterministic_nonces() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/curves/rfc6979.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
    let engine = Engine::new(Backend::best()).unwrap();
    let mut keys = Vec::new();
    let mut examples = Vec::new();
    for own in vectors["keys"].as_array().unwrap() {
        let curve = PreparedCurve::new(&engine, &text(own, "curve").parse().unwrap()).unwrap();
        let length = 2 * curve.curve().order_bytes();
        let number = |value: &Value, name: &str| {
            let digits = text(value, name);
            bytes(&format!("{:0>length$}", digits.trim_start_matches("0x")))
        };
        let private = PrivateKey::from_bytes(&curve, &number(own, "key")).unwrap();
        keys.push(SigningKey::new(&curve, &private).unwrap());
        for example in own["examples"].as_array().unwrap() {
            let name = text(example, "hash");
            let Ok(hash) = name.parse::<Hash>() else {
                assert_eq!(name, "SHA-1");
                continue;
            };
            let digest = hash.digest(text(example, "message").as_bytes());
            let signature = ["r", "s"].map(|half| number(example, half)).concat();
            examples.push((keys.len() - 1, digest, signature));
        }
    }
    assert_eq!(examples.len(), 40);
    let requests = examples.iter().map(|(key, digest, _)| SignRequest {
        key: &keys[*key],
        digest: *digest,
    });
    let requests: Vec<_> = requests.collect();
    let sign = |requests: &[SignRequest<'_>]| {
        let kind = NonceKind::Deterministic;
        let signatures = sign_batch(&engine, &mut system_rng(), kind, requests).into_iter();
        let signatures = signatures.map(|signature| signature.unwrap().to_bytes(Encoding::Raw));
        signatures.collect::<Vec<_>>()
    };
    let expected: Vec<_> = examples.iter().map(|(.., signature)| signature).collect();
    assert_eq!(sign(&requests).iter().collect::<Vec<_>>(), expected);
    for (request, expected) in requests.iter().zip(expected) {
        assert_eq!(&sign(&[*request])[0], expected);
    }
}

/// Public keys from signatures with their recovery ids, also those with low s; another id gives another
/// key, or none.
#[test]
fn recovery() {
    for engine in engines() {
        let names = ["secp256k1", "P-256", "brainpoolP384r1", "P-521"];
        let curves = names.map(|name| PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap());
        let keys: Vec<_> = (0..8)
            .map(|k| {
                let curve = &curves[k % curves.len()];
                let private = PrivateKey::generate(curve, &mut system_rng()).unwrap();
                SigningKey::new(curve, &private).unwrap()
            })
            .collect();
        let requests: Vec<_> = (0..40usize)
            .map(|k| SignRequest {
                key: &keys[k % keys.len()],
                digest: Hash::Sha256.digest(&k.to_le_bytes()),
            })
            .collect();
        let (rng, kind) = (&mut system_rng(), NonceKind::Deterministic);
        let plain = sign_batch(&engine, rng, kind, &requests);
        let signed = sign_recoverable_batch(&engine, rng, kind, &requests);
        let signed: Vec<_> = signed
            .into_iter()
            .zip(&plain)
            .enumerate()
            .map(|(k, (signed, plain))| {
                let signed = signed.unwrap();
                assert_eq!(signed.signature, *plain.as_ref().unwrap());
                if k % 2 == 0 {
                    return signed;
                }
                signed.with_low_s(requests[k].key.public_key().curve())
            })
            .collect();
        let written: Vec<_> = signed
            .iter()
            .map(|signed| signed.signature.to_bytes(Encoding::Raw))
            .collect();
        let recover = |change: u8| {
            let requests: Vec<_> = (0..requests.len())
                .map(|k| RecoverRequest {
                    curve: &curves[k % curves.len()],
                    digest: requests[k].digest,
                    encoding: Encoding::Raw,
                    signature: &written[k],
                    id: RecoveryId::from_byte(signed[k].id.to_byte() ^ change).unwrap(),
                })
                .collect();
            recover_batch(&engine, &requests)
        };
        for (k, key) in recover(0).into_iter().enumerate() {
            assert_eq!(key.unwrap(), *requests[k].key.public_key(), "signature {k}");
        }
        for change in 1..4 {
            for (k, key) in recover(change).into_iter().enumerate() {
                match key {
                    Ok(key) => assert_ne!(key, *requests[k].key.public_key()),
                    Err(error) => assert_eq!(error, RecoverError::NoPoint),
                }
            }
        }
    }
}

/// The vectors that verification has for x at least the order and the like: one of the four ids gives
/// the key of each valid signature.
#[test]
fn recovery_at_the_edges() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/curves/ecdsa_edge_vectors.json");
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let engine = Engine::new(Backend::best()).unwrap();
    let mut recovered = 0;
    for vector in vectors.iter().filter(|vector| vector["valid"] == true) {
        let text = |name: &str| {
            vector[name]
                .as_str()
                .unwrap()
                .trim_start_matches("0x")
                .to_owned()
        };
        let curve: Curve = vector["curve"].as_str().unwrap().parse().unwrap();
        let [x, y] = ["qx", "qy"].map(|name| hex(&text(name)));
        let public = PublicKey::new(&curve, &x, &y).unwrap();
        let prepared = PreparedCurve::new(&engine, &curve).unwrap();
        let width = 2 * curve.order_bytes();
        let signature = ["r", "s"].map(|name| bytes(&format!("{:0>width$}", text(name))));
        let digest = bytes(&text("digest"));
        let hashes = [Hash::Sha256, Hash::Sha384, Hash::Sha512];
        let hash = hashes.iter().find(|hash| hash.digest_len() == digest.len());
        let digest = Digest::new(*hash.unwrap(), &digest).unwrap();
        let signature = signature.concat();
        let request = |byte| RecoverRequest {
            curve: &prepared,
            digest,
            encoding: Encoding::Raw,
            signature: &signature,
            id: RecoveryId::from_byte(byte).unwrap(),
        };
        let keys = recover_batch(&engine, &[0, 1, 2, 3].map(request));
        let found = keys.iter().flatten().filter(|&key| *key == public);
        assert_eq!(found.count(), 1, "{vector}");
        recovered += 1;
    }
    assert!(recovered > 5);
    assert_eq!(RecoveryId::from_byte(4), None);
}
