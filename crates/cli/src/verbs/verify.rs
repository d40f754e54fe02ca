//! `sunzi verify`: verification of the signatures of files or of the messages of a stream.

mod ssh;

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::key_ring::KeyRing;
use crate::io::lines::MAX_BATCH_BYTES;
use crate::io::messages::{Content, Messages, StreamFormat, StreamKind};
use crate::io::output::Output;
use crate::io::tally::{Fate, Tally};
use crate::io::targets::{CompanionNaming, Found, Target, Targets};
use crate::io::{files, interrupt, key_files, pipeline, progress};
use crate::options::passphrase::UnlockOptions;
use crate::options::signature::SignatureOptions;
use crate::options::{CommonOptions, DefaultThreads};
use crate::signatures::{Signable, Verifier, verify};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_pk::batch::answered;
use sunzi_pk::ec::eddsa::{Rule, UnknownRule};
use sunzi_pk::keys::{Algorithms, PublicKey, Scheme, VerifyRequest};

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
/// (RFC 7517), or the name of a key file in a folder, without its extension (two files of one name are an error of the
/// lines). A kid that the set does not have is an error of its line. The member alg of a key (RS256, PS256,
/// ES256, EdDSA and so on, with signatures of ECDSA as r and s) decides how it signs, and options that contradict
/// it are errors of the lines. Without alg the options decide as for a single key. The member use is not looked at.
///
/// With --scheme sshsig signatures are those of `ssh-keygen -Y sign`: by the key, or, with --allowed-signers, by a key that
/// such a file allows to --identity, or to anybody without it. Its lines with cert-authority are left out.
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
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["keys", "allowed_signers"])]
    key: Option<PathBuf>,
    /// A set of JSON Web Keys, or a folder of key files, of which each message on standard input names its own by the field kid
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "key")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    scheme: SignatureOptions,
    #[command(flatten)]
    ssh: ssh::Options,
    /// Accept signatures of Ed25519 by this rule: rfc8032, cofactored, zip215 or dalek-strict,
    /// which docs/ed25519-rules.md compares [default: OpenSSL's]
    #[arg(long, value_name = "RULE", value_parser = parse_rule)]
    ed25519_rule: Option<Rule>,
    /// Read the signatures below DIR, as `sunzi sign --out DIR` wrote them
    #[arg(long, value_name = "DIR")]
    signatures: Option<PathBuf>,
    /// Format of the messages on standard input
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
}

fn parse_rule(name: &str) -> Result<Rule, String> {
    name.parse().map_err(|error: UnknownRule| error.to_string())
}

/// The number of signatures in a batch for each thread: more than for `sign`, since verifying is
/// much faster.
const BATCH_PER_THREAD: usize = 512;

/// A message with its signature and the key that is to verify it, or the description of an error.
type Claim = Result<(Arc<Verifier>, Signable, Vec<u8>), String>;

/// For each claim, in order, `Ok` if the signature is valid, or the description of an error.
fn verdicts(algorithms: &Algorithms, claims: &[Claim]) -> Vec<Result<(), String>> {
    let requests = claims.iter().map(|claim| {
        let (key, message, signature) = claim.as_ref().map_err(String::clone)?;
        Ok(key.request(message, signature))
    });
    let computed = answered(
        requests,
        |requests: &[VerifyRequest<'_>]| Ok::<_, Infallible>(verify(algorithms, requests)),
        || String::from("no verdict was computed"),
    );
    computed.unwrap_or_else(|never| match never {})
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
        if self.verifies_for_ssh()? {
            return self.run_for_ssh(stream, &targets, &algorithms, common);
        }
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
        if self.ed25519_rule.is_some() && key.algorithm() != "Ed25519" {
            return Err(Failure::new(format!(
                "--ed25519-rule is for keys of Ed25519, and this is a key of {}",
                key.algorithm()
            )));
        }
        let scheme = self.by_rule(chosen.scheme, &key);
        let verifier = Verifier::new(&algorithms, &key, scheme)
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

        let (verifier, batch) = (Arc::new(verifier), threads * BATCH_PER_THREAD);
        let verdicts = |claims: Vec<Claim>| verdicts(&algorithms, &claims);
        if stream {
            let claim = |content| claim_of_message(Arc::clone(&verifier), content);
            verify_messages(self.format, batch, claim, verdicts, &tally)?;
        } else {
            let files = FileClaims {
                kept_bytes: &|length| verifier.signed().kept_bytes(length),
                claim: &|target| claim_of_file(&verifier, target),
                verdicts: &verdicts,
            };
            verify_files(&targets, batch, &files, &tally)?;
        }
        pipeline::conclude("verify", stream, &tally)
    }
}

impl Args {
    /// The scheme, by the rule for Ed25519 if one is given and the key is one of it.
    fn by_rule(&self, scheme: Scheme<'static>, key: &PublicKey) -> Scheme<'static> {
        match (scheme, self.ed25519_rule) {
            (Scheme::Eddsa(variant), Some(rule)) if key.algorithm() == "Ed25519" => {
                Scheme::EddsaBy(variant, rule)
            }
            (scheme, _) => scheme,
        }
    }

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
            Verifier::new(algorithms, key, self.by_rule(chosen.scheme, key))
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
        let mut key = |content: &Content| {
            let kid = content.kid.as_ref();
            let kid = kid.ok_or_else(|| String::from("no field kid"))?;
            let kid: String =
                serde_json::from_str(kid.get()).map_err(|_| String::from("kid is no text"))?;
            ring.get(&kid)
        };
        let batch = threads * BATCH_PER_THREAD;
        let claim = |content: Content| claim_of_message(key(&content)?, content);
        let verdicts = |claims: Vec<Claim>| verdicts(algorithms, &claims);
        verify_messages(self.format, batch, claim, verdicts, &tally)?;
        pipeline::conclude("verify", true, &tally)
    }
}

/// The claim of a message of a stream about this key.
fn claim_of_message(key: Arc<Verifier>, content: Content) -> Claim {
    let no_signature = || String::from("no field signature");
    let signature = content.signature.ok_or_else(no_signature)?;
    // Refused now, so that a batch keeps no long ones.
    let checked = key.lengths().check(signature.len() as u64);
    checked.map_err(|error| format!("the signature {error}"))?;
    let message = key.signed().of(content.message);
    Ok((key, message, signature))
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

/// Verifies the messages of a stream in batches of at most `batch`. `claim` is what each one claims, and `verdicts` says
/// whether claims are right, in order.
fn verify_messages<C>(
    format: StreamFormat,
    batch: usize,
    mut claim: impl FnMut(Content) -> Result<C, String>,
    verdicts: impl Fn(Vec<Result<C, String>>) -> Vec<Result<(), String>>,
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
            claims.push(message.content.and_then(&mut claim));
        });
        if entries.is_empty() {
            read?;
            break;
        }
        let verdicts = verdicts(claims);
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

/// Whether the claims of files are right, in order.
type Verdicts<'a, C> = &'a dyn Fn(Vec<Result<C, String>>) -> Vec<Result<(), String>>;

/// How files are verified.
struct FileClaims<'a, C> {
    /// Memory that a file of this length takes, in bytes.
    kept_bytes: &'a dyn Fn(u64) -> usize,
    /// The claim that a file and its signature make.
    claim: &'a (dyn Fn(&Target) -> Result<C, String> + Sync),
    verdicts: Verdicts<'a, C>,
}

/// Verifies files in batches of at most `batch_size`.
fn verify_files<C: Send>(
    targets: &Targets<'_>,
    batch_size: usize,
    files: &FileClaims<'_, C>,
    tally: &Tally,
) -> Result<(), Failure> {
    let total = progress::is_visible().then(|| targets.count());
    let bar = progress::bar(total, "verify");
    let mut found = targets.find();
    loop {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < batch_size && bytes < MAX_BATCH_BYTES {
            let Some(next) = found.next() else { break };
            let path = path_of(&next);
            let length = std::fs::metadata(path).map_or(0, |file| file.len());
            bytes += path.as_os_str().len() + (files.kept_bytes)(length);
            batch.push(next);
        }
        if batch.is_empty() {
            break;
        }
        let claim = files.claim;
        let claims = batch.par_iter().map(|found| match found {
            Found::File(Ok(target)) => claim(target),
            Found::File(Err(path)) | Found::LeftOut(path) => Err(path.reason.clone()),
        });
        let verdicts = (files.verdicts)(claims.collect());
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

/// The claim of a file and its signature, which are read.
fn claim_of_file(verifier: &Arc<Verifier>, target: &Target) -> Claim {
    let signature = files::read_signature(&target.companion, verifier.lengths())?;
    let message = verifier.signed().of_file(&target.file)?;
    Ok((Arc::clone(verifier), message, signature))
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
