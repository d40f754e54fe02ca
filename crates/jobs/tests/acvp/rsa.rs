//! Keys and bare operations of RSA, compared with num-bigint.

use crate::tools::{answer, assert_flips_are_found, differences, group, set};
use num_bigint::BigUint;
use serde_json::{Value, json};

fn number(value: &Value) -> BigUint {
    BigUint::parse_bytes(value.as_str().unwrap().as_bytes(), 16).unwrap()
}

/// New keys of RSA in both forms, their numbers by other arithmetic, and the bare operations with them.
#[test]
fn keys_and_bare_operations_of_rsa() {
    let keys = |id, format: &str, prime_test: &str| {
        let tests = json!([{"tcId": 1}, {"tcId": 2}]);
        let members = json!({
            "infoGeneratedByServer": false, "modulo": 2048, "keyFormat": format, "primeTest": prime_test,
            "randPQ": "probable", "pubExp": "fixed", "fixedPubExp": "010001", "pMod8": 0, "qMod8": 0,
        });
        let mut group = group(id, &tests, members);
        group["testType"] = json!("GDT");
        group
    };
    let groups = json!([keys(1, "standard", "2pow100"), keys(2, "crt", "2powSecStr")]);
    let asked = set("RSA", "keyGen", "FIPS186-5", groups);
    let answers = answer(&asked).unwrap();
    assert_eq!(differences(&asked, &answers).unwrap(), [""; 0]);
    assert_flips_are_found(&asked, &answers, "keyGen", 1);

    let one = BigUint::from(1u32);
    let mut private = Vec::new();
    for group in answers["testGroups"].as_array().unwrap() {
        for key in group["tests"].as_array().unwrap() {
            let [n, e, p, q] = ["n", "e", "p", "q"].map(|name| number(&key[name]));
            assert_eq!((&p * &q, n.bits()), (n, 2048));
            if group["tgId"] == 1 {
                let d = number(&key["d"]);
                assert_eq!(&d * &e % (&p - &one), one);
                assert_eq!(d * e % (q - &one), one);
            } else {
                assert_eq!(number(&key["dmp1"]) * &e % (&p - &one), one);
                assert_eq!(number(&key["dmq1"]) * e % (&q - &one), one);
                assert_eq!(number(&key["iqmp"]) * q % p, one);
            }
            private.push(key.clone());
        }
    }

    for (mode, revision, asked, answered) in [
        ("signaturePrimitive", "2.0", "message", "signature"),
        ("decryptionPrimitive", "Sp800-56Br2", "ct", "pt"),
    ] {
        let mut groups = Vec::new();
        for (id, key) in (1..).zip(&private) {
            let n = number(&key["n"]);
            let numbers = [
                BigUint::ZERO,
                one.clone(),
                BigUint::from(2u32),
                &n >> 1,
                &n - 2u32,
                &n - 1u32,
                n.clone(),
                n + 1u32,
            ];
            let case = |(id, x): (u32, &BigUint)| {
                let mut case = key.clone();
                case["tcId"] = json!(id);
                case[asked] = json!(format!("{x:0512X}"));
                case
            };
            let tests = (1..).zip(&numbers).map(case).collect();
            groups.push(group(id, &tests, json!({"modulo": 2048})));
        }
        let set = set("RSA", mode, revision, json!(groups));
        let answers = answer(&set).unwrap();
        assert_flips_are_found(&set, &answers, mode, 1);
        for (group, answers) in groups.iter().zip(answers["testGroups"].as_array().unwrap()) {
            let passed = answers["tests"]
                .as_array()
                .unwrap()
                .iter()
                .map(|answer| answer["testPassed"] == true);
            let passed: Vec<_> = passed.collect();
            let expected = match mode {
                "signaturePrimitive" => [true, true, true, true, true, true, false, false],
                _ => [false, false, true, true, true, false, false, false],
            };
            assert_eq!(passed, expected, "{mode}");
            let cases = group["tests"].as_array().unwrap().iter();
            for (case, answer) in cases.zip(answers["tests"].as_array().unwrap()) {
                if answer["testPassed"] == true {
                    let [n, e] = ["n", "e"].map(|name| number(&case[name]));
                    let power = number(&answer[answered]).modpow(&e, &n);
                    assert_eq!(power, number(&case[asked]), "{mode}");
                    assert_eq!(answer[answered].as_str().unwrap().len(), 512);
                }
            }
        }
    }
}
