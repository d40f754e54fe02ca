//! Files as messages.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use sunzi_pk::hash::Hasher;
use sunzi_pk::{Digest, Hash};

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

/// Whether writing more files is pointless after this error.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
