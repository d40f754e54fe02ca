//! Verifies with OpenSSL the signatures of all files in a folder (PKCS#1 v1.5, SHA-256). The
//! signature of a file lies beside it, with `.sig` added to its name. For machines without the
//! `openssl` command. Usage: `sunzi-peers KEY FOLDER`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use sunzi_peers::{PeerError, verify_file, version};

/// Adds the paths of all regular files under `folder`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), PeerError> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Returns the number of correct signatures and the number of files.
fn run(key: &Path, folder: &Path) -> Result<(usize, usize), PeerError> {
    let pem = std::fs::read(key)?;
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.retain(|file| file.extension().is_none_or(|extension| extension != "sig"));
    let mut good = 0;
    for file in &files {
        let mut name = file.clone().into_os_string();
        name.push(".sig");
        match verify_file(&pem, file, Path::new(&name)) {
            Ok(true) => good += 1,
            Ok(false) => eprintln!("{}: the signature is wrong", file.display()),
            Err(error) => eprintln!("{}: {error}", file.display()),
        }
    }
    Ok((good, files.len()))
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [key, folder] = arguments.as_slice() else {
        eprintln!("usage: sunzi-peers PUBLIC-KEY.pem FOLDER");
        return ExitCode::from(2);
    };
    match run(key, folder) {
        Ok((good, total)) => {
            println!("{good} of {total} signatures verified by {}", version());
            if good == total && total > 0 {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("sunzi-peers: {error}");
            ExitCode::from(2)
        }
    }
}
