use crate::place::{Place, error_line, json_lines, small_key, usual_key};

#[test]
fn a_new_private_key_is_accessible_to_its_owner_only_and_its_public_half_to_all() {
    let place = Place::with(usual_key());
    place
        .run("key new --out new.pem --public new.public.pem --bits 2048")
        .assert()
        .success()
        .stdout(predicates::str::contains("RSA private key, 2048 bits"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.at("new.pem"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let private = &json_lines(&mut place.run("key show new.pem --json"), 0)[0];
    let public = &json_lines(&mut place.run("key show new.public.pem --json"), 0)[0];
    assert_eq!(
        (&private["kind"], &public["kind"]),
        (&"private".into(), &"public".into())
    );
    assert_eq!(private["fingerprint"], public["fingerprint"]);
    assert_eq!(private["public_exponent"], 65_537);
    let pem = place
        .run("key show new.pem --pem")
        .assert()
        .success()
        .get_output()
        .clone();
    assert_eq!(pem.stdout, place.read("new.public.pem"));
}

#[test]
fn existing_files_are_kept_unless_forced() {
    let place = Place::with(small_key());
    let before = place.read("key.pem");
    for arguments in [
        "key new --out key.pem --bits 2048",
        "key new --out new.pem --public public.pem --bits 2048",
    ] {
        let error = error_line(&mut place.run(arguments), 2);
        assert!(
            error.contains("exists") && error.contains("--force"),
            "{error}"
        );
    }
    assert_eq!(place.read("key.pem"), before);
    assert!(
        !place.at("new.pem").exists(),
        "refused before anything was written"
    );
    place
        .run("key new --out key.pem --bits 2048 --force")
        .assert()
        .success();
    assert_ne!(place.read("key.pem"), before);
}

#[test]
fn a_key_that_cannot_be_written_is_reported_and_what_was_written_is_named() {
    let place = Place::with(small_key());
    let error = error_line(
        &mut place.run("key new --bits 2048 --out missing/new.pem"),
        2,
    );
    assert!(
        error.contains("cannot write missing/new.pem: No such file") && !error.contains(".tmp"),
        "{error}"
    );
    let error = error_line(
        &mut place.run("key new --bits 2048 --out new.pem --public missing/public.pem"),
        2,
    );
    assert!(error.contains("the private key is in new.pem"), "{error}");
    place
        .run("key show new.pem --pem")
        .assert()
        .success()
        .stdout(predicates::str::contains("BEGIN PUBLIC KEY"));
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_only() {
    let place = Place::with(small_key());
    place.write("passphrase", "correct horse\nsecond line\n");
    place.write("wrong", "battery staple\n");
    place.write("empty", "\n");
    place.write("message", "text");
    place
        .run("key new --out secret.pem --bits 2048 --passphrase-file passphrase")
        .assert()
        .success();
    assert!(
        place
            .read("secret.pem")
            .starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    );

    let error = error_line(&mut place.run("sign -k secret.pem message"), 2);
    assert!(
        error.contains("--passphrase-file") && error.contains("SUNZI_PASSPHRASE"),
        "{error}"
    );
    let error = error_line(
        &mut place.run("sign -k secret.pem message --passphrase-file wrong"),
        2,
    );
    assert!(error.contains("secret.pem: wrong passphrase"), "{error}");
    let error = error_line(
        &mut place.run("sign -k secret.pem message --passphrase-file empty"),
        2,
    );
    assert!(error.contains("first line is empty"), "{error}");
    assert!(!place.at("message.sig").exists());

    place
        .run("sign -k secret.pem message --passphrase-file passphrase")
        .assert()
        .success();
    let mut verify = place.run("verify -k secret.pem message");
    verify
        .env("SUNZI_PASSPHRASE", "correct horse")
        .assert()
        .success();
}

#[test]
fn a_passphrase_in_the_environment_encrypts_a_new_key() {
    let place = Place::with(small_key());
    let mut new = place.run("key new --out secret.pem --bits 2048");
    new.env("SUNZI_PASSPHRASE", "correct horse")
        .assert()
        .success();
    assert!(
        place
            .read("secret.pem")
            .starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    );
    let mut new = place.run("key new --out other.pem --bits 2048 --format pkcs1");
    let error = error_line(new.env("SUNZI_PASSPHRASE", "correct horse"), 2);
    assert!(error.contains("PKCS#1 keys cannot be encrypted"), "{error}");
    let error = error_line(&mut place.run("key new --out other.pem --encrypt"), 2);
    assert!(error.contains("a passphrase is needed"), "{error}");
    assert!(!place.at("other.pem").exists());
}

#[test]
fn a_file_that_is_not_a_private_key_is_described() {
    let place = Place::with(usual_key());
    let pem = String::from_utf8(place.read("key.pem")).unwrap();
    place.write("message", "text");
    place.write("hmac.jwk", "{\"kty\":\"oct\",\"k\":\"AAAA\"}");
    place.write("truncated.pem", &pem[..pem.len() / 2]);
    place.write("text.pem", "hello");
    place.write("empty.pem", "");
    place.write("folder/file", "");
    for (key, reason) in [
        ("hmac.jwk", "its algorithm is symmetric"),
        ("truncated.pem", "truncated"),
        ("text.pem", "not a key file"),
        ("empty.pem", "not a key file"),
        ("public.pem", "this is a public key: give the private one"),
        ("missing.pem", "No such file"),
        ("folder", "s a directory"),
    ] {
        let error = error_line(&mut place.run(&format!("sign message -k {key}")), 2);
        assert!(
            error.contains(key) && error.contains(reason),
            "{key}: {error}"
        );
    }
    assert!(!place.at("message.sig").exists());
}

#[test]
fn an_endless_key_file_is_refused() {
    let place = Place::with(small_key());
    let error = error_line(&mut place.run("key show /dev/zero"), 2);
    assert!(error.contains("too long to be a key file"), "{error}");
}

#[test]
fn a_key_of_1024_bits_signs_only_when_forced() {
    let place = Place::with(small_key());
    place.write("message", "text");
    let error = error_line(&mut place.run("sign -k key.pem message"), 2);
    assert!(
        error.contains("1024 bits") && error.contains("--force-1024"),
        "{error}"
    );
    place
        .run("sign -k key.pem message --force-1024")
        .assert()
        .success();
    place.run("verify -k public.pem message").assert().success();
    let error = error_line(&mut place.run("key new --out weak.pem --bits 1024"), 2);
    assert!(error.contains("2048"), "{error}");
}

#[test]
fn no_output_holds_a_secret() {
    let place = Place::with(usual_key());
    place.write("message", "text");
    let pem = String::from_utf8(place.read("key.pem")).unwrap();
    let secret = pem.lines().nth(12).unwrap();
    for arguments in [
        "key show key.pem",
        "key show key.pem --json",
        "key show key.pem --pem",
        "sign -k key.pem message --json",
        "verify -k key.pem message --json",
    ] {
        let output = place.run(arguments).assert().success().get_output().clone();
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(
                !text.contains(secret) && !text.contains("PRIVATE"),
                "{arguments}: {text}"
            );
        }
    }
}
