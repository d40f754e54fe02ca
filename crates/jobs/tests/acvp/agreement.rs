//! Shared secrets: both sides have the same.

use crate::tools::{answer, differences, flipped, group, set};
use serde_json::{Value, json};

/// Shared secrets of every scheme: with two sets, each side computes the other's, and a wrong secret or key is found.
#[test]
fn both_sides_share_secrets() {
    let schemes = [
        "ephemeralUnified",
        "fullUnified",
        "onePassUnified",
        "onePassDh",
        "staticUnified",
    ];
    let keys = set(
        "ECDSA",
        "keyGen",
        "1.0",
        json!([group(
            1,
            &json!([{"tcId": 1}, {"tcId": 2}]),
            json!({"curve": "P-256", "secretGenerationMode": "testing candidates"})
        )]),
    );
    let keys = answer(&keys).unwrap();
    let server = &keys["testGroups"][0]["tests"];
    for scheme in schemes {
        for (role, other) in [("initiator", "responder"), ("responder", "initiator")] {
            let mut case = json!({"tcId": 1});
            for (kind, key) in [("static", &server[0]), ("ephemeral", &server[1])] {
                case[format!("{kind}PublicServerX")] = key["qx"].clone();
                case[format!("{kind}PublicServerY")] = key["qy"].clone();
            }
            let members = |role: &str| json!({"domainParameterGenerationMode": "P-256", "scheme": scheme, "kasRole": role, "hashFunctionZ": "none"});
            let asked = json!({"vsId": 1, "algorithm": "KAS-ECC-SSC", "revision": "Sp800-56Ar3", "testGroups": [group(1, &json!([case]), members(role))]});
            let answers = answer(&asked).unwrap();
            let error = differences(&asked, &answers).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("can be compared only if the file has the keys"),
                "{error}"
            );
            let ours = &answers["testGroups"][0]["tests"][0];

            // The other side, with its private keys, validates our secret.
            let mut mirrored = json!({"tcId": 1, "z": ours["z"]});
            for (kind, key) in [("static", &server[0]), ("ephemeral", &server[1])] {
                mirrored[format!("{kind}PrivateIut")] = key["d"].clone();
                mirrored[format!("{kind}PublicIutX")] = key["qx"].clone();
                mirrored[format!("{kind}PublicIutY")] = key["qy"].clone();
                for axis in ["X", "Y"] {
                    let public = ours.get(format!("{kind}PublicIut{axis}"));
                    mirrored[format!("{kind}PublicServer{axis}")] =
                        public.cloned().unwrap_or_default();
                }
            }
            let validate = |case: &Value| {
                let mut group = group(1, &json!([case]), members(other));
                group["testType"] = json!("VAL");
                let set = json!({"vsId": 1, "algorithm": "KAS-ECC-SSC", "revision": "Sp800-56Ar3", "testGroups": [group]});
                answer(&set).unwrap()["testGroups"][0]["tests"][0]["testPassed"].clone()
            };
            assert_eq!(validate(&mirrored), true, "{scheme}, {role}");
            let mut wrong = mirrored.clone();
            wrong["z"] = flipped(&wrong["z"]).unwrap();
            assert_eq!(validate(&wrong), false);
            let kind = if ours.get("staticPublicIutX").is_some() {
                "static"
            } else {
                "ephemeral"
            };
            let name = format!("{kind}PublicServerX");
            let mut wrong = mirrored.clone();
            wrong[&name] = flipped(&wrong[&name]).unwrap();
            assert_eq!(validate(&wrong), false, "{scheme}, {role}");
        }
    }
}
