//! Keys of Ed25519, Ed448, X25519 and X448, and Schnorr signatures of BIP 340, in every command that takes
//! them.

use crate::place::{Place, error_line, json_lines, usual_key};
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

const CURVES: [&str; 4] = ["Ed25519", "Ed448", "X25519", "X448"];

#[test]
fn keys_are_made_shown_and_converted() {
    for curve in CURVES {
        // Names are read in any letters.
        let place = Place::with_curve(&curve.to_lowercase());
        let shown = &json_lines(&mut place.run("key show key.pem --json"), 0)[0];
        assert_eq!(shown["curve"], curve);
        let algorithm = if curve.starts_with('E') {
            "EdDSA"
        } else {
            "XDH"
        };
        assert_eq!(shown["algorithm"], algorithm);
        place
            .run("key show public.pem")
            .assert()
            .success()
            .stdout(contains(format!("{curve} public key")));
        place
            .run("key convert key.pem --out key.jwk --format jwk")
            .assert()
            .success();
        let json: serde_json::Value = serde_json::from_slice(&place.read("key.jwk")).unwrap();
        assert_eq!((&json["kty"], &json["crv"]), (&"OKP".into(), &curve.into()));
        place
            .run("key convert key.jwk --out again.pem")
            .assert()
            .success();
        assert_eq!(place.read("again.pem"), place.read("key.pem"));
        place
            .run("key convert key.jwk --public --out public.jwk --format jwk")
            .assert()
            .success();
        place
            .run("key convert public.jwk --out again.public.pem")
            .assert()
            .success();
        assert_eq!(place.read("again.public.pem"), place.read("public.pem"));
        for format in ["sec1", "pkcs1"] {
            let convert = format!("key convert key.pem --out no.pem --format {format}");
            let error = error_line(&mut place.run(&convert), 2);
            assert!(error.contains("is no format of"), "{error}");
        }
        place.write("passphrase", "correct horse\n");
        place
            .run(&format!(
                "key new --curve {curve} --count 2 --out many.pem --passphrase-file passphrase"
            ))
            .assert()
            .success();
        assert!(
            place
                .read("many-0002.pem")
                .starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
        );
        place
            .run("key show many-0002.pem --passphrase-file passphrase")
            .assert()
            .success();
    }
}

/// Files of keys cross over with OpenSSL's command, in both directions.
#[test]
fn openssl_reads_and_writes_the_same_keys() {
    for curve in CURVES {
        let place = Place::with_curve(curve);
        let read = place.openssl("pkey -in key.pem -pubout");
        let Some(read) = read else { return };
        assert_eq!(read.stdout, place.read("public.pem"), "{curve}");
        let made = place.openssl(&format!("genpkey -algorithm {curve} -out theirs.pem"));
        assert!(made.unwrap().status.success());
        let public = place.openssl("pkey -in theirs.pem -pubout").unwrap().stdout;
        let shown = place.run("key show theirs.pem --pem");
        let shown = { shown }.assert().success().get_output().clone();
        assert_eq!(shown.stdout, public, "{curve}");
    }
}

#[test]
fn signatures_of_files_are_those_of_openssl() {
    for curve in ["Ed25519", "Ed448"] {
        let place = Place::with_curve(curve);
        place.fill(4);
        place
            .run("sign -k key.pem files")
            .assert()
            .success()
            .stdout("")
            .stderr(contains(format!("4 files signed ({curve})")));
        place.run("verify -k public.pem files").assert().success();
        let ours = place.read("files/0003.sig");
        assert_eq!(ours.len(), if curve == "Ed25519" { 64 } else { 114 });
        // Only these that are wrong are made again.
        place.write("files/0001.sig", "short");
        let events = json_lines(&mut place.run("sign -k key.pem files --resume --json"), 0);
        let summary = events.last().unwrap();
        assert_eq!(
            (&summary["done"], &summary["skipped"]),
            (&1.into(), &3.into())
        );
        assert_eq!(summary["how"], curve);
        place.write("files/0002", "another text");
        place
            .run("verify -k public.pem files")
            .assert()
            .code(1)
            .stderr(contains("does not match").or(contains("not match")));

        let sign = "pkeyutl -sign -rawin -inkey key.pem -in files/0003 -out theirs";
        let Some(signed) = place.openssl(sign) else {
            return;
        };
        // EdDSA is deterministic.
        assert!(signed.status.success(), "{signed:?}");
        assert_eq!(place.read("theirs"), ours, "{curve}");
        let verify = "pkeyutl -verify -rawin -pubin -inkey public.pem -in files/0003 -sigfile \
                      files/0003.sig";
        let verified = place.openssl(verify).unwrap();
        assert!(verified.status.success(), "{verified:?}");
    }
}

#[test]
fn streams_of_messages() {
    let place = Place::with_curve("Ed25519");
    let mut sign = place.run("sign -k key.pem -");
    let signed = json_lines(
        sign.write_stdin("{\"message\":\"one\"}\n{\"message_hex\":\"00ff\"}\n"),
        0,
    );
    let signature = |k: usize| signed[k]["signature"].as_str().unwrap();
    let lines = format!(
        "{{\"message\":\"one\",\"signature\":\"{0}\"}}\n{{\"message\":\"two\",\"signature\":\"{0}\"}}\n\
         {{\"message_hex\":\"00ff\",\"signature\":\"{1}\"}}\n{{\"message\":\"one\",\"signature\":\"AAAA\"}}\n",
        signature(0),
        signature(1)
    );
    let mut verify = place.run("verify -k public.pem -");
    let verdicts = json_lines(verify.write_stdin(lines), 1);
    let valid: Vec<_> = verdicts.iter().map(|line| &line["valid"]).collect();
    assert_eq!(valid, [true, false, true, false]);
}

/// A file that would have to be held in memory as a whole.
#[test]
fn long_files_fail() {
    let place = Place::with_curve("Ed25519");
    place.write("short", "text");
    let long = std::fs::File::create(place.at("long")).unwrap();
    long.set_len((64 << 20) + 1).unwrap();
    place
        .run("sign -k key.pem long short")
        .assert()
        .code(1)
        .stderr(contains("67108865 bytes"));
    assert!(!place.at("long.sig").exists());
    assert!(place.at("short.sig").exists());
}

/// The first vector of BIP 340, and a message signed with fresh randomness.
#[test]
fn bip340() {
    let vectors = include_str!("../../../pk/tests/fixtures/bip340.csv");
    let fields: Vec<&str> = vectors.lines().nth(1).unwrap().split(',').collect();
    let bytes = |k: usize| base16ct::mixed::decode_vec(fields[k]).unwrap();
    let place = Place::with_curve("secp256k1");
    // 3 G has an even y.
    let y = "388f7b0f632de8140fe337e62a37f3566500a99934c2231b6cb9fd7584b8e672";
    let y = base16ct::lower::decode_vec(y).unwrap();
    let [d, x, y] = [bytes(1), bytes(2), y].map(|x| Base64UrlUnpadded::encode_string(&x));
    let jwk = serde_json::json!({"kty": "EC", "crv": "secp256k1", "x": x, "y": y, "d": d});
    place.write("three.jwk", jwk.to_string());
    #[cfg(unix)]
    place.set_mode("three.jwk", 0o600);
    let mut sign = place.run("sign -k three.jwk --scheme bip340 -");
    let line = format!("{{\"message_hex\":\"{}\"}}\n", fields[4]);
    let signed = json_lines(sign.write_stdin(line), 0);
    let expected = Base64::encode_string(&bytes(5));
    assert_eq!(signed[0]["signature"], expected.as_str());

    place.fill(3);
    place
        .run("sign -k key.pem --scheme bip340 files")
        .assert()
        .success()
        .stderr(contains("(secp256k1, BIP 340)"));
    let first = place.read("files/0001.sig");
    assert_eq!(first.len(), 64);
    let verify = "verify -k public.pem --scheme bip340 files";
    place.run(verify).assert().success();
    let sign = "sign -k key.pem --scheme bip340 files --force";
    place.run(sign).assert().success();
    assert_eq!(place.read("files/0001.sig"), first);
    place.run(&format!("{sign} --hedged")).assert().success();
    assert_ne!(place.read("files/0001.sig"), first);
    place.run(verify).assert().success();
    // As ECDSA it is nothing.
    place.run("verify -k public.pem files").assert().code(1);
}

#[test]
fn options_for_other_keys_are_refused_by_name() {
    let place = Place::with_curve("Ed25519");
    place.write("rsa.pem", &usual_key().private);
    #[cfg(unix)]
    place.set_mode("rsa.pem", 0o600);
    place.write("message", "text");
    place
        .run("key new --curve X25519 --out x.pem")
        .assert()
        .success();
    place
        .run("key new --curve P-256 --out p.pem")
        .assert()
        .success();
    place
        .run("key new --curve secp256k1 --out k.pem")
        .assert()
        .success();
    for (arguments, words) in [
        ("sign -k key.pem --hash sha512", &["--hash", "Ed25519"][..]),
        ("sign -k key.pem --scheme ecdsa", &["--scheme ecdsa"]),
        ("sign -k key.pem --scheme bip340", &["--scheme bip340"]),
        ("sign -k key.pem --encoding raw", &["--encoding"]),
        ("sign -k key.pem --low-s", &["--low-s"]),
        ("sign -k x.pem", &["X25519 cannot sign", "agree"]),
        ("verify -k x.pem", &["X25519 cannot sign"]),
        ("sign -k p.pem --scheme bip340", &["secp256k1", "P-256"]),
        ("sign -k p.pem --scheme eddsa", &["--scheme eddsa", "P-256"]),
        ("sign -k k.pem --scheme bip340 --hash sha256", &["--hash"]),
        ("sign -k rsa.pem --scheme eddsa", &["--scheme eddsa", "RSA"]),
        ("sign -k rsa.pem --scheme bip340", &["--scheme bip340"]),
        ("agree -k key.pem", &["Ed25519 cannot agree"]),
        ("encrypt -k public.pem", &["Ed25519 cannot encrypt"]),
        ("decrypt -k x.pem", &["X25519 cannot decrypt"]),
    ] {
        let error = error_line(&mut place.run(&format!("{arguments} message")), 2);
        for word in words {
            assert!(error.contains(word), "{arguments}: {error}");
        }
    }
    assert!(!place.at("message.sig").exists());
}

#[test]
fn agreement_is_that_of_openssl() {
    for (curve, bytes) in [("X25519", 32), ("X448", 56)] {
        let place = Place::with_curve(curve);
        let new = "key new --out theirs.pem --public peers/0.pem --curve";
        std::fs::create_dir(place.at("peers")).unwrap();
        place.run(&format!("{new} {curve}")).assert().success();
        // The bytes of the key, which are the last ones of SubjectPublicKeyInfo.
        let pem = String::from_utf8(place.read("peers/0.pem")).unwrap();
        let der: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let der = Base64::decode_vec(&der).unwrap();
        place.write("peers/raw", &der[der.len() - bytes..]);
        place.write("peers/der", &der);
        place.write("peers/small", vec![0; bytes]);
        place.write("peers/short", "hello");
        place.write("peers/rsa.pem", &usual_key().public);
        let other = if curve == "X448" { "X25519" } else { "X448" };
        let new = "key new --out other.pem --public peers/other.pem --curve";
        place.run(&format!("{new} {other}")).assert().success();
        let events = json_lines(&mut place.run("agree -k key.pem peers --json"), 1);
        let summary = events.last().unwrap();
        assert_eq!(
            (&summary["done"], &summary["failed"], &summary["how"]),
            (&3.into(), &4.into(), &curve.into())
        );
        let secret = place.read("peers/0.pem.secret");
        assert_eq!(secret.len(), bytes);
        for peer in ["raw", "der"] {
            assert_eq!(place.read(&format!("peers/{peer}.secret")), secret);
        }
        for (file, words) in [
            ("short", format!("{bytes} bytes")),
            ("rsa.pem", "its algorithm is RSA".into()),
            ("other.pem", "448".into()),
            ("small", "zero".into()),
        ] {
            let path = format!("peers/{file}");
            let event = events.iter().find(|event| event["file"] == path.as_str());
            let error = event.unwrap()["error"].as_str().unwrap();
            assert!(error.contains(&words), "{file}: {error}");
        }
        let events = json_lines(
            &mut place.run("agree -k key.pem peers/0.pem --resume --json"),
            0,
        );
        assert_eq!(events.last().unwrap()["skipped"], 1);
        place
            .run("agree -k theirs.pem public.pem")
            .assert()
            .success();
        assert_eq!(place.read("public.pem.secret"), secret);
        let derive = "pkeyutl -derive -inkey key.pem -peerkey peers/0.pem -out derived";
        let Some(derived) = place.openssl(derive) else {
            return;
        };
        assert!(derived.status.success(), "{derived:?}");
        assert_eq!(place.read("derived"), secret);
        let hex = base16ct::lower::encode_string(&der[der.len() - bytes..]);
        let mut agree = place.run("agree -k key.pem - --hex");
        let answers = json_lines(
            agree.write_stdin(format!("{{\"peer_hex\":\"{hex}\"}}\n")),
            0,
        );
        let expected = base16ct::lower::encode_string(&secret);
        assert_eq!(answers[0]["secret_hex"], expected.as_str());
    }
}
