//! Allowed signers files beside `ssh-keygen -Y verify`.

use crate::tools::{ALGORITHMS, Place, signing};
use std::time::{SystemTime, UNIX_EPOCH};
use sunzi_jobs::ssh::{Signature, Signer, Verifier, armor, sign_batch, verify_batch};
use sunzi_pk::keys::{NonceKind, PrivateKey};
use sunzi_pk::{Hash, system_rng};

/// Files in which KEY is the signer's key and OTHER is another one, and whether they allow a signature by
/// me@example.org in the namespace file.
const FILES: [(&str, bool); 32] = [
    ("me@example.org KEY", true),
    ("  me@example.org   KEY  # comment", true),
    ("# comment\n\n\nme@example.org KEY comment\n", true),
    ("you@example.org KEY", false),
    ("me@example.org OTHER", false),
    ("*@example.org KEY", true),
    ("*@example.com KEY", false),
    ("me@example.or? KEY", true),
    ("you,me@example.org KEY", true),
    ("*,!me@example.org KEY", false),
    ("!you@example.org,* KEY", true),
    ("ME@example.org KEY", false),
    ("\"me@example.org\" KEY", true),
    ("me@example.org namespaces=\"file\" KEY", true),
    ("me@example.org namespaces=\"git\" KEY", false),
    ("me@example.org namespaces=\"git,file\" KEY", true),
    ("me@example.org namespaces=\"f*\" KEY", true),
    ("me@example.org namespaces=\"*,!file\" KEY", false),
    ("me@example.org NAMESPACES=\"file\" KEY", true),
    ("me@example.org cert-authority KEY", false),
    (
        "me@example.org cert-authority,namespaces=\"file\" KEY",
        false,
    ),
    ("me@example.org valid-after=\"20200101Z\" KEY", true),
    ("me@example.org valid-after=\"20900101Z\" KEY", false),
    ("me@example.org valid-before=\"20900101Z\" KEY", true),
    ("me@example.org valid-before=\"20200101Z\" KEY", false),
    (
        "me@example.org valid-after=\"202001010000Z\",valid-before=\"20900101235959Z\" KEY",
        true,
    ),
    (
        "me@example.org namespaces=\"git\" KEY\nme@example.org namespaces=\"file\" KEY",
        true,
    ),
    ("you@example.org KEY\nme@example.org KEY", true),
    ("me@example.org OTHER\nme@example.org KEY", true),
    (
        "me@example.org valid-before=\"20200101Z\" KEY\nme@example.org KEY",
        true,
    ),
    ("me@example.org ssh-dss AAAA\nme@example.org KEY", true),
    ("", false),
];

#[test]
fn the_same_verdicts_as_ssh_keygen() {
    let Some(place) = Place::with_keygen() else {
        return;
    };
    let key = place.make("key", "-t ed25519");
    place.make("other", "-t ecdsa -b 256");
    let [own, other] = ["key.pub", "other.pub"].map(|name| place.text(name));
    // Without the comments, which follow in some files.
    let line = |text: &str| text.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let signature = signed(&key);
    place.write("sig", armor(&signature));
    place.write("message", "message");
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    for (file, expected) in FILES {
        let file = file
            .replace("KEY", &line(&own))
            .replace("OTHER", &line(&other));
        place.write("allowed", &file);
        let verify = "-Y verify -f allowed -I me@example.org -n file -s sig";
        let theirs = place.keygen(verify, Some("message"));
        assert_eq!(theirs.status.success(), expected, "{file}: {theirs:?}");
        let me = Some("me@example.org");
        let verifier =
            Verifier::of_allowed_signers(&ALGORITHMS, file.as_bytes(), "file", me, now).unwrap();
        let ours = is_valid(&verifier, &signature);
        assert_eq!(ours, expected, "{file}");
        // Anybody in the file: whoever is allowed to sign.
        let verifier =
            Verifier::of_allowed_signers(&ALGORITHMS, file.as_bytes(), "file", None, now).unwrap();
        assert!(is_valid(&verifier, &signature) || !expected, "{file}");
    }
}

#[test]
fn wrong_lines() {
    let key = PrivateKey::generate(&ALGORITHMS, "Ed25519", &mut system_rng()).unwrap();
    let line = key.public_key().to_openssh().unwrap();
    let line = line.trim();
    for wrong in [
        "me",
        "me ssh-ed25519",
        "me ssh-ed25519 AAAA",
        "me ssh-ed25519 !",
        "me unknown KEY",
        "me namespaces=file KEY",
        "me valid-after=\"20200101\" KEY",
        "me valid-after=\"20201301Z\" KEY",
        "me valid-after=20200101Z KEY",
        "me namespaces=\"file KEY",
        "\"me KEY",
        "me namespaces=\"file\"",
    ] {
        let file = format!("# first\n\n{}\n", wrong.replace("KEY", line));
        let file = file.as_bytes();
        let error = Verifier::of_allowed_signers(&ALGORITHMS, file, "file", None, 0).unwrap_err();
        assert!(
            error.to_string().starts_with("line 3: "),
            "{wrong}: {error}"
        );
    }
    let error = Verifier::of_allowed_signers(&ALGORITHMS, b"\n\xff", "file", None, 0).unwrap_err();
    assert_eq!(error.to_string(), "line 2: it is no UTF-8");
}

fn signed(key: &PrivateKey) -> Vec<u8> {
    let signer = Signer::new(signing(key), "file", Hash::Sha512).unwrap();
    let digests = [Hash::Sha512.digest(b"message")];
    let nonces = NonceKind::Deterministic;
    sign_batch(&ALGORITHMS, &mut system_rng(), nonces, &signer, &digests)
        .remove(0)
        .unwrap()
}

fn is_valid(verifier: &Verifier, signature: &[u8]) -> bool {
    let Ok(claim) = verifier.claim(&Signature::read(signature).unwrap()) else {
        return false;
    };
    verify_batch(&ALGORITHMS, &[(claim, Hash::Sha512.digest(b"message"))])[0].is_ok()
}
