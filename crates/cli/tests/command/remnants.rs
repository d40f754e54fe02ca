//! Remnants in the command's memory, which this process searches while the command waits: for more
//! input, or for the reader of its output.

use crate::place::{Place, small_key};
use base64ct::{Base64, Encoding};
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::{self, PreparedCurves};
use sunzi_pk::rsa;
use sunzi_secret_remnants::{Mask, Patterns};
use zeroize::Zeroizing;

const PASSPHRASE: &str = "correct horse battery staple, and more";
const MESSAGE: &str = "a message that is long enough to be found in pieces";

const MASK: Mask = *b"\xc3\x5a\xa5\x3c\x96\x0f\x69\xf0\x1e\xd2\x4b\x87\x2d\xb4\x78\xe1";

/// Whether the command still needs its key when it is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    InUse,
    Wiped,
}

/// Bytes that must be gone once a request has been answered, and a number of the private key.
struct Secrets {
    gone: Patterns,
    number: Zeroizing<Vec<u8>>,
}

impl Secrets {
    /// The passphrase, and a part of the key as it stood in its file.
    fn new(key_file: &[u8], number: &[u8]) -> Self {
        let mut gone = Patterns::new(MASK);
        gone.text("passphrase", PASSPHRASE.as_bytes());
        gone.text("key file", key_file);
        Self {
            gone,
            number: Zeroizing::new(number.to_vec()),
        }
    }

    /// The bytes of an RSA key; the number is a part of p.
    fn of_rsa(key_file: &[u8]) -> Self {
        let key = rsa::PrivateKey::from_pem_or_der(key_file, Some(PASSPHRASE.as_bytes())).unwrap();
        let der = key.to_pkcs1_der();
        // The public numbers take the first part.
        Self::new(&der[der.len() / 3..], &der[545..655])
    }

    /// The bytes of a key on P-256.
    fn of_curve(key_file: &[u8]) -> Self {
        let curves = PreparedCurves::new(&Engine::new(Backend::PORTABLE).unwrap());
        let passphrase = Some(PASSPHRASE.as_bytes());
        let key = ec::PrivateKey::from_pem_or_der(&curves, key_file, passphrase).unwrap();
        let (d, der) = (key.to_bytes(), key.to_pkcs8_der().unwrap());
        let mut places = der.windows(d.len());
        let place = places.position(|bytes| bytes == &d[..]).unwrap();
        // Each piece of sixteen bytes begins before the number, which is looked for by itself.
        Self::new(&der[place - 8..][..23], &d)
    }

    /// Searches a process for what must be gone, and for something that is there, so that the search shows
    /// that it finds it.
    fn search(mut self, child: &Child, key: Key) {
        let mut present = Patterns::new(MASK);
        match key {
            Key::InUse => present.number("private number", &self.number),
            Key::Wiped => {
                self.gone.number("private number", &self.number);
                present.text("argument", b"--passphrase-file");
            }
        }
        let process = child.id().to_string();
        match self.gone.search(&process) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                println!("SKIPPED: the system does not let this process read another's memory");
            }
            gone => {
                assert_eq!(gone.unwrap(), []);
                let present = present.search(&process).unwrap();
                assert!(!present.is_empty(), "the search finds nothing");
            }
        }
    }
}

/// Options that make a key, and its secrets in a file.
type Kind = (&'static str, fn(&[u8]) -> Secrets);

const KINDS: [Kind; 2] = [
    ("--bits 2048", Secrets::of_rsa),
    ("--curve P-256", Secrets::of_curve),
];

/// A folder with a key under a passphrase, `secret.pem`, and its public half, `mine.pem`.
fn place_with(key: &str) -> Place {
    let place = Place::with(small_key());
    place.write("passphrase", PASSPHRASE);
    let new =
        format!("key new {key} --out secret.pem --public mine.pem --passphrase-file passphrase");
    place.run(&new).assert().success();
    place
}

/// Starts a command in a folder.
fn start(place: &Place, arguments: &str, input: Stdio, output: Stdio) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
        .args(arguments.split_whitespace())
        .env_remove("SUNZI_PASSPHRASE")
        .env_remove("SUNZI_BACKEND")
        .current_dir(place.path())
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Runs a command that reads a stream, gives it a line, and searches it after its answer, for what `secrets`
/// makes of the answer.
fn search_after_a_line(
    place: &Place,
    arguments: &str,
    line: &[u8],
    secrets: impl FnOnce(&serde_json::Value) -> Secrets,
) {
    let arguments = format!("{arguments} --passphrase-file passphrase -");
    let mut child = start(place, &arguments, Stdio::piped(), Stdio::piped());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(line).unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut answer)
        .unwrap();
    let answer = serde_json::from_str(&answer).unwrap();
    secrets(&answer).search(&child, Key::InUse);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_decrypting_stream_keeps_no_message_passphrase_or_file() {
    let place = place_with("--bits 2048");
    let line = format!("{{\"message\":\"{MESSAGE}\"}}\n");
    let mut encrypt = place.run("encrypt -k mine.pem -");
    let encrypted = encrypt.write_stdin(line).assert().success();
    let ciphertext = encrypted.get_output().stdout.clone();
    search_after_a_line(&place, "decrypt -k secret.pem", &ciphertext, |answer| {
        assert!(answer["message_base64"].is_string(), "{answer}");
        let mut secrets = Secrets::of_rsa(&place.read("secret.pem"));
        secrets.gone.text("message", MESSAGE.as_bytes());
        secrets
    });
}

#[test]
fn a_signing_stream_keeps_no_passphrase_or_file() {
    for (key, of_key) in KINDS {
        let place = place_with(key);
        let line = format!("{{\"message\":\"{MESSAGE}\"}}\n");
        search_after_a_line(&place, "sign -k secret.pem", line.as_bytes(), |answer| {
            assert!(answer["signature"].is_string(), "{answer}");
            of_key(&place.read("secret.pem"))
        });
    }
}

#[test]
fn an_agreeing_stream_keeps_no_secret_passphrase_or_file() {
    let place = place_with("--curve P-256");
    let new = "key new --curve P-256 --out theirs.pem --public peer.pem";
    place.run(new).assert().success();
    let peer = String::from_utf8(place.read("peer.pem")).unwrap();
    let line = serde_json::json!({ "peer": peer }).to_string() + "\n";
    search_after_a_line(&place, "agree -k secret.pem", line.as_bytes(), |answer| {
        let secret = answer["secret_base64"].as_str().expect("there is a secret");
        let mut secrets = Secrets::of_curve(&place.read("secret.pem"));
        let secret = Base64::decode_vec(secret).unwrap();
        secrets.gone.number("shared secret", &secret);
        secrets
    });
}

/// A pipe that takes no more until its reader reads.
struct FullPipe {
    reader: PipeReader,
    writer: PipeWriter,
    /// Writes until the pipe is full, and then waits.
    filler: JoinHandle<()>,
    enough: Arc<AtomicBool>,
}

impl FullPipe {
    fn new() -> Self {
        let (reader, writer) = io::pipe().unwrap();
        let enough = Arc::new(AtomicBool::new(false));
        let written = Arc::new(AtomicUsize::new(0));
        let filler = {
            let mut writer = writer.try_clone().unwrap();
            let (enough, written) = (Arc::clone(&enough), Arc::clone(&written));
            thread::spawn(move || {
                while !enough.load(Ordering::Relaxed) {
                    writer.write_all(b"\n").unwrap();
                    written.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        while settled(|| written.load(Ordering::Relaxed)) == Some(0) {}
        Self {
            reader,
            writer,
            filler,
            enough,
        }
    }

    /// The output of others, once all of them have closed it.
    fn read(mut self) -> String {
        self.enough.store(true, Ordering::Relaxed);
        drop(self.writer);
        let mut text = String::new();
        self.reader.read_to_string(&mut text).unwrap();
        self.filler.join().unwrap();
        text.trim().to_owned()
    }
}

/// A value that has stayed the same for a fifth of a second, or none after a minute.
fn settled<T: PartialEq>(value: impl Fn() -> T) -> Option<T> {
    let (mut last, mut same) = (value(), 0);
    for _ in 0..6000 {
        thread::sleep(Duration::from_millis(10));
        let now = value();
        same = if now == last { same + 1 } else { 0 };
        if same == 20 {
            return Some(now);
        }
        last = now;
    }
    None
}

/// Waits until a process has written a file and sleeps.
fn wait_for(child: &Child, place: &Place, file: &str) {
    let stat = format!("/proc/{}/stat", child.id());
    // The state comes after the name, which is in parentheses.
    let state = || {
        let stat = fs::read_to_string(&stat).unwrap();
        let (_, rest) = stat.rsplit_once(") ").unwrap();
        rest.starts_with('S')
    };
    for _ in 0..20 {
        if settled(|| (state(), place.at(file).exists())) == Some((true, true)) {
            return;
        }
    }
    panic!("the command does not write its output");
}

#[test]
fn a_new_key_is_gone_when_it_has_been_written() {
    for (key, of_key) in KINDS {
        let place = Place::with(small_key());
        place.write("passphrase", PASSPHRASE);
        let arguments = format!(
            "key new {key} --out secret.pem --public mine.pem --passphrase-file passphrase"
        );
        let pipe = FullPipe::new();
        let output = pipe.writer.try_clone().unwrap().into();
        let mut child = start(&place, &arguments, Stdio::null(), output);
        wait_for(&child, &place, "mine.pem");
        let file = place.read("secret.pem");
        of_key(&file).search(&child, Key::Wiped);
        let text = pipe.read();
        assert!(child.wait().unwrap().success());
        assert!(text.contains("private key"), "{text}");
    }
}
