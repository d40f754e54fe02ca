//! The files that the arguments name, and where the signature of each is.

use crate::atomic::{TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crate::failure::Failure;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// A file and its signature's file, which may not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// What is signed.
    pub(crate) file: PathBuf,
    /// `file` with `.sig` appended, beside it or under another folder.
    pub(crate) signature: PathBuf,
}

/// Why a path that was met cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// The path.
    pub(crate) file: PathBuf,
    /// The reason.
    pub(crate) reason: String,
}

/// Files and folders, as given.
#[derive(Debug)]
pub(crate) struct Targets<'a> {
    inputs: &'a [PathBuf],
    signatures: Option<&'a Path>,
}

impl<'a> Targets<'a> {
    /// The files in `inputs`, whose signatures are beside them or, if `signatures` names a
    /// folder, below that folder, at the path as given (like tar, without a leading `/`).
    ///
    /// # Errors
    /// If two inputs could then share one signature's file.
    pub(crate) fn new(
        inputs: &'a [PathBuf],
        signatures: Option<&'a Path>,
    ) -> Result<Self, Failure> {
        if signatures.is_some() {
            if let Some(path) = inputs
                .iter()
                .find(|path| path.components().any(|c| c == Component::ParentDir))
            {
                return Err(Failure::new(format!(
                    "{}: with a folder for the signatures, name the inputs without `..`",
                    path.display()
                )));
            }
            if inputs.iter().any(|path| path.is_absolute())
                && inputs.iter().any(|path| path.is_relative())
            {
                return Err(Failure::new(
                    "with a folder for the signatures, name all inputs by absolute paths or all \
                     by relative ones",
                ));
            }
        }
        Ok(Self { inputs, signatures })
    }

    /// The files, found while the iterator advances: folders of any size take little memory.
    ///
    /// Folders are walked to the bottom. Symbolic links to files are followed, those to folders
    /// only if given as an input. In folders, signatures (`*.sig`) are passed over.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<Target, Unusable>> + '_ {
        self.inputs
            .iter()
            .flat_map(WalkDir::new)
            .filter_map(|entry| match entry {
                Ok(entry) => self.examine(entry),
                Err(error) => {
                    let file = error.path().unwrap_or(Path::new("?")).to_path_buf();
                    let reason = error
                        .io_error()
                        .map_or_else(|| error.to_string(), std::string::ToString::to_string);
                    Some(Err(Unusable { file, reason }))
                }
            })
    }

    /// How many files there are now.
    pub(crate) fn count(&self) -> u64 {
        self.iter().count() as u64
    }

    fn examine(&self, entry: DirEntry) -> Option<Result<Target, Unusable>> {
        if entry.depth() > 0 && is_ours(entry.file_name()) {
            return None;
        }
        let unusable = |file, reason| Some(Err(Unusable { file, reason }));
        let mut kind = entry.file_type();
        if entry.path_is_symlink() {
            match std::fs::metadata(entry.path()) {
                Ok(metadata) => kind = metadata.file_type(),
                Err(error) => return unusable(entry.into_path(), error.to_string()),
            }
        }
        if kind.is_dir() {
            None
        } else if kind.is_file() {
            let file = entry.into_path();
            let signature = self.signature_of(&file);
            Some(Ok(Target { file, signature }))
        } else {
            unusable(entry.into_path(), String::from("not a regular file"))
        }
    }

    fn signature_of(&self, file: &Path) -> PathBuf {
        let mut path = match self.signatures {
            None => file.to_path_buf(),
            Some(folder) => {
                let parts = file
                    .components()
                    .filter(|c| matches!(c, Component::Normal(_)));
                folder.components().chain(parts).collect()
            }
        };
        path.as_mut_os_string().push(".sig");
        path
    }
}

/// Whether a file in a folder is one that `sunzi sign` writes.
fn is_ours(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".sig")
        || (name.starts_with(TEMPORARY_PREFIX.as_bytes())
            && name.ends_with(TEMPORARY_SUFFIX.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(file: &str, folder: Option<&str>) -> PathBuf {
        Targets {
            inputs: &[],
            signatures: folder.map(Path::new),
        }
        .signature_of(Path::new(file))
    }

    #[test]
    fn names_of_signatures() {
        assert_eq!(signature("a/b.txt", None), Path::new("a/b.txt.sig"));
        assert_eq!(
            signature("a/b.txt", Some("out")),
            Path::new("out/a/b.txt.sig")
        );
        assert_eq!(
            signature("./a/b", Some("../out")),
            Path::new("../out/a/b.sig")
        );
        assert_eq!(signature("/a/b", Some("/out")), Path::new("/out/a/b.sig"));
    }

    #[test]
    fn inputs_that_could_collide_are_refused() {
        let out = Some(Path::new("out"));
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert!(Targets::new(&paths(&["a", "../a"]), out).is_err());
        assert!(Targets::new(&paths(&["/a", "a"]), out).is_err());
        assert!(Targets::new(&paths(&["a", "b"]), out).is_ok());
        assert!(Targets::new(&paths(&["/a", "../a"]), None).is_ok());
    }

    #[test]
    fn walks_folders_and_passes_over_signatures() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| std::fs::write(folder.path().join(name), name).unwrap();
        std::fs::create_dir_all(folder.path().join("deep/er")).unwrap();
        for name in [
            "a",
            "a.sig",
            ".sunzi-xyz.sig.tmp",
            "deep/er/b",
            "deep/er/b.sig",
        ] {
            make(name);
        }
        let mut inputs = vec![folder.path().to_path_buf()];
        let found = |inputs: &[PathBuf]| {
            let mut files: Vec<_> = Targets::new(inputs, None)
                .unwrap()
                .iter()
                .map(|t| {
                    t.unwrap()
                        .file
                        .strip_prefix(folder.path())
                        .unwrap()
                        .to_path_buf()
                })
                .collect();
            files.sort();
            files
        };
        assert_eq!(found(&inputs), [Path::new("a"), Path::new("deep/er/b")]);
        // Named outright, a signature is a file like any other.
        inputs[0] = folder.path().join("a.sig");
        assert_eq!(found(&inputs), [Path::new("a.sig")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_files_and_dangling_ones_are_reported() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "a").unwrap();
        symlink(at("a"), at("link")).unwrap();
        symlink(at("missing"), at("dangling")).unwrap();
        symlink(folder.path(), at("loop")).unwrap();
        let inputs = [folder.path().to_path_buf()];
        let (good, bad): (Vec<_>, Vec<_>) = Targets::new(&inputs, None)
            .unwrap()
            .iter()
            .partition(Result::is_ok);
        assert_eq!(good.len(), 2);
        assert_eq!(bad.len(), 1);
        assert_eq!(bad[0].as_ref().unwrap_err().file, at("dangling"));
    }
}
