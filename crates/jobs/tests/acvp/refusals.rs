//! What cannot be answered is refused with its group and member, also behind groups that can.

use crate::tools::{answer, group, set};
use serde_json::{Value, json};
use sunzi_jobs::acvp::{AcvpError, Defect, Place};

/// The object with these members in place of its own.
fn with(object: &Value, changes: &Value) -> Value {
    let mut changed = object.clone();
    for (name, value) in changes.as_object().unwrap() {
        changed[name] = value.clone();
    }
    changed
}

/// The error of a set whose second group, or the second case of it, has these members.
fn refused(members: &Value, case: &Value) -> AcvpError {
    let right_group = json!({"curve": "P-256", "hashAlg": "SHA2-256"});
    let right = json!({"tcId": 1, "message": "61", "qx": "00", "qy": "00", "r": "01", "s": "01"});
    let other = with(&right, &json!({"tcId": 2}));
    let first = group(1, &json!([right]), right_group.clone());
    let cases = json!([right, with(&other, case)]);
    let second = group(2, &cases, with(&right_group, members));
    answer(&set("ECDSA", "sigVer", "1.0", json!([first, second]))).unwrap_err()
}

#[test]
fn groups_that_ask_for_what_is_not_here() {
    let same = json!({});
    for (members, words) in [
        (
            json!({"curve": "B-233"}),
            "tgId 2: curve is \"B-233\", which is not supported; P-192,",
        ),
        (json!({"curve": "p-256"}), "tgId 2: curve is \"p-256\""),
        (json!({"curve": 1}), "tgId 2: curve is not a text"),
        (
            json!({"hashAlg": "SHA-1"}),
            "tgId 2: hashAlg is \"SHA-1\", which is not supported",
        ),
        (
            json!({"hashAlg": "SHAKE-128"}),
            "tgId 2: hashAlg is \"SHAKE-128\"",
        ),
        (
            json!({"conformance": "SP800-106"}),
            "tgId 2: conformance is \"SP800-106\"",
        ),
        (
            json!({"componentTest": 1}),
            "tgId 2: componentTest is not true or false",
        ),
        (
            json!({"componentTest": true}),
            "tgId 2, tcId 1: message is refused: a sha256 digest has",
        ),
    ] {
        let error = refused(&members, &same).to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn cases_with_a_defect() {
    let same = json!({});
    for (case, words) in [
        (
            json!({"r": "0"}),
            "tgId 2, tcId 2: r is not hexadecimal digits, two a byte",
        ),
        (
            json!({"s": "0g"}),
            "tgId 2, tcId 2: s is not hexadecimal digits",
        ),
        (
            json!({"message": null}),
            "tgId 2, tcId 2: message is not a text",
        ),
        (json!({"tcId": 1}), "tgId 2, tcId 1: tcId occurs twice"),
        (json!({"tcId": 1.5}), "tgId 2: tcId is not a natural number"),
        (json!({"tcId": -1}), "tgId 2: tcId is not a natural number"),
    ] {
        let error = refused(&same, &case).to_string();
        assert!(error.starts_with(words), "{error}");
    }

    let missing = json!([group(5, &json!([{"tcId": 9}]), json!({"curve": "P-256"}))]);
    let place = Place {
        group: Some(5),
        case: Some(9),
    };
    let error = AcvpError::Member {
        place,
        member: "qx",
        defect: Defect::Missing,
    };
    assert_eq!(answer(&set("ECDSA", "keyVer", "1.0", missing)), Err(error));
}

/// The error of a set of RSA with one group and one case.
fn refused_rsa(mode: &str, members: Value, case: &Value) -> String {
    let group = group(3, &json!([case]), members);
    let set = set("RSA", mode, "FIPS186-5", json!([group]));
    answer(&set).unwrap_err().to_string()
}

#[test]
fn groups_of_rsa() {
    let n = format!("{}01", "C5".repeat(255));
    let members = json!({
        "sigType": "pss", "modulo": 2048, "hashAlg": "SHA2-256", "saltLen": 32, "maskFunction": "mgf1",
        "n": n, "e": "010001",
    });
    let case = json!({"tcId": 1, "message": "", "signature": ""});
    for (changes, words) in [
        (json!({"sigType": "ansx9.31"}), "sigType is \"ansx9.31\""),
        (
            json!({"maskFunction": "shake-128"}),
            "maskFunction is \"shake-128\"",
        ),
        (
            json!({"saltLen": 33}),
            "saltLen is refused: a salt has at most the 32 bytes",
        ),
        (
            json!({"e": "0D47FB41DBF86B"}),
            "e is \"0D47FB41DBF86B\", which is not supported; 3 to",
        ),
        (json!({"e": "01"}), "e is \"01\""),
        (json!({"n": ""}), "n is refused: the modulus has 0 bits"),
        (
            json!({"n": "C5".repeat(128)}),
            "n is refused: it has 1024 bits",
        ),
        (
            json!({"n": format!("{n}00")}),
            "n is refused: the modulus is even",
        ),
        (
            json!({"n": "C5".repeat(1025)}),
            "n is refused: it has more than 8192 bits",
        ),
        (json!({"modulo": 3072}), "n is refused: it has 2048 bits"),
    ] {
        let error = refused_rsa("sigVer", with(&members, &changes), &case);
        assert!(error.starts_with(&format!("tgId 3: {words}")), "{error}");
    }
    let error = refused_rsa("sigGen", with(&members, &json!({"modulo": 1024})), &case);
    assert!(error.starts_with("tgId 3: modulo is refused: "), "{error}");
    let error = refused_rsa("keyGen", json!({"keyFormat": "crt", "modulo": 2048}), &case);
    assert_eq!(
        error,
        "tgId 3: testType is \"AFT\", which is not supported; GDT can be answered"
    );
}
