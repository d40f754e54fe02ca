//! The files named by the arguments, each with the path of its companion file: its signature, or
//! its encrypted or decrypted form.

use super::atomic;
use crate::failure::Failure;
use std::collections::BTreeSet;
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

/// The kind of file at a path.
#[derive(Debug)]
pub(crate) enum Found {
    /// A file, which is usable or not.
    File(Result<Target, UnusablePath>),
    /// Something in a folder that is no file to be processed, and not the companion of one.
    LeftOut(UnusablePath),
}

/// The largest depth of folders within folders. As many are read at a time, so that no folder has to
/// be read to memory.
const MAX_DEPTH: usize = 128;

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

    /// The files, without what is left out.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<Target, UnusablePath>> + '_ {
        self.find().filter_map(|found| match found {
            Found::File(file) => Some(file),
            Found::LeftOut(_) => None,
        })
    }

    /// The files, and what is left out. Folders are read while the iterator advances, so that
    /// folders of any size take little memory.
    ///
    /// Subfolders are included. Symbolic links to files are followed; those to folders are followed
    /// only if they are inputs.
    pub(crate) fn find(&self) -> impl Iterator<Item = Found> + '_ {
        self.inputs
            .iter()
            .flat_map(|input| walk(input))
            .filter_map(|entry| match entry {
                Ok(entry) => self.examine(entry),
                Err(error) => {
                    let file = error.path().unwrap_or(Path::new("?")).to_path_buf();
                    let reason = error
                        .io_error()
                        .map_or_else(|| error.to_string(), std::string::ToString::to_string);
                    Some(Found::File(Err(UnusablePath { file, reason })))
                }
            })
    }

    /// The number of files at this time.
    pub(crate) fn count(&self) -> u64 {
        self.iter().count() as u64
    }

    /// Removes the temporary files of killed runs from the folders in which companions are written,
    /// and returns their number.
    pub(crate) fn sweep(&self) -> u64 {
        let (folders, files): (Vec<_>, Vec<_>) =
            self.inputs.iter().partition(|input| input.is_dir());
        // A pattern of the shell may name many files of a folder.
        let parents: BTreeSet<_> = files
            .into_iter()
            .map(|file| atomic::parent(&self.place_of(file)))
            .collect();
        let beside_files = parents.iter().map(|folder| atomic::sweep_folder(folder));
        let within_folders = folders.into_iter().map(|folder| {
            walk(&self.place_of(folder))
                .flatten()
                .filter(|entry| entry.file_type().is_file())
                .filter(|entry| atomic::is_temporary(entry.file_name()))
                .filter(|entry| atomic::sweep(entry.path()))
                .count() as u64
        });
        beside_files.chain(within_folders).sum()
    }

    fn examine(&self, entry: DirEntry) -> Option<Found> {
        let left_out = |entry: DirEntry, reason| {
            let file = entry.into_path();
            Some(Found::LeftOut(UnusablePath { file, reason }))
        };
        if entry.depth() > 0 && !entry.file_type().is_dir() && self.skips(entry.file_name()) {
            let reason = self.reason_to_leave_out(entry.path())?;
            return left_out(entry, reason);
        }
        let unusable = |file, reason| Some(Found::File(Err(UnusablePath { file, reason })));
        let mut kind = entry.file_type();
        if entry.path_is_symlink() {
            match std::fs::metadata(entry.path()) {
                Ok(metadata) => kind = metadata.file_type(),
                Err(error) => return unusable(entry.into_path(), error.to_string()),
            }
        }
        if kind.is_dir() {
            if entry.depth() == MAX_DEPTH {
                let reason = format!("folders are nested too deeply: at most {MAX_DEPTH} levels");
                return unusable(entry.into_path(), reason);
            }
            // A link that is an input is followed.
            if entry.depth() > 0 && entry.path_is_symlink() {
                return left_out(
                    entry,
                    String::from("a link to a folder, which is not followed"),
                );
            }
            None
        } else if kind.is_file() {
            let file = entry.into_path();
            Some(Found::File(match self.companion_of(&file) {
                Ok(companion) => Ok(Target { file, companion }),
                Err(reason) => Err(UnusablePath { file, reason }),
            }))
        } else {
            unusable(entry.into_path(), String::from("not a regular file"))
        }
    }

    /// Why a file in a folder is left out that is skipped because of its name; none if it is the
    /// companion of a file that is not left out.
    fn reason_to_leave_out(&self, path: &Path) -> Option<String> {
        if path.file_name().is_some_and(atomic::is_temporary) {
            return Some(String::from("a temporary file of another run"));
        }
        let CompanionNaming::Append(extension) = self.naming else {
            return Some(String::from("not the name of a file to process"));
        };
        if self.companions.is_some() {
            return Some(format!("named .{extension}, and companions are elsewhere"));
        }
        let file = path.with_extension("");
        if file.file_name().is_some_and(|name| self.skips(name)) {
            return Some(format!("named .{extension} like the file it belongs to"));
        }
        if file.is_file() {
            return None;
        }
        let name = file.display();
        Some(format!("named .{extension}, but there is no file {name}"))
    }

    /// The path of a file or folder: its own, or below the folder of the companions.
    fn place_of(&self, path: &Path) -> PathBuf {
        match self.companions {
            None => path.to_path_buf(),
            Some(folder) => {
                let parts = path
                    .components()
                    .filter(|c| matches!(c, Component::Normal(_)));
                folder.components().chain(parts).collect()
            }
        }
    }

    fn companion_of(&self, file: &Path) -> Result<PathBuf, String> {
        let mut path = self.place_of(file);
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
        atomic::is_temporary(name)
            || match self.naming {
                CompanionNaming::Append(extension) => has_extension(name.as_ref(), extension),
                CompanionNaming::Strip(extension) => !has_extension(name.as_ref(), extension),
            }
    }
}

/// The entries of a folder and of its subfolders, or the one entry of a file.
fn walk(path: &Path) -> walkdir::IntoIter {
    WalkDir::new(path)
        .max_depth(MAX_DEPTH)
        .max_open(MAX_DEPTH + 1)
        .into_iter()
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
        for name in ["a", "a.enc", ".enc", "deep/b.enc", ".sunzi-abc123.sig.tmp"] {
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
            ".sunzi-abc123.sig.tmp",
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
