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

/// Multiples on twisted Edwards curves and by the ladder, by every reduction and inversion: y of 2 G of Ed25519's
/// curve, and u of the same point on X25519's, `(1 + y)/(1 - y)`.
#[test]
fn multiples_on_curves_of_rfc_7748() {
    const TWO: [(&str, usize, &str); 2] = [
        (
            "Ed25519",
            1,
            "0x2260cdf3092329c21da25ee8c9a21f5697390f51643851560e5f46ae6af8a3c9",
        ),
        (
            "x25519",
            0,
            "0x20d342d51873f1b7d9750c687d1571148f3f5ced1e350b5c5cae469cdd684efb",
        ),
    ];
    for (curve, coordinate, right) in TWO {
        for reduction in ["sor", "kbe", "hbe"] {
            for inversion in ["btmi", "bmi", "fermat"] {
                let mut command = sunzi();
                command.args(["explain", "curve", curve, "--reduction", reduction]);
                command.args(["--inversion", inversion, "--scalar", "2", "--json"]);
                let rows = json_lines(&mut command, 0);
                let found = &rows[0]["result"][coordinate];
                assert_eq!(found, right, "{curve}, {reduction}, {inversion}");
            }
        }
    }
    for (curve, lines) in [
        (
            "edwards448",
            [
                "edwards448: a x^2 + y^2 = 1 + d x^2 y^2",
                "an addition: 11 products, 2 of them with a and d, and 7 sums",
                "  y    = 0x",
            ],
        ),
        (
            "X448",
            [
                "curve448: v^2 = u^3 + a u^2 + u",
                "a step of the ladder: 10 products, 1 of them with (a - 2)/4, and 8 sums",
                "  u    = 0x",
            ],
        ),
    ] {
        let output = sunzi()
            .args(["explain", "curve", curve, "--scalar", "12"])
            .assert()
            .success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        for line in lines {
            assert!(text.contains(line), "{line} is not in:\n{text}");
        }
    }
}

/// The papers' estimates stand beside what is counted, each by its formula, and are told from it.
#[test]
fn estimates_of_the_papers() {
    let estimates = |reduction, inversion| {
        let mut command = sunzi();
        command.args(["explain", "curve", "secp256k1", "--reduction", reduction]);
        command.args(["--inversion", inversion, "--json"]);
        json_lines(&mut command, 0)[0]["estimates"].clone()
    };
    // 16 l - 16 products of 9 channels of 66 bits: 9 EMM, 99 CMM and 90 EMA.
    let sum = estimates("sor", "btmi");
    assert_eq!(sum[0]["estimate"]["products"], 16 * 256 - 16);
    let counted = sum[0]["counted"]["products"].as_u64().unwrap();
    assert!(
        counted > 17 * 255 && counted.is_multiple_of(17),
        "{counted}"
    );
    let n = sum[1]["estimate"]["emm"].as_u64().unwrap();
    assert!([8, 9].contains(&n), "{n}");
    assert_eq!(sum[1]["estimate"]["cmm"], n * n + 2 * n);
    assert_eq!(sum[1]["estimate"]["ema"], n * n + n);
    assert_eq!(sum[2]["estimate"]["emm"], 4080 * n);
    assert!(sum[2]["counted"]["emm"].as_u64().unwrap() >= counted * n);
    // What is counted for an inversion is near the average that the paper gives.
    let products = |of: &str| sum[3][of]["emm_and_cmm"].as_f64().unwrap();
    let ratio = products("counted") / products("estimate");
    assert!((0.7..1.4).contains(&ratio), "{ratio}");

    let extensions = estimates("kbe", "fermat");
    let cmm = extensions[1]["estimate"]["cmm"].as_u64().unwrap();
    assert!((8..30).any(|n| cmm == 2 * (n * n + n)), "{cmm}");
    assert!(extensions[1]["counted"]["cmm"].as_u64().unwrap() >= cmm);
    assert_eq!(extensions.as_array().unwrap().len(), 3);

    let output = sunzi()
        .args(["explain", "curve", "P-256", "--reduction", "hbe"])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for part in [
        "    counted          ",
        "    paper's estimate 4080 = 16 l - 16 (",
        "equation 16",
        "2 (n^2/2) CMR",
        "1.61 n l and 2.53 n l on average",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
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
