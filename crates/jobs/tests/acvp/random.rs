//! Answers that are random: they are verified again.

use crate::tools::{answer, assert_flips_are_found, differences, group, messages, set};
use serde_json::{Value, json};

/// Every set with random answers: what is answered passes the check, and no changed answer does.
#[test]
fn random_answers_are_verified() {
    let (messages, keys) = (messages(), json!([{"tcId": 1}, {"tcId": 2}]));
    let curves = |names: &[&str], tests: &Value, members: Value| -> Value {
        let groups = (1..).zip(names).map(|(id, name)| {
            let mut members = members.clone();
            members["curve"] = json!(name);
            group(id, tests, members)
        });
        groups.collect()
    };
    let weierstrass = ["P-192", "P-224", "P-256", "P-384", "P-521"];
    let edwards = ["ED-25519", "ED-448"];
    let candidates = json!({"secretGenerationMode": "testing candidates"});
    let (sha512, plain) = (json!({"hashAlg": "SHA2-512"}), json!({}));
    let prehashed = json!({"preHash": true});
    let rsa = |id, sig_type: &str, hash: &str, salt: u32| {
        let members =
            json!({"sigType": sig_type, "modulo": 2048, "hashAlg": hash, "saltLen": salt});
        group(id, &messages, members)
    };
    let signatures = json!([
        rsa(1, "pkcs1v1.5", "SHA2-256", 0),
        rsa(2, "pss", "SHA3-512", 64),
        rsa(9, "pss", "SHA2-384", 0)
    ]);
    let safe = |id, name: &str| group(id, &keys, json!({"safePrimeGroup": name}));
    let safe = json!([safe(1, "ffdhe3072"), safe(2, "MODP-3072")]);
    let sets = [
        set(
            "ECDSA",
            "keyGen",
            "FIPS186-5",
            curves(&weierstrass, &keys, candidates),
        ),
        set(
            "ECDSA",
            "sigGen",
            "1.0",
            curves(&weierstrass, &messages, sha512.clone()),
        ),
        set(
            "DetECDSA",
            "sigGen",
            "FIPS186-5",
            curves(&weierstrass, &messages, sha512),
        ),
        set(
            "EDDSA",
            "keyGen",
            "1.0",
            curves(&edwards, &keys, plain.clone()),
        ),
        set("EDDSA", "sigGen", "1.0", curves(&edwards, &messages, plain)),
        set(
            "EDDSA",
            "sigGen",
            "1.0",
            curves(&edwards, &messages, prehashed),
        ),
        set("RSA", "sigGen", "FIPS186-5", signatures),
        set("safePrimes", "keyGen", "1.0", safe),
    ];
    for set in sets {
        let name = format!("{} {}", set["algorithm"], set["mode"]);
        let answers = answer(&set).unwrap();
        assert_eq!(differences(&set, &answers).unwrap(), [""; 0], "{name}");
        assert_flips_are_found(&set, &answers, &name, 1);
    }
}
