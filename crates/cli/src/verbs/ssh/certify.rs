//! `sunzi ssh certify`: certificates of a list of requests.

use super::super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, report};
use crate::io::answers::{Entry, answer_lines};
use crate::io::csv::{Record, Records};
use crate::io::files::read_short;
use crate::io::key_files;
use crate::io::messages::StreamFormat;
use crate::io::output::Output;
use crate::options::now::NowOption;
use crate::options::passphrase::UnlockOptions;
use crate::options::{CommonOptions, DefaultThreads};
use getrandom::SysRng;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Number, Value};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::PathBuf;
use sunzi_jobs::ssh::{
    Authority, CertificateKind, MAX_REQUEST_BYTES, Policy, Request, certify_batch,
};
use sunzi_pk::MAX_FILE_BYTES;
use sunzi_pk::batch::answered;
use sunzi_pk::keys::{Algorithms, NonceKind, SigningKey};

/// Issue certificates for a list of requests, as far as a policy permits
///
/// Each line is a request, a JSON object: {"key":"ssh-ed25519 AAAA...","key_id":"alice","principals":["alice"],
/// "lifetime":3600}. It may also have serial (0 without it; a number is given to one certificate of a list), type (user
/// or host), valid_after (now without it), valid_before in place of lifetime, critical_options and extensions, as
/// objects of texts or lists of names. Times are seconds since 1970, or in UTC as 20261126Z or 20261126153059Z.
///
/// With --format csv the first line names the columns; principals and extensions are lists with commas, and
/// critical_options is such a JSON object. Empty fields are left out.
///
/// The policy is a JSON object: {"types":["user"],"principals":["dev-*","alice"],"max_validity":86400,
/// "min_rsa_bits":3072,"critical_options":["force-command"],"required_options":[],"extensions":["permit-pty"]}.
/// Anything else is not permitted: there are no principals, options or extensions by default, and the
/// shortest RSA key has 2048 bits. With types of one kind, requests need no type. Whatever the policy, there is no
/// certificate without principals, and none of a host has options.
///
/// For each request, in order, a line is written: the certificate, as OpenSSH's files *-cert.pub have it, or
/// nothing if it is refused, and then its line and the reason are reported. With --json the answers are
/// {"line":1,"certificate":"..."} and {"line":1,"error":"..."}.
#[expect(clippy::doc_link_with_quotes, reason = "it is also the text of --help")]
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A file with a request a line, or `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The private key of the authority: OpenSSH, PEM, DER, JSON Web Key or PKCS#12
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    unlock: UnlockOptions,
    /// The policy
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Format of the requests
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
    /// Write no certificate unless every request gets one
    #[arg(long)]
    all_or_none: bool,
    #[command(flatten)]
    now: NowOption,
}

/// Certificates in a batch for each thread.
const BATCH_PER_THREAD: usize = 512;

/// The line of output for a request.
#[derive(Serialize)]
struct CertificateLine<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        let threads = common.start_threads(DefaultThreads::All)?;
        let policy = self.read_policy()?;
        let authority = self.authority(&algorithms)?;
        let now = self.now.seconds()?;
        let mut reader = Reader {
            columns: None,
            is_csv: self.format == StreamFormat::Csv,
            kind: policy.only_kind(),
            now,
        };
        let mut serials = HashMap::new();
        let mut held = self.all_or_none.then(held).transpose()?;
        let answer = |entries: &[Entry], output: &mut Output| {
            let entries = reader.without_header(entries);
            let requests: Vec<Result<Request, String>> = entries
                .par_iter()
                .map(|entry| {
                    let request = reader.read(entry)?;
                    policy.check(&request, now)?;
                    Ok(request)
                })
                .collect();
            let requests = entries.iter().zip(requests).map(|(entry, request)| {
                let request = request?;
                once(&mut serials, request.statement.serial, entry.line)?;
                Ok(request)
            });
            let nonces = NonceKind::Deterministic;
            let issue = |requests: &[Request]| {
                let issued = certify_batch(&algorithms, &mut SysRng, nonces, &authority, requests);
                let issued = issued.into_iter();
                let words = |error: sunzi_jobs::ssh::SignError| error.to_string();
                Ok::<_, io::Error>(issued.map(|line| line.map_err(words)).collect())
            };
            let issued = answered(requests, issue, || "no certificate was made".into())?;
            let mut failures = 0;
            for (entry, certificate) in entries.iter().zip(&issued) {
                failures += u64::from(certificate.is_err());
                let text = line_of(entry.line, certificate, common.json)?;
                match &mut held {
                    Some(file) => writeln!(file, "{text}")?,
                    None => output.line(text)?,
                }
            }
            Ok(failures)
        };
        let batch = threads * BATCH_PER_THREAD;
        let status = answer_lines("certify", &self.input, MAX_REQUEST_BYTES, batch, answer)?;
        match held {
            Some(_) if status != Status::Done => {
                report(&"no certificate was written, since some requests are refused");
            }
            Some(file) => {
                let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.rewind()?;
                let mut output = Output::new();
                io::copy(&mut file, &mut output)?;
                output.flush()?;
            }
            None => {}
        }
        Ok(status)
    }
}

/// A file for certificates that are not to be written yet.
fn held() -> Result<BufWriter<File>, Failure> {
    Ok(BufWriter::new(tempfile::tempfile()?))
}

/// The line of output for a request, whose error is reported.
fn line_of(line: u64, certificate: &Result<String, String>, json: bool) -> io::Result<String> {
    let (certificate, error) = match certificate {
        Ok(certificate) => (Some(&certificate[..]), None),
        Err(error) => (None, Some(&error[..])),
    };
    if json {
        return Ok(serde_json::to_string(&CertificateLine {
            line,
            certificate,
            error,
        })?);
    }
    if let Some(error) = error {
        report(&format_args!("line {line}: {error}"));
    }
    Ok(certificate.unwrap_or_default().into())
}

/// Checks that a serial number other than 0 is not in use.
fn once(serials: &mut HashMap<u64, u64>, serial: u64, line: u64) -> Result<(), String> {
    if serial == 0 {
        return Ok(());
    }
    match serials.insert(serial, line) {
        None => Ok(()),
        Some(before) => {
            serials.insert(serial, before);
            Err(format!("line {before} has the serial {serial}, too"))
        }
    }
}

impl Args {
    fn read_policy(&self) -> Result<Policy, Failure> {
        let refused = |error: &dyn core::fmt::Display| {
            Failure::new(format!("{}: {error}", self.policy.display()))
        };
        let file = read_short(&self.policy, MAX_FILE_BYTES).map_err(|error| refused(&error))?;
        let file = file.map_err(|given| {
            refused(&format_args!(
                "{given} bytes: at most {MAX_FILE_BYTES} are read"
            ))
        })?;
        Policy::from_json(&file).map_err(|error| refused(&error))
    }

    fn authority(&self, algorithms: &Algorithms) -> Result<Authority, Failure> {
        let key = key_files::read_private(&self.key, &self.unlock, algorithms)?;
        let refused = |error: &dyn core::fmt::Display| {
            Failure::new(format!("{}: {error}", self.key.display()))
        };
        let key = SigningKey::new(algorithms, &key).map_err(|error| refused(&error))?;
        Authority::new(key).map_err(|error| refused(&error))
    }
}

/// Reads requests from lines.
struct Reader {
    /// The names in the first line of CSV.
    columns: Option<Vec<String>>,
    is_csv: bool,
    /// The kind of requests that have no type.
    kind: Option<CertificateKind>,
    now: u64,
}

impl Reader {
    /// The entries without the first line of CSV, which is kept.
    fn without_header<'a>(&mut self, entries: &'a [Entry]) -> &'a [Entry] {
        if !self.is_csv || self.columns.is_some() {
            return entries;
        }
        let (header, rest) = entries.split_at(1);
        let names = header
            .first()
            .and_then(|header| fields(header.text.as_deref()?).ok());
        self.columns = Some(names.unwrap_or_default());
        rest
    }

    fn read(&self, entry: &Entry) -> Result<Request, String> {
        let text = entry.text.as_ref();
        let text = text.ok_or_else(|| format!("more than {MAX_REQUEST_BYTES} bytes"))?;
        match &self.columns {
            None => Request::from_json(text, self.kind, self.now),
            Some(columns) => {
                let json = object_of(columns, &fields(text)?)?;
                Request::from_json(json.to_string().as_bytes(), self.kind, self.now)
            }
        }
    }
}

/// The fields of a line of CSV.
fn fields(line: &[u8]) -> Result<Vec<String>, String> {
    let mut records = Records::new(line, MAX_REQUEST_BYTES);
    match records.next() {
        Ok(Some((_, Record::Fields(fields)))) => {
            let fields = fields.as_text().ok_or("no UTF-8")?;
            Ok(fields.into_iter().map(Into::into).collect())
        }
        _ => Err("no record of CSV".into()),
    }
}

/// The request that the fields of a line of CSV are, as a JSON object.
fn object_of(columns: &[String], fields: &[String]) -> Result<Value, String> {
    if fields.len() != columns.len() {
        let (given, expected) = (fields.len(), columns.len());
        return Err(format!(
            "{given} fields, and the first line names {expected}"
        ));
    }
    let mut object = Map::new();
    for (name, field) in columns.iter().zip(fields) {
        if field.is_empty() {
            continue;
        }
        let number = || {
            field
                .parse()
                .map(|number: u64| Value::Number(Number::from(number)))
                .ok()
        };
        let list = || Value::Array(field.split(',').map(|name| name.trim().into()).collect());
        let value = match &name[..] {
            "serial" | "lifetime" => number().ok_or_else(|| format!("{name} is no number"))?,
            "valid_after" | "valid_before" => number().unwrap_or_else(|| field.as_str().into()),
            "principals" | "extensions" => list(),
            "critical_options" => serde_json::from_str(field)
                .map_err(|_| String::from("critical_options are no JSON"))?,
            _ => field.as_str().into(),
        };
        if object.insert(name.clone(), value).is_some() {
            return Err(format!("the first line names {name} twice"));
        }
    }
    Ok(Value::Object(object))
}
