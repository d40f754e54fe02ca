//! What the command leaves in its memory, which this process searches while the command waits for
//! more input.

use crate::place::{Place, small_key};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{Command, Stdio};
use sunzi_pk::rsa::PrivateKey;
use sunzi_secret_remnants::{Mask, Patterns};

const PASSPHRASE: &str = "correct horse battery staple, and more";
const MESSAGE: &str = "a message that is long enough to be found in pieces";

const MASK: Mask = *b"\xc3\x5a\xa5\x3c\x96\x0f\x69\xf0\x1e\xd2\x4b\x87\x2d\xb4\x78\xe1";

/// What must be gone when a message has been decrypted: the message, the passphrase, and the key as
/// it stood in its file. Besides, what the key in use needs: a part of p.
fn patterns(key_file: &[u8]) -> [Patterns; 2] {
    let [mut patterns, mut part_of_p] = [MASK; 2].map(Patterns::new);
    patterns.text("message", MESSAGE.as_bytes());
    patterns.text("passphrase", PASSPHRASE.as_bytes());
    let key = PrivateKey::from_pem_or_der(key_file, Some(PASSPHRASE.as_bytes())).unwrap();
    let der = key.to_pkcs1_der();
    // The public numbers take the first part.
    patterns.text("key file", &der[der.len() / 3..]);
    part_of_p.number("p", &der[545..655]);
    [patterns, part_of_p]
}

#[test]
fn a_decrypting_stream_keeps_no_message_passphrase_or_file() {
    let place = Place::with(small_key());
    std::fs::write(place.path().join("passphrase"), PASSPHRASE).unwrap();
    let new = "key new --bits 2048 --out secret.pem --public mine.pem --passphrase-file passphrase";
    place.run(new).assert().success();
    let line = format!("{{\"message\":\"{MESSAGE}\"}}\n");
    let encrypted = place
        .run("encrypt -k mine.pem -")
        .write_stdin(line)
        .assert()
        .success();
    let ciphertext = encrypted.get_output().stdout.clone();

    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
        .args([
            "decrypt",
            "-k",
            "secret.pem",
            "--passphrase-file",
            "passphrase",
            "-",
        ])
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&ciphertext).unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut answer)
        .unwrap();
    assert!(answer.contains("message_base64"), "{answer}");

    let key_file = std::fs::read(place.path().join("secret.pem")).unwrap();
    let process = child.id().to_string();
    let [gone, used] = patterns(&key_file).map(|patterns| patterns.search(&process));
    drop(stdin);
    assert!(child.wait().unwrap().success());
    match gone {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            println!("SKIPPED: the system does not let this process read another's memory");
        }
        gone => {
            assert_eq!(gone.unwrap(), []);
            assert!(!used.unwrap().is_empty(), "the search finds nothing");
        }
    }
}
