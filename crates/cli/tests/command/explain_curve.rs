//! `sunzi explain curve`.

use crate::place::{json_lines, sunzi};
use predicates::str::contains;

/// x of 3 G on secp256k1.
const THREE: &str = "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9";

/// Every reduction and every inversion gives the same multiple.
#[test]
fn a_multiple_by_each_arithmetic() {
    for reduction in ["sor", "kbe", "hbe"] {
        for inversion in ["btmi", "bmi", "fermat"] {
            let arguments = [
                "explain",
                "curve",
                "secp256k1",
                "--reduction",
                reduction,
                "--inversion",
                inversion,
                "--scalar",
                "3",
                "--json",
            ];
            let rows = json_lines(sunzi().args(arguments), 0);
            assert_eq!(rows[0]["result"][0], THREE, "{reduction}, {inversion}");
            assert_eq!(rows[0]["additions"], 2);
            assert!(rows[0]["multiplication"]["emm"].as_u64().unwrap() > 100);
        }
    }
}

#[test]
fn parameters_and_counts() {
    let arguments = ["explain", "curve", "P-256", "--scalar", "0x1234"];
    let output = sunzi().args(arguments).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for part in [
        "P-256: y^2 = x^3 + a x + b",
        "n    = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        "by the sum of residues, exact, ",
        "an addition: 17 products, 5 of them with a and 3 b, and 23 sums",
        "EMM",
        "  16 additions",
        "  y    = 0x",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    let arguments = ["explain", "curve", "P-256", "--scalar", order];
    let output = sunzi().args(arguments).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("the point at infinity"));

    let mut unknown = sunzi();
    unknown.args(["explain", "curve", "P-255"]);
    unknown.assert().code(2).stderr(contains("P-255"));
}
