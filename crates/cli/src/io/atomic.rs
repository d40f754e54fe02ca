//! Atomic writing of files: a file is written under a temporary name in the same folder and then
//! renamed, so it is either complete or absent.
//!
//! A run that is killed may leave temporary files behind, which later runs sweep. A run holds a lock
//! on each of its temporary files, and the system releases the locks of a process that ends, however
//! it ends. So a file that can be locked belongs to no living run, on this machine or, where the file
//! system passes locks on, on another. Where there are no locks nothing is swept.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The start of the names of temporary files, `.sunzi-XXXXXX.sig.tmp`.
const TEMPORARY_PREFIX: &str = ".sunzi-";
/// The end of the names of temporary files.
const TEMPORARY_SUFFIX: &str = ".sig.tmp";
/// The number of letters and digits between the two, which are random.
const TEMPORARY_RANDOM: usize = 6;

/// Whether a file has the name of a temporary file.
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes()
        .strip_prefix(TEMPORARY_PREFIX.as_bytes())
        .and_then(|rest| rest.strip_suffix(TEMPORARY_SUFFIX.as_bytes()))
        .is_some_and(|random| {
            random.len() == TEMPORARY_RANDOM && random.iter().all(u8::is_ascii_alphanumeric)
        })
}

/// Removes a temporary file, unless a living run uses it. Returns whether it was removed.
pub(crate) fn sweep(path: &Path) -> bool {
    let remove = || {
        let file = File::options().write(true).open(path)?;
        file.try_lock()?;
        // Nobody takes the file from here on: a run that has just made it wants the lock first.
        std::fs::remove_file(path)
    };
    remove().is_ok()
}

/// Removes the temporary files in a folder, not in its subfolders, that no living run uses, and
/// returns their number.
pub(crate) fn sweep_folder(folder: &Path) -> u64 {
    let Ok(entries) = folder.read_dir() else {
        return 0;
    };
    entries
        .flatten()
        .filter(|entry| is_temporary(&entry.file_name()))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| sweep(&entry.path()))
        .count() as u64
}

/// The treatment of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// An existing file is kept, and is an error.
    Keep,
    /// An existing file is replaced.
    Replace,
}

/// The access rights of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Access for the owner only (mode 0600).
    Private,
    /// Access according to the umask of the process (mode 0666 without the umask's bits).
    Usual,
}

/// Writes `content` to `path`. After success the file is complete; after an error nothing is left
/// behind.
///
/// # Errors
/// The errors of the file system; [`io::ErrorKind::AlreadyExists`] if the file exists and
/// `existing` is [`Existing::Keep`].
pub(crate) fn write(
    path: &Path,
    content: &[u8],
    access: Access,
    existing: Existing,
) -> io::Result<()> {
    write_with(path, access, existing, |mut file| file.write_all(content))?
}

/// Writes what `fill` writes to `path`, which gets its name when all is written. After an error, also of `fill`, nothing
/// is left behind.
///
/// # Errors
/// The errors of [`write()`].
pub(crate) fn write_with<T, E>(
    path: &Path,
    access: Access,
    existing: Existing,
    fill: impl FnOnce(&File) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .suffix(TEMPORARY_SUFFIX)
        .rand_bytes(TEMPORARY_RANDOM)
        .make_in(parent(path), |path| create(path, access))?;
    // Written directly to the file, since tempfile's errors contain the temporary name, which
    // means nothing to the user.
    let filled = match fill(file.as_file()) {
        Ok(filled) => filled,
        Err(error) => return Ok(Err(error)),
    };
    if access == Access::Private {
        // Losing a key in a power cut just after it was reported as written is worse than the
        // milliseconds that this takes. Signatures can be made again.
        file.as_file().sync_all()?;
    }
    match existing {
        Existing::Keep => file.persist_noclobber(path),
        Existing::Replace => file.persist(path),
    }
    .map_err(|error| error.error)?;
    Ok(Ok(filled))
}

/// Flushes the folder that contains `path` to the disk, so that the file's name outlives a power
/// cut.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    // Elsewhere a folder cannot be opened as a file, and names are written with the file.
    if cfg!(unix) {
        File::open(parent(path))?.sync_all()?;
    }
    Ok(())
}

/// The one spelling of the path of a file that may not exist yet: its folder without links, and its
/// name.
pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok(std::fs::canonicalize(parent(path))?.join(name))
}

/// Writes a file as [`write()`] does, after what killed runs have left in its folder is removed. For
/// single files; a run over many sweeps each folder once.
pub(crate) fn write_one(
    path: &Path,
    content: &[u8],
    access: Access,
    existing: Existing,
) -> io::Result<()> {
    sweep_folder(&parent(path));
    write(path, content, access, existing)
}

/// Creates a temporary file and locks it.
///
/// # Errors
/// The errors of the file system; [`io::ErrorKind::AlreadyExists`] if another run sweeps the file before
/// it is locked: another name is to be tried.
fn create(path: &Path, access: Access) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(match access {
            Access::Private => 0o600,
            Access::Usual => 0o666,
        });
    }
    let file = options.open(path)?;
    let swept = match file.try_lock() {
        Err(TryLockError::WouldBlock) => true,
        // Without locks there is no sweeping either.
        Err(TryLockError::Error(_)) => false,
        Ok(()) => path
            .symlink_metadata()
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound),
    };
    if swept {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    Ok(file)
}

/// The folder that contains `path`.
pub(crate) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn keeps_or_replaces_as_told_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sig");
        write(&path, b"one", Access::Usual, Existing::Keep).unwrap();
        let error = write(&path, b"two", Access::Usual, Existing::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        write(&path, b"three", Access::Usual, Existing::Replace).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"three");
        assert_eq!(names(folder.path()), ["a.sig"]);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/a.sig");
        let error = write(&path, b"one", Access::Usual, Existing::Replace).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains(TEMPORARY_PREFIX), "{error}");
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn only_files_of_no_living_run_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at(".sunzi-folder.sig.tmp")).unwrap();
        for name in [
            ".sunzi-abc123.sig.tmp",
            ".sunzi-abc12.sig.tmp",
            ".sunzi-abc.23.sig.tmp",
            "a.sunzi-abc123.sig.tmp",
        ] {
            std::fs::write(at(name), "left").unwrap();
        }
        let living = create(&at(".sunzi-LIVING.sig.tmp"), Access::Usual).unwrap();
        assert_eq!(sweep_folder(folder.path()), 1);
        assert!(!at(".sunzi-abc123.sig.tmp").exists());
        assert!(at(".sunzi-LIVING.sig.tmp").exists());
        drop(living);
        assert_eq!(sweep_folder(folder.path()), 1);
        assert_eq!(names(folder.path()).len(), 4);
        assert_eq!(sweep_folder(&at("missing")), 0);
    }

    #[test]
    fn writing_beside_a_sweeper_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    sweep_folder(folder.path());
                }
            });
            for i in 0..2000 {
                let path = folder.path().join(i.to_string());
                let written = write(&path, b"content", Access::Usual, Existing::Keep);
                done.store(
                    written.is_err() || i == 1999,
                    std::sync::atomic::Ordering::Relaxed,
                );
                written.unwrap();
                assert_eq!(std::fs::read(&path).unwrap(), b"content");
            }
        });
        assert_eq!(names(folder.path()).len(), 2000);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_its_owners_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        write(&path, b"secret", Access::Private, Existing::Keep).unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}
