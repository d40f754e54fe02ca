//! Montgomery products, step by step.

use super::{number, numbers, refused, text, view};
use num_bigint::BigUint;
use serde_json::Value;

fn fields<'a>(
    p: &'a str,
    [a, b]: [&'a str; 2],
    x: &'a str,
    y: &'a str,
    excess: &'a str,
) -> [(&'a str, &'a str); 6] {
    [
        ("p", p),
        ("a", a),
        ("b", b),
        ("x", x),
        ("y", y),
        ("excess", excess),
    ]
}

/// Checks every row of residues against its integer, and the result against `X Y = S A mod P`.
fn check(view: &Value, x: &BigUint, y: &BigUint) -> u32 {
    let (a, b) = (numbers(&view["a"]), numbers(&view["b"]));
    let p = number(&view["p"]);
    let range: BigUint = a.iter().product();
    for row in view["rows"].as_array().unwrap() {
        if text(&row["integer"]).is_empty() {
            continue;
        }
        let integer = number(&row["integer"]);
        for (moduli, key) in [(&a, "a"), (&b, "b")] {
            let residues = numbers(&row[key]);
            assert!(residues.is_empty() || residues.len() == moduli.len());
            for (residue, m) in residues.iter().zip(moduli) {
                assert_eq!(residue, &(&integer % m), "{} in {key}", row["name"]);
            }
        }
    }
    assert_eq!(view["confirmed"], true);
    let s = number(&view["result"]);
    assert!(s < &p * 3u8);
    assert_eq!((&s * range) % &p, (x * y) % &p);
    assert_eq!(number(&view["reduced"]), &s % &p);
    text(&view["delta"]).parse().unwrap()
}

#[test]
fn the_tiny_base_reaches_delta_2() {
    let mut deltas = [0; 3];
    for x in (0..669u32).step_by(7).chain([668]) {
        for y in (0..669u32).step_by(11).chain([668]) {
            let bases = ["3,5,11,13", "32,31,29"];
            let (x, y) = (x.to_string(), y.to_string());
            let view = view("product", &fields("223", bases, &x, &y, "on"));
            deltas[check(&view, &x.parse().unwrap(), &y.parse().unwrap()) as usize] += 1;
        }
    }
    // Q' >= A, so S >= P.
    assert!(
        deltas[0] == 0 && deltas[1] > 0 && deltas[2] > 0,
        "{deltas:?}"
    );
}

#[test]
fn bases_are_found_for_every_size() {
    for (p, x, y) in [
        ("3", "1", "2"),
        ("97", "95", "96"),
        ("65537", "P-1", "P-1"),
        ("2^61-1", "3^38", "2*P+5"),
        ("2^127-1", "P-1", "P-2"),
        ("2^255-19", "2^254", "3^160"),
        ("2^384 - 2^128 - 2^96 + 2^32 - 1", "P-1", "3"),
    ] {
        let view = view("product", &fields(p, ["", ""], x, y, ""));
        let rows = view["rows"].as_array().unwrap();
        let (x, y) = (number(&rows[0]["integer"]), number(&rows[1]["integer"]));
        check(&view, &x, &y);
    }
}

#[test]
fn violated_conditions_are_named() {
    let tiny = ["3,5,11,13", "32,31,29"];
    for (p, bases, x, excess, input, message) in [
        ("2", ["", ""], "0", "", "p", "at least 3"),
        ("0", ["", ""], "0", "", "p", "at least 3"),
        ("2^2000+1", ["", ""], "0", "", "p", "no bases"),
        ("223", ["3,5,11,13", ""], "0", "", "b", "both"),
        ("223", tiny, "0", "", "a", "E = "),
        ("223", ["3,5,11,13", "6,7,31"], "0", "on", "b", "E = "),
        ("223", ["3,5,11,13", "33,31,32"], "0", "on", "b", "E = "),
        ("223", ["3,5,11", "32,31,29"], "0", "on", "a", "A >= 9P"),
        ("223", ["3,5,11,13", "16,17"], "0", "on", "b", "E = "),
        ("223", ["3,5,11,13", "31,32"], "0", "on", "b", "B >= 3P"),
        ("15", ["3,5,11,13", "32,31,29"], "0", "on", "p", "coprime"),
        ("223", ["31,29,5,3", "32,31,29"], "0", "on", "b", "coprime"),
        ("223", tiny, "3*P", "on", "x", "3 P = 669"),
        ("223", tiny, "P/2", "on", "x", "not expected"),
    ] {
        let (found, reason) = refused("product", &fields(p, bases, x, "1", excess));
        assert!(reason.contains(message), "{p} {bases:?} {x}: {reason}");
        assert_eq!(found, input, "{reason}");
    }
}
