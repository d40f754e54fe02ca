//! Keys in the formats of other tools: OpenSSH, PKCS#12, keys for PSS alone, and sets of JSON Web Keys.

use crate::place::{Place, error_line, json_lines, sunzi, usual_key};
use base64::Engine as _;
use predicates::str::contains;

/// Whether there is an `ssh-keygen`, which is run with these arguments in the folder.
fn ssh_keygen(place: &Place, arguments: &str) -> Option<std::process::Output> {
    let output = std::process::Command::new("ssh-keygen")
        .current_dir(place.path())
        .args(arguments.split_whitespace())
        .output();
    if output.is_err() {
        println!("SKIPPED: there is no ssh-keygen command");
    }
    output.ok()
}

#[test]
fn openssh_keys_sign_verify_and_are_converted() {
    let place = Place::with(usual_key());
    place.write("message", "a message");
    let made = ssh_keygen(&place, "-q -t ed25519 -N correct -a 2 -f id");
    let Some(made) = made else { return };
    assert!(made.status.success());
    let before = place.read("id");
    place.write("passphrase", "correct\n");
    let options = "-k id --passphrase-file passphrase";
    place
        .run(&format!("sign message {options}"))
        .assert()
        .success();
    place.run("verify message -k id.pub").assert().success();
    place
        .run("key show id.pub")
        .assert()
        .success()
        .stdout(contains("Ed25519 public key"));
    // The file of the user is as it was.
    assert_eq!(place.read("id"), before);

    let encrypted = "key convert id --passphrase-file passphrase --out id.pem";
    let error = error_line(&mut place.run(encrypted), 2);
    assert!(
        error.contains("--new-passphrase-file FILE, or --decrypt"),
        "{error}"
    );
    place
        .run(&format!("{encrypted} --decrypt"))
        .assert()
        .success();
    // Back again, encrypted with another passphrase.
    place.write("other", "other words\n");
    place
        .run("key convert id.pem --format ssh --out again --new-passphrase-file other")
        .assert()
        .success();
    place
        .run("key convert again --passphrase-file other --format ssh --public --out again.pub")
        .assert()
        .success();
    let words = |name: &str| {
        let line = String::from_utf8(place.read(name)).unwrap();
        line.split_whitespace()
            .take(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words("again.pub"), words("id.pub"));
    let shown = std::process::Command::new("ssh-keygen")
        .current_dir(place.path())
        .args(["-y", "-P", "other words", "-f", "again"])
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert_eq!(
        shown.split_whitespace().nth(1),
        words("id.pub").get(1).map(|x| &**x)
    );
}

#[test]
fn openssh_has_no_keys_of_other_curves() {
    let place = Place::with_curve("secp256k1");
    let error = error_line(
        &mut place.run("key convert key.pem --format ssh --out id"),
        2,
    );
    assert!(
        error.contains("OpenSSH has no keys of secp256k1"),
        "{error}"
    );
    let error = error_line(
        &mut place.run("key new --curve X25519 --format ssh --out id"),
        2,
    );
    assert!(error.contains("OpenSSH has no keys of X25519"), "{error}");
    assert!(!place.at("id").exists());
}

/// An encrypted file that would cost too much says which option permits it.
#[test]
fn openssh_rounds_have_a_limit() {
    let place = Place::with(usual_key());
    let Some(made) = ssh_keygen(&place, "-q -t ed25519 -N correct -a 2 -f id") else {
        return;
    };
    assert!(made.status.success());
    let pem = String::from_utf8(place.read("id")).unwrap();
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let engine = base64::engine::general_purpose::STANDARD;
    let mut bytes = engine.decode(body).unwrap();
    let options = [0, 0, 0, 24, 0, 0, 0, 16];
    let at = bytes.windows(8).position(|x| x == options).unwrap() + 24;
    bytes[at..at + 4].copy_from_slice(&1500u32.to_be_bytes());
    let pem = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n",
        engine.encode(&bytes)
    );
    place.write("costly", pem);
    let error = error_line(&mut place.run("key show costly"), 2);
    assert!(
        error.contains("1500 rounds of bcrypt") && error.contains("--kdf-limit 2 permits it"),
        "{error}"
    );
}

#[test]
fn pkcs12_files_sign() {
    let place = Place::with(usual_key());
    place.write("message", "a message");
    let exported =
        place.openssl("pkcs12 -export -nocerts -inkey key.pem -passout pass:correct -out key.p12");
    let Some(exported) = exported else { return };
    assert!(exported.status.success());
    place.write("passphrase", "correct\n");
    place
        .run("sign message -k key.p12 --passphrase-file passphrase")
        .assert()
        .success();
    place.run("verify message -k public.pem").assert().success();
    place.write("passphrase", "wrong\n");
    let error = error_line(
        &mut place.run("key show key.p12 --passphrase-file passphrase"),
        2,
    );
    assert!(error.contains("wrong passphrase"), "{error}");
}

#[test]
fn keys_for_pss_choose_the_scheme_and_refuse_others() {
    let place = Place::with(usual_key());
    place.write("message", "a message");
    let made = place.openssl(
        "genpkey -quiet -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 \
         -pkeyopt rsa_pss_keygen_md:sha384 -pkeyopt rsa_pss_keygen_mgf1_md:sha384 \
         -pkeyopt rsa_pss_keygen_saltlen:40 -out pss.pem",
    );
    let Some(made) = made else { return };
    assert!(made.status.success());
    place.openssl("pkey -in pss.pem -pubout -out pss.pub.pem");
    place
        .run("key show pss.pub.pem")
        .assert()
        .success()
        .stdout(contains(
            "for RSASSA-PSS with sha384, sha384 in MGF1 and a salt of at least 40 bytes alone",
        ));
    place
        .run("sign message -k pss.pem")
        .assert()
        .success()
        .stderr(contains("PSS, SHA-384"));
    place
        .run("verify message -k pss.pub.pem")
        .assert()
        .success();
    let verified = place
        .openssl("dgst -sha384 -verify pss.pub.pem -signature message.sig message")
        .unwrap();
    assert!(verified.status.success());
    for (options, words) in [
        ("--scheme pkcs1v15", "for RSASSA-PSS alone, and PKCS#1 v1.5"),
        ("--hash sha256", "PSS with sha384, and sha256 was asked for"),
        (
            "--scheme pss --salt-length 20",
            "at least 40 bytes, and one of 20",
        ),
        ("--low-s", "--low-s is for keys of curves"),
    ] {
        for verb in [
            "sign --force message -k pss.pem",
            "verify message -k pss.pub.pem",
        ] {
            let error = error_line(&mut place.run(&format!("{verb} {options}")), 2);
            assert!(error.contains(words), "{verb} {options}: {error}");
        }
    }
    place
        .run("sign --force message -k pss.pem --salt-length 41")
        .assert()
        .success();
    let error = error_line(&mut place.run("encrypt message -k pss.pub.pem"), 2);
    assert!(
        error.contains("RSASSA-PSS alone: it cannot encrypt"),
        "{error}"
    );
    for format in ["pkcs1", "jwk", "ssh"] {
        let convert = format!("key convert pss.pem --format {format} --out other");
        let error = error_line(&mut place.run(&convert), 2);
        assert!(error.contains("for RSASSA-PSS alone"), "{error}");
    }
    place
        .run("key convert pss.pem --out same.pem")
        .assert()
        .success();
    assert_eq!(place.read("same.pem"), place.read("pss.pem"));
}

/// Each line names its key; lines of unknown, refused or unfit keys are errors, which keep their ids.
#[test]
fn a_stream_is_verified_with_the_keys_of_a_set() {
    let place = Place::with(usual_key());
    let mut members = Vec::new();
    let mut lines = Vec::new();
    for (number, curve) in ["", "--curve P-256", "--curve Ed25519", "--curve X25519"]
        .into_iter()
        .enumerate()
    {
        let key = format!("key{number}");
        place
            .run(&format!("key new {curve} --out {key}.pem"))
            .assert()
            .success();
        place
            .run(&format!(
                "key convert {key}.pem --public --format jwk --out {key}.jwk"
            ))
            .assert()
            .success();
        let jwk = String::from_utf8(place.read(&format!("{key}.jwk"))).unwrap();
        members.push(
            jwk.trim()
                .replacen('{', &format!("{{\"kid\":\"{key}\","), 1),
        );
        if curve.ends_with("X25519") {
            continue;
        }
        let message = "{\"message\":\"a message\"}";
        let signed = json_lines(
            place
                .run(&format!("sign - -k {key}.pem"))
                .write_stdin(message),
            0,
        );
        lines.push((key, signed[0]["signature"].as_str().unwrap().to_owned()));
    }
    members.push("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"kid\":\"bad\"}".into());
    place.write("keys.json", format!("{{\"keys\":[{}]}}", members.join(",")));
    let line = |id: usize, kid: &str, message: &str, signature: &str| {
        format!(
            "{{\"id\":{id},\"kid\":{kid},\"message\":\"{message}\",\"signature\":\"{signature}\"}}\n"
        )
    };
    let quoted = |kid: &str| format!("\"{kid}\"");
    let (mut input, mut expected) = (String::new(), Vec::new());
    // Interleaved, so that batches mix the keys.
    for id in 0..60 {
        let (key, signature) = &lines[id % 3];
        let message = if id % 7 == 6 { "another" } else { "a message" };
        input += &line(id, &quoted(key), message, signature);
        expected.push((id % 7 == 6).then_some("does not match"));
    }
    for (kid, words) in [
        ("\"unknown\"", "no key has this kid"),
        ("\"bad\"", "has 1 bytes"),
        ("\"key3\"", "X25519 cannot sign"),
        ("7", "kid is no text"),
        ("\"key1\"", "the signature has"),
    ] {
        input += &line(expected.len(), kid, "a message", &lines[2].1[..4]);
        expected.push(Some(words));
    }
    input += "{\"id\":65,\"message\":\"a message\",\"signature\":\"AAAA\"}\n";
    expected.push(Some("no field kid"));
    let verdicts = json_lines(place.run("verify - --keys keys.json").write_stdin(input), 1);
    assert_eq!(verdicts.len(), expected.len());
    for (id, (verdict, expected)) in verdicts.iter().zip(expected).enumerate() {
        assert_eq!(verdict["id"], id, "{verdict}");
        assert_eq!(verdict["valid"], expected.is_none(), "{verdict}");
        if let Some(words) = expected {
            let error = verdict["error"].as_str().unwrap();
            assert!(error.contains(words), "{verdict}");
        }
    }
    // CSV names the key in a column.
    let (key, signature) = &lines[1];
    let csv = format!("id,kid,message,signature\nx,{key},a message,{signature}\n");
    let verdicts = json_lines(
        place
            .run("verify - --keys keys.json --format csv")
            .write_stdin(csv),
        0,
    );
    assert_eq!(verdicts[0]["valid"], true);
}

/// The member alg of a key decides how it signs, so that one stream may mix algorithms.
#[test]
fn keys_of_a_set_say_how_they_sign() {
    let place = Place::with(usual_key());
    let (mut members, mut input) = (Vec::new(), String::new());
    for (kid, curve, alg, options) in [
        ("ps", "", "PS384", "--scheme pss --hash sha384"),
        ("rs", "", "RS512", "--hash sha512"),
        ("es", "--curve P-384", "ES384", "--encoding raw"),
        ("k", "--curve secp256k1", "ES256K", "--encoding raw"),
        ("ed", "--curve Ed448", "EdDSA", ""),
        (
            "other",
            "--curve P-384",
            "ES256",
            "--encoding raw --hash sha256",
        ),
        ("enc", "", "RSA-OAEP", ""),
    ] {
        place
            .run(&format!("key new {curve} --out {kid}.pem"))
            .assert()
            .success();
        place
            .run(&format!(
                "key convert {kid}.pem --public --format jwk --out {kid}.jwk"
            ))
            .assert()
            .success();
        let jwk = String::from_utf8(place.read(&format!("{kid}.jwk"))).unwrap();
        let named = format!("{{\"kid\":\"{kid}\",\"alg\":\"{alg}\",");
        members.push(jwk.trim().replacen('{', &named, 1));
        let signed = json_lines(
            place
                .run(&format!("sign - -k {kid}.pem {options}"))
                .write_stdin("{\"message\":\"a message\"}"),
            0,
        );
        let signature = signed[0]["signature"].as_str().unwrap();
        let line = format!(
            "{{\"kid\":\"{kid}\",\"message\":\"a message\",\"signature\":\"{signature}\"}}\n"
        );
        input.push_str(&line);
    }
    place.write("keys.json", format!("{{\"keys\":[{}]}}", members.join(",")));
    let verify = |options: &str| {
        let mut run = place.run(&format!("verify - --keys keys.json {options}"));
        json_lines(run.write_stdin(input.clone()), 1)
    };
    let verdicts = verify("");
    for (verdict, valid) in verdicts
        .iter()
        .zip([true, true, true, true, true, false, false])
    {
        assert_eq!(verdict["valid"], valid, "{verdict}");
    }
    for (verdict, alg) in verdicts[5..].iter().zip(["ES256", "RSA-OAEP"]) {
        let error = verdict["error"].as_str().unwrap();
        assert!(
            error.contains(&format!("its alg {alg:?} is none for signatures")),
            "{error}"
        );
    }
    let verdicts = verify("--hash sha384");
    let error = verdicts[1]["error"].as_str().unwrap();
    assert!(error.contains("contradict its alg \"RS512\""), "{error}");
    // ECDSA in DER, which is what the option leaves.
    let error = verdicts[2]["error"].as_str().unwrap();
    assert!(error.contains("contradict its alg \"ES384\""), "{error}");
}

#[test]
fn sets_of_keys_that_are_refused() {
    let place = Place::with(usual_key());
    place.write("keys.json", "{\"keys\":[{\"kty\":\"EC\"}]}");
    for (arguments, words) in [
        ("verify public.pem --keys keys.json", "--keys is for -"),
        ("verify - --keys keys.json", "none of its keys has a kid"),
        ("verify - --keys public.pem", "no set of JSON Web Keys"),
        ("verify - --keys none.json", "none.json"),
        ("verify - -k keys.json", "chosen by its kid"),
    ] {
        let error = error_line(&mut place.run(arguments), 2);
        assert!(error.contains(words), "{arguments}: {error}");
    }
    sunzi()
        .args(["verify", "-"])
        .assert()
        .code(2)
        .stderr(contains("--key"));
}
