//! `sunzi decrypt`: decryption of small files or of the messages of a stream.

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
use crate::options::{BasesOptions, CommonOptions, DefaultThreads};
use getrandom::SysRng;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_engine::Engine;
use sunzi_pk::keys::Algorithms;
use sunzi_pk::rsa::{
    DecryptError, DecryptRequest, DecryptionKey, EncryptionScheme, KeyError, decrypt_batch,
};
use zeroize::Zeroizing;

/// Decrypt small files, or the messages of a stream, with an RSA key
///
/// FILE.enc, the raw ciphertext that `sunzi encrypt` and `openssl pkeyutl -encrypt` write, is
/// decrypted to FILE beside it, which only its owner can read (mode 0600). The file appears whole
/// or not at all: interrupt the run whenever you like, and start it again with --resume, which skips
/// ciphertexts whose FILE exists, and does not check what is in it. In folders and their subfolders, the *.enc files are decrypted.
///
/// The scheme, hashes and label must be those of the encryption. With OAEP, a ciphertext that was
/// made with others, or is damaged, fails. With --scheme pkcs1v15, a legacy scheme, it does not
/// fail but decrypts to random bytes of a random length, always the same ones for the same
/// ciphertext, since an error would help an attacker to decrypt without the key. OpenSSL 3.2 and
/// newer give the same bytes.
///
/// With - as the only input, ciphertexts are read from standard input. In JSON Lines, each line is
/// an object with the field ciphertext (base64) and optionally an id, as `sunzi encrypt -` writes
/// them. In CSV, the first line names the columns, with the same names. For each ciphertext, in
/// order, a line of JSON is written to standard output:
/// {"line":1,"id":...,"message_base64":"<base64>"}, or {"line":1,"id":...,"error":"..."}. A line, or a record of
/// CSV, has at most 16 MiB, an id 4096 bytes.
///
/// With --json, there is a line {"event":"decrypted"|"skipped"|"failed","file":...} for each file,
/// and the last line is {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files whose names end in .enc, and folders with such files, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The private key: PEM, DER, JSON Web Key, OpenSSH or PKCS#12
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    scheme: EncryptionOptions,
    #[command(flatten)]
    destination: DestinationOptions,
    /// Format of the ciphertexts on standard input
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
    /// Allow a key of fewer than 2048 bits, which others may be able to break
    #[arg(long)]
    force_1024: bool,
    #[command(flatten)]
    bases: BasesOptions,
}

/// The number of ciphertexts in a batch for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 128;

/// A decryptor: the engine with a key and a scheme.
struct Decryptor<'a> {
    engine: Engine,
    key: DecryptionKey,
    scheme: EncryptionScheme<'a>,
}

impl Decryptor<'_> {
    /// The messages in the ciphertexts, in order.
    fn decrypt(&self, ciphertexts: &[Zeroizing<Vec<u8>>]) -> Vec<BytesResult> {
        let requests: Vec<_> = ciphertexts
            .iter()
            .map(|ciphertext| DecryptRequest {
                key: &self.key,
                scheme: self.scheme,
                ciphertext,
            })
            .collect();
        decrypt_batch(&self.engine, &mut SysRng, &requests)
            .into_iter()
            .map(|message| message.map_err(|error| error.to_string()))
            .collect()
    }

    /// The content of a file, unless it is longer than a ciphertext.
    fn read(&self, path: &Path) -> BytesResult {
        let expected = self.key.public_key().size();
        files::read_short(path, expected)
            .map_err(|error| error.to_string())?
            .map_err(|given| DecryptError::Length { expected, given }.to_string())
    }

    /// The ciphertext, unless its length is wrong.
    fn check(&self, ciphertext: Zeroizing<Vec<u8>>) -> BytesResult {
        let (expected, given) = (self.key.public_key().size(), ciphertext.len());
        if given != expected {
            return Err(DecryptError::Length { expected, given }.to_string());
        }
        Ok(ciphertext)
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let stream = pipeline::is_stream(&self.inputs)?;
        self.destination.check(stream)?;
        let out = self.destination.out.as_deref();
        let targets = Targets::new(&self.inputs, out, CompanionNaming::Strip("enc"))?;
        let scheme = self.scheme.scheme()?;
        let engine = common.engine_in(self.bases)?;
        let algorithms = Algorithms::new(&engine);
        let key = key_files::read_private(&self.key, &self.unlock, &algorithms)?;
        let key = key_files::private_rsa(key, &self.key, "decrypt")?;
        let key = if self.force_1024 {
            key.permit_1024()
        } else {
            key
        };
        let threads = common.start_threads(DefaultThreads::All)?;
        let key = DecryptionKey::new(&engine, &key).map_err(|error| {
            let advice = match error {
                KeyError::TooShortToDecrypt(_) => "; --force-1024 permits it",
                _ => "",
            };
            Failure::new(format!("{}: {error}{advice}", self.key.display()))
        })?;

        let bits = key.public_key().bits();
        let key_and_scheme = format!("RSA-{bits}, {}", self.scheme.describe());
        let tally = Arc::new(Tally::new(
            "decrypted",
            stream,
            key_and_scheme,
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let decryptor = Decryptor {
            engine,
            key,
            scheme,
        };
        let operation = BatchOperation {
            verb: "decrypt",
            field: "message_base64",
            text: ResultText::Base64,
            batch: threads * BATCH_PER_THREAD,
            compute: &|ciphertexts: &[Zeroizing<Vec<u8>>]| decryptor.decrypt(ciphertexts),
        };
        if stream {
            let ciphertexts = Messages::on_stdin(self.format, StreamKind::Ciphertext)?;
            pipeline::run_messages(
                &operation,
                ciphertexts,
                &|text| decryptor.check(text),
                &tally,
            )?;
        } else {
            let handling = FileHandling {
                targets: &targets,
                destination: &self.destination,
                access: Access::Private,
                read: &|path| decryptor.read(path),
                kept_bytes: &|_| decryptor.key.public_key().size(),
                // A decrypted file may have any length. If this command wrote it, it is complete.
                resume: Resume::Skip(&|_| true),
            };
            pipeline::run_files(&operation, &handling, &tally)?;
        }
        pipeline::conclude("decrypt", stream, &tally)
    }
}
