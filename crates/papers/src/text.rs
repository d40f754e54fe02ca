//! The report for a terminal.

use crate::claim::RULES;
use crate::paper::{Counterexample, Demonstration, Finding, Paper, PaperReport};
use crate::table::{Origin, Table};
use std::fmt;

/// The width of running text, in characters.
const WIDTH: usize = 96;

/// Writes words into lines of at most [`WIDTH`] characters, each after `indent` spaces.
fn wrap(f: &mut fmt::Formatter<'_>, indent: usize, text: &str) -> fmt::Result {
    let mut length = 0;
    for word in text.split_whitespace() {
        let word_length = word.chars().count();
        if length == 0 {
            write!(f, "{:indent$}{word}", "")?;
            length = indent + word_length;
        } else if length + 1 + word_length > WIDTH {
            write!(f, "\n{:indent$}{word}", "")?;
            length = indent + word_length;
        } else {
            write!(f, " {word}")?;
            length += 1 + word_length;
        }
    }
    writeln!(f)
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, 0, &self.caption)?;
        writeln!(f)?;
        let cells = |column: usize| self.rows.iter().map(move |row| row[column].text.as_str());
        let width = |column: usize| {
            let heading = &self.columns[column];
            let texts = [heading.heading.as_str(), heading.origin.word()].into_iter();
            texts
                .chain(cells(column))
                .map(|text| text.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        // Labels and texts stand to the left, figures to the right.
        let line = |f: &mut fmt::Formatter<'_>, texts: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for (column, text) in texts.enumerate() {
                let width = widths[column];
                if column > 0 {
                    line.push_str("  ");
                }
                let spaces = " ".repeat(width - text.chars().count());
                if self.has_figures(column) {
                    line.push_str(&spaces);
                    line.push_str(text);
                } else {
                    line.push_str(text);
                    line.push_str(&spaces);
                }
            }
            writeln!(f, "  {}", line.trim_end())
        };
        line(
            f,
            &mut self.columns.iter().map(|column| column.heading.as_str()),
        )?;
        if self
            .columns
            .iter()
            .any(|column| column.origin != Origin::Label)
        {
            line(
                f,
                &mut self.columns.iter().map(|column| column.origin.word()),
            )?;
        }
        for row in &self.rows {
            line(f, &mut row.iter().map(|cell| cell.text.as_str()))?;
        }
        for note in &self.notes {
            writeln!(f)?;
            wrap(f, 2, note)?;
        }
        Ok(())
    }
}

/// A counterexample with its computed result, and the command that computes it again.
pub struct CounterexampleText<'a> {
    /// The paper.
    pub paper: &'a Paper,
    /// The counterexample.
    pub counterexample: &'a Counterexample,
    /// The computed result.
    pub demonstration: &'a Demonstration,
}

impl fmt::Display for CounterexampleText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counterexample = self.counterexample;
        writeln!(f, "{} ({})", counterexample.name, counterexample.place)?;
        wrap(f, 2, counterexample.statement)?;
        for line in &self.demonstration.lines {
            wrap(f, 4, line)?;
        }
        let result = if self.demonstration.confirmed {
            "confirmed"
        } else {
            "NOT confirmed"
        };
        writeln!(
            f,
            "  {result}; again: {}",
            self.paper.command(counterexample)
        )
    }
}

/// The text before the reports: for each paper the tests and their results, and the rules of the verdicts.
pub struct Abstract<'a>(pub &'a [PaperReport]);

impl fmt::Display for Abstract<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Abstract\n")?;
        for report in self.0 {
            let paper = report.paper;
            wrap(f, 0, &format!("{} ({})", paper.label, paper.authors))?;
            wrap(f, 2, &format!("Tested: {}", paper.tested))?;
            wrap(f, 2, paper.text)?;
            wrap(f, 2, &format!("{} claims:", report.findings.len()))?;
            for (kind, names) in report.held() {
                let count = names.len();
                wrap(f, 4, &format!("{kind} ({count}): {}", names.join(", ")))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "How the verdicts are given\n")?;
        for rule in RULES {
            wrap(f, 2, &format!("{}: {}", rule.about, rule.text))?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = self.claim;
        writeln!(
            f,
            "[{}] {} ({})",
            self.verdict.kind(),
            claim.name,
            claim.place
        )?;
        wrap(f, 2, claim.statement)?;
        if !claim.printed.is_empty() {
            wrap(f, 4, &format!("printed: {}", claim.printed))?;
        }
        for figure in &self.figures {
            wrap(f, 4, &figure.to_string())?;
        }
        let explanation = self.verdict.explanation();
        if !explanation.is_empty() {
            wrap(f, 4, &format!("{}: {explanation}", self.verdict.kind()))?;
        }
        Ok(())
    }
}

impl fmt::Display for PaperReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paper = self.paper;
        writeln!(f, "{}", paper.title)?;
        writeln!(f, "{}. {}\n", paper.authors, paper.published)?;
        for (heading, findings) in self.parts() {
            if findings.is_empty() {
                continue;
            }
            writeln!(f, "{heading}\n")?;
            for finding in findings {
                writeln!(f, "{finding}")?;
            }
        }
        for table in &self.tables {
            writeln!(f, "{table}")?;
        }
        if !self.counterexamples.is_empty() {
            writeln!(f, "Counterexamples\n")?;
        }
        for (counterexample, demonstration) in &self.counterexamples {
            let text = CounterexampleText {
                paper,
                counterexample,
                demonstration,
            };
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}
