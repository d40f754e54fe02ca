//! Tables of figures: cells with their values, and columns with the origin of their figures.

use crate::figures::number;
use crate::timing::Times;
use serde::Serialize;

/// The origin of the figures of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// No figures: a label of the row.
    Label,
    /// As the paper prints them.
    Printed,
    /// Counted here.
    Counted,
    /// Timed here.
    Timed,
    /// Timed or counted before, by a program of its own: a note has the machine and the day.
    Recorded,
    /// Computed from formulas or from other columns.
    Computed,
}

impl Origin {
    /// The word under the heading of a column; empty for labels.
    pub fn word(self) -> &'static str {
        match self {
            Self::Label => "",
            Self::Printed => "printed",
            Self::Counted => "counted",
            Self::Timed => "timed",
            Self::Recorded => "recorded",
            Self::Computed => "computed",
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// The heading, with the unit.
    pub heading: String,
    /// The origin of the figures.
    pub origin: Origin,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The text that is shown.
    pub text: String,
    /// The value, if the cell has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Half the distance between the quartiles of a time, in its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// The number of repetitions of a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repetitions: Option<usize>,
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self {
            text: number(value),
            value: Some(value),
            spread: None,
            repetitions: None,
        }
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::from(value as f64)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::from(value as f64)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self {
            text,
            value: None,
            spread: None,
            repetitions: None,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or_else(|| Self::from("-"), Self::from)
    }
}

impl Cell {
    /// A value with this number of decimal places.
    pub fn decimals(value: f64, places: usize) -> Self {
        Self {
            text: format!("{value:.places$}"),
            ..Self::from(value)
        }
    }

    /// A measured time in a unit of `ns` nanoseconds, with its spread in as many decimal places.
    pub fn time(times: &Times, ns: f64) -> Self {
        let (value, spread) = (times.median_ns / ns, times.spread_ns() / ns);
        let text = number(value);
        let decimals = text
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        Self {
            text: format!("{text} \u{b1} {spread:.decimals$}"),
            value: Some(value),
            spread: Some(spread),
            repetitions: Some(times.repetitions),
        }
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// The name, which is unique in the paper.
    pub name: &'static str,
    /// The caption.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Remarks below the table, among them the conditions of measured times.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: &'static str, caption: impl Into<String>, columns: &[(&str, Origin)]) -> Self {
        let column = |&(heading, origin): &(&str, Origin)| Column {
            heading: heading.to_owned(),
            origin,
        };
        Self {
            name,
            caption: caption.into(),
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a row, which must have a cell for each column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "{}", self.name);
        self.rows.push(cells);
    }

    /// Whether a column has figures, which are set to the right.
    pub fn has_figures(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.any(|cell| cell.value.is_some())
    }

    /// Adds a remark.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}
