//! `sunzi key new`: a new key.

use super::files::{exists, names_one_file, write};
use super::format::{KeyFormat, KeyKind, private_file};
use crate::failure::Failure;
use crate::io::atomic::{Access, Existing};
use crate::options::CommonOptions;
use crate::options::curve::{KeyCurve, check_signing, check_strength};
use crate::options::passphrase::PassphraseOptions;
use std::path::PathBuf;
use sunzi_engine::Engine;
use sunzi_pk::ec::{self, PreparedCurve};
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey};
use sunzi_pk::rsa::{self, KeyError, MIN_SIGNING_BITS};
use sunzi_pk::system_rng;

/// Size of a new RSA key's modulus in bits, unless another one is asked for.
const DEFAULT_BITS: u32 = 3072;

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
    pub(super) out: PathBuf,
    /// Also write the public key to FILE (PEM, SubjectPublicKeyInfo)
    #[arg(long, value_name = "FILE")]
    pub(super) public: Option<PathBuf>,
    /// Size of an RSA key's modulus in bits, 2048 to 8192 [default: 3072]
    #[arg(long, conflicts_with = "curve")]
    pub(super) bits: Option<u32>,
    /// Make N keys, each in a file of its own: key-0001.pem and so on for --out key.pem, or in an
    /// existing folder. RSA keys share their batches, which takes a fraction of the time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) count: Option<u32>,
    /// Make a key of this curve instead of an RSA key: P-256, secp256k1 and others, for ECDSA and ECDH;
    /// Ed25519 or Ed448, for EdDSA; X25519 or X448, for agreement. See `sunzi key curves`
    #[arg(long, value_name = "NAME")]
    pub(super) curve: Option<KeyCurve>,
    /// Format of the private key
    #[arg(long, value_enum, default_value_t = KeyFormat::Pkcs8)]
    pub(super) format: KeyFormat,
    /// Encrypt the private key
    #[arg(long)]
    pub(super) encrypt: bool,
    #[command(flatten)]
    pub(super) passphrase: PassphraseOptions,
    /// Allow RSA keys from 1024 bits, and curves of fewer than 224 bits, which are too weak for
    /// anything but tests
    #[arg(long, visible_alias = "force-weak")]
    pub(super) force_1024: bool,
    /// Replace existing files
    #[arg(long)]
    pub(super) force: bool,
}

/// Makes a key and writes it. When this returns, its secrets have been wiped: standard output may wait for its
/// reader.
pub(super) fn new_files(args: &NewArgs, common: &CommonOptions) -> Result<PublicKey, Failure> {
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
pub(super) fn rsa_bits(args: &NewArgs) -> Result<u32, Failure> {
    let (bits, min) = (args.bits.unwrap_or(DEFAULT_BITS), MIN_SIGNING_BITS);
    if args.force_1024 || bits >= min {
        Ok(bits)
    } else {
        Err(Failure::from_error(KeyError::GeneratedSize { bits, min }))
    }
}

/// Makes a key of a curve.
pub(super) fn new_of_curve(
    args: &NewArgs,
    curve: &KeyCurve,
    engine: &Engine,
) -> Result<PrivateKey, Failure> {
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
