//! `sunzi encrypt`: encryption of small files or of the messages of a stream.

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
use crate::options::encryption::EncryptionOptions;
use crate::options::passphrase::UnlockOptions;
use crate::options::{CommonOptions, DefaultThreads};
use getrandom::SysRng;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::keys::Algorithms;
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
/// whole or not at all: interrupt the run whenever you like, and start it again with --resume, which
/// skips files that have a ciphertext of the right length. It does not check these: only the private
/// key could. Folders are read with all their subfolders; *.enc files in them are skipped, and symbolic links
/// to folders are not followed.
///
/// With - as the only input, messages are read from standard input. In JSON Lines, each line is an
/// object with the message in one of the fields message (text, encrypted as UTF-8), message_hex or
/// message_base64, and optionally an id. In CSV, the first line names the columns, with the same
/// names. For each message, in order, a line of JSON is written to standard output:
/// {"line":1,"id":...,"ciphertext":"<base64>"}, or {"line":1,"id":...,"error":"..."}. A line, or a record of CSV,
/// has at most 16 MiB, an id 4096 bytes.
///
/// With --json, there is a line {"event":"encrypted"|"skipped"|"failed","file":...} for each file,
/// and the last line is {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files and folders to encrypt, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The public key (or a private one, of which the public half is used): PEM, DER, JSON Web Key, OpenSSH
    /// or PKCS#12
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    scheme: EncryptionOptions,
    #[command(flatten)]
    destination: DestinationOptions,
    /// Format of the messages on standard input
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
    /// Allow a key of fewer than 2048 bits, which others may be able to break
    #[arg(long)]
    force_1024: bool,
}

/// The number of messages in a batch for each thread: more than for `decrypt`, since encrypting is
/// much faster.
const BATCH_PER_THREAD: usize = 512;

/// An encryptor: the engine with a key and a scheme.
struct Encryptor<'a> {
    engine: Engine,
    key: EncryptionKey,
    scheme: EncryptionScheme<'a>,
    /// The largest length of a message, in bytes.
    max: usize,
}

impl Encryptor<'_> {
    /// The ciphertexts of the messages, in order.
    fn encrypt(&self, messages: &[Zeroizing<Vec<u8>>]) -> Vec<BytesResult> {
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

    /// The content of a file, unless it is too long for a message.
    fn read(&self, path: &Path) -> BytesResult {
        files::read_short(path, self.max)
            .map_err(|error| error.to_string())?
            .map_err(|given| self.too_long(given))
    }

    /// The message, unless it is too long.
    fn check(&self, message: Zeroizing<Vec<u8>>) -> BytesResult {
        if message.len() > self.max {
            return Err(self.too_long(message.len()));
        }
        Ok(message)
    }

    fn too_long(&self, given: usize) -> String {
        let max = self.max;
        EncryptError::MessageTooLong { max, given }.to_string()
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let stream = pipeline::is_stream(&self.inputs)?;
        self.destination.check(stream)?;
        let out = self.destination.out.as_deref();
        let targets = Targets::new(&self.inputs, out, CompanionNaming::Append("enc"))?;
        let scheme = self.scheme.scheme()?;
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        let key = key_files::read_any(&self.key, &self.unlock, &algorithms)?;
        let mut public = key_files::public_rsa(key.into_public(), &self.key, "encrypt")?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let refused = |error| {
            let advice = match error {
                KeyError::TooShortToEncrypt(_) => "; --force-1024 permits it",
                _ => "",
            };
            Failure::new(format!("{}: {error}{advice}", self.key.display()))
        };
        if self.force_1024 {
            public = public.permit_1024();
        }
        let key = EncryptionKey::new(&engine, &public).map_err(refused)?;
        let public = key.public_key();
        let size = public.size() as u64;
        let max = scheme.max_message(public).ok_or_else(|| {
            let error = EncryptError::KeyTooShort(public.bits());
            Failure::new(format!("{}: {error}", self.key.display()))
        })?;

        let key_and_scheme = format!("RSA-{}, {}", public.bits(), self.scheme.describe());
        let tally = Arc::new(Tally::new(
            "encrypted",
            stream,
            key_and_scheme,
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let encryptor = Encryptor {
            engine,
            key,
            scheme,
            max,
        };
        let operation = BatchOperation {
            verb: "encrypt",
            field: "ciphertext",
            text: ResultText::Base64,
            batch: threads * BATCH_PER_THREAD,
            compute: &|messages: &[Zeroizing<Vec<u8>>]| encryptor.encrypt(messages),
        };
        if stream {
            let messages = Messages::on_stdin(self.format, StreamKind::Message)?;
            pipeline::run_messages(
                &operation,
                messages,
                &|message| encryptor.check(message),
                &tally,
            )?;
        } else {
            let handling = FileHandling {
                targets: &targets,
                destination: &self.destination,
                access: Access::Usual,
                read: &|path| encryptor.read(path),
                kept_bytes: &|_| size as usize,
                // It cannot be checked without the private key.
                resume: Resume::Skip(&|file| file.len() == size),
            };
            pipeline::run_files(&operation, &handling, &tally)?;
        }
        pipeline::conclude("encrypt", stream, &tally)
    }
}
