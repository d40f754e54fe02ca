//! NIST's CAVP vectors for ECDSA over prime fields (FIPS 186-3): key pairs, validation of public keys,
//! generation and verification of signatures. Signatures are made with nonces of their own here: those of
//! the vectors are computed from k and verified.

use crypto_bigint::BoxedUint;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::ecdsa::{
    Encoding, SRange, VerifyError, VerifyRequest, VerifyingKey, verify_batch,
};
use sunzi_pk::ec::{Curve, KeyError, PointError, PreparedCurve, PrivateKey, PublicKey};
use sunzi_pk::{Digest, Hash};

const VECTORS: &str = include_str!("fixtures/cavp_ecdsa.txt");

/// The words of all lines of this kind, without the kind.
fn vectors(kind: &str) -> Vec<Vec<&'static str>> {
    let lines = VECTORS
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>());
    lines
        .filter(|words| words[0] == kind)
        .map(|words| words[1..].to_vec())
        .collect()
}

fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|reason| println!("SKIPPED: {reason}"))
            .ok()
    })
}

/// The curves of the vectors, prepared once.
struct Curves(Vec<PreparedCurve>);

impl Curves {
    fn new(engine: &Engine) -> Self {
        let names = ["P-192", "P-224", "P-256", "P-384", "P-521"];
        Self(
            names
                .map(|name| PreparedCurve::new(engine, &name.parse().unwrap()).unwrap())
                .into(),
        )
    }

    fn get(&self, name: &str) -> &PreparedCurve {
        let mut curves = self.0.iter();
        curves
            .find(|curve| curve.curve().name() == Some(name))
            .unwrap()
    }
}

fn number(hex: &str) -> BoxedUint {
    BoxedUint::from_str_radix_vartime(hex, 16).unwrap()
}

/// The hexadecimal number as so many bytes.
fn bytes(hex: &str, length: usize) -> Vec<u8> {
    let digits = hex.trim_start_matches('0');
    let digits = format!("{digits:0>width$}", width = 2 * length);
    let byte = |k: usize| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).unwrap();
    (0..length).map(byte).collect()
}

fn private(curve: &PreparedCurve, d: &str) -> PrivateKey {
    PrivateKey::from_bytes(curve, &bytes(d, curve.curve().order_bytes())).unwrap()
}

#[test]
fn key_pairs() {
    let keys = vectors("key");
    assert_eq!(keys.len(), 50);
    for engine in engines() {
        let curves = Curves::new(&engine);
        for key in &keys {
            let [curve, d, x, y] = key[..] else {
                panic!("{key:?}")
            };
            let key = private(curves.get(curve), d);
            assert_eq!(key.public_key().coordinates(), [x, y].map(number), "{d}");
        }
    }
}

#[test]
fn public_keys() {
    let points = vectors("point");
    assert_eq!(points.len(), 60);
    for point in &points {
        let [curve, x, y, result] = point[..] else {
            panic!("{point:?}")
        };
        let curve: Curve = curve.parse().unwrap();
        match (result, PublicKey::new(&curve, &number(x), &number(y))) {
            ("P", Ok(_))
            | ("F1", Err(KeyError::Point(PointError::Coordinate(_))))
            | ("F2", Err(KeyError::Point(PointError::NotOnCurve))) => {}
            (expected, found) => panic!("{expected}, and not {found:?}: {point:?}"),
        }
    }
}

/// A signature to verify.
struct Case {
    key: VerifyingKey,
    digest: Digest,
    signature: Vec<u8>,
    valid: bool,
}

impl Case {
    fn new(
        curves: &Curves,
        [curve, hash, digest]: [&str; 3],
        numbers: [&str; 4],
        valid: bool,
    ) -> Self {
        let curve = curves.get(curve);
        let length = curve.curve().order_bytes();
        let [x, y, r, s] = numbers;
        let public = PublicKey::new(curve.curve(), &number(x), &number(y)).unwrap();
        let hash = match hash {
            "SHA-224" => Hash::Sha224,
            "SHA-256" => Hash::Sha256,
            "SHA-384" => Hash::Sha384,
            "SHA-512" => Hash::Sha512,
            other => panic!("{other}"),
        };
        Self {
            key: VerifyingKey::new(curve, &public).unwrap(),
            digest: Digest::new(hash, &bytes(digest, hash.digest_len())).unwrap(),
            signature: [r, s].map(|x| bytes(x, length)).concat(),
            valid,
        }
    }
}

/// All signatures, right and wrong ones, in one batch of each backend.
#[test]
fn signatures() {
    let (made, given) = (vectors("sign"), vectors("verify"));
    assert_eq!([made.len(), given.len()], [300, 300]);
    for engine in engines() {
        let curves = Curves::new(&engine);
        let mut cases = Vec::new();
        for vector in &made {
            let [curve, hash, digest, d, x, y, k, r, s] = vector[..] else {
                panic!("{vector:?}")
            };
            cases.push(Case::new(
                &curves,
                [curve, hash, digest],
                [x, y, r, s],
                true,
            ));
            let curve = curves.get(curve);
            assert_eq!(
                private(curve, d).public_key().coordinates(),
                [x, y].map(number)
            );
            let [nonce_x, _] = private(curve, k).public_key().coordinates();
            assert_eq!(
                nonce_x.rem_vartime(curve.curve().order().as_nz_ref()),
                number(r)
            );
        }
        for vector in &given {
            let [curve, hash, digest, x, y, r, s, result] = vector[..] else {
                panic!("{vector:?}")
            };
            let case = Case::new(&curves, [curve, hash, digest], [x, y, r, s], result == "P");
            cases.push(case);
        }
        let requests = cases.iter().map(|case| VerifyRequest {
            key: &case.key,
            digest: case.digest,
            encoding: Encoding::Raw,
            s: SRange::Any,
            signature: &case.signature,
        });
        let answers = verify_batch(&engine, &requests.collect::<Vec<_>>());
        for (case, answer) in cases.iter().zip(answers) {
            let expected = if case.valid {
                Ok(())
            } else {
                Err(VerifyError::Mismatch)
            };
            assert_eq!(answer, expected, "{:?}, {}", case.key, engine.backend());
        }
        println!("{}: {} signatures", engine.backend(), cases.len());
    }
}
