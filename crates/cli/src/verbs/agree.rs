//! `sunzi agree`: shared secrets of a private key and public keys of others.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::atomic::Access;
use crate::io::messages::{Messages, StreamFormat, StreamKind};
use crate::io::pipeline::{
    self, BatchOperation, BytesResult, DestinationOptions, FileHandling, ResultText, Resume,
};
use crate::io::tally::Tally;
use crate::io::targets::{CompanionNaming, Targets};
use crate::io::{files, key_files};
use crate::options::curve::check_strength;
use crate::options::passphrase::UnlockOptions;
use crate::options::{BasesOptions, CommonOptions, DefaultThreads};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::MAX_FILE_BYTES;
use sunzi_pk::ec::{self, ecdh, xdh};
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey};
use zeroize::Zeroizing;

/// Agree on shared secrets with the owners of public keys, by ECDH, X25519 or X448
///
/// Whoever has the other private key gets the same secret from your public key. The secret is the x
/// coordinate of the common point, as long as the curve's prime, as `openssl pkeyutl -derive` gives
/// it. It is not a key: derive keys from it, by HKDF for example.
///
/// Each FILE is a public key in PEM or DER (SubjectPublicKeyInfo), or the bytes of a point (SEC 1,
/// compressed or not; of X25519 and X448 32 and 56 bytes), of the same curve as the private key. The secret goes to FILE.secret beside
/// it, as raw bytes that only its owner can read (mode 0600). It appears whole or not at all:
/// interrupt the run whenever you like, and start it again with --resume, which skips files that have
/// a secret of the right length, and does not check it. Folders are read with all their subfolders;
/// *.secret files in them are skipped, and symbolic links to folders are not followed. What is not
/// a key of this curve fails, and the others get their secrets.
///
/// With - as the only input, public keys are read from standard input. In JSON Lines, each line is an
/// object with the key in one of the fields peer (PEM), peer_hex or peer_base64 (DER or a point), and
/// optionally an id. In CSV, the first line names the columns, with the same names. For each key, in
/// order, a line of JSON is written to standard output: {"line":1,"id":...,"secret_base64":"..."}, or
/// {"line":1,"id":...,"error":"..."}. A line, or a record of CSV, has at most 16 MiB, an id 4096 bytes.
///
/// With --json, there is a line {"event":"agreed"|"skipped"|"failed","file":...} for each file, and
/// the last line is {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders with public keys of others, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Your private key, of a curve for ECDH, X25519 or X448: PEM or DER, SEC 1, PKCS#8, PKCS#12 or JWK
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    destination: DestinationOptions,
    /// Format of the public keys on standard input
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
    /// Answer the keys on standard input in hexadecimal, in the field secret_hex
    #[arg(long)]
    hex: bool,
    /// Allow a curve of fewer than 224 bits, which others may be able to break
    #[arg(long, visible_alias = "force-weak")]
    force_1024: bool,
    #[command(flatten)]
    bases: BasesOptions,
}

/// The number of public keys in a batch for each thread: enough to fill the lanes of any backend with
/// keys that share inversions.
const BATCH_PER_THREAD: usize = 512;

/// A key that agrees, prepared on an engine.
enum Agreement {
    Ecdh(ecdh::AgreementKey),
    Xdh(xdh::AgreementKey),
}

/// The public key of somebody else, for a key of the same algorithm.
enum Peer {
    Ec(ec::PublicKey),
    Montgomery(xdh::PublicKey),
}

impl Agreement {
    /// The shared secrets with the owners of the keys, in order.
    fn agree(&self, engine: &Engine, peers: &[Peer]) -> Vec<BytesResult> {
        match self {
            Self::Ecdh(key) => {
                let requests = peers.iter().filter_map(|peer| match peer {
                    Peer::Ec(peer) => Some(ecdh::AgreeRequest { key, peer }),
                    Peer::Montgomery(_) => None,
                });
                let requests: Vec<_> = requests.collect();
                let secrets = ecdh::agree_batch(engine, &requests).into_iter();
                let bytes = |secret: ecdh::SharedSecret| copied(secret.as_bytes());
                secrets.map(|secret| in_words(secret.map(bytes))).collect()
            }
            Self::Xdh(key) => {
                let requests = peers.iter().filter_map(|peer| match peer {
                    Peer::Montgomery(peer) => Some(xdh::AgreeRequest { key, peer }),
                    Peer::Ec(_) => None,
                });
                let requests: Vec<_> = requests.collect();
                let secrets = xdh::agree_batch(engine, &requests).into_iter();
                let bytes = |secret: xdh::SharedSecret| copied(secret.as_bytes());
                secrets.map(|secret| in_words(secret.map(bytes))).collect()
            }
        }
    }

    /// Length of a secret in bytes.
    fn secret_bytes(&self) -> usize {
        match self {
            Self::Ecdh(key) => key.public_key().curve().bits().div_ceil(8) as usize,
            Self::Xdh(key) => key.public_key().curve().encoded_bytes(),
        }
    }

    /// The public key in a file.
    fn read(&self, path: &Path) -> Result<Peer, String> {
        let content = files::read_short(path, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
        let content = content.map_err(|given| {
            format!("{given} bytes are too long to be a key: at most {MAX_FILE_BYTES} are read")
        })?;
        self.peer(&content)
    }

    /// The public key in PEM or DER, or the point, of the curve.
    fn peer(&self, bytes: &[u8]) -> Result<Peer, String> {
        match self {
            Self::Ecdh(own) => {
                // Points begin with 00 or 02 to 04.
                let key = if bytes.first().is_some_and(|&first| first > 4) {
                    ec::PublicKey::from_pem_or_der(bytes)
                } else {
                    ec::PublicKey::from_sec1_bytes(own.public_key().curve(), bytes)
                };
                in_words(key.map(Peer::Ec))
            }
            Self::Xdh(own) => {
                let curve = own.public_key().curve();
                // No key in PEM or DER is as short.
                let key = if bytes.len() <= curve.encoded_bytes() {
                    xdh::PublicKey::from_bytes(curve, bytes)
                } else {
                    xdh::PublicKey::from_pem_or_der(bytes)
                };
                in_words(key.map(Peer::Montgomery))
            }
        }
    }
}

fn copied(secret: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(secret.to_vec())
}

fn in_words<T, E: core::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn cannot_agree(key: &PublicKey) -> String {
    let article = if matches!(key, PublicKey::Rsa(_)) {
        String::from("an RSA key")
    } else {
        format!("a key of {}", key.algorithm())
    };
    format!("{article} cannot agree: give a key of a curve for ECDH, X25519 or X448")
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let stream = pipeline::is_stream(&self.inputs)?;
        self.destination.check(stream)?;
        if self.hex && !stream {
            return Err(Failure::new("--hex is for -, not for files"));
        }
        let out = self.destination.out.as_deref();
        let targets = Targets::new(&self.inputs, out, CompanionNaming::Append("secret"))?;
        let engine = common.engine_in(self.bases)?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let algorithms = Algorithms::new(&engine);
        let refused = |error: String| Failure::new(format!("{}: {error}", self.key.display()));
        let key = key_files::read_private(&self.key, &self.unlock, &algorithms)?;
        let (agreement, how) = match &key {
            PrivateKey::Ec(key) => {
                let curve = key.curve();
                if !self.force_1024 {
                    check_strength(curve).map_err(refused)?;
                }
                let prepared = algorithms
                    .curves()
                    .get(curve)
                    .map_err(Failure::from_error)?;
                let key = ecdh::AgreementKey::new(&prepared, key);
                let key = in_words(key).map_err(refused)?;
                (Agreement::Ecdh(key), format!("{curve}, ECDH"))
            }
            PrivateKey::Montgomery(key) => {
                let prepared = algorithms.montgomery().get(key.curve());
                let prepared = prepared.map_err(Failure::from_error)?;
                let name = PublicKey::Montgomery(key.public_key().clone()).algorithm();
                let key = xdh::AgreementKey::new(&prepared, key);
                (Agreement::Xdh(in_words(key).map_err(refused)?), name)
            }
            other => return Err(refused(cannot_agree(&other.public_key()))),
        };
        let tally = Arc::new(Tally::new(
            "agreed",
            stream,
            how,
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let (field, text) = if self.hex {
            ("secret_hex", ResultText::Hex)
        } else {
            ("secret_base64", ResultText::Base64)
        };
        let operation = BatchOperation {
            verb: "agree",
            field,
            text,
            batch: threads * BATCH_PER_THREAD,
            compute: &|peers: &[Peer]| agreement.agree(&engine, peers),
        };
        if stream {
            let peers = Messages::on_stdin(self.format, StreamKind::Peer)?;
            pipeline::run_messages(&operation, peers, &|bytes| agreement.peer(&bytes), &tally)?;
        } else {
            let size = agreement.secret_bytes() as u64;
            let handling = FileHandling {
                targets: &targets,
                destination: &self.destination,
                access: Access::Private,
                read: &|path| agreement.read(path),
                kept_bytes: &|_| size_of::<Peer>(),
                resume: Resume::Skip(&|file| file.len() == size),
            };
            pipeline::run_files(&operation, &handling, &tally)?;
        }
        pipeline::conclude("agree", stream, &tally)
    }
}
