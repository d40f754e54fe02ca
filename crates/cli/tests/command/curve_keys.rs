//! `sunzi key` with keys of curves.

use crate::place::{Place, error_line, json_lines, small_key};
use predicates::str::contains;

#[test]
fn every_curve_in_the_list_gives_keys() {
    let place = Place::with(small_key());
    let curves = json_lines(&mut place.run("key curves --json"), 0);
    assert!(curves.len() >= 25, "{curves:?}");
    let mut weak = 0;
    for line in curves {
        let curve = line["curve"].as_str().unwrap();
        let new = format!("key new --curve {curve} --out {curve}.pem --public {curve}.public.pem");
        if line["weak"] == true {
            weak += 1;
            let error = error_line(&mut place.run(&new), 2);
            assert!(error.contains("--force-1024"), "{error}");
            place.run(&format!("{new} --force-1024")).assert().success();
        } else {
            place.run(&new).assert().success();
        }
        for (half, name) in [("private", curve), ("public", &format!("{curve}.public"))] {
            let shown = &json_lines(&mut place.run(&format!("key show {name}.pem --json")), 0)[0];
            assert_eq!(shown["kind"], half);
            assert_eq!(shown["algorithm"], line["algorithm"]);
            assert_eq!(shown["curve"], curve);
            assert_eq!(shown["bits"], line["bits"]);
            assert!(shown.get("public_exponent").is_none(), "{shown}");
        }
        let shown = place.run(&format!("key show {curve}.pem --pem"));
        let shown = { shown }.assert().success().get_output().clone();
        assert_eq!(shown.stdout, place.read(&format!("{curve}.public.pem")));
    }
    assert_eq!(weak, 5);
}

#[test]
fn a_new_key_is_told_to_its_owner_only() {
    let place = Place::with(small_key());
    let mut new = place.run("key new --curve secp256r1 --out new.pem --format sec1");
    new.assert()
        .success()
        .stdout(contains("new.pem: P-256 private key, 256 bits, finger"));
    assert!(place.read("new.pem").starts_with(b"-----BEGIN EC PRIVATE"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = std::fs::metadata(place.at("new.pem")).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
    let before = place.read("new.pem");
    let error = error_line(&mut place.run("key new --curve P-256 --out new.pem"), 2);
    assert!(error.contains("exists"), "{error}");
    assert_eq!(place.read("new.pem"), before);
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_only() {
    let place = Place::with(small_key());
    place.write("passphrase", "correct horse\n");
    place.write("wrong", "battery staple\n");
    place
        .run("key new --curve P-384 --out secret.pem --passphrase-file passphrase")
        .assert()
        .success();
    let pem = place.read("secret.pem");
    assert!(pem.starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----"));
    let error = error_line(&mut place.run("key show secret.pem"), 2);
    assert!(error.contains("--passphrase-file"), "{error}");
    let error = error_line(
        &mut place.run("key show secret.pem --passphrase-file wrong"),
        2,
    );
    assert!(error.contains("wrong passphrase"), "{error}");
    place
        .run("key show secret.pem --passphrase-file passphrase")
        .assert()
        .success()
        .stdout(contains("P-384 private key"));
}

#[test]
fn options_of_other_keys_are_refused_by_name() {
    let place = Place::with(small_key());
    place.write("passphrase", "correct horse\n");
    for (arguments, words) in [
        ("--curve P-256 --format pkcs1", &["--format", "PKCS#1"][..]),
        ("--format sec1", &["--format", "SEC 1", "RSA"]),
        (
            "--curve P-256 --format sec1 --encrypt",
            &["SEC 1 keys cannot be encrypted"],
        ),
        (
            "--curve P-256 --format sec1 --passphrase-file passphrase",
            &["SEC 1 keys cannot be encrypted"],
        ),
        ("--curve SM2", &["SM2", "GB/T"]),
    ] {
        let new = format!("key new --out new.pem {arguments}");
        let error = error_line(&mut place.run(&new), 2);
        for word in words {
            assert!(error.contains(word), "{arguments}: {error}");
        }
    }
    for (arguments, word) in [
        ("--curve P-256 --bits 2048", "--bits"),
        ("--curve P-255", "brainpoolP256r1"),
        ("--curve P-255", "X25519"),
    ] {
        let new = format!("key new --out new.pem {arguments}");
        place.run(&new).assert().code(2).stderr(contains(word));
    }
    assert!(!place.at("new.pem").exists());
}

#[test]
fn keys_of_curves_do_not_encrypt() {
    let place = Place::with_curve("P-256");
    place.write("message", "text");
    place.write("message.enc", "text");
    for arguments in [
        "encrypt -k public.pem message --force",
        "decrypt -k key.pem message.enc --force",
    ] {
        let error = error_line(&mut place.run(arguments), 2);
        let verb = arguments.split(' ').next().unwrap();
        let expected = format!("a key of P-256 cannot {verb}: give an RSA key");
        assert!(error.contains(&expected), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_warned_about() {
    let place = Place::with_curve("P-256");
    place.set_mode("key.pem", 0o644);
    place
        .run("key show key.pem")
        .assert()
        .success()
        .stderr(contains("chmod 600 key.pem"));
}

/// Files cross over with OpenSSL's command, in both directions.
#[test]
fn openssl_reads_and_writes_the_same_files() {
    let place = Place::with_curve("P-256");
    for (curve, name) in [
        ("P-256", "prime256v1"),
        ("P-521", "secp521r1"),
        ("secp256k1", "secp256k1"),
        ("brainpoolP384r1", "brainpoolP384r1"),
        ("brainpoolP224t1", "brainpoolP224t1"),
        ("brainpoolP256t1", "brainpoolP256t1"),
        ("brainpoolP320t1", "brainpoolP320t1"),
        ("brainpoolP384t1", "brainpoolP384t1"),
        ("brainpoolP512t1", "brainpoolP512t1"),
    ] {
        let made = place.openssl(&format!(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{name} -out theirs.pem"
        ));
        let Some(made) = made else { return };
        assert!(made.status.success(), "{made:?}");
        place.openssl("pkey -in theirs.pem -pubout -out theirs.public.pem");
        let shown = place.run("key show theirs.pem --pem");
        let shown = { shown }.assert().success().get_output().clone();
        assert_eq!(shown.stdout, place.read("theirs.public.pem"), "{curve}");
        for format in ["pkcs8", "sec1"] {
            place
                .run(&format!(
                    "key new --curve {curve} --out ours.pem --public ours.public.pem --force \
                     --format {format}"
                ))
                .assert()
                .success();
            let read = place.openssl("pkey -in ours.pem -pubout").unwrap();
            assert_eq!(read.stdout, place.read("ours.public.pem"), "{curve}");
        }
    }
}

#[test]
fn keys_are_converted() {
    let place = Place::with_curve("P-256");
    place.write("rsa.pem", &small_key().private);
    for (key, formats) in [
        ("key.pem", ["pkcs8", "sec1", "jwk"]),
        ("rsa.pem", ["pkcs8", "pkcs1", "jwk"]),
    ] {
        let fingerprint = |file: &str| {
            let shown = &json_lines(&mut place.run(&format!("key show {file} --json")), 0)[0];
            (shown["kind"].clone(), shown["fingerprint"].clone())
        };
        let (_, right) = fingerprint(key);
        let mut last = key.to_owned();
        // Each from the one before.
        for format in formats {
            let out = format!("{key}.{format}");
            place
                .run(&format!("key convert {last} --out {out} --format {format}"))
                .assert()
                .success();
            assert_eq!(fingerprint(&out), ("private".into(), right.clone()));
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let metadata = std::fs::metadata(place.at(&out)).unwrap();
                assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
            }
            last = out;
        }
        assert!(place.read(&last).starts_with(b"{\"kty\":\""));
        for format in ["pkcs8", "jwk"] {
            let convert = format!(
                "key convert {last} --public --out public.{format} --force --format {format}"
            );
            place.run(&convert).assert().success();
            let public = fingerprint(&format!("public.{format}"));
            assert_eq!(public, ("public".into(), right.clone()));
        }
    }
    // Signed with one, verified with the other.
    place.write("message", "text");
    place.run("sign -k key.pem.jwk message").assert().success();
    place.run("verify -k public.pem message").assert().success();
}

#[test]
fn no_conversion_drops_an_encryption_by_accident() {
    let place = Place::with_curve("P-256");
    place.write("one", "correct horse\n");
    place.write("two", "battery staple\n");
    let convert = |arguments: &str| place.run(&format!("key convert {arguments}"));
    convert("key.pem --out secret.pem --new-passphrase-file one")
        .assert()
        .success();
    let open = "secret.pem --passphrase-file one --out";
    for (arguments, words) in [
        (format!("{open} new.pem"), "--decrypt"),
        (
            format!("{open} new.pem --format jwk --new-passphrase-file two"),
            "JWK keys cannot be encrypted",
        ),
        (format!("{open} secret.pem --force"), "the key itself"),
        (format!("{open} key.pem"), "exists"),
        ("key.pem --out new.pem --format pkcs1".into(), "PKCS#1"),
        (
            "public.pem --out new.pem --format sec1".into(),
            "private keys only",
        ),
    ] {
        let error = error_line(&mut convert(&arguments), 2);
        assert!(error.contains(words), "{arguments}: {error}");
    }
    assert!(!place.at("new.pem").exists());
    convert(&format!("{open} other.pem --new-passphrase-file two"))
        .assert()
        .success();
    place
        .run("key show other.pem --passphrase-file two")
        .assert()
        .success();
    convert(&format!("{open} new.pem --decrypt"))
        .assert()
        .success();
    place.run("key show new.pem").assert().success();
}
