//! `sunzi verify`: the signatures of files, or of the messages of a stream.

use crate::args::{Common, Threads};
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::messages::{Expected, Format, Messages};
use crate::output::Output;
use crate::passphrase::Source;
use crate::scheme::SchemeArgs;
use crate::tally::Tally;
use crate::targets::{Naming, Target, Targets, Unusable};
use crate::{files, interrupt, keys, progress};
use rayon::prelude::*;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::rsa::{Scheme, VerifyRequest, VerifyingKey, verify_batch};
use sunzi_pk::{Digest, Hash};

/// Verify the signatures of files, folders, or the messages of a stream
///
/// The signature of each file is read from FILE.sig beside it, as `sunzi sign` and `openssl dgst
/// -sign` write it; a file without one fails. In folders, *.sig files are passed over.
///
/// With - as the only input, messages come from standard input as for `sunzi sign`, with a field
/// signature in base64. For each, in order, a line of JSON goes to standard output:
/// {"line":1,"id":...,"valid":true}, or {"line":1,"valid":false,"error":"..."}.
///
/// With --json, each file gets a line {"event":"verified"|"failed","file":...} and the run ends
/// with {"event":"summary",...}. The exit code is 0 only if every signature is right.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders to verify, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The public key (or a private one, of which the public half is used): PEM or DER
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    passphrase: Source,
    #[command(flatten)]
    scheme: SchemeArgs,
    /// Read the signatures below DIR, as `sunzi sign --out DIR` wrote them
    #[arg(long, value_name = "DIR")]
    signatures: Option<PathBuf>,
    /// How messages on standard input are written
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
}

/// Signatures of one batch, for each thread. Verifying is much faster than signing.
const BATCH_PER_THREAD: usize = 512;

/// What is known once the arguments are checked.
struct Job {
    engine: Engine,
    key: VerifyingKey,
    scheme: Scheme,
    hash: Hash,
    batch: usize,
}

/// A digest and its signature, or why they cannot be had.
type Claim = Result<(Digest, Vec<u8>), String>;

impl Job {
    /// Whether each claim is right, in order.
    fn verify(&self, claims: &[Claim]) -> Vec<Result<(), String>> {
        let requests: Vec<_> = claims
            .iter()
            .flatten()
            .map(|(digest, signature)| VerifyRequest {
                key: &self.key,
                scheme: self.scheme,
                digest: *digest,
                signature,
            })
            .collect();
        let mut verdicts = verify_batch(&self.engine, &requests).into_iter();
        claims
            .iter()
            .map(|claim| match claim {
                Err(error) => Err(error.clone()),
                Ok(_) => match verdicts.next() {
                    Some(verdict) => verdict.map_err(|error| error.to_string()),
                    None => Err(String::from("no verdict was computed")),
                },
            })
            .collect()
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let stream = args.inputs.iter().any(|input| input.as_os_str() == "-");
    if stream && args.inputs.len() > 1 {
        return Err(Failure::new("- (standard input) must be the only input"));
    }
    if stream && args.signatures.is_some() {
        return Err(Failure::new("--signatures is for files, not for -"));
    }
    let targets = Targets::new(
        &args.inputs,
        args.signatures.as_deref(),
        Naming::Append("sig"),
    )?;
    let scheme = args.scheme.scheme()?;
    let engine = common.engine()?;
    let key = keys::any(&args.key, &args.passphrase)?;
    let threads = common.start_threads(Threads::All)?;
    let key = VerifyingKey::new(&engine, key.public())
        .map_err(|error| Failure::new(format!("{}: {error}", args.key.display())))?;

    let bits = key.public_key().bits();
    let how = format!("RSA-{bits}, {}", args.scheme.describe());
    let tally = Arc::new(Tally::new(
        "verified",
        stream,
        how,
        &engine,
        threads,
        common.json,
    ));
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
        verify_messages(args.format, &job, &tally)?;
    } else {
        verify_files(&targets, &job, &tally)?;
    }
    if tally.total() == 0 {
        let place = if stream {
            "standard input is empty"
        } else {
            "no file in the folders given"
        };
        return Err(Failure::new(format!("there is nothing to verify: {place}")));
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
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn verify_messages(format: Format, job: &Job, tally: &Tally) -> Result<(), Failure> {
    let mut messages = Messages::on_stdin(format, Expected::Message)?;
    let mut output = Output::new();
    let bar = progress::bar(None, "verify");
    loop {
        let mut entries = Vec::new();
        let mut claims: Vec<Claim> = Vec::new();
        while entries.len() < job.batch && (entries.is_empty() || messages.is_ready()) {
            let Some(message) = messages.next()? else {
                break;
            };
            entries.push((message.line, message.id));
            claims.push(message.content.and_then(|content| {
                let signature = content
                    .signature
                    .ok_or_else(|| String::from("no field signature"))?;
                Ok((job.hash.digest(&content.message), signature))
            }));
        }
        if entries.is_empty() {
            break;
        }
        let verdicts = job.verify(&claims);
        let count = entries.len() as u64;
        let _shield = interrupt::shield();
        for ((line, id), verdict) in entries.into_iter().zip(verdicts) {
            let error = verdict.err();
            Tally::add(
                if error.is_none() {
                    &tally.done
                } else {
                    &tally.failed
                },
                1,
            );
            output.json(&Answer {
                line,
                id,
                valid: error.is_none(),
                error,
            })?;
        }
        output.flush()?;
        bar.inc(count);
    }
    bar.finish_and_clear();
    Ok(())
}

fn verify_files(targets: &Targets<'_>, job: &Job, tally: &Tally) -> Result<(), Failure> {
    let total = progress::is_visible().then(|| targets.count());
    let bar = progress::bar(total, "verify");
    let mut targets = targets.iter();
    loop {
        let batch: Vec<_> = targets.by_ref().take(job.batch).collect();
        if batch.is_empty() {
            break;
        }
        let claims: Vec<Claim> = batch.par_iter().map(|target| claim(target, job)).collect();
        let verdicts = job.verify(&claims);
        let shield = interrupt::shield();
        bar.suspend(|| report(&batch, &verdicts, tally))?;
        drop(shield);
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Reads a file and its signature.
fn claim(target: &Result<Target, Unusable>, job: &Job) -> Claim {
    let target = target
        .as_ref()
        .map_err(|unusable| unusable.reason.clone())?;
    let signature = read_signature(&target.companion, job.key.public_key().size())?;
    let digest = files::digest(&target.file, job.hash).map_err(|error| error.to_string())?;
    Ok((digest, signature))
}

/// Reads a signature, if its file has the expected length.
fn read_signature(path: &Path, length: usize) -> Result<Vec<u8>, String> {
    let told = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("there is no signature {}", path.display()),
        _ => format!("{}: {error}", path.display()),
    };
    // Looked at before it is opened: opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(told)?;
    if !metadata.is_file() {
        return Err(format!("{} is not a regular file", path.display()));
    }
    if metadata.len() != length as u64 {
        return Err(format!(
            "{} has {} bytes: a signature by this key has {length}",
            path.display(),
            metadata.len()
        ));
    }
    let mut signature = Vec::with_capacity(length + 1);
    let file = File::open(path).map_err(told)?;
    file.take(length as u64 + 1)
        .read_to_end(&mut signature)
        .map_err(told)?;
    Ok(signature)
}

fn report(
    batch: &[Result<Target, Unusable>],
    verdicts: &[Result<(), String>],
    tally: &Tally,
) -> io::Result<()> {
    let mut output = Output::new();
    for (target, verdict) in batch.iter().zip(verdicts) {
        let file = match target {
            Ok(target) => &target.file,
            Err(unusable) => &unusable.file,
        };
        let error = verdict.as_ref().err().map(String::as_str);
        let (event, counter) = if error.is_none() {
            ("verified", &tally.done)
        } else {
            ("failed", &tally.failed)
        };
        Tally::add(counter, 1);
        tally.report_file(&mut output, event, file, error)?;
    }
    output.flush()
}
