//! Every rule for Ed25519 has the verdicts of an independent implementation: ZIP 215 those of `ed25519-zebra`, Dalek's
//! those of `verify_strict` of `ed25519-dalek`, the others those of their definitions, computed with `curve25519-dalek`.

use curve25519_dalek::EdwardsPoint;
use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::scalar::Scalar;
use serde_json::Value;
use sha2::{Digest, Sha512};
use std::collections::BTreeMap;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::eddsa::{
    PublicKey, Rule, Variant, VerifyRequest, VerifyingKey, verify_batch, verify_batch_by,
};
use sunzi_pk::ec::{EdwardsCurve, PreparedEdwardsCurve};
use sunzi_pk::system_rng;

/// A key, a message and a signature, whatever they are.
struct Case {
    key: [u8; 32],
    message: Vec<u8>,
    signature: [u8; 64],
}

impl Case {
    fn new(a: &[u8; 32], message: &[u8], r: &[u8; 32], s: &[u8; 32]) -> Self {
        Self {
            key: *a,
            message: message.to_vec(),
            signature: [&r[..], s].concat().try_into().unwrap(),
        }
    }

    fn halves(&self) -> [[u8; 32]; 2] {
        [0, 32].map(|k| self.signature[k..k + 32].try_into().unwrap())
    }

    fn zebra(&self) -> bool {
        let key = ed25519_zebra::VerificationKey::try_from(self.key);
        let signature = ed25519_zebra::Signature::from(self.signature);
        key.is_ok_and(|key| key.verify(&signature, &self.message).is_ok())
    }

    fn dalek(&self, strict: bool) -> bool {
        use ed25519_dalek::Verifier;
        let Ok(key) = ed25519_dalek::VerifyingKey::from_bytes(&self.key) else {
            return false;
        };
        let signature = ed25519_dalek::Signature::from_bytes(&self.signature);
        if strict {
            key.verify_strict(&self.message, &signature).is_ok()
        } else {
            key.verify(&self.message, &signature).is_ok()
        }
    }

    /// RFC 8032, section 5.1.7, with the decoding of section 5.1.3.
    fn rfc8032(&self, cofactored: bool) -> bool {
        let [r, s] = self.halves();
        let decoded = |bytes: [u8; 32]| {
            let point = CompressedEdwardsY(bytes).decompress()?;
            (point.compress().0 == bytes).then_some(point)
        };
        let s: Option<Scalar> = Scalar::from_canonical_bytes(s).into();
        let (Some(a), Some(point), Some(s)) = (decoded(self.key), decoded(r), s) else {
            return false;
        };
        let difference =
            ED25519_BASEPOINT_POINT * s - point - a * challenge(&r, &self.key, &self.message);
        let identity = EIGHT_TORSION[0];
        if cofactored {
            difference.mul_by_cofactor() == identity
        } else {
            difference == identity
        }
    }
}

fn challenge(r: &[u8; 32], a: &[u8; 32], message: &[u8]) -> Scalar {
    let hash = Sha512::new()
        .chain_update(r)
        .chain_update(a)
        .chain_update(message);
    let hash: [u8; 64] = hash.finalize().as_slice().try_into().unwrap();
    Scalar::from_bytes_mod_order_wide(&hash)
}

/// The encodings of the points of small order: eight that are canonical, six that are not.
fn small_order() -> Vec<[u8; 32]> {
    let canonical = EIGHT_TORSION.iter().map(|point| point.compress().0);
    let mut all: Vec<[u8; 32]> = canonical.collect();
    // y = p and p + 1, and each sign; y = 1 and -1 with a sign though x is 0.
    let mut y = [255; 32];
    for (first, last) in [
        (0xed, 0x7f),
        (0xed, 0xff),
        (0xee, 0x7f),
        (0xee, 0xff),
        (0xec, 0xff),
    ] {
        (y[0], y[31]) = (first, last);
        all.push(y);
    }
    let mut one = [0; 32];
    (one[0], one[31]) = (1, 0x80);
    all.push(one);
    all
}

/// The matrix of `ed25519-zebra`: each encoding of small order as A and as R, with S = 0, and several messages, since
/// verdicts depend on the hash modulo 8.
fn matrix() -> Vec<Case> {
    let encodings = small_order();
    assert_eq!(encodings.len(), 14);
    let mut cases = Vec::new();
    for message in [&b"Zcash"[..], b"", b"1", b"2", b"3"] {
        for a in &encodings {
            for r in &encodings {
                cases.push(Case::new(a, message, r, &[0; 32]));
            }
        }
    }
    cases
}

/// Keys and signatures with parts of small order that a signer with the key can make: each torsion of A with each of R, S
/// as it is and with the order added, and an R whose part is removed from the equation.
fn mixed() -> Vec<Case> {
    let order: [u8; 32] = {
        let mut bytes = (Scalar::ZERO - Scalar::ONE).to_bytes();
        bytes[0] += 1;
        bytes
    };
    let [a, r] = [&b"a"[..], b"r"].map(|text| {
        let hash: [u8; 64] = Sha512::digest(text).as_slice().try_into().unwrap();
        Scalar::from_bytes_mod_order_wide(&hash)
    });
    let mut cases = Vec::new();
    for (i, of_a) in EIGHT_TORSION.iter().enumerate() {
        for of_r in &EIGHT_TORSION {
            let key = (ED25519_BASEPOINT_POINT * a + of_a).compress().0;
            let encoded = (ED25519_BASEPOINT_POINT * r + of_r).compress().0;
            for message in [&b"x"[..], b"y"] {
                let s = r + challenge(&encoded, &key, message) * a;
                cases.push(Case::new(&key, message, &encoded, &s.to_bytes()));
                cases.push(Case::new(
                    &key,
                    message,
                    &encoded,
                    &sum(&s.to_bytes(), &order),
                ));
                cases.push(Case::new(&key, b"z", &encoded, &s.to_bytes()));
                // R of small order alone.
                let encoded = of_r.compress().0;
                let s = challenge(&encoded, &key, message) * a;
                cases.push(Case::new(&key, message, &encoded, &s.to_bytes()));
                // A of small order alone.
                let key = small_order()[i];
                let point: EdwardsPoint = ED25519_BASEPOINT_POINT * r + of_r;
                cases.push(Case::new(&key, message, &point.compress().0, &r.to_bytes()));
            }
        }
    }
    // No points at all, and numbers that are not below the order.
    for first in [2, 7, 0xed] {
        let mut bytes = [255; 32];
        (bytes[0], bytes[31]) = (first, 0x7f);
        cases.push(Case::new(&bytes, b"", &small_order()[0], &[0; 32]));
        cases.push(Case::new(&small_order()[0], b"", &bytes, &[0; 32]));
    }
    for s in [order, [255; 32], sum(&order, &order)] {
        cases.push(Case::new(&small_order()[0], b"", &small_order()[0], &s));
    }
    cases
}

fn sum(x: &[u8; 32], y: &[u8; 32]) -> [u8; 32] {
    let mut carry = 0;
    core::array::from_fn(|k| {
        carry += u16::from(x[k]) + u16::from(y[k]);
        let byte = carry as u8;
        carry >>= 8;
        byte
    })
}

fn bytes<const N: usize>(text: &Value) -> [u8; N] {
    hex(text).try_into().unwrap()
}

fn hex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    let byte = |k| u8::from_str_radix(&text[2 * k..2 * k + 2], 16).unwrap();
    (0..text.len() / 2).map(byte).collect()
}

/// The twelve cases of Chalkias, Garillot and Nikolaenko (2020, ePrint 2020/1244), table 6, and three more: the
/// numbers of `cases.json` in the repository novifinancial/ed25519-speccheck, commit d2b2ba5.
fn taming() -> Vec<Case> {
    let cases: Vec<Value> = serde_json::from_str(include_str!("speccheck.json")).unwrap();
    let case = |case: &Value| Case {
        key: bytes(&case["pub_key"]),
        message: hex(&case["message"]),
        signature: bytes(&case["signature"]),
    };
    cases.iter().map(case).collect()
}

/// The vectors of this project.
fn own() -> Vec<Case> {
    let file = include_str!("../../vectors/curves/ed25519_edge_vectors.json");
    let vectors: Vec<Value> = serde_json::from_str(file).unwrap();
    let case = |vector: &Value| Case {
        key: bytes(&vector["pub"]),
        message: hex(&vector["msg"]),
        signature: bytes(&vector["sig"]),
    };
    vectors.iter().map(case).collect()
}

/// The verdicts on all cases, in one batch; by OpenSSL's rule if none is given.
fn verdicts(engine: &Engine, cases: &[Case], rule: Option<Rule>) -> Vec<bool> {
    let curve = PreparedEdwardsCurve::new(engine, EdwardsCurve::Edwards25519).unwrap();
    let mut keys = BTreeMap::new();
    for case in cases {
        keys.entry(case.key).or_insert_with(|| {
            let key = PublicKey::from_bytes(EdwardsCurve::Edwards25519, &case.key).unwrap();
            VerifyingKey::new(&curve, &key).ok()
        });
    }
    let requests: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            Some(VerifyRequest {
                key: keys[&case.key].as_ref()?,
                variant: Variant::Pure,
                message: &case.message,
                signature: &case.signature,
            })
        })
        .collect();
    let answers = match rule {
        None => verify_batch(engine, &requests),
        Some(rule) => verify_batch_by(engine, &mut system_rng(), rule, &requests),
    };
    let mut answers = answers.into_iter();
    let verdict = |case: &Case| keys[&case.key].is_some() && answers.next().unwrap().is_ok();
    cases.iter().map(verdict).collect()
}

#[test]
fn verdicts_are_those_of_others() {
    let engine = Engine::new(Backend::best()).unwrap();
    let cases: Vec<Case> = [matrix(), mixed(), taming(), own()]
        .into_iter()
        .flatten()
        .collect();
    let by = |rule| verdicts(&engine, &cases, rule);
    let expected = |verdict: &dyn Fn(&Case) -> bool| cases.iter().map(verdict).collect::<Vec<_>>();
    let zip215 = by(Some(Rule::Zip215));
    let strict = by(Some(Rule::DalekStrict));
    let rfc = by(Some(Rule::Rfc8032));
    let cofactored = by(Some(Rule::Cofactored));
    let usual = by(None);
    for (name, ours, theirs) in [
        ("zip215", &zip215, expected(&Case::zebra)),
        ("dalek-strict", &strict, expected(&|case| case.dalek(true))),
        ("usual", &usual, expected(&|case| case.dalek(false))),
        ("rfc8032", &rfc, expected(&|case| case.rfc8032(false))),
        (
            "cofactored",
            &cofactored,
            expected(&|case| case.rfc8032(true)),
        ),
    ] {
        let accepted = theirs.iter().filter(|&&valid| valid).count();
        println!("{name}: {accepted} of {} accepted", cases.len());
        for (k, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "{name}: case {k}, key {:02x?}", cases[k].key);
        }
        // Each rule accepts some and refuses some.
        assert!(
            accepted > 10 && accepted < cases.len() - 50,
            "{name}: {accepted}"
        );
    }
    // No two rules are the same.
    let all = [&zip215, &strict, &rfc, &cofactored, &usual];
    for (k, one) in all.iter().enumerate() {
        assert!(all[..k].iter().all(|other| other != one), "{k}");
    }
    // What is stricter accepts less.
    for k in 0..cases.len() {
        assert!(zip215[k] || !(strict[k] || rfc[k] || cofactored[k] || usual[k]));
        assert!(usual[k] || !(strict[k] || rfc[k]));
        assert!(cofactored[k] || !rfc[k]);
    }
}

/// ZIP 215 accepts every case of the matrix, in combinations and one by one.
#[test]
fn the_matrix_by_zip_215() {
    let engine = Engine::new(Backend::best()).unwrap();
    let cases = matrix();
    assert!(
        verdicts(&engine, &cases, Some(Rule::Zip215))
            .iter()
            .all(|&valid| valid)
    );
    for case in cases.into_iter().step_by(131) {
        assert_eq!(verdicts(&engine, &[case], Some(Rule::Zip215)), [true]);
    }
}
