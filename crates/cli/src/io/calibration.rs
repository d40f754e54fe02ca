//! The file with the times of products that this machine has been measured to take.

use crate::bench::processor_name;
use crate::failure::Failure;
use crate::io::atomic::{self, Access, Existing};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use sunzi_engine::Calibration;

/// The name of the file; the number changes with its format.
const NAME: &str = "calibration-1.txt";
/// The number of bytes that are read of it; it has a few hundred.
const MAX_LENGTH: u64 = 1 << 16;

/// The path of the file, in the user's folder for caches; none if there is no such folder.
pub(crate) fn path() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let caches = folder("XDG_CACHE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&folder("HOME")?).join(".cache")))?;
    Some(caches.join("sunzi").join(NAME))
}

/// The times, if this processor has been measured.
///
/// # Errors
/// If the file cannot be understood.
pub(crate) fn load() -> Result<Option<Calibration>, Failure> {
    let Some(path) = path() else { return Ok(None) };
    let mut text = String::new();
    let read = File::open(&path).and_then(|file| file.take(MAX_LENGTH).read_to_string(&mut text));
    if read.is_err() {
        return Ok(None);
    }
    let (processor, times) = text.split_once('\n').unwrap_or_default();
    // A home folder may be shared by machines.
    if processor != format!("# {}", processor_name()) {
        return Ok(None);
    }
    let times = times.parse().map_err(|error| {
        Failure::new(format!(
            "{}: {error}; remove the file, or write it anew with `sunzi backends --calibrate`",
            path.display()
        ))
    })?;
    Ok(Some(times))
}

/// Writes the times, and returns the file's path.
///
/// # Errors
/// If there is no folder for caches, or the file cannot be written.
pub(crate) fn store(calibration: &Calibration) -> Result<PathBuf, Failure> {
    let path = path()
        .ok_or_else(|| Failure::new("there is no folder for caches: set XDG_CACHE_HOME or HOME"))?;
    let unwritten = |error| Failure::new(format!("cannot write {}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(unwritten)?;
    }
    let text = format!("# {}\n{calibration}", processor_name());
    atomic::write_one(&path, text.as_bytes(), Access::Usual, Existing::Replace)
        .map_err(unwritten)?;
    Ok(path)
}
