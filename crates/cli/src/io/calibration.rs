//! The file with the times of products that this machine has been measured to take.

use crate::failure::Failure;
use crate::io::atomic::{self, Access, Existing};
use crate::processor::processor_name;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use sunzi_engine::{Calibration, Engine};

/// The beginning of the file's name; the number changes with its format, and when products take other times
/// than before.
const NAME: &str = "calibration-3-";
/// The number of bytes that are read of it; it has a few hundred.
const MAX_LENGTH: u64 = 1 << 16;

/// The path of this processor's file, in the user's folder for caches, which machines may share; none if
/// there is no such folder.
pub(crate) fn path() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let caches = folder("XDG_CACHE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&folder("HOME")?).join(".cache")))?;
    let processor = processor_name().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    Some(caches.join("sunzi").join(format!("{NAME}{processor}.txt")))
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
    // Different names may be written alike.
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

/// Times that are estimated quickly and stored, at the first use on this processor; none if there is no folder that
/// they could be kept in: without it, each run would measure anew.
pub(crate) fn at_first_use() -> Option<Calibration> {
    std::fs::create_dir_all(path()?.parent()?).ok()?;
    let engine = Engine::builder().build().ok()?;
    let times = engine.calibrate_quickly().ok()?;
    store(&times).ok()?;
    // As later runs read them.
    load().ok()?
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
