//! SSHSIG both ways with `ssh-keygen -Y`, and signatures that are refused.

use crate::tools::{ALGORITHMS, KINDS, Place, signing};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sunzi_jobs::ssh::{Refusal, Signature, Signer, Verifier, armor, sign_batch, verify_batch};
use sunzi_pk::keys::{NonceKind, PrivateKey};
use sunzi_pk::{Hash, system_rng};

fn sign(key: &PrivateKey, namespace: &str, hash: Hash, messages: &[&[u8]]) -> Vec<Vec<u8>> {
    let signer = Signer::new(signing(key), namespace, hash).unwrap();
    let digests: Vec<_> = messages
        .iter()
        .map(|message| hash.digest(message))
        .collect();
    let nonces = NonceKind::Deterministic;
    let signatures = sign_batch(&ALGORITHMS, &mut system_rng(), nonces, &signer, &digests);
    signatures.into_iter().map(Result::unwrap).collect()
}

fn verify(verifier: &Verifier, file: &[u8], message: &[u8]) -> Result<(), Refusal> {
    let claim = verifier.claim(&Signature::read(file)?)?;
    let digest = claim.hash().digest(message);
    verify_batch(&ALGORITHMS, &[(claim, digest)]).remove(0)
}

#[test]
fn both_ways_with_ssh_keygen() {
    let Some(place) = Place::with_keygen() else {
        return;
    };
    let long = vec![7; 100_000];
    let messages: [&[u8]; 3] = [b"", b"one", &long];
    for (name, message) in ["0", "1", "2"].iter().zip(messages) {
        place.write(name, message);
    }
    for (kind, options) in KINDS {
        let key = place.make(kind, options);
        place.write(
            "allowed",
            format!("me@example.org,you {}", place.text(&format!("{kind}.pub"))),
        );
        let verifier = Verifier::of_key(&ALGORITHMS, &key.public_key(), "file").unwrap();
        for hash in [Hash::Sha512, Hash::Sha256] {
            // Ours by theirs.
            let signatures = sign(&key, "file", hash, &messages);
            for (k, signature) in signatures.iter().enumerate() {
                place.write("sig", armor(signature));
                let accepts = |arguments: &str, message: usize| {
                    let name = message.to_string();
                    place.keygen(arguments, Some(&name)).status.success()
                };
                let verify = "-Y verify -f allowed -I me@example.org -n file -s sig";
                assert!(accepts(verify, k), "{kind} {hash} {k}");
                assert!(
                    accepts("-Y check-novalidate -n file -s sig", k),
                    "{kind} {hash} {k}"
                );
                assert!(!accepts(verify, (k + 1) % 3));
                assert!(!accepts(&verify.replace("-n file", "-n git"), k));
            }
            // Theirs by ours.
            let name = hash.name();
            for (k, message) in messages.iter().enumerate() {
                let _ = std::fs::remove_file(place.at(&format!("{k}.sig")));
                let signed = place.keygen(
                    &format!("-Y sign -O hashalg={name} -f {kind} -n file {k}"),
                    None,
                );
                assert!(signed.status.success(), "{signed:?}");
                let file = place.read(&format!("{k}.sig"));
                assert_eq!(Signature::read(&file).unwrap().hash(), hash);
                assert_eq!(
                    verify(&verifier, &file, message),
                    Ok(()),
                    "{kind} {hash} {k}"
                );
                assert_eq!(verify(&verifier, &file, b"another"), Err(Refusal::Invalid));
                let ours = armor(&signatures[k]);
                // Deterministic ones are the same, byte for byte. (RSA's theirs is always by SHA-512.)
                if kind == "ed25519" || kind.starts_with("rsa") && hash == Hash::Sha512 {
                    assert_eq!(ours.as_bytes(), file, "{kind} {hash} {k}");
                }
            }
        }
    }
}

#[test]
fn refused_signatures() {
    let mut rng = system_rng();
    let [key, other] =
        ["P-521", "Ed25519"].map(|name| PrivateKey::generate(&ALGORITHMS, name, &mut rng).unwrap());
    let verifier = Verifier::of_key(&ALGORITHMS, &key.public_key(), "file").unwrap();
    let blob = sign(&key, "file", Hash::Sha512, &[b"message"]).remove(0);
    let check = |blob: &[u8]| verify(&verifier, blob, b"message");
    let text = armor(&blob);
    assert_eq!(check(&blob), Ok(()));
    assert_eq!(check(text.as_bytes()), Ok(()));
    assert_eq!(check(text.replace('\n', "\r\n").as_bytes()), Ok(()));

    let by_other = sign(&other, "file", Hash::Sha512, &[b"message"]).remove(0);
    assert_eq!(check(&by_other), Err(Refusal::UnknownKey));
    let elsewhere = sign(&key, "git", Hash::Sha512, &[b"message"]).remove(0);
    assert_eq!(check(&elsewhere), Err(Refusal::Namespace("git".into())));

    // Every change of a byte, every cut, and a byte more.
    for place in 0..blob.len() {
        let mut changed = blob.clone();
        changed[place] ^= 1;
        assert!(check(&changed).is_err(), "byte {place}");
        assert!(check(&blob[..place]).is_err(), "{place} bytes");
    }
    assert!(check(&[&blob[..], &[0]].concat()).is_err());
    for wrong in [
        String::new(),
        text.replace("BEGIN SSH", "BEGIN"),
        text.replace("-----END SSH SIGNATURE-----", ""),
        format!("{text}{text}"),
        text.replace("U1NI", "U1N\u{e9}"),
        armor(b""),
        armor(&vec![0; 100_000]),
        STANDARD.encode(&blob),
    ] {
        assert!(check(wrong.as_bytes()).is_err(), "{wrong}");
    }
    // A digest by another hash than the one that is signed.
    let claim = verifier.claim(&Signature::read(&blob).unwrap()).unwrap();
    let claims = [(claim, Hash::Sha256.digest(b"message"))];
    assert_eq!(verify_batch(&ALGORITHMS, &claims), [Err(Refusal::Invalid)]);
}

/// Numbers of other lengths than usual: one pair of r and s in five hundred has three bytes less than the longest.
#[test]
fn short_numbers() {
    let mut rng = system_rng();
    let key = PrivateKey::generate(&ALGORITHMS, "P-256", &mut rng).unwrap();
    let verifier = Verifier::of_key(&ALGORITHMS, &key.public_key(), "file").unwrap();
    let messages: Vec<_> = (0..10_000_u32).map(u32::to_be_bytes).collect();
    let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let signatures = sign(&key, "file", Hash::Sha256, &messages);
    let shortest = signatures.iter().map(Vec::len).min().unwrap();
    let longest = signatures.iter().map(Vec::len).max().unwrap();
    assert!(longest - shortest >= 3, "{shortest} to {longest}");
    let unusual = |(k, signature): &(usize, &Vec<u8>)| *k < 100 || longest - signature.len() >= 3;
    for (k, signature) in signatures.iter().enumerate().filter(unusual) {
        let message = messages[k];
        assert_eq!(verify(&verifier, signature, message), Ok(()));
    }
}

#[test]
fn keys_that_ssh_does_not_have() {
    let mut rng = system_rng();
    for name in ["secp256k1", "Ed448"] {
        let key = PrivateKey::generate(&ALGORITHMS, name, &mut rng).unwrap();
        let error = Signer::new(signing(&key), "file", Hash::Sha512).unwrap_err();
        assert!(error.to_string().contains("OpenSSH has no keys"), "{error}");
        assert!(Verifier::of_key(&ALGORITHMS, &key.public_key(), "file").is_err());
    }
    let key = PrivateKey::generate(&ALGORITHMS, "Ed25519", &mut rng).unwrap();
    for (namespace, hash) in [("", Hash::Sha512), ("file", Hash::Sha384)] {
        assert!(Signer::new(signing(&key), namespace, hash).is_err());
    }
}
