//! Counts of a run, and the summary at its end.

use crate::failure::{Status, report};
use crate::output::Output;
use serde::Serialize;
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use sunzi_engine::{Backend, Engine};

/// What a run has done so far.
#[derive(Debug)]
pub(crate) struct Tally {
    /// `signed`, `verified`, `encrypted` or `decrypted`.
    pub(crate) done_word: &'static str,
    /// What is counted: `files` or `messages`.
    unit: &'static str,
    /// Key and scheme.
    how: String,
    /// On what it is computed.
    backend: Backend,
    /// On how many threads.
    threads: usize,
    /// Whether the summary is a line of JSON on standard output.
    json: bool,
    start: Instant,
    pub(crate) done: AtomicU64,
    pub(crate) skipped: AtomicU64,
    pub(crate) failed: AtomicU64,
}

/// A line of `--json` for a file.
#[derive(Serialize)]
struct FileEvent<'a> {
    event: &'static str,
    /// Bytes that are not UTF-8 are replaced: JSON has no way to write them.
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
    /// Nothing done yet.
    pub(crate) fn new(
        done_word: &'static str,
        stream: bool,
        how: String,
        engine: &Engine,
        threads: usize,
        json: bool,
    ) -> Self {
        Self {
            done_word,
            unit: if stream { "messages" } else { "files" },
            how,
            backend: engine.backend(),
            threads,
            json,
            start: Instant::now(),
            done: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        }
    }

    /// Adds to a count. Nothing else is ordered by it.
    pub(crate) fn add(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Ordering::Relaxed);
    }

    /// Items of all kinds.
    pub(crate) fn total(&self) -> u64 {
        [&self.done, &self.skipped, &self.failed]
            .map(|c| c.load(Ordering::Relaxed))
            .iter()
            .sum()
    }

    /// Whether anything failed.
    pub(crate) fn status(&self) -> Status {
        Status::from_failures(self.failed.load(Ordering::Relaxed))
    }

    /// Reports a file: an error to standard error, and with `--json` an event.
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

    /// Writes the summary: in words to standard error, or as JSON to standard output.
    pub(crate) fn summarize(&self, interrupted: bool) -> io::Result<()> {
        let [done, skipped, failed] =
            [&self.done, &self.skipped, &self.failed].map(|c| c.load(Ordering::Relaxed));
        let seconds = self.start.elapsed().as_secs_f64();
        let per_second = done as f64 / seconds.max(1e-9);
        let Self {
            done_word,
            unit,
            how,
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
                how,
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
            "{interrupted}{done} {unit} {done_word} ({how}) in {seconds:.2} s, {per_second:.0}/s, \
             backend {backend}, {threads} thread{plural}{}{}",
            count(skipped, "skipped"),
            count(failed, "failed")
        ));
        Ok(())
    }

    /// What is said when a signal ends the run; the summary in JSON only at a line's end.
    pub(crate) fn summarize_interrupted(&self, at_line_end: bool) {
        if at_line_end || !self.json {
            // Nothing more can be done about an output that fails now.
            let _ = self.summarize(true);
        }
    }
}
