use crate::place::{Place, error_line, json_lines, small_key, usual_key};
use predicates::str::contains;

/// The message in a line that `decrypt` writes for a stream, decoded.
fn message(line: &serde_json::Value) -> Vec<u8> {
    use base64::Engine as _;
    let text = line["message_base64"].as_str().unwrap();
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .unwrap()
}

#[test]
fn files_and_folders_come_back_with_every_scheme() {
    let place = Place::with(usual_key());
    place.fill(3);
    place.write("files/deep/er/file", "deep");
    place.write("alone", "");
    for scheme in [
        "",
        "--hash sha1",
        "--hash sha512 --mgf1-hash sha1 --label other",
        "--hash sha512-256",
        "--scheme pkcs1v15",
    ] {
        place
            .run(&format!(
                "encrypt -k public.pem --force files alone {scheme}"
            ))
            .assert()
            .code(0)
            .stdout("")
            .stderr(contains("5 files encrypted (RSA-2048"));
        assert_eq!(place.read("files/deep/er/file.enc").len(), 256);
        place
            .run(&format!(
                "decrypt -k key.pem files alone.enc --out back --force {scheme}"
            ))
            .assert()
            .code(0)
            .stderr(contains("5 files decrypted (RSA-2048"));
        for name in ["files/0000", "files/0002", "files/deep/er/file", "alone"] {
            assert_eq!(
                place.read(&format!("back/{name}")),
                place.read(name),
                "{scheme}"
            );
        }
    }
    assert_eq!(place.names("files", ".enc.enc"), [""; 0]);
}

#[cfg(unix)]
#[test]
fn decrypted_files_are_accessible_to_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(usual_key());
    place.write("secret", "a key");
    place.run("encrypt -k public.pem secret").assert().success();
    std::fs::remove_file(place.at("secret")).unwrap();
    place
        .run("decrypt -k key.pem secret.enc")
        .assert()
        .success();
    assert_eq!(place.read("secret"), b"a key");
    let mode = std::fs::metadata(place.at("secret")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}

#[test]
fn existing_results_are_kept_skipped_or_replaced_by_option() {
    let place = Place::with(usual_key());
    place.write("a", "a");
    place.write("b", "b");
    let encrypt = "encrypt -k public.pem a b --json";
    place.run(encrypt).assert().success();
    place.write("b.enc", "short");
    let events = json_lines(&mut place.run(encrypt), 1);
    assert_eq!(events.last().unwrap()["failed"], 2);
    assert!(events[0]["error"].as_str().unwrap().contains("--resume"));
    let events = json_lines(&mut place.run(&format!("{encrypt} --resume")), 0);
    assert_eq!(events[0]["event"], "skipped");
    assert_eq!(events[0]["checked"], false);
    assert_eq!(events[1]["event"], "encrypted");
    assert_eq!(events[1]["replaced"], true);
    assert_eq!(events[2]["unchecked"], 1);
    place
        .run("encrypt -k public.pem a b --resume")
        .assert()
        .success()
        .stderr(contains("2 skipped, not checked"));

    let decrypt = "decrypt -k key.pem a.enc b.enc --json";
    place.write("a", "untouched");
    assert_eq!(json_lines(&mut place.run(decrypt), 1)[0]["event"], "failed");
    std::fs::remove_file(place.at("b")).unwrap();
    let events = json_lines(&mut place.run(&format!("{decrypt} --resume")), 0);
    assert_eq!(
        (&events[0]["event"], &events[1]["event"]),
        (&"skipped".into(), &"decrypted".into())
    );
    assert_eq!(events[0]["checked"], false);
    assert_eq!(events[2]["unchecked"], 1);
    assert_eq!(
        (place.read("a"), place.read("b")),
        (b"untouched".to_vec(), b"b".to_vec())
    );
    place.run(&format!("{decrypt} --force")).assert().success();
    assert_eq!(place.read("a"), b"a");
}

#[test]
fn files_that_are_too_long_are_refused_with_the_limit_and_a_hint() {
    let place = Place::with(usual_key());
    place.write("fits", [7; 190]);
    place.write("long", [7; 191]);
    place.write("huge", vec![7; 3 << 20]);
    let output = place
        .run("encrypt -k public.pem fits long huge")
        .assert()
        .code(1)
        .get_output()
        .clone();
    let said = String::from_utf8(output.stderr).unwrap();
    for (file, bytes) in [("long", 191), ("huge", 3 << 20)] {
        let start = format!("sunzi: {file}: the message has {bytes} bytes: with this key");
        assert!(said.contains(&start), "{said}");
    }
    assert!(
        said.contains("at most 190") && said.contains("keys, not files"),
        "{said}"
    );
    assert!(
        said.contains("1 file encrypted") && said.contains("2 failed"),
        "{said}"
    );
    assert!(place.at("fits.enc").exists() && !place.at("long.enc").exists());
    for (options, max) in [("--hash sha1", 214), ("--scheme pkcs1v15", 245)] {
        place
            .run(&format!("encrypt -k public.pem huge {options}"))
            .assert()
            .code(1)
            .stderr(contains(format!("at most {max} fit")));
    }
}

#[test]
fn wrong_ciphertexts_fail_with_oaep_and_never_with_pkcs1v15() {
    let place = Place::with(usual_key());
    place.write("a", "secret");
    for scheme in ["oaep", "pkcs1v15"] {
        place
            .run(&format!(
                "encrypt -k public.pem a --force --scheme {scheme}"
            ))
            .assert()
            .success();
        let mut changed = place.read("a.enc");
        changed[200] ^= 1;
        place.write("changed.enc", &changed);
        place.write("short.enc", &changed[1..]);
        place.write("long.enc", [&changed[..], &[0]].concat());
        place.write("range.enc", [0xff; 256]);
        let events = json_lines(
            &mut place.run(&format!(
                "decrypt -k key.pem a.enc changed.enc short.enc long.enc range.enc a \
                 --json --force --out {scheme} --scheme {scheme}"
            )),
            1,
        );
        let error = |i: usize| events[i]["error"].as_str().unwrap();
        assert_eq!(events[0]["event"], "decrypted");
        match scheme {
            "oaep" => assert!(error(1).contains("does not decrypt"), "{}", error(1)),
            _ => assert_eq!(events[1]["event"], "decrypted"),
        }
        assert!(error(2).contains("has 255 bytes") && error(2).contains("must have 256"));
        assert!(error(3).contains("has 257 bytes"));
        assert!(error(4).contains("not below the modulus"));
        assert!(error(5).contains("does not end in .enc"));
        assert_eq!(place.read(&format!("{scheme}/a")), b"secret");
    }
    assert_ne!(place.read("pkcs1v15/changed"), b"secret");
    // Decryption with other parameters than those of the encryption fails.
    place
        .run("encrypt -k public.pem a --force --label x")
        .assert()
        .success();
    for options in [
        "",
        "--label y",
        "--label x --hash sha1",
        "--label x --mgf1-hash sha1",
    ] {
        place
            .run(&format!("decrypt -k key.pem a.enc --force {options}"))
            .assert()
            .code(1);
    }
}

#[test]
fn streams_go_there_and_back() {
    let place = Place::with(usual_key());
    let input = "{\"message\":\"h\\u00e9\",\"id\":7}\n\
                 {\"message_hex\":\"00ff\"}\n\
                 {\"message_base64\":\"\"}\n\
                 {\"ciphertext\":\"AAAA\"}\n\
                 nonsense\n";
    let too_long = format!("{{\"message\":\"{}\"}}\n", "x".repeat(191));
    let mut encrypt = place.run("encrypt -k public.pem -");
    let lines = json_lines(encrypt.write_stdin(format!("{input}{too_long}")), 1);
    assert_eq!(lines.len(), 6);
    assert_eq!((&lines[0]["id"], &lines[0]["line"]), (&7.into(), &1.into()));
    assert!(lines[3]["error"].as_str().unwrap().contains("no message"));
    assert!(lines[4]["error"].as_str().unwrap().contains("not JSON"));
    assert!(
        lines[5]["error"]
            .as_str()
            .unwrap()
            .contains("at most 190 fit")
    );

    let ciphertexts: Vec<_> = lines[..3].iter().map(ToString::to_string).collect();
    let ciphertexts = ciphertexts.join("\n");
    let bad = "{\"ciphertext\":\"AAAA\"}\n{\"message\":\"text\"}\n";
    let mut decrypt = place.run("decrypt -k key.pem -");
    let lines = json_lines(decrypt.write_stdin(format!("{ciphertexts}\n{bad}")), 1);
    assert_eq!(message(&lines[0]), "hé".as_bytes());
    assert_eq!(lines[0]["id"], 7);
    assert_eq!(message(&lines[1]), [0, 255]);
    assert_eq!(message(&lines[2]), b"");
    assert!(
        lines[3]["error"]
            .as_str()
            .unwrap()
            .contains("must have 256")
    );
    assert!(
        lines[4]["error"]
            .as_str()
            .unwrap()
            .contains("no ciphertext")
    );
}

#[test]
fn csv_streams() {
    let place = Place::with(usual_key());
    let mut encrypt = place.run("encrypt -k public.pem - --format csv");
    let lines = json_lines(encrypt.write_stdin("id,message\n007,\"two\nlines\"\n"), 0);
    let ciphertext = lines[0]["ciphertext"].as_str().unwrap();
    let mut decrypt = place.run("decrypt -k key.pem - --format csv");
    let lines = json_lines(
        decrypt.write_stdin(format!("ciphertext\n{ciphertext}\n")),
        0,
    );
    assert_eq!(message(&lines[0]), b"two\nlines");
    let mut decrypt = place.run("decrypt -k key.pem - --format csv");
    let error = error_line(decrypt.write_stdin("message\na\n"), 2);
    assert!(error.contains("column ciphertext"), "{error}");
}

#[test]
fn short_keys_need_permission_and_a_public_key_decrypts_nothing() {
    let place = Place::with(small_key());
    place.write("a", "a");
    for command in ["encrypt -k public.pem a", "decrypt -k key.pem a.enc"] {
        let error = error_line(&mut place.run(command), 2);
        assert!(
            error.contains("1024 bits") && error.contains("--force-1024"),
            "{error}"
        );
        place
            .run(&format!("{command} --force-1024 --force"))
            .assert()
            .success();
    }
    let error = error_line(
        &mut place.run("decrypt -k public.pem a.enc --force-1024"),
        2,
    );
    assert!(error.contains("give the private one"), "{error}");
    // A private key file also encrypts, since it contains the public key.
    place
        .run("encrypt -k key.pem a --force-1024 --force")
        .assert()
        .success();
    let sha512 = "encrypt -k public.pem a --force-1024 --hash sha512";
    let error = error_line(&mut place.run(sha512), 2);
    assert!(error.contains("too short for this scheme"), "{error}");
}

#[test]
fn options_that_contradict_each_other() {
    let place = Place::with(small_key());
    for (arguments, hint) in [
        (
            "encrypt -k public.pem a --scheme pkcs1v15 --hash sha256",
            "--scheme oaep",
        ),
        (
            "decrypt -k key.pem a --scheme pkcs1v15 --label x",
            "--scheme oaep",
        ),
        ("encrypt -k public.pem - a", "only input"),
        ("decrypt -k key.pem - --force", "not for -"),
        ("decrypt -k key.pem ../a.enc --out b", "without `..`"),
    ] {
        let error = error_line(&mut place.run(arguments), 2);
        assert!(error.contains(hint), "{error}");
    }
    let nothing = "encrypt -k public.pem --force-1024 -";
    let error = error_line(place.run(nothing).write_stdin("\n"), 2);
    assert!(error.contains("nothing to encrypt"), "{error}");
}
