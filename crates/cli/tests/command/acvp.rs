//! Tests of `sunzi acvp`: answers in files and on standard output, differences, and sets that are refused.

use crate::place::{Place, error_line, json_lines, small_key};
use predicates::str::contains;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Points of NIST's vectors (CAVP), a right one between two that are not, on each of five curves, as a set and its answers.
static SETS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let vectors = include_str!("../../../pk/tests/fixtures/cavp_ecdsa.txt");
    let points: Vec<Vec<&str>> = vectors
        .lines()
        .filter(|line| line.starts_with("point "))
        .map(|line| line.split(' ').collect())
        .collect();
    let (mut asked, mut expected) = (Vec::new(), Vec::new());
    for (group, curve) in ["P-192", "P-224", "P-256", "P-384", "P-521"]
        .iter()
        .enumerate()
    {
        let (mut tests, mut answers) = (Vec::new(), Vec::new());
        for (case, result) in ["F1", "P", "F2"].iter().enumerate() {
            let is_it = |point: &&Vec<&str>| point[1] == *curve && point[4] == *result;
            let point = points.iter().find(is_it).unwrap();
            let id = 3 * group + case + 1;
            // Numbers in whole bytes, as sets have them.
            let [qx, qy] = [point[2], point[3]].map(|n| format!("{}{n}", "0".repeat(n.len() % 2)));
            tests.push(json!({"tcId": id, "qx": qx, "qy": qy}));
            answers.push(json!({"tcId": id, "testPassed": *result == "P"}));
        }
        let id = group + 1;
        asked.push(json!({"tgId": id, "curve": curve, "testType": "AFT", "tests": tests}));
        expected.push(json!({"tgId": id, "tests": answers}));
    }
    [asked, expected].map(|groups| {
        let set = json!({"vsId": 0, "algorithm": "ECDSA", "mode": "keyVer", "revision": "1.0", "isSample": true,
            "testGroups": groups});
        serde_json::to_string_pretty(&set).unwrap()
    })
});

fn value(text: impl AsRef<[u8]>) -> Value {
    serde_json::from_slice(text.as_ref()).unwrap()
}

#[test]
fn points_of_nist() {
    let [prompt, right] = &*SETS;
    let place = Place::with(small_key());
    place.write("prompt.json", prompt);
    place.write("expected.json", right);
    let written = place
        .run("acvp prompt.json --out answers.json")
        .assert()
        .success();
    written
        .stdout("")
        .stderr(contains("answers.json: 15 answers"));
    assert_eq!(value(place.read("answers.json")), value(right));
    let printed = place
        .run("acvp -")
        .write_stdin(&prompt[..])
        .assert()
        .success();
    assert_eq!(value(&printed.get_output().stdout), value(right));
    for expected in ["expected.json", "answers.json"] {
        let command = format!("acvp --check {expected} prompt.json");
        place
            .run(&command)
            .assert()
            .success()
            .stdout("equal: 15 tests\n");
    }
    let lines = json_lines(
        &mut place.run("acvp --json --check expected.json prompt.json"),
        0,
    );
    assert_eq!(
        lines,
        [json!({"equal": true, "tests": 15, "differences": 0})]
    );
}

#[test]
fn flipped_answers_are_named() {
    let place = Place::with(small_key());
    place.write("prompt.json", &SETS[0]);
    let mut expected = value(&SETS[1]);
    expected["testGroups"][1]["tests"][1]["testPassed"] = json!(false);
    expected["testGroups"][4]["tests"]
        .as_array_mut()
        .unwrap()
        .pop();
    place.write("wrong.json", expected.to_string());
    place
        .run("acvp --check wrong.json prompt.json")
        .assert()
        .code(1)
        .stdout(
            "tgId 5, tcId 15: tcId has no expected answer\n\
             tgId 2, tcId 5: testPassed is true, and false is expected\n\
             different: 2 differences in 15 tests\n",
        );
    let lines = json_lines(
        &mut place.run("acvp --json --check wrong.json prompt.json"),
        1,
    );
    assert_eq!(
        lines[1],
        json!({"tgId": 2, "tcId": 5, "member": "testPassed", "reason": "is true, and false is expected"})
    );
    assert_eq!(
        lines[2],
        json!({"equal": false, "tests": 15, "differences": 2})
    );
}

/// The bytes of a member.
fn bytes(text: &Value) -> Vec<u8> {
    base16ct::mixed::decode_vec(text.as_str().unwrap()).unwrap()
}

/// An element of DER.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let length = match length {
        0..128 => vec![length as u8],
        128..256 => vec![0x81, length as u8],
        _ => vec![0x82, (length >> 8) as u8, length as u8],
    };
    [&[tag], &length[..], content].concat()
}

/// A natural number in DER.
fn integer(bytes: &[u8]) -> Vec<u8> {
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
    let zero = [0];
    let sign = if bytes[first] < 0x80 { &[] } else { &zero[..] };
    der(2, &[sign, &bytes[first..]].concat())
}

/// A public key as `SubjectPublicKeyInfo`, of an algorithm in hexadecimal.
fn public_key(algorithm: &str, key: &[u8]) -> Vec<u8> {
    let algorithm = der(0x30, &base16ct::lower::decode_vec(algorithm).unwrap());
    let key = der(3, &[&[0], key].concat());
    der(0x30, &[algorithm, key].concat())
}

/// Whether OpenSSL's command accepts a signature of `abc`.
fn assert_openssl_accepts(place: &Place, key: &[u8], signature: &[u8], options: &str) {
    place.write("message", "abc");
    place.write("key.der", key);
    place.write("signature", signature);
    let verify =
        "pkeyutl -verify -pubin -inkey key.der -keyform DER -rawin -in message -sigfile signature";
    if let Some(output) = place.openssl(&format!("{verify} {options}")) {
        assert!(output.status.success(), "{options}: {output:?}");
    }
}

/// Signatures in the answers are those that OpenSSL's command accepts, by the keys in them.
#[test]
fn signatures_for_openssl() {
    let place = Place::with(small_key());
    let answers = |algorithm: &str, revision: &str, groups: Vec<Value>| {
        let groups = (1..).zip(groups).map(|(id, mut group)| {
            group["tgId"] = json!(id);
            group["testType"] = json!("AFT");
            group["tests"] = json!([{"tcId": id, "message": "616263"}]);
            group
        });
        let set = json!({"vsId": 3, "algorithm": algorithm, "mode": "sigGen", "revision": revision,
            "testGroups": groups.collect::<Vec<_>>()});
        place.write("prompt.json", set.to_string());
        place
            .run("acvp prompt.json --out answers.json")
            .assert()
            .success();
        place
            .run("acvp --check answers.json prompt.json")
            .assert()
            .success();
        value(place.read("answers.json"))["testGroups"]
            .as_array()
            .unwrap()
            .clone()
    };

    let groups = ["ED-25519", "ED-448"].map(|curve| json!({"curve": curve, "preHash": false}));
    let answered = answers("EDDSA", "1.0", groups.into());
    for (group, oid) in answered.iter().zip(["06032b6570", "06032b6571"]) {
        let key = public_key(oid, &bytes(&group["q"]));
        assert_openssl_accepts(&place, &key, &bytes(&group["tests"][0]["signature"]), "");
    }

    let curves = [
        ("P-256", "06082a8648ce3d030107"),
        ("P-384", "06052b81040022"),
        ("P-521", "06052b81040023"),
    ];
    for algorithm in ["ECDSA", "DetECDSA"] {
        let groups = curves.map(|(name, _)| json!({"curve": name, "hashAlg": "SHA3-384"}));
        let answered = answers(algorithm, "FIPS186-5", groups.into());
        for (group, (_, curve)) in answered.iter().zip(curves) {
            let point = [vec![4], bytes(&group["qx"]), bytes(&group["qy"])].concat();
            let key = public_key(&format!("06072a8648ce3d0201{curve}"), &point);
            let [r, s] = ["r", "s"].map(|name| integer(&bytes(&group["tests"][0][name])));
            let signature = der(0x30, &[r, s].concat());
            assert_openssl_accepts(&place, &key, &signature, "-digest sha3-384");
        }
    }

    let rsa = |sig_type: &str| json!({"sigType": sig_type, "modulo": 2048, "hashAlg": "SHA2-512", "saltLen": 20});
    let answered = answers("RSA", "FIPS186-5", vec![rsa("pkcs1v1.5"), rsa("pss")]);
    let options = [
        "",
        " -pkeyopt rsa_padding_mode:pss -pkeyopt rsa_pss_saltlen:20",
    ];
    for (group, options) in answered.iter().zip(options) {
        let numbers = ["n", "e"].map(|name| integer(&bytes(&group[name])));
        let key = public_key("06092a864886f70d0101010500", &der(0x30, &numbers.concat()));
        let signature = bytes(&group["tests"][0]["signature"]);
        assert_openssl_accepts(
            &place,
            &key,
            &signature,
            &format!("-digest sha512{options}"),
        );
    }
}

#[test]
fn nothing_is_written_of_a_set_with_a_defect() {
    let place = Place::with(small_key());
    place.write("prompt.json", &SETS[0]);
    let mut set = value(&SETS[0]);
    set["testGroups"][4]["curve"] = json!("B-571");
    place.write("curve.json", set.to_string());
    set["testGroups"][4]["curve"] = json!("P-521");
    set["testGroups"][4]["tests"][2]["qy"] = json!("01C");
    place.write("hex.json", set.to_string());
    set["algorithm"] = json!("ML-KEM");
    place.write("algorithm.json", set.to_string());
    place.write(
        "empty.json",
        r#"{"vsId":1,"algorithm":"ECDSA","mode":"keyVer","revision":"1.0","testGroups":[]}"#,
    );
    place.write("cut.json", &SETS[0][..2000]);
    place.write(
        "key.json",
        r#"{"vsId":1,"algorithm":"KAS-ECC","mode":"CDH-Component","revision":"1.0","testGroups":[
        {"tgId":1,"curve":"P-256","tests":[{"tcId":1}]}]}"#,
    );
    for (arguments, words) in [
        (
            "curve.json",
            "curve.json: tgId 5: curve is \"B-571\", which is not supported; P-192, P-224",
        ),
        (
            "hex.json",
            "hex.json: tgId 5, tcId 15: qy is not hexadecimal digits, two a byte",
        ),
        (
            "algorithm.json",
            "algorithm.json: ML-KEM keyVer 1.0 is not among the tests that are answered",
        ),
        ("empty.json", "there are no tests in it"),
        (
            "cut.json",
            "cut.json: it is no vector set: malformed, line ",
        ),
        ("missing.json", "missing.json: "),
        ("--check missing.json prompt.json", "missing.json: "),
        (
            "--check cut.json prompt.json",
            "cut.json: it is no vector set",
        ),
        (
            "--check key.json key.json",
            "privateIut is missing: answers by keys of its own choice",
        ),
    ] {
        let out = if arguments.contains("--check") {
            ""
        } else {
            "--out answers.json "
        };
        let error = error_line(&mut place.run(&format!("acvp {out}{arguments}")), 2);
        assert!(error.contains(words), "{arguments}: {error}");
        assert!(!place.at("answers.json").exists(), "{arguments}");
    }
    let usage = place
        .run("acvp --check a --out b prompt.json")
        .assert()
        .code(2);
    usage.stderr(contains("cannot be used with"));
}
