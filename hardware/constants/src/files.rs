//! Generated files, and their comparison with the existing ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A text file, with its path below the folder that it goes into.
pub(crate) struct File {
    /// Path with `/`, below the folder of generated files.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
}

/// Writes the files below a folder.
pub(crate) fn write(folder: &Path, files: Vec<File>) -> Result<(), String> {
    for file in files {
        let path = folder.join(&file.path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, file.text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Compares the files with those below a folder, which must hold no others.
pub(crate) fn check(folder: &Path, files: Vec<File>) -> Result<(), String> {
    let mut differences = Vec::new();
    let mut expected = BTreeSet::new();
    for file in files {
        let path = folder.join(&file.path);
        if fs::read_to_string(&path).ok().as_deref() != Some(&file.text) {
            differences.push(format!("{} is not what the library gives", file.path));
        }
        expected.insert(path);
    }
    for path in all(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        if !expected.contains(&path) {
            differences.push(format!("{} is not made by this program", path.display()));
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        differences.push("`cargo run --package sunzi-hardware-constants` writes them anew".into());
        Err(differences.join("\n"))
    }
}

/// All files below a folder.
fn all(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(all(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
