//! A paper with its claims, and the findings of a run about them.

use crate::PaperError;
use crate::claim::{Claim, Kind, Verdict};
use crate::figures::{Figures, Measurement};
use crate::hardware::HardwareReport;
use crate::plot::Plot;
use crate::table::Table;
use serde::Serialize;

/// The effort of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// The effort of the papers: some minutes.
    Full,
    /// Fewer sizes, samples and repetitions: less than a minute. Each table says what is left out.
    Quick,
    /// The smallest effort that yields every figure, for tests of the report.
    Least,
}

impl Effort {
    /// The number of samples for each effort.
    pub fn of<T>(self, full: T, quick: T, least: T) -> T {
        match self {
            Self::Full => full,
            Self::Quick => quick,
            Self::Least => least,
        }
    }
}

/// The conditions of a run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name of the processor.
    pub machine: String,
    /// The effort.
    pub effort: Effort,
    /// The report of the hardware cores.
    pub hardware: HardwareReport,
}

/// The results of a paper's run.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The figures that decide the claims.
    pub figures: Figures,
    /// The paper's tables, and further ones.
    pub tables: Vec<Table>,
    /// The paper's plots.
    pub plots: Vec<Plot>,
}

/// A case in which the algorithm or the text fails as printed.
#[derive(Clone, Copy, Debug)]
pub struct Counterexample {
    /// The name, which is unique in the paper.
    pub name: &'static str,
    /// The place where the paper is wrong or incomplete.
    pub place: &'static str,
    /// The error, and the correction.
    pub statement: &'static str,
    /// The function that computes it.
    pub run: fn() -> Demonstration,
}

/// A counterexample as it was computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Demonstration {
    /// Inputs, the result as printed, and the right result, a line for each.
    pub lines: Vec<String>,
    /// Whether the result as printed is wrong, as the counterexample says.
    pub confirmed: bool,
}

/// A paper: its claims, and the code that measures it.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// The name in commands and file names.
    pub name: &'static str,
    /// A short title.
    pub label: &'static str,
    /// The title.
    pub title: &'static str,
    /// The authors.
    pub authors: &'static str,
    /// The place and year of its publication.
    pub published: &'static str,
    /// The tested part, for the abstract.
    pub tested: &'static str,
    /// The text that was read, its gaps, and the reconstructed parts.
    pub text: &'static str,
    /// The sections of the explorer page that show its algorithms: their identifiers, and what they show.
    pub explorer: &'static [(&'static str, &'static str)],
    /// Its claims.
    pub claims: &'static [Claim],
    /// Its counterexamples.
    pub counterexamples: &'static [Counterexample],
    /// The number of steps in which `measure` reports its progress.
    pub steps: u64,
    /// Measures everything; calls its argument after each step.
    pub measure: fn(&Setting, &mut dyn FnMut()) -> Result<Measured, PaperError>,
}

/// A claim with the figures that decide it, and the verdict.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim.
    pub claim: &'static Claim,
    /// The figures, as far as they were measured.
    pub figures: Vec<Measurement>,
    /// The verdict.
    pub verdict: Verdict,
}

/// All findings of a run about a paper.
#[derive(Clone, Debug)]
pub struct PaperReport {
    /// The paper.
    pub paper: &'static Paper,
    /// Its claims with verdicts, sorted by kind of verdict, the kinds that hold first, and then in the paper's order.
    pub findings: Vec<Finding>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its plots.
    pub plots: Vec<Plot>,
    /// Its counterexamples, computed.
    pub counterexamples: Vec<(&'static Counterexample, Demonstration)>,
}

impl Paper {
    /// The counterexample of this name.
    pub fn counterexample(&self, name: &str) -> Option<&'static Counterexample> {
        let mut all = self.counterexamples.iter();
        all.find(|counterexample| counterexample.name == name)
    }

    /// The command that computes a counterexample again.
    pub fn command(&self, counterexample: &Counterexample) -> String {
        format!(
            "sunzi papers {} --counterexample {}",
            self.name, counterexample.name
        )
    }

    /// Measures everything, and judges the claims. `step` is called [`Paper::steps`] times.
    ///
    /// # Errors
    /// [`PaperError`] if something cannot be computed or drawn.
    pub fn report(
        &'static self,
        setting: &Setting,
        step: &mut dyn FnMut(),
    ) -> Result<PaperReport, PaperError> {
        let measured = (self.measure)(setting, step)?;
        let finding = |claim: &'static Claim| Finding {
            claim,
            figures: (claim.figures.iter())
                .filter_map(|name| measured.figures.get(name).cloned())
                .collect(),
            verdict: claim.verdict(&measured.figures),
        };
        let counterexample =
            |counterexample: &'static Counterexample| (counterexample, (counterexample.run)());
        let mut findings: Vec<Finding> = self.claims.iter().map(finding).collect();
        findings.sort_by_key(|finding| finding.verdict.kind());
        Ok(PaperReport {
            paper: self,
            findings,
            tables: measured.tables,
            plots: measured.plots,
            counterexamples: self.counterexamples.iter().map(counterexample).collect(),
        })
    }
}

impl PaperReport {
    /// The number of verdicts of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.of_kind(kind).count()
    }

    /// The findings with a verdict of this kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(move |finding| finding.verdict.kind() == kind)
    }

    /// The findings in two parts: the claims that hold, with or without a condition or as they were intended, and the
    /// rest.
    pub fn parts(&self) -> [(&'static str, &[Finding]); 2] {
        let right = self
            .findings
            .partition_point(|finding| finding.verdict.kind().is_right());
        let (holds, rest) = self.findings.split_at(right);
        [("What holds", holds), ("The rest", rest)]
    }

    /// The results: for each kind of verdict that was given, the names of the claims.
    pub fn held(&self) -> Vec<(Kind, Vec<&'static str>)> {
        let names = |kind| {
            self.of_kind(kind)
                .map(|finding| finding.claim.name)
                .collect()
        };
        let held = Kind::ALL.map(|kind| (kind, names(kind)));
        held.into_iter()
            .filter(|(_, names): &(_, Vec<_>)| !names.is_empty())
            .collect()
    }
}
