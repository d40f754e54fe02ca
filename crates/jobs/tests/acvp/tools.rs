//! Sets, answers and differences as JSON.

use serde_json::{Value, json};
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_jobs::acvp::{AcvpError, VectorSet, check, respond};
use sunzi_pk::keys::Algorithms;
use sunzi_pk::system_rng;

pub(crate) static ALGORITHMS: LazyLock<Algorithms> =
    LazyLock::new(|| Algorithms::new(&Engine::new(Backend::best()).unwrap()));

pub(crate) fn answer(set: &Value) -> Result<Value, AcvpError> {
    let file = set.to_string();
    let set = VectorSet::from_json(file.as_bytes())?;
    let answers = respond(&ALGORITHMS, &mut system_rng(), &set)?;
    Ok(serde_json::from_str(&answers.to_json()).unwrap())
}

pub(crate) fn differences(set: &Value, expected: &Value) -> Result<Vec<String>, AcvpError> {
    let (set, expected) = (set.to_string(), expected.to_string());
    let set = VectorSet::from_json(set.as_bytes())?;
    let expected = VectorSet::from_json(expected.as_bytes())?;
    let differences = check(&ALGORITHMS, &mut system_rng(), &set, &expected)?;
    Ok(differences.iter().map(ToString::to_string).collect())
}

/// Another value of the same form: the other flag, or bytes of which the last bit differs.
pub(crate) fn flipped(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(flag) => Some(json!(!flag)),
        Value::String(text) if !text.is_empty() => {
            let (start, last) = text.split_at(text.len() - 1);
            let digit = u8::from_str_radix(last, 16).unwrap() ^ 1;
            Some(json!(format!("{start}{digit:X}")))
        }
        _ => None,
    }
}

/// Flips each member of the first answers of each group in turn, at most so many, and asks for a difference at its place.
pub(crate) fn assert_flips_are_found(set: &Value, expected: &Value, name: &str, most: usize) {
    for (g, group) in expected["testGroups"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        for (c, case) in group["tests"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .take(most)
        {
            for (member, value) in case.as_object().unwrap() {
                let Some(flipped) = flipped(value) else {
                    continue;
                };
                let mut wrong = expected.clone();
                wrong["testGroups"][g]["tests"][c][member] = flipped;
                let place = format!("tgId {}, tcId {}: ", group["tgId"], case["tcId"]);
                match differences(set, &wrong) {
                    Ok(found) => {
                        let found = found.iter().any(|line| line.starts_with(&place));
                        assert!(found, "{name}: {place}{member}");
                    }
                    // A changed private key may be none.
                    Err(error) => assert!(error.to_string().starts_with(&place), "{error}"),
                }
            }
        }
    }
}

pub(crate) fn set(algorithm: &str, mode: &str, revision: &str, groups: impl Into<Value>) -> Value {
    let mut set = json!({"vsId": 7, "algorithm": algorithm, "mode": mode, "revision": revision});
    set["testGroups"] = groups.into();
    set
}

/// Cases with messages of several lengths.
pub(crate) fn messages() -> Value {
    let messages = ["", "00", "616263", &"5A".repeat(200)];
    let case = |(id, message)| json!({"tcId": id, "message": message});
    (1..).zip(messages).map(case).collect()
}

/// A group, its cases, and further members.
pub(crate) fn group(id: u32, tests: &Value, members: Value) -> Value {
    let mut group = members;
    group["tgId"] = json!(id);
    group["testType"] = json!("AFT");
    group["tests"] = tests.clone();
    group
}
