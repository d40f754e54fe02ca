//! The report of the hardware cores, which `make hardware` writes.

use serde::Deserialize;
use serde_json::{Map, Value};

/// What a claim needs that is decided by figures of hardware cores.
pub const NEEDS_HARDWARE: &str =
    "it takes the report of the hardware cores, which is not there: `make hardware` makes it";

/// A core with its parameters, as simulated and synthesized.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct HardwareRow {
    /// The name of the core.
    pub core: String,
    /// Its parameters, numbers or texts by name.
    pub parameters: Map<String, Value>,
    /// The number of cycles for one operation.
    pub cycles: Option<f64>,
    /// The number of DSP blocks.
    pub dsp: Option<f64>,
    /// The number of look-up tables.
    pub lut: Option<f64>,
    /// The number of flip-flops.
    pub ff: Option<f64>,
    /// The tool that measured it.
    pub tool: String,
}

/// The report of the hardware cores.
#[derive(Clone, Debug, Default)]
pub struct HardwareReport {
    /// A row for each core and set of parameters.
    pub rows: Vec<HardwareRow>,
}

impl HardwareReport {
    /// The report in this JSON text: an object with `rows`. Rows of another form are left out.
    ///
    /// # Errors
    /// A sentence, if the text is not JSON or has no rows.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let rows = value.get("rows").and_then(Value::as_array);
        let rows = rows.ok_or("it is not an object with a list `rows`")?;
        let row = |row: &Value| HardwareRow::deserialize(row).ok();
        Ok(Self {
            rows: rows.iter().filter_map(row).collect(),
        })
    }

    /// The first row whose core has one of these words in its name.
    pub fn core(&self, words: &[&str]) -> Option<&HardwareRow> {
        self.rows.iter().find(|row| {
            let name = row.core.to_lowercase();
            words.iter().any(|word| name.contains(word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_another_form_are_left_out() {
        let text = r#"{"rows": [
            {"core": "KBE", "parameters": {"n": 16}, "cycles": 98, "dsp": null, "tool": "yosys"},
            {"core": 3}, "words", {"core": "hbe_c2", "cycles": 90, "extra": true}]}"#;
        let report = HardwareReport::read(text).unwrap();
        assert_eq!(report.rows.len(), 2);
        assert_eq!(report.core(&["kbe"]).unwrap().cycles, Some(98.0));
        assert_eq!(report.core(&["hierarchical", "hbe"]).unwrap().dsp, None);
        assert!(report.core(&["sor"]).is_none());
        for bad in ["", "[]", "{}", r#"{"rows": 1}"#] {
            assert!(HardwareReport::read(bad).is_err(), "{bad}");
        }
    }
}
