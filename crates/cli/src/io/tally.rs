//! The counts of a run, and the summary at its end.

use super::interrupt;
use super::output::Output;
use crate::failure::{Status, inform, report};
use serde::Serialize;
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use sunzi_engine::Engine;

/// The counts of a run, updated after each batch.
#[derive(Debug)]
pub(crate) struct Tally {
    /// The event of an item that succeeded: `signed`, `verified`, `encrypted`, `decrypted` or
    /// `agreed`.
    done_event: &'static str,
    /// The name of the items: `files` or `messages`.
    unit: &'static str,
    /// The size of the key and the scheme, such as `RSA-2048, PKCS#1 v1.5, SHA-256`.
    key_and_scheme: String,
    /// The engine that computes.
    engine: Engine,
    /// The number of threads.
    threads: usize,
    /// Whether the summary is a line of JSON on standard output instead of text.
    json: bool,
    start: Instant,
    done: AtomicU64,
    /// Of the done ones, those that existed but were wrong.
    replaced: AtomicU64,
    /// Items that were done already.
    skipped: AtomicU64,
    /// Of the skipped ones, those of which nobody checked whether they are right.
    unchecked: AtomicU64,
    left_out: AtomicU64,
    failed: AtomicU64,
    /// Of the failed ones, those whose result existed.
    existing: AtomicU64,
}

/// Most files of each kind that are named on standard error: those left out, and those whose
/// result exists. The others are counted; `--json` names all.
const NAMED: u64 = 5;

/// The outcome of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate<'a> {
    /// Its result was made, perhaps in the place of a wrong or incomplete one.
    Done { replaced: bool },
    /// Its result existed already, and was found to be right or was not checked.
    Skipped { checked: bool },
    /// It is no file to be processed, for this reason.
    LeftOut(&'a str),
    /// It failed since its result exists, as this says.
    Existing(&'a str),
    /// It failed, for this reason.
    Failed(&'a str),
}

/// The line of `--json` for a file.
#[derive(Serialize)]
struct FileEvent<'a> {
    event: &'static str,
    /// The path, in which bytes that are not UTF-8 are replaced: JSON cannot contain them.
    file: Cow<'a, str>,
    /// Present and true if a wrong or incomplete result was replaced.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replaced: bool,
    /// Whether a skipped result was found to be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The last line of `--json`.
#[derive(Serialize)]
struct Summary<'a> {
    event: &'static str,
    unit: &'static str,
    done: u64,
    replaced: u64,
    skipped: u64,
    unchecked: u64,
    left_out: u64,
    failed: u64,
    /// Left out if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    faults_found: u64,
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
            engine: engine.clone(),
            threads,
            json,
            start: Instant::now(),
            done: AtomicU64::new(0),
            replaced: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            unchecked: AtomicU64::new(0),
            left_out: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            existing: AtomicU64::new(0),
        }
    }

    /// Counts a message.
    pub(crate) fn count_message(&self, succeeded: bool) {
        add_one(if succeeded { &self.done } else { &self.failed });
    }

    /// The number of all items, except those left out.
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

    /// Counts and reports a file: what the user should know on standard error and, with `--json`,
    /// its event.
    pub(crate) fn report_file(
        &self,
        output: &mut Output,
        file: &Path,
        fate: Fate<'_>,
    ) -> io::Result<()> {
        let mut event = FileEvent {
            event: self.done_event,
            file: file.to_string_lossy(),
            replaced: false,
            checked: None,
            reason: None,
            error: None,
        };
        match fate {
            Fate::Done { replaced } => {
                add_one(&self.done);
                if replaced {
                    add_one(&self.replaced);
                    inform(&format_args!(
                        "{}: the existing result was wrong or incomplete, and was made again",
                        file.display()
                    ));
                }
                event.replaced = replaced;
            }
            Fate::Skipped { checked } => {
                add_one(&self.skipped);
                if !checked {
                    add_one(&self.unchecked);
                }
                event.event = "skipped";
                event.checked = Some(checked);
            }
            Fate::LeftOut(reason) => {
                if add_one(&self.left_out) < NAMED {
                    inform(&format_args!("{}: left out: {reason}", file.display()));
                }
                event.event = "left_out";
                event.reason = Some(reason);
            }
            Fate::Existing(error) => {
                add_one(&self.failed);
                if add_one(&self.existing) < NAMED {
                    report(&format_args!("{}: {error}", file.display()));
                }
                event.event = "failed";
                event.error = Some(error);
            }
            Fate::Failed(error) => {
                add_one(&self.failed);
                report(&format_args!("{}: {error}", file.display()));
                event.event = "failed";
                event.error = Some(error);
            }
        }
        if self.json {
            output.json(&event)?;
        }
        Ok(())
    }

    /// Writes the summary: as text to standard error or, with `--json`, to standard output.
    pub(crate) fn summarize(&self, interrupted: bool) -> io::Result<()> {
        let [done, replaced, skipped, unchecked, left_out, failed] = [
            &self.done,
            &self.replaced,
            &self.skipped,
            &self.unchecked,
            &self.left_out,
            &self.failed,
        ]
        .map(|counter| counter.load(Ordering::Relaxed));
        let seconds = self.start.elapsed().as_secs_f64();
        let per_second = done as f64 / seconds.max(1e-9);
        let Self {
            done_event,
            unit,
            key_and_scheme,
            engine,
            threads,
            ..
        } = self;
        let (backend, faults_found) = (engine.backend(), engine.faults_found());
        if faults_found > 0 {
            report(&format_args!("warning: {}", in_words(faults_found)));
        }
        let more = |counter: &AtomicU64| counter.load(Ordering::Relaxed).saturating_sub(NAMED);
        let (unnamed, existing) = (more(&self.left_out), more(&self.existing));
        if unnamed > 0 {
            inform(&format_args!("{unnamed} more left out: --json names all"));
        }
        if existing > 0 {
            report(&format_args!(
                "{existing} more have results already: --resume skips what is done, --force replaces it, \
                 --json names all"
            ));
        }
        if self.json {
            let mut output = Output::new();
            output.json(&Summary {
                event: "summary",
                unit,
                done,
                replaced,
                skipped,
                unchecked,
                left_out,
                failed,
                faults_found,
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
        let tell = if interrupted.is_empty() {
            inform
        } else {
            report
        };
        tell(&format_args!(
            "{interrupted}{done} {unit} {done_event} ({key_and_scheme}) in {seconds:.2} s, {per_second:.0}/s, \
             backend {backend}, {threads} thread{plural}{}{}{}{}{}",
            count(replaced, "of them replaced"),
            count(skipped - unchecked, "skipped, found right"),
            count(unchecked, "skipped, not checked"),
            count(left_out, "left out"),
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

/// Whether a count is 0.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The faults that redundant channels have found.
fn in_words(faults: u64) -> String {
    let number = match faults {
        1 => String::from("1 number"),
        _ => format!("{faults} numbers"),
    };
    format!(
        "redundant channels found {number} computed wrongly: computed again, or withheld if wrong again; \
         the machine may be faulty or under attack"
    )
}

/// Adds to a count, and returns what it was. No other memory access is ordered by it.
fn add_one(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_counted_in_words() {
        assert!(in_words(1).contains("found 1 number computed"));
        assert!(in_words(12).contains("found 12 numbers computed"));
    }
}
