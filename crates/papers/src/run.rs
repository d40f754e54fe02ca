//! A run over the papers: what is asked for is measured, printed, and written as a page and as plots.

use crate::hardware::HardwareReport;
use crate::lines::{Line, abstracts, lines};
use crate::page::page;
use crate::paper::{Effort, Paper, PaperReport, Setting};
use crate::text::{Abstract, CounterexampleText};
use crate::{PAPERS, PaperError};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// The request of a run.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The name of a paper; `None` for all.
    pub paper: Option<&'a str>,
    /// The effort of measurements.
    pub effort: Effort,
    /// The name of the processor.
    pub machine: &'a str,
    /// The file with the report of the hardware cores; `None` for the one that is built in.
    pub hardware: Option<&'a Path>,
    /// The file that the report goes to as a page.
    pub page: Option<&'a Path>,
    /// The address of the explorer page, to which the page is linked.
    pub explorer: Option<&'a str>,
    /// The folder that each plot goes to as `PAPER-PLOT.svg`, which is made if necessary.
    pub plots: Option<&'a Path>,
    /// The name of a counterexample of the paper, which is then all that is computed.
    pub counterexample: Option<&'a str>,
    /// Whether JSON Lines are printed, instead of text.
    pub json: bool,
}

/// The program around a run: where its output goes, how its files are written, and who watches its progress.
pub trait Host {
    /// The place of the output.
    fn output(&mut self) -> &mut dyn Write;

    /// Writes a page or a plot, and replaces an existing file.
    ///
    /// # Errors
    /// The errors of the file system.
    fn write_file(&mut self, path: &Path, text: &str) -> io::Result<()>;

    /// Called before the measurements, with the number of their steps.
    fn start(&mut self, steps: u64);

    /// Called after each step.
    fn step(&mut self);

    /// Called after the last step.
    fn finish(&mut self);
}

/// The reason why a run ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No paper has this name.
    #[error("there is no paper {0}")]
    NoPaper(String),
    /// No counterexample of the paper has this name.
    #[error("{paper} has no counterexample {name}: it has {known}")]
    NoCounterexample {
        /// The paper.
        paper: &'static str,
        /// The name.
        name: String,
        /// The names of its counterexamples.
        known: String,
    },
    /// A paper could not be measured.
    #[error("{paper}: {error}")]
    Paper {
        /// The paper.
        paper: &'static str,
        /// The reason.
        error: PaperError,
    },
    /// The report of the hardware cores could not be read.
    #[error("cannot read {path}: {reason}")]
    Hardware {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The folder of a file is missing, which is found before minutes of measurements.
    #[error("cannot write {path}: there is no folder {folder}")]
    NoFolder {
        /// The file.
        path: String,
        /// The folder.
        folder: String,
    },
    /// A folder could not be made.
    #[error("cannot make {path}: {error}")]
    Folder {
        /// The folder.
        path: String,
        /// The reason.
        error: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The reason.
        error: io::Error,
    },
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Measures and prints what is asked for, and returns whether the counterexample was confirmed, if one was asked for.
///
/// # Errors
/// [`RunError`].
pub fn run(request: &Request<'_>, host: &mut dyn Host) -> Result<bool, RunError> {
    let chosen = |paper: &&&Paper| request.paper.is_none_or(|name| name == paper.name);
    let papers: Vec<&'static Paper> = PAPERS.iter().filter(chosen).copied().collect();
    let Some(&first) = papers.first() else {
        let name = request.paper.unwrap_or_default();
        return Err(RunError::NoPaper(name.into()));
    };
    if let Some(name) = request.counterexample {
        return counterexample(first, name, request.json, host);
    }
    if let Some(path) = request.page {
        ensure_folder(path)?;
    }
    if let Some(folder) = request.plots {
        std::fs::create_dir_all(folder).map_err(|error| RunError::Folder {
            path: folder.display().to_string(),
            error,
        })?;
    }
    let setting = Setting {
        machine: request.machine.into(),
        effort: request.effort,
        hardware: read_hardware(request.hardware)?,
    };
    let reports = measure(&papers, &setting, host)?;
    print(&reports, &setting, request.json, host.output())?;
    if let Some(path) = request.page {
        write_file(host, path, &page(&reports, &setting, request.explorer))?;
    }
    if let Some(folder) = request.plots {
        for report in &reports {
            for plot in &report.plots {
                let name = format!("{}-{}.svg", report.paper.name, plot.name);
                write_file(host, &folder.join(name), &plot.svg_file())?;
            }
        }
    }
    Ok(true)
}

fn write_file(host: &mut dyn Host, path: &Path, text: &str) -> Result<(), RunError> {
    host.write_file(path, text).map_err(|error| RunError::File {
        path: path.display().to_string(),
        error,
    })
}

/// Refuses a file whose folder is missing.
fn ensure_folder(path: &Path) -> Result<(), RunError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(RunError::NoFolder {
                path: path.display().to_string(),
                folder: folder.display().to_string(),
            })
        }
        _ => Ok(()),
    }
}

/// The report of the hardware cores: this file, or the one that is built in.
fn read_hardware(given: Option<&Path>) -> Result<HardwareReport, RunError> {
    let Some(path) = given else {
        return Ok(HardwareReport::built_in());
    };
    let failure = |reason: String| RunError::Hardware {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    HardwareReport::read(&text).map_err(failure)
}

/// Measures each paper.
fn measure(
    papers: &[&'static Paper],
    setting: &Setting,
    host: &mut dyn Host,
) -> Result<Vec<PaperReport>, RunError> {
    host.start(papers.iter().map(|paper| paper.steps).sum());
    let reports = papers.iter().map(|paper| {
        let report = paper.report(setting, &mut || host.step());
        report.map_err(|error| RunError::Paper {
            paper: paper.name,
            error,
        })
    });
    let reports = reports.collect::<Result<_, _>>()?;
    host.finish();
    Ok(reports)
}

/// Prints the abstract and the reports.
fn print(
    reports: &[PaperReport],
    setting: &Setting,
    json: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    if json {
        let all = reports.iter().flat_map(|report| lines(report, setting));
        for line in abstracts(reports).chain(all) {
            print_json(output, &line)?;
        }
    } else {
        writeln!(output, "{}", Abstract(reports))?;
        for report in reports {
            writeln!(output, "{report}")?;
        }
    }
    output.flush()
}

/// Prints a value as a line of JSON.
fn print_json(output: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    output.write_all(b"\n")
}

/// Computes and prints one counterexample, and returns whether the paper is wrong as it says.
fn counterexample(
    paper: &'static Paper,
    name: &str,
    json: bool,
    host: &mut dyn Host,
) -> Result<bool, RunError> {
    let counterexample = paper.counterexample(name).ok_or_else(|| {
        let all = paper.counterexamples.iter();
        let known: Vec<_> = all.map(|counterexample| counterexample.name).collect();
        RunError::NoCounterexample {
            paper: paper.name,
            name: name.into(),
            known: known.join(", "),
        }
    })?;
    let demonstration = (counterexample.run)();
    let output = host.output();
    if json {
        let line = Line::counterexample(paper, counterexample, &demonstration);
        print_json(output, &line)?;
    } else {
        let text = CounterexampleText {
            paper,
            counterexample,
            demonstration: &demonstration,
        };
        writeln!(output, "{}", text.to_string().trim_end())?;
    }
    output.flush()?;
    Ok(demonstration.confirmed)
}
