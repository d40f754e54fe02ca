//! The keys of a zone in a folder: BIND's pairs of files, and public ones beside PEM.

use super::key_files::KeyFile;
use crate::failure::{Failure, report};
use std::path::{Path, PathBuf};
use sunzi_jobs::dnssec::{PublicPart, Zone, ZoneKey};
use sunzi_pk::keys::Algorithms;

/// Reads the keys of a zone: each file `*.key` with a DNSKEY record of this zone, with the private half in the file of the
/// same name that ends in `.private` (BIND's format) or `.pem` (PKCS#8 and others), if there is one.
pub(crate) fn read_folder(
    folder: &Path,
    zone: &Zone,
    algorithms: &Algorithms,
) -> Result<Vec<ZoneKey>, Failure> {
    let unreadable = |error| Failure::new(format!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|ending| ending == "key") {
            files.push(path);
        }
    }
    files.sort();
    let mut keys = Vec::new();
    let mut others = 0_usize;
    for path in &files {
        let refused = |path: &Path, error: &dyn core::fmt::Display| {
            Failure::new(format!("{}: {error}", path.display()))
        };
        let file = KeyFile::read(path)?;
        let public = PublicPart::read(&file.content).map_err(|error| refused(path, &error))?;
        if public.wire_owner() != zone.wire_name() {
            others += 1;
            continue;
        }
        let halves = ["private", "pem"].map(|ending| path.with_extension(ending));
        let Some(half) = halves.iter().find(|half| half.exists()) else {
            report(&format_args!(
                "warning: {}: its private half is not there: the key is published only",
                path.display()
            ));
            keys.push(ZoneKey::without_private(public));
            continue;
        };
        let file = KeyFile::read(half)?;
        file.warn_if_others_can_read();
        let key = ZoneKey::new(algorithms, public, &file.content);
        keys.push(key.map_err(|error| refused(half, &error))?);
    }
    if keys.is_empty() {
        return Err(Failure::new(format!(
            "{}: there is no key of {} ({} of other zones)",
            folder.display(),
            zone.name(),
            others
        )));
    }
    Ok(keys)
}
