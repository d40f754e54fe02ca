//! `sunzi recover`: public keys from signatures, a line each.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::answers::{Entry, answer_lines};
use crate::io::output::Output;
use crate::options::{CommonOptions, DefaultThreads};
use serde::Serialize;
use std::io;
use std::path::PathBuf;
use sunzi_jobs::recover::{Claim, RecoverError, ethereum_address, recover_batch};
use sunzi_pk::batch::answered;
use sunzi_pk::ec::PublicKey;
use sunzi_pk::keys::Algorithms;

/// Recover public keys of secp256k1, or Ethereum's addresses, from signatures
///
/// Each line of the input is JSON: {"hash":"0x...","signature":"0x..."} with the 32 bytes that were signed, and r, s and v
/// in 65 bytes; or with r and s in 64 bytes, and a number "v". v is 0 to 3, or 27 or 28, or that of EIP-155.
///
/// For each line, in order, the address is printed (EIP-55), or with --json a line
/// {"line":1,"public_key":"02...","address":"0x..."} or {"line":1,"error":"..."}. Without --json a line of which no key is
/// recovered is answered with an empty line, and its error is reported. Blank lines get no answer. Whoever recovers an
/// address must compare it: a signature of another message has some key, too.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A file with a signature a line, or `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Print the public keys, compressed (SEC 1), in place of addresses
    #[arg(long, conflicts_with = "json")]
    public_keys: bool,
    /// Refuse an s of more than half the order, as Ethereum does (EIP-2)
    #[arg(long)]
    low_s: bool,
}

/// Signatures in a batch for each thread.
const BATCH_PER_THREAD: usize = 2048;

/// The longest line, in bytes.
const MAX_LINE: usize = 4096;

/// The line of output for a signature.
#[derive(Serialize)]
struct KeyLine {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        let threads = common.start_threads(DefaultThreads::All)?;
        let answer = |entries: &[Entry], output: &mut Output| {
            let claims = entries.iter().map(|entry| match &entry.text {
                None => Err(format!("more than {MAX_LINE} bytes")),
                Some(line) => Claim::from_json(line).map_err(|error| error.to_string()),
            });
            let recover = |claims: &[Claim]| {
                let keys = recover_batch(&algorithms, claims, self.low_s);
                let keys = keys.map_err(io::Error::other)?.into_iter();
                let words = |error: RecoverError| error.to_string();
                Ok::<_, io::Error>(keys.map(|key| key.map_err(words)).collect())
            };
            let keys = answered(claims, recover, || "no key was computed".into())?;
            let mut failures = 0;
            for (entry, key) in entries.iter().zip(keys) {
                failures += u64::from(key.is_err());
                self.write(entry.line, key, common.json, output)?;
            }
            Ok(failures)
        };
        let batch = threads * BATCH_PER_THREAD;
        answer_lines("recover", &self.input, MAX_LINE, batch, answer)
    }
}

impl Args {
    fn write(
        &self,
        line: u64,
        key: Result<PublicKey, String>,
        json: bool,
        output: &mut Output,
    ) -> io::Result<()> {
        let encoded = |key: &PublicKey| base16ct::lower::encode_string(&key.to_sec1_bytes(true));
        if json {
            return output.json(&KeyLine {
                line,
                public_key: key.as_ref().ok().map(encoded),
                address: key.as_ref().ok().map(ethereum_address),
                error: key.err(),
            });
        }
        match key {
            Ok(key) if self.public_keys => output.line(encoded(&key)),
            Ok(key) => output.line(ethereum_address(&key)),
            Err(error) => {
                crate::failure::report(&Failure::new(format!("line {line}: {error}")));
                output.line("")
            }
        }
    }
}
