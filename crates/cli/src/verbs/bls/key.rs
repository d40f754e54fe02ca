//! `sunzi bls key`: a BLS key.

use super::lines::hex;
use super::suite::SuiteOptions;
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, report};
use crate::io::atomic::{self, Access, Existing};
use crate::io::files;
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::verbs::Run;
use base16ct::mixed::decode_vec;
use serde::Serialize;
use std::path::{Path, PathBuf};
use sunzi_pk::bls::{PublicKey, SecretKey, Signature};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// Make a BLS key, or show the public key of one
///
/// With --out a new secret key is drawn and written to a file that only its owner can read (mode 0600), as 64
/// hexadecimal digits, never to standard output. With --key the secret key of a file is read.
///
/// The public key is printed in hexadecimal, a compressed point; with --proof also the proof that the owner knows the
/// secret key, which the scheme with proofs of possession asks for. With --json they are one object with the fields
/// public_key and proof.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Make a key and write the secret to FILE, which must not exist
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "key",
        conflicts_with = "key"
    )]
    out: Option<PathBuf>,
    /// Show the public key of the secret in FILE
    #[arg(short, long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Also print the proof of possession
    #[arg(long)]
    proof: bool,
    #[command(flatten)]
    suite: SuiteOptions,
}

/// The key that is printed.
#[derive(Serialize)]
struct Shown {
    public_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<String>,
}

/// The largest length of a file with a secret key, in bytes.
const MAX_FILE: usize = 1024;

/// The secret key of a file.
pub(super) fn read(path: &Path) -> Result<SecretKey, Failure> {
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    let content = files::read_short(path, MAX_FILE).map_err(|error| failure(&error))?;
    let content = content.map_err(|_| failure(&"a secret key has 64 hexadecimal digits"))?;
    let digits = content.trim_ascii();
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    let bytes = decode_vec(digits).map(Zeroizing::new);
    let bytes = bytes.map_err(|_| failure(&"a secret key has 64 hexadecimal digits"))?;
    SecretKey::from_bytes(&bytes).map_err(|error| failure(&error))
}

impl Args {
    fn secret(&self) -> Result<SecretKey, Failure> {
        if let Some(path) = &self.key {
            return read(path);
        }
        let secret = SecretKey::generate(&mut system_rng()).map_err(Failure::from_error)?;
        if let Some(path) = &self.out {
            let bytes = secret.to_bytes();
            let mut text = Zeroizing::new(base16ct::lower::encode_string(&bytes));
            text.push('\n');
            let written = atomic::write_one(path, text.as_bytes(), Access::Private, Existing::Keep);
            written.map_err(|error| {
                Failure::new(format!("cannot write {}: {error}", path.display()))
            })?;
            if let Err(error) = atomic::sync_folder(path) {
                report(&format_args!(
                    "warning: {} is written, but may be lost in a power cut: {error}",
                    path.display()
                ));
            }
        }
        Ok(secret)
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let bls = self.suite.prepare(common)?;
        let shown = {
            let secret = self.secret()?;
            let nothing = || Failure::new("no key was computed");
            let public = bls.public_key_batch(&[&secret]).pop().ok_or_else(nothing)?;
            let public: PublicKey = public.map_err(Failure::from_error)?;
            let proof = if self.proof {
                let proof = bls.prove_batch(&[&secret]).pop().ok_or_else(nothing)?;
                let proof: Signature = proof.map_err(Failure::from_error)?;
                Some(hex(&proof.to_bytes()))
            } else {
                None
            };
            Shown {
                public_key: hex(public.to_bytes()),
                proof,
            }
        };
        let mut output = Output::new();
        if common.json {
            output.json(&shown)?;
        } else {
            output.line(&shown.public_key)?;
            if let Some(proof) = &shown.proof {
                output.line(proof)?;
            }
        }
        output.flush()?;
        Ok(Status::Done)
    }
}
