//! `sunzi encrypt`: small files, or the messages of a stream.

use crate::args::{Common, Threads};
use crate::atomic::Access;
use crate::encryption_scheme::EncryptionArgs;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::messages::{Expected, Format, Messages};
use crate::passphrase::Source;
use crate::pipeline::{self, Bytes, Destination, FileWork, Work};
use crate::tally::Tally;
use crate::targets::{Naming, Targets};
use crate::{files, interrupt, keys};
use getrandom::SysRng;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::rsa::{
    EncryptError, EncryptRequest, EncryptionKey, EncryptionScheme, KeyError, encrypt_batch,
};
use zeroize::Zeroizing;

/// Encrypt small files, or the messages of a stream, to an RSA key
///
/// RSA encrypts keys, not files: a message must be shorter than the modulus (with the default,
/// OAEP with SHA-256, at most 190 bytes for a key of 2048 bits). Encrypt a file with a symmetric
/// cipher, and that cipher's key with this command. --scheme pkcs1v15 is a legacy scheme, for
/// systems that cannot be changed.
///
/// The ciphertext of each file goes to FILE.enc beside it, as raw bytes that `openssl pkeyutl
/// -decrypt` accepts with the same options (OpenSSL's own default for OAEP is SHA-1). It appears
/// whole or not at all: interrupt the run whenever you like, and start it again with --resume.
/// Folders are walked to the bottom; *.enc files in them are passed over, and symbolic links to
/// folders are not followed.
///
/// With - as the only input, messages come from standard input. JSON Lines: an object a line with
/// the message in one of the fields message (text, encrypted as UTF-8), message_hex or
/// message_base64, and if you like an id. CSV: the first line names the columns, by the same
/// names. For each message, in order, a line of JSON goes to standard output:
/// {"line":1,"id":...,"ciphertext":"<base64>"}, or {"line":1,"error":"..."}.
///
/// With --json, each file gets a line {"event":"encrypted"|"skipped"|"failed","file":...} and the
/// run ends with {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders to encrypt, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The public key (or a private one, of which the public half is used): PEM or DER
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    passphrase: Source,
    #[command(flatten)]
    scheme: EncryptionArgs,
    #[command(flatten)]
    destination: Destination,
    /// How messages on standard input are written
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Encrypt to a key of fewer than 2048 bits, which others may be able to break
    #[arg(long)]
    force_1024: bool,
}

/// Messages of one batch, for each thread. Encrypting is much faster than decrypting.
const BATCH_PER_THREAD: usize = 512;

/// What is known once the arguments are checked.
struct Job<'a> {
    engine: Engine,
    key: EncryptionKey,
    scheme: EncryptionScheme<'a>,
    /// The longest message.
    max: usize,
}

impl Job<'_> {
    /// The ciphertexts of the messages, in order.
    fn encrypt(&self, messages: &[Zeroizing<Vec<u8>>]) -> Vec<Bytes> {
        let requests: Vec<_> = messages
            .iter()
            .map(|message| EncryptRequest {
                key: &self.key,
                scheme: self.scheme,
                message,
            })
            .collect();
        encrypt_batch(&self.engine, &mut SysRng, &requests)
            .into_iter()
            .map(|result| match result {
                Ok(ciphertext) => Ok(Zeroizing::new(ciphertext)),
                Err(error) => Err(error.to_string()),
            })
            .collect()
    }

    /// A file's content, if it is no longer than a message may be.
    fn read(&self, path: &Path) -> Bytes {
        files::read_short(path, self.max)
            .map_err(|error| error.to_string())?
            .map_err(|given| {
                let max = self.max;
                EncryptError::MessageTooLong { max, given }.to_string()
            })
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let stream = pipeline::is_stream(&args.inputs, &args.destination)?;
    let out = args.destination.out.as_deref();
    let targets = Targets::new(&args.inputs, out, Naming::Append("enc"))?;
    let scheme = args.scheme.scheme()?;
    let engine = common.engine()?;
    let key = keys::any(&args.key, &args.passphrase)?;
    let threads = common.start_threads(Threads::All)?;
    let refused = |error| {
        let advice = match error {
            KeyError::TooShortToEncrypt(_) => "; --force-1024 permits it",
            _ => "",
        };
        Failure::new(format!("{}: {error}{advice}", args.key.display()))
    };
    let key = key.public().clone();
    let key = if args.force_1024 {
        key.permit_1024()
    } else {
        key
    };
    let key = EncryptionKey::new(&engine, &key).map_err(refused)?;
    let public = key.public_key();
    let size = public.size() as u64;
    let max = scheme.max_message(public).ok_or_else(|| {
        let error = EncryptError::KeyTooShort(public.bits());
        Failure::new(format!("{}: {error}", args.key.display()))
    })?;

    let how = format!("RSA-{}, {}", public.bits(), args.scheme.describe());
    let tally = Arc::new(Tally::new(
        "encrypted",
        stream,
        how,
        &engine,
        threads,
        common.json,
    ));
    let last_words = Arc::clone(&tally);
    interrupt::install(move |at_line_end| last_words.summarize_interrupted(at_line_end));

    let job = Job {
        engine,
        key,
        scheme,
        max,
    };
    let work = Work {
        verb: "encrypt",
        field: "ciphertext",
        batch: threads * BATCH_PER_THREAD,
        compute: &|messages: &[Zeroizing<Vec<u8>>]| job.encrypt(messages),
    };
    if stream {
        let messages = Messages::on_stdin(args.format, Expected::Message)?;
        pipeline::run_messages(&work, messages, &|message| message, &tally)?;
    } else {
        let file_work = FileWork {
            targets: &targets,
            destination: &args.destination,
            access: Access::Usual,
            read: &|path| job.read(path),
            is_result: &|file| file.len() == size,
        };
        pipeline::run_files(&work, &file_work, &tally)?;
    }
    pipeline::conclude("encrypt", stream, &tally)
}
