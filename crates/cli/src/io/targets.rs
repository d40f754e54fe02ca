//! The files named by the arguments, each with the path of its companion file: its signature, or
//! its encrypted or decrypted form.

use super::atomic::{TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crate::failure::Failure;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// A file and the path of its companion, which may not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The path of the file, which is read.
    pub(crate) file: PathBuf,
    /// The path of the companion: named after `file`, beside it or below another folder.
    pub(crate) companion: PathBuf,
}

/// The rule that makes the name of a companion from the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompanionNaming {
    /// This extension is appended. Files in folders that have it are skipped.
    Append(&'static str),
    /// This extension is removed. Files in folders that do not have it are skipped.
    Strip(&'static str),
}

/// A path that cannot be used, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnusablePath {
    /// The path.
    pub(crate) file: PathBuf,
    /// The reason why it cannot be used.
    pub(crate) reason: String,
}

/// The input files and folders as given on the command line.
#[derive(Debug)]
pub(crate) struct Targets<'a> {
    inputs: &'a [PathBuf],
    companions: Option<&'a Path>,
    naming: CompanionNaming,
}

impl<'a> Targets<'a> {
    /// The files in `inputs`. Their companions are beside them or, if `companions` is a folder,
    /// below that folder at the path as given (without a leading `/`, like in tar).
    ///
    /// # Errors
    /// If two inputs could have the same companion.
    pub(crate) fn new(
        inputs: &'a [PathBuf],
        companions: Option<&'a Path>,
        naming: CompanionNaming,
    ) -> Result<Self, Failure> {
        if companions.is_some() {
            if let Some(path) = inputs
                .iter()
                .find(|path| path.components().any(|c| c == Component::ParentDir))
            {
                return Err(Failure::new(format!(
                    "{}: with --out or --signatures, name the inputs without `..`",
                    path.display()
                )));
            }
            if inputs.iter().any(|path| path.is_absolute())
                && inputs.iter().any(|path| path.is_relative())
            {
                return Err(Failure::new(
                    "with --out or --signatures, name all inputs by absolute paths or all by \
                     relative ones",
                ));
            }
        }
        Ok(Self {
            inputs,
            companions,
            naming,
        })
    }

    /// The files. Folders are read while the iterator advances, so that folders of any size take
    /// little memory.
    ///
    /// Subfolders are included. Symbolic links to files are followed; those to folders are followed
    /// only if they are inputs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<Target, UnusablePath>> + '_ {
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
                    Some(Err(UnusablePath { file, reason }))
                }
            })
    }

    /// The number of files at this time.
    pub(crate) fn count(&self) -> u64 {
        self.iter().count() as u64
    }

    fn examine(&self, entry: DirEntry) -> Option<Result<Target, UnusablePath>> {
        if entry.depth() > 0 && !entry.file_type().is_dir() && self.skips(entry.file_name()) {
            return None;
        }
        let unusable = |file, reason| Some(Err(UnusablePath { file, reason }));
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
            Some(match self.companion_of(&file) {
                Ok(companion) => Ok(Target { file, companion }),
                Err(reason) => Err(UnusablePath { file, reason }),
            })
        } else {
            unusable(entry.into_path(), String::from("not a regular file"))
        }
    }

    fn companion_of(&self, file: &Path) -> Result<PathBuf, String> {
        let mut path = match self.companions {
            None => file.to_path_buf(),
            Some(folder) => {
                let parts = file
                    .components()
                    .filter(|c| matches!(c, Component::Normal(_)));
                folder.components().chain(parts).collect()
            }
        };
        match self.naming {
            CompanionNaming::Append(extension) => {
                path.as_mut_os_string().push(".");
                path.as_mut_os_string().push(extension);
            }
            CompanionNaming::Strip(extension) => {
                if !has_extension(&path, extension) {
                    return Err(format!(
                        "its name does not end in .{extension}, without which the result goes"
                    ));
                }
                path.set_extension("");
            }
        }
        Ok(path)
    }

    /// Whether a file in a folder is skipped because of its name.
    fn skips(&self, name: &OsStr) -> bool {
        let bytes = name.as_encoded_bytes();
        let is_temporary = bytes.starts_with(TEMPORARY_PREFIX.as_bytes())
            && bytes.ends_with(TEMPORARY_SUFFIX.as_bytes());
        is_temporary
            || match self.naming {
                CompanionNaming::Append(extension) => has_extension(name.as_ref(), extension),
                CompanionNaming::Strip(extension) => !has_extension(name.as_ref(), extension),
            }
    }
}

/// Whether the name is `NAME.extension`.
fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIG: CompanionNaming = CompanionNaming::Append("sig");

    fn companion(
        file: &str,
        folder: Option<&str>,
        naming: CompanionNaming,
    ) -> Result<PathBuf, String> {
        Targets {
            inputs: &[],
            companions: folder.map(Path::new),
            naming,
        }
        .companion_of(Path::new(file))
    }

    fn signature(file: &str, folder: Option<&str>) -> PathBuf {
        companion(file, folder, SIG).unwrap()
    }

    #[test]
    fn names_of_decrypted_files() {
        let decrypted = |file, folder| companion(file, folder, CompanionNaming::Strip("enc"));
        assert_eq!(decrypted("a/b.enc", None).unwrap(), Path::new("a/b"));
        assert_eq!(
            decrypted("a/b.txt.enc", Some("out")).unwrap(),
            Path::new("out/a/b.txt")
        );
        for name in ["a/b", "a/.enc", "a.enc/b", "a.ENC"] {
            assert!(decrypted(name, None).unwrap_err().contains(".enc"));
        }
    }

    #[test]
    fn files_in_folders_without_the_extension_to_strip_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        for name in ["a", "a.enc", ".enc", "deep/b.enc", ".sunzi-xyz.sig.tmp"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let inputs = [folder.path().to_path_buf()];
        let mut found: Vec<_> = Targets::new(&inputs, None, CompanionNaming::Strip("enc"))
            .unwrap()
            .iter()
            .map(|target| target.unwrap().companion)
            .collect();
        found.sort();
        assert_eq!(
            found,
            [folder.path().join("a"), folder.path().join("deep/b")]
        );
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
        assert!(Targets::new(&paths(&["a", "../a"]), out, SIG).is_err());
        assert!(Targets::new(&paths(&["/a", "a"]), out, SIG).is_err());
        assert!(Targets::new(&paths(&["a", "b"]), out, SIG).is_ok());
        assert!(Targets::new(&paths(&["/a", "../a"]), None, SIG).is_ok());
    }

    #[test]
    fn walks_folders_and_skips_signatures() {
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
            let mut files: Vec<_> = Targets::new(inputs, None, SIG)
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
        // A signature that is itself an input is a file like any other.
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
        let (good, bad): (Vec<_>, Vec<_>) = Targets::new(&inputs, None, SIG)
            .unwrap()
            .iter()
            .partition(Result::is_ok);
        assert_eq!(good.len(), 2);
        assert_eq!(bad.len(), 1);
        assert_eq!(bad[0].as_ref().unwrap_err().file, at("dangling"));
    }
}
