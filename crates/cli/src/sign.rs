//! `sunzi sign`: files, or the messages of a stream.

use crate::args::{Common, Threads};
use crate::atomic::{self, Access, Existing};
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::messages::{Format, Messages};
use crate::output::Output;
use crate::passphrase::Source;
use crate::scheme::SchemeArgs;
use crate::tally::Tally;
use crate::targets::{Target, Targets, Unusable};
use crate::{files, interrupt, keys, progress};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use getrandom::SysRng;
use rayon::prelude::*;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;
use sunzi_engine::Engine;
use sunzi_pk::rsa::{Scheme, SignRequest, SigningKey, sign_batch};
use sunzi_pk::{Digest, Hash};

/// Sign files, folders, or the messages of a stream with an RSA key
///
/// The signature of each file goes to FILE.sig beside it, as raw bytes that `openssl dgst -verify`
/// accepts. It appears whole or not at all: interrupt the run whenever you like, and start it
/// again with --resume. Folders are walked to the bottom; *.sig files in them are passed over, and
/// symbolic links to folders are not followed.
///
/// With - as the only input, messages come from standard input. JSON Lines: an object a line with
/// the message in one of the fields message (text, signed as UTF-8), message_hex or
/// message_base64, and if you like an id. CSV: the first line names the columns, by the same
/// names. For each message, in order, a line of JSON goes to standard output:
/// {"line":1,"id":...,"signature":"<base64>"}, or {"line":1,"error":"..."}.
///
/// With --json, each file gets a line {"event":"signed"|"skipped"|"failed","file":...} and the
/// run ends with {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders to sign, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The private key: PEM or DER, PKCS#1 or PKCS#8
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    passphrase: Source,
    #[command(flatten)]
    scheme: SchemeArgs,
    /// Write the signatures below DIR, each at the path of its file as given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Skip files that have a signature of the right length
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace existing signatures
    #[arg(long)]
    force: bool,
    /// How messages on standard input are written
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Sign with a key of fewer than 2048 bits, which others may be able to break
    #[arg(long)]
    force_1024: bool,
}

/// Signatures of one batch, for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 128;

/// What is known once the arguments are checked.
struct Job {
    engine: Engine,
    key: SigningKey,
    scheme: Scheme,
    hash: Hash,
    batch: usize,
}

impl Job {
    /// The signatures of the digests, in order.
    fn sign(&self, digests: &[Digest]) -> Vec<Result<Vec<u8>, String>> {
        let requests: Vec<_> = digests
            .iter()
            .map(|&digest| SignRequest {
                key: &self.key,
                scheme: self.scheme,
                digest,
            })
            .collect();
        sign_batch(&self.engine, &mut SysRng, &requests)
            .into_iter()
            .map(|signature| signature.map_err(|error| error.to_string()))
            .collect()
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let stream = args.inputs.iter().any(|input| input.as_os_str() == "-");
    if stream && args.inputs.len() > 1 {
        return Err(Failure::new("- (standard input) must be the only input"));
    }
    if stream && (args.out.is_some() || args.resume || args.force) {
        return Err(Failure::new(
            "--out, --resume and --force are for files, not for -",
        ));
    }
    let targets = Targets::new(&args.inputs, args.out.as_deref())?;
    let scheme = args.scheme.scheme()?;
    let engine = common.engine()?;
    let key = keys::private(&args.key, &args.passphrase)?;
    let key = if args.force_1024 {
        key.permit_1024()
    } else {
        key
    };
    let threads = common.start_threads(Threads::All)?;
    let key = SigningKey::new(&engine, &key).map_err(|error| {
        let advice = if args.force_1024 {
            ""
        } else {
            "; --force-1024 permits it"
        };
        Failure::new(match error {
            sunzi_pk::rsa::KeyError::TooShortToSign(bits) => format!(
                "{}: a key of {bits} bits is too weak to sign{advice}",
                args.key.display()
            ),
            error => format!("{}: {error}", args.key.display()),
        })
    })?;

    let tally = Arc::new(Tally {
        done_word: "signed",
        unit: if stream { "messages" } else { "files" },
        how: format!(
            "RSA-{}, {}",
            key.public_key().bits(),
            args.scheme.describe()
        ),
        backend: engine.backend(),
        threads,
        json: common.json,
        start: Instant::now(),
        done: AtomicU64::new(0),
        skipped: AtomicU64::new(0),
        failed: AtomicU64::new(0),
    });
    let last_words = Arc::clone(&tally);
    interrupt::install(move |at_line_end| last_words.summarize_interrupted(at_line_end));

    let batch = threads * BATCH_PER_THREAD;
    let job = Job {
        engine,
        key,
        scheme,
        hash: args.scheme.hash(),
        batch,
    };
    if stream {
        sign_messages(args.format, &job, &tally)?;
    } else {
        sign_files(&targets, args, &job, &tally)?;
    }
    if tally.total() == 0 {
        let place = if stream {
            "standard input is empty"
        } else {
            "no file in the folders given"
        };
        return Err(Failure::new(format!("there is nothing to sign: {place}")));
    }
    tally.summarize(false)?;
    Ok(tally.status())
}

/// A line of output for a message.
#[derive(Serialize)]
struct Answer {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<serde_json::Value>,
    #[serde(flatten)]
    result: Signed,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Signed {
    Signature(String),
    Error(String),
}

fn sign_messages(format: Format, job: &Job, tally: &Tally) -> Result<(), Failure> {
    let mut messages = Messages::on_stdin(format)?;
    let mut output = Output::new();
    let bar = progress::bar(None, "sign");
    loop {
        let mut entries = Vec::new();
        while entries.len() < job.batch && (entries.is_empty() || messages.is_ready()) {
            let Some(message) = messages.next()? else {
                break;
            };
            let digest = message
                .content
                .map(|content| job.hash.digest(&content.message));
            entries.push((message.line, message.id, digest));
        }
        if entries.is_empty() {
            break;
        }
        let count = entries.len() as u64;
        let digests: Vec<_> = entries
            .iter()
            .filter_map(|(_, _, digest)| digest.as_ref().ok().copied())
            .collect();
        let mut signatures = job.sign(&digests).into_iter();

        let _shield = interrupt::shield();
        for (line, id, digest) in entries {
            let signature = digest.and_then(|_| {
                signatures
                    .next()
                    .unwrap_or_else(|| Err(String::from("no signature was computed")))
            });
            let result = match signature {
                Ok(signature) => {
                    Tally::add(&tally.done, 1);
                    Signed::Signature(BASE64.encode(signature))
                }
                Err(error) => {
                    Tally::add(&tally.failed, 1);
                    Signed::Error(error)
                }
            };
            output.json(&Answer { line, id, result })?;
        }
        output.flush()?;
        bar.inc(count);
    }
    bar.finish_and_clear();
    Ok(())
}

/// What became of a file.
enum State {
    /// Its signature is to be made.
    Pending,
    /// Its signature was there.
    Skipped,
    /// Its signature is in place.
    Signed,
    /// The reason.
    Failed(String),
}

/// A file on its way.
struct Entry {
    target: Target,
    state: State,
}

fn sign_files(targets: &Targets<'_>, args: &Args, job: &Job, tally: &Tally) -> Result<(), Failure> {
    let total = progress::is_visible().then(|| targets.count());
    let bar = progress::bar(total, "sign");
    let mut targets = targets.iter().peekable();
    while targets.peek().is_some() {
        // Files that are done already cost next to nothing, but their events are kept until
        // the batch is written: that is bounded, too.
        let mut entries = Vec::new();
        let mut pending = 0;
        while pending < job.batch && entries.len() < 16 * job.batch {
            let Some(target) = targets.next() else { break };
            let entry = Entry::examine(target, args, job.key.public_key().size());
            pending += usize::from(matches!(entry.state, State::Pending));
            entries.push(entry);
        }
        let signatures = sign_entries(&mut entries, job);
        let shield = interrupt::shield();
        let disk_full = write_signatures(&mut entries, signatures, args);
        bar.suspend(|| report_entries(&entries, tally))?;
        drop(shield);
        bar.inc(entries.len() as u64);
        if let Some(error) = disk_full {
            tally.summarize(false)?;
            return Err(Failure::new(format!(
                "cannot write more signatures ({error}): make room and run again with --resume"
            )));
        }
    }
    bar.finish_and_clear();
    Ok(())
}

impl Entry {
    /// Decides whether a target is to be signed.
    fn examine(target: Result<Target, Unusable>, args: &Args, length: usize) -> Self {
        let target = match target {
            Ok(target) => target,
            Err(Unusable { file, reason }) => {
                let target = Target {
                    file,
                    signature: PathBuf::new(),
                };
                return Self {
                    target,
                    state: State::Failed(reason),
                };
            }
        };
        let signature = &target.signature;
        let is_done =
            || std::fs::metadata(signature).is_ok_and(|f| f.is_file() && f.len() == length as u64);
        let state = if args.resume {
            if is_done() {
                State::Skipped
            } else {
                State::Pending
            }
        } else if !args.force && signature.symlink_metadata().is_ok() {
            State::Failed(exists(signature))
        } else {
            State::Pending
        };
        Self { target, state }
    }
}

fn exists(signature: &Path) -> String {
    format!(
        "{} exists: --resume skips what is done, --force replaces it",
        signature.display()
    )
}

/// The signatures of the pending entries, in order; what cannot be read is pending no more.
fn sign_entries(entries: &mut [Entry], job: &Job) -> Vec<Result<Vec<u8>, String>> {
    let digests: Vec<Digest> = entries
        .par_iter_mut()
        .filter_map(|entry| match entry.state {
            State::Pending => files::digest(&entry.target.file, job.hash)
                .inspect_err(|error| entry.state = State::Failed(error.to_string()))
                .ok(),
            _ => None,
        })
        .collect();
    job.sign(&digests)
}

/// Writes the signatures of the pending entries; returns why the disk takes no more.
fn write_signatures(
    entries: &mut [Entry],
    signatures: Vec<Result<Vec<u8>, String>>,
    args: &Args,
) -> Option<io::Error> {
    let pending: Vec<_> = entries
        .iter_mut()
        .filter(|entry| matches!(entry.state, State::Pending))
        .collect();
    let write = |(entry, signature): (&mut Entry, Result<Vec<u8>, String>)| {
        let path = &entry.target.signature;
        let (state, disk_full) = match signature.map(|signature| write(path, &signature, args)) {
            Ok(Ok(())) => (State::Signed, None),
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
        .zip(signatures)
        .filter_map(write)
        .reduce_with(|first, _| first)
}

fn write(path: &Path, signature: &[u8], args: &Args) -> io::Result<()> {
    if args.out.is_some() {
        // `signature_of` appends at least a file's name to --out.
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    }
    let replace = args.force || args.resume;
    let existing = if replace {
        Existing::Replace
    } else {
        Existing::Keep
    };
    atomic::write(path, signature, Access::Usual, existing)
}

/// Counts and reports what became of the entries.
fn report_entries(entries: &[Entry], tally: &Tally) -> io::Result<()> {
    let mut output = Output::new();
    for Entry { target, state } in entries {
        let (event, counter, error) = match state {
            State::Signed => ("signed", &tally.done, None),
            State::Skipped => ("skipped", &tally.skipped, None),
            State::Failed(error) => ("failed", &tally.failed, Some(error.as_str())),
            State::Pending => ("failed", &tally.failed, Some("no signature was computed")),
        };
        Tally::add(counter, 1);
        tally.report_file(&mut output, event, &target.file, error)?;
    }
    output.flush()
}
