//! `sunzi sign`: files, or the messages of a stream.

use crate::args::{Common, Threads};
use crate::atomic::Access;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::messages::{Expected, Format, Messages};
use crate::passphrase::Source;
use crate::pipeline::{self, Bytes, Destination, FileWork, Work};
use crate::scheme::SchemeArgs;
use crate::tally::Tally;
use crate::targets::{Naming, Targets};
use crate::{files, interrupt, keys};
use getrandom::SysRng;
use std::path::PathBuf;
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::Digest;
use sunzi_pk::rsa::{Scheme, SignRequest, SigningKey, sign_batch};
use zeroize::Zeroizing;

/// Sign files, folders, or the messages of a stream with an RSA key
///
/// The signature of each file goes to FILE.sig beside it, as raw bytes that `openssl dgst -verify`
/// accepts. It appears whole or not at all: interrupt the run whenever you like, and start it
/// again with --resume, which skips files that have a signature of the right length. Folders are
/// walked to the bottom; *.sig files in them are passed over, and symbolic links to folders are
/// not followed.
///
/// With - as the only input, messages come from standard input. JSON Lines: an object a line with
/// the message in one of the fields message (text, signed as UTF-8), message_hex or
/// message_base64, and if you like an id. CSV: the first line names the columns, by the same
/// names. For each message, in order, a line of JSON goes to standard output:
/// {"line":1,"id":...,"signature":"<base64>"}, or {"line":1,"error":"..."}.
///
/// With --json, each file gets a line {"event":"signed"|"skipped"|"failed","file":...} and the
/// run ends with {"event":"summary",...}.
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
    passphrase: Source,
    #[command(flatten)]
    scheme: SchemeArgs,
    #[command(flatten)]
    destination: Destination,
    /// How messages on standard input are written
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Sign with a key of fewer than 2048 bits, which others may be able to break
    #[arg(long)]
    force_1024: bool,
}

/// Signatures of one batch, for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 128;

/// What is known once the arguments are checked.
struct Job {
    engine: Engine,
    key: SigningKey,
    scheme: Scheme,
}

impl Job {
    /// The signatures of the digests, in order.
    fn sign(&self, digests: &[Digest]) -> Vec<Bytes> {
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
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let stream = pipeline::is_stream(&args.inputs, &args.destination)?;
    let out = args.destination.out.as_deref();
    let targets = Targets::new(&args.inputs, out, Naming::Append("sig"))?;
    let scheme = args.scheme.scheme()?;
    let engine = common.engine()?;
    let key = keys::private(&args.key, &args.passphrase)?;
    let key = if args.force_1024 {
        key.permit_1024()
    } else {
        key
    };
    let threads = common.start_threads(Threads::All)?;
    let key = SigningKey::new(&engine, &key).map_err(|error| {
        let advice = if args.force_1024 {
            ""
        } else {
            "; --force-1024 permits it"
        };
        Failure::new(match error {
            sunzi_pk::rsa::KeyError::TooShortToSign(bits) => format!(
                "{}: a key of {bits} bits is too weak to sign{advice}",
                args.key.display()
            ),
            error => format!("{}: {error}", args.key.display()),
        })
    })?;

    let public = key.public_key();
    let size = public.size() as u64;
    let how = format!("RSA-{}, {}", public.bits(), args.scheme.describe());
    let tally = Arc::new(Tally::new(
        "signed",
        stream,
        how,
        &engine,
        threads,
        common.json,
    ));
    let last_words = Arc::clone(&tally);
    interrupt::install(move |at_line_end| last_words.summarize_interrupted(at_line_end));

    let hash = args.scheme.hash();
    let job = Job {
        engine,
        key,
        scheme,
    };
    let work = Work {
        verb: "sign",
        field: "signature",
        batch: threads * BATCH_PER_THREAD,
        compute: &|digests: &[Digest]| job.sign(digests),
    };
    if stream {
        let messages = Messages::on_stdin(args.format, Expected::Message)?;
        pipeline::run_messages(&work, messages, &|message| hash.digest(&message), &tally)?;
    } else {
        let file_work = FileWork {
            targets: &targets,
            destination: &args.destination,
            access: Access::Usual,
            read: &|path| files::digest(path, hash).map_err(|error| error.to_string()),
            is_result: &|file| file.len() == size,
        };
        pipeline::run_files(&work, &file_work, &tally)?;
    }
    pipeline::conclude("sign", stream, &tally)
}
