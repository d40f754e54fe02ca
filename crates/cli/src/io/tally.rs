//! The counts of a run, and the summary at its end.

use super::interrupt;
use super::output::Output;
use crate::failure::{Status, report};
use serde::Serialize;
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use sunzi_engine::{Backend, Engine};

/// The counts of a run, updated after each batch.
#[derive(Debug)]
pub(crate) struct Tally {
    /// The event of an item that succeeded: `signed`, `verified`, `encrypted` or `decrypted`.
    pub(crate) done_event: &'static str,
    /// The name of the items: `files` or `messages`.
    unit: &'static str,
    /// The size of the key and the scheme, such as `RSA-2048, PKCS#1 v1.5, SHA-256`.
    key_and_scheme: String,
    /// The backend that computes.
    backend: Backend,
    /// The number of threads.
    threads: usize,
    /// Whether the summary is a line of JSON on standard output instead of text.
    json: bool,
    start: Instant,
    pub(crate) done: AtomicU64,
    pub(crate) skipped: AtomicU64,
    pub(crate) failed: AtomicU64,
}

/// The line of `--json` for a file.
#[derive(Serialize)]
struct FileEvent<'a> {
    event: &'static str,
    /// The path, in which bytes that are not UTF-8 are replaced: JSON cannot contain them.
    file: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The last line of `--json`.
#[derive(Serialize)]
struct Summary<'a> {
    event: &'static str,
    unit: &'static str,
    done: u64,
    skipped: u64,
    failed: u64,
    interrupted: bool,
    seconds: f64,
    per_second: f64,
    how: &'a str,
    backend: &'static str,
    threads: usize,
}

impl Tally {
    /// A tally with all counts at 0.
    pub(crate) fn new(
        done_event: &'static str,
        stream: bool,
        key_and_scheme: String,
        engine: &Engine,
        threads: usize,
        json: bool,
    ) -> Self {
        Self {
            done_event,
            unit: if stream { "messages" } else { "files" },
            key_and_scheme,
            backend: engine.backend(),
            threads,
            json,
            start: Instant::now(),
            done: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        }
    }

    /// Adds to a count. No other memory access is ordered by it.
    pub(crate) fn add(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Ordering::Relaxed);
    }

    /// The number of all items.
    pub(crate) fn total(&self) -> u64 {
        [&self.done, &self.skipped, &self.failed]
            .map(|c| c.load(Ordering::Relaxed))
            .iter()
            .sum()
    }

    /// The status of the run: whether any item failed.
    pub(crate) fn status(&self) -> Status {
        Status::from_failures(self.failed.load(Ordering::Relaxed))
    }

    /// Reports a file: its error on standard error and, with `--json`, its event.
    pub(crate) fn report_file(
        &self,
        output: &mut Output,
        event: &'static str,
        file: &Path,
        error: Option<&str>,
    ) -> io::Result<()> {
        if let Some(error) = error {
            report(&format_args!("{}: {error}", file.display()));
        }
        if self.json {
            output.json(&FileEvent {
                event,
                file: file.to_string_lossy(),
                error,
            })?;
        }
        Ok(())
    }

    /// Writes the summary: as text to standard error or, with `--json`, to standard output.
    pub(crate) fn summarize(&self, interrupted: bool) -> io::Result<()> {
        let [done, skipped, failed] =
            [&self.done, &self.skipped, &self.failed].map(|c| c.load(Ordering::Relaxed));
        let seconds = self.start.elapsed().as_secs_f64();
        let per_second = done as f64 / seconds.max(1e-9);
        let Self {
            done_event,
            unit,
            key_and_scheme,
            backend,
            threads,
            ..
        } = self;
        if self.json {
            let mut output = Output::new();
            output.json(&Summary {
                event: "summary",
                unit,
                done,
                skipped,
                failed,
                interrupted,
                seconds,
                per_second,
                how: key_and_scheme,
                backend: backend.name(),
                threads: *threads,
            })?;
            return output.flush();
        }
        let interrupted = if interrupted { "interrupted: " } else { "" };
        let unit = if done == 1 {
            unit.trim_end_matches('s')
        } else {
            unit
        };
        let plural = if *threads == 1 { "" } else { "s" };
        let count = |count, word| {
            if count > 0 {
                format!("; {count} {word}")
            } else {
                String::new()
            }
        };
        report(&format_args!(
            "{interrupted}{done} {unit} {done_event} ({key_and_scheme}) in {seconds:.2} s, {per_second:.0}/s, \
             backend {backend}, {threads} thread{plural}{}{}",
            count(skipped, "skipped"),
            count(failed, "failed")
        ));
        Ok(())
    }

    /// Installs the signal handler, which writes the summary before it ends the process.
    pub(crate) fn summarize_on_interrupt(self: &Arc<Self>) {
        let tally = Arc::clone(self);
        interrupt::install(move |at_line_end| tally.summarize_interrupted(at_line_end));
    }

    /// Writes the summary when a signal ends the run. As JSON it is written only if standard
    /// output is at the end of a line.
    fn summarize_interrupted(&self, at_line_end: bool) {
        if at_line_end || !self.json {
            // An error of the output cannot be handled any more.
            let _ = self.summarize(true);
        }
    }
}
