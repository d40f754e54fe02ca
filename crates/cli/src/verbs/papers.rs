//! `sunzi papers`: the claims of the papers, with verdicts from what is measured on this machine.

mod explore;

use super::Run;
use crate::bench::processor_name;
use crate::failure::{Failure, Outcome, Status};
use crate::io::output::Output;
use crate::io::{files, progress};
use crate::options::CommonOptions;
use clap::builder::PossibleValuesParser;
use std::path::{Path, PathBuf};
use sunzi_papers::hardware::HardwareReport;
use sunzi_papers::lines::{Line, abstracts, lines};
use sunzi_papers::paper::{Effort, Paper, PaperReport, Setting};
use sunzi_papers::text::{Abstract, CounterexampleText};
use sunzi_papers::{PAPERS, page};

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
          conflicts_with_all = ["paper", "quick", "html", "out", "hardware", "counterexample"])]
    explore: Option<PathBuf>,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        if let Some(folder) = &self.explore {
            return explore(folder, common.json);
        }
        let chosen = |paper: &&&Paper| self.paper.as_ref().is_none_or(|name| name == paper.name);
        let papers: Vec<&'static Paper> = PAPERS.iter().filter(chosen).copied().collect();
        if let Some(name) = &self.counterexample {
            return counterexample(papers[0], name, common.json);
        }
        if let Some(path) = &self.html {
            ensure_folder(path)?;
        }
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder).map_err(|error| {
                Failure::new(format!("cannot make {}: {error}", folder.display()))
            })?;
        }
        let setting = Setting {
            machine: processor_name(),
            effort: if self.quick {
                Effort::Quick
            } else {
                Effort::Full
            },
            hardware: read_hardware(self.hardware.as_deref())?,
        };
        let reports = report(&papers, &setting, common.json)?;
        if let Some(path) = &self.html {
            files::write_document(path, &page::page(&reports, &setting))?;
        }
        if let Some(folder) = &self.out {
            for report in &reports {
                for plot in &report.plots {
                    let name = format!("{}-{}.svg", report.paper.name, plot.name);
                    files::write_document(&folder.join(name), &plot.svg_file())?;
                }
            }
        }
        Ok(Status::Done)
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

/// Refuses a file whose folder is missing, before minutes of measurements.
fn ensure_folder(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Failure::new(format!(
                "cannot write {}: there is no folder {}",
                path.display(),
                folder.display()
            )))
        }
        _ => Ok(()),
    }
}

/// Measures each paper, then prints the abstract and the reports.
fn report(
    papers: &[&'static Paper],
    setting: &Setting,
    json: bool,
) -> Result<Vec<PaperReport>, Failure> {
    let mut output = Output::new();
    let steps = papers.iter().map(|paper| paper.steps).sum();
    let bar = progress::bar(Some(steps), "measuring");
    bar.tick();
    let mut reports = Vec::with_capacity(papers.len());
    for paper in papers {
        let report = paper
            .report(setting, &mut || bar.inc(1))
            .map_err(|error| Failure::new(format!("{}: {error}", paper.name)))?;
        reports.push(report);
    }
    bar.finish_and_clear();
    if json {
        let all = reports.iter().flat_map(|report| lines(report, setting));
        for line in abstracts(&reports).chain(all) {
            output.json(&line)?;
        }
    } else {
        output.line(Abstract(&reports))?;
        for report in &reports {
            output.line(report)?;
        }
    }
    output.flush()?;
    Ok(reports)
}

/// Computes one counterexample. It fails if the paper is right after all.
fn counterexample(paper: &Paper, name: &str, json: bool) -> Outcome {
    let counterexample = paper.counterexample(name).ok_or_else(|| {
        let names = paper
            .counterexamples
            .iter()
            .map(|counterexample| counterexample.name);
        let names = names.collect::<Vec<_>>().join(", ");
        Failure::new(format!(
            "{} has no counterexample {name}: it has {names}",
            paper.name
        ))
    })?;
    let demonstration = (counterexample.run)();
    let mut output = Output::new();
    if json {
        output.json(&Line::counterexample(paper, counterexample, &demonstration))?;
    } else {
        let text = CounterexampleText {
            paper,
            counterexample,
            demonstration: &demonstration,
        };
        output.line(text.to_string().trim_end())?;
    }
    output.flush()?;
    Ok(Status::from_failures(u64::from(!demonstration.confirmed)))
}

/// The report of the hardware cores: this file, or the one that is built in.
fn read_hardware(given: Option<&Path>) -> Result<HardwareReport, Failure> {
    let Some(path) = given else {
        return Ok(HardwareReport::built_in());
    };
    let failure = |error: String| Failure::new(format!("cannot read {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    HardwareReport::read(&text).map_err(failure)
}
