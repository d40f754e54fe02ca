//! `sunzi jwt sign`: tokens of claims.

use super::Run;
use super::verify::{is_json, read_key_file};
use crate::failure::{EXIT_CODES, Failure, Outcome, report};
use crate::io::answers::{Entry, answer_lines};
use crate::io::key_files;
use crate::io::output::Output;
use crate::options::now::NowOption;
use crate::options::passphrase::UnlockOptions;
use crate::options::{CommonOptions, DefaultThreads};
use getrandom::SysRng;
use serde::Serialize;
use std::path::PathBuf;
use sunzi_jobs::jwt::{MAX_TOKEN_BYTES, SignError, Signer, sign_batch};
use sunzi_pk::keys::{Algorithms, NonceKind};

/// Sign claims, one JSON object a line, as tokens
///
/// The claims are signed as they stand. A line that is no JSON object, or has double members, or times that are no
/// numbers, gets no token: its error is reported, and its line of output is empty, or with --json has the error.
///
/// With --json, the answers are {"line":1,"token":"..."} and {"line":1,"error":"..."}; without it, the tokens.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A file with claims, a JSON object a line, or `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The private key: JSON Web Key, whose kid and alg are used, or a set of them; PEM, DER, OpenSSH or PKCS#12
    #[arg(short, long, visible_alias = "keys", value_name = "FILE")]
    key: PathBuf,
    /// The kid of the key in a set of JSON Web Keys; of another key, the kid to write into the headers
    #[arg(long, value_name = "KID")]
    kid: Option<String>,
    #[command(flatten)]
    unlock: UnlockOptions,
    /// The algorithm, such as PS256 [default: that of the key, where it has no choice]
    #[arg(long, value_name = "ALG")]
    algorithm: Option<String>,
    /// The typ to write into the headers; empty for none
    #[arg(long, value_name = "TYP", default_value = "JWT")]
    typ: String,
    /// Add the claims iat, the present time, and exp, so many seconds later
    #[arg(long, value_name = "SECONDS")]
    lifetime: Option<u64>,
    #[command(flatten)]
    now: NowOption,
    /// Sign each line as it is, whatever it contains: JSON Web Signatures
    #[arg(long, conflicts_with = "lifetime")]
    any_payload: bool,
    /// Draw fresh randomness for the nonces of ECDSA and EdDSA, besides key and message
    #[arg(long)]
    hedged: bool,
}

/// Tokens in a batch for each thread.
const BATCH_PER_THREAD: usize = 1024;

/// The line of output for claims.
#[derive(Serialize)]
struct TokenLine<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        let threads = common.start_threads(DefaultThreads::All)?;
        let signer = self.signer(&algorithms)?;
        let nonces = if self.hedged {
            NonceKind::Hedged
        } else {
            NonceKind::Deterministic
        };
        let answer = |entries: &[Entry], output: &mut Output| {
            let texts = entries.iter().filter_map(|entry| entry.text.as_ref());
            let texts: Vec<&[u8]> = texts.map(|text| &text[..]).collect();
            let tokens = sign_batch(&algorithms, &mut SysRng, nonces, &signer, &texts);
            let mut tokens = tokens.into_iter();
            let mut failures = 0;
            for entry in entries {
                let token = match &entry.text {
                    None => Err(format!("more than {MAX_TOKEN_BYTES} bytes")),
                    Some(_) => match tokens.next() {
                        Some(token) => token.map_err(|error: SignError| error.to_string()),
                        None => Err("no token was computed".into()),
                    },
                };
                let (line, error) = (entry.line, token.as_ref().err().map(String::as_str));
                failures += u64::from(error.is_some());
                let token = token.as_deref().ok();
                if common.json {
                    output.json(&TokenLine { line, token, error })?;
                    continue;
                }
                if let Some(error) = error {
                    report(&format_args!("line {line}: {error}"));
                }
                output.line(token.unwrap_or_default())?;
            }
            Ok(failures)
        };
        let batch = threads * BATCH_PER_THREAD;
        answer_lines("sign", &self.input, MAX_TOKEN_BYTES, batch, answer)
    }
}

impl Args {
    fn signer(&self, algorithms: &Algorithms) -> Result<Signer, Failure> {
        let file = read_key_file(&self.key)?;
        let (kid, alg) = (self.kid.as_deref(), self.algorithm.as_deref());
        let typ = Some(self.typ.as_str()).filter(|typ| !typ.is_empty());
        let signer = if is_json(&file) {
            Signer::from_json(algorithms, &file, kid, alg, typ)
        } else {
            let key = key_files::read_private(&self.key, &self.unlock, algorithms)?;
            Signer::new(algorithms, &key, alg, kid, typ)
        };
        let refused = |error| Failure::new(format!("{}: {error}", self.key.display()));
        let signer = signer.map_err(refused)?;
        if self.any_payload {
            return Ok(signer.with_any_payload());
        }
        Ok(match self.lifetime {
            Some(seconds) => signer.with_lifetime(self.now.seconds()?, seconds),
            None => signer,
        })
    }
}
