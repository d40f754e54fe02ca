//! `sunzi agree`: shared secrets of a private key and public keys of others.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::atomic::Access;
use crate::io::key_files::PrivateKey;
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
use sunzi_pk::ec::ecdh::{AgreeRequest, AgreementKey, agree_batch};
use sunzi_pk::ec::{Curve, PreparedCurves, PublicKey};
use zeroize::Zeroizing;

/// Agree on shared secrets with the owners of public keys, by ECDH
///
/// Whoever has the other private key gets the same secret from your public key. The secret is the x
/// coordinate of the common point, as long as the curve's prime, as `openssl pkeyutl -derive` gives
/// it. It is not a key: derive keys from it, by HKDF for example.
///
/// Each FILE is a public key in PEM or DER (SubjectPublicKeyInfo), or the bytes of a point (SEC 1,
/// compressed or not), of the same curve as the private key. The secret goes to FILE.secret beside
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
/// {"line":1,"error":"..."}. A line, or a record of CSV, has at most 16 MiB, an id 4096 bytes.
///
/// With --json, there is a line {"event":"agreed"|"skipped"|"failed","file":...} for each file, and
/// the last line is {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders with public keys of others, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Your private key, of a curve: PEM or DER, SEC 1 or PKCS#8
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

/// An agreement key on an engine.
struct Agreement {
    engine: Engine,
    key: AgreementKey,
}

impl Agreement {
    fn curve(&self) -> &Curve {
        self.key.public_key().curve()
    }

    /// The shared secrets with the owners of the keys, in order.
    fn agree(&self, peers: &[PublicKey]) -> Vec<BytesResult> {
        let key = &self.key;
        let requests: Vec<_> = peers
            .iter()
            .map(|peer| AgreeRequest { key, peer })
            .collect();
        agree_batch(&self.engine, &requests)
            .into_iter()
            .map(|secret| match secret {
                Ok(secret) => Ok(Zeroizing::new(secret.as_bytes().to_vec())),
                Err(error) => Err(error.to_string()),
            })
            .collect()
    }

    /// The public key in a file.
    fn read(&self, path: &Path) -> Result<PublicKey, String> {
        let content = files::read_short(path, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
        let content = content.map_err(|given| {
            format!("{given} bytes are too long to be a key: at most {MAX_FILE_BYTES} are read")
        })?;
        self.peer(&content)
    }

    /// The public key in PEM or DER, or the point, of the curve.
    fn peer(&self, bytes: &[u8]) -> Result<PublicKey, String> {
        // Points begin with 00 or 02 to 04.
        let key = if bytes.first().is_some_and(|&first| first > 4) {
            PublicKey::from_pem_or_der(bytes)
        } else {
            PublicKey::from_sec1_bytes(self.curve(), bytes)
        };
        key.map_err(|error| error.to_string())
    }
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
        let curves = PreparedCurves::new(&engine);
        let refused = |error: String| Failure::new(format!("{}: {error}", self.key.display()));
        let key = match key_files::read_private(&self.key, &self.unlock, &curves)? {
            PrivateKey::Ec(key) => key,
            PrivateKey::Rsa(_) => {
                return Err(refused(
                    "an RSA key cannot agree: give a key of a curve".into(),
                ));
            }
        };
        let curve = key.curve();
        if !self.force_1024 {
            check_strength(curve).map_err(refused)?;
        }
        let prepared = curves.get(curve).map_err(Failure::from_error)?;
        let key = AgreementKey::new(&prepared, &key).map_err(|error| refused(error.to_string()))?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let tally = Arc::new(Tally::new(
            "agreed",
            stream,
            format!("{}, ECDH", prepared.curve()),
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let agreement = Agreement { engine, key };
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
            compute: &|peers: &[PublicKey]| agreement.agree(peers),
        };
        if stream {
            let peers = Messages::on_stdin(self.format, StreamKind::Peer)?;
            pipeline::run_messages(&operation, peers, &|bytes| agreement.peer(&bytes), &tally)?;
        } else {
            let size = u64::from(agreement.curve().bits().div_ceil(8));
            let handling = FileHandling {
                targets: &targets,
                destination: &self.destination,
                access: Access::Private,
                read: &|path| agreement.read(path),
                resume: Resume::Skip(&|file| file.len() == size),
            };
            pipeline::run_files(&operation, &handling, &tally)?;
        }
        pipeline::conclude("agree", stream, &tally)
    }
}
