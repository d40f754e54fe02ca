//! `sunzi key`: making and showing keys.

use super::Run;
use crate::failure::{Failure, Outcome, Status, report};
use crate::io::atomic::{self, Access, Existing};
use crate::io::key_files::{self, AnyKey};
use crate::io::one_line::OneLine;
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::options::passphrase::{PassphraseOptions, UnlockOptions};
use clap::ValueEnum;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use sunzi_pk::rsa::{KeyError, MIN_SIGNING_BITS, PrivateKey, PublicKey};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// Make or inspect an RSA key
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
}

/// Make a key
///
/// The private key is written to a file that only its owner can read (mode 0600), never to standard
/// output. It is encrypted if there is a passphrase (--passphrase-file, SUNZI_PASSPHRASE), or with
/// --encrypt, which otherwise asks for a passphrase on the terminal. An empty passphrase is an error.
/// The primes are found by the method of FIPS 186-5, appendix A.1.3, and the key has encrypted and
/// decrypted a random number before it is written.
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// Write the private key to FILE
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Also write the public key to FILE (PEM, SubjectPublicKeyInfo)
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Size of the modulus in bits, 2048 to 8192
    #[arg(long, default_value_t = 3072)]
    bits: u32,
    /// PEM format of the private key
    #[arg(long, value_enum, default_value_t = KeyFormat::Pkcs8)]
    format: KeyFormat,
    /// Encrypt the private key
    #[arg(long)]
    encrypt: bool,
    #[command(flatten)]
    passphrase: PassphraseOptions,
    /// Allow sizes from 1024 bits, which are too weak for anything but tests
    #[arg(long)]
    force_1024: bool,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

/// The format of a private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KeyFormat {
    /// PKCS#8, which all current tools read
    Pkcs8,
    /// PKCS#1, an older format that cannot be encrypted
    Pkcs1,
}

/// Show a key: its size, public exponent and fingerprint, never a secret
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// The key file: private or public, PEM or DER, PKCS#1, PKCS#8 or SubjectPublicKeyInfo
    #[arg(value_name = "FILE")]
    key: PathBuf,
    /// Print the public key in PEM, and nothing else
    #[arg(long, conflicts_with = "json")]
    pem: bool,
    #[command(flatten)]
    unlock: UnlockOptions,
}

/// The description of a key, without secrets.
#[derive(Debug, Serialize)]
struct KeyDescription<'a> {
    file: std::borrow::Cow<'a, str>,
    kind: &'static str,
    algorithm: &'static str,
    bits: u32,
    public_exponent: u64,
    /// The SHA-256 of the `SubjectPublicKeyInfo` in DER.
    fingerprint: String,
}

impl<'a> KeyDescription<'a> {
    fn new(file: &'a Path, kind: &'static str, key: &PublicKey) -> Self {
        let fingerprint = key.fingerprint();
        Self {
            file: file.to_string_lossy(),
            kind,
            algorithm: "RSA",
            bits: key.bits(),
            public_exponent: key.e(),
            fingerprint: format!("sha256:{}", base16ct::lower::encode_string(&fingerprint)),
        }
    }

    fn print(&self, common: &CommonOptions) -> Outcome {
        let mut output = Output::new();
        if common.json {
            output.json(self)?;
        } else {
            output.line(format_args!(
                "{}: RSA {} key, {} bits, public exponent {}, fingerprint {}",
                OneLine(&self.file),
                self.kind,
                self.bits,
                self.public_exponent,
                self.fingerprint
            ))?;
        }
        output.flush()?;
        Ok(Status::Done)
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        match &self.action {
            KeyAction::New(args) => new(args, common),
            KeyAction::Show(args) => show(args, common),
        }
    }
}

fn new(args: &NewArgs, common: &CommonOptions) -> Outcome {
    // Errors in the arguments are found first, since making a large key takes seconds.
    if let Some(public) = &args.public
        && names_one_file(&args.out, public)
    {
        return Err(Failure::new(
            "--out and --public name the same file: give two names",
        ));
    }
    if !args.force {
        for path in [Some(&args.out), args.public.as_ref()]
            .into_iter()
            .flatten()
        {
            if path.symlink_metadata().is_ok() {
                return Err(exists(path));
            }
        }
    }
    let unencryptable = || Failure::new("PKCS#1 keys cannot be encrypted: leave --format at pkcs8");
    if args.encrypt && args.format == KeyFormat::Pkcs1 {
        return Err(unencryptable());
    }
    let passphrase = args.passphrase.for_new_key(args.encrypt)?;
    if passphrase.is_some() && args.format == KeyFormat::Pkcs1 {
        return Err(unencryptable());
    }

    let mut rng = system_rng();
    let key = if args.force_1024 || args.bits >= MIN_SIGNING_BITS {
        PrivateKey::generate(args.bits, &mut rng)
    } else {
        Err(KeyError::GeneratedSize {
            bits: args.bits,
            min: MIN_SIGNING_BITS,
        })
    }
    .map_err(|error| Failure::new(error.to_string()))?;
    let pem: Zeroizing<String> = match (&passphrase, args.format) {
        (Some(passphrase), _) => key
            .to_encrypted_pkcs8_pem(&mut rng, passphrase)
            .map_err(Failure::from_error)?,
        (None, KeyFormat::Pkcs8) => key.to_pkcs8_pem(),
        (None, KeyFormat::Pkcs1) => key.to_pkcs1_pem(),
    };
    let existing = if args.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    write(&args.out, pem.as_bytes(), Access::Private, existing)?;
    if let Some(path) = &args.public {
        let pem = key.public_key().to_spki_pem();
        // Checked again, because some file systems take different names for one (A and a), which
        // only shows when the file is there.
        let written = if names_one_file(&args.out, path) {
            Err(Failure::new(format!(
                "{} names the private key",
                path.display()
            )))
        } else {
            write(path, pem.as_bytes(), Access::Usual, existing)
        };
        written.map_err(|error| {
            let out = args.out.display();
            Failure::new(format!(
                "{error}; the private key is in {out}: `sunzi key show --pem {out}` prints the \
                 public one"
            ))
        })?;
    }
    KeyDescription::new(&args.out, "private", key.public_key()).print(common)
}

fn show(args: &ShowArgs, common: &CommonOptions) -> Outcome {
    let key = key_files::read_any(&args.key, &args.unlock)?;
    if args.pem {
        let mut output = Output::new();
        output.line(key.public().to_spki_pem().trim_end())?;
        output.flush()?;
        return Ok(Status::Done);
    }
    let kind = match key {
        AnyKey::Private(_) => "private",
        AnyKey::Public(_) => "public",
    };
    KeyDescription::new(&args.key, kind, key.public()).print(common)
}

/// Whether both paths lead to one file: by different spellings, by symbolic links, or because two
/// names of one file exist already.
fn names_one_file(a: &Path, b: &Path) -> bool {
    if let Ok(same) = same_file::is_same_file(a, b) {
        return same;
    }
    // At least one is still to be made, or a link to what is still to be made.
    match (atomic::place(a), atomic::place(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// Writes a key, which outlives a power cut from then on.
fn write(path: &Path, content: &[u8], access: Access, existing: Existing) -> Result<(), Failure> {
    atomic::write_one(path, content, access, existing).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => Failure::new(format!("cannot write {}: {error}", path.display())),
    })?;
    if let Err(error) = atomic::sync_folder(path) {
        report(&format_args!(
            "warning: {} is written, but may be lost in a power cut, as its folder cannot be \
             flushed to the disk: {error}",
            path.display()
        ));
    }
    Ok(())
}

fn exists(path: &Path) -> Failure {
    Failure::new(format!(
        "{} exists: choose another name, or replace it with --force",
        path.display()
    ))
}
