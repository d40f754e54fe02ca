//! The views of the explorer page, compared with plain integers of another library.

mod cube;
mod extension;
mod hostile;
mod inversion;
mod network;
mod product;
mod prose;
mod residues;
mod sum;

use num_bigint::BigUint;
use serde_json::Value;

/// The view, as the page gets it.
fn view(name: &str, fields: &[(&str, &str)]) -> Value {
    part(name, fields, "view")
}

/// The refused input and the message.
fn refused(name: &str, fields: &[(&str, &str)]) -> (String, String) {
    let refused = part(name, fields, "refused");
    (text(&refused["input"]), text(&refused["message"]))
}

fn part(name: &str, fields: &[(&str, &str)], part: &str) -> Value {
    let answer = answer(name, fields);
    assert!(!answer[part].is_null(), "{name} {fields:?}: {answer}");
    answer[part].clone()
}

fn answer(name: &str, fields: &[(&str, &str)]) -> Value {
    let fields: serde_json::Map<String, Value> = fields
        .iter()
        .map(|&(name, value)| (name.into(), value.into()))
        .collect();
    let answer = sunzi_explorer::view(name, &Value::Object(fields).to_string());
    serde_json::from_str(&answer).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().into()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(text).collect()
}

fn number(value: &Value) -> BigUint {
    value.as_str().unwrap().parse().unwrap()
}

fn numbers(value: &Value) -> Vec<BigUint> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// The values of a key in a list of objects.
fn column(list: &Value, key: &str) -> Value {
    let rows = list.as_array().unwrap().iter();
    Value::Array(rows.map(|row| row[key].clone()).collect())
}
