//! `sunzi key new --count`: many keys in one run, each in a file of its own.

use super::description::KeyDescription;
use super::files::{exists, names_one_file};
use super::format::{KeyKind, private_file};
use super::new::{NewArgs, new_of_curve, rsa_bits};
use crate::failure::{Failure, Outcome, Status, report};
use crate::io::atomic::{self, Access, Existing};
use crate::io::{interrupt, progress};
use crate::options::{CommonOptions, DefaultThreads};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use sunzi_pk::keys::PrivateKey;
use sunzi_pk::primes::Progress;
use sunzi_pk::{rsa, system_rng};

/// Keys that are made together, and written when all of them are there.
const TOGETHER: usize = 16;

/// The files of keys 1 to `count`: a number before the ending, or `key-0001.pem` and so on in a folder that
/// exists.
fn numbered(path: &Path, count: usize) -> Vec<PathBuf> {
    let (folder, stem, ending) = if path.is_dir() {
        (path.to_path_buf(), "key".into(), Some("pem".into()))
    } else {
        let stem = path.file_stem().unwrap_or_default().to_owned();
        let ending = path.extension().map(ToOwned::to_owned);
        (atomic::parent(path), stem, ending)
    };
    let digits = count.to_string().len().max(4);
    let name = |number: usize| {
        let mut name = stem.clone();
        name.push(format!("-{number:0digits$}"));
        if let Some(ending) = &ending {
            name.push(".");
            name.push(ending);
        }
        folder.join(name)
    };
    (1..=count).map(name).collect()
}

/// The files to be written.
struct Files {
    private: Vec<PathBuf>,
    public: Option<Vec<PathBuf>>,
    existing: Existing,
}

impl Files {
    fn new(args: &NewArgs, count: usize) -> Result<Self, Failure> {
        let private = numbered(&args.out, count);
        let public = args.public.as_ref().map(|path| numbered(path, count));
        for (private, public) in private.iter().zip(public.iter().flatten()) {
            if names_one_file(private, public) {
                return Err(Failure::new(
                    "--out and --public name the same files: give two names",
                ));
            }
        }
        let mut all = private.iter().chain(public.iter().flatten());
        if !args.force
            && let Some(path) = all.find(|path| path.symlink_metadata().is_ok())
        {
            return Err(exists(path));
        }
        let existing = if args.force {
            Existing::Replace
        } else {
            Existing::Keep
        };
        Ok(Self {
            private,
            public,
            existing,
        })
    }

    fn write(&self, path: &Path, content: &[u8], access: Access) -> Result<(), Failure> {
        atomic::write(path, content, access, self.existing).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(path),
            _ => Failure::new(format!("cannot write {}: {error}", path.display())),
        })
    }

    /// Flushes the folders to the disk, so that the names outlive a power cut.
    fn flush(&self) {
        for path in [self.private.first(), self.public.iter().flatten().next()]
            .into_iter()
            .flatten()
        {
            if let Err(error) = atomic::sync_folder(path) {
                report(&format_args!(
                    "warning: the keys are written, but may be lost in a power cut, as their folder \
                     cannot be flushed to the disk: {error}"
                ));
            }
        }
    }
}

/// Makes `count` keys.
pub(super) fn new(args: &NewArgs, count: usize, common: &CommonOptions) -> Outcome {
    let files = Files::new(args, count)?;
    let kind = KeyKind::of_new(args.curve.as_ref());
    args.format.check(kind, args.encrypt)?;
    let passphrase = args.passphrase.for_new_key(args.encrypt)?;
    args.format.check(kind, passphrase.is_some())?;
    let passphrase = passphrase.as_ref().map(|passphrase| &passphrase[..]);
    common.start_threads(DefaultThreads::All)?;
    let engine = common.engine()?;
    for path in files
        .private
        .first()
        .into_iter()
        .chain(files.public.iter().flatten().next())
    {
        atomic::sweep_folder(&atomic::parent(path));
    }
    let written = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&written);
    interrupt::install(move |_| {
        let keys = counter.load(Ordering::Relaxed);
        report(&format_args!("interrupted after {keys} keys"));
    });
    let bar = progress::bar(Some(count as u64), "keys");
    let mut first = 0;
    while first < count {
        let now = TOGETHER.min(count - first);
        let keys = match &args.curve {
            None => {
                let mut watch = |progress: Progress| {
                    bar.set_position((first + progress.found / 2) as u64);
                    ControlFlow::Continue(())
                };
                let (bits, rng) = (rsa_bits(args)?, &mut system_rng());
                let keys = rsa::PrivateKey::generate_batch(&engine, rng, bits, now, &mut watch);
                let keys = keys.map_err(Failure::from_error)?.into_iter();
                keys.map(|key| PrivateKey::Rsa(Box::new(key))).collect()
            }
            Some(curve) => {
                let keys = (0..now).map(|_| new_of_curve(args, curve, &engine));
                keys.collect::<Result<Vec<_>, _>>()?
            }
        };
        let shield = interrupt::shield();
        for (key, index) in keys.into_iter().zip(first..) {
            let path = &files.private[index];
            let content = private_file(&key, args.format, passphrase)?;
            files.write(path, content.as_bytes(), Access::Private)?;
            let public = key.public_key();
            if let Some(paths) = &files.public {
                let pem = public.to_spki_pem().map_err(Failure::from_error)?;
                files.write(&paths[index], pem.as_bytes(), Access::Usual)?;
            }
            written.fetch_add(1, Ordering::Relaxed);
            bar.suspend(|| KeyDescription::new(path, "private", &public)?.print(common))?;
        }
        drop(shield);
        first += now;
        bar.set_position(first as u64);
    }
    bar.finish_and_clear();
    files.flush();
    Ok(Status::Done)
}
