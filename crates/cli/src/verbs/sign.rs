//! `sunzi sign`: signatures of files or of the messages of a stream.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::atomic::Access;
use crate::io::messages::{Messages, StreamFormat, StreamKind};
use crate::io::pipeline::{
    self, BatchOperation, BytesResult, DestinationOptions, FileHandling, Resume,
};
use crate::io::tally::Tally;
use crate::io::targets::{CompanionNaming, Targets};
use crate::io::{files, key_files};
use crate::options::passphrase::UnlockOptions;
use crate::options::signature::SignatureOptions;
use crate::options::{BasesOptions, CommonOptions, DefaultThreads};
use getrandom::SysRng;
use std::path::PathBuf;
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::Digest;
use sunzi_pk::rsa::{
    Scheme, SignRequest, SigningKey, VerifyRequest, VerifyingKey, sign_batch, verify_batch,
};
use zeroize::Zeroizing;

/// Sign files, folders, or the messages of a stream with an RSA key
///
/// The signature of each file goes to FILE.sig beside it, as raw bytes that `openssl dgst -verify`
/// accepts. It appears whole or not at all: interrupt the run whenever you like, and start it
/// again with --resume. That verifies the signatures that exist: files with a right one, by this key
/// over the present content, are skipped, and wrong signatures are made again and named. Folders are
/// read with all their subfolders; *.sig files in them are skipped, and symbolic links to folders
/// are not followed.
///
/// With - as the only input, messages are read from standard input. In JSON Lines, each line is an
/// object with the message in one of the fields message (text, signed as UTF-8), message_hex or
/// message_base64, and optionally an id. In CSV, the first line names the columns, with the same
/// names. For each message, in order, a line of JSON is written to standard output:
/// {"line":1,"id":...,"signature":"<base64>"}, or {"line":1,"error":"..."}. A line, or a record of CSV,
/// has at most 16 MiB, an id 4096 bytes. To go on after a run was killed, remove a last line without an
/// end from the output, and give the messages after the last one that was answered.
///
/// With --json, there is a line {"event":"signed"|"skipped"|"failed","file":...} for each file, and
/// the last line is {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders to sign, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The private key: PEM or DER, PKCS#1 or PKCS#8
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    scheme: SignatureOptions,
    #[command(flatten)]
    destination: DestinationOptions,
    /// Format of the messages on standard input
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
    /// Allow a key of fewer than 2048 bits, which others may be able to break
    #[arg(long)]
    force_1024: bool,
    #[command(flatten)]
    bases: BasesOptions,
}

/// The number of signatures in a batch for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 128;

/// A signer: the engine with a key and a scheme.
struct Signer {
    engine: Engine,
    key: SigningKey,
    /// The public half of the key, to verify the signatures that exist.
    public: VerifyingKey,
    scheme: Scheme,
}

impl Signer {
    /// The signatures of the digests, in order.
    fn sign(&self, digests: &[Digest]) -> Vec<BytesResult> {
        let requests: Vec<_> = digests
            .iter()
            .map(|&digest| SignRequest {
                key: &self.key,
                scheme: self.scheme,
                digest,
            })
            .collect();
        sign_batch(&self.engine, &mut SysRng, &requests)
            .into_iter()
            .map(|signature| match signature {
                Ok(signature) => Ok(Zeroizing::new(signature)),
                Err(error) => Err(error.to_string()),
            })
            .collect()
    }

    /// For each digest with a signature, in order, whether the signature is right.
    fn verify(&self, claims: &[(&Digest, Vec<u8>)]) -> Vec<bool> {
        let requests: Vec<_> = claims
            .iter()
            .map(|&(&digest, ref signature)| VerifyRequest {
                key: &self.public,
                scheme: self.scheme,
                digest,
                signature,
            })
            .collect();
        let verdicts = verify_batch(&self.engine, &requests).into_iter();
        verdicts.map(|verdict| verdict.is_ok()).collect()
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let stream = pipeline::is_stream(&self.inputs)?;
        self.destination.check(stream)?;
        let out = self.destination.out.as_deref();
        let targets = Targets::new(&self.inputs, out, CompanionNaming::Append("sig"))?;
        let scheme = self.scheme.scheme()?;
        let engine = common.engine_in(self.bases)?;
        let key = key_files::read_private(&self.key, &self.unlock)?;
        let key = if self.force_1024 {
            key.permit_1024()
        } else {
            key
        };
        let threads = common.start_threads(DefaultThreads::All)?;
        let key = SigningKey::new(&engine, &key).map_err(|error| {
            let advice = if self.force_1024 {
                ""
            } else {
                "; --force-1024 permits it"
            };
            Failure::new(match error {
                sunzi_pk::rsa::KeyError::TooShortToSign(bits) => format!(
                    "{}: a key of {bits} bits is too weak to sign{advice}",
                    self.key.display()
                ),
                error => format!("{}: {error}", self.key.display()),
            })
        })?;

        let public = VerifyingKey::new(&engine, key.public_key())
            .map_err(|error| Failure::new(format!("{}: {error}", self.key.display())))?;
        let size = public.public_key().size();
        let key_and_scheme = format!(
            "RSA-{}, {}",
            key.public_key().bits(),
            self.scheme.describe()
        );
        let tally = Arc::new(Tally::new(
            "signed",
            stream,
            key_and_scheme,
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let hash = self.scheme.hash();
        let signer = Signer {
            engine,
            key,
            public,
            scheme,
        };
        let operation = BatchOperation {
            verb: "sign",
            field: "signature",
            batch: threads * BATCH_PER_THREAD,
            compute: &|digests: &[Digest]| signer.sign(digests),
        };
        if stream {
            let messages = Messages::on_stdin(self.format, StreamKind::Message)?;
            pipeline::run_messages(
                &operation,
                messages,
                &|message| Ok(hash.digest(&message)),
                &tally,
            )?;
        } else {
            let handling = FileHandling {
                targets: &targets,
                destination: &self.destination,
                access: Access::Usual,
                read: &|path| files::digest(path, hash).map_err(|error| error.to_string()),
                resume: Resume::Verify {
                    length: size,
                    verify: &|claims| signer.verify(claims),
                },
            };
            pipeline::run_files(&operation, &handling, &tally)?;
        }
        pipeline::conclude("sign", stream, &tally)
    }
}
