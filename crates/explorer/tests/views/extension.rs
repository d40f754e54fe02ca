//! Base extensions, with and without the conditions of exactness.

use super::{column, number, numbers, refused, text, view};
use num_bigint::BigUint;
use serde_json::Value;

fn extension(source: &str, target: &str, x: &str, more: [&str; 3]) -> Value {
    let [columns, sigma, kept] = more;
    view(
        "extension",
        &fields(source, target, x, columns, sigma, kept),
    )
}

fn fields<'a>(
    source: &'a str,
    target: &'a str,
    x: &'a str,
    columns: &'a str,
    sigma: &'a str,
    kept: &'a str,
) -> [(&'a str, &'a str); 6] {
    [
        ("source", source),
        ("target", target),
        ("x", x),
        ("columns", columns),
        ("sigma", sigma),
        ("kept", kept),
    ]
}

/// The rank according to the Chinese remainder theorem, from integers alone.
fn rank(source: &[u64], digits: &[BigUint], x: &BigUint) -> BigUint {
    let range: BigUint = source.iter().map(|&m| BigUint::from(m)).product();
    let terms = source.iter().zip(digits).map(|(&m, d)| d * (&range / m));
    (terms.sum::<BigUint>() - x) / range
}

#[test]
fn kawamuras_extension_is_exact_where_it_is_proved_to_be() {
    let (a, b) = ([31u64, 29, 27, 25], [32u64, 23, 19, 17]);
    for x in (0..303_412u32).step_by(1009).chain([0, 1, 2, 303_411]) {
        let view = extension(
            "31,29,27,25",
            "32,23,19,17",
            &x.to_string(),
            ["1", "1/2", ""],
        );
        let x = BigUint::from(x);
        let digits = numbers(&column(&view["digits"], "digit"));
        let range: BigUint = a.iter().map(|&m| BigUint::from(m)).product();
        for (&m, digit) in a.iter().zip(&digits) {
            assert_eq!((digit * (&range / m)) % m, &x % m);
        }
        assert_eq!(number(&view["trueRank"]), rank(&a, &digits, &x));
        assert_eq!(view["rank"], view["trueRank"]);
        assert_eq!(view["confirmed"], true);
        let results = numbers(&column(&view["channels"], "result"));
        assert_eq!(results, b.map(|m| &x % m));
        assert_eq!(
            (&view["outcome"], &view["refused"]),
            (&"exact".into(), &"".into())
        );
    }
}

/// The counterexamples of the vector file: bases that satisfy the condition of Kawamura's extension, but not that of
/// the hierarchical one.
#[test]
fn refused_bases_show_the_wrong_results_of_the_vector_file() {
    let vectors = include_str!("../../../../vectors/base_extension.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    let refused = &vectors["refused_for_hbe"];
    let list = |value: &Value| {
        let values = value.as_array().unwrap().iter();
        let values: Vec<String> = values.map(ToString::to_string).collect();
        values.join(",")
    };
    let (a, b) = (list(&refused["A"]), list(&refused["B"]));
    let cases = refused["cases"].as_array().unwrap();
    let mut wrong = 0;
    for case in cases {
        let view = extension(&a, &b, &case["X"].to_string(), ["2", "1/2", "10"]);
        assert_eq!(text(&view["rank"]), case["hbe_h"].to_string());
        let results = numbers(&column(&view["channels"], "result"));
        let expected = case["hbe"].as_array().unwrap().iter();
        let expected: Vec<BigUint> = expected.map(|x| x.as_u64().unwrap().into()).collect();
        assert_eq!(results, expected);
        let truth = numbers(&column(&view["channels"], "expected"));
        let outcome = if expected == truth { "exact" } else { "wrong" };
        wrong += u32::from(expected != truth);
        assert_eq!(view["outcome"], outcome);
        assert!(view["confirmed"].is_null());
        assert!(text(&view["refused"]).contains("E = "));
        assert!(text(&view["summary"]).contains("this is what it prevents"));
    }
    assert!(wrong > 0);
}

#[test]
fn without_an_offset_the_result_may_be_x_plus_a() {
    let outcomes = (0..240).map(|x: u32| {
        let view = extension("15,16", "7,11,13", &x.to_string(), ["1", "0", ""]);
        text(&view["outcome"])
    });
    let outcomes: Vec<String> = outcomes.collect();
    let count = |outcome: &str| outcomes.iter().filter(|found| *found == outcome).count();
    assert!(count("allowed") > 0 && count("exact") > 0);
    assert_eq!(count("wrong"), 0);
}

#[test]
fn too_few_kept_bits_are_shown_and_refused() {
    let view = extension("31,29,27,25", "32,23", "2", ["1", "1/2", "2"]);
    assert!(text(&view["refused"]).contains("E = "));
    assert_eq!(view["kept"], 2);
}

#[test]
fn wide_hierarchical_extensions_agree_with_plain_integers() {
    let a = "2^61-1, 2^61-3, 2^61-9, 2^61-15";
    let b = "2^61-19, 2^61-21, 2^61-25, 2^61-31";
    for columns in ["1", "2", "4"] {
        let view = extension(a, b, "3^120", [columns, "1/2", ""]);
        let x = BigUint::from(3u8).pow(120);
        let targets = numbers(&column(&view["channels"], "modulus"));
        let expected: Vec<BigUint> = targets.iter().map(|b| &x % b).collect();
        assert_eq!(numbers(&column(&view["channels"], "result")), expected);
        assert_eq!(view["outcome"], "exact", "{}", view["summary"]);
        assert_eq!(view["confirmed"], true);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (columns, sigma, kept, input, message) in [
        ("3", "1/2", "", "columns", "3 must divide 4"),
        ("0", "1/2", "", "columns", "from 1 to 8"),
        ("1", "1", "", "sigma", "choices"),
        ("1", "1/2", "6", "kept", "from 1 to 5"),
        ("1", "1/2", "0", "kept", "from 1 to 60"),
        ("1", "1/2", "1e9", "kept", "not expected"),
    ] {
        let fields = fields("31,29,27,25", "32,23", "2", columns, sigma, kept);
        let (found, reason) = refused("extension", &fields);
        assert_eq!(found, input, "{reason}");
        assert!(reason.contains(message), "{reason}");
    }
    let (input, _) = refused("extension", &fields("15,16", "7,9", "A", "1", "0", ""));
    assert_eq!(input, "x");
}
