//! NIST's older vectors (CAVP) and those of RFC 8032, in the form of ACVP's sets.

use crate::tools::{answer, assert_flips_are_found, differences, set};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A file of the tests of `sunzi-pk`.
fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pk/tests/fixtures");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// A number in whole bytes, as sets have them.
fn whole(digits: &str) -> String {
    format!("{}{digits}", "0".repeat(digits.len() % 2))
}

/// Groups with these members, each with its cases and what is expected of them.
#[derive(Default)]
struct Groups {
    cases: usize,
    groups: Vec<(Value, Vec<[Value; 2]>)>,
}

impl Groups {
    /// Adds a case to the group with these members.
    fn push(&mut self, members: Value, mut case: Value, mut expected: Value) {
        self.cases += 1;
        for part in [&mut case, &mut expected] {
            part["tcId"] = json!(self.cases);
        }
        match self.groups.iter_mut().find(|group| group.0 == members) {
            Some(group) => group.1.push([case, expected]),
            None => self.groups.push((members, vec![[case, expected]])),
        }
    }

    /// The set, and the answers that are expected.
    fn sets(self, algorithm: &str, mode: &str, revision: &str) -> [Value; 2] {
        let groups = (1..).zip(self.groups).map(|(id, (mut members, cases))| {
            let (cases, expected): (Vec<_>, Vec<_>) = cases
                .into_iter()
                .map(|[case, answer]| (case, answer))
                .unzip();
            members["tgId"] = json!(id);
            members["testType"] = json!("AFT");
            members["tests"] = cases.into();
            (members, json!({"tgId": id, "tests": expected}))
        });
        let (groups, expected): (Vec<_>, Vec<_>) = groups.unzip();
        [groups, expected].map(|groups| set(algorithm, mode, revision, groups))
    }
}

/// The answers are those that are expected, and each changed one is found.
fn assert_answers([set, expected]: &[Value; 2], name: &str) {
    assert_eq!(differences(set, expected).unwrap(), [""; 0], "{name}");
    assert_flips_are_found(set, expected, name, 2);
    let answers = answer(set).unwrap();
    for member in ["vsId", "algorithm", "mode", "revision"] {
        assert_eq!(answers[member], set[member], "{name}");
    }
}

#[test]
fn points_and_signatures_of_cavp() {
    let (mut points, mut signatures) = (Groups::default(), Groups::default());
    let text = fixture("cavp_ecdsa.txt");
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["point", curve, qx, qy, result] => points.push(
                json!({"curve": curve}),
                json!({"qx": whole(qx), "qy": whole(qy)}),
                json!({"testPassed": result == "P"}),
            ),
            ["verify", curve, hash, digest, qx, qy, r, s, result] => signatures.push(
                json!({"curve": curve, "hashAlg": hash.replace("SHA-", "SHA2-"), "componentTest": true}),
                json!({"message": digest, "qx": whole(qx), "qy": whole(qy), "r": whole(r), "s": whole(s)}),
                json!({"testPassed": result == "P"}),
            ),
            _ => {}
        }
    }
    assert_eq!((points.cases, signatures.cases), (60, 300));
    assert_answers(&points.sets("ECDSA", "keyVer", "1.0"), "keyVer");
    assert_answers(&signatures.sets("ECDSA", "sigVer", "1.0"), "sigVer");
}

/// Answers to another set are never equal, whatever their cases.
#[test]
fn answers_to_another_set() {
    let mut points = Groups::default();
    let case = json!({"qx": "00", "qy": "00"});
    points.push(
        json!({"curve": "P-256"}),
        case,
        json!({"testPassed": false}),
    );
    let [set, mut expected] = points.sets("ECDSA", "keyVer", "1.0");
    assert_eq!(differences(&set, &expected).unwrap(), [""; 0]);
    for (member, other) in [("vsId", json!(8)), ("mode", json!("sigVer"))] {
        let right = expected[member].clone();
        expected[member] = other;
        let found = differences(&set, &expected).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("the vector set: {member} ")));
        expected[member] = right;
    }
}

#[test]
fn signatures_of_rfc_8032() {
    let (mut made, mut verified) = (Groups::default(), Groups::default());
    let mut publics = BTreeMap::new();
    let vectors: Vec<BTreeMap<String, String>> =
        serde_json::from_str(&fixture("rfc8032.json")).unwrap();
    for vector in &vectors {
        let (curve, pre_hash) = match &vector["algorithm"][..] {
            "Ed25519" => ("ED-25519", false),
            "Ed25519ph" => ("ED-25519", true),
            "Ed448" => ("ED-448", false),
            "Ed448ph" => ("ED-448", true),
            // FIPS 186-5 does not have it.
            "Ed25519ctx" => continue,
            other => panic!("{other}"),
        };
        let [d, q, message, context, signature] =
            ["private", "public", "message", "context", "signature"].map(|name| &vector[name]);
        let mut case = json!({"message": message});
        if !context.is_empty() {
            case["context"] = json!(context);
        }
        let members = json!({"curve": curve, "preHash": pre_hash, "d": d});
        publics.insert(d, q);
        made.push(members, case.clone(), json!({"signature": signature}));
        case["q"] = json!(q);
        case["signature"] = json!(signature);
        let members = json!({"curve": curve, "preHash": pre_hash});
        verified.push(members, case, json!({"testPassed": true}));
    }
    assert!(made.cases >= 15, "{}", made.cases);
    let mut made = made.sets("EDDSA", "sigGen", "1.0");
    for k in 0..made[0]["testGroups"].as_array().unwrap().len() {
        let d = made[0]["testGroups"][k]["d"].as_str().unwrap().to_owned();
        made[1]["testGroups"][k]["q"] = json!(publics[&d]);
    }
    assert_answers(&made, "sigGen");
    assert_answers(&verified.sets("EDDSA", "sigVer", "1.0"), "sigVer");
}
