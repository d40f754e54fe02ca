//! `sunzi key`: making and showing keys.

mod several;

use super::Run;
use crate::failure::{Failure, Outcome, Status, report};
use crate::io::atomic::{self, Access, Existing};
use crate::io::key_files::{self, AnyKey};
use crate::io::one_line::OneLine;
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::options::curve::{KeyCurve, check_signing, check_strength};
use crate::options::passphrase::{self, PassphraseOptions, UnlockOptions};
use clap::ValueEnum;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use sunzi_engine::Engine;
use sunzi_pk::ec::{self, Curve, PreparedCurve};
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey};
use sunzi_pk::rsa::{self, KeyError, MIN_SIGNING_BITS};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// Size of a new RSA key's modulus in bits, unless another one is asked for.
const DEFAULT_BITS: u32 = 3072;

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

/// Make a key
///
/// The private key is written to a file that only its owner can read (mode 0600), never to standard
/// output. It is encrypted if there is a passphrase (--passphrase-file, SUNZI_PASSPHRASE), or with
/// --encrypt, which otherwise asks for a passphrase on the terminal. An empty passphrase is an error.
/// The primes of an RSA key are found by the method of FIPS 186-5, appendix A.1.3, and the key has
/// encrypted and decrypted a random number before it is written. The number of a key of a curve is
/// drawn by rejection from all that are possible (appendix A.2.2).
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// Write the private key to FILE
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Also write the public key to FILE (PEM, SubjectPublicKeyInfo)
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Size of an RSA key's modulus in bits, 2048 to 8192 [default: 3072]
    #[arg(long, conflicts_with = "curve")]
    bits: Option<u32>,
    /// Make N keys, each in a file of its own: key-0001.pem and so on for --out key.pem, or in an
    /// existing folder. RSA keys share their batches, which takes a fraction of the time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: Option<u32>,
    /// Make a key of this curve instead of an RSA key: P-256, secp256k1 and others, for ECDSA and ECDH;
    /// Ed25519 or Ed448, for EdDSA; X25519 or X448, for agreement. See `sunzi key curves`
    #[arg(long, value_name = "NAME")]
    curve: Option<KeyCurve>,
    /// Format of the private key
    #[arg(long, value_enum, default_value_t = KeyFormat::Pkcs8)]
    format: KeyFormat,
    /// Encrypt the private key
    #[arg(long)]
    encrypt: bool,
    #[command(flatten)]
    passphrase: PassphraseOptions,
    /// Allow RSA keys from 1024 bits, and curves of fewer than 224 bits, which are too weak for
    /// anything but tests
    #[arg(long, visible_alias = "force-weak")]
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
    /// PKCS#1, an older format of RSA keys that cannot be encrypted
    Pkcs1,
    /// SEC 1, an older format of keys of curves that cannot be encrypted
    Sec1,
    /// A JSON Web Key (RFC 7517), which is not encrypted either
    Jwk,
    /// OpenSSH's format, of RSA keys and keys of P-256, P-384, P-521 and Ed25519; public keys are one line
    Ssh,
}

impl KeyFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Pkcs8 => "PKCS#8",
            Self::Pkcs1 => "PKCS#1",
            Self::Sec1 => "SEC 1",
            Self::Jwk => "JWK",
            Self::Ssh => "OpenSSH's format",
        }
    }

    /// Refuses this format for keys of other algorithms, and for keys that are to be encrypted.
    fn check(self, kind: KeyKind, encrypted: bool) -> Result<(), Failure> {
        let name = self.name();
        let other = match self {
            Self::Pkcs1 => kind != KeyKind::Rsa,
            Self::Sec1 => kind != KeyKind::Ec,
            Self::Pkcs8 | Self::Jwk | Self::Ssh => false,
        };
        if other {
            let kind = match kind {
                KeyKind::Rsa => "an RSA key",
                KeyKind::Ec => "a key of a curve",
                KeyKind::Octets => "a key of this curve",
            };
            return Err(Failure::new(format!(
                "--format: {name} is no format of {kind}"
            )));
        }
        if encrypted && !matches!(self, Self::Pkcs8 | Self::Ssh) {
            return Err(Failure::new(format!(
                "{name} keys cannot be encrypted: leave --format at pkcs8"
            )));
        }
        Ok(())
    }

    /// Refuses this format for a key that is for PSS alone, unless the format can say so.
    fn check_restriction(self, key: &PublicKey) -> Result<(), Failure> {
        match key {
            PublicKey::Rsa(key) if key.restriction().is_some() && self != Self::Pkcs8 => {
                Err(Failure::new(format!(
                    "--format: the key is for RSASSA-PSS alone, which {} cannot say: leave it at pkcs8",
                    self.name()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// What formats distinguish of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyKind {
    Rsa,
    /// Of a curve for ECDSA and ECDH.
    Ec,
    /// Of EdDSA, X25519 or X448: a string of bytes.
    Octets,
}

impl KeyKind {
    fn of(key: &PublicKey) -> Self {
        match key {
            PublicKey::Rsa(_) => Self::Rsa,
            PublicKey::Ec(_) => Self::Ec,
            _ => Self::Octets,
        }
    }

    /// Of a new key, by the curve that was asked for.
    fn of_new(curve: Option<&KeyCurve>) -> Self {
        match curve {
            None => Self::Rsa,
            Some(KeyCurve::Ec(_)) => Self::Ec,
            Some(_) => Self::Octets,
        }
    }
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

/// The description of a key, without secrets.
#[derive(Debug, Serialize)]
struct KeyDescription<'a> {
    file: std::borrow::Cow<'a, str>,
    kind: &'static str,
    algorithm: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<String>,
    bits: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_exponent: Option<u64>,
    /// Restriction of the key, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    restriction: Option<String>,
    /// The SHA-256 of the `SubjectPublicKeyInfo` in DER.
    fingerprint: String,
}

impl<'a> KeyDescription<'a> {
    fn new(file: &'a Path, kind: &'static str, key: &PublicKey) -> Result<Self, Failure> {
        let of_curve = |curve: KeyCurve| {
            let name = Some(curve.to_string());
            (curve.algorithm(), name, curve.bits(), None)
        };
        let (algorithm, curve, bits, public_exponent) = match key {
            PublicKey::Rsa(key) => ("RSA", None, key.bits(), Some(key.e())),
            PublicKey::Ec(key) => of_curve(KeyCurve::Ec(key.curve().clone())),
            PublicKey::Edwards(key) => of_curve(KeyCurve::Edwards(key.curve())),
            PublicKey::Montgomery(key) => of_curve(KeyCurve::Montgomery(key.curve())),
            other => {
                let algorithm = other.algorithm();
                return Err(Failure::new(format!("keys of {algorithm} are not known")));
            }
        };
        Ok(Self {
            file: file.to_string_lossy(),
            kind,
            algorithm,
            curve,
            bits,
            public_exponent,
            restriction: match key {
                PublicKey::Rsa(key) => key.restriction().map(|pss| pss.to_string()),
                _ => None,
            },
            fingerprint: key_files::fingerprint(key)?,
        })
    }

    fn print(&self, common: &CommonOptions) -> Outcome {
        let mut output = Output::new();
        if common.json {
            output.json(self)?;
        } else {
            let exponent = self
                .public_exponent
                .map_or(String::new(), |e| format!(", public exponent {e}"));
            let restriction = self
                .restriction
                .iter()
                .map(|pss| format!(", for {pss} alone"));
            let restriction: String = restriction.collect();
            output.line(format_args!(
                "{}: {} {} key, {} bits{exponent}{restriction}, fingerprint {}",
                OneLine(&self.file),
                self.curve.as_deref().unwrap_or(self.algorithm),
                self.kind,
                self.bits,
                self.fingerprint
            ))?;
        }
        output.flush()?;
        Ok(Status::Done)
    }
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

/// Makes a key and writes it. When this returns, its secrets have been wiped: standard output may wait for its
/// reader.
fn new_files(args: &NewArgs, common: &CommonOptions) -> Result<PublicKey, Failure> {
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
    let kind = KeyKind::of_new(args.curve.as_ref());
    args.format.check(kind, args.encrypt)?;
    let passphrase = args.passphrase.for_new_key(args.encrypt)?;
    args.format.check(kind, passphrase.is_some())?;

    let passphrase = passphrase.as_ref().map(|passphrase| &passphrase[..]);
    let key = match &args.curve {
        None => new_rsa(args)?,
        Some(curve) => new_of_curve(args, curve, &common.engine()?)?,
    };
    let content = private_file(&key, args.format, passphrase)?;
    let public = key.public_key();
    let existing = if args.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    write(&args.out, content.as_bytes(), Access::Private, existing)?;
    if let Some(path) = &args.public {
        let pem = public.to_spki_pem().map_err(Failure::from_error)?;
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
    Ok(public)
}

fn new_rsa(args: &NewArgs) -> Result<PrivateKey, Failure> {
    let key = rsa::PrivateKey::generate(rsa_bits(args)?, &mut system_rng());
    let key = key.map_err(Failure::from_error)?;
    Ok(PrivateKey::Rsa(Box::new(key)))
}

/// The size of new RSA keys.
fn rsa_bits(args: &NewArgs) -> Result<u32, Failure> {
    let (bits, min) = (args.bits.unwrap_or(DEFAULT_BITS), MIN_SIGNING_BITS);
    if args.force_1024 || bits >= min {
        Ok(bits)
    } else {
        Err(Failure::from_error(KeyError::GeneratedSize { bits, min }))
    }
}

fn new_of_curve(args: &NewArgs, curve: &KeyCurve, engine: &Engine) -> Result<PrivateKey, Failure> {
    let rng = &mut system_rng();
    if let KeyCurve::Ec(curve) = curve {
        check_signing(curve).map_err(Failure::new)?;
        if !args.force_1024 {
            check_strength(curve).map_err(Failure::new)?;
        }
        let curve = PreparedCurve::new(engine, curve).map_err(Failure::from_error)?;
        let key = ec::PrivateKey::generate(&curve, rng).map_err(Failure::from_error)?;
        return Ok(PrivateKey::Ec(Box::new(key)));
    }
    let key = PrivateKey::generate(&Algorithms::new(engine), &curve.to_string(), rng);
    key.map_err(Failure::from_error)
}

/// The content of a file with a private key, in PKCS#8 encrypted if there is a passphrase.
fn private_file(
    key: &PrivateKey,
    format: KeyFormat,
    passphrase: Option<&[u8]>,
) -> Result<Zeroizing<String>, Failure> {
    match (key, format, passphrase) {
        (_, KeyFormat::Jwk, _) => key.to_jwk(),
        (_, KeyFormat::Ssh, passphrase) => key.to_openssh(&mut system_rng(), passphrase),
        (PrivateKey::Rsa(key), KeyFormat::Pkcs1, _) => Ok(key.to_pkcs1_pem()),
        (PrivateKey::Ec(key), KeyFormat::Sec1, _) => {
            return key.to_sec1_pem().map_err(Failure::from_error);
        }
        (_, _, Some(passphrase)) => key.to_encrypted_pkcs8_pem(&mut system_rng(), passphrase),
        (_, _, None) => key.to_pkcs8_pem(),
    }
    .map_err(Failure::from_error)
}

/// The content of a file with a public key.
fn public_file(key: &PublicKey, format: KeyFormat) -> Result<String, Failure> {
    match (key, format) {
        (_, KeyFormat::Jwk) => key.to_jwk(),
        (_, KeyFormat::Ssh) => key.to_openssh(),
        (PublicKey::Rsa(key), KeyFormat::Pkcs1) => Ok(key.to_pkcs1_pem()),
        (PublicKey::Ec(_), KeyFormat::Sec1) => {
            return Err(Failure::new(
                "--format: SEC 1 is a format of private keys only",
            ));
        }
        (key, _) => key.to_spki_pem(),
    }
    .map_err(Failure::from_error)
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
