//! Tests of `explain network`: files as the Python package's tests have them, and refusals.

use crate::place::{Place, error_line, json_lines, small_key, sunzi};

/// The prime of secp256k1.
const PRIME: &str = "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";

#[test]
fn a_network_is_described_and_written() {
    let place = Place::with(small_key());
    for (kind, option, form) in [
        ("f64", "", "product"),
        ("f32", "", "product"),
        ("s8", " --power", "power"),
    ] {
        let arguments = format!("explain network {PRIME} --type {kind}{option} --onnx n.onnx");
        let output = place
            .run(&arguments)
            .assert()
            .success()
            .get_output()
            .clone();
        let text = String::from_utf8(output.stdout).unwrap();
        for part in [
            "256 bits",
            "layers",
            &format!("{kind} is exact up to"),
            form,
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let known = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/tests/networks/");
        let known = std::fs::read(format!("{known}{form}_256_{kind}.onnx")).unwrap();
        assert!(place.read("n.onnx") == known, "{kind}");
    }
    let arguments = format!("explain network {PRIME} --published layers.csv");
    place.run(&arguments).assert().success();
    let layers = String::from_utf8(place.read("layers.csv")).unwrap();
    assert!(layers.starts_with("layer,modulus,x_1,") && layers.contains("\nrank,2^"));
}

#[test]
fn bounds_are_printed_as_json() {
    let mut command = sunzi();
    let lines = json_lines(command.args(["explain", "network", PRIME, "--json"]), 0);
    assert_eq!(lines[0]["type"], "f64");
    assert_eq!(lines[0]["limit"], "9007199254740992");
}

#[test]
fn what_a_type_does_not_hold_is_refused() {
    let modulus = format!("0x{}", "f".repeat(1024));
    for (arguments, reason) in [
        (["--type", "f32"], "take f64"),
        (["--width", "26"], "sums reach"),
        (
            ["--width", "40"],
            "f64 takes channels of 18 to 26 bits, not 40",
        ),
    ] {
        let mut command = sunzi();
        let line = error_line(
            command
                .args(["explain", "network", &modulus])
                .args(arguments),
            2,
        );
        assert!(line.contains(reason), "{line}");
    }
    for (modulus, reason) in [("0x3", "2 bits"), ("ten", "a number")] {
        let mut command = sunzi();
        let output = command
            .args(["explain", "network", modulus])
            .assert()
            .code(2);
        let text = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(text.contains(reason), "{text}");
    }
}
