//! Numbers as residues, and back.

use super::{column, number, numbers, refused, text, texts, view};
use num_bigint::BigUint;

fn computed(moduli: &str, x: &str, operation: &str, y: &str) -> serde_json::Value {
    view(
        "residues",
        &[
            ("moduli", moduli),
            ("x", x),
            ("operation", operation),
            ("y", y),
        ],
    )
}

#[test]
fn every_pair_of_numbers_of_a_tiny_base() {
    for x in 0..30u32 {
        for y in 0..30u32 {
            for operation in ["+", "-", "*"] {
                let view = computed("2,3,5", &x.to_string(), operation, &y.to_string());
                let exact = match operation {
                    "+" => i64::from(x + y),
                    "-" => i64::from(x) - i64::from(y),
                    _ => i64::from(x * y),
                };
                let result = exact.rem_euclid(30);
                assert_eq!(text(&view["result"]["value"]), result.to_string());
                let residues: Vec<String> = [2, 3, 5].map(|m| (result % m).to_string()).into();
                assert_eq!(texts(&view["result"]["residues"]), residues);
                assert_eq!(view["fits"], (0..30).contains(&exact));
                let integer = text(&view["integer"]).replace('\u{2212}', "-");
                assert_eq!(integer, exact.to_string());
            }
        }
    }
}

#[test]
fn wide_moduli_agree_with_plain_integers() {
    let moduli = "2^66-1, 2^66-5, 2^66-9, 2^66-17";
    let view = computed(moduli, "2^120+7", "*", "M-3");
    let moduli = numbers(&view["moduli"]);
    let range: BigUint = moduli.iter().product();
    assert_eq!(number(&view["range"]), range);
    let product = ((BigUint::from(1u8) << 120u32) + 7u8) * (&range - 3u8);
    assert_eq!(number(&view["integer"]), product);
    assert_eq!(number(&view["result"]["value"]), &product % &range);
    let residues: Vec<BigUint> = moduli.iter().map(|m| &product % m).collect();
    assert_eq!(numbers(&view["result"]["residues"]), residues);
    assert_eq!(view["fits"], false);
}

#[test]
fn counting_goes_around() {
    let count = |x: &str, direction| {
        let fields = [("moduli", "3,5,7"), ("x", x), ("direction", direction)];
        text(&view("count", &fields)["value"])
    };
    assert_eq!(count("23", "next"), "24");
    assert_eq!(count("104", "next"), "0");
    assert_eq!(count("0", "previous"), "104");
}

#[test]
fn sunzis_riddle() {
    let view = view("riddle", &[("moduli", "3,5,7"), ("residues", "2,3,2")]);
    assert_eq!(text(&view["number"]), "23");
    assert_eq!(text(&view["sum"]), "128");
    assert_eq!(text(&view["rank"]), "1");
    let digits = numbers(&column(&view["terms"], "digit"));
    assert_eq!(digits, [1u8, 3, 2].map(BigUint::from));
}

#[test]
fn what_violates_a_condition_is_named() {
    let fields = |moduli, x, y, operation| {
        refused(
            "residues",
            &[
                ("moduli", moduli),
                ("x", x),
                ("y", y),
                ("operation", operation),
            ],
        )
    };
    for (moduli, x, y, operation, input, message) in [
        ("5, 6, 9", "1", "1", "+", "moduli", "not coprime"),
        ("5", "1", "1", "+", "moduli", "at least two moduli"),
        ("1, 5", "1", "1", "+", "moduli", "too small"),
        ("2^66, 5", "1", "1", "+", "moduli", "too wide"),
        (
            "2,3,5,7,11,13,17,19,23,29,31,37,41",
            "1",
            "1",
            "+",
            "moduli",
            "at most 12",
        ),
        ("3,5,7", "105", "1", "+", "x", "dynamic range"),
        ("3,5,7", "-1", "1", "+", "x", "not expected"),
        ("3,5,7", "1", "", "+", "y", "missing"),
        ("3,5,7", "1", "1", "/", "operation", "choices"),
    ] {
        let (found, reason) = fields(moduli, x, y, operation);
        assert_eq!(found, input, "{reason}");
        assert!(reason.contains(message), "{reason}");
    }
    let (input, reason) = refused("riddle", &[("moduli", "3,5,7"), ("residues", "2,5,2")]);
    assert_eq!(input, "residues");
    assert!(reason.contains("below its modulus 5"), "{reason}");
    let (input, _) = refused("riddle", &[("moduli", "3,5,7"), ("residues", "2,3")]);
    assert_eq!(input, "residues");
}
