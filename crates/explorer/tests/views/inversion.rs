//! Inversions, step by step.

use super::{column, number, refused, text, texts, view};
use num_bigint::{BigInt, BigUint, Sign};
use serde_json::Value;

fn fields<'a>(
    algorithm: &'a str,
    p: &'a str,
    a: &'a str,
    base: &'a str,
) -> [(&'a str, &'a str); 4] {
    [("algorithm", algorithm), ("p", p), ("a", a), ("base", base)]
}

fn signed(value: &Value) -> BigInt {
    text(value).replace('\u{2212}', "-").parse().unwrap()
}

/// Checks every step of a view against integers: the two invariants, and that each operation leads to the next state.
fn check(view: &Value, ternary: bool) {
    let p = BigInt::from_biguint(Sign::Plus, number(&view["p"]));
    let a = BigInt::from_biguint(Sign::Plus, number(&view["a"]));
    let steps = view["steps"].as_array().unwrap();
    let mut before: Option<[BigInt; 2]> = None;
    for step in steps {
        let [v3, u3, v1, u1] = ["v3", "u3", "v1", "u1"].map(|key| signed(&step[key]));
        for (remainder, cofactor) in [(&v3, &v1), (&u3, &u1)] {
            assert_eq!((cofactor * &a - remainder) % &p, BigInt::ZERO);
        }
        let modulo = |x: &BigInt, k: i32| {
            let least = (x % k + k) % k;
            Value::from(u32::try_from(least).unwrap())
        };
        assert_eq!(
            step["modulo4"],
            Value::Array([&v3, &u3].map(|x| modulo(x, 4)).into())
        );
        if ternary {
            assert_eq!(
                step["modulo3"],
                Value::Array([&v3, &u3].map(|x| modulo(x, 3)).into())
            );
        }
        let operation = text(&step["operation"]);
        if let Some([old_v, old_u]) = before {
            let divisor = operation.split(['/', ',']).nth(1).unwrap().trim();
            let product = &v3 * divisor.parse::<i32>().unwrap();
            match text(&step["kind"]).as_str() {
                "divide" => assert_eq!(product, old_v),
                "combine" => {
                    let expected = if operation.contains('+') {
                        &old_v + &old_u
                    } else {
                        &old_v - &old_u
                    };
                    assert_eq!(product, expected);
                    assert_eq!(
                        u3,
                        if operation.contains("old V3") {
                            old_v
                        } else {
                            old_u
                        }
                    );
                }
                kind => panic!("{kind}"),
            }
        }
        before = Some([v3, u3]);
    }
}

#[test]
fn every_step_is_that_of_integers() {
    for (p, a) in [
        ("1009", "2"),
        ("1009", "P-1"),
        ("1009", "1"),
        ("65537", "3^10"),
        ("2^127-1", "2^126+12345"),
        ("2^255-19", "3^160"),
        ("2^256-2^32-977", "P-6"),
    ] {
        for algorithm in ["btmi", "bmi"] {
            let view = view("inversion", &fields(algorithm, p, a, ""));
            check(&view, algorithm == "btmi");
            assert_eq!(view["confirmed"], true, "{p} {a}");
            let (p, a) = (number(&view["p"]), number(&view["a"]));
            assert_eq!(number(&view["result"]) * &a % &p, BigUint::from(1u8));
            let products = column(&view["costs"], "products");
            let [ternary, _, fermat] = products.as_array().unwrap().as_slice() else {
                panic!("{products}");
            };
            // Fermat's theorem takes many times as much, except for numbers that take a step or two.
            assert!(number(fermat) > number(ternary), "{p} {a}");
        }
    }
    // All operands of a small prime, in a base that is given.
    for a in 1..=1008u32 {
        let view = view(
            "inversion",
            &fields("btmi", "1009", &a.to_string(), "61, 59, 55"),
        );
        check(&view, true);
        assert_eq!(view["confirmed"], true);
        assert_eq!(texts(&view["base"]), ["61", "59", "55"]);
    }
}

#[test]
fn a_number_without_inverse_ends_with_a_proof() {
    for (p, a) in [
        ("1001", "0"),
        ("1001", "7"),
        ("1009*1013", "1009"),
        ("35", "P-5"),
    ] {
        let view = view("inversion", &fields("btmi", p, a, ""));
        check(&view, true);
        assert_eq!(view["result"], "");
        assert!(view["confirmed"].is_null());
        assert!(text(&view["summary"]).contains("no inverse"));
        // For a composite P Fermat's theorem is refused.
        assert!(text(&view["costs"][2]["refused"]).contains("prime"));
    }
}

#[test]
fn violated_conditions_are_named() {
    for (algorithm, p, a, base, input, message) in [
        ("both", "1009", "2", "", "algorithm", "choices"),
        ("btmi", "1008", "2", "", "p", "coprime to 12"),
        ("btmi", "1011", "2", "", "p", "coprime to 12"),
        ("bmi", "2", "1", "", "p", "at least 3"),
        ("btmi", "2^300", "2", "", "p", "256 bits"),
        ("btmi", "1009", "P", "", "a", "below P = 1009"),
        ("btmi", "1009", "2", "61, 59, 54", "base", "coprime to 12"),
        ("btmi", "1009", "2", "61, 59", "base", "M > 26P"),
        ("bmi", "1009", "2", "61, 59, 33", "base", "E <= 1/2"),
        ("btmi", "1009", "2", "61, 61", "base", "coprime"),
    ] {
        let (found, reason) = refused("inversion", &fields(algorithm, p, a, base));
        assert!(reason.contains(message), "{algorithm} {p} {base}: {reason}");
        assert_eq!(found, input, "{reason}");
    }
    // BMI takes a multiple of 3.
    let view = view("inversion", &fields("bmi", "1011", "2", ""));
    assert_eq!(view["confirmed"], true);
    assert!(text(&view["costs"][0]["refused"]).contains("coprime to 12"));
}
