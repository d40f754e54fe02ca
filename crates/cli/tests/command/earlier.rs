//! Files that version 0.1 wrote: keys, signatures, ciphertexts, secrets and calibration files are read, and what is
//! deterministic is computed as before. vectors/compat-0.1/README.md says how they were made.

use crate::place::{Place, json_lines, small_key, sunzi};
use serde_json::Value;
use std::path::PathBuf;

/// The folder with the files.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/compat-0.1")
}

/// A copy of the files, as the command writes beside what it reads, and their list.
fn place_with_files() -> (Place, Value) {
    let place = Place::with(small_key());
    for part in ["", "keys", "signatures", "ciphertexts", "secrets"] {
        for entry in std::fs::read_dir(folder().join(part)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                let name = format!("{part}/{}", entry.file_name().to_str().unwrap());
                let name = name.trim_start_matches('/');
                place.write(name, std::fs::read(entry.path()).unwrap());
                #[cfg(unix)]
                place.set_mode(name, 0o600);
            }
        }
    }
    let list: Value = serde_json::from_slice(&place.read("files.json")).unwrap();
    (place, list)
}

/// The entries of a list of files.
fn entries<'a>(list: &'a Value, name: &str) -> &'a [Value] {
    let entries = list[name].as_array().unwrap();
    assert!(!entries.is_empty());
    entries
}

/// The text in a field of an entry.
fn text<'a>(entry: &'a Value, name: &str) -> &'a str {
    entry[name].as_str().unwrap()
}

#[test]
fn keys_of_version_0_1_are_read() {
    let (place, list) = place_with_files();
    assert!(text(&list, "version").starts_with("sunzi 0.1."), "{list}");
    for entry in entries(&list, "keys") {
        let key = text(entry, "key");
        let public = |arguments: &str| {
            let mut command = place.run(arguments);
            let output = command.env("SUNZI_PASSPHRASE", text(&list, "passphrase"));
            output.assert().success().get_output().stdout.clone()
        };
        let written = place.read(&format!("keys/{key}.public"));
        assert_eq!(
            public(&format!("key show keys/{key} --pem")),
            written,
            "{key}"
        );
        if entry["encrypted"] == true {
            let mut command = place.run(&format!("key show keys/{key} --pem"));
            command.env("SUNZI_PASSPHRASE", "another").assert().code(2);
        }
    }
}

#[test]
fn signatures_of_version_0_1_are_verified_and_made_again() {
    let (place, list) = place_with_files();
    for entry in entries(&list, "signatures") {
        let (key, options) = (text(entry, "key"), text(entry, "options"));
        let signature = place.read(&format!("signatures/{}", text(entry, "file")));
        place.write("message.txt.sig", &signature);
        // How nonces are made is nothing that a verifier is told.
        let verified = options.replace("--nonces hedged", "");
        let verify = format!("verify --key keys/{key}.public {verified} message.txt");
        place.run(&verify).assert().success();
        let sign = format!("sign --force --key keys/{key} {options} message.txt");
        let mut command = place.run(&sign);
        command.env("SUNZI_PASSPHRASE", text(&list, "passphrase"));
        command.assert().success();
        let again = place.read("message.txt.sig") == signature;
        assert_eq!(again, entry["same"] == true, "{key} {options}");
    }
}

#[test]
fn streams_of_version_0_1_are_verified_and_made_again() {
    let (place, _) = place_with_files();
    let messages = place.read("messages.jsonl");
    let mut command = place.run("sign --key keys/p256.pkcs8.pem -");
    let output = command.write_stdin(messages.clone()).assert().success();
    assert_eq!(output.get_output().stdout, place.read("signed.jsonl"));
    let lines = |bytes: &[u8]| -> Vec<Value> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let signed = lines(&place.read("signed.jsonl"));
    let both = lines(&messages)
        .into_iter()
        .zip(&signed)
        .map(|(mut line, signed)| {
            line["signature"] = signed["signature"].clone();
            line.to_string() + "\n"
        });
    let mut command = place.run("verify --key keys/p256.pkcs8.pem.public -");
    let answers = json_lines(command.write_stdin(both.collect::<String>()), 0);
    assert_eq!(answers.len(), signed.len());
    assert!(
        answers.iter().all(|answer| answer["valid"] == true),
        "{answers:?}"
    );
}

#[test]
fn ciphertexts_and_secrets_of_version_0_1_are_read() {
    let (place, list) = place_with_files();
    for entry in entries(&list, "ciphertexts") {
        let ciphertext = place.read(&format!("ciphertexts/{}", text(entry, "file")));
        place.write("in/message.txt.enc", ciphertext);
        let (key, options) = (text(entry, "key"), text(entry, "options"));
        let arguments =
            format!("decrypt --force --key keys/{key} {options} --out out in/message.txt.enc");
        let mut command = place.run(&arguments);
        command.env("SUNZI_PASSPHRASE", text(&list, "passphrase"));
        command.assert().success();
        assert_eq!(
            place.read("out/in/message.txt"),
            place.read("message.txt"),
            "{key} {options}"
        );
    }
    for entry in entries(&list, "secrets") {
        let (key, peer) = (text(entry, "key"), text(entry, "peer"));
        place.write("peer.pem", place.read(&format!("keys/{peer}.public")));
        place
            .run(&format!("agree --force --key keys/{key} peer.pem"))
            .assert()
            .success();
        let secret = place.read(&format!("secrets/{}", text(entry, "file")));
        assert_eq!(place.read("peer.pem.secret"), secret, "{key}");
    }
}

/// The times of version 0.1 are taken. A file has the name of its processor: here it gets that of this one.
#[test]
fn calibration_files_of_version_0_1_are_read() {
    let caches = tempfile::tempdir().unwrap();
    let explain = |backend: &str| {
        let mut command = sunzi();
        command.env("XDG_CACHE_HOME", caches.path());
        let arguments = format!("{backend} backends --explain 1024 --batch 64 --json");
        command.args(arguments.split_whitespace());
        json_lines(&mut command, 0)[0]["predicted_us"]
            .as_f64()
            .unwrap()
    };
    // The first command stores times.
    explain("");
    let file = std::fs::read_dir(caches.path().join("sunzi")).unwrap();
    let file = file.map(|entry| entry.unwrap().path()).next().unwrap();
    let own = std::fs::read_to_string(&file).unwrap();
    let (processor, _) = own.split_once('\n').unwrap();
    let old = std::fs::read_to_string(folder().join("calibration.txt")).unwrap();
    let (_, times) = old.split_once('\n').unwrap();
    std::fs::write(&file, format!("{processor}\n{times}")).unwrap();
    let predicted = explain("--backend portable");
    // A hundred times as long: the prediction is made of these times.
    let slow = times.lines().map(|line| {
        let (name, time) = line.rsplit_once(' ').unwrap();
        match time.parse::<f64>() {
            Ok(time) => format!("{name} {}\n", 100.0 * time),
            Err(_) => format!("{line}\n"),
        }
    });
    std::fs::write(&file, format!("{processor}\n{}", slow.collect::<String>())).unwrap();
    assert!(explain("--backend portable") > 20.0 * predicted);
}
