//! The report as JSON Lines: first an abstract of each paper and the rules of the verdicts, then one object for
//! each claim, table, plot and counterexample.

use crate::claim::{Kind, RULES, Rule, Verdict};
use crate::figures::Measurement;
use crate::paper::{Demonstration, Effort, Paper, PaperReport, Setting};
use crate::plot::Plot;
use crate::table::Table;
use serde::Serialize;

/// The claims with a kind of verdict.
#[derive(Debug, Serialize)]
pub struct Held {
    /// The kind of verdict.
    pub verdict: Kind,
    /// The names of the claims.
    pub claims: Vec<&'static str>,
}

/// A line.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Line<'a> {
    /// The tests of a paper and their results.
    Abstract {
        /// The name of the paper.
        paper: &'static str,
        /// Its title.
        title: &'static str,
        /// The tested part.
        tested: &'static str,
        /// The text that was read, its gaps, and the reconstructed parts.
        text: &'static str,
        /// For each kind of verdict that was given, the claims.
        held: Vec<Held>,
    },
    /// A rule of the verdicts.
    Rule(Rule),
    /// A claim with its figures and its verdict.
    Claim {
        /// The name of the paper.
        paper: &'static str,
        /// The name of the claim.
        claim: &'static str,
        /// The place of the statement in the paper.
        place: &'static str,
        /// The statement.
        statement: &'static str,
        /// The printed figure.
        printed: &'static str,
        /// The verdict.
        #[serde(flatten)]
        verdict: &'a Verdict,
        /// The figures that decide.
        figures: &'a [Measurement],
    },
    /// A table.
    Table {
        /// The name of the paper.
        paper: &'static str,
        /// The processor on which times were measured.
        machine: &'a str,
        /// The effort of the measurement.
        effort: Effort,
        /// The table.
        #[serde(flatten)]
        table: &'a Table,
    },
    /// A plot.
    Plot {
        /// The name of the paper.
        paper: &'static str,
        /// The processor on which times were measured.
        machine: &'a str,
        /// The effort of the measurement.
        effort: Effort,
        /// The plot.
        #[serde(flatten)]
        plot: &'a Plot,
    },
    /// A counterexample.
    Counterexample {
        /// The name of the paper.
        paper: &'static str,
        /// The name of the counterexample.
        counterexample: &'static str,
        /// The place where the paper is wrong or incomplete.
        place: &'static str,
        /// The error, and the correction.
        statement: &'static str,
        /// The command that computes it again.
        command: String,
        /// The computed result.
        #[serde(flatten)]
        demonstration: &'a Demonstration,
    },
}

impl<'a> Line<'a> {
    /// The line of a counterexample of a paper.
    pub fn counterexample(
        paper: &Paper,
        counterexample: &crate::paper::Counterexample,
        demonstration: &'a Demonstration,
    ) -> Self {
        Self::Counterexample {
            paper: paper.name,
            counterexample: counterexample.name,
            place: counterexample.place,
            statement: counterexample.statement,
            command: paper.command(counterexample),
            demonstration,
        }
    }
}

/// The first lines: an abstract for each paper, and the rules.
pub fn abstracts(reports: &[PaperReport]) -> impl Iterator<Item = Line<'_>> {
    let held = |(verdict, claims)| Held { verdict, claims };
    let papers = reports.iter().map(move |report| Line::Abstract {
        paper: report.paper.name,
        title: report.paper.title,
        tested: report.paper.tested,
        text: report.paper.text,
        held: report.held().into_iter().map(held).collect(),
    });
    papers.chain(RULES.map(Line::Rule))
}

/// All other lines of a report.
pub fn lines<'a>(
    report: &'a PaperReport,
    setting: &'a Setting,
) -> impl Iterator<Item = Line<'a>> + 'a {
    let paper = report.paper.name;
    let (machine, effort) = (setting.machine.as_str(), setting.effort);
    let claims = report.findings.iter().map(move |finding| Line::Claim {
        paper,
        claim: finding.claim.name,
        place: finding.claim.place,
        statement: finding.claim.statement,
        printed: finding.claim.printed,
        verdict: &finding.verdict,
        figures: &finding.figures,
    });
    let tables = report.tables.iter().map(move |table| Line::Table {
        paper,
        machine,
        effort,
        table,
    });
    let plots = report.plots.iter().map(move |plot| Line::Plot {
        paper,
        machine,
        effort,
        plot,
    });
    let counterexamples = report.counterexamples.iter();
    let counterexamples = counterexamples
        .map(|(counterexample, found)| Line::counterexample(report.paper, counterexample, found));
    claims.chain(tables).chain(plots).chain(counterexamples)
}
