//! Atomic writing of files: a file is written under a temporary name in the same folder and then
//! renamed, so it is either complete or absent.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The start of the names of temporary files, `.sunzi-XXXXXX.sig.tmp`. A walk through a folder
/// skips them.
pub(crate) const TEMPORARY_PREFIX: &str = ".sunzi-";
/// The end of the names of temporary files, see [`TEMPORARY_PREFIX`].
pub(crate) const TEMPORARY_SUFFIX: &str = ".sig.tmp";

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
/// Those of the file system; [`io::ErrorKind::AlreadyExists`] if the file exists and
/// `existing` is [`Existing::Keep`].
pub(crate) fn write(
    path: &Path,
    content: &[u8],
    access: Access,
    existing: Existing,
) -> io::Result<()> {
    let file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .suffix(TEMPORARY_SUFFIX)
        .make_in(parent(path), |path| create(path, access))?;
    // Written directly to the file, since tempfile's errors contain the temporary name, which
    // means nothing to the user.
    file.as_file().write_all(content)?;
    if access == Access::Private {
        // Losing a key in a power cut just after it was reported as written is worse than the
        // milliseconds that this takes. Signatures can be made again.
        file.as_file().sync_all()?;
    }
    match existing {
        Existing::Keep => file.persist_noclobber(path),
        Existing::Replace => file.persist(path),
    }
    .map(drop)
    .map_err(|error| error.error)
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
    options.open(path)
}

/// The folder that contains `path`.
fn parent(path: &Path) -> PathBuf {
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
