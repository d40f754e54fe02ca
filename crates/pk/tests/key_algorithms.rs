//! Key files are recognized by what they are.

mod common;

use common::fixture;
use sunzi_pk::ec::EdwardsCurve;
use sunzi_pk::{KdfLimits, KeyAlgorithm, KeyFile, KeyFileError, ec, rsa};

fn open(name: &str) -> Result<KeyFile, KeyFileError> {
    KeyFile::open(&fixture(name), None, KdfLimits::default())
}

#[test]
fn files_of_every_format() {
    for (name, algorithm, private) in [
        ("rsa2048.pkcs1.pem", KeyAlgorithm::Rsa, true),
        ("rsa2048.pkcs1.pub.pem", KeyAlgorithm::Rsa, false),
        ("rsa2048.pkcs8.pem", KeyAlgorithm::Rsa, true),
        ("rsa2048.pkcs8.der", KeyAlgorithm::Rsa, true),
        ("rsa2048.spki.pem", KeyAlgorithm::Rsa, false),
        ("ec.pkcs8.pem", KeyAlgorithm::Ec, true),
        ("ec.sec1.pem", KeyAlgorithm::Ec, true),
        ("ec.spki.pem", KeyAlgorithm::Ec, false),
        (
            "ed25519.pem",
            KeyAlgorithm::Edwards(EdwardsCurve::Edwards25519),
            true,
        ),
        ("rsa2048.pss-only.pem", KeyAlgorithm::Rsa, true),
    ] {
        let file = open(name).unwrap();
        assert_eq!(*file.algorithm(), algorithm, "{name}");
        assert_eq!(file.is_private(), private, "{name}");
    }
    assert_eq!(
        open("certificate.pem").unwrap_err(),
        KeyFileError::Certificate
    );
}

#[test]
fn the_key_is_that_of_the_file() {
    for name in ["rsa2048.pkcs1.pem", "rsa2048.pkcs8.pem"] {
        let key = rsa::PrivateKey::from_pem_or_der(open(name).unwrap().der(), None).unwrap();
        let expected = rsa::PrivateKey::from_pem_or_der(&fixture(name), None).unwrap();
        assert_eq!(key.to_pkcs1_der(), expected.to_pkcs1_der(), "{name}");
    }
    let file = open("ec.spki.pem").unwrap();
    let key = ec::PublicKey::from_pem_or_der(file.der());
    assert_eq!(key, ec::PublicKey::from_pem_or_der(&fixture("ec.spki.pem")));
}

#[test]
fn encrypted_files() {
    let file = fixture("rsa2048.aes256.pem");
    let open = |passphrase| KeyFile::open(&file, passphrase, KdfLimits::default());
    assert_eq!(open(None).unwrap_err(), KeyFileError::PassphraseNeeded);
    assert_eq!(
        open(Some(b"wrong")).unwrap_err(),
        KeyFileError::WrongPassphrase
    );
    let opened = open(Some(b"correct")).unwrap();
    assert_eq!(*opened.algorithm(), KeyAlgorithm::Rsa);
    let key = rsa::PrivateKey::from_pem_or_der(opened.der(), None).unwrap();
    let expected = rsa::PrivateKey::from_pem_or_der(&fixture("rsa2048.pkcs8.pem"), None).unwrap();
    assert_eq!(key.to_pkcs1_der(), expected.to_pkcs1_der());
}
