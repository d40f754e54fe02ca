//! Tests of networks: bounds, refusals, and the product computed from the layers in integers.

use super::moduli::gcd;
use super::*;

fn prime_256() -> BigUint {
    (BigUint::from(1u32) << 256u32) - (BigUint::from(1u32) << 32u32) - 977u32
}

fn odd(bits: u64) -> BigUint {
    (BigUint::from(1u32) << bits) - 105u32
}

#[test]
fn layers_multiply_modulo_p() {
    for kind in NumberType::ALL {
        let network = Network::new(&prime_256(), kind, None).unwrap();
        let p = &network.modulus;
        let range = network.range() % p;
        let [x, y] = [p - 1u32, p / 3u32];
        let product = |x: &[i64], y: &[i64]| network.flow(x, y).result();
        let s = product(&network.residues(&x), &network.residues(&y));
        // S A is congruent to X Y: both in residues of A, where S has a unique integer in (-P, P).
        let back = product(&s, &network.residues(&(&range * &range % p)));
        let plain = product(&back, &network.residues(&1u32.into()));
        assert_eq!(plain.len(), 2 * network.count());
        let expected = network.residues(&(&x * &y * inverse_of(&range, p) % p));
        let minus_p = network.residues(p);
        let is = |lift: i64| {
            let moduli = network.bases.iter().flatten();
            moduli.enumerate().all(|(i, &m)| {
                let wanted = expected[i] - lift * minus_p[i];
                (wanted - s[i]).rem_euclid(m) == 0
            })
        };
        assert!(is(0) || is(1), "{kind}");
        assert!(network.bounds.largest <= network.bounds.limit);
    }
}

/// By Fermat's theorem.
fn inverse_of(x: &BigUint, p: &BigUint) -> BigUint {
    x.modpow(&(p - 2u32), p)
}

#[test]
fn bounds_decide_what_is_taken() {
    let network = Network::new(&prime_256(), NumberType::F64, None).unwrap();
    assert!(network.width >= 24 && network.parts == 1);
    for bits in [1024, 4096] {
        let network = Network::new(&odd(bits), NumberType::F64, None).unwrap();
        assert!(network.bounds.largest <= 1 << 53);
    }
    let error = Network::new(&odd(1024), NumberType::F64, Some(26)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("sums reach") && text.contains("take "),
        "{text}"
    );
    let error = Network::new(&odd(4096), NumberType::F32, None).unwrap_err();
    assert!(error.to_string().ends_with("take f64"), "{error}");
    let error = Network::new(&prime_256(), NumberType::F32, Some(20)).unwrap_err();
    assert!(matches!(error, NetworkError::Width { .. }));
    let error = Network::new(&BigUint::from(5u32), NumberType::F64, None).unwrap_err();
    assert_eq!(error, NetworkError::Size(3));
}

#[test]
fn moduli_are_coprime_to_each_other_and_to_p() {
    let p = BigUint::from(16_383u32 * 5);
    let [a, b] = moduli(&p, 14).unwrap();
    let all = [a, b].concat();
    for (i, &m) in all.iter().enumerate() {
        assert_eq!(gcd(remainder(&p, m), m), 1);
        assert!(all[..i].iter().all(|&other| gcd(other, m) == 1));
    }
}
