//! `sunzi decrypt`: what `sunzi encrypt` and others have encrypted.

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
    DecryptError, DecryptRequest, DecryptionKey, EncryptionScheme, KeyError, decrypt_batch,
};
use zeroize::Zeroizing;

/// Decrypt small files, or the messages of a stream, with an RSA key
///
/// FILE.enc, the raw ciphertext that `sunzi encrypt` and `openssl pkeyutl -encrypt` write, is
/// decrypted to FILE beside it, which only its owner can read (mode 0600). The file appears whole
/// or not at all: interrupt the run whenever you like, and start it again with --resume. Of
/// folders, which are walked to the bottom, the *.enc files are decrypted.
///
/// Scheme, hashes and label must be those of the encryption. With OAEP, a ciphertext that was not
/// made with them, or is damaged, fails. With --scheme pkcs1v15, which is a legacy scheme, it does
/// not: it decrypts to random bytes of a random length, always the same ones, since an error would
/// help an attacker to decrypt without the key. OpenSSL 3.2 and newer give the same bytes.
///
/// With - as the only input, ciphertexts come from standard input. JSON Lines: an object a line
/// with the field ciphertext (base64), and if you like an id, as `sunzi encrypt -` writes them.
/// CSV: the first line names the columns, by the same names. For each ciphertext, in order, a line
/// of JSON goes to standard output: {"line":1,"id":...,"message_base64":"<base64>"}, or
/// {"line":1,"error":"..."}.
///
/// With --json, each file gets a line {"event":"decrypted"|"skipped"|"failed","file":...} and the
/// run ends with {"event":"summary",...}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Files whose names end in .enc, and folders of such, or `-`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The private key: PEM or DER, PKCS#1 or PKCS#8
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    passphrase: Source,
    #[command(flatten)]
    scheme: EncryptionArgs,
    #[command(flatten)]
    destination: Destination,
    /// How ciphertexts on standard input are written
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Decrypt with a key of fewer than 2048 bits, which others may be able to break
    #[arg(long)]
    force_1024: bool,
}

/// Ciphertexts of one batch, for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 128;

/// What is known once the arguments are checked.
struct Job<'a> {
    engine: Engine,
    key: DecryptionKey,
    scheme: EncryptionScheme<'a>,
}

impl Job<'_> {
    /// The messages in the ciphertexts, in order.
    fn decrypt(&self, ciphertexts: &[Zeroizing<Vec<u8>>]) -> Vec<Bytes> {
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

    /// A file's content, if it is no longer than a ciphertext is.
    fn read(&self, path: &Path) -> Bytes {
        let expected = self.key.public_key().size();
        files::read_short(path, expected)
            .map_err(|error| error.to_string())?
            .map_err(|given| DecryptError::Length { expected, given }.to_string())
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let stream = pipeline::is_stream(&args.inputs, &args.destination)?;
    let out = args.destination.out.as_deref();
    let targets = Targets::new(&args.inputs, out, Naming::Strip("enc"))?;
    let scheme = args.scheme.scheme()?;
    let engine = common.engine()?;
    let key = keys::private(&args.key, &args.passphrase)?;
    let key = if args.force_1024 {
        key.permit_1024()
    } else {
        key
    };
    let threads = common.start_threads(Threads::All)?;
    let key = DecryptionKey::new(&engine, &key).map_err(|error| {
        let advice = match error {
            KeyError::TooShortToDecrypt(_) => "; --force-1024 permits it",
            _ => "",
        };
        Failure::new(format!("{}: {error}{advice}", args.key.display()))
    })?;

    let bits = key.public_key().bits();
    let how = format!("RSA-{bits}, {}", args.scheme.describe());
    let tally = Arc::new(Tally::new(
        "decrypted",
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
    };
    let work = Work {
        verb: "decrypt",
        field: "message_base64",
        batch: threads * BATCH_PER_THREAD,
        compute: &|ciphertexts: &[Zeroizing<Vec<u8>>]| job.decrypt(ciphertexts),
    };
    if stream {
        let ciphertexts = Messages::on_stdin(args.format, Expected::Ciphertext)?;
        pipeline::run_messages(&work, ciphertexts, &|ciphertext| ciphertext, &tally)?;
    } else {
        let file_work = FileWork {
            targets: &targets,
            destination: &args.destination,
            access: Access::Private,
            read: &|path| job.read(path),
            // It has any length, and is whole since it is there.
            is_result: &|_| true,
        };
        pipeline::run_files(&work, &file_work, &tally)?;
    }
    pipeline::conclude("decrypt", stream, &tally)
}
