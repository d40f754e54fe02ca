//! `sunzi verify`: verification of the signatures of files or of the messages of a stream.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::messages::{Messages, StreamFormat, StreamKind};
use crate::io::output::Output;
use crate::io::tally::Tally;
use crate::io::targets::{CompanionNaming, Target, Targets, UnusablePath};
use crate::io::{files, interrupt, key_files, pipeline, progress};
use crate::options::passphrase::UnlockOptions;
use crate::options::signature::SignatureOptions;
use crate::options::{CommonOptions, DefaultThreads};
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
/// -sign` write it; a file without a signature fails. In folders, *.sig files are skipped.
///
/// With - as the only input, messages are read from standard input as for `sunzi sign`, with an
/// additional field signature in base64. For each message, in order, a line of JSON is written to
/// standard output: {"line":1,"id":...,"valid":true}, or {"line":1,"valid":false,"error":"..."}.
///
/// With --json, there is a line {"event":"verified"|"failed","file":...} for each file, and the last
/// line is {"event":"summary",...}. The exit code is 0 only if every signature is valid.
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
    unlock: UnlockOptions,
    #[command(flatten)]
    scheme: SignatureOptions,
    /// Read the signatures below DIR, as `sunzi sign --out DIR` wrote them
    #[arg(long, value_name = "DIR")]
    signatures: Option<PathBuf>,
    /// Format of the messages on standard input
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
}

/// The number of signatures in a batch for each thread: more than for `sign`, since verifying is
/// much faster.
const BATCH_PER_THREAD: usize = 512;

/// A verifier: the engine with a key and a scheme.
struct Verifier {
    engine: Engine,
    key: VerifyingKey,
    scheme: Scheme,
    hash: Hash,
    /// The largest number of signatures in a batch.
    batch: usize,
}

/// A digest and its signature, or the description of an error.
type Claim = Result<(Digest, Vec<u8>), String>;

impl Verifier {
    /// For each claim, in order, `Ok` if the signature is valid, or the description of an error.
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

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let stream = pipeline::is_stream(&self.inputs)?;
        if stream && self.signatures.is_some() {
            return Err(Failure::new("--signatures is for files, not for -"));
        }
        let targets = Targets::new(
            &self.inputs,
            self.signatures.as_deref(),
            CompanionNaming::Append("sig"),
        )?;
        let scheme = self.scheme.scheme()?;
        let engine = common.engine()?;
        let key = key_files::read_any(&self.key, &self.unlock)?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let key = VerifyingKey::new(&engine, key.public())
            .map_err(|error| Failure::new(format!("{}: {error}", self.key.display())))?;

        let bits = key.public_key().bits();
        let key_and_scheme = format!("RSA-{bits}, {}", self.scheme.describe());
        let tally = Arc::new(Tally::new(
            "verified",
            stream,
            key_and_scheme,
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let batch = threads * BATCH_PER_THREAD;
        let verifier = Verifier {
            engine,
            key,
            scheme,
            hash: self.scheme.hash(),
            batch,
        };
        if stream {
            verify_messages(self.format, &verifier, &tally)?;
        } else {
            verify_files(&targets, &verifier, &tally)?;
        }
        pipeline::conclude("verify", stream, &tally)
    }
}

/// The line of output for a message.
#[derive(Serialize)]
struct VerdictLine {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<serde_json::Value>,
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Verifies the messages of a stream.
fn verify_messages(
    format: StreamFormat,
    verifier: &Verifier,
    tally: &Tally,
) -> Result<(), Failure> {
    let mut messages = Messages::on_stdin(format, StreamKind::Message)?;
    let mut output = Output::new();
    let bar = progress::bar(None, "verify");
    loop {
        let mut entries = Vec::new();
        let mut claims: Vec<Claim> = Vec::new();
        while entries.len() < verifier.batch && (entries.is_empty() || messages.is_ready()) {
            let Some(message) = messages.next()? else {
                break;
            };
            entries.push((message.line, message.id));
            claims.push(message.content.and_then(|content| {
                let signature = content
                    .signature
                    .ok_or_else(|| String::from("no field signature"))?;
                Ok((verifier.hash.digest(&content.message), signature))
            }));
        }
        if entries.is_empty() {
            break;
        }
        let verdicts = verifier.verify(&claims);
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
            output.json(&VerdictLine {
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

/// Verifies files.
fn verify_files(targets: &Targets<'_>, verifier: &Verifier, tally: &Tally) -> Result<(), Failure> {
    let total = progress::is_visible().then(|| targets.count());
    let bar = progress::bar(total, "verify");
    let mut targets = targets.iter();
    loop {
        let batch: Vec<_> = targets.by_ref().take(verifier.batch).collect();
        if batch.is_empty() {
            break;
        }
        let claims: Vec<Claim> = batch
            .par_iter()
            .map(|target| claim(target, verifier))
            .collect();
        let verdicts = verifier.verify(&claims);
        let shield = interrupt::shield();
        bar.suspend(|| report(&batch, &verdicts, tally))?;
        drop(shield);
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Reads a file and its signature.
fn claim(target: &Result<Target, UnusablePath>, verifier: &Verifier) -> Claim {
    let target = target
        .as_ref()
        .map_err(|unusable| unusable.reason.clone())?;
    let signature = read_signature(&target.companion, verifier.key.public_key().size())?;
    let digest = files::digest(&target.file, verifier.hash).map_err(|error| error.to_string())?;
    Ok((digest, signature))
}

/// Reads a signature of the expected length, in bytes.
fn read_signature(path: &Path, length: usize) -> Result<Vec<u8>, String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("there is no signature {}", path.display()),
        _ => format!("{}: {error}", path.display()),
    };
    // The type is checked before the file is opened, since opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
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
    let file = File::open(path).map_err(unreadable)?;
    file.take(length as u64 + 1)
        .read_to_end(&mut signature)
        .map_err(unreadable)?;
    Ok(signature)
}

/// Counts and reports the verdicts about files.
fn report(
    batch: &[Result<Target, UnusablePath>],
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
