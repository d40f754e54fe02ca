//! Bytes in, bytes out: what `sign`, `encrypt` and `decrypt` share. Files or the messages of a
//! stream are read, worked on in batches, and written whole or not at all.

use crate::atomic::{self, Access, Existing};
use crate::failure::{Failure, Outcome};
use crate::messages::Messages;
use crate::output::Output;
use crate::tally::Tally;
use crate::targets::{Target, Targets, Unusable};
use crate::{files, interrupt, progress};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Where the results go, and what happens to those that are there.
#[derive(Debug, clap::Args)]
pub(crate) struct Destination {
    /// Write the results below DIR, each at the path of its file as given
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Skip files whose result is there
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace existing results
    #[arg(long)]
    force: bool,
}

/// Bytes, which may be secret, or why there are none.
pub(crate) type Bytes = Result<Zeroizing<Vec<u8>>, String>;

/// The work on batches of `T`.
pub(crate) struct Work<'a, T> {
    /// `sign`, for people.
    pub(crate) verb: &'static str,
    /// `signature`: the field of a result in a stream.
    pub(crate) field: &'static str,
    /// How many are worked on together.
    pub(crate) batch: usize,
    /// A result for each, in order.
    pub(crate) compute: &'a dyn Fn(&[T]) -> Vec<Bytes>,
}

/// Whether the inputs are `-` alone.
///
/// # Errors
/// If `-` is one of several, or comes with options for files.
pub(crate) fn is_stream(inputs: &[PathBuf], destination: &Destination) -> Result<bool, Failure> {
    let stream = inputs.iter().any(|input| input.as_os_str() == "-");
    if stream && inputs.len() > 1 {
        return Err(Failure::new("- (standard input) must be the only input"));
    }
    if stream && (destination.out.is_some() || destination.resume || destination.force) {
        return Err(Failure::new(
            "--out, --resume and --force are for files, not for -",
        ));
    }
    Ok(stream)
}

/// The end of a run: the summary, or that there was nothing to do.
pub(crate) fn conclude(verb: &str, stream: bool, tally: &Tally) -> Outcome {
    if tally.total() == 0 {
        let place = if stream {
            "standard input is empty"
        } else {
            "no file in the folders given"
        };
        return Err(Failure::new(format!("there is nothing to {verb}: {place}")));
    }
    tally.summarize(false)?;
    Ok(tally.status())
}

/// A line of output for a message.
#[derive(Serialize)]
struct Answer<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<serde_json::Value>,
    /// One field: the result in base64, or `error`.
    #[serde(flatten)]
    result: BTreeMap<&'static str, &'a str>,
}

/// Works on the messages of a stream; `prepare` makes what is worked on of a message's bytes.
pub(crate) fn run_messages<T, R: Read>(
    work: &Work<'_, T>,
    mut messages: Messages<R>,
    prepare: &dyn Fn(Zeroizing<Vec<u8>>) -> T,
    tally: &Tally,
) -> Result<(), Failure> {
    let mut output = Output::new();
    let bar = progress::bar(None, work.verb);
    loop {
        let mut entries = Vec::new();
        let mut batch = Vec::new();
        while entries.len() < work.batch && (entries.is_empty() || messages.is_ready()) {
            let Some(message) = messages.next()? else {
                break;
            };
            let content = message.content.map(|content| {
                batch.push(prepare(content.message));
            });
            entries.push((message.line, message.id, content));
        }
        if entries.is_empty() {
            break;
        }
        let count = entries.len() as u64;
        let mut results = (work.compute)(&batch).into_iter();

        let _shield = interrupt::shield();
        for (line, id, content) in entries {
            let result = content.and_then(|()| results.next().unwrap_or_else(not_computed));
            let counter = if result.is_ok() {
                &tally.done
            } else {
                &tally.failed
            };
            Tally::add(counter, 1);
            let result = result.map(|bytes| Zeroizing::new(BASE64.encode(&*bytes)));
            let (field, text) = match &result {
                Ok(text) => (work.field, text.as_str()),
                Err(error) => ("error", error.as_str()),
            };
            let result = BTreeMap::from([(field, text)]);
            output.json(&Answer { line, id, result })?;
        }
        output.flush()?;
        bar.inc(count);
    }
    bar.finish_and_clear();
    Ok(())
}

fn not_computed() -> Bytes {
    Err(String::from("no result was computed"))
}

/// What is done with files.
pub(crate) struct FileWork<'a, T> {
    pub(crate) targets: &'a Targets<'a>,
    pub(crate) destination: &'a Destination,
    /// Who may read the results.
    pub(crate) access: Access,
    /// Makes what is worked on of a file.
    pub(crate) read: &'a (dyn Fn(&Path) -> Result<T, String> + Sync),
    /// Whether a file that is there already is a result.
    pub(crate) is_result: &'a dyn Fn(&Metadata) -> bool,
}

/// What became of a file.
enum State {
    /// Its result is to be made.
    Pending,
    /// Its result was there.
    Skipped,
    /// Its result is in place.
    Done,
    /// The reason.
    Failed(String),
}

/// A file on its way.
struct Entry {
    target: Target,
    state: State,
}

/// Works on files.
pub(crate) fn run_files<T: Send>(
    work: &Work<'_, T>,
    file_work: &FileWork<'_, T>,
    tally: &Tally,
) -> Result<(), Failure> {
    let total = progress::is_visible().then(|| file_work.targets.count());
    let bar = progress::bar(total, work.verb);
    let mut targets = file_work.targets.iter().peekable();
    while targets.peek().is_some() {
        // Files that are done already cost next to nothing, but their events are kept until
        // the batch is written: that is bounded, too.
        let mut entries = Vec::new();
        let mut pending = 0;
        while pending < work.batch && entries.len() < 16 * work.batch {
            let Some(target) = targets.next() else { break };
            let entry = file_work.examine(target);
            pending += usize::from(matches!(entry.state, State::Pending));
            entries.push(entry);
        }
        let batch = file_work.read_pending(&mut entries);
        let results = (work.compute)(&batch);
        let shield = interrupt::shield();
        let disk_full = file_work.write_results(&mut entries, results);
        bar.suspend(|| report_entries(&entries, tally))?;
        drop(shield);
        bar.inc(entries.len() as u64);
        if let Some(error) = disk_full {
            tally.summarize(false)?;
            return Err(Failure::new(format!(
                "cannot write more ({error}): make room and run again with --resume"
            )));
        }
    }
    bar.finish_and_clear();
    Ok(())
}

impl<T: Send> FileWork<'_, T> {
    /// Decides whether a target is to be worked on.
    fn examine(&self, target: Result<Target, Unusable>) -> Entry {
        let target = match target {
            Ok(target) => target,
            Err(Unusable { file, reason }) => {
                let target = Target {
                    file,
                    companion: PathBuf::new(),
                };
                return Entry {
                    target,
                    state: State::Failed(reason),
                };
            }
        };
        let path = &target.companion;
        let is_done = || std::fs::metadata(path).is_ok_and(|f| f.is_file() && (self.is_result)(&f));
        let state = if self.destination.resume {
            if is_done() {
                State::Skipped
            } else {
                State::Pending
            }
        } else if !self.destination.force && path.symlink_metadata().is_ok() {
            State::Failed(exists(path))
        } else {
            State::Pending
        };
        Entry { target, state }
    }

    /// Reads the pending entries, in order; what cannot be read is pending no more.
    fn read_pending(&self, entries: &mut [Entry]) -> Vec<T> {
        entries
            .par_iter_mut()
            .filter_map(|entry| match entry.state {
                State::Pending => (self.read)(&entry.target.file)
                    .map_err(|error| entry.state = State::Failed(error))
                    .ok(),
                _ => None,
            })
            .collect()
    }

    /// Writes the results of the pending entries; returns why the disk takes no more.
    fn write_results(&self, entries: &mut [Entry], results: Vec<Bytes>) -> Option<io::Error> {
        let (destination, access) = (self.destination, self.access);
        let pending: Vec<_> = entries
            .iter_mut()
            .filter(|entry| matches!(entry.state, State::Pending))
            .collect();
        let write = |(entry, result): (&mut Entry, Bytes)| {
            let path = &entry.target.companion;
            let written = result.map(|result| write(path, &result, destination, access));
            let (state, disk_full) = match written {
                Ok(Ok(())) => (State::Done, None),
                Ok(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                    (State::Failed(exists(path)), None)
                }
                Ok(Err(error)) => (
                    State::Failed(format!("cannot write {}: {error}", path.display())),
                    files::is_disk_full(&error).then_some(error),
                ),
                Err(error) => (State::Failed(error), None),
            };
            entry.state = state;
            disk_full
        };
        pending
            .into_par_iter()
            .zip(results)
            .filter_map(write)
            .reduce_with(|first, _| first)
    }
}

fn exists(path: &Path) -> String {
    format!(
        "{} exists: --resume skips what is done, --force replaces it",
        path.display()
    )
}

fn write(path: &Path, content: &[u8], destination: &Destination, access: Access) -> io::Result<()> {
    if destination.out.is_some() {
        // What is below --out has at least a file's name.
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    }
    let replace = destination.force || destination.resume;
    let existing = if replace {
        Existing::Replace
    } else {
        Existing::Keep
    };
    atomic::write(path, content, access, existing)
}

/// Counts and reports what became of the entries.
fn report_entries(entries: &[Entry], tally: &Tally) -> io::Result<()> {
    let mut output = Output::new();
    for Entry { target, state } in entries {
        let (event, counter, error) = match state {
            State::Done => (tally.done_word, &tally.done, None),
            State::Skipped => ("skipped", &tally.skipped, None),
            State::Failed(error) => ("failed", &tally.failed, Some(error.as_str())),
            State::Pending => ("failed", &tally.failed, Some("no result was computed")),
        };
        Tally::add(counter, 1);
        tally.report_file(&mut output, event, &target.file, error)?;
    }
    output.flush()
}
