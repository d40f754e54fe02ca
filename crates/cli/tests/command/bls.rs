//! Tests of `sunzi bls`: keys, signatures, verdicts line by line, sums, and what is refused.

use crate::place::{json_lines, sunzi};
use std::fs;

const GENERATOR: &str = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";

/// A key is made, signs, and its signatures verify: with both groups of signatures. Every line has its verdict.
#[test]
fn keys_sign_and_verify() {
    for group in ["g2", "g1"] {
        let folder = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| {
            let mut command = sunzi();
            command.current_dir(&folder).arg("bls").args(arguments);
            command.args(["--signatures-in", group]);
            command
        };
        let made = run(&["key", "--out", "key.hex"]).output().unwrap();
        assert!(made.status.success());
        let public = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        let again = &mut run(&["key", "--key", "key.hex", "--proof", "--json"]);
        let shown = &json_lines(again, 0)[0];
        assert_eq!(shown["public_key"], public);
        assert!(shown["proof"].is_string());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.path().join("key.hex"))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        run(&["key", "--out", "key.hex"]).assert().code(2);

        let messages = "{\"message\":\"00ff\"}\n{\"message\":\"\"}\n{\"message\":\"x\"}\n";
        let signed = json_lines(run(&["sign", "--key", "key.hex"]).write_stdin(messages), 1);
        assert_eq!(signed[2]["line"], 3);
        let signatures = [0, 1].map(|k: usize| signed[k]["signature"].as_str().unwrap().to_owned());
        let claim = |message: &str, signature: &str| {
            format!(
                "{{\"public_key\":\"{public}\",\"message\":\"{message}\",\"signature\":\"{signature}\"}}\n"
            )
        };
        let right = claim("00FF", &signatures[0]) + &claim("0x", &signatures[1]);
        let verified = json_lines(run(&["verify"]).write_stdin(right.clone()), 0);
        assert!(verified.iter().all(|line| line["valid"] == true));
        let claims = right + &claim("00fe", &signatures[0]) + &claim("00", "00") + "{}\n";
        let lines = json_lines(run(&["verify", "-"]).write_stdin(claims), 1);
        let valid: Vec<_> = lines
            .iter()
            .map(|line| line["valid"].as_bool().unwrap())
            .collect();
        assert_eq!(valid, [true, true, false, false, false]);
        assert!(lines[2..].iter().all(|line| line["reason"].is_string()));

        let sums = format!(
            "{{\"signatures\":[\"{}\",\"{}\"]}}\n{{\"public_keys\":[\"{public}\"]}}\n{{}}\n",
            signatures[0], signatures[1]
        );
        let summed = json_lines(run(&["aggregate"]).write_stdin(sums), 1);
        assert!(summed[0]["signature"].is_string());
        assert_eq!(summed[1]["public_key"], public);
        assert_eq!(summed[2]["line"], 3);
    }
}

/// Other schemes and tags have other signatures; unknown schemes, empty tags, empty inputs and bad keys are refused.
#[test]
fn options_and_refusals() {
    let folder = tempfile::tempdir().unwrap();
    // The secret key 1.
    fs::write(folder.path().join("one.hex"), format!("{:064x}\n", 1)).unwrap();
    fs::write(folder.path().join("zero.hex"), format!("{:064x}\n", 0)).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = sunzi();
        command.current_dir(&folder).arg("bls").args(arguments);
        command
    };
    let shown = run(&["key", "--key", "one.hex"]).output().unwrap();
    assert_eq!(String::from_utf8(shown.stdout).unwrap().trim(), GENERATOR);
    run(&["key", "--key", "zero.hex"]).assert().code(2);
    let sign = |options: &[&str]| {
        let arguments = [&["sign", "--key", "one.hex"], options].concat();
        let signed = json_lines(run(&arguments).write_stdin("{\"message\":\"ab\"}"), 0);
        signed[0]["signature"].as_str().unwrap().to_owned()
    };
    let mut signatures = vec![
        sign(&[]),
        sign(&["--scheme", "basic"]),
        sign(&["--scheme", "message-augmentation"]),
        sign(&["--dst", "another"]),
    ];
    signatures.sort();
    signatures.dedup();
    assert_eq!(signatures.len(), 4);
    for options in [["--scheme", "none"], ["--dst", ""]] {
        let arguments = [&["verify"][..], &options].concat();
        run(&arguments).write_stdin("{}").assert().code(2);
    }
    run(&["verify"]).write_stdin("").assert().code(2);
}

/// Keystores of EIP-2335: its test cases are read, a new one is written, signs, and is refused with a wrong passphrase or
/// with another's public key.
#[test]
fn keystores() {
    let folder = tempfile::tempdir().unwrap();
    let run = |passphrase: &str, arguments: &[&str]| {
        let mut command = sunzi();
        command.current_dir(&folder).arg("bls").args(arguments);
        command.env("SUNZI_PASSPHRASE", passphrase);
        command
    };
    let eip = "𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑";
    let public = "9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27f4ae4040902382ae2910c15e2b420d07";
    for (name, json) in [
        (
            "scrypt.json",
            include_str!("../../../../vectors/pairings/keystore_scrypt.json"),
        ),
        (
            "pbkdf2.json",
            include_str!("../../../../vectors/pairings/keystore_pbkdf2.json"),
        ),
    ] {
        fs::write(folder.path().join(name), json).unwrap();
        let shown = run(eip, &["key", "--key", name]).output().unwrap();
        assert_eq!(String::from_utf8(shown.stdout).unwrap().trim(), public);
    }
    let other = fs::read_to_string(folder.path().join("pbkdf2.json")).unwrap();
    let other = other.replace("\"pubkey\": \"9612", "\"pubkey\": \"8612");
    fs::write(folder.path().join("other.json"), other).unwrap();
    run(eip, &["key", "--key", "other.json"]).assert().code(2);
    run("wrong", &["key", "--key", "pbkdf2.json"])
        .assert()
        .code(2);

    let new = ["key", "--out", "new.json", "--keystore", "--kdf", "pbkdf2"];
    let made = run("secret", &new).output().unwrap();
    assert!(made.status.success());
    let again = run("secret", &["key", "--key", "new.json"])
        .output()
        .unwrap();
    assert_eq!(again.stdout, made.stdout);
    let written = fs::read_to_string(folder.path().join("new.json")).unwrap();
    assert!(written.contains(String::from_utf8(made.stdout).unwrap().trim()));
    let message = "{\"message\":\"ab\"}";
    let sign = ["sign", "--key", "new.json"];
    let signed = json_lines(run("secret", &sign).write_stdin(message), 0);
    assert!(signed[0]["signature"].is_string());
    run("wrong", &sign).write_stdin(message).assert().code(2);
    run("secret", &["key", "--key", "new.json", "--keystore"])
        .assert()
        .code(2);
}
