//! `sunzi prime`, and keys by the dozen.

use crate::place::{Place, error_line, json_lines, sunzi, usual_key};
use num_bigint::BigUint;

/// A number as the command writes it.
fn number(text: &str) -> BigUint {
    let digits = text.trim().strip_prefix("0x").unwrap();
    BigUint::parse_bytes(digits.as_bytes(), 16).unwrap()
}

/// The Fermat test to base 2, which a random composite of these sizes does not pass.
fn looks_prime(p: &BigUint) -> bool {
    let two = BigUint::from(2u32);
    two.modpow(&(p - 1u32), p) == BigUint::from(1u32)
}

#[test]
fn primes_of_every_kind() {
    for (arguments, kind, count) in [
        ("--bits 512 --count 3", "prime", 3),
        ("--bits 200 --safe --count 2", "safe", 2),
        ("--bits 256 --blum --count 20", "blum", 20),
    ] {
        let mut command = sunzi();
        command.arg("prime").args(arguments.split(' '));
        let text = command.assert().success().get_output().stdout.clone();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), count);
        let json = json_lines(command.arg("--json"), 0);
        let of_json = json.iter().map(|line| {
            assert_eq!(line["kind"], kind);
            line["prime"].as_str().unwrap()
        });
        for p in text.lines().chain(of_json).map(number) {
            assert!(looks_prime(&p));
            match kind {
                "safe" => assert!(looks_prime(&(p >> 1u32))),
                "blum" => assert_eq!(p % 4u32, BigUint::from(3u32)),
                _ => assert_eq!(p.bits(), 512),
            }
        }
    }
}

#[test]
fn primes_in_a_file() {
    let place = Place::with(usual_key());
    let run = |arguments: &str| place.run(&format!("prime --bits 128 {arguments}"));
    run("--out primes.txt --count 5")
        .assert()
        .success()
        .stdout("");
    let text = String::from_utf8(place.read("primes.txt")).unwrap();
    assert_eq!(text.lines().map(number).filter(looks_prime).count(), 5);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.at("primes.txt"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let error = error_line(&mut run("--out primes.txt"), 2);
    assert!(
        error.contains("exists") && error.contains("--force"),
        "{error}"
    );
    run("--out primes.txt --force --json").assert().success();
    assert!(place.read("primes.txt").starts_with(b"{"));
    for wrong in [
        "--bits 127",
        "--bits 8193",
        "--bits 128 --safe --blum",
        "--bits 128 --count 0",
    ] {
        sunzi().arg("prime").args(wrong.split(' ')).assert().code(2);
    }
}

#[test]
fn keys_by_the_dozen() {
    let place = Place::with(usual_key());
    let run = |arguments: &str| place.run(&format!("key new --force-1024 {arguments}"));
    let lines = json_lines(
        &mut run("--bits 1024 --count 12 --out new.pem --public new.public.pem --json"),
        0,
    );
    assert_eq!(lines.len(), 12);
    let mut fingerprints = Vec::new();
    for (index, line) in (1..).zip(&lines) {
        assert!(
            line["file"]
                .as_str()
                .unwrap()
                .ends_with(&format!("new-{index:04}.pem"))
        );
        let show = |name: &str| json_lines(&mut place.run(&format!("key show {name} --json")), 0);
        let private = &show(&format!("new-{index:04}.pem"))[0]["fingerprint"];
        let public = &show(&format!("new.public-{index:04}.pem"))[0]["fingerprint"];
        assert_eq!(
            (private, public),
            (&line["fingerprint"], &line["fingerprint"])
        );
        assert!(!fingerprints.contains(private));
        fingerprints.push(private.clone());
    }
    let error = error_line(&mut run("--bits 1024 --count 2 --out new.pem"), 2);
    assert!(error.contains("new-0001.pem exists"), "{error}");
    let error = error_line(&mut run("--count 2 --out a.pem --public a.pem"), 2);
    assert!(error.contains("same"), "{error}");

    std::fs::create_dir(place.at("keys")).unwrap();
    run("--curve P-256 --count 3 --out keys").assert().success();
    for name in ["key-0001.pem", "key-0002.pem", "key-0003.pem"] {
        place
            .run(&format!("key show keys/{name}"))
            .assert()
            .success();
    }
}
