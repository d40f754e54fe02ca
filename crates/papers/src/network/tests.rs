//! Tests of networks: bounds, refusals, and the product computed from the layers in integers.

use super::moduli::gcd;
use super::*;

fn prime_256() -> BigUint {
    (BigUint::from(1u32) << 256u32) - (BigUint::from(1u32) << 32u32) - 977u32
}

fn odd(bits: u64) -> BigUint {
    (BigUint::from(1u32) << bits) - 105u32
}

/// `x y / A mod P` by the layers, in integers.
fn product(network: &Network, x: &[i64], y: &[i64]) -> Vec<i64> {
    let n = network.count();
    let [a, b] = &network.bases;
    let of = |x: i64, m: i64| network.kind.representative(x, m);
    let both = a.iter().chain(b);
    let z: Vec<i64> = both
        .zip(x.iter().zip(y))
        .map(|(&m, (x, y))| of(x * y, m))
        .collect();
    let layer = |layer: &Layer, digits: &[i64], from: &[i64], to: &[i64]| -> Vec<i128> {
        let rank = digits.iter().zip(from).map(|(&d, &m)| d as f64 / m as f64);
        let rank = rank.sum::<f64>().round() as i128;
        let result = |j: usize| {
            let terms = layer.weights.iter().zip(digits);
            let terms = terms.map(|(row, &d)| i128::from(row[j]) * i128::from(d));
            terms.sum::<i128>() + rank * i128::from(layer.corrections[j])
        };
        (0..to.len()).map(result).collect()
    };
    let scaled = |x: &[i64], k: &[i64], m: &[i64]| -> Vec<i64> {
        (0..n).map(|i| of(x[i] * k[i], m[i])).collect()
    };
    let reduced = |x: i128, m: i64| of((x % i128::from(m)) as i64, m);
    let digits = scaled(&z[..n], &network.scale[..n], a);
    let s_b: Vec<i64> = layer(&network.layers[0], &digits, a, b)
        .into_iter()
        .enumerate()
        .map(|(j, v)| reduced(v + i128::from(z[n + j] * network.scale[n + j]), b[j]))
        .collect();
    let digits = scaled(&s_b, &network.cofactor_inverses, b);
    let s_a = layer(&network.layers[1], &digits, b, a);
    let s_a = s_a.into_iter().zip(a).map(|(v, &m)| reduced(v, m));
    s_a.chain(s_b).collect()
}

#[test]
fn layers_multiply_modulo_p() {
    for kind in NumberType::ALL {
        let network = Network::new(&prime_256(), kind, None).unwrap();
        let p = &network.modulus;
        let range = network.range() % p;
        let [x, y] = [p - 1u32, p / 3u32];
        let s = product(&network, &network.residues(&x), &network.residues(&y));
        // S A is congruent to X Y: both in residues of A, where S has a unique integer in (-P, P).
        let back = product(&network, &s, &network.residues(&(&range * &range % p)));
        let plain = product(&network, &back, &network.residues(&1u32.into()));
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
