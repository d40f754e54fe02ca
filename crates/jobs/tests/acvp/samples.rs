//! Samples of NIST's test vectors.

use crate::tools::{answer, assert_flips_are_found, differences};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folders of samples, one for each kind of tests.
fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/acvp");
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = paths.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn read(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

/// The answers to NIST's samples are those that NIST expects, and each changed one is found.
#[test]
fn samples_of_nist() {
    let folders = samples();
    assert!(!folders.is_empty());
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let set = read(&folder, "prompt.json");
        let expected = read(&folder, "expectedResults.json");
        assert_eq!(differences(&set, &expected).unwrap(), [""; 0], "{name}");
        assert_flips_are_found(&set, &expected, &name, usize::MAX);
        let answers = answer(&set).unwrap();
        for member in ["vsId", "algorithm", "mode", "revision", "isSample"] {
            assert_eq!(answers[member], set[member], "{name}");
        }
    }
}
