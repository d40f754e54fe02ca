//! ECDH on all named curves and backends, and its edge cases.

use num_bigint::BigUint;
use rayon::prelude::*;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::ecdh::{AgreeError, AgreeRequest, AgreementKey, agree_batch};
use sunzi_pk::ec::{Curve, KeyError, PreparedCurve, PreparedCurves, PrivateKey, PublicKey};
use sunzi_pk::system_rng;

/// The engines that this processor can run. The others are named in the output.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|reason| println!("SKIPPED: {reason}"))
            .ok()
    })
}

fn order(curve: &PreparedCurve) -> BigUint {
    BigUint::from_bytes_be(&curve.curve().order().as_ref().to_be_bytes())
}

/// The key with this number.
fn key(curve: &PreparedCurve, d: &BigUint) -> PrivateKey {
    let bytes = d.to_bytes_be();
    let mut padded = vec![0; curve.curve().order_bytes() - bytes.len()];
    padded.extend(bytes);
    PrivateKey::from_bytes(curve, &padded).unwrap()
}

/// x of a public key, as long as the prime.
fn x_of(key: &PublicKey) -> Vec<u8> {
    let [x, _] = key.coordinates();
    let bytes = (key.curve().bits().div_ceil(8)) as usize;
    let all = x.to_be_bytes();
    let zeros = vec![0; bytes.saturating_sub(all.len())];
    [&zeros, &all[all.len().saturating_sub(bytes)..]].concat()
}

/// A private number, a multiple of the base point, and their secret.
struct Case {
    private: PrivateKey,
    peer: PublicKey,
    secret: Vec<u8>,
}

/// Small and large private numbers with small and large multiples of the base point of one curve.
fn cases(curve: &PreparedCurve) -> Vec<Case> {
    let n = order(curve);
    let one = BigUint::from(1u8);
    let numbers: Vec<BigUint> = vec![
        one.clone(),
        BigUint::from(2u8),
        BigUint::from(31u8),
        BigUint::from(32u8),
        (&n - 1u8) / 2u8,
        (&n + 1u8) / 2u8,
        &n - 2u8,
        &n - 1u8,
        one << (n.bits() - 1),
    ];
    let keys: Vec<_> = numbers.iter().map(|d| key(curve, d)).collect();
    let mut cases = Vec::new();
    for (i, k) in numbers.iter().enumerate() {
        for (j, l) in numbers.iter().enumerate() {
            let product = key(curve, &(k * l % &n));
            cases.push(Case {
                private: keys[i].clone(),
                peer: keys[j].public_key().clone(),
                secret: x_of(product.public_key()),
            });
        }
    }
    cases
}

/// Small and large private numbers with small and large multiples of the base point on every curve, in
/// one batch: the secret of k and j G is x of (k j) G, which another program computes.
#[test]
fn products_of_private_numbers() {
    let curves = PreparedCurves::new(&Engine::new(Backend::best()).unwrap());
    let cases: Vec<Case> = Curve::ALL_NAMES
        .par_iter()
        .flat_map_iter(|name| cases(&curves.get(&name.parse().unwrap()).unwrap()))
        .collect();
    for engine in engines() {
        let curves = PreparedCurves::new(&engine);
        let keys: Vec<_> = cases
            .par_iter()
            .map(|case| {
                let curve = curves.get(case.peer.curve()).unwrap();
                AgreementKey::new(&curve, &case.private).unwrap()
            })
            .collect();
        let requests: Vec<_> = keys
            .iter()
            .zip(&cases)
            .map(|(key, case)| AgreeRequest {
                key,
                peer: &case.peer,
            })
            .collect();
        let secrets = agree_batch(&engine, &requests);
        assert_eq!(secrets.len(), cases.len());
        for (case, secret) in cases.iter().zip(secrets) {
            let curve = case.peer.curve();
            assert_eq!(
                secret.unwrap().as_bytes(),
                case.secret,
                "{curve} on {}",
                engine.backend()
            );
        }
    }
}

/// Both sides get the same secret, in batches of all lengths around the widths of groups, and where
/// inversions are shared.
#[test]
fn both_sides() {
    for engine in engines() {
        let curve = PreparedCurve::new(&engine, &"P-256".parse().unwrap()).unwrap();
        let new = |_| PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let keys: Vec<PrivateKey> = (0..20).map(new).collect();
        let prepared: Vec<_> = keys
            .iter()
            .map(|key| AgreementKey::new(&curve, key).unwrap())
            .collect();
        for size in [1, 7, 8, 9, 31, 33, 40, 300] {
            let both = [0, 1].map(|side| {
                let requests: Vec<_> = (0..size)
                    .map(|k| {
                        let pair = [k % 20, (7 * k + 3) % 20];
                        AgreeRequest {
                            key: &prepared[pair[side]],
                            peer: keys[pair[1 - side]].public_key(),
                        }
                    })
                    .collect();
                let secrets = agree_batch(&engine, &requests).into_iter();
                let secrets = secrets.map(|secret| secret.unwrap().as_bytes().to_vec());
                secrets.collect::<Vec<_>>()
            });
            assert_eq!(both[0], both[1], "{size} on {}", engine.backend());
            assert_eq!(both[0].len(), size);
        }
    }
}

/// Keys that do not fit are errors of their own requests.
#[test]
fn other_curves() {
    let engine = Engine::new(Backend::best()).unwrap();
    let curves = PreparedCurves::new(&engine);
    let [p256, k256] = ["P-256", "secp256k1"].map(|name| {
        let curve = curves.get(&name.parse().unwrap()).unwrap();
        let key = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        (curve, key)
    });
    let refused = AgreementKey::new(&p256.0, &k256.1).unwrap_err();
    assert!(matches!(refused, KeyError::OtherCurve { .. }), "{refused}");
    let keys = [&p256, &k256].map(|(curve, key)| AgreementKey::new(curve, key).unwrap());
    let [p, k] = [&p256, &k256].map(|(_, key)| key.public_key());
    let requests: Vec<_> = [(0, k), (0, p), (1, p), (1, k)]
        .into_iter()
        .map(|(key, peer)| AgreeRequest {
            key: &keys[key],
            peer,
        })
        .collect();
    let secrets = agree_batch(&engine, &requests);
    let other = |key: &str, peer: &str| AgreeError::OtherCurve {
        key: key.into(),
        peer: peer.into(),
    };
    assert_eq!(
        secrets[0].as_ref().unwrap_err(),
        &other("P-256", "secp256k1")
    );
    assert_eq!(
        secrets[2].as_ref().unwrap_err(),
        &other("secp256k1", "P-256")
    );
    assert!(secrets[1].is_ok() && secrets[3].is_ok());
    assert!(agree_batch(&engine, &[]).is_empty());
    assert!(!format!("{:?}", secrets[1]).contains(char::is_numeric));
}
