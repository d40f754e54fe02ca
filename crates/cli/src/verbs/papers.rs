//! `sunzi papers`: the claims of the papers, with verdicts from what is measured on this machine.

mod explore;

use super::Run;
use crate::failure::{Failure, Outcome, Status};
use crate::io::atomic::{self, Access, Existing};
use crate::io::output::Output;
use crate::io::progress;
use crate::options::CommonOptions;
use crate::processor::processor_name;
use clap::builder::PossibleValuesParser;
use indicatif::ProgressBar;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use sunzi_papers::PAPERS;
use sunzi_papers::paper::Effort;
use sunzi_papers::run::{Host, Request, RunError, run};

/// Check the claims of the papers behind Sunzi, beside what is measured here
///
/// Runs the papers' algorithms and prints, when all of them have run, an abstract of what was tested
/// and what held, the rules of the verdicts, and for each paper the claims that hold, the others, its
/// tables beside the figures of this machine, and counterexamples where it is wrong. Takes some
/// minutes, or less than one with --quick.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this paper
    #[arg(value_name = "PAPER",
          value_parser = PossibleValuesParser::new(PAPERS.map(|paper| paper.name)))]
    paper: Option<String>,
    /// Fewer sizes, samples and repetitions
    #[arg(long)]
    quick: bool,
    /// Also write the report as one HTML page, with plots, that needs no network (an existing file
    /// is replaced)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The explorer page, as a path from the report or an address: the HTML page is linked to its sections
    #[arg(long, value_name = "ADDRESS", requires = "html", value_parser = page_address)]
    explorer: Option<String>,
    /// Also write each plot as PAPER-PLOT.svg into this folder, which is made if necessary (existing
    /// plots are replaced)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Another report of the hardware cores, as `make hardware` writes it, than the one that is built
    /// in
    #[arg(long, value_name = "FILE")]
    hardware: Option<PathBuf>,
    /// Compute only this counterexample of PAPER
    #[arg(long, value_name = "NAME", requires = "paper",
          conflicts_with_all = ["quick", "html", "out"])]
    counterexample: Option<String>,
    /// Write the explorer into this folder, a page to try residue number systems out, which needs no
    /// network; nothing is measured (an existing page is replaced)
    #[arg(long, value_name = "DIR",
          conflicts_with_all = ["paper", "quick", "html", "out", "hardware", "counterexample", "explorer"])]
    explore: Option<PathBuf>,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        if let Some(folder) = &self.explore {
            return explore(folder, common.json);
        }
        let request = Request {
            paper: self.paper.as_deref(),
            effort: if self.quick {
                Effort::Quick
            } else {
                Effort::Full
            },
            machine: &processor_name(),
            hardware: self.hardware.as_deref(),
            page: self.html.as_deref(),
            explorer: self.explorer.as_deref(),
            plots: self.out.as_deref(),
            counterexample: self.counterexample.as_deref(),
            json: common.json,
        };
        let confirmed = run(&request, &mut Terminal::new()).map_err(|error| match error {
            RunError::Output(error) => Failure::Output(error),
            error => Failure::from_error(error),
        })?;
        Ok(Status::from_failures(u64::from(!confirmed)))
    }
}

/// An address that a page may be linked to: a relative path, or one of a web site or a file.
fn page_address(text: &str) -> Result<String, String> {
    let scheme = text
        .split(['/', '?', '#'])
        .next()
        .and_then(|start| start.split_once(':'));
    if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(
            "it is empty, or has blanks in it: a path from the report, or an address".into(),
        );
    }
    match scheme {
        None | Some(("https" | "http" | "file", _)) => Ok(text.into()),
        Some((scheme, _)) => Err(format!(
            "it has the scheme {scheme}: it must be a path from the report, or begin with https:, http: or file:"
        )),
    }
}

/// Standard output, and a progress bar.
struct Terminal {
    output: Output,
    bar: ProgressBar,
}

impl Terminal {
    fn new() -> Self {
        Self {
            output: Output::new(),
            bar: ProgressBar::hidden(),
        }
    }
}

impl Host for Terminal {
    fn output(&mut self) -> &mut dyn Write {
        &mut self.output
    }

    fn write_file(&mut self, path: &Path, text: &str) -> io::Result<()> {
        atomic::write_one(path, text.as_bytes(), Access::Usual, Existing::Replace)
    }

    fn start(&mut self, steps: u64) {
        self.bar = progress::bar(Some(steps), "measuring");
        self.bar.tick();
    }

    fn step(&mut self) {
        self.bar.inc(1);
    }

    fn finish(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Writes the explorer page and prints its path.
fn explore(folder: &Path, json: bool) -> Outcome {
    let page = explore::write(folder)?.display().to_string();
    let mut output = Output::new();
    if json {
        output.json(&serde_json::json!({ "type": "explorer", "page": page }))?;
    } else {
        output.line(&page)?;
    }
    output.flush()?;
    Ok(Status::Done)
}
