//! `sunzi key`: making and showing keys.

mod description;
mod files;
mod format;
mod new;
mod several;

use super::Run;
use crate::failure::{Failure, Outcome, Status};
use crate::io::atomic::{Access, Existing};
use crate::io::key_files::{self, AnyKey};
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::options::curve::{KeyCurve, check_signing, check_strength};
use crate::options::passphrase::{self, UnlockOptions};
use description::KeyDescription;
use files::{exists, names_one_file, write};
use format::{KeyFormat, KeyKind, private_file, public_file};
use new::{NewArgs, new_files};
use serde::Serialize;
use std::path::PathBuf;
use sunzi_pk::ec::Curve;
use sunzi_pk::keys::Algorithms;

/// Make or inspect a key
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: KeyAction,
}

/// An action on keys.
#[derive(Debug, clap::Subcommand)]
enum KeyAction {
    New(NewArgs),
    Show(ShowArgs),
    Convert(ConvertArgs),
    /// List the curves that keys can be made for
    Curves,
}

/// Write a key in another format
///
/// A private key is written to a file that only its owner can read (mode 0600), and --public writes
/// its public half. The key stays encrypted or not: one that is encrypted needs a new passphrase
/// (--new-passphrase-file), or --decrypt, which writes it for everyone who can read the file.
#[derive(Debug, clap::Args)]
pub(crate) struct ConvertArgs {
    /// The key file: private or public, PEM, DER, JSON Web Key, OpenSSH or PKCS#12
    #[arg(value_name = "FILE")]
    key: PathBuf,
    /// Write the key to FILE
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The new format; public keys in pkcs8 are SubjectPublicKeyInfo in PEM
    #[arg(long, value_enum, default_value_t = KeyFormat::Pkcs8)]
    format: KeyFormat,
    /// Write the public half of a private key
    #[arg(long)]
    public: bool,
    #[command(flatten)]
    unlock: UnlockOptions,
    /// Encrypt the private key with the passphrase in the first line of FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["public", "decrypt"])]
    new_passphrase_file: Option<PathBuf>,
    /// Write an encrypted private key without encryption
    #[arg(long)]
    decrypt: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Show a key: its algorithm, size or curve, and fingerprint, never a secret
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// The key file: private or public, PEM or DER, PKCS#1, SEC 1, PKCS#8, PKCS#12,
    /// SubjectPublicKeyInfo, JSON Web Key or OpenSSH
    #[arg(value_name = "FILE")]
    key: PathBuf,
    /// Print the public key in PEM, and nothing else
    #[arg(long, conflicts_with = "json")]
    pem: bool,
    #[command(flatten)]
    unlock: UnlockOptions,
}

/// The line of `--json` for a curve.
#[derive(Debug, Serialize)]
struct CurveDescription {
    curve: String,
    /// `EC`, for ECDSA and ECDH, `EdDSA`, or `XDH`, for agreement.
    algorithm: &'static str,
    bits: u32,
    oid: String,
    /// Whether keys of it are made only when forced.
    weak: bool,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        match &self.action {
            KeyAction::New(args) => new(args, common),
            KeyAction::Show(args) => show(args, common),
            KeyAction::Convert(args) => convert(args, common),
            KeyAction::Curves => curves(common),
        }
    }
}

fn new(args: &NewArgs, common: &CommonOptions) -> Outcome {
    if let Some(count) = args.count {
        return several::new(args, count as usize, common);
    }
    let public = new_files(args, common)?;
    KeyDescription::new(&args.out, "private", &public)?.print(common)
}

fn convert(args: &ConvertArgs, common: &CommonOptions) -> Outcome {
    if names_one_file(&args.key, &args.out) {
        return Err(Failure::new(
            "--out names the key itself: give another name",
        ));
    }
    if !args.force && args.out.symlink_metadata().is_ok() {
        return Err(exists(&args.out));
    }
    let existing = if args.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let algorithms = Algorithms::new(&common.engine()?);
    let (key, was_encrypted) =
        key_files::read_with_encryption(&args.key, &args.unlock, &algorithms)?;
    let (kind, public) = match key {
        AnyKey::Private(key) if !args.public => {
            let public = key.public_key();
            args.format.check_restriction(&public)?;
            let passphrase = match &args.new_passphrase_file {
                Some(path) => Some(passphrase::from_file(path)?),
                None if was_encrypted && !args.decrypt => {
                    return Err(Failure::new(
                        "the key is encrypted: give --new-passphrase-file FILE, or --decrypt to \
                         write it without encryption",
                    ));
                }
                None => None,
            };
            args.format
                .check(KeyKind::of(&public), passphrase.is_some())?;
            let passphrase = passphrase.as_ref().map(|passphrase| &passphrase[..]);
            let content = private_file(&key, args.format, passphrase)?;
            write(&args.out, content.as_bytes(), Access::Private, existing)?;
            ("private", public)
        }
        key => {
            let key = key.into_public();
            args.format.check_restriction(&key)?;
            args.format.check(KeyKind::of(&key), false)?;
            let content = public_file(&key, args.format)?;
            write(&args.out, content.as_bytes(), Access::Usual, existing)?;
            ("public", key)
        }
    };
    KeyDescription::new(&args.out, kind, &public)?.print(common)
}

fn show(args: &ShowArgs, common: &CommonOptions) -> Outcome {
    let algorithms = Algorithms::new(&common.engine()?);
    let key = key_files::read_any(&args.key, &args.unlock, &algorithms)?;
    let kind = match key {
        AnyKey::Private(_) => "private",
        AnyKey::Public(_) => "public",
    };
    let key = key.into_public();
    if args.pem {
        let mut output = Output::new();
        let pem = key.to_spki_pem().map_err(Failure::from_error)?;
        output.line(pem.trim_end())?;
        output.flush()?;
        return Ok(Status::Done);
    }
    KeyDescription::new(&args.key, kind, &key)?.print(common)
}

fn curves(common: &CommonOptions) -> Outcome {
    let mut output = Output::new();
    let named = Curve::ALL_NAMES.iter().map(|name| name.parse());
    let named: Vec<Curve> = named
        .collect::<Result<_, _>>()
        .map_err(Failure::from_error)?;
    let named = named
        .into_iter()
        .filter(|curve| check_signing(curve).is_ok());
    for curve in named.map(KeyCurve::Ec).chain(KeyCurve::octet_keys()) {
        let description = CurveDescription {
            curve: curve.to_string(),
            algorithm: curve.algorithm(),
            bits: curve.bits(),
            oid: curve.oid(),
            weak: matches!(&curve, KeyCurve::Ec(curve) if check_strength(curve).is_err()),
        };
        if common.json {
            output.json(&description)?;
            continue;
        }
        let CurveDescription {
            curve,
            algorithm,
            bits,
            oid,
            weak,
        } = description;
        let note = match (algorithm, weak) {
            (_, true) => "  weak: only with --force-1024",
            ("EdDSA", _) => "  for EdDSA",
            ("XDH", _) => "  for agreement",
            _ => "",
        };
        output.line(format_args!("{curve:<16} {bits:>3} bits  {oid}{note}"))?;
    }
    output.flush()?;
    Ok(Status::Done)
}
