//! `sunzi bls aggregate`: sums of BLS signatures or of public keys.

use super::lines::{Answer, Stream, answer, bytes, hex};
use super::suite::SuiteOptions;
use crate::failure::{EXIT_CODES, Outcome};
use crate::options::{CommonOptions, DefaultThreads};
use crate::verbs::Run;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use sunzi_pk::bls::PreparedBls;

/// Add up BLS signatures or public keys, one sum for each line of a JSONL stream
///
/// Each line is an object with the field signatures or public_keys, a list of strings in hexadecimal. For each line of the
/// input, in order, a line {"signature":"..."} or {"public_key":"..."} is written, a compressed point in hexadecimal, or
/// {"error":"...","line":N}. If there is any error, the exit code is 1.
///
/// Keys whose sum is used must have come with proofs that their owners know the secret keys.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A JSONL file; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    input: PathBuf,
    #[command(flatten)]
    suite: SuiteOptions,
}

/// A line of the input.
#[derive(Deserialize)]
struct Summands {
    signatures: Option<Vec<String>>,
    public_keys: Option<Vec<String>>,
}

/// A line of the output.
#[derive(Serialize)]
#[serde(untagged)]
enum Sum {
    Signature { signature: String },
    PublicKey { public_key: String },
    Error { error: String, line: u64 },
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let bls = self.suite.prepare(common)?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let stream = Stream {
            action: "aggregate",
            input: &self.input,
            expected: "an object of signatures or of public_keys, a list in hexadecimal",
            threads,
        };
        answer(&stream, |lines: Vec<(u64, Result<Summands, String>)>| {
            let answers = lines.into_iter().map(|(line, summands)| {
                let sum = summands.and_then(|summands| sum(&bls, &summands));
                Answer {
                    failed: sum.is_err(),
                    line: sum.unwrap_or_else(|error| Sum::Error { error, line }),
                }
            });
            Ok(answers.collect())
        })
    }
}

/// The sum that a line asks for.
fn sum(bls: &PreparedBls, summands: &Summands) -> Result<Sum, String> {
    let encodings = |field: &str, list: &[String]| -> Result<Vec<Vec<u8>>, String> {
        list.iter().map(|text| bytes(field, text)).collect()
    };
    let place = |k: usize, error: &dyn std::fmt::Display| format!("entry {}: {error}", k + 1);
    match (&summands.signatures, &summands.public_keys) {
        (Some(list), None) => {
            let encodings = encodings("a signature", list)?;
            let encodings: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
            let decoded = bls.decode_signature_batch(&encodings);
            let decoded = decoded.map_err(|error| error.to_string())?;
            let signatures = decoded.into_iter().enumerate();
            let signatures: Result<Vec<_>, _> = signatures
                .map(|(k, signature)| signature.map_err(|error| place(k, &error)))
                .collect();
            let signatures = signatures?;
            let sum = bls.aggregate(&signatures.iter().collect::<Vec<_>>());
            let sum = sum.map_err(|error| error.to_string())?;
            let signature = hex(&sum.to_bytes());
            Ok(Sum::Signature { signature })
        }
        (None, Some(list)) => {
            let encodings = encodings("a public key", list)?;
            let encodings: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
            let decoded = bls.key_validate_batch(&encodings);
            let decoded = decoded.map_err(|error| error.to_string())?;
            let keys = decoded.into_iter().enumerate();
            let keys: Result<Vec<_>, _> = keys
                .map(|(k, key)| key.map_err(|error| place(k, &error)))
                .collect();
            let keys = keys?;
            let sum = bls.aggregate_keys(&keys.iter().collect::<Vec<_>>());
            let sum = sum.map_err(|error| error.to_string())?;
            let public_key = hex(sum.to_bytes());
            Ok(Sum::PublicKey { public_key })
        }
        _ => Err(String::from("give one of signatures and public_keys")),
    }
}
