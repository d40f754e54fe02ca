//! Forms of sets, and sets that do not have the same groups.

use crate::tools::{ALGORITHMS, answer, differences, group, set};
use serde_json::json;
use sunzi_jobs::acvp::{AcvpError, VectorSet, respond};
use sunzi_pk::system_rng;

/// The array of version and set is answered in the same form.
#[test]
fn the_form_with_a_version() {
    let groups = json!([group(
        1,
        &json!([{"tcId": 5, "qx": "01", "qy": "02"}]),
        json!({"curve": "P-256"})
    )]);
    let asked = json!([{"acvVersion": "1.0"}, set("ECDSA", "keyVer", "1.0", groups)]);
    let answers = answer(&asked).unwrap();
    assert_eq!(
        answers,
        json!([{"acvVersion": "1.0"}, {"vsId": 7, "algorithm": "ECDSA", "mode": "keyVer", "revision": "1.0",
            "testGroups": [{"tgId": 1, "tests": [{"tcId": 5, "testPassed": false}]}]}])
    );
    assert_eq!(differences(&asked, &answers).unwrap(), [""; 0]);
}

#[test]
fn sets_that_are_none() {
    let read = |file: &str| {
        let set = VectorSet::from_json(file.as_bytes());
        set.and_then(|set| respond(&ALGORITHMS, &mut system_rng(), &set))
            .unwrap_err()
            .to_string()
    };
    for (file, words) in [
        ("", "it is no vector set: malformed, line 1"),
        ("7", "neither an object nor an array"),
        ("[{}]", "its array is not one of two objects"),
        (
            "[{}, {\"testGroups\": []}]",
            "the vector set: acvVersion is missing",
        ),
        (
            "{\"vsId\": 1,\n\"vsId\": 2}",
            "a member occurs twice, line 2",
        ),
        ("{}", "the vector set: testGroups is missing"),
        (
            "{\"testGroups\": {}}",
            "the vector set: testGroups is not a list",
        ),
        (
            "{\"testGroups\": [1]}",
            "testGroups is not a list of objects",
        ),
        (
            "{\"testGroups\": [{\"tests\": []}]}",
            "the vector set: tgId is missing",
        ),
        (
            "{\"testGroups\": [{\"tgId\": 4}]}",
            "tgId 4: tests is missing",
        ),
        (
            "{\"testGroups\": [{\"tgId\": 4, \"tests\": []}, {\"tgId\": 4, \"tests\": []}]}",
            "tgId 4: tgId occurs twice",
        ),
        (
            "{\"testGroups\": []}",
            "the vector set: algorithm is missing",
        ),
        (
            "{\"testGroups\": [], \"algorithm\": \"RSA\", \"mode\": \"sigVer\"}",
            "revision is missing",
        ),
        (
            "{\"testGroups\": [], \"algorithm\": \"ML-DSA\", \"mode\": \"sigVer\", \"revision\": \"FIPS204\"}",
            "ML-DSA sigVer FIPS204 is not among the tests that are answered: RSA sigVer",
        ),
        (
            "{\"testGroups\": [], \"algorithm\": \"EDDSA\", \"mode\": \"keyVer\", \"revision\": \"1.0\"}",
            "vsId is missing",
        ),
    ] {
        let error = read(file);
        assert!(error.contains(words), "{file}: {error}");
    }
    let long = vec![b' '; sunzi_jobs::acvp::MAX_SET_BYTES + 1];
    assert_eq!(
        VectorSet::from_json(&long).unwrap_err(),
        AcvpError::TooLong(long.len())
    );
}

/// Groups and cases that only one of the two sets has.
#[test]
fn other_groups_and_cases() {
    let set = |ids: [u32; 2], cases: [u32; 2]| {
        let tests =
            cases.map(|id| json!({"tcId": id, "qx": "01", "qy": "02", "testPassed": false}));
        set(
            "ECDSA",
            "keyVer",
            "1.0",
            ids.map(|id| group(id, &json!(tests), json!({"curve": "P-256"}))),
        )
    };
    let found = differences(&set([1, 2], [1, 2]), &set([2, 3], [2, 3])).unwrap();
    assert_eq!(
        found,
        [
            "tgId 1: tgId has no expected answer",
            "tgId 2, tcId 1: tcId has no expected answer",
            "tgId 2, tcId 3: tcId is expected, and is not in the vector set",
            "tgId 3: tgId is expected, and is not in the vector set",
        ]
    );
    let asked = set([1, 2], [1, 2]);
    let mut expected = asked.clone();
    expected["testGroups"][1]["tests"][0]["reason"] = json!("none");
    expected["testGroups"][0]["tests"][1]
        .as_object_mut()
        .unwrap()
        .remove("testPassed");
    let found = differences(&asked, &expected).unwrap();
    assert_eq!(
        found,
        [
            "tgId 1, tcId 2: testPassed is answered, and not expected",
            "tgId 2, tcId 1: reason is expected, and not answered",
        ]
    );
}
