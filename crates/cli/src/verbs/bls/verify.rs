//! `sunzi bls verify`: BLS signatures of a stream.

use super::lines::{Answer, Stream, answer, bytes};
use super::suite::SuiteOptions;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::options::{CommonOptions, DefaultThreads};
use crate::verbs::Run;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;
use sunzi_pk::bls::{PreparedBls, PublicKey, VerifyError, VerifyRequest};

/// Verify BLS signatures, one for each line of a JSONL stream
///
/// Each line is an object like {"public_key":"97f1...","message":"00ff...","signature":"b3a1..."}, all in
/// hexadecimal, with or without 0x. Keys and signatures are compressed points of BLS12-381 (or uncompressed ones) in
/// Zcash's encoding; they are found to be in their groups. By default keys are in G1 and signatures in G2, and the
/// scheme is that with proofs of possession: as on Ethereum's beacon chain. For drand's quicknet give
/// --signatures-in g1 --scheme basic.
///
/// For each line of the input, in order, a line {"valid":true} or {"valid":false,"reason":"..."} is written. The exit
/// code is 0 only if every signature is valid.
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
struct Claim {
    public_key: String,
    message: String,
    signature: String,
}

/// A line of the output.
#[derive(Serialize)]
struct Verdict {
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A claim in bytes.
struct Decoded {
    key: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

/// Number of keys that are kept validated for later lines.
const KEPT_KEYS: usize = 1 << 16;

/// Keys that have been validated, or the reason why one is refused.
type Keys = HashMap<Vec<u8>, Result<PublicKey, String>>;

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let bls = self.suite.prepare(common)?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let stream = Stream {
            action: "verify",
            input: &self.input,
            expected: "an object of public_key, message and signature, in hexadecimal",
            threads,
        };
        let mut keys = Keys::new();
        answer(&stream, |claims: Vec<(u64, Result<Claim, String>)>| {
            let decoded = claims.into_iter().map(|(_, claim)| decode(&claim?));
            let decoded: Vec<_> = decoded.collect();
            let verdicts = verdicts(&bls, &mut keys, &decoded)?;
            let answers = verdicts.into_iter().map(|verdict| Answer {
                failed: verdict.is_err(),
                line: Verdict {
                    valid: verdict.is_ok(),
                    reason: verdict.err(),
                },
            });
            Ok(answers.collect())
        })
    }
}

fn decode(claim: &Claim) -> Result<Decoded, String> {
    Ok(Decoded {
        key: bytes("public_key", &claim.public_key)?,
        message: bytes("message", &claim.message)?,
        signature: bytes("signature", &claim.signature)?,
    })
}

/// For each claim, in order, `Ok` if the signature is valid, or the reason why not.
fn verdicts(
    bls: &PreparedBls,
    keys: &mut Keys,
    claims: &[Result<Decoded, String>],
) -> Result<Vec<Result<(), String>>, Failure> {
    if keys.len() > KEPT_KEYS {
        keys.clear();
    }
    let mut new: Vec<&[u8]> = claims
        .iter()
        .flatten()
        .map(|claim| &claim.key[..])
        .collect();
    new.retain(|key| !keys.contains_key(*key));
    new.sort_unstable();
    new.dedup();
    let validated = bls.key_validate_batch(&new).map_err(Failure::from_error)?;
    for (bytes, key) in new.into_iter().zip(validated) {
        let key = key.map_err(|error| format!("the public key: {error}"));
        keys.insert(bytes.to_vec(), key);
    }
    let requests = claims.iter().map(|claim| {
        let claim = claim.as_ref().map_err(String::clone)?;
        let key = keys[&claim.key].as_ref().map_err(String::clone)?;
        Ok(VerifyRequest {
            key,
            message: &claim.message,
            signature: &claim.signature,
        })
    });
    let requests: Vec<Result<_, String>> = requests.collect();
    let possible: Vec<_> = requests.iter().flatten().copied().collect();
    let mut answers = bls.verify_batch(&possible).into_iter();
    let verdict = |request: Result<VerifyRequest<'_>, String>| {
        request?;
        match answers.next() {
            Some(answer) => answer.map_err(|error: VerifyError| error.to_string()),
            None => Err(String::from("no verdict was computed")),
        }
    };
    Ok(requests.into_iter().map(verdict).collect())
}
