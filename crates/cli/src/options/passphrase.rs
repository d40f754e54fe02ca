//! The passphrase of a private key. It comes from a file, from the environment or from the
//! terminal, but never from the command line, which other users of the machine can read.

use crate::failure::Failure;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The environment variable that may contain the passphrase.
const VARIABLE: &str = "SUNZI_PASSPHRASE";
/// The largest length of a passphrase, in bytes. A longer first line suggests a wrong file.
const MAX_LENGTH: u64 = 4096;

/// The options for the passphrase.
#[derive(Debug, clap::Args)]
pub(crate) struct PassphraseOptions {
    /// Read the passphrase of an encrypted private key from the first line of FILE [default: the
    /// environment variable SUNZI_PASSPHRASE, or else a prompt on the terminal]
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseOptions {
    /// The passphrase from the file or else from the environment, if there is one.
    pub(crate) fn given(&self) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        if let Some(path) = &self.passphrase_file {
            return from_file(path).map(Some);
        }
        Ok(std::env::var_os(VARIABLE)
            .map(|text| Zeroizing::new(text.into_encoded_bytes()))
            .filter(|passphrase| !passphrase.is_empty()))
    }

    /// The passphrase to decrypt the key file `key`, from the file, the environment or the
    /// terminal.
    pub(crate) fn to_open(&self, key: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
        match self.given()? {
            Some(passphrase) => Ok(passphrase),
            None => prompt(&format!("Passphrase for {}: ", key.display())),
        }
    }

    /// The passphrase for a new key. On the terminal it must be typed twice.
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
    let unreadable = |error| Failure::new(format!("{}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_LENGTH as usize + 1));
    file.take(MAX_LENGTH + 1)
        .read_to_end(&mut text)
        .map_err(unreadable)?;
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
