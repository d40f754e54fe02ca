//! What was measured, in a table or in JSON Lines, and for the plot.

use super::Keys;
use super::job::Job;
use super::plot;
use super::turns::Figures;
use crate::explain::write_svg;
use crate::failure::Failure;
use crate::output::Output;
use crate::peer;
use crate::progress;
use core::fmt;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::path::Path;
use sunzi_engine::Backend;

/// What is the same in all rows.
pub(super) struct Machine {
    pub(super) cpu: String,
    pub(super) threads: usize,
    keys: Keys,
    seconds: f64,
}

impl Machine {
    pub(super) fn here(threads: usize, keys: Keys, seconds: f64) -> Self {
        Self {
            cpu: processor(),
            threads,
            keys,
            seconds,
        }
    }
}

/// A progress bar over jobs and batch sizes.
fn bar(cells: u64) -> ProgressBar {
    let bar = progress::bar(Some(cells), "measuring");
    match ProgressStyle::with_template("{msg:26} [{bar:30}] {pos}/{len}  {elapsed}, {eta} left") {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// The processor's name, where the system tells it.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    String::from(name)
}

/// A job at a batch size: backends, then peers.
pub(super) struct Cell {
    pub(super) job: Job,
    pub(super) batch: usize,
    pub(super) backends: Vec<(String, Figures)>,
    pub(super) peers: Vec<(String, Figures)>,
}

/// A line of JSON: a backend and a peer at a job. Times are of one operation.
#[derive(Debug, Serialize)]
struct Row<'a> {
    job: String,
    backend: &'a str,
    batch: usize,
    keys: Keys,
    threads: usize,
    /// By the median burst.
    ops_per_s: f64,
    /// By the best burst.
    best_ops_per_s: f64,
    median_us: f64,
    best_us: f64,
    bursts: usize,
    /// Of modular products only.
    #[serde(skip_serializing_if = "Option::is_none")]
    ns_per_product: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_ns_per_product: Option<f64>,
    peer: Option<&'a str>,
    peer_ops_per_s: Option<f64>,
    peer_best_ops_per_s: Option<f64>,
    peer_median_us: Option<f64>,
    peer_best_us: Option<f64>,
    peer_bursts: Option<usize>,
    /// Our speed over the peer's, by medians.
    ratio: Option<f64>,
    /// The same, by the best bursts.
    best_ratio: Option<f64>,
    cpu: &'a str,
    included: &'static str,
}

/// Operations per second, of microseconds for one.
pub(super) fn rate(us: f64) -> f64 {
    1e6 / us
}

/// Where results go.
pub(super) struct Report {
    machine: Machine,
    /// The columns of ratios.
    peers: Vec<peer::Named>,
    json: bool,
    output: Output,
    bar: ProgressBar,
    cells: Vec<Cell>,
}

impl Report {
    /// Tells what will be measured, in `cells` jobs and batch sizes.
    pub(super) fn start(
        machine: Machine,
        backends: &[Backend],
        cells: u64,
        json: bool,
    ) -> Result<Self, Failure> {
        let mut report = Self {
            machine,
            peers: peer::all(),
            json,
            output: Output::new(),
            bar: bar(cells),
            cells: Vec::new(),
        };
        if !json {
            report.head(backends)?;
        }
        Ok(report)
    }

    fn head(&mut self, backends: &[Backend]) -> Result<(), Failure> {
        let Machine {
            cpu,
            threads,
            keys,
            seconds,
        } = &self.machine;
        let output = &mut self.output;
        output.line(format_args!("processor  {cpu}; threads: {threads}"))?;
        for backend in backends {
            output.line(format_args!("backend    {backend}: {}", backend.describe()))?;
        }
        if self.peers.is_empty() {
            output.line(
                "peers      none compiled in: cargo run --release -p sunzi-cli --features peers \
                 -- bench",
            )?;
        }
        for peer in &self.peers {
            output.line(format_args!("peer       {}", peer.name))?;
        }
        output.line(format_args!(
            "work       {keys}; signatures are PKCS#1 v1.5 with SHA-256, from digest to checked \
             signature"
        ))?;
        output.line(format_args!(
            "figures    operations per second, and the time of one, by the median burst; by the \
             best; {seconds} s\n           each, taking turns; x: how many times the peer's \
             operations per second, by medians"
        ))?;
        let heading = |peer: &peer::Named| format!("{:>10}", format!("x {}", peer.short));
        let ratios = self.peers.iter().map(heading).collect::<Vec<_>>().concat();
        output.line(format_args!(
            "\n{:<16} {:>5}  {:<14} {:>11} {:>11} {:>11}{ratios}",
            "job", "batch", "", "median", "best", "time"
        ))?;
        output.flush()?;
        Ok(())
    }

    /// Shows in the progress bar what is going on.
    pub(super) fn doing(&self, what: &dyn fmt::Display) {
        self.bar.set_message(what.to_string());
    }

    /// Takes a job at a batch size: as many backends, then the peers who can do it.
    pub(super) fn add(
        &mut self,
        job: Job,
        batch: usize,
        mut measured: Vec<(String, Figures)>,
        backends: usize,
    ) -> Result<(), Failure> {
        let peers = measured.split_off(backends);
        let cell = Cell {
            job,
            batch,
            backends: measured,
            peers,
        };
        let Self { bar, output, .. } = self;
        let (json, machine, columns) = (self.json, &self.machine, &self.peers);
        bar.suspend(|| {
            if json {
                write_json(output, machine, &cell)?;
            } else {
                write_table(output, columns, &cell)?;
            }
            output.flush()
        })?;
        self.bar.inc(1);
        self.cells.push(cell);
        Ok(())
    }

    /// Draws everything so far.
    pub(super) fn plot(&self, path: &Path) -> Result<(), Failure> {
        let title = format!(
            "{}, {} thread{}, {}",
            self.machine.cpu,
            self.machine.threads,
            if self.machine.threads == 1 { "" } else { "s" },
            self.machine.keys
        );
        let svg = plot::svg(&title, &self.cells)
            .map_err(|error| Failure::new(format!("cannot draw the plot: {error}")))?;
        write_svg(path, &svg)
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn write_json(output: &mut Output, machine: &Machine, cell: &Cell) -> std::io::Result<()> {
    for (backend, ours) in &cell.backends {
        let product = matches!(cell.job, Job::Product(_));
        let nobody = cell.peers.is_empty().then_some(None);
        for peer in cell.peers.iter().map(Some).chain(nobody) {
            let name = peer.map(|(name, _)| name.as_str());
            let theirs = peer.map(|&(_, figures)| figures);
            output.json(&Row {
                job: cell.job.to_string(),
                backend,
                batch: cell.batch,
                keys: machine.keys,
                threads: machine.threads,
                ops_per_s: rate(ours.median_us),
                best_ops_per_s: rate(ours.best_us),
                median_us: ours.median_us,
                best_us: ours.best_us,
                bursts: ours.bursts,
                ns_per_product: product.then_some(1e3 * ours.median_us),
                best_ns_per_product: product.then_some(1e3 * ours.best_us),
                peer: name,
                peer_ops_per_s: theirs.map(|theirs| rate(theirs.median_us)),
                peer_best_ops_per_s: theirs.map(|theirs| rate(theirs.best_us)),
                peer_median_us: theirs.map(|theirs| theirs.median_us),
                peer_best_us: theirs.map(|theirs| theirs.best_us),
                peer_bursts: theirs.map(|theirs| theirs.bursts),
                ratio: theirs.map(|theirs| theirs.median_us / ours.median_us),
                best_ratio: theirs.map(|theirs| theirs.best_us / ours.best_us),
                cpu: &machine.cpu,
                included: cell.job.included(),
            })?;
        }
    }
    Ok(())
}

fn write_table(output: &mut Output, columns: &[peer::Named], cell: &Cell) -> std::io::Result<()> {
    let mut label = (cell.job.to_string(), cell.batch.to_string());
    let mut line = |who: &str, figures: &Figures, ratios: &str| {
        let (job, batch) = std::mem::take(&mut label);
        output.line(format_args!(
            "{job:<16} {batch:>5}  {who:<14} {:>11} {:>11} {:>11}{ratios}",
            grouped(rate(figures.median_us)),
            grouped(rate(figures.best_us)),
            duration(figures.median_us)
        ))
    };
    for (backend, ours) in &cell.backends {
        let ratio = |column: &peer::Named| {
            let peer = cell.peers.iter().find(|(name, _)| *name == column.name);
            let ratio = peer.map(|(_, theirs)| theirs.median_us / ours.median_us);
            let ratio = ratio.map_or_else(|| String::from("-"), |ratio| format!("{ratio:.2}"));
            format!("{ratio:>10}")
        };
        let ratios: String = columns.iter().map(ratio).collect();
        line(backend, ours, ratios.trim_end_matches([' ', '-']))?;
    }
    for (name, theirs) in &cell.peers {
        let column = columns.iter().find(|column| column.name == *name);
        let version = name.split(' ').nth(1).unwrap_or_default();
        let short = column.map_or(name.as_str(), |column| column.short);
        line(&format!("{short} {version}"), theirs, "")?;
    }
    Ok(())
}

/// `12,345`; two decimals below 10.
fn grouped(number: f64) -> String {
    if number < 10.0 {
        return format!("{number:.2}");
    }
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time with a unit, in four digits.
fn duration(us: f64) -> String {
    let (number, unit) = match us {
        ..1.0 => (1e3 * us, "ns"),
        1.0..1e3 => (us, "us"),
        1e3..1e6 => (us / 1e3, "ms"),
        _ => (us / 1e6, "s"),
    };
    let decimals = match number {
        ..10.0 => 3,
        10.0..100.0 => 2,
        _ => 1,
    };
    format!("{number:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_readable() {
        assert_eq!(grouped(9.876), "9.88");
        assert_eq!(grouped(999.6), "1,000");
        assert_eq!(grouped(12_345_678.0), "12,345,678");
        assert_eq!(grouped(123.0), "123");
        assert_eq!(duration(0.0712), "71.20 ns");
        assert_eq!(duration(213.04), "213.0 us");
        assert_eq!(duration(1_234.0), "1.234 ms");
        assert_eq!(duration(2_500_000.0), "2.500 s");
    }
}
