//! Powers on a hypercube.

use super::{number, refused, text, view};
use num_bigint::BigUint;

fn fields<'a>(cubes: &'a str, form: &'a str, [n, m, e]: [&'a str; 3]) -> [(&'a str, &'a str); 5] {
    [
        ("cubes", cubes),
        ("form", form),
        ("n", n),
        ("m", m),
        ("e", e),
    ]
}

#[test]
fn powers_are_those_of_plain_integers() {
    for (cubes, d, depth) in [
        ("1", 10u32, 4),
        ("2", 46, 9),
        ("3", 130, 14),
        ("4", 310, 19),
    ] {
        for [n, m, e] in [
            ["3233", "65", "2753"],
            ["2", "1", "0"],
            ["10", "0", "0"],
            ["10", "7", "1"],
            ["1000", "999", "46"],
            ["2^255-19", "2^200+1", "2^254+3"],
            ["2^256-1", "n-1", "2^256-1"],
        ] {
            let view = view("cube", &fields(cubes, "optimized", [n, m, e]));
            let (n, m, e) = (parsed(n, None), parsed(m, Some(n)), parsed(e, Some(n)));
            assert_eq!(number(&view["result"]), m.modpow(&e, &n) % &n);
            assert_eq!(view["result"], view["expected"]);
            assert_eq!(number(&view["d"]), d.into());
            assert_eq!(number(&view["q"]) * d + number(&view["r"]), e);
            let exponents = [&view["q"], &view["r"]].map(number);
            for (power, exponent) in [&view["a"], &view["b"]].into_iter().zip(exponents) {
                assert_eq!(number(power), m.modpow(&exponent, &n));
            }
            // 5 Nc - 1 products in a row.
            assert_eq!(view["times"].as_array().unwrap().len(), depth + 1);
        }
    }
}

/// The number that a text of these tests denotes, as the residues' view reads it.
fn parsed(text: &str, n: Option<&str>) -> BigUint {
    let text = text.replace('n', &n.map_or_else(String::new, |n| format!("({n})")));
    let fields = [
        ("moduli", "2^66-1,2^66-5,2^66-9,2^66-17"),
        ("x", &text),
        ("y", "0"),
        ("operation", "+"),
    ];
    number(&view("residues", &fields)["x"]["value"])
}

#[test]
fn every_value_is_the_power_that_its_element_gives() {
    for form in ["plain", "optimized"] {
        // Modulo a large number, 2^q and 2^r stay as they are.
        let view = view("cube", &fields("2", form, ["2^255-19", "2", "47"]));
        assert_eq!(
            (text(&view["a"]), text(&view["b"])),
            ("2".into(), "2".into())
        );
        let mut seen = 0;
        for element in view["elements"].as_array().unwrap() {
            let gives = text(&element["gives"]);
            if gives.is_empty() {
                continue;
            }
            let exponent = gives.split(' ').map(|factor| {
                let (_, exponent) = factor.split_once('^').unwrap_or((factor, "1"));
                exponent.parse::<u32>().unwrap()
            });
            let exponent = exponent.sum::<u32>();
            assert_eq!(number(&element["value"]), BigUint::from(2u8).pow(exponent));
            seen += 1;
        }
        assert!(seen >= 12);
    }
}

#[test]
fn violated_conditions_are_named() {
    for (cubes, form, numbers, input, message) in [
        ("0", "plain", ["15", "2", "3"], "cubes", "from 1 to 4"),
        ("5", "plain", ["15", "2", "3"], "cubes", "from 1 to 4"),
        ("1", "round", ["15", "2", "3"], "form", "choices"),
        ("1", "plain", ["1", "0", "3"], "n", "at least 2"),
        ("1", "plain", ["0", "0", "3"], "n", "at least 2"),
        (
            "1",
            "plain",
            ["15", "15", "3"],
            "m",
            "not below the modulus",
        ),
        ("1", "plain", ["15", "n-1", "2^256"], "e", "256 bits"),
    ] {
        let (found, reason) = refused("cube", &fields(cubes, form, numbers));
        assert_eq!(found, input, "{reason}");
        assert!(reason.contains(message), "{reason}");
    }
}
