//! `sunzi bls sign`: BLS signatures of the messages of a stream.

use super::key::read;
use super::lines::{Answer, Stream, answer, bytes, hex};
use super::suite::SuiteOptions;
use crate::failure::{EXIT_CODES, Outcome};
use crate::options::passphrase::UnlockOptions;
use crate::options::{CommonOptions, DefaultThreads};
use crate::verbs::Run;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use sunzi_pk::bls::SignRequest;

/// Sign messages by BLS, one for each line of a JSONL stream
///
/// Each line is an object like {"message":"00ff..."}, in hexadecimal. For each line of the input, in order, a line
/// {"signature":"..."} is written, a compressed point in hexadecimal, or {"error":"...","line":N}. If there is any
/// error, the exit code is 1.
///
/// Signatures are computed in time that does not depend on the key, and verified before they leave.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A JSONL file; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// The secret key, as `sunzi bls key` writes it: digits or a keystore
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    suite: SuiteOptions,
}

/// A line of the input.
#[derive(Deserialize)]
struct Message {
    message: String,
}

/// A line of the output.
#[derive(Serialize)]
#[serde(untagged)]
enum Signed {
    Signature { signature: String },
    Error { error: String, line: u64 },
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        // First: a keystore's key is compared by the engine.
        let threads = common.start_threads(DefaultThreads::All)?;
        let bls = self.suite.prepare(common)?;
        let key = read(&self.key, &self.unlock, &bls)?;
        let stream = Stream {
            action: "sign",
            input: &self.input,
            expected: "an object of message, in hexadecimal",
            threads,
        };
        answer(&stream, |lines: Vec<(u64, Result<Message, String>)>| {
            let messages = lines.into_iter().map(|(line, message)| {
                let message = message.and_then(|message| bytes("message", &message.message));
                (line, message)
            });
            let messages: Vec<_> = messages.collect();
            let requests = messages.iter().filter_map(|(_, message)| {
                let message = message.as_ref().ok()?;
                Some(SignRequest { key: &key, message })
            });
            let mut signatures = bls.sign_batch(&requests.collect::<Vec<_>>()).into_iter();
            let signed = |(line, message): (u64, Result<Vec<u8>, String>)| {
                let signature = message.and_then(|_| match signatures.next() {
                    Some(signature) => signature.map_err(|error| error.to_string()),
                    None => Err(String::from("no signature was computed")),
                });
                Answer {
                    failed: signature.is_err(),
                    line: match signature {
                        Ok(signature) => Signed::Signature {
                            signature: hex(&signature.to_bytes()),
                        },
                        Err(error) => Signed::Error { error, line },
                    },
                }
            };
            Ok(messages.into_iter().map(signed).collect())
        })
    }
}
