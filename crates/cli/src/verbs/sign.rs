//! `sunzi sign`: signatures of files or of the messages of a stream.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome};
use crate::io::atomic::Access;
use crate::io::files::Lengths;
use crate::io::key_files;
use crate::io::messages::{Messages, StreamFormat, StreamKind};
use crate::io::pipeline::{
    self, BatchOperation, BytesResult, DestinationOptions, FileHandling, ResultText, Resume,
};
use crate::io::tally::Tally;
use crate::io::targets::{CompanionNaming, Targets};
use crate::options::passphrase::UnlockOptions;
use crate::options::signature::SignatureOptions;
use crate::options::{BasesOptions, CommonOptions, DefaultThreads};
use crate::signatures::ssh::{DEFAULT_NAMESPACE, LENGTHS, SshSigner};
use crate::signatures::{Signable, Signed, Signer, SigningChoices, Verifier, verify};
use clap::ValueEnum;
use std::path::PathBuf;
use std::sync::Arc;
use sunzi_pk::keys::{Algorithms, NonceKind, PrivateKey};

/// Sign files, folders, or the messages of a stream
///
/// The key decides: an RSA key signs by PKCS#1 v1.5 or PSS, a key of Ed25519 or Ed448 by EdDSA, a key of
/// another curve by ECDSA or, if it is secp256k1, by BIP 340. Options that mean nothing for the key are
/// errors. EdDSA and BIP 340 sign messages as they are, which must be read twice: files of more than
/// 64 MiB fail with them.
///
/// The signature of each file goes to FILE.sig beside it, as raw bytes that `openssl dgst -verify`
/// accepts (ECDSA's with --encoding der, the default), EdDSA's those of `openssl pkeyutl -verify -rawin`.
/// It appears whole or not at all: interrupt the run whenever you like, and start it again with --resume. That verifies the signatures that exist: files with a right one, by this key
/// over the present content, are skipped, and wrong signatures are made again and named. Folders are
/// read with all their subfolders; *.sig files in them are skipped, and symbolic links to folders
/// are not followed.
///
/// With --scheme sshsig, FILE.sig is what `ssh-keygen -Y verify` accepts, and the signature of a message of a stream
/// is the same without its armor.
///
/// With - as the only input, messages are read from standard input. In JSON Lines, each line is an
/// object with the message in one of the fields message (text, signed as UTF-8), message_hex or
/// message_base64, and optionally an id. In CSV, the first line names the columns, with the same
/// names. For each message, in order, a line of JSON is written to standard output:
/// {"line":1,"id":...,"signature":"<base64>"}, or {"line":1,"id":...,"error":"..."}. A line, or a record of CSV,
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
    /// The private key: PEM, DER, JSON Web Key, OpenSSH or PKCS#12
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    scheme: SignatureOptions,
    /// The purpose of signatures with --scheme sshsig, which whoever verifies them must name, too [default: file]
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    #[command(flatten)]
    destination: DestinationOptions,
    /// Format of the messages on standard input
    #[arg(long, value_enum, default_value_t = StreamFormat::Jsonl)]
    format: StreamFormat,
    /// Where the nonces of ECDSA, EdDSA and BIP 340 come from [default: deterministic]
    #[arg(long, value_enum)]
    nonces: Option<Nonces>,
    /// The same as --nonces hedged
    #[arg(long, conflicts_with = "nonces")]
    hedged: bool,
    /// Allow an RSA key of fewer than 2048 bits, or a curve of fewer than 224, which others may be
    /// able to break
    #[arg(long, visible_alias = "force-weak")]
    force_1024: bool,
    #[command(flatten)]
    bases: BasesOptions,
}

/// The source of nonces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Nonces {
    /// Key and message alone (RFC 6979, RFC 8032, zeros as BIP 340's auxiliary data): a message always gets the same
    /// signature
    Deterministic,
    /// Key, message and fresh randomness: a message gets another signature each time, and attacks that compare
    /// computations of one message do not apply
    Hedged,
}

impl Args {
    /// The kind of nonces, if one is asked for.
    fn nonces(&self) -> Option<NonceKind> {
        let asked = self.nonces.or(self.hedged.then_some(Nonces::Hedged));
        asked.map(|nonces| match nonces {
            Nonces::Deterministic => NonceKind::Deterministic,
            Nonces::Hedged => NonceKind::Hedged,
        })
    }
}

/// The number of signatures in a batch for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 128;

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let stream = pipeline::is_stream(&self.inputs)?;
        self.destination.check(stream)?;
        let out = self.destination.out.as_deref();
        let targets = Targets::new(&self.inputs, out, CompanionNaming::Append("sig"))?;
        let engine = common.engine_in(self.bases)?;
        let algorithms = Algorithms::new(&engine);
        // Before a key is read: some are computed with.
        let threads = common.start_threads(DefaultThreads::All)?;
        let key = key_files::read_private(&self.key, &self.unlock, &algorithms)?;
        let Signing {
            description,
            signed,
            lengths,
            sign,
            verify,
        } = self.signing(&algorithms, &key, stream)?;

        let tally = Arc::new(Tally::new(
            "signed",
            stream,
            description,
            &engine,
            threads,
            common.json,
        ));
        tally.summarize_on_interrupt();

        let operation = BatchOperation {
            verb: "sign",
            field: "signature",
            text: ResultText::Base64,
            batch: threads * BATCH_PER_THREAD,
            compute: &*sign,
        };
        if stream {
            let messages = Messages::on_stdin(self.format, StreamKind::Message)?;
            pipeline::run_messages(
                &operation,
                messages,
                &|message| Ok(signed.of(message)),
                &tally,
            )?;
        } else {
            let handling = FileHandling {
                targets: &targets,
                destination: &self.destination,
                access: Access::Usual,
                read: &|path| signed.of_file(path),
                kept_bytes: &|length| signed.kept_bytes(length),
                resume: Resume::Verify {
                    lengths: &lengths,
                    verify: &*verify,
                },
            };
            pipeline::run_files(&operation, &handling, &tally)?;
        }
        pipeline::conclude("sign", stream, &tally)
    }
}

/// Signs a batch.
type Sign<'a> = dyn Fn(&[Signable]) -> Vec<BytesResult> + 'a;
/// Verifies a batch of signatures.
type Verify<'a> = dyn Fn(&[(&Signable, Vec<u8>)]) -> Vec<bool> + 'a;

/// How the files and messages of a run are signed.
struct Signing<'a> {
    /// Key, scheme and hash in the summary.
    description: String,
    signed: Signed,
    /// Lengths that the signature of a file may have.
    lengths: Lengths,
    sign: Box<Sign<'a>>,
    /// Verifies signatures that exist, for `--resume`.
    verify: Box<Verify<'a>>,
}

impl Args {
    fn signing<'a>(
        &self,
        algorithms: &'a Algorithms,
        key: &PrivateKey,
        stream: bool,
    ) -> Result<Signing<'a>, Failure> {
        let refused = |error| Failure::new(format!("{}: {error}", self.key.display()));
        let choices = SigningChoices {
            weak: self.force_1024,
            nonces: self.nonces(),
        };
        let public = key.public_key();
        if let Some(hash) = self.scheme.sshsig()? {
            let namespace = self.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
            let signer = SshSigner::new(algorithms, key, namespace, hash, choices, !stream);
            let signer = Arc::new(signer.map_err(refused)?);
            let verifier = Arc::clone(&signer);
            let (name, hash_name) = (public.algorithm(), hash.name());
            return Ok(Signing {
                description: format!("{name}, SSHSIG, namespace {namespace}, {hash_name}"),
                signed: Signed::Digest(hash),
                lengths: LENGTHS,
                sign: Box::new(move |messages| signer.sign(algorithms, messages)),
                verify: Box::new(move |claims| verifier.verify(algorithms, claims)),
            });
        }
        if self.namespace.is_some() {
            return Err(Failure::new("--namespace is for --scheme sshsig"));
        }
        let chosen = self.scheme.for_key(&public)?;
        let signer = Signer::new(algorithms, key, chosen.scheme, choices).map_err(refused)?;
        // To verify the signatures that exist.
        let verifier = Verifier::new(algorithms, &public, chosen.scheme).map_err(refused)?;
        Ok(Signing {
            description: chosen.description,
            signed: verifier.signed(),
            lengths: verifier.lengths().clone(),
            sign: Box::new(move |messages| signer.sign(algorithms, messages)),
            verify: Box::new(move |claims| {
                let request = |(message, signature)| verifier.request(message, signature);
                let requests = claims.iter().map(|(m, s)| (*m, &s[..])).map(request);
                let requests: Vec<_> = requests.collect();
                let verdicts = verify(algorithms, &requests).into_iter();
                verdicts.map(|verdict| verdict.is_ok()).collect()
            }),
        })
    }
}
