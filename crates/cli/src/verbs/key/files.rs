//! Key files, written so that a power cut leaves them whole.

use crate::failure::{Failure, report};
use crate::io::atomic::{self, Access, Existing};
use std::io;
use std::path::Path;

/// Whether both paths lead to one file: by different spellings, by symbolic links, or because two
/// names of one file exist already.
pub(super) fn names_one_file(a: &Path, b: &Path) -> bool {
    if let Ok(same) = same_file::is_same_file(a, b) {
        return same;
    }
    // At least one is still to be made, or a link to what is still to be made.
    match (atomic::place(a), atomic::place(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// Writes a key, which outlives a power cut from then on.
pub(super) fn write(
    path: &Path,
    content: &[u8],
    access: Access,
    existing: Existing,
) -> Result<(), Failure> {
    atomic::write_one(path, content, access, existing).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => Failure::new(format!("cannot write {}: {error}", path.display())),
    })?;
    if let Err(error) = atomic::sync_folder(path) {
        report(&format_args!(
            "warning: {} is written, but may be lost in a power cut, as its folder cannot be \
             flushed to the disk: {error}",
            path.display()
        ));
    }
    Ok(())
}

/// The error of a file that is not to be replaced.
pub(super) fn exists(path: &Path) -> Failure {
    Failure::new(format!(
        "{} exists: choose another name, or replace it with --force",
        path.display()
    ))
}
