//! The keys that the messages of a stream name by their identifiers: a set of JSON Web Keys, or a folder of key files.

use super::key_files::{self, KeyFile, key_in};
use crate::failure::Failure;
use crate::options::passphrase::UnlockOptions;
use serde::Deserialize;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sunzi_pk::KeySet;
use sunzi_pk::keys::{Algorithms, PublicKey};

/// Makes a key of a set ready, which may name the algorithm that it is intended for.
type Prepare<'a, T> = &'a dyn Fn(&PublicKey, Option<&str>) -> Result<T, String>;

/// The keys of a JSON Web Key Set or of a folder, each prepared when it is first asked for.
pub(crate) struct KeyRing<'a, T> {
    source: Source,
    unlock: &'a UnlockOptions,
    algorithms: &'a Algorithms,
    prepare: Prepare<'a, T>,
    /// By identifier.
    prepared: HashMap<String, Result<Arc<T>, String>>,
}

impl<'a, T> KeyRing<'a, T> {
    /// Reads a set, or lists a folder, whose keys `prepare` will make ready.
    pub(crate) fn read(
        path: &Path,
        unlock: &'a UnlockOptions,
        algorithms: &'a Algorithms,
        prepare: Prepare<'a, T>,
    ) -> Result<Self, Failure> {
        let source = if path.is_dir() {
            Source::Folder(listed(path)?)
        } else {
            Source::Set(read_set(path)?)
        };
        Ok(Self {
            source,
            unlock,
            algorithms,
            prepare,
            prepared: HashMap::new(),
        })
    }

    /// Number of keys that have identifiers.
    pub(crate) fn len(&self) -> usize {
        match &self.source {
            Source::Set(set) => set.ids().count(),
            Source::Folder(files) => files.len(),
        }
    }

    /// The key with this identifier, or why there is none.
    pub(crate) fn get(&mut self, id: &str) -> Result<Arc<T>, String> {
        if let Some(prepared) = self.prepared.get(id) {
            return prepared.clone();
        }
        // Only what is in the set is kept, whatever a stream asks for.
        let found = match &self.source {
            Source::Set(set) => set.get(id).map(|key| {
                let file = key.map_err(ToString::to_string)?;
                let key = key_in(file, self.unlock, self.algorithms);
                let key = key.map_err(|error| error.to_string())?.into_public();
                Ok((key, set.intended_algorithm(id).map(String::from)))
            }),
            Source::Folder(files) => files.get(id).map(|file| {
                let [path] = &file[..] else {
                    return Err(String::from("several files have this name"));
                };
                self.read_file(path).map_err(|error| error.to_string())
            }),
        };
        let found = found.ok_or_else(|| String::from("no key has this kid"))?;
        let prepared = found
            .and_then(|(key, intended)| (self.prepare)(&key, intended.as_deref()))
            .map(Arc::new)
            .map_err(|error| format!("the key with this kid: {error}"));
        self.prepared.insert(id.to_owned(), prepared.clone());
        prepared
    }

    /// The key of a file, and the algorithm that it is intended for.
    fn read_file(&self, path: &Path) -> Result<(PublicKey, Option<String>), Failure> {
        #[derive(Deserialize)]
        struct Intended {
            alg: Option<String>,
        }
        let key = key_files::read_any(path, self.unlock, self.algorithms)?.into_public();
        let file = KeyFile::read(path)?;
        if !file.content.trim_ascii_start().starts_with(b"{") {
            return Ok((key, None));
        }
        let intended = serde_json::from_slice(&file.content);
        let Intended { alg } = intended.map_err(|_| Failure::new("its alg is no text"))?;
        Ok((key, alg))
    }
}

/// Where keys are found.
enum Source {
    Set(KeySet),
    /// By the names of files without their last extension; several files may have one.
    Folder(HashMap<String, Vec<PathBuf>>),
}

fn read_set(path: &Path) -> Result<KeySet, Failure> {
    let file = KeyFile::read(path)?;
    let refused =
        |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    let set = KeySet::from_json(&file.content).map_err(|error| refused(&error))?;
    if set.ids().next().is_none() {
        return Err(refused(&"none of its keys has a kid"));
    }
    if set
        .ids()
        .any(|id| matches!(set.get(id), Some(Ok(key)) if key.is_private()))
    {
        file.warn_if_others_can_read();
    }
    Ok(set)
}

/// The files of a folder, not of its subfolders. Names that begin with a dot, or are not UTF-8, are left out.
fn listed(folder: &Path) -> Result<HashMap<String, Vec<PathBuf>>, Failure> {
    let refused =
        |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", folder.display()));
    let mut files: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for entry in folder.read_dir().map_err(|error| refused(&error))? {
        let path = entry.map_err(|error| refused(&error))?.path();
        if let Some(id) = path.file_stem().and_then(OsStr::to_str)
            && !id.starts_with('.')
            && path.is_file()
        {
            files.entry(id.to_owned()).or_default().push(path);
        }
    }
    if files.is_empty() {
        return Err(refused(&"it has no files"));
    }
    Ok(files)
}
