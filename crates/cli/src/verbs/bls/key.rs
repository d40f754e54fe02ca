//! `sunzi bls key`: a BLS key.

use super::lines::hex;
use super::suite::SuiteOptions;
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, report};
use crate::io::atomic::{self, Access, Existing};
use crate::io::files;
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::options::passphrase::UnlockOptions;
use crate::verbs::Run;
use base16ct::mixed::decode_vec;
use clap::ValueEnum;
use serde::Serialize;
use std::path::{Path, PathBuf};
use sunzi_pk::bls::{
    Keystore, KeystoreKdf, MAX_KEYSTORE_BYTES, PreparedBls, PublicKey, Scheme, SecretKey,
    Signature, Suite, Variant,
};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// Make a BLS key, or show the public key of one
///
/// With --out a new secret key is drawn and written to a file that only its owner can read (mode 0600), as 64
/// hexadecimal digits, never to standard output. With --key the secret key of a file is read.
///
/// With --keystore the file is encrypted, JSON as EIP-2335 has it and clients of Ethereum read it. Such files are also
/// read, with a passphrase (--passphrase-file, SUNZI_PASSPHRASE, or a prompt on the terminal).
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
    /// Write the new key as an encrypted keystore (EIP-2335)
    #[arg(long, requires = "out", conflicts_with = "key")]
    keystore: bool,
    /// How a new keystore's key is derived from the passphrase
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Kdf::Scrypt)]
    kdf: Kdf,
    #[command(flatten)]
    unlock: UnlockOptions,
    /// Also print the proof of possession
    #[arg(long)]
    proof: bool,
    #[command(flatten)]
    suite: SuiteOptions,
}

/// The derivation of a key from a passphrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kdf {
    /// With 256 MiB of memory
    Scrypt,
    /// With 262,144 rounds of HMAC-SHA-256
    Pbkdf2,
}

/// The key that is printed.
#[derive(Serialize)]
struct Shown {
    public_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<String>,
}

/// The largest length of a file with a secret key, in bytes.
const MAX_FILE: usize = MAX_KEYSTORE_BYTES;

/// The secret key of a file with 64 hexadecimal digits or a keystore.
pub(super) fn read(
    path: &Path,
    unlock: &UnlockOptions,
    bls: &PreparedBls,
) -> Result<SecretKey, Failure> {
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    let content = files::read_short(path, MAX_FILE).map_err(|error| failure(&error))?;
    let content = content.map_err(|_| failure(&"a secret key has 64 hexadecimal digits"))?;
    let digits = content.trim_ascii();
    if digits.starts_with(b"{") {
        return open(&content, path, unlock, bls);
    }
    if digits.len() > MAX_DIGITS {
        return Err(failure(&"a secret key has 64 hexadecimal digits"));
    }
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    let bytes = decode_vec(digits).map(Zeroizing::new);
    let bytes = bytes.map_err(|_| failure(&"a secret key has 64 hexadecimal digits"))?;
    SecretKey::from_bytes(&bytes).map_err(|error| failure(&error))
}

/// The largest number of digits of a secret key, with 0x.
const MAX_DIGITS: usize = 66;

/// The secret key of a keystore. If this names its public key, and that of the suite is in the same group, it is compared.
fn open(
    content: &[u8],
    path: &Path,
    unlock: &UnlockOptions,
    bls: &PreparedBls,
) -> Result<SecretKey, Failure> {
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    let keystore = Keystore::from_json(content).map_err(|error| failure(&error))?;
    let passphrase = unlock.passphrase(path)?;
    let secret = keystore.open(text(&passphrase)?, unlock.keystore_limits());
    let secret = secret.map_err(|error| failure(&error))?;
    let named = keystore.public_key();
    let named = named.strip_prefix("0x").unwrap_or(named);
    if !named.is_empty() && bls.suite().variant() == Variant::MinPk {
        let public = public_key(bls, &secret)?;
        if !named.eq_ignore_ascii_case(&hex(public.to_bytes())) {
            return Err(failure(
                &"the keystore's public key is not that of its secret",
            ));
        }
    }
    Ok(secret)
}

fn text(passphrase: &[u8]) -> Result<&str, Failure> {
    let text = std::str::from_utf8(passphrase);
    text.map_err(|_| Failure::new("the passphrase of a keystore is UTF-8"))
}

fn nothing() -> Failure {
    Failure::new("no key was computed")
}

fn public_key(bls: &PreparedBls, secret: &SecretKey) -> Result<PublicKey, Failure> {
    let public = bls.public_key_batch(&[secret]).pop().ok_or_else(nothing)?;
    public.map_err(Failure::from_error)
}

impl Args {
    fn secret(&self, bls: &PreparedBls) -> Result<SecretKey, Failure> {
        if let Some(path) = &self.key {
            return read(path, &self.unlock, bls);
        }
        let secret = SecretKey::generate(&mut system_rng()).map_err(Failure::from_error)?;
        if let Some(path) = &self.out {
            let mut text = if self.keystore {
                Zeroizing::new(self.sealed(bls, &secret)?)
            } else {
                Zeroizing::new(base16ct::lower::encode_string(&secret.to_bytes()))
            };
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

    /// The content of a new keystore. It names the public key of 48 bytes, whatever the suite.
    fn sealed(&self, bls: &PreparedBls, secret: &SecretKey) -> Result<String, Failure> {
        let passphrase = self.unlock.for_new_key()?;
        let kdf = match self.kdf {
            Kdf::Scrypt => KeystoreKdf::Scrypt,
            Kdf::Pbkdf2 => KeystoreKdf::Pbkdf2,
        };
        let suite = Suite::new(Variant::MinPk, Scheme::ProofOfPossession);
        let bls = PreparedBls::new(bls.pairing(), suite);
        let public = public_key(&bls, secret)?;
        let keystore = Keystore::seal(
            secret,
            &public,
            "",
            text(&passphrase)?,
            kdf,
            &mut system_rng(),
        );
        Ok(keystore.map_err(Failure::from_error)?.to_json())
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let bls = self.suite.prepare(common)?;
        let shown = {
            let secret = self.secret(&bls)?;
            let public = public_key(&bls, &secret)?;
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
