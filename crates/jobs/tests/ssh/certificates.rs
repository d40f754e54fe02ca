//! Certificates beside `ssh-keygen -L` and `ssh-keygen -s`.

use crate::tools::{ALGORITHMS, KINDS, Place, signing};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::HashSet;
use sunzi_jobs::ssh::{
    Authority, Certificate, CertificateKind, Checker, Request, certify_batch, check_batch,
};
use sunzi_pk::keys::{NonceKind, PrivateKey, PublicKey};
use sunzi_pk::system_rng;

const NOW: u64 = 1_800_000_000;

pub(crate) fn issue(authority: &PrivateKey, requests: &[Request]) -> Vec<String> {
    let authority = Authority::new(signing(authority)).unwrap();
    let (mut rng, nonces) = (system_rng(), NonceKind::Deterministic);
    let issued = certify_batch(&ALGORITHMS, &mut rng, nonces, &authority, requests);
    issued.into_iter().map(Result::unwrap).collect()
}

pub(crate) fn request(json: &serde_json::Value) -> Request {
    Request::from_json(json.to_string().as_bytes(), None, NOW).unwrap()
}

fn check(authorities: &[PublicKey], lines: &[String], now: u64) -> Vec<Result<(), String>> {
    let checker = Checker::new(&ALGORITHMS, authorities, now).unwrap();
    let read = lines
        .iter()
        .map(|line| Certificate::from_line(line).unwrap());
    check_batch(&ALGORITHMS, &checker, &read.collect::<Vec<_>>())
}

#[test]
fn certificates_read_by_ssh_keygen() {
    check_certificates(100);
}

#[test]
#[ignore = "takes half a minute"]
fn a_thousand_certificates_read_by_ssh_keygen() {
    check_certificates(1000);
}

/// Certificates of users, two thirds of `certificates`, and of hosts, by an authority of each kind.
fn check_certificates(certificates: usize) {
    let users = certificates - certificates.div_ceil(3);
    let Some(place) = Place::with_keygen() else {
        return;
    };
    let keys = KINDS.map(|(kind, options)| {
        place.make(kind, options);
        place.text(&format!("{kind}.pub"))
    });
    let requests: Vec<_> = (0..certificates)
        .map(|number| {
            let user = number % 3 != 0;
            let mut json = serde_json::json!({
                "key": keys[number % keys.len()],
                "key_id": format!("id {number}"),
                "serial": u64::MAX - number as u64,
                "principals": [format!("a{number}"), format!("b{number}")],
                "type": if user { "user" } else { "host" },
                "valid_after": 1_790_000_000 + number,
                "lifetime": 1_000_000_000,
            });
            if user {
                json["critical_options"] = serde_json::json!({
                    "source-address": "10.0.0.0/8", "force-command": format!("echo {number}"),
                });
                json["extensions"] = serde_json::json!(["permit-pty", "login@example.org"]);
            }
            request(&json)
        })
        .collect();
    for (kind, _) in KINDS {
        let limits = sunzi_pk::KdfLimits::default();
        let authority =
            PrivateKey::from_pem_or_der(&ALGORITHMS, &place.read(kind), None, limits).unwrap();
        let lines = issue(&authority, &requests);
        place.write("certificates", lines.join("\n") + "\n");
        let shown = place.keygen("-L -f certificates", None);
        assert!(shown.status.success(), "{shown:?}");
        let shown = String::from_utf8(shown.stdout).unwrap();
        let count = |text: &str| shown.matches(text).count();
        assert_eq!(count("Signing CA: "), certificates, "{kind}");
        assert_eq!(count(" user certificate"), users);
        assert_eq!(count(" host certificate"), certificates - users);
        assert_eq!(count("source-address 10.0.0.0/8"), users);
        assert_eq!(count("permit-pty"), users);
        assert_eq!(count("Critical Options: (none)"), certificates - users);
        for number in [0, 1, 50, certificates - 2, certificates - 1] {
            let serial = u64::MAX - number as u64;
            for text in [
                format!("Key ID: \"id {number}\""),
                format!("Serial: {serial}\n"),
                format!(" a{number}\n"),
                format!(" b{number}\n"),
            ] {
                assert_eq!(count(&text), 1, "{kind} {text}");
            }
        }
        assert!(shown.contains("force-command echo 50\n"));
        // A nonce for each.
        let nonces = lines.iter().map(|line| {
            let blob = STANDARD.decode(line.split(' ').nth(1).unwrap()).unwrap();
            let name = u32::from_be_bytes(blob[..4].try_into().unwrap()) as usize;
            blob[4 + name..][..36].to_vec()
        });
        assert_eq!(nonces.collect::<HashSet<_>>().len(), certificates);
        let verdicts = check(&[authority.public_key()], &lines, NOW);
        assert!(verdicts.iter().all(Result::is_ok), "{verdicts:?}");
    }
}

#[test]
fn certificates_of_ssh_keygen() {
    let Some(place) = Place::with_keygen() else {
        return;
    };
    let authorities = KINDS.map(|(kind, options)| (kind, place.make(kind, options).public_key()));
    for (kind, authority) in authorities {
        for (subject, _) in KINDS {
            let signed = place.keygen(
                &format!(
                    "-q -s {kind} -I id -n alice,bob -z 77 -V 20260101000000Z:20300101000000Z -O \
                     force-command=date -O source-address=10.0.0.0/8,::1 -O extension:x@example.org=y {subject}.pub"
                ),
                None,
            );
            assert!(signed.status.success(), "{signed:?}");
            let line = place.text(&format!("{subject}-cert.pub"));
            let certificate = Certificate::from_line(&line).unwrap();
            let statement = &certificate.statement;
            assert_eq!((statement.serial, &statement.key_id[..]), (77, "id"));
            assert_eq!(statement.kind, CertificateKind::User);
            assert_eq!(statement.principals, ["alice", "bob"]);
            assert_eq!(statement.valid_before, 1_893_456_000);
            let options = [
                ("force-command", "date"),
                ("source-address", "10.0.0.0/8,::1"),
            ];
            let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
            assert_eq!(statement.critical_options, options);
            assert!(
                statement
                    .extensions
                    .contains(&("permit-pty".into(), String::new()))
            );
            assert!(
                statement
                    .extensions
                    .contains(&("x@example.org".into(), "y".into()))
            );
            let authorities = [authority.clone()];
            let lines = [line];
            assert_eq!(
                check(&authorities, &lines, NOW),
                [Ok(())],
                "{kind} {subject}"
            );
            let words = |now| check(&authorities, &lines, now)[0].clone().unwrap_err();
            assert_eq!(words(1_700_000_000), "it is not valid yet");
            assert_eq!(words(1_893_456_000), "it is valid no more");
        }
    }
}

#[test]
fn refused_certificates() {
    let mut rng = system_rng();
    let mut make = |name| PrivateKey::generate(&ALGORITHMS, name, &mut rng).unwrap();
    let (authority, other, key) = (make("P-256"), make("Ed25519"), make("Ed25519"));
    let json = serde_json::json!({
        "key": key.public_key().to_openssh().unwrap(),
        "key_id": "id", "principals": ["alice"], "type": "user", "lifetime": 100,
        "critical_options": {"force-command": "date"},
    });
    let lines = issue(&authority, &[request(&json)]);
    let authorities = [authority.public_key(), other.public_key()];
    assert_eq!(check(&authorities, &lines, NOW), [Ok(())]);
    let another = check(&authorities[1..], &lines, NOW);
    assert_eq!(another, [Err("it is by another authority".into())]);

    let mut checker = Checker::new(&ALGORITHMS, &authorities, NOW).unwrap();
    let certificate = [Certificate::from_line(&lines[0]).unwrap()];
    let mut verdict = |kind, principal: Option<&str>| {
        checker.kind = kind;
        checker.principal = principal.map(Into::into);
        check_batch(&ALGORITHMS, &checker, &certificate)[0].clone()
    };
    assert_eq!(verdict(Some(CertificateKind::User), Some("alice")), Ok(()));
    assert!(verdict(Some(CertificateKind::Host), None).is_err());
    assert!(verdict(None, Some("bob")).is_err());

    // Statements that OpenSSH refuses, or should not be asked about, rightly signed.
    for (member, value) in [
        (
            "critical_options",
            serde_json::json!({"unknown@example.org": "x"}),
        ),
        ("principals", serde_json::json!([])),
    ] {
        let mut json = json.clone();
        json[member] = value;
        let lines = issue(&authority, &[request(&json)]);
        assert!(check(&authorities, &lines, NOW)[0].is_err(), "{member}");
    }
    // Every change of a byte, every cut, and a byte more.
    let (name, text) = lines[0].split_once(' ').unwrap();
    let blob = STANDARD.decode(text).unwrap();
    let checker = Checker::new(&ALGORITHMS, &authorities, NOW).unwrap();
    let accepted = |blob: &[u8]| {
        let certificate = Certificate::from_line(&format!("{name} {}", STANDARD.encode(blob)));
        certificate
            .is_ok_and(|certificate| check_batch(&ALGORITHMS, &checker, &[certificate])[0].is_ok())
    };
    assert!(accepted(&blob));
    for place in 0..blob.len() {
        let mut changed = blob.clone();
        changed[place] ^= 1;
        assert!(!accepted(&changed), "byte {place}");
        assert!(!accepted(&blob[..place]), "{place} bytes");
    }
    assert!(!accepted(&[&blob[..], &[0]].concat()));
    for wrong in [
        "",
        name,
        "ssh-ed25519 AAAA",
        &format!("{name} AAAA"),
        &format!("{name} !"),
    ] {
        assert!(Certificate::from_line(wrong).is_err(), "{wrong}");
    }
}
