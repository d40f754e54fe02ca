//! The sum of residues, as published and exact.

use super::{number, numbers, refused, text, view};
use num_bigint::BigUint;

const CURVES: [&str; 10] = [
    "edwards25519",
    "secp160k1",
    "secp160r1",
    "secp192k1",
    "secp192r1",
    "secp224k1",
    "secp224r1",
    "secp256k1",
    "secp384r1",
    "secp521r1",
];

#[test]
fn both_forms_against_plain_integers_at_the_edges() {
    for curve in CURVES {
        for z in [
            "0",
            "1",
            "p-1",
            "p",
            "p+1",
            "7*p",
            "(p-1)^2",
            "(2*p-1)^2",
            "p*2^150",
            "p*2^150-1",
            "3^200",
        ] {
            let view = view("sum", &[("curve", curve), ("t", ""), ("z", z)]);
            let p = number(&view["p"]);
            let z = number(&view["z"]);
            let moduli = numbers(&view["moduli"]);
            let range: BigUint = moduli.iter().product();
            let expected = &z % &p;
            assert_eq!(number(&view["exact"]), expected);
            assert_eq!(number(&view["expected"]), expected);
            // Z = sum gamma_i M_i - alpha M, and V = sum gamma_i <M_i>_p + <-alpha M>_p.
            let gammas = numbers(&view["gammas"]);
            let terms = gammas.iter().zip(&moduli);
            let sum: BigUint = terms.clone().map(|(g, m)| g * (&range / m)).sum();
            let alpha = number(&view["alpha"]);
            assert_eq!(sum, &z + &alpha * &range);
            let reduced: BigUint = terms.map(|(g, m)| g * ((&range / m) % &p)).sum();
            let v = reduced + (&p - (&alpha * &range) % &p) % &p;
            assert_eq!(number(&view["v"]), v);
            assert_eq!(number(&view["kappa"]), &v / &p);

            let published = &view["published"];
            let result = number(&published["result"]);
            assert_eq!(result, &v - number(&published["kappa"]) * &p);
            assert!(result == expected || result == &expected + &p);
            assert_eq!(published["right"], result == expected);
            // An extra p stays exactly if (Z mod p)/p < d.
            let (position, deficit) = (&view["position"], &published["deficit"]);
            let (position, deficit) = (position.as_f64().unwrap(), deficit.as_f64().unwrap());
            assert!(deficit <= published["largestDeficit"].as_f64().unwrap() + 1e-9);
            if (position - deficit).abs() > 1e-9 {
                assert_eq!(published["right"], position >= deficit, "{curve} {z}");
            }
        }
    }
}

#[test]
fn multiples_of_p_never_come_out_as_zero() {
    for z in ["p", "2*p", "p*2^256"] {
        let view = view("sum", &[("curve", "secp256k1"), ("t", ""), ("z", z)]);
        assert_eq!(view["published"]["result"], view["p"]);
        assert_eq!(view["exact"], "0");
        assert!(text(&view["summary"]).contains("tests for zero break"));
    }
}

/// The shares of section C: 6.2 % for secp256k1 and 12.6 % for edwards25519, from many products.
#[test]
fn samples_have_the_known_shares() {
    for (curve, least, most) in [("secp256k1", 15, 36), ("edwards25519", 35, 66)] {
        let view = view("sample", &[("curve", curve), ("t", ""), ("seed", "1")]);
        let wrong = view["wrong"].as_u64().unwrap();
        assert!((least..=most).contains(&wrong), "{curve}: {wrong} of 400");
        assert_eq!(view["exactWrong"], 0);
        let points = view["points"].as_array().unwrap();
        assert_eq!(points.len(), 400);
        let bound = view["largestDeficit"].as_f64().unwrap();
        for point in points {
            let position = point["position"].as_f64().unwrap();
            assert!((0.0..1.0).contains(&position));
            assert!(point["wrong"] == false || position < bound);
        }
    }
}

#[test]
fn p_256_is_refused_as_published_and_exact_here() {
    let view = view("sum", &[("curve", "secp256r1"), ("t", ""), ("z", "p*p-1")]);
    assert!(view["published"].is_null());
    assert!(text(&view["refused"]).contains("condition (22)"));
    assert_eq!(number(&view["exact"]) + 1u8, number(&view["p"]));
}

#[test]
fn violated_conditions_are_named() {
    for (name, curve, t, z, input, message) in [
        ("sum", "P-256", "", "1", "curve", "choices"),
        ("sum", "secp256k1", "55", "1", "t", "from 56 to 112"),
        ("sum", "secp256k1", "", "M-1", "z", "15M/16"),
        ("sum", "secp256k1", "", "2*p-3*p", "z", "negative"),
        ("sample", "secp256r1", "", "1", "t", "condition (22)"),
    ] {
        let (found, reason) = refused(name, &[("curve", curve), ("t", t), ("z", z), ("seed", z)]);
        assert_eq!(found, input, "{reason}");
        assert!(reason.contains(message), "{reason}");
    }
}
