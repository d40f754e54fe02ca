//! The pipeline of `sign`, `encrypt`, `decrypt` and `agree`: files or the messages of a stream are read,
//! processed in batches, and the results are written atomically.

use super::atomic::{self, Access, Existing};
use super::files::Lengths;
use super::lines::MAX_BATCH_BYTES;
use super::messages::Messages;
use super::output::Output;
use super::tally::{Fate, Tally};
use super::targets::{Target, Targets, UnusablePath};
use super::{files, interrupt, progress};
use crate::failure::{Failure, Outcome, inform};
use base64ct::{Base64, Encoding};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
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
    /// Skip files whose result exists (see above for what is checked)
    #[arg(long, conflicts_with = "force")]
    pub(crate) resume: bool,
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
    /// The encoding of the result there.
    pub(crate) text: ResultText,
    /// The largest number of items in a batch.
    pub(crate) batch: usize,
    /// Computes a result for each item, in order.
    pub(crate) compute: &'a dyn Fn(&[T]) -> Vec<BytesResult>,
}

/// Encodings of bytes as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultText {
    Base64,
    Hex,
}

impl ResultText {
    /// The text, in constant time.
    fn of(self, bytes: &[u8]) -> Zeroizing<String> {
        Zeroizing::new(match self {
            Self::Base64 => Base64::encode_string(bytes),
            Self::Hex => base16ct::lower::encode_string(bytes),
        })
    }
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
    id: Option<Box<RawValue>>,
    /// One field: the result, or the field `error`.
    #[serde(flatten)]
    result: BTreeMap<&'static str, &'a str>,
}

/// Processes the messages of a stream; `prepare` makes an item from the bytes of a message as soon as
/// it is read, or refuses it.
pub(crate) fn run_messages<T, R: Read>(
    operation: &BatchOperation<'_, T>,
    mut messages: Messages<R>,
    prepare: &dyn Fn(Zeroizing<Vec<u8>>) -> Result<T, String>,
    tally: &Tally,
) -> Result<(), Failure> {
    let mut output = Output::new();
    let bar = progress::bar(None, operation.verb);
    loop {
        let mut entries = Vec::new();
        let mut batch = Vec::new();
        let read = messages.next_batch(operation.batch, |message| {
            let content = message
                .content
                .and_then(|content| prepare(content.message))
                .map(|item| batch.push(item));
            entries.push((message.line, message.id, content));
        });
        if entries.is_empty() {
            read?;
            break;
        }
        let count = entries.len() as u64;
        let mut results = (operation.compute)(&batch).into_iter();

        let _shield = interrupt::shield();
        for (line, id, content) in entries {
            let result = content.and_then(|()| results.next().unwrap_or_else(not_computed));
            tally.count_message(result.is_ok());
            let result = result.map(|bytes| operation.text.of(&bytes));
            let (field, text) = match &result {
                Ok(text) => (operation.field, text.as_str()),
                Err(error) => ("error", error.as_str()),
            };
            let result = BTreeMap::from([(field, text)]);
            output.json(&ResultLine { line, id, result })?;
        }
        output.flush()?;
        bar.inc(count);
        // What was read before an error has been answered.
        read?;
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
    /// About how many bytes the item of a file of this length has.
    pub(crate) kept_bytes: &'a dyn Fn(u64) -> usize,
    /// The treatment of a result that exists, under `--resume`.
    pub(crate) resume: Resume<'a, T>,
}

/// Verifies results, each with the item that it was made from, and returns which are right.
pub(crate) type VerifyResults<'a, T> = &'a dyn Fn(&[(&T, Vec<u8>)]) -> Vec<bool>;

/// The treatment of a result that exists, under `--resume`.
pub(crate) enum Resume<'a, T> {
    /// The result is verified. A right one is skipped, and a wrong one is made again.
    Verify {
        /// The lengths that a result may have.
        lengths: &'a Lengths,
        verify: VerifyResults<'a, T>,
    },
    /// A result that may be complete is skipped, and is not checked.
    Skip(&'a dyn Fn(&Metadata) -> bool),
}

/// The state of a file in the pipeline.
enum FileState {
    /// Its result is yet to be made.
    Pending,
    /// Its result existed already, and is yet to be verified.
    Unverified,
    /// Its result existed already.
    Skipped { checked: bool },
    /// Its result was written.
    Done,
    /// Its result exists, and is not to be replaced: described by this.
    Existing(String),
    /// It failed, for this reason.
    Failed(String),
}

/// A file in the pipeline.
struct FileEntry<T> {
    target: Target,
    state: FileState,
    /// Whether a result existed when a run with `--resume` began with the file.
    existed: bool,
    /// The input of the result, once the file has been read.
    item: Option<T>,
}

impl<T> FileEntry<T> {
    fn new(target: Target, state: FileState) -> Self {
        Self {
            target,
            state,
            existed: false,
            item: None,
        }
    }

    /// Whether the file is to be read.
    fn is_to_be_read(&self) -> bool {
        matches!(self.state, FileState::Pending | FileState::Unverified)
    }

    /// The length of the paths, in bytes.
    fn path_bytes(&self) -> usize {
        self.target.file.as_os_str().len() + self.target.companion.as_os_str().len()
    }
}

/// Processes files.
pub(crate) fn run_files<T: Send>(
    operation: &BatchOperation<'_, T>,
    files: &FileHandling<'_, T>,
    tally: &Tally,
) -> Result<(), Failure> {
    let swept = files.targets.sweep();
    if swept > 0 {
        let plural = if swept == 1 { "" } else { "s" };
        inform(&format_args!(
            "{swept} temporary file{plural} of killed runs removed"
        ));
    }
    let total = progress::is_visible().then(|| files.targets.count());
    let bar = progress::bar(total, operation.verb);
    let mut targets = files.targets.iter().peekable();
    while targets.peek().is_some() {
        // Skipped files cost next to nothing, but their events are kept until the batch is
        // written, so their number is bounded too.
        let mut entries = Vec::new();
        let (mut to_read, mut bytes) = (0, 0);
        while to_read < operation.batch
            && entries.len() < 16 * operation.batch
            && bytes < MAX_BATCH_BYTES
        {
            let Some(target) = targets.next() else { break };
            let entry = files.examine(target);
            bytes += entry.path_bytes();
            if entry.is_to_be_read() {
                to_read += 1;
                let file = std::fs::metadata(&entry.target.file);
                bytes += (files.kept_bytes)(file.map_or(0, |file| file.len()));
            }
            entries.push(entry);
        }
        files.read(&mut entries);
        files.verify_existing(&mut entries);
        let pending = entries
            .iter_mut()
            .filter(|entry| matches!(entry.state, FileState::Pending));
        let batch: Vec<T> = pending.filter_map(|entry| entry.item.take()).collect();
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
    fn examine(&self, target: Result<Target, UnusablePath>) -> FileEntry<T> {
        let target = match target {
            Ok(target) => target,
            Err(UnusablePath { file, reason }) => {
                let target = Target {
                    file,
                    companion: PathBuf::new(),
                };
                return FileEntry::new(target, FileState::Failed(reason));
            }
        };
        let path = &target.companion;
        if self.destination.resume {
            let existing = std::fs::metadata(path);
            let existed = existing.is_ok();
            let state = match (existing, &self.resume) {
                (Ok(_), Resume::Verify { .. }) => FileState::Unverified,
                (Ok(file), Resume::Skip(is_result)) if file.is_file() && is_result(&file) => {
                    FileState::Skipped { checked: false }
                }
                _ => FileState::Pending,
            };
            let entry = FileEntry::new(target, state);
            return FileEntry { existed, ..entry };
        }
        let state = if !self.destination.force && path.symlink_metadata().is_ok() {
            FileState::Existing(exists(path))
        } else {
            FileState::Pending
        };
        FileEntry::new(target, state)
    }

    /// Reads the files of which something is to be made or verified. Entries that cannot be read
    /// become failed.
    fn read(&self, entries: &mut [FileEntry<T>]) {
        entries
            .par_iter_mut()
            .filter(|entry| entry.is_to_be_read())
            .for_each(|entry| match (self.read)(&entry.target.file) {
                Ok(item) => entry.item = Some(item),
                Err(error) => entry.state = FileState::Failed(error),
            });
    }

    /// Verifies the results that exist. Those that are not right become pending.
    fn verify_existing(&self, entries: &mut [FileEntry<T>]) {
        let Resume::Verify { lengths, verify } = &self.resume else {
            return;
        };
        let (mut claims, mut states) = (Vec::new(), Vec::new());
        for entry in entries {
            let (FileState::Unverified, Some(item)) = (&entry.state, &entry.item) else {
                continue;
            };
            match files::read_signature(&entry.target.companion, lengths) {
                Ok(signature) => {
                    claims.push((item, signature));
                    states.push(&mut entry.state);
                }
                Err(_) => entry.state = FileState::Pending,
            }
        }
        let verdicts = verify(&claims);
        for (state, is_right) in states.into_iter().zip(verdicts) {
            *state = if is_right {
                FileState::Skipped { checked: true }
            } else {
                FileState::Pending
            };
        }
    }

    /// Writes the results of the pending entries. Returns an error if the disk is full.
    fn write_results(
        &self,
        entries: &mut [FileEntry<T>],
        results: Vec<BytesResult>,
    ) -> Option<io::Error> {
        let (destination, access) = (self.destination, self.access);
        let pending: Vec<_> = entries
            .iter_mut()
            .filter(|entry| matches!(entry.state, FileState::Pending))
            .collect();
        let write = |(entry, result): (&mut FileEntry<T>, BytesResult)| {
            let path = &entry.target.companion;
            let written = result.map(|result| write(path, &result, destination, access));
            let (state, disk_full) = match written {
                Ok(Ok(())) => (FileState::Done, None),
                Ok(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                    (FileState::Existing(exists(path)), None)
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
fn report_entries<T>(entries: &[FileEntry<T>], tally: &Tally) -> io::Result<()> {
    let mut output = Output::new();
    for entry in entries {
        let fate = match &entry.state {
            FileState::Done => Fate::Done {
                replaced: entry.existed,
            },
            FileState::Skipped { checked } => Fate::Skipped { checked: *checked },
            FileState::Existing(error) => Fate::Existing(error),
            FileState::Failed(error) => Fate::Failed(error),
            FileState::Pending | FileState::Unverified => Fate::Failed("no result was computed"),
        };
        tally.report_file(&mut output, &entry.target.file, fate)?;
    }
    output.flush()
}
