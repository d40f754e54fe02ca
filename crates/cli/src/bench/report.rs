//! The report of the measurements, as a table or JSON Lines, and as a plot.

use super::job::Job;
use super::key_choice::KeyChoice;
use super::measurement::{Measurement, rate};
use super::peers::{self, PeerName};
use super::plot;
use super::turns::OperationTimes;
use crate::failure::Failure;
use crate::io::output::Output;
use crate::io::{files, progress};
use crate::options::BasesOptions;
use crate::processor::processor_name;
use core::fmt;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::path::Path;
use sunzi_engine::{Backend, InstructionLimit};

/// The conditions of the measurements, which are the same in all rows.
pub(super) struct Conditions {
    /// The name of the processor.
    cpu: String,
    /// The number of threads.
    threads: usize,
    keys: KeyChoice,
    /// The time for each backend and peer at each job and batch size.
    seconds: f64,
    /// The bases in which the backends compute.
    bases: BasesOptions,
    /// The instructions that are hidden from OpenSSL and AWS-LC, if any.
    openssl_ia32cap: Option<String>,
}

impl Conditions {
    /// The conditions on this machine.
    pub(super) fn here(threads: usize, keys: KeyChoice, seconds: f64, bases: BasesOptions) -> Self {
        Self {
            cpu: processor_name(),
            threads,
            keys,
            seconds,
            bases,
            openssl_ia32cap: std::env::var("OPENSSL_ia32cap").ok(),
        }
    }
}

/// A progress bar over this number of measurements.
fn bar(measurements: u64) -> ProgressBar {
    let bar = progress::bar(Some(measurements), "measuring");
    match ProgressStyle::with_template("{msg:26} [{bar:30}] {pos}/{len}  {elapsed}, {eta} left") {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// The width of the column of jobs: that of the longest name.
const JOB: usize = "brainpoolP256r1-verify".len();
/// The peer that batches are compared with: the one that programs have anyway.
const USUAL_PEER: &str = "openssl ";

/// A line of JSON: a backend and a peer at a job and batch size. Times are for one operation.
#[derive(Debug, Serialize)]
struct MeasurementJson<'a> {
    job: String,
    backend: &'a str,
    batch: usize,
    keys: KeyChoice,
    threads: usize,
    /// By the median burst.
    ops_per_s: f64,
    /// By the best burst.
    best_ops_per_s: f64,
    median_us: f64,
    best_us: f64,
    bursts: usize,
    /// For modular products only.
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
    /// The backend's operations per second divided by the peer's, by the medians.
    ratio: Option<f64>,
    /// The same ratio by the best bursts.
    best_ratio: Option<f64>,
    #[serde(flatten)]
    bases: BasesOptions,
    cpu: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    openssl_ia32cap: Option<&'a str>,
    included: &'static str,
}

/// The report of all measurements, written to standard output as they are made.
pub(super) struct Report {
    conditions: Conditions,
    /// The peers, each of which has a column of ratios in the table.
    peers: Vec<PeerName>,
    json: bool,
    output: Output,
    bar: ProgressBar,
    measurements: Vec<Measurement>,
}

impl Report {
    /// Starts a report of `count` measurements, with the head of the table unless it is in JSON.
    pub(super) fn start(
        conditions: Conditions,
        backends: &[Backend],
        count: u64,
        json: bool,
    ) -> Result<Self, Failure> {
        let mut report = Self {
            conditions,
            peers: peers::all()?,
            json,
            output: Output::new(),
            bar: bar(count),
            measurements: Vec::new(),
        };
        if !json {
            report.head(backends)?;
        }
        Ok(report)
    }

    /// Writes the conditions and the heading of the table.
    fn head(&mut self, backends: &[Backend]) -> Result<(), Failure> {
        let Conditions {
            cpu,
            threads,
            keys,
            seconds,
            bases,
            openssl_ia32cap,
        } = &self.conditions;
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
        if let Some(mask) = openssl_ia32cap {
            output.line(format_args!(
                "hidden     from OpenSSL and AWS-LC: OPENSSL_ia32cap={mask}"
            ))?;
        } else if InstructionLimit::get() < InstructionLimit::Ifma {
            output.line("hidden     nothing from the peers: OPENSSL_ia32cap is not set")?;
        }
        output.line(format_args!(
            "work       {keys}, {bases}; RSA signatures are PKCS#1 v1.5 with SHA-256, from digest to \
             checked\n           signature; on curves from message to signature and verdict, or from \
             point to secret"
        ))?;
        output.line(format_args!(
            "figures    operations per second, and the time of one, by the median burst; by the \
             best; {seconds} s\n           each, taking turns; x: how many times the peer's \
             operations per second, by medians"
        ))?;
        let heading = |peer: &PeerName| format!("{:>13}", format!("x {}", peer.short));
        let ratios = self.peers.iter().map(heading).collect::<Vec<_>>().concat();
        output.line(format_args!(
            "\n{:<JOB$} {:>5}  {:<14} {:>11} {:>11} {:>11}{ratios}",
            "job", "batch", "", "median", "best", "time"
        ))?;
        output.flush()?;
        Ok(())
    }

    /// Shows the current activity in the progress bar.
    pub(super) fn show_activity(&self, activity: &dyn fmt::Display) {
        self.bar.set_message(activity.to_string());
    }

    /// Adds the measurement of a job at a batch size. `measured` are the times of `backends`
    /// backends, followed by those of the peers.
    pub(super) fn add(
        &mut self,
        job: Job,
        batch: usize,
        mut measured: Vec<(String, OperationTimes)>,
        backends: usize,
    ) -> Result<(), Failure> {
        let peers = measured.split_off(backends);
        let measurement = Measurement {
            job,
            batch,
            backends: measured,
            peers,
        };
        let Self { bar, output, .. } = self;
        let (json, conditions, columns) = (self.json, &self.conditions, &self.peers);
        bar.suspend(|| {
            if json {
                write_json(output, conditions, &measurement)?;
            } else {
                write_table(output, columns, &measurement)?;
            }
            output.flush()
        })?;
        self.bar.inc(1);
        self.measurements.push(measurement);
        Ok(())
    }

    /// Ends a job: tells for each backend from which batch size on it is faster than OpenSSL.
    pub(super) fn end_job(&mut self, job: Job) -> Result<(), Failure> {
        let Self {
            bar,
            output,
            measurements,
            ..
        } = self;
        let mut of_job: Vec<_> = measurements.iter().filter(|m| m.job == job).collect();
        of_job.sort_by_key(|measurement| measurement.batch);
        let Some(first) = of_job.first() else {
            return Ok(());
        };
        let lines: Vec<_> = first
            .backends
            .iter()
            .filter_map(|(backend, _)| {
                let (peer, pays_from) = pays_from(&of_job, backend)?;
                Some(JobEnd {
                    job: job.to_string(),
                    backend,
                    peer,
                    pays_from,
                })
            })
            .collect();
        let json = self.json;
        bar.suspend(|| {
            for line in lines {
                if json {
                    output.json(&line)?;
                } else {
                    output.line(format_args!(
                        "{:<JOB$} {:>5}  {:<14} pays from {}",
                        "",
                        "",
                        line.backend,
                        match line.pays_from {
                            Some(batch) => format!("batches of {batch} on, against {}", line.peer),
                            None => format!("no batch that was measured, against {}", line.peer),
                        }
                    ))?;
                }
            }
            output.flush()
        })?;
        Ok(())
    }

    /// Draws the plot of all measurements so far.
    pub(super) fn plot(&self, path: &Path) -> Result<(), Failure> {
        let title = format!(
            "{}, {} thread{}, {}",
            self.conditions.cpu,
            self.conditions.threads,
            if self.conditions.threads == 1 {
                ""
            } else {
                "s"
            },
            self.conditions.keys
        );
        let svg = plot::svg(&title, &self.measurements)
            .map_err(|error| Failure::new(format!("cannot draw the plot: {error}")))?;
        files::write_document(path, svg)
    }
}

/// A line of JSON at the end of a job.
#[derive(Debug, Serialize)]
struct JobEnd<'a> {
    job: String,
    backend: &'a str,
    peer: &'a str,
    /// The smallest measured batch size from which on the backend does more operations per second
    /// than the peer, by medians; none if it does not with the largest.
    pays_from: Option<usize>,
}

/// Of measurements of a job, by batch size: OpenSSL's name, or that of the first peer where OpenSSL does not have
/// the operation, and the smallest batch size from which on a backend is faster. None where no peer was measured.
fn pays_from<'a>(of_job: &[&'a Measurement], backend: &str) -> Option<(&'a str, Option<usize>)> {
    let mut from = None;
    let mut name = None;
    for measurement in of_job {
        let mut peers = measurement.peers.iter();
        let usual = peers.find(|(peer, _)| peer.starts_with(USUAL_PEER));
        let (peer, theirs) = usual.or_else(|| measurement.peers.first())?;
        let mut backends = measurement.backends.iter();
        let (_, ours) = backends.find(|(name, _)| name == backend)?;
        name = Some(peer.as_str());
        if ours.median_us >= theirs.median_us {
            from = None;
        } else if from.is_none() {
            from = Some(measurement.batch);
        }
    }
    Some((name?, from))
}

impl Drop for Report {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Writes a line for each pair of a backend and a peer, or for each backend if there are no peers.
fn write_json(
    output: &mut Output,
    conditions: &Conditions,
    measurement: &Measurement,
) -> std::io::Result<()> {
    for (backend, ours) in &measurement.backends {
        let product = matches!(measurement.job, Job::Product(_));
        let no_peer = measurement.peers.is_empty().then_some(None);
        for peer in measurement.peers.iter().map(Some).chain(no_peer) {
            let name = peer.map(|(name, _)| name.as_str());
            let theirs = peer.map(|&(_, times)| times);
            output.json(&MeasurementJson {
                job: measurement.job.to_string(),
                backend,
                batch: measurement.batch,
                keys: conditions.keys,
                threads: conditions.threads,
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
                bases: conditions.bases,
                cpu: &conditions.cpu,
                openssl_ia32cap: conditions.openssl_ia32cap.as_deref(),
                included: measurement.job.included(),
            })?;
        }
    }
    Ok(())
}

/// Writes the lines of the table for a measurement. Each of the `columns` is for the ratios to a
/// peer.
fn write_table(
    output: &mut Output,
    columns: &[PeerName],
    measurement: &Measurement,
) -> std::io::Result<()> {
    // Only the first line has the job and the batch size.
    let mut label = (measurement.job.to_string(), measurement.batch.to_string());
    let mut line = |contestant: &str, times: &OperationTimes, ratios: &str| {
        let (job, batch) = std::mem::take(&mut label);
        output.line(format_args!(
            "{job:<JOB$} {batch:>5}  {contestant:<14} {:>11} {:>11} {:>11}{ratios}",
            grouped(rate(times.median_us)),
            grouped(rate(times.best_us)),
            duration(times.median_us)
        ))
    };
    for (backend, ours) in &measurement.backends {
        let ratio = |column: &PeerName| {
            let peer = measurement
                .peers
                .iter()
                .find(|(name, _)| *name == column.name);
            let ratio = peer.map(|(_, theirs)| theirs.median_us / ours.median_us);
            let ratio = ratio.map_or_else(|| String::from("-"), |ratio| format!("{ratio:.2}"));
            format!("{ratio:>13}")
        };
        let ratios: String = columns.iter().map(ratio).collect();
        line(backend, ours, ratios.trim_end_matches([' ', '-']))?;
    }
    for (name, theirs) in &measurement.peers {
        let column = columns.iter().find(|column| column.name == *name);
        let version = name.split(' ').nth(1).unwrap_or_default();
        let short = column.map_or(name.as_str(), |column| column.short);
        line(&format!("{short} {version}"), theirs, "")?;
    }
    Ok(())
}

/// The text of a number with groups of three digits, such as `12,345`, and with two decimals below
/// 10.
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

/// The text of a time of `us` microseconds, with four digits and a unit.
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
    fn batches_pay_from_the_size_after_the_last_that_does_not() {
        let times = |median_us| OperationTimes {
            median_us,
            best_us: median_us,
            bursts: 1,
        };
        let measurements = |ours: &[f64]| {
            let measurement = |(batch, us): (usize, &f64)| Measurement {
                job: Job::Verify(2048),
                batch,
                backends: vec![("portable".into(), times(*us))],
                peers: vec![("openssl 4.0.3".into(), times(2.0))],
            };
            (1..).zip(ours).map(measurement).collect::<Vec<_>>()
        };
        for (ours, from) in [
            (&[1.0, 1.0][..], Some(1)),
            (&[1.0, 3.0, 1.0], Some(3)),
            (&[3.0, 1.0, 1.5], Some(2)),
            (&[1.0, 2.0], None),
        ] {
            let all = measurements(ours);
            let all: Vec<_> = all.iter().collect();
            let found = pays_from(&all, "portable");
            assert_eq!(found, Some(("openssl 4.0.3", from)), "{ours:?}");
            assert_eq!(pays_from(&all, "float"), None);
        }
        let mut alone = measurements(&[1.0]);
        alone[0].peers.clear();
        assert_eq!(pays_from(&[&alone[0]], "portable"), None);
    }

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
