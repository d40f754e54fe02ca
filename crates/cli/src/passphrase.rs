//! Where a passphrase comes from: a file, the environment, the terminal. Never the command
//! line, which other users of the machine can read.

use crate::failure::Failure;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const VARIABLE: &str = "SUNZI_PASSPHRASE";
/// No passphrase is longer; a wrong file may be.
const MAX_LENGTH: u64 = 4096;

/// The option that the verbs share.
#[derive(Debug, clap::Args)]
pub(crate) struct Source {
    /// The passphrase of an encrypted private key is the first line of FILE; otherwise the
    /// environment variable SUNZI_PASSPHRASE, or the terminal, is asked
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl Source {
    /// The passphrase from the file or the environment, if either has one.
    pub(crate) fn given(&self) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        if let Some(path) = &self.passphrase_file {
            return from_file(path).map(Some);
        }
        Ok(std::env::var_os(VARIABLE)
            .map(|text| Zeroizing::new(text.into_encoded_bytes()))
            .filter(|passphrase| !passphrase.is_empty()))
    }

    /// The passphrase that opens `key`, from the file, the environment or the terminal.
    pub(crate) fn to_open(&self, key: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
        match self.given()? {
            Some(passphrase) => Ok(passphrase),
            None => prompt(&format!("Passphrase for {}: ", key.display())),
        }
    }

    /// A passphrase for a new key; on the terminal it is asked for twice.
    pub(crate) fn for_new_key(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        if let Some(passphrase) = self.given()? {
            return Ok(passphrase);
        }
        let first = prompt("Passphrase for the new key: ")?;
        if first != prompt("The same again: ")? {
            return Err(Failure::new(
                "the two passphrases differ: nothing was written",
            ));
        }
        Ok(first)
    }
}

fn from_file(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    use std::io::Read;
    let told = |error| Failure::new(format!("{}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(told)?;
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_LENGTH as usize + 1));
    file.take(MAX_LENGTH + 1)
        .read_to_end(&mut text)
        .map_err(told)?;
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Err(Failure::new(format!(
            "{}: the first line is empty",
            path.display()
        )));
    }
    if line.len() as u64 > MAX_LENGTH {
        return Err(Failure::new(format!(
            "{}: the first line has more than {MAX_LENGTH} bytes: is it a passphrase?",
            path.display()
        )));
    }
    Ok(Zeroizing::new(line.to_vec()))
}

fn prompt(text: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    if !std::io::stderr().is_terminal() {
        return Err(Failure::new(format!(
            "a passphrase is needed: give --passphrase-file FILE or set {VARIABLE}"
        )));
    }
    let answer = rpassword::prompt_password(text)
        .map_err(|error| Failure::new(format!("cannot ask for the passphrase: {error}")))?;
    if answer.is_empty() {
        return Err(Failure::new("the passphrase is empty"));
    }
    Ok(Zeroizing::new(answer.into_bytes()))
}
