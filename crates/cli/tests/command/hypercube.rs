//! Tests of the verbs about the hypercube: `powmod --method hypercube` and `explain hypercube`.

use crate::place::{Place, error_line, json_lines, small_key, sunzi};
use num_bigint::BigUint;

/// Runs lines through `powmod --method hypercube` with two cubes and further options.
fn powmod(input: &str, options: &[&str], code: i32) -> Vec<serde_json::Value> {
    let mut command = sunzi();
    command.args(["powmod", "--method", "hypercube", "--cubes", "2"]);
    json_lines(command.args(options).write_stdin(input), code)
}

#[test]
fn a_hypercube_gives_the_same_powers() {
    let modulus = (BigUint::from(1u8) << 521) - 1u8;
    let base = BigUint::from(3u8).pow(300);
    let exponents = [
        BigUint::from(0u8),
        BigUint::from(45u8),
        BigUint::from(46u8),
        BigUint::from(47u8),
        BigUint::from(65_537u32),
        BigUint::from(7u8).pow(180),
    ];
    let line = |e: &BigUint| {
        format!("{{\"base\":\"{base}\",\"exponent\":\"{e:#x}\",\"modulus\":\"{modulus:#x}\"}}\n")
    };
    let input: String = exponents.iter().map(line).collect();
    for options in [&[][..], &["--public-exponent"]] {
        let answers = powmod(&input, options, 0);
        assert_eq!(answers.len(), exponents.len());
        for (answer, e) in answers.iter().zip(&exponents) {
            let expected = format!("{:#x}", base.modpow(e, &modulus));
            assert_eq!(answer["result"], expected.as_str());
        }
    }
}

#[test]
fn bad_numbers_are_refused_line_by_line() {
    let input = r#"{"base":"2","exponent":"-3","modulus":"101"}
{"base":"101","exponent":"3","modulus":"101"}
{"base":"2","exponent":"3","modulus":"100"}
{"base":"0","exponent":"3","modulus":"1"}
{"base":"2","exponent":"3","modulus":"101"}
"#;
    let answers = powmod(input, &[], 1);
    let reasons = [
        "exponent: the number is negative: it must be 0 or more",
        "the base (of 7 bits) is not below the modulus (of 7 bits)",
        "the modulus is even: it must be odd",
        "the modulus is 1: it must be at least 3",
    ];
    for (line, (answer, reason)) in answers.iter().zip(reasons).enumerate() {
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with(reason), "{error}");
        assert_eq!(answer["line"], line + 1);
    }
    assert_eq!(answers[4]["result"], "0x8");
}

#[test]
fn numbers_of_cubes_out_of_range_are_refused() {
    for (cubes, reason) in [
        ("0", "0 cubes: a hypercube has at least 1 cube"),
        ("17", "17 cubes are too many: at most 16"),
    ] {
        let powmod = ["powmod", "--method", "hypercube", "--cubes", cubes];
        let explain = ["explain", "hypercube", "--cubes", cubes];
        for arguments in [&powmod[..], &explain] {
            let error = error_line(sunzi().args(arguments), 2);
            assert!(error.contains(reason), "{error}");
        }
    }
    let error = error_line(sunzi().args(["powmod", "--cubes", "2"]), 2);
    assert!(
        error.contains("--cubes is for --method hypercube"),
        "{error}"
    );
}

#[test]
fn the_graph_is_drawn_in_text_json_and_svg() {
    let place = Place::with(small_key());
    let mut command = place.run("explain hypercube --cubes 2 --svg graph.svg");
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("12 PEs, 15 MulMods, 9 in a row"), "{text}");
    let svg = place.read("graph.svg");
    assert_eq!(
        String::from_utf8(svg).unwrap().matches("<circle").count(),
        13
    );

    let mut command = sunzi();
    command.args(["--json", "explain", "hypercube", "--form", "plain"]);
    let elements = json_lines(&mut command, 0);
    assert_eq!(elements.len(), 17);
    let work = |element: &serde_json::Value| element["mulmods"].as_u64().unwrap();
    let work: Vec<_> = elements.iter().skip(1).map(work).collect();
    assert_eq!(work, [0, 1, 0, 1, 1, 1, 1, 3, 1, 1, 1, 2, 1, 2, 2, 2]);

    let mut unwritable = place.run("explain hypercube --svg no/such/folder/graph.svg");
    let error = error_line(&mut unwritable, 2);
    assert!(
        error.contains("cannot write no/such/folder/graph.svg"),
        "{error}"
    );
}
