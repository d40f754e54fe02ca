//! `sunzi ssh check`: verdicts about certificates.

use super::super::Run;
use super::Kind;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::answers::{Entry, answer_lines};
use crate::io::key_files;
use crate::io::output::Output;
use crate::options::now::NowOption;
use crate::options::passphrase::UnlockOptions;
use crate::options::{CommonOptions, DefaultThreads};
use rayon::prelude::*;
use serde::Serialize;
use std::io;
use std::path::PathBuf;
use sunzi_jobs::ssh::{Certificate, Checker, MAX_REQUEST_BYTES, check_batch};
use sunzi_pk::batch::answered;
use sunzi_pk::keys::Algorithms;

/// Check certificates of OpenSSH, one a line, and say why they are not valid
///
/// A certificate is valid if one of the authorities issued it, the present time is within its validity, it has
/// principals, and its critical options are among those of OpenSSH; and if it is of the kind and for the principal
/// that are asked for. Lists of revoked keys are not read.
///
/// Without --json, each line of output is "valid", or "invalid: " and the reason. With --json it is an object with line,
/// valid and reason, and with key_id, serial, type and principals wherever the certificate can be read.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A file with a certificate a line, or `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The public key of the authority; may be repeated
    #[arg(short, long, value_name = "FILE", required = true)]
    key: Vec<PathBuf>,
    #[command(flatten)]
    unlock: UnlockOptions,
    /// Accept certificates of this kind, and no others
    #[arg(long = "type", value_enum)]
    kind: Option<Kind>,
    /// Ask for this principal
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    #[command(flatten)]
    now: NowOption,
}

/// Certificates in a batch for each thread.
const BATCH_PER_THREAD: usize = 1024;

/// The line of output for a certificate.
#[derive(Serialize)]
struct VerdictLine<'a> {
    line: u64,
    valid: bool,
    reason: Option<&'a str>,
    #[serde(flatten)]
    about: Option<About>,
}

/// The statement of a certificate, as JSON.
#[derive(Serialize)]
struct About {
    key_id: String,
    serial: u64,
    r#type: &'static str,
    principals: Vec<String>,
}

impl From<&Certificate> for About {
    fn from(certificate: &Certificate) -> Self {
        let statement = &certificate.statement;
        Self {
            key_id: statement.key_id.clone(),
            serial: statement.serial,
            r#type: statement.kind.name(),
            principals: statement.principals.clone(),
        }
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        let threads = common.start_threads(DefaultThreads::All)?;
        let checker = self.checker(&algorithms)?;
        let answer = |entries: &[Entry], output: &mut Output| {
            let read: Vec<_> = entries.par_iter().map(read).collect();
            let about = read.iter().map(|read| read.as_ref().ok().map(About::from));
            let about: Vec<_> = about.collect();
            let check = |certificates: &[Certificate]| {
                Ok::<_, io::Error>(check_batch(&algorithms, &checker, certificates))
            };
            let verdicts = answered(read, check, || "no verdict was computed".into())?;
            let mut failures = 0;
            for ((entry, verdict), about) in entries.iter().zip(&verdicts).zip(about) {
                failures += u64::from(verdict.is_err());
                let reason = verdict.as_ref().err().map(String::as_str);
                match reason {
                    _ if common.json => output.json(&VerdictLine {
                        line: entry.line,
                        valid: reason.is_none(),
                        reason,
                        about,
                    })?,
                    None => output.line("valid")?,
                    Some(reason) => output.line(format_args!("invalid: {reason}"))?,
                }
            }
            Ok(failures)
        };
        let batch = threads * BATCH_PER_THREAD;
        answer_lines("check", &self.input, MAX_REQUEST_BYTES, batch, answer)
    }
}

fn read(entry: &Entry) -> Result<Certificate, String> {
    let text = entry.text.as_ref();
    let text = text.ok_or_else(|| format!("it has more than {MAX_REQUEST_BYTES} bytes"))?;
    let line = core::str::from_utf8(text).map_err(|_| "it is no UTF-8")?;
    Certificate::from_line(line)
}

impl Args {
    fn checker(&self, algorithms: &Algorithms) -> Result<Checker, Failure> {
        let keys = self.key.iter().map(|path| {
            let key = key_files::read_any(path, &self.unlock, algorithms)?;
            Ok(key.into_public())
        });
        let keys = keys.collect::<Result<Vec<_>, Failure>>()?;
        let checker = Checker::new(algorithms, &keys, self.now.seconds()?);
        let mut checker = checker.map_err(Failure::from_error)?;
        checker.kind = self.kind.map(Into::into);
        checker.principal.clone_from(&self.principal);
        Ok(checker)
    }
}
