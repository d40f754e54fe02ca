//! Powers of RSA without padding, against plain integer arithmetic.

mod common;

use common::{Numbers, big, boxed, private};
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::raw::{PrivateRequest, PublicRequest, RawError, private_batch, public_batch};
use sunzi_pk::rsa::{PrivateKey, SigningKey};
use sunzi_pk::system_rng;

/// A batch that mixes keys, with 0, 1, n - 1, numbers that share a prime with n, and numbers that are refused.
#[test]
fn powers_of_any_mix_of_keys() {
    let engine = Engine::new(Backend::best()).unwrap();
    let keys: Vec<PrivateKey> = ["rsa1024", "rsa2048", "rsa3072"]
        .iter()
        .map(|name| private(&format!("{name}.pkcs8.pem")))
        .collect();
    let signing: Vec<_> = keys
        .iter()
        .map(|key| SigningKey::new(&engine, key).unwrap())
        .collect();
    let mut items: Vec<(usize, BigUint)> = Vec::new();
    for (k, key) in keys.iter().enumerate() {
        let Numbers { n, p, .. } = Numbers::of(key);
        let seven: BigUint = BigUint::from(7u32).pow(300) % &n;
        let edges = [
            0u32.into(),
            1u32.into(),
            &n - 1u32,
            &p * 5u32,
            seven,
            n.clone(),
            &n << 9,
        ];
        items.extend(edges.map(|number| (k, number)));
    }
    // Keys in turns.
    items.sort_by_key(|(k, number)| (number.bits() % 3, *k));
    let boxes: Vec<BoxedUint> = items.iter().map(|(_, number)| boxed(number)).collect();
    let requests: Vec<_> = items
        .iter()
        .zip(&boxes)
        .map(|(&(k, _), number)| PrivateRequest {
            key: &signing[k],
            number,
        })
        .collect();
    let made = private_batch(&engine, &mut system_rng(), &requests);
    let requests: Vec<_> = items
        .iter()
        .zip(&boxes)
        .map(|(&(k, _), number)| PublicRequest {
            key: signing[k].verifying_key(),
            number,
        })
        .collect();
    let raised = public_batch(&engine, &requests);
    assert_eq!((made.len(), raised.len()), (items.len(), items.len()));
    for (((k, number), made), raised) in items.iter().zip(made).zip(raised) {
        let Numbers { n, e, d, .. } = Numbers::of(&keys[*k]);
        if *number >= n {
            assert_eq!(made.unwrap_err(), RawError::OutOfRange);
            assert_eq!(raised.unwrap_err(), RawError::OutOfRange);
            continue;
        }
        assert_eq!(big(&made.unwrap()), number.modpow(&d, &n));
        assert_eq!(big(&raised.unwrap()), number.modpow(&e.into(), &n));
    }
}
