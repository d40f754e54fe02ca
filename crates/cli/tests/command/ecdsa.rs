//! `sunzi sign` and `sunzi verify` with keys of curves.

use crate::place::{Place, error_line, json_lines, usual_key};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

#[test]
fn signs_files_and_folders_in_both_encodings_with_every_hash() {
    let place = Place::with_curve("P-256");
    place.fill(3);
    place.write("files/deep/er/file", "deep");
    place.write("alone", "");
    for encoding in ["der", "raw"] {
        for hash in ["sha256", "sha384", "sha512"] {
            let options = format!("files alone --encoding {encoding} --hash {hash}");
            let words = format!(
                "(P-256, ECDSA{}, SHA-",
                if encoding == "raw" { " (raw)" } else { "" }
            );
            place
                .run(&format!("sign -k key.pem --force {options}"))
                .assert()
                .code(0)
                .stdout("")
                .stderr(contains("5 files signed").and(contains(words)));
            for key in ["key.pem", "public.pem"] {
                place
                    .run(&format!("verify -k {key} {options}"))
                    .assert()
                    .code(0);
            }
        }
    }
    assert_eq!(place.read("files/deep/er/file.sig").len(), 64);
    // The last ones are raw.
    let run = place.run("verify -k public.pem alone --hash sha512");
    let error = { run }.assert().code(1).get_output().clone();
    assert!(String::from_utf8(error.stderr).unwrap().contains("DER"));
}

#[test]
fn the_hash_follows_the_curve() {
    for (curve, hash) in [
        ("secp256k1", "SHA-256"),
        ("brainpoolP256t1", "SHA-256"),
        ("brainpoolP320r1", "SHA-384"),
        ("brainpoolP384t1", "SHA-384"),
        ("P-384", "SHA-384"),
        ("brainpoolP512r1", "SHA-512"),
        ("P-521", "SHA-512"),
    ] {
        let place = Place::with_curve(curve);
        place.write("message", "text");
        let words = format!("({curve}, ECDSA, {hash})");
        place
            .run("sign -k key.pem message")
            .assert()
            .success()
            .stderr(contains(words.clone()));
        place
            .run("verify -k public.pem message")
            .assert()
            .success()
            .stderr(contains(words));
        let name = hash.to_lowercase().replace('-', "");
        let accepted = place.openssl(&format!(
            "dgst -{name} -verify public.pem -signature message.sig message"
        ));
        let Some(accepted) = accepted else { continue };
        assert!(accepted.status.success(), "{curve}: {accepted:?}");
        place.openssl(&format!(
            "dgst -{name} -sign key.pem -out message.sig message"
        ));
        place.run("verify -k public.pem message").assert().success();
        place.write("message", "another text");
        let refused = place.run("verify -k public.pem message");
        { refused }
            .assert()
            .code(1)
            .stderr(contains("does not match"));
    }
}

#[test]
fn nonces_are_deterministic_unless_hedged() {
    for (curve, scheme) in [
        ("P-256", ""),
        ("ed25519", ""),
        ("ed448", ""),
        ("secp256k1", "--scheme bip340"),
    ] {
        let place = Place::with_curve(curve);
        place.write("message", "text");
        let sign = |options: &str| {
            let sign = format!("sign -k key.pem message --force {scheme} {options}");
            place.run(&sign).assert().success();
            let verify = format!("verify -k public.pem message {scheme}");
            place.run(&verify).assert().success();
            place.read("message.sig")
        };
        let usual = sign("");
        assert_eq!(sign("--nonces deterministic"), usual, "{curve}");
        for hedged in ["--nonces hedged", "--hedged"] {
            let (first, second) = (sign(hedged), sign(hedged));
            assert!(first != second && first != usual, "{curve}");
        }
    }
}

#[test]
fn low_s() {
    let place = Place::with_curve("secp256k1");
    place.fill(20);
    let sign = "sign -k key.pem files --encoding raw";
    let verify = "verify -k public.pem files --encoding raw";
    place.run(sign).assert().success();
    place.run(verify).assert().success();
    let refused = place.run(&format!("{verify} --low-s"));
    let refused = { refused }.assert().code(1).get_output().clone();
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("required to be low"), "{text}");
    // What --resume accepts has a low s, too.
    place
        .run(&format!("{sign} --low-s --resume"))
        .assert()
        .success()
        .stderr(contains("of them replaced").and(contains("skipped, found right")));
    for verify in [format!("{verify} --low-s"), verify.into()] {
        place.run(&verify).assert().success();
    }
}

#[test]
fn resume_verifies_what_exists() {
    let place = Place::with_curve("P-256");
    place.fill(4);
    place.run("sign -k key.pem files").assert().success();
    place.write("files/0000.sig", "short");
    let mut wrong = place.read("files/0001.sig");
    wrong[10] ^= 1;
    place.write("files/0001.sig", &wrong);
    std::fs::remove_file(place.at("files/0002.sig")).unwrap();
    let events = json_lines(&mut place.run("sign -k key.pem files --resume --json"), 0);
    let summary = events.last().unwrap();
    assert_eq!(
        (&summary["done"], &summary["replaced"], &summary["skipped"]),
        (&3.into(), &2.into(), &1.into())
    );
    assert_eq!(summary["how"], "P-256, ECDSA, SHA-256");
    place.run("verify -k public.pem files").assert().success();
}

#[test]
fn streams() {
    let place = Place::with_curve("P-256");
    let input = "{\"message\":\"one\",\"id\":7}\n{\"message_hex\":\"00ff\"}\n{}\n";
    let mut sign = place.run("sign -k key.pem -");
    let signed = json_lines(sign.write_stdin(input), 1);
    assert_eq!(signed.len(), 3);
    assert_eq!(signed[0]["id"], 7);
    assert!(signed[2]["error"].as_str().unwrap().contains("no message"));
    let signature = |k: usize| signed[k]["signature"].as_str().unwrap();
    let lines = format!(
        "{{\"message\":\"one\",\"signature\":\"{0}\"}}\n\
         {{\"message\":\"two\",\"signature\":\"{0}\"}}\n\
         {{\"message\":\"two\",\"signature\":\"AAAA\"}}\n\
         {{\"message_hex\":\"00ff\",\"signature\":\"{1}\"}}\n",
        signature(0),
        signature(1)
    );
    let mut verify = place.run("verify -k public.pem -");
    let verdicts = json_lines(verify.write_stdin(lines), 1);
    let valid: Vec<_> = verdicts.iter().map(|line| &line["valid"]).collect();
    assert_eq!(valid, [true, false, false, true]);
    let error = verdicts[2]["error"].as_str().unwrap();
    assert!(error.contains("8 to 72"), "{error}");

    let csv = format!("message,signature\none,{}\ntwo,{0}\n", signature(0));
    let mut verify = place.run("verify -k public.pem - --format csv");
    let verdicts = json_lines(verify.write_stdin(csv), 1);
    assert_eq!(verdicts[0]["valid"], true);
    assert_eq!(verdicts[1]["valid"], false);
}

#[test]
fn options_for_other_keys_are_refused_by_name() {
    let place = Place::with_curve("P-256");
    place.write("rsa.pem", &usual_key().private);
    place.write("message", "text");
    for (arguments, words) in [
        (
            "sign -k key.pem --scheme pss",
            &["--scheme pss", "P-256"][..],
        ),
        ("sign -k key.pem --scheme pkcs1v15", &["--scheme pkcs1v15"]),
        ("sign -k key.pem --salt-length 3", &["--salt-length"]),
        ("verify -k public.pem --scheme pss", &["--scheme pss"]),
        ("sign -k rsa.pem --scheme ecdsa", &["--scheme ecdsa", "RSA"]),
        ("sign -k rsa.pem --encoding raw", &["--encoding", "RSA"]),
        ("sign -k rsa.pem --low-s", &["--low-s", "RSA"]),
        ("sign -k rsa.pem --hedged", &["--hedged", "RSA"]),
        (
            "sign -k rsa.pem --nonces deterministic",
            &["--nonces", "RSA"],
        ),
        ("verify -k rsa.pem --encoding der", &["--encoding"]),
    ] {
        let mut run = place.run(&format!("{arguments} message"));
        let output = run.assert().code(2).get_output().clone();
        let error = String::from_utf8(output.stderr).unwrap();
        for word in words {
            assert!(error.contains(word), "{arguments}: {error}");
        }
    }
    assert!(!place.at("message.sig").exists());
}

#[test]
fn a_weak_curve_signs_only_when_forced() {
    let place = Place::with_curve("P-192");
    place.write("message", "text");
    let error = error_line(&mut place.run("sign -k key.pem message"), 2);
    assert!(
        error.contains("P-192 is too weak") && error.contains("--force-1024"),
        "{error}"
    );
    place
        .run("sign -k key.pem message --force-1024")
        .assert()
        .success();
    place.run("verify -k public.pem message").assert().success();
}
