//! The journal of a run: what it has signed until now, from which a later run takes the signatures.

use super::{refused, watched};
use crate::failure::Failure;
use std::fs::{File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use sunzi_jobs::dnssec::{Signatures, Zone};

/// A file beside the output, to which each run appends what it writes. It belongs to one run at a time.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// Its bytes when it was opened.
    bytes: u64,
}

impl Journal {
    /// The extension of its name, after the output's.
    const EXTENSION: &str = "part";

    /// Opens the journal for an output, or makes it.
    ///
    /// # Errors
    /// Errors of the file system, and that another run has the journal.
    pub(super) fn open(out: &Path) -> Result<Self, Failure> {
        let path = out.with_added_extension(Self::EXTENSION);
        let file = Self::lock(&path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => refused(&path, &"another run writes it: let it end first"),
            _ => refused(&path, &error),
        })?;
        let bytes = cut(&file).map_err(|error| refused(&path, &error))?;
        Ok(Self { file, path, bytes })
    }

    fn lock(path: &Path) -> io::Result<File> {
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).open(path)?;
        match file.try_lock() {
            // File systems without locks cannot tell of other runs.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                Err(error)
            }
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            _ => Ok(file),
        }
    }

    /// The signatures that runs before have made.
    ///
    /// # Errors
    /// The first line that is none of a zone of this name.
    pub(super) fn signatures(&self, zone: &Zone) -> Result<Signatures, Failure> {
        if self.bytes == 0 {
            return Ok(Signatures::default());
        }
        let reader = BufReader::with_capacity(1 << 16, &self.file);
        watched(Some(self.bytes), |watch| {
            Signatures::read(reader, zone, watch)
        })
        .map_err(|error| {
            refused(
                &self.path,
                &format_args!("{error}; without the file, all is signed anew"),
            )
        })
    }

    /// A writer to an output and to the end of the journal.
    pub(super) fn beside<W: Write>(&self, output: W) -> Beside<'_, W> {
        Beside {
            output,
            journal: BufWriter::with_capacity(1 << 16, &self.file),
        }
    }

    /// Removes the journal if there is nothing in it: a run that signed nothing leaves nothing.
    pub(super) fn sweep(&self) {
        if self
            .file
            .metadata()
            .is_ok_and(|metadata| metadata.len() == 0)
        {
            // If it stays, it says nothing.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Removes the journal, once the output is whole.
    ///
    /// # Errors
    /// Errors of the file system.
    pub(super) fn remove(self) -> Result<(), Failure> {
        std::fs::remove_file(&self.path).map_err(|error| refused(&self.path, &error))
    }
}

/// Removes the last line of a file, if its end was not written. Returns the number of bytes, and the file is at its start.
fn cut(mut file: &File) -> io::Result<u64> {
    const STEP: u64 = 1 << 12;
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut bytes = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(start))?;
        bytes.clear();
        file.take(end - start).read_to_end(&mut bytes)?;
        if let Some(place) = bytes.iter().rposition(|&byte| byte == b'\n') {
            end = start + place as u64 + 1;
            break;
        }
        end = start;
    }
    file.set_len(end)?;
    file.rewind()?;
    Ok(end)
}

/// A writer to an output and to a journal.
pub(super) struct Beside<'a, W> {
    output: W,
    journal: BufWriter<&'a File>,
}

impl<W: Write> Write for Beside<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write_all(bytes)?;
        self.journal.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()?;
        self.journal.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_an_end_are_cut() {
        let long = "x".repeat(5000);
        for (text, whole) in [
            (String::new(), 0),
            ("a".into(), 0),
            ("a\n".into(), 2),
            ("a\nbc".into(), 2),
            (long.clone(), 0),
            (format!("a\n{long}"), 2),
            (format!("{long}\n{long}\n"), 10_002),
            (format!("{long}\n{long}\n{long}"), 10_002),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!(cut(&file).unwrap(), whole);
            let mut left = String::new();
            file.read_to_string(&mut left).unwrap();
            assert_eq!(left, text[..whole as usize]);
        }
    }
}
