//! Tests with the vectors of BIP 340, and with faults.

use super::*;
use crate::ec::{PreparedCurve, PrivateKey};
use crate::system_rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use sunzi_engine::testing::{Fault, Faulty};
use sunzi_engine::{Backend, Engine};

const VECTORS: &str = include_str!("../../../tests/fixtures/bip340.csv");

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().collect();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|error| println!("SKIPPED: {error}"))
            .ok()
    })
}

/// Every vector, signatures byte for byte, all in one batch of each backend.
#[test]
fn vectors() {
    for engine in engines() {
        let curve = PreparedCurve::new(&engine, &"secp256k1".parse().unwrap()).unwrap();
        let rows: Vec<Vec<&str>> = VECTORS
            .lines()
            .skip(1)
            .map(|line| line.splitn(8, ',').collect())
            .collect();
        assert_eq!(rows.len(), 19);
        let mut keys = Vec::new();
        let mut signing = Vec::new();
        for row in &rows {
            keys.push(VerifyingKey::from_bytes(&curve, &bytes(row[2])));
            if !row[1].is_empty() {
                let private = PrivateKey::from_bytes(&curve, &bytes(row[1])).unwrap();
                let key = SigningKey::new(&curve, &private).unwrap();
                assert_eq!(key.verifying_key().to_bytes()[..], bytes(row[2]));
                signing.push((key, bytes(row[4]), bytes(row[3]), bytes(row[5])));
            }
        }
        let requests: Vec<_> = signing
            .iter()
            .map(|(key, message, auxiliary, _)| SignRequest {
                key,
                message,
                auxiliary: auxiliary[..].try_into().unwrap(),
            })
            .collect();
        let signatures = sign_batch(&engine, &requests);
        for (signature, (.., expected)) in signatures.iter().zip(&signing) {
            assert_eq!(signature.as_ref().unwrap().as_bytes()[..], expected[..]);
        }

        let verifiable: Vec<_> = rows
            .iter()
            .zip(&keys)
            .filter_map(|(row, key)| Some((key.as_ref().ok()?, row)))
            .map(|(key, row)| (key, bytes(row[4]), bytes(row[5]), row[6] == "TRUE"))
            .collect();
        assert_eq!(verifiable.len(), 17);
        for (row, key) in rows.iter().zip(&keys) {
            assert!(key.is_ok() || row[6] == "FALSE", "{}", row[0]);
        }
        let requests: Vec<_> = verifiable
            .iter()
            .map(|(key, message, signature, _)| VerifyRequest {
                key,
                message,
                signature,
            })
            .collect();
        let answers = verify_batch(&engine, &requests);
        for (answer, (.., valid)) in answers.iter().zip(&verifiable) {
            assert_eq!(answer.is_ok(), *valid, "{answer:?}");
        }
        let combined = verify_combined_batch(&engine, &mut system_rng(), &requests);
        assert_eq!(combined, answers);
        let valid: Vec<_> = requests
            .iter()
            .zip(&answers)
            .filter_map(|(request, answer)| answer.is_ok().then_some(*request))
            .collect();
        let valid = valid.repeat(20);
        let combined = verify_combined_batch(&engine, &mut system_rng(), &valid);
        assert!(combined.iter().all(Result::is_ok));
    }
}

/// Signatures of many keys and lengths of messages are right; with one changed bit they are not, and
/// their neighbours stay right.
#[test]
fn round_trips() {
    let engine = Engine::new(Backend::best()).unwrap();
    let curve = PreparedCurve::new(&engine, &"secp256k1".parse().unwrap()).unwrap();
    let keys: Vec<_> = (0..9)
        .map(|_| PrivateKey::generate(&curve, &mut system_rng()).unwrap())
        .map(|key| SigningKey::new(&curve, &key).unwrap())
        .collect();
    let messages: Vec<Vec<u8>> = (0..70).map(|k| vec![k as u8; k]).collect();
    let requests: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(k, message)| SignRequest {
            key: &keys[k % keys.len()],
            message,
            auxiliary: [k as u8; 32],
        })
        .collect();
    let signatures = sign_batch(&engine, &requests);
    let mut signatures: Vec<_> = signatures
        .into_iter()
        .map(|signature| signature.unwrap().as_bytes().to_vec())
        .collect();
    for (k, signature) in signatures.iter_mut().enumerate() {
        match k % 5 {
            1 => signature[k % 64] ^= 1 << (k % 8),
            2 => signature.truncate(k % 64),
            _ => {}
        }
    }
    let requests: Vec<_> = requests
        .iter()
        .zip(&signatures)
        .map(|(request, signature)| VerifyRequest {
            key: request.key.verifying_key(),
            message: request.message,
            signature,
        })
        .collect();
    for (k, answer) in verify_batch(&engine, &requests).into_iter().enumerate() {
        match (k % 5, answer) {
            (2, answer) => assert_eq!(answer, Err(VerifyError::Length(k % 64))),
            (changed, answer) => assert_eq!(answer.is_ok(), changed != 1, "{k}: {answer:?}"),
        }
    }
}

/// Each wrong signature among those that are tested together is found, and only these: for every kind of defect, alone
/// and together with others that cancel without coefficients.
#[test]
fn combined() {
    const COUNT: usize = 640;
    let engine = Engine::new(Backend::best()).unwrap();
    let curve = PreparedCurve::new(&engine, &"secp256k1".parse().unwrap()).unwrap();
    let keys: Vec<_> = (0..3)
        .map(|_| PrivateKey::generate(&curve, &mut system_rng()).unwrap())
        .map(|key| SigningKey::new(&curve, &key).unwrap())
        .collect();
    let messages: Vec<[u8; 2]> = (0..COUNT as u16).map(u16::to_be_bytes).collect();
    let requests: Vec<_> = (0..COUNT)
        .map(|k| SignRequest {
            key: &keys[k % keys.len()],
            message: &messages[k],
            auxiliary: [0; 32],
        })
        .collect();
    let right: Vec<_> = sign_batch(&engine, &requests)
        .into_iter()
        .map(|signature| signature.unwrap().as_bytes().to_vec())
        .collect();
    let answers = |signatures: &[Vec<u8>]| {
        let requests: Vec<_> = (0..signatures.len())
            .map(|k| VerifyRequest {
                key: keys[k % keys.len()].verifying_key(),
                message: &messages[k],
                signature: &signatures[k],
            })
            .collect();
        let combined = verify_combined_batch(&engine, &mut system_rng(), &requests);
        assert_eq!(combined, verify_batch(&engine, &requests));
        let wrong = combined.iter().enumerate();
        let wrong = wrong.filter_map(|(k, answer)| answer.is_err().then_some(k));
        wrong.collect::<Vec<usize>>()
    };
    for count in [0, 1, 127, 128, 129, COUNT] {
        assert!(answers(&right[..count]).is_empty(), "{count}");
    }
    for (place, defect) in [(0, 63), (17, 31), (511, 40), (639, 0)] {
        let mut signatures = right.clone();
        signatures[place][defect] ^= 1;
        assert_eq!(answers(&signatures), [place]);
    }
    // s one too large, and one too small, unless its last byte wraps around.
    let mut signatures = right.clone();
    for (place, step) in [(3, 1u8), (4, 0xff)] {
        signatures[place][63] = signatures[place][63].wrapping_add(step);
    }
    assert_eq!(answers(&signatures), [3, 4]);
    // The signatures of two messages of one key exchanged.
    let mut signatures = right;
    signatures.swap(30, 33);
    assert_eq!(answers(&signatures), [30, 33]);
}

#[test]
fn refused_keys() {
    let engine = Engine::new(Backend::PORTABLE).unwrap();
    let other = PreparedCurve::new(&engine, &"P-256".parse().unwrap()).unwrap();
    let refused = VerifyingKey::from_bytes(&other, &[1; 32]).unwrap_err();
    assert_eq!(refused, KeyError::OtherCurve("P-256".into()));
    let curve = PreparedCurve::new(&engine, &"secp256k1".parse().unwrap()).unwrap();
    for (bytes, expected) in [
        (&[1; 31][..], KeyError::Length(31)),
        (&[0xff; 32], KeyError::NoSuchX),
        (&[0; 32], KeyError::NoSuchX),
    ] {
        assert_eq!(
            VerifyingKey::from_bytes(&curve, bytes).unwrap_err(),
            expected
        );
    }
}

/// A single flipped bit anywhere in a batch: every signature that leaves is right.
#[test]
fn no_wrong_signature_after_a_fault() {
    for name in ["portable", "float", "fused52", "octet", "radix52"] {
        let faulty = match Faulty::new(name.parse::<Backend>().unwrap()) {
            Ok(faulty) => faulty,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        let curve = PreparedCurve::new(&faulty.engine, &"secp256k1".parse().unwrap()).unwrap();
        let private = PrivateKey::from_bytes(&curve, &[0x5a; 32]).unwrap();
        let key = SigningKey::new(&curve, &private).unwrap();
        let messages = [&b"one"[..], b"another", b""];
        let run = || {
            let requests = messages.map(|message| SignRequest {
                key: &key,
                message,
                auxiliary: [1; 32],
            });
            sign_batch(&faulty.engine, &requests)
        };
        let right = run();
        assert!(right.iter().all(Result::is_ok));
        let targets = faulty.targets(|| {
            run();
        });
        let mut random = 1u64;
        let mut draw = || {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            random ^ random >> 33
        };
        let (mut struck, mut withheld) = (0, 0);
        for turn in 0..300 {
            let operation = draw() as usize % targets.len();
            let Some(&kind) = targets[operation].get(turn % targets[operation].len().max(1)) else {
                continue;
            };
            faulty.set_fault(Fault {
                operation: operation as u64,
                kind,
                place: draw(),
            });
            // In a checked build a kernel may notice before the result is checked.
            let Ok(signatures) = catch_unwind(AssertUnwindSafe(run)) else {
                assert!(cfg!(debug_assertions) && faulty.has_struck());
                continue;
            };
            struck += usize::from(faulty.has_struck());
            for (signature, right) in signatures.iter().zip(&right) {
                match signature {
                    Ok(_) => assert_eq!(signature, right, "{kind:?} at {operation}"),
                    Err(error) => assert_eq!(*error, SignError::Fault),
                }
            }
            withheld += signatures.iter().filter(|s| s.is_err()).count();
        }
        println!("{name}: {struck} faults, {withheld} signatures withheld");
        assert!(struck > 100 && withheld > 20);
    }
}

/// A key that has many signatures gets tables, by which they get the same verdicts as before.
#[test]
fn by_tables_of_the_key() {
    let engine = Engine::new(Backend::best()).unwrap();
    let curve = PreparedCurve::new(&engine, &"secp256k1".parse().unwrap()).unwrap();
    let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
    let signing = SigningKey::new(&curve, &private).unwrap();
    let messages: Vec<_> = (0..64u8).map(|k| [k; 32]).collect();
    let requests = messages.iter().map(|message| SignRequest {
        key: &signing,
        message,
        auxiliary: [7; 32],
    });
    let signatures = sign_batch(&engine, &requests.collect::<Vec<_>>());
    let signatures = signatures.into_iter().map(Result::unwrap);
    let mut signatures: Vec<_> = signatures.map(|signature| *signature.as_bytes()).collect();
    // A wrong s, an r that is another's, and a signature of another message.
    signatures[3][60] ^= 1;
    signatures[9][5] ^= 1;
    signatures.swap(20, 21);
    let key = VerifyingKey::new(&curve, private.public_key()).unwrap();
    let verdicts = || -> Vec<bool> {
        let claims = messages.iter().zip(&signatures);
        let requests = claims.map(|(message, signature)| VerifyRequest {
            key: &key,
            message,
            signature,
        });
        let answers = verify_batch(&engine, &requests.collect::<Vec<_>>());
        answers.iter().map(Result::is_ok).collect()
    };
    let point = [&[2][..], &key.to_bytes()].concat();
    let point = curve.curve().decode(&point).unwrap();
    let tables = || curve.key_constants(&point, false).unwrap();
    let wrong = [3, 9, 20, 21];
    let expected: Vec<_> = (0..64).map(|k| !wrong.contains(&k)).collect();
    for batch in 1..=18 {
        assert_eq!(verdicts(), expected, "batch {batch}");
        assert_eq!(tables().is_some(), batch >= 16, "batch {batch}");
    }
}
