//! The pipeline of `sign`, `encrypt` and `decrypt`: files or the messages of a stream are read,
//! processed in batches, and the results are written atomically.

use super::atomic::{self, Access, Existing};
use super::messages::Messages;
use super::output::Output;
use super::tally::Tally;
use super::targets::{Target, Targets, UnusablePath};
use super::{files, interrupt, progress};
use crate::failure::{Failure, Outcome};
use base64ct::{Base64, Encoding};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The options for the place of the results and for existing results.
#[derive(Debug, clap::Args)]
pub(crate) struct DestinationOptions {
    /// Write the results below DIR, each at the path of its file as given
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Skip files whose result exists
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace existing results
    #[arg(long)]
    force: bool,
}

/// The bytes of a result, which may be secret, or the description of an error.
pub(crate) type BytesResult = Result<Zeroizing<Vec<u8>>, String>;

/// An operation on batches of items of type `T`.
pub(crate) struct BatchOperation<'a, T> {
    /// The name of the verb, such as `sign`.
    pub(crate) verb: &'static str,
    /// The field of the result in the output for a stream, such as `signature`.
    pub(crate) field: &'static str,
    /// The largest number of items in a batch.
    pub(crate) batch: usize,
    /// Computes a result for each item, in order.
    pub(crate) compute: &'a dyn Fn(&[T]) -> Vec<BytesResult>,
}

/// Whether the input is a stream: the only input is `-`.
///
/// # Errors
/// If `-` is one of several inputs.
pub(crate) fn is_stream(inputs: &[PathBuf]) -> Result<bool, Failure> {
    let stream = inputs.iter().any(|input| input.as_os_str() == "-");
    if stream && inputs.len() > 1 {
        return Err(Failure::new("- (standard input) must be the only input"));
    }
    Ok(stream)
}

impl DestinationOptions {
    /// Refuses these options for a stream.
    ///
    /// # Errors
    /// If the input is a stream and one of the options is given.
    pub(crate) fn check(&self, stream: bool) -> Result<(), Failure> {
        if stream && (self.out.is_some() || self.resume || self.force) {
            return Err(Failure::new(
                "--out, --resume and --force are for files, not for -",
            ));
        }
        Ok(())
    }
}

/// Ends a run with the summary, or with an error if there was nothing to do.
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

/// The line of output for a message.
#[derive(Serialize)]
struct ResultLine<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<serde_json::Value>,
    /// One field: the result in base64, or the field `error`.
    #[serde(flatten)]
    result: BTreeMap<&'static str, &'a str>,
}

/// Processes the messages of a stream; `prepare` makes an item from the bytes of a message.
pub(crate) fn run_messages<T, R: Read>(
    operation: &BatchOperation<'_, T>,
    mut messages: Messages<R>,
    prepare: &dyn Fn(Zeroizing<Vec<u8>>) -> T,
    tally: &Tally,
) -> Result<(), Failure> {
    let mut output = Output::new();
    let bar = progress::bar(None, operation.verb);
    loop {
        let mut entries = Vec::new();
        let mut batch = Vec::new();
        while entries.len() < operation.batch && (entries.is_empty() || messages.is_ready()) {
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
        let mut results = (operation.compute)(&batch).into_iter();

        let _shield = interrupt::shield();
        for (line, id, content) in entries {
            let result = content.and_then(|()| results.next().unwrap_or_else(not_computed));
            let counter = if result.is_ok() {
                &tally.done
            } else {
                &tally.failed
            };
            Tally::add(counter, 1);
            let result = result.map(|bytes| Zeroizing::new(Base64::encode_string(&bytes)));
            let (field, text) = match &result {
                Ok(text) => (operation.field, text.as_str()),
                Err(error) => ("error", error.as_str()),
            };
            let result = BTreeMap::from([(field, text)]);
            output.json(&ResultLine { line, id, result })?;
        }
        output.flush()?;
        bar.inc(count);
    }
    bar.finish_and_clear();
    Ok(())
}

fn not_computed() -> BytesResult {
    Err(String::from("no result was computed"))
}

/// The way in which the files of a run are read and their results are written.
pub(crate) struct FileHandling<'a, T> {
    pub(crate) targets: &'a Targets<'a>,
    pub(crate) destination: &'a DestinationOptions,
    /// The access rights of the results.
    pub(crate) access: Access,
    /// Makes an item from a file.
    pub(crate) read: &'a (dyn Fn(&Path) -> Result<T, String> + Sync),
    /// Whether an existing file is a complete result.
    pub(crate) is_result: &'a dyn Fn(&Metadata) -> bool,
}

/// The state of a file in the pipeline.
enum FileState {
    /// Its result is yet to be made.
    Pending,
    /// Its result existed already.
    Skipped,
    /// Its result was written.
    Done,
    /// It failed, for this reason.
    Failed(String),
}

/// A file in the pipeline.
struct FileEntry {
    target: Target,
    state: FileState,
}

/// Processes files.
pub(crate) fn run_files<T: Send>(
    operation: &BatchOperation<'_, T>,
    files: &FileHandling<'_, T>,
    tally: &Tally,
) -> Result<(), Failure> {
    let total = progress::is_visible().then(|| files.targets.count());
    let bar = progress::bar(total, operation.verb);
    let mut targets = files.targets.iter().peekable();
    while targets.peek().is_some() {
        // Skipped files cost next to nothing, but their events are kept until the batch is
        // written, so their number is bounded too.
        let mut entries = Vec::new();
        let mut pending = 0;
        while pending < operation.batch && entries.len() < 16 * operation.batch {
            let Some(target) = targets.next() else { break };
            let entry = files.examine(target);
            pending += usize::from(matches!(entry.state, FileState::Pending));
            entries.push(entry);
        }
        let batch = files.read_pending(&mut entries);
        let results = (operation.compute)(&batch);
        let shield = interrupt::shield();
        let disk_full = files.write_results(&mut entries, results);
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

impl<T: Send> FileHandling<'_, T> {
    /// The entry of a target: pending unless it is unusable or its result exists.
    fn examine(&self, target: Result<Target, UnusablePath>) -> FileEntry {
        let target = match target {
            Ok(target) => target,
            Err(UnusablePath { file, reason }) => {
                let target = Target {
                    file,
                    companion: PathBuf::new(),
                };
                return FileEntry {
                    target,
                    state: FileState::Failed(reason),
                };
            }
        };
        let path = &target.companion;
        let is_done = || std::fs::metadata(path).is_ok_and(|f| f.is_file() && (self.is_result)(&f));
        let state = if self.destination.resume {
            if is_done() {
                FileState::Skipped
            } else {
                FileState::Pending
            }
        } else if !self.destination.force && path.symlink_metadata().is_ok() {
            FileState::Failed(exists(path))
        } else {
            FileState::Pending
        };
        FileEntry { target, state }
    }

    /// The items of the pending entries, in order. Entries that cannot be read become failed.
    fn read_pending(&self, entries: &mut [FileEntry]) -> Vec<T> {
        entries
            .par_iter_mut()
            .filter_map(|entry| match entry.state {
                FileState::Pending => (self.read)(&entry.target.file)
                    .map_err(|error| entry.state = FileState::Failed(error))
                    .ok(),
                _ => None,
            })
            .collect()
    }

    /// Writes the results of the pending entries. Returns an error if the disk is full.
    fn write_results(
        &self,
        entries: &mut [FileEntry],
        results: Vec<BytesResult>,
    ) -> Option<io::Error> {
        let (destination, access) = (self.destination, self.access);
        let pending: Vec<_> = entries
            .iter_mut()
            .filter(|entry| matches!(entry.state, FileState::Pending))
            .collect();
        let write = |(entry, result): (&mut FileEntry, BytesResult)| {
            let path = &entry.target.companion;
            let written = result.map(|result| write(path, &result, destination, access));
            let (state, disk_full) = match written {
                Ok(Ok(())) => (FileState::Done, None),
                Ok(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                    (FileState::Failed(exists(path)), None)
                }
                Ok(Err(error)) => (
                    FileState::Failed(format!("cannot write {}: {error}", path.display())),
                    files::is_disk_full(&error).then_some(error),
                ),
                Err(error) => (FileState::Failed(error), None),
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

fn write(
    path: &Path,
    content: &[u8],
    destination: &DestinationOptions,
    access: Access,
) -> io::Result<()> {
    if destination.out.is_some() {
        // A path below --out has a parent, since it has at least a file name.
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

/// Counts and reports the entries by their state.
fn report_entries(entries: &[FileEntry], tally: &Tally) -> io::Result<()> {
    let mut output = Output::new();
    for FileEntry { target, state } in entries {
        let (event, counter, error) = match state {
            FileState::Done => (tally.done_event, &tally.done, None),
            FileState::Skipped => ("skipped", &tally.skipped, None),
            FileState::Failed(error) => ("failed", &tally.failed, Some(error.as_str())),
            FileState::Pending => ("failed", &tally.failed, Some("no result was computed")),
        };
        Tally::add(counter, 1);
        tally.report_file(&mut output, event, &target.file, error)?;
    }
    output.flush()
}
