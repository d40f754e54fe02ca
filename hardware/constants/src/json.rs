//! Golden vectors as JSON: a list with one case a line.

use serde_json::Value;

/// Residues as hexadecimal strings.
pub(crate) fn hex(residues: &[u128]) -> Value {
    residues.iter().map(|r| format!("{r:x}")).collect()
}

/// A list of cases, one a line.
pub(crate) fn lines(cases: impl IntoIterator<Item = Value>) -> String {
    let lines: Vec<String> = cases.into_iter().map(|case| case.to_string()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}
