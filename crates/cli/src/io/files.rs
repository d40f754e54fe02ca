//! Files as messages, and drawings as files.

use super::atomic::{self, Access, Existing};
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;
use sunzi_pk::hash::Hasher;
use sunzi_pk::{Digest, Hash};
use zeroize::Zeroizing;

/// The digest of a file of any size.
pub(crate) fn digest(path: &Path, hash: Hash) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    let mut hasher = Hasher::new(hash);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finish()),
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The content of a file of at most `max` bytes, which may be secret, or the length of a longer
/// file as the inner error.
pub(crate) fn read_short(path: &Path, max: usize) -> io::Result<Result<Zeroizing<Vec<u8>>, usize>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    // Large enough for the whole content, since growing would leave a copy behind. Of what is no file, such
    // as a pipe, the length is not known.
    let most = if metadata.is_file() {
        usize::try_from(metadata.len()).map_or(max, |length| length.min(max))
    } else {
        max
    };
    let mut content = Zeroizing::new(Vec::with_capacity(most + 2));
    (&file).take(max as u64 + 1).read_to_end(&mut content)?;
    if content.len() > max {
        let length = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        return Ok(Err(length.max(content.len())));
    }
    Ok(Ok(content))
}

/// The lengths that a signature may have, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Lengths(pub(crate) RangeInclusive<usize>);

impl Lengths {
    /// Checks that a signature may have `given` bytes.
    ///
    /// # Errors
    /// The reason why not.
    pub(crate) fn check(&self, given: u64) -> Result<(), String> {
        let (least, most) = (*self.0.start(), *self.0.end());
        if (least as u64..=most as u64).contains(&given) {
            return Ok(());
        }
        let range = if least == most {
            String::new()
        } else {
            format!("{least} to ")
        };
        Err(format!(
            "has {given} bytes: a signature by this key has {range}{most}"
        ))
    }
}

/// Reads a signature of one of these lengths.
pub(crate) fn read_signature(path: &Path, lengths: &Lengths) -> Result<Vec<u8>, String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("there is no signature {}", path.display()),
        _ => format!("{}: {error}", path.display()),
    };
    // The type is checked before the file is opened, since opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(format!("{} is not a regular file", path.display()));
    }
    let checked = lengths.check(metadata.len());
    checked.map_err(|error| format!("{} {error}", path.display()))?;
    let most = *lengths.0.end();
    let mut signature = Vec::with_capacity(most + 1);
    let file = File::open(path).map_err(unreadable)?;
    file.take(most as u64 + 1)
        .read_to_end(&mut signature)
        .map_err(unreadable)?;
    Ok(signature)
}

/// Writes a drawing, a page or a network atomically, and replaces an existing file.
pub(crate) fn write_document(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    atomic::write_one(path, content.as_ref(), Access::Usual, Existing::Replace)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

/// Whether this error means that no more files can be written.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
