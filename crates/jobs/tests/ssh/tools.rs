//! OpenSSH's programs in a temporary folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::KdfLimits;
use sunzi_pk::keys::{Algorithms, PrivateKey, SigningKey};
use tempfile::TempDir;

pub(crate) static ALGORITHMS: LazyLock<Algorithms> =
    LazyLock::new(|| Algorithms::new(&Engine::new(Backend::best()).unwrap()));

/// Kinds of keys with `ssh-keygen`'s options for them.
pub(crate) const KINDS: [(&str, &str); 6] = [
    ("ed25519", "-t ed25519"),
    ("p256", "-t ecdsa -b 256"),
    ("p384", "-t ecdsa -b 384"),
    ("p521", "-t ecdsa -b 521"),
    ("rsa2048", "-t rsa -b 2048"),
    ("rsa3072", "-t rsa -b 3072"),
];

/// A temporary folder.
pub(crate) struct Place(TempDir);

impl Place {
    /// A folder, or none, which is said, where there is no `ssh-keygen`.
    pub(crate) fn with_keygen() -> Option<Self> {
        if Command::new("ssh-keygen").arg("-?").output().is_err() {
            println!("SKIPPED: there is no ssh-keygen");
            return None;
        }
        Some(Self(tempfile::tempdir().unwrap()))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.at(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The answer of `ssh-keygen` to these arguments, with a file as standard input.
    pub(crate) fn keygen(&self, arguments: &str, input: Option<&str>) -> Output {
        let input = match input {
            Some(name) => Stdio::from(std::fs::File::open(self.at(name)).unwrap()),
            None => Stdio::null(),
        };
        let mut command = Command::new("ssh-keygen");
        command.current_dir(self.path()).stdin(input);
        command.args(arguments.split(' ')).output().unwrap()
    }

    /// Makes a key pair as the files `name` and `name.pub`.
    pub(crate) fn make(&self, name: &str, options: &str) -> PrivateKey {
        let made = self.keygen(
            &format!("-q {options} -C {name}@example.org -f {name} -N "),
            None,
        );
        assert!(made.status.success(), "{made:?}");
        let limits = KdfLimits::default();
        PrivateKey::from_pem_or_der(&ALGORITHMS, &self.read(name), None, limits).unwrap()
    }
}

pub(crate) fn signing(key: &PrivateKey) -> SigningKey {
    SigningKey::new(&ALGORITHMS, key).unwrap()
}
