//! `sunzi verify`: verification of the signatures of files or of the messages of a stream.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::files::Lengths;
use crate::io::key_files::KeyRing;
use crate::io::lines::MAX_BATCH_BYTES;
use crate::io::messages::{Content, Messages, StreamFormat, StreamKind};
use crate::io::output::Output;
use crate::io::tally::{Fate, Tally};
use crate::io::targets::{CompanionNaming, Found, Targets};
use crate::io::{files, interrupt, key_files, pipeline, progress};
use crate::options::passphrase::UnlockOptions;
use crate::options::signature::SignatureOptions;
use crate::options::{CommonOptions, DefaultThreads};
use crate::signatures::{Signable, Signed, Verifier};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::keys::{Algorithms, PublicKey, Scheme, VerifyRequest, VerifyingKey, verify_batch};
use zeroize::Zeroizing;

/// Verify the signatures of files, folders, or the messages of a stream
///
/// The signature of each file is read from FILE.sig beside it, as `sunzi sign` and `openssl dgst
/// -sign` write it; a file without a signature fails. In folders, what is neither a file to verify
/// nor its signature is left out, and named: *.sig files without a file, links to folders, temporary
/// files of other runs.
///
/// The key decides: with an RSA key the signatures are those of PKCS#1 v1.5 or PSS, with a key of Ed25519
/// or Ed448 those of EdDSA, with a key of another curve those of ECDSA or, if it is secp256k1, of BIP 340.
/// Options that mean nothing for the key are errors.
///
/// With - as the only input, messages are read from standard input as for `sunzi sign`, with an
/// additional field signature in base64. For each message, in order, a line of JSON is written to
/// standard output: {"line":1,"id":...,"valid":true}, or {"line":1,"id":...,"valid":false,"error":"..."}.
///
/// With --keys each message also has a field kid, the identifier of its key in a set of JSON Web Keys
/// (RFC 7517). A kid that the set does not have is an error of its line. The member alg of a key (RS256, PS256,
/// ES256, EdDSA and so on, with signatures of ECDSA as r and s) decides how it signs, and options that contradict
/// it are errors of the lines. Without alg the options decide as for a single key. The member use is not looked at.
///
/// With --json, there is a line {"event":"verified"|"failed"|"left_out","file":...} for each file, and
/// the last line is {"event":"summary",...}. The exit code is 0 only if every signature is valid.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders to verify, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The public key (or a private one, of which the public half is used): PEM, DER, JSON Web Key, OpenSSH
    /// or PKCS#12
    #[arg(short, long, value_name = "FILE", required_unless_present = "keys")]
    key: Option<PathBuf>,
    /// A set of JSON Web Keys, of which each message on standard input names its own by the field kid
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    keys: Option<PathBuf>,
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

/// A verifier of a batch.
struct BatchVerifier {
    engine: Engine,
    verifier: Verifier,
    lengths: Lengths,
    signed: Signed,
    /// The largest number of signatures in a batch.
    batch: usize,
}

/// What is signed and its signature, or the description of an error.
type Claim = Result<(Signable, Vec<u8>), String>;

impl BatchVerifier {
    /// For each claim, in order, `Ok` if the signature is valid, or the description of an error.
    fn verify(&self, claims: &[Claim]) -> Vec<Result<(), String>> {
        let read = claims.iter().flatten();
        let read = read.map(|(message, signature)| (message, &signature[..]));
        answers(claims, self.verifier.verify(&self.engine, read).into_iter())
    }
}

/// For each claim, in order, nothing if the signature is valid, or the description of an error.
type Verdicts = Vec<Result<(), String>>;

/// For each claim, in order, its verdict, or why there is none.
fn answers<C>(
    claims: &[Result<C, String>],
    mut verdicts: impl Iterator<Item = Result<(), String>>,
) -> Verdicts {
    let answer = |claim: &Result<C, String>| match claim {
        Err(error) => Err(error.clone()),
        Ok(_) => match verdicts.next() {
            Some(verdict) => verdict,
            None => Err(String::from("no verdict was computed")),
        },
    };
    claims.iter().map(answer).collect()
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
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        let path = match (&self.key, &self.keys) {
            (Some(key), _) => key,
            (None, Some(keys)) if stream => {
                return self.run_with_keys(keys, &algorithms, common);
            }
            (None, _) => {
                return Err(Failure::new(
                    "--keys is for -, whose messages name their keys: give --key for files",
                ));
            }
        };
        let key = key_files::read_any(path, &self.unlock, &algorithms)?;
        let key = key.into_public();
        let chosen = self.scheme.for_key(&key)?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let verifier = Verifier::new(&algorithms, &key, &chosen)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;

        let tally = Arc::new(Tally::new(
            "verified",
            stream,
            chosen.description,
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let verifier = BatchVerifier {
            engine,
            lengths: verifier.lengths(),
            verifier,
            signed: chosen.signed,
            batch: threads * BATCH_PER_THREAD,
        };
        if stream {
            let claim = &mut |content: Content| {
                let signature = content.signature.ok_or_else(no_signature)?;
                // Refused now, so that a batch keeps no long ones.
                let checked = verifier.lengths.check(signature.len() as u64);
                checked.map_err(|error| format!("the signature {error}"))?;
                Ok((verifier.signed.of(content.message), signature))
            };
            let verify = &|claims: &[Claim]| verifier.verify(claims);
            verify_messages(self.format, verifier.batch, claim, verify, &tally)?;
        } else {
            verify_files(&targets, &verifier, &tally)?;
        }
        pipeline::conclude("verify", stream, &tally)
    }
}

/// A key of a set, prepared, and how it signs.
struct SetKey {
    key: VerifyingKey,
    scheme: Scheme<'static>,
    lengths: Lengths,
}

/// A message with its signature and the key that it names.
struct SetClaim {
    key: Arc<SetKey>,
    message: Zeroizing<Vec<u8>>,
    signature: Vec<u8>,
}

impl Args {
    /// Verifies a stream with the keys of a set.
    fn run_with_keys(
        &self,
        path: &Path,
        algorithms: &Algorithms,
        common: &CommonOptions,
    ) -> Outcome {
        let prepare = |key: &PublicKey, intended: Option<&str>| {
            let chosen = match intended {
                None => self.scheme.for_key(key),
                Some(alg) => self.scheme.for_intended(alg, key),
            };
            let chosen = chosen.map_err(|error| error.to_string())?;
            let lengths = Verifier::new(algorithms, key, &chosen)?.lengths();
            let prepared = VerifyingKey::new(algorithms, key);
            Ok(SetKey {
                key: prepared.map_err(|error| error.to_string())?,
                scheme: chosen.scheme.into(),
                lengths,
            })
        };
        let mut ring = KeyRing::read(path, &self.unlock, algorithms, &prepare)?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let description = match ring.len() {
            1 => String::from("1 key with a kid"),
            keys => format!("{keys} keys with a kid"),
        };
        let tally = Arc::new(Tally::new(
            "verified",
            true,
            description,
            algorithms.engine(),
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();
        let claim = &mut |content: Content| {
            let kid = content.kid.ok_or_else(|| String::from("no field kid"))?;
            let kid: String =
                serde_json::from_str(kid.get()).map_err(|_| String::from("kid is no text"))?;
            let key = ring.get(&kid)?;
            let signature = content.signature.ok_or_else(no_signature)?;
            let checked = key.lengths.check(signature.len() as u64);
            checked.map_err(|error| format!("the signature {error}"))?;
            Ok(SetClaim {
                key,
                message: content.message,
                signature,
            })
        };
        let verify = &|claims: &[Result<SetClaim, String>]| {
            let requests: Vec<_> = claims.iter().flatten().map(SetClaim::request).collect();
            let verdicts = verify_batch(algorithms, &requests).into_iter();
            answers(
                claims,
                verdicts.map(|verdict| verdict.map_err(|error| error.to_string())),
            )
        };
        verify_messages(
            self.format,
            threads * BATCH_PER_THREAD,
            claim,
            verify,
            &tally,
        )?;
        pipeline::conclude("verify", true, &tally)
    }
}

impl SetClaim {
    fn request(&self) -> VerifyRequest<'_> {
        VerifyRequest {
            key: &self.key.key,
            scheme: self.key.scheme,
            message: &self.message,
            signature: &self.signature,
        }
    }
}

fn no_signature() -> String {
    String::from("no field signature")
}

/// The line of output for a message.
#[derive(Serialize)]
struct VerdictLine {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Box<RawValue>>,
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Verifies the messages of a stream in batches of at most `batch`: `claim` makes of a message what `verify` takes.
fn verify_messages<C>(
    format: StreamFormat,
    batch: usize,
    claim: &mut impl FnMut(Content) -> Result<C, String>,
    verify: &impl Fn(&[Result<C, String>]) -> Verdicts,
    tally: &Tally,
) -> Result<(), Failure> {
    let mut messages = Messages::on_stdin(format, StreamKind::Message)?;
    let mut output = Output::new();
    let bar = progress::bar(None, "verify");
    loop {
        let mut entries = Vec::new();
        let mut claims = Vec::new();
        let read = messages.next_batch(batch, |message| {
            entries.push((message.line, message.id));
            claims.push(message.content.and_then(&mut *claim));
        });
        if entries.is_empty() {
            read?;
            break;
        }
        let verdicts = verify(&claims);
        let count = entries.len() as u64;
        let _shield = interrupt::shield();
        for ((line, id), verdict) in entries.into_iter().zip(verdicts) {
            let error = verdict.err();
            tally.count_message(error.is_none());
            output.json(&VerdictLine {
                line,
                id,
                valid: error.is_none(),
                error,
            })?;
        }
        output.flush()?;
        bar.inc(count);
        // What was read before an error has been answered.
        read?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Verifies files.
fn verify_files(
    targets: &Targets<'_>,
    verifier: &BatchVerifier,
    tally: &Tally,
) -> Result<(), Failure> {
    let total = progress::is_visible().then(|| targets.count());
    let bar = progress::bar(total, "verify");
    let mut found = targets.find();
    loop {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < verifier.batch && bytes < MAX_BATCH_BYTES {
            let Some(next) = found.next() else { break };
            let path = path_of(&next);
            let length = std::fs::metadata(path).map_or(0, |file| file.len());
            bytes += path.as_os_str().len() + verifier.signed.kept_bytes(length);
            batch.push(next);
        }
        if batch.is_empty() {
            break;
        }
        let claims: Vec<Claim> = batch
            .par_iter()
            .map(|found| claim(found, verifier))
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

/// The path of what was found.
fn path_of(found: &Found) -> &Path {
    match found {
        Found::File(Ok(target)) => &target.file,
        Found::File(Err(path)) | Found::LeftOut(path) => &path.file,
    }
}

/// Reads a file and its signature.
fn claim(found: &Found, verifier: &BatchVerifier) -> Claim {
    let target = match found {
        Found::File(Ok(target)) => target,
        Found::File(Err(path)) | Found::LeftOut(path) => return Err(path.reason.clone()),
    };
    let signature = files::read_signature(&target.companion, &verifier.lengths)?;
    Ok((verifier.signed.of_file(&target.file)?, signature))
}

/// Counts and reports the verdicts about files.
fn report(batch: &[Found], verdicts: &[Result<(), String>], tally: &Tally) -> io::Result<()> {
    let mut output = Output::new();
    for (found, verdict) in batch.iter().zip(verdicts) {
        let fate = match (found, verdict) {
            (Found::LeftOut(path), _) => Fate::LeftOut(&path.reason),
            (Found::File(_), Ok(())) => Fate::Done { replaced: false },
            (Found::File(_), Err(error)) => Fate::Failed(error),
        };
        tally.report_file(&mut output, path_of(found), fate)?;
    }
    output.flush()
}
