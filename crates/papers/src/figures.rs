//! Figures that are measured here, each with the data that a reader needs to judge it.

use crate::timing::Times;
use serde::Serialize;
use std::fmt;

/// The source of a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "source", rename_all = "kebab-case")]
pub enum Source {
    /// Counted in a run: the same on every machine.
    Counted {
        /// The counted cases, such as `40,000 random products`.
        over: String,
    },
    /// Timed in a run on this machine.
    Timed {
        /// The processor.
        machine: String,
        /// The code that ran, with its number of threads.
        backend: String,
        /// The number of repetitions, of which the figure is the median.
        repetitions: usize,
        /// Half the distance between the quartiles, in the unit of the figure.
        spread: f64,
    },
    /// Computed from figures that the paper prints.
    FromPrinted,
    /// Measured before, on another machine or at another time, by a program of its own.
    Recorded {
        /// The processor.
        machine: String,
        /// The day, as year-month-day.
        date: String,
        /// The versions of the software that it ran on.
        software: String,
    },
    /// From the report of the hardware cores.
    Hardware {
        /// The tool that measured it.
        tool: String,
    },
}

/// A figure with its unit and source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The name by which claims refer to it.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The unit; empty for plain numbers.
    pub unit: &'static str,
    /// The source.
    #[serde(flatten)]
    pub source: Source,
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, number(self.value))?;
        if !self.unit.is_empty() {
            write!(f, " {}", self.unit)?;
        }
        match &self.source {
            Source::Counted { over } => write!(f, " (counted, {over})"),
            Source::Timed {
                machine,
                backend,
                repetitions,
                spread,
            } => write!(
                f,
                " \u{b1} {} (median of {repetitions}; {backend}; {machine})",
                number(two_digits(*spread))
            ),
            Source::FromPrinted => write!(f, " (computed from the printed figures)"),
            Source::Recorded {
                machine,
                date,
                software,
            } => write!(f, " (recorded {date}; {software}; {machine})"),
            Source::Hardware { tool } => write!(f, " (hardware report, {tool})"),
        }
    }
}

/// The figures of one paper, by name.
#[derive(Clone, Debug, Default)]
pub struct Figures(Vec<Measurement>);

impl Figures {
    /// Adds a number that was counted over something, such as `every pair X, Y < 105`.
    pub fn count(&mut self, name: impl Into<String>, value: f64, over: impl Into<String>) {
        let over = over.into();
        self.add(name, value, "", Source::Counted { over });
    }

    /// Adds a number that follows from printed figures.
    pub fn from_printed(&mut self, name: impl Into<String>, value: f64) {
        self.add(name, value, "", Source::FromPrinted);
    }

    /// Adds the median of a measured time, in nanoseconds.
    pub fn time(&mut self, name: impl Into<String>, times: &Times, clock: &Clock) {
        let source = clock.source(times.repetitions, times.spread_ns());
        self.add(name, times.median_ns, "ns", source);
    }

    /// Adds a figure.
    pub fn add(&mut self, name: impl Into<String>, value: f64, unit: &'static str, source: Source) {
        let name = name.into();
        self.0.push(Measurement {
            name,
            value,
            unit,
            source,
        });
    }

    /// The figure of this name.
    pub fn get(&self, name: &str) -> Option<&Measurement> {
        self.0.iter().find(|figure| figure.name == name)
    }

    /// The value of the figure of this name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.get(name).map(|figure| figure.value)
    }
}

/// The conditions of measured times: the machine, and the code that runs.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The processor.
    pub machine: String,
    /// The code that ran, with its number of threads.
    pub backend: &'static str,
}

impl Clock {
    /// The source of a figure that was timed under these conditions.
    pub fn source(&self, repetitions: usize, spread: f64) -> Source {
        Source::Timed {
            machine: self.machine.clone(),
            backend: self.backend.to_owned(),
            repetitions,
            spread,
        }
    }
}

/// The value rounded to two significant digits, which is enough for a spread.
pub fn two_digits(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10f64.powi(1 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// The text of a number: four significant digits, thousands in groups of three.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() || (size != 0.0 && !(1e-3..1e15).contains(&size)) {
        return format!("{value:.3e}");
    }
    let decimals = if value.fract() == 0.0 {
        0
    } else {
        // 4 digits: 0.1234, 1.234, 12.34, 123.4, 1,234.
        (3 - size.log10().floor() as i32).clamp(0, 6) as usize
    };
    let digits = format!("{size:.decimals$}");
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let mut text = String::from(if value < 0.0 { "-" } else { "" });
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_groups_of_three() {
        for (value, text) in [
            (0.0, "0"),
            (7.0, "7"),
            (0.46789, "0.4679"),
            (12.5, "12.5"),
            (-1234.6, "-1,235"),
            (1_234_567.0, "1,234,567"),
            (4.4942e307, "4.494e307"),
            (0.000_01, "1.000e-5"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
