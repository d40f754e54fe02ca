//! The report of the hardware cores, which `make hardware` writes.

use crate::figures::{Figures, Source};
use crate::table::{Cell, Origin, Table};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The requirement of a claim that figures of hardware cores decide.
pub const NEEDS_HARDWARE: &str =
    "it takes rows of the report of the hardware cores that are not in the one given";

/// The report of the hardware cores at the time of this build.
const BUILT_IN: &str = include_str!("../../../hardware/report.json");

/// A core with its parameters, as simulated and synthesized.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct HardwareRow {
    /// The name of the core.
    pub core: String,
    /// The name of its configuration.
    pub configuration: String,
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

/// The clock of a core after place and route, for the device that `tool` names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Clock {
    /// The name of the core.
    pub core: String,
    /// The name of its configuration.
    pub configuration: String,
    /// The median over the seeds of the placer, in MHz.
    pub mhz: f64,
    /// The time of an operation in ns, where the number of its cycles is known.
    pub ns: Option<f64>,
    /// The number of multipliers of the device.
    pub dsp: Option<f64>,
    /// The number of look-up tables, with those of the wrapper that stands for the pins.
    pub lut: Option<f64>,
    /// Device and tools.
    pub tool: String,
}

/// The report of the hardware cores.
#[derive(Clone, Debug, Default)]
pub struct HardwareReport {
    /// A row for each core and set of parameters.
    pub rows: Vec<HardwareRow>,
    /// The clocks of those that were placed and routed.
    pub clocks: Vec<Clock>,
}

impl HardwareRow {
    /// The core with its configuration, or with its parameters if that has no name.
    fn name(&self) -> String {
        format!("{} {}", self.core, self.described())
    }

    /// The name of the configuration, or else the parameters.
    fn described(&self) -> String {
        if self.configuration.is_empty() {
            let parameters = self.parameters.iter();
            let parameters = parameters.map(|(name, value)| format!("{name} = {value}"));
            parameters.collect::<Vec<_>>().join(", ")
        } else {
            self.configuration.clone()
        }
    }
}

impl HardwareReport {
    /// The report that is built in, which needs no file.
    pub fn built_in() -> Self {
        Self::read(BUILT_IN).unwrap_or_default()
    }

    /// The report in this JSON text: an object with `rows`. Rows of another form are left out.
    ///
    /// # Errors
    /// A sentence, if the text is not JSON or has no rows.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let rows = value.get("rows").and_then(Value::as_array);
        let rows = rows.ok_or("it is not an object with a list `rows`")?;
        let clocks = value.get("timing").and_then(Value::as_array);
        let row = |row: &Value| HardwareRow::deserialize(row).ok();
        let clock = |clock: &Value| Clock::deserialize(clock).ok();
        Ok(Self {
            rows: rows.iter().filter_map(row).collect(),
            clocks: clocks.into_iter().flatten().filter_map(clock).collect(),
        })
    }

    /// The rows whose names of core or configuration contain this word, as a table; `None` if there are none.
    pub fn table(&self, word: &str) -> Option<Table> {
        let mut table = Table::new(
            "hardware",
            "Our cores, simulated and synthesized",
            &[
                ("core", Origin::Label),
                ("configuration", Origin::Label),
                ("cycles", Origin::Counted),
                ("DSPs", Origin::Counted),
                ("LUTs", Origin::Counted),
                ("flip-flops", Origin::Counted),
            ],
        );
        let rows = self.rows.iter();
        for row in rows.filter(|row| row.name().contains(word)) {
            let mut cells = vec![Cell::from(row.core.as_str()), row.described().into()];
            cells.extend([row.cycles, row.dsp, row.lut, row.ff].map(Cell::from));
            table.row(cells);
        }
        let tools: BTreeSet<&str> = self.rows.iter().map(|row| row.tool.as_str()).collect();
        table.note(format!(
            "From the report of the hardware cores: {}.",
            Vec::from_iter(tools).join("; ")
        ));
        (!table.rows.is_empty()).then_some(table)
    }

    /// The clocks of cores whose names contain this word, as a table; `None` if there are none.
    pub fn clocks(&self, word: &str) -> Option<Table> {
        let mut table = Table::new(
            "clocks",
            "Our cores, placed and routed for another device than the paper's",
            &[
                ("core", Origin::Label),
                ("configuration", Origin::Label),
                ("MHz", Origin::Computed),
                ("ns an operation", Origin::Computed),
                ("multipliers", Origin::Counted),
                ("LUTs", Origin::Counted),
            ],
        );
        let clocks = self.clocks.iter().filter(|clock| clock.core.contains(word));
        for clock in clocks {
            let mut cells = vec![
                clock.core.as_str().into(),
                clock.configuration.as_str().into(),
            ];
            cells.extend([Some(clock.mhz), clock.ns, clock.dsp, clock.lut].map(Cell::from));
            table.row(cells);
        }
        let tools: BTreeSet<&str> = self
            .clocks
            .iter()
            .map(|clock| clock.tool.as_str())
            .collect();
        table.note(format!(
            "Medians of three seeds; {}. Only ratios within this table can be compared with the paper's.",
            Vec::from_iter(tools).join("; ")
        ));
        (!table.rows.is_empty()).then_some(table)
    }

    /// The row of this configuration of a core.
    pub fn configuration(&self, core: &str, configuration: &str) -> Option<&HardwareRow> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.core == core && row.configuration == configuration)
    }

    /// Adds the number of cycles of this configuration of a core, as `cycles of NAME`.
    pub fn add_cycles(&self, figures: &mut Figures, name: &str, core: &str, configuration: &str) {
        let Some(row) = self.configuration(core, configuration) else {
            return;
        };
        if let Some(cycles) = row.cycles {
            let tool = format!("{}, {}", row.name(), row.tool);
            let source = Source::Hardware { tool };
            figures.add(format!("cycles of {name}"), cycles, "", source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_another_form_are_left_out() {
        let text = r#"{"rows": [
            {"core": "KBE", "parameters": {"n": 16}, "cycles": 98, "dsp": null, "tool": "yosys"},
            {"core": 3}, "words",
            {"core": "cox_rower", "configuration": "w24_hbe2", "cycles": 90, "extra": true}],
            "timing": [{"core": "cox_rower", "configuration": "w24_hbe2", "mhz": 80.5, "ns": null}, 7]}"#;
        let report = HardwareReport::read(text).unwrap();
        assert_eq!(report.rows.len(), 2);
        let cycles = |core: &str, configuration: &str| {
            let row = report.configuration(core, configuration);
            row.and_then(|row| row.cycles)
        };
        assert_eq!(cycles("KBE", ""), Some(98.0));
        assert_eq!(cycles("cox_rower", "w24_hbe2"), Some(90.0));
        assert_eq!(cycles("cox_rower", "w24"), None);
        assert_eq!(report.table("hbe").unwrap().rows.len(), 1);
        assert!(report.table("sor").is_none());
        assert_eq!(report.clocks("cox").unwrap().rows.len(), 1);
        assert!(report.clocks("sor").is_none());
        let mut figures = Figures::default();
        report.add_cycles(&mut figures, "the KBE core", "KBE", "");
        assert_eq!(figures.value("cycles of the KBE core"), Some(98.0));
        for bad in ["", "[]", "{}", r#"{"rows": 1}"#] {
            assert!(HardwareReport::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_report_is_built_in() {
        let report = HardwareReport::built_in();
        let points = report.rows.iter().filter(|row| row.core == "cox_rower");
        assert!(points.count() >= 24);
        assert!(report.configuration("inverter", "p256_btmi").is_some());
    }
}
