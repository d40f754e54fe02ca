//! A product as a network, and the layers of the paper.

use super::{number, numbers, refused, text, texts, view};
use num_bigint::{BigInt, BigUint, Sign};
use serde_json::Value;

fn fields<'a>(
    p: &'a str,
    kind: &'a str,
    width: &'a str,
    x: &'a str,
    y: &'a str,
) -> [(&'a str, &'a str); 5] {
    [
        ("p", p),
        ("kind", kind),
        ("width", width),
        ("x", x),
        ("y", y),
    ]
}

fn integers(value: &Value) -> Vec<BigInt> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|value| text(value).parse().unwrap())
        .collect()
}

/// Checks the layers of a view against integers, and that the result is X Y / A modulo P.
fn check(view: &Value, x: &BigUint, y: &BigUint) {
    assert_eq!(view["confirmed"], true);
    for layer in view["layers"].as_array().unwrap() {
        let (digits, corrections) = (integers(&layer["digits"]), integers(&layer["corrections"]));
        let rank: BigInt = text(&layer["rank"]).parse().unwrap();
        let from = integers(&layer["from"]);
        let ratio: f64 = digits
            .iter()
            .zip(&from)
            .map(|(d, m)| {
                let float = |x: &BigInt| x.to_string().parse::<f64>().unwrap();
                float(d) / float(m)
            })
            .sum();
        assert!((layer["ratio"].as_f64().unwrap() - ratio).abs() < 1e-9);
        assert_eq!(rank, BigInt::from(ratio.round() as i64));
        let rows: Vec<Vec<BigInt>> = layer["weights"]
            .as_array()
            .unwrap()
            .iter()
            .map(integers)
            .collect();
        let totals = integers(&layer["totals"]);
        let results = integers(&layer["results"]);
        for (j, (m, correction)) in integers(&layer["to"]).iter().zip(&corrections).enumerate() {
            let sum: BigInt = rows.iter().zip(&digits).map(|(row, d)| &row[j] * d).sum();
            let known = sum + &rank * correction;
            // Layer 1 also adds z / A, which is a product of two numbers below m.
            let more: BigInt = &totals[j] - known;
            assert!(more.magnitude() < (m * m).magnitude());
            assert_eq!((&results[j] - &totals[j]) % m, BigInt::ZERO);
        }
    }
    let p = BigInt::from_biguint(Sign::Plus, number(&view["p"]));
    let range: BigUint = numbers(&view["a"]).iter().product();
    let s: BigInt = text(&view["result"])
        .replace('\u{2212}', "-")
        .parse()
        .unwrap();
    assert!(s.magnitude() < p.magnitude());
    let product = BigInt::from_biguint(Sign::Plus, x * y);
    assert_eq!(
        (s * BigInt::from_biguint(Sign::Plus, range) - product) % p,
        BigInt::ZERO
    );
    let largest: BigUint = number(&view["largest"]);
    assert!(largest <= number(&view["limit"]));
}

#[test]
fn products_are_those_of_plain_integers() {
    for p in [1009u128, 223, 65_537, (1 << 61) - 1] {
        for kind in ["f64", "f32", "s8"] {
            for (x, y) in [(0, 0), (1, 1), (p - 1, p - 1), (p / 2, p / 3), (p - 1, 1)] {
                let texts = [p, x, y].map(|x| x.to_string());
                let view = view(
                    "network",
                    &fields(&texts[0], kind, "", &texts[1], &texts[2]),
                );
                check(&view, &x.into(), &y.into());
                assert_eq!(view["steps"].as_array().unwrap().len(), 8);
            }
        }
    }
}

#[test]
fn the_layers_of_the_paper_extend_every_number() {
    for x in (0..31 * 29 * 27 * 25u32).step_by(997) {
        let x = x.to_string();
        let view = view(
            "published",
            &[
                ("source", "31, 29, 27, 25"),
                ("target", "32, 23, 19, 17"),
                ("x", &x),
            ],
        );
        assert_eq!(view["confirmed"], true);
        let residues = numbers(&view["residues"]);
        let weights = numbers(&view["rankWeights"]);
        let sum: BigUint = residues.iter().zip(&weights).map(|(x, g)| x * g).sum();
        let rank = sum >> view["bits"].as_u64().unwrap();
        assert_eq!(number(&view["rank"]), rank);
        let expected = x.parse::<u32>().unwrap();
        for neuron in view["neurons"].as_array().unwrap() {
            assert_eq!(neuron["right"], true);
            let modulus = number(&neuron["modulus"]);
            assert_eq!(
                number(&neuron["result"]),
                BigUint::from(expected) % &modulus
            );
            assert_eq!(texts(&neuron["weights"]).len(), 4);
        }
    }
}

#[test]
fn violated_conditions_are_named() {
    for (p, kind, width, x, input, message) in [
        ("1009", "f16", "", "1", "kind", "choices"),
        ("5", "f64", "", "1", "p", "8 to 16,384"),
        ("2^200", "f64", "", "1", "p", "96 bits"),
        ("1009", "f64", "30", "1", "width", "18 to 26 bits"),
        ("2^61-1", "f32", "8", "1", "width", "takes at most 8"),
        ("1009", "f64", "", "P", "x", "below P = 1009"),
    ] {
        let (found, reason) = refused("network", &fields(p, kind, width, x, "1"));
        assert!(reason.contains(message), "{p} {kind} {width}: {reason}");
        assert_eq!(found, input, "{reason}");
    }
    let published = [("source", "31, 29"), ("target", "7, 11"), ("x", "A")];
    assert_eq!(refused("published", &published).0, "x");
}
