//! `sunzi jwt verify`: verdicts about tokens.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::answers::{Entry, answer_lines};
use crate::io::files::read_short;
use crate::io::key_files;
use crate::io::output::Output;
use crate::options::now::NowOption;
use crate::options::passphrase::UnlockOptions;
use crate::options::{CommonOptions, DefaultThreads};
use base64ct::{Base64, Encoding};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io;
use std::path::{Path, PathBuf};
use sunzi_jobs::jwt::{Keys, MAX_TOKEN_BYTES, Rules, Verified, verify_batch};
use sunzi_pk::MAX_FILE_BYTES;
use sunzi_pk::keys::Algorithms;
use zeroize::Zeroizing;

/// Verify tokens, one a line, and say why not
///
/// A token is a compact JSON Web Signature (RFC 7515) whose payload are claims (RFC 7519). Its key is the one that its
/// kid names in a set of JSON Web Keys, its algorithm that key's: the member alg, or the only one of the key's curve.
/// RSA and symmetric keys without alg need --algorithm. What is refused: alg none, any crit, a kid that is missing,
/// unknown or double, double members in JSON, whitespace or padding in base64url, RSA keys of fewer than 2048 bits.
///
/// Claims: exp and nbf are checked if they are there; aud must be there and name one of the --audience options, and must
/// not be there without them (--any-audience permits any); iss must be one of the --issuer options.
///
/// With --json, a line {"line":1,"valid":true,"reason":null,"claims":{...}} or {"line":1,"valid":false,"reason":"...",
/// "claims":null} answers each token, in order; without it, a line `valid` or `invalid: REASON`. Claims are never shown
/// of a token that is refused. Blank lines get no answer. The exit code is 0 only if every token is valid.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A file with a token a line, or `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// A set of JSON Web Keys, public ones or private ones, of which the public halves are used
    #[arg(long, value_name = "FILE", required_unless_present = "key")]
    keys: Option<PathBuf>,
    /// One key for all tokens, whatever kid they name: JSON Web Key, PEM, DER, OpenSSH or PKCS#12
    #[arg(short, long, value_name = "FILE", conflicts_with = "keys")]
    key: Option<PathBuf>,
    #[command(flatten)]
    unlock: UnlockOptions,
    /// Accept this algorithm, such as ES256, and no others; may be repeated
    #[arg(long, value_name = "ALG")]
    algorithm: Vec<String>,
    /// Accept tokens for this audience, and no others; may be repeated
    #[arg(long, value_name = "AUD")]
    audience: Vec<String>,
    /// Accept tokens for any audience
    #[arg(long, conflicts_with = "audience")]
    any_audience: bool,
    /// Accept tokens of this issuer, and no others; may be repeated
    #[arg(long, value_name = "ISS")]
    issuer: Vec<String>,
    /// Ask for this claim, such as exp; may be repeated
    #[arg(long, value_name = "CLAIM")]
    require: Vec<String>,
    /// Ask for this typ in the header, such as at+jwt
    #[arg(long, value_name = "TYP")]
    typ: Option<String>,
    /// Let clocks differ by so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    leeway: u32,
    #[command(flatten)]
    now: NowOption,
    /// Verify signatures only: the payload may be anything, is not looked at, and is shown as "payload" in base64
    #[arg(long, conflicts_with_all = ["audience", "any_audience", "issuer", "require", "leeway", "now"])]
    any_payload: bool,
}

/// Tokens in a batch for each thread.
const BATCH_PER_THREAD: usize = 2048;

/// The line of output for a token.
#[derive(Serialize)]
struct VerdictLine<'a> {
    line: u64,
    valid: bool,
    reason: Option<&'a str>,
    #[serde(flatten)]
    content: Content,
}

/// What a token says, if it is valid.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Content {
    Claims(Option<Box<RawValue>>),
    /// In base64.
    Payload(Option<String>),
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        let threads = common.start_threads(DefaultThreads::All)?;
        let keys = self.read_keys(&algorithms)?;
        let rules = self.rules()?;
        let answer = |entries: &[Entry], output: &mut Output| {
            let texts = entries.iter().filter_map(|entry| entry.text.as_ref());
            let texts: Vec<&[u8]> = texts.map(|text| text.trim_ascii()).collect();
            let mut verdicts = verify_batch(&algorithms, &keys, &rules, &texts).into_iter();
            let mut failures = 0;
            for entry in entries {
                let verdict = match &entry.text {
                    None => Err(format!("it has more than {MAX_TOKEN_BYTES} bytes")),
                    Some(_) => match verdicts.next() {
                        Some(verdict) => verdict.map_err(|refusal| refusal.to_string()),
                        None => Err("no verdict was computed".into()),
                    },
                };
                failures += u64::from(verdict.is_err());
                self.write(entry.line, &verdict, common.json, output)?;
            }
            Ok(failures)
        };
        let batch = threads * BATCH_PER_THREAD;
        // A token may stand between blanks.
        answer_lines("verify", &self.input, MAX_TOKEN_BYTES, batch, answer)
    }
}

impl Args {
    fn read_keys(&self, algorithms: &Algorithms) -> Result<Keys, Failure> {
        let path = self.keys.as_ref().or(self.key.as_ref());
        let path = path.ok_or_else(|| Failure::new("give --keys or --key"))?;
        let refused =
            |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
        let file = read_key_file(path)?;
        if self.keys.is_some() {
            let keys = Keys::from_json(algorithms, &file).map_err(|error| refused(&error))?;
            if keys.is_empty() {
                return Err(refused(&"it has no keys"));
            }
            return Ok(keys);
        }
        let keys = if is_json(&file) {
            Keys::from_json(algorithms, &file).and_then(Keys::for_every_token)
        } else {
            let key = key_files::read_any(path, &self.unlock, algorithms)?;
            Keys::of(algorithms, &key.into_public())
        };
        keys.map_err(|error| refused(&error))
    }

    fn rules(&self) -> Result<Rules, Failure> {
        let mut rules = Rules::at(self.now.seconds()?);
        rules.leeway = self.leeway.into();
        rules.audiences.clone_from(&self.audience);
        rules.any_audience = self.any_audience;
        rules.issuers.clone_from(&self.issuer);
        rules.required.clone_from(&self.require);
        rules.typ.clone_from(&self.typ);
        rules.algorithms = (!self.algorithm.is_empty()).then(|| self.algorithm.clone());
        rules.any_payload = self.any_payload;
        Ok(rules)
    }

    fn write(
        &self,
        line: u64,
        verdict: &Result<Verified, String>,
        json: bool,
        output: &mut Output,
    ) -> io::Result<()> {
        let reason = verdict.as_ref().err().map(String::as_str);
        if !json {
            return match reason {
                None => output.line("valid"),
                Some(reason) => output.line(format_args!("invalid: {reason}")),
            };
        }
        let payload = verdict.as_ref().ok().map(|verified| &verified.payload[..]);
        let content = if self.any_payload {
            Content::Payload(payload.map(Base64::encode_string))
        } else {
            Content::Claims(payload.map(on_one_line).transpose()?)
        };
        output.json(&VerdictLine {
            line,
            valid: reason.is_none(),
            reason,
            content,
        })
    }
}

/// Claims without line breaks, which stand between members of an object only.
fn on_one_line(claims: &[u8]) -> io::Result<Box<RawValue>> {
    let spaced = |&byte| {
        if matches!(byte, b'\n' | b'\r') {
            b' '
        } else {
            byte
        }
    };
    let text = String::from_utf8(claims.iter().map(spaced).collect());
    Ok(RawValue::from_string(text.map_err(io::Error::other)?)?)
}

/// A key file or a set of keys.
pub(super) fn read_key_file(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let refused =
        |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    let read = read_short(path, MAX_FILE_BYTES).map_err(|error| refused(&error))?;
    read.map_err(|given| {
        refused(&format_args!(
            "{given} bytes are too long for keys: at most {MAX_FILE_BYTES} are read"
        ))
    })
}

/// Whether a key file is JSON.
pub(super) fn is_json(file: &[u8]) -> bool {
    file.trim_ascii_start().starts_with(b"{")
}
