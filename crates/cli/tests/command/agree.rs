//! `sunzi agree`: shared secrets.

use crate::place::{Place, error_line, json_lines, usual_key};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

/// A folder with our key, and the public and private keys of others in the folders `peers` and
/// `theirs`.
fn place(curve: &str, peers: usize) -> Place {
    let place = Place::with_curve(curve);
    for folder in ["peers", "theirs"] {
        std::fs::create_dir(place.at(folder)).unwrap();
    }
    for k in 0..peers {
        place
            .run(&format!(
                "key new --curve {curve} --out theirs/{k}.pem --public peers/{k}.pem"
            ))
            .assert()
            .success();
    }
    place
}

#[test]
fn both_sides_get_the_same_secret() {
    let place = place("P-256", 3);
    place
        .run("agree -k key.pem peers")
        .assert()
        .success()
        .stdout("")
        .stderr(contains("3 files agreed (P-256, ECDH)"));
    for k in 0..3 {
        let ours = place.read(&format!("peers/{k}.pem.secret"));
        assert_eq!(ours.len(), 32);
        place
            .run(&format!("agree -k theirs/{k}.pem public.pem --force"))
            .assert()
            .success();
        assert_eq!(place.read("public.pem.secret"), ours);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let metadata = std::fs::metadata(place.at(&format!("peers/{k}.pem.secret")));
            assert_eq!(metadata.unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    let events = json_lines(&mut place.run("agree -k key.pem peers --resume --json"), 0);
    assert_eq!(events.last().unwrap()["skipped"], 3);
}

#[test]
fn openssl_derives_the_same() {
    for curve in [
        "P-256",
        "P-521",
        "secp256k1",
        "brainpoolP224t1",
        "brainpoolP320r1",
        "brainpoolP320t1",
        "brainpoolP512t1",
    ] {
        let place = place(curve, 1);
        place.run("agree -k key.pem peers").assert().success();
        let derived =
            place.openssl("pkeyutl -derive -inkey key.pem -peerkey peers/0.pem -out derived");
        let Some(derived) = derived else { return };
        assert!(derived.status.success(), "{derived:?}");
        assert_eq!(place.read("peers/0.pem.secret"), place.read("derived"));
    }
}

#[test]
fn bad_peers_fail_and_the_others_get_their_secrets() {
    let place = place("P-256", 2);
    place.write("peers/rsa.pem", &usual_key().public);
    place.write("peers/private.pem", place.read("theirs/0.pem"));
    place.write("peers/text", "hello");
    place.write("peers/infinity", [0]);
    place.write("peers/short", [4, 1, 2]);
    place.write("peers/empty", "");
    let mut off = vec![4];
    off.extend([1; 64]);
    place.write("peers/off", off);
    place
        .run("key new --curve secp256k1 --out k1.pem --public peers/k1.pem")
        .assert()
        .success();
    let events = json_lines(&mut place.run("agree -k key.pem peers --json"), 1);
    let summary = events.last().unwrap();
    assert_eq!(
        (&summary["done"], &summary["failed"]),
        (&2.into(), &8.into())
    );
    for (file, words) in [
        ("rsa.pem", "its algorithm is RSA"),
        ("private.pem", "this is a private key"),
        ("text", "not a key file"),
        ("infinity", "infinity"),
        ("short", "65 bytes"),
        ("empty", "65 bytes"),
        ("off", "not on the curve"),
        ("k1.pem", "secp256k1"),
    ] {
        let path = format!("peers/{file}");
        let event = events.iter().find(|event| event["file"] == path.as_str());
        let error = event.unwrap()["error"].as_str().unwrap();
        assert!(error.contains(words), "{file}: {error}");
    }
}

#[test]
fn streams() {
    let place = place("P-384", 1);
    place.run("agree -k key.pem peers").assert().success();
    let secret = place.read("peers/0.pem.secret");
    let hex = base16ct::lower::encode_string(&secret);
    let pem = String::from_utf8(place.read("peers/0.pem")).unwrap();
    let base64: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let input = format!(
        "{}\n{{\"peer_base64\":\"{base64}\"}}\n{{\"peer_hex\":\"04\"}}\n{{}}\n\
         {{\"peer_hex\":\"04\",\"peer\":\"x\"}}\n",
        serde_json::json!({"id": "a", "peer": pem})
    );
    let mut agree = place.run("agree -k key.pem - --hex");
    let answers = json_lines(agree.write_stdin(input), 1);
    assert_eq!(answers[0]["id"], "a");
    assert_eq!(answers[0]["secret_hex"], hex.as_str());
    assert_eq!(answers[1]["secret_hex"], hex.as_str());
    for (line, words) in [(2, "97 bytes"), (3, "no peer"), (4, "several peers")] {
        let error = answers[line]["error"].as_str().unwrap();
        assert!(error.contains(words), "{error}");
    }
    let mut agree = place.run("agree -k key.pem - --format csv");
    let answers = json_lines(
        agree.write_stdin(format!("id,peer_base64\n7,{base64}\n")),
        0,
    );
    assert_eq!(answers[0]["id"], "7");
    assert_eq!(answers[0]["secret_base64"].as_str().unwrap().len(), 64);
    let mut agree = place.run("agree -k key.pem - --format csv");
    let error = error_line(agree.write_stdin("id,message\n7,x\n"), 2);
    assert!(error.contains("peer_hex"), "{error}");
}

#[test]
fn keys_that_cannot_agree_are_refused() {
    let place = Place::with_curve("P-192");
    place.write("rsa.pem", &usual_key().private);
    for (arguments, words) in [
        ("agree -k key.pem public.pem", "--force-1024"),
        ("agree -k rsa.pem public.pem", "an RSA key cannot agree"),
        ("agree -k public.pem public.pem", "give the private one"),
        ("agree -k key.pem public.pem --hex", "--hex"),
    ] {
        let mut run = place.run(arguments);
        run.assert()
            .code(2)
            .stderr(contains(words).and(contains("sunzi: ")));
    }
    place
        .run("agree -k key.pem public.pem --force-weak")
        .assert()
        .success();
}
