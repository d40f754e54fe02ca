//! A temporary folder with keys, in which commands are run.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A key pair in PEM.
pub(crate) struct KeyPair {
    pub(crate) private: String,
    pub(crate) public: String,
}

/// The command, without the environment variables that it reads, and with a folder for caches of the tests'
/// own.
pub(crate) fn sunzi() -> Command {
    let mut command = Command::cargo_bin("sunzi").unwrap();
    command
        .env_remove("SUNZI_PASSPHRASE")
        .env_remove("SUNZI_BACKEND")
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

fn make(bits: &'static str) -> KeyPair {
    let folder = tempfile::tempdir().unwrap();
    sunzi()
        .current_dir(&folder)
        .args([
            "key",
            "new",
            "--out",
            "key.pem",
            "--public",
            "public.pem",
            "--bits",
            bits,
        ])
        .arg("--force-1024")
        .assert()
        .success();
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    KeyPair {
        private: read("key.pem"),
        public: read("public.pem"),
    }
}

/// Whether this processor runs the backend.
pub(crate) fn runs(place: &Place, backend: &str) -> bool {
    let status = place.run("backends").env("SUNZI_BACKEND", backend).output();
    status.unwrap().status.success()
}

/// A short key, with which signing is fast.
pub(crate) fn small_key() -> &'static KeyPair {
    static KEY: OnceLock<KeyPair> = OnceLock::new();
    KEY.get_or_init(|| make("1024"))
}

/// A key of the usual size.
pub(crate) fn usual_key() -> &'static KeyPair {
    static KEY: OnceLock<KeyPair> = OnceLock::new();
    KEY.get_or_init(|| make("2048"))
}

/// A temporary folder, which is deleted when it is dropped.
pub(crate) struct Place(TempDir);

impl Place {
    /// A folder with the key pair as `key.pem` and `public.pem`.
    pub(crate) fn with(key: &KeyPair) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("key.pem", &key.private);
        place.write("public.pem", &key.public);
        #[cfg(unix)]
        place.set_mode("key.pem", 0o600);
        place
    }

    /// Sets the access rights of a file.
    #[cfg(unix)]
    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(self.at(name), permissions).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap()
    }

    /// Writes files of different contents and lengths into the folder `files`.
    pub(crate) fn fill(&self, count: usize) {
        for i in 0..count {
            self.write(&format!("files/{i:04}"), format!("{i}").repeat(i % 50));
        }
    }

    /// The names in a folder that have this ending.
    pub(crate) fn names(&self, folder: &str, end: &str) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(self.at(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(end))
            .collect();
        names.sort();
        names
    }

    /// A folder with a new key pair of a curve, as `key.pem` and `public.pem`.
    pub(crate) fn with_curve(curve: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let new = format!("key new --out key.pem --public public.pem --force-weak --curve {curve}");
        place.run(&new).assert().success();
        place
    }

    /// The answer of OpenSSL's command to these arguments in this folder, or none if there is no such
    /// command.
    pub(crate) fn openssl(&self, arguments: &str) -> Option<std::process::Output> {
        let output = std::process::Command::new("openssl")
            .current_dir(self.path())
            .args(arguments.split_whitespace())
            .output();
        if output.is_err() {
            println!("SKIPPED: there is no openssl command");
        }
        output.ok()
    }

    /// The command with these arguments, in this folder.
    pub(crate) fn run(&self, arguments: &str) -> Command {
        let mut command = sunzi();
        command
            .current_dir(self.path())
            .args(arguments.split_whitespace());
        command
    }
}

/// Runs the command, asserts its exit code, and returns standard error, which must be one line.
pub(crate) fn error_line(command: &mut Command, code: i32) -> String {
    let output = command.assert().code(code).get_output().clone();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("sunzi: "), "{text}");
    text
}

/// Runs the command, asserts its exit code, and returns the lines of JSON on standard output.
pub(crate) fn json_lines(command: &mut Command, code: i32) -> Vec<serde_json::Value> {
    let output = command.assert().code(code).get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
