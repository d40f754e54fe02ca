//! The passphrase of a private key. It comes from a file, from the environment or from the
//! terminal, but never from the command line, which other users of the machine can read.

use crate::failure::Failure;
use std::fmt::Display;
use std::io::{self, IsTerminal, Read};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use sunzi_pk::KdfLimits;
use zeroize::Zeroizing;

/// The environment variable that may contain the passphrase.
const VARIABLE: &str = "SUNZI_PASSPHRASE";
/// The largest length of a passphrase, in bytes. A longer first line suggests a wrong file.
const MAX_LENGTH: usize = 4096;

/// The largest value of `--kdf-limit`: 64 GiB of memory.
pub(crate) const MAX_KDF_LIMIT: u32 = 1024;

/// The options for the passphrase.
#[derive(Debug, clap::Args)]
pub(crate) struct PassphraseOptions {
    /// Read the passphrase of an encrypted private key from the first line of FILE, which may be a
    /// pipe [default: the environment variable SUNZI_PASSPHRASE, or else a prompt on the terminal]
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

/// The options for opening a private key.
#[derive(Debug, clap::Args)]
pub(crate) struct UnlockOptions {
    #[command(flatten)]
    passphrase: PassphraseOptions,
    /// Let opening a private key cost N times as much as usual, which is 10,000,000 rounds of PBKDF2, 1,000 of
    /// OpenSSH's bcrypt or 64 MiB of memory for scrypt, and an RSA key of 8192 bits (16384 for any N above 1)
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=MAX_KDF_LIMIT as i64))]
    kdf_limit: u32,
}

impl UnlockOptions {
    /// Limits of the cost of opening a key.
    pub(crate) fn kdf_limits(&self) -> KdfLimits {
        KdfLimits::times(NonZeroU32::new(self.kdf_limit).unwrap_or(NonZeroU32::MIN))
    }

    /// Limits of the cost of opening a BLS keystore, whose scrypt takes four times the memory of other keys'.
    pub(crate) fn keystore_limits(&self) -> KdfLimits {
        let factor = NonZeroU32::new(4 * self.kdf_limit);
        KdfLimits::times(factor.unwrap_or(NonZeroU32::MIN))
    }

    /// The passphrase for a new key that is to be encrypted.
    pub(crate) fn for_new_key(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let passphrase = self.passphrase.for_new_key(true)?;
        passphrase.ok_or_else(|| Failure::new("a passphrase is needed"))
    }

    /// The passphrase to decrypt the key file `key`, from the file, the environment or the
    /// terminal.
    pub(crate) fn passphrase(&self, key: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
        match self.passphrase.given()? {
            Some(passphrase) => Ok(passphrase),
            None => prompt(&format!("Passphrase for {}: ", key.display())),
        }
    }
}

impl PassphraseOptions {
    /// The passphrase from the file or else from the environment, if there is one. To be called
    /// once, since a pipe can be read once only.
    fn given(&self) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        if let Some(path) = &self.passphrase_file {
            return from_file(path).map(Some);
        }
        let Some(text) = std::env::var_os(VARIABLE) else {
            return Ok(None);
        };
        let passphrase = Zeroizing::new(text.into_encoded_bytes());
        if passphrase.is_empty() {
            return Err(Failure::new(format!(
                "{VARIABLE} is set, but empty: unset it, or set it to a passphrase"
            )));
        }
        Ok(Some(passphrase))
    }

    /// The passphrase for a new key, if there is one or the key is to be encrypted. On the terminal
    /// it must be typed twice.
    pub(crate) fn for_new_key(&self, encrypt: bool) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        let given = self.given()?;
        if given.is_some() || !encrypt {
            return Ok(given);
        }
        let first = prompt("Passphrase for the new key: ")?;
        if first != prompt("The same again: ")? {
            return Err(Failure::new(
                "the two passphrases differ: nothing was written",
            ));
        }
        Ok(Some(first))
    }
}

/// The passphrase in the first line of a file, which may be a pipe.
pub(crate) fn from_file(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let name = path.display();
    let file =
        std::fs::File::open(path).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    from_reader(file, name)
}

/// The passphrase in the first line of a file, whose name errors begin with.
pub(crate) fn from_reader(
    file: impl Read,
    name: impl Display,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let line = first_line(file).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    let line = line.strip_suffix(b"\r").unwrap_or(&line);
    if line.is_empty() {
        return Err(Failure::new(format!("{name}: the first line is empty")));
    }
    if line.len() > MAX_LENGTH {
        return Err(Failure::new(format!(
            "{name}: the first line has more than {MAX_LENGTH} bytes: is it a passphrase?"
        )));
    }
    Ok(Zeroizing::new(line.to_vec()))
}

/// The first line without its end, or the first bytes of one that is longer than a passphrase.
/// Nothing is read beyond it, as whoever writes a pipe may keep it open.
fn first_line(mut file: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    // Large enough for any passphrase and "\r", since growing would leave a copy behind.
    let mut line = Zeroizing::new(Vec::with_capacity(MAX_LENGTH + 2));
    let mut byte = Zeroizing::new([0]);
    while line.len() < MAX_LENGTH + 2 {
        match file.read(&mut *byte) {
            Ok(0) => break,
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(line)
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
