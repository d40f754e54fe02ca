//! Key files of Ed25519, Ed448, X25519 and X448 (RFC 8410).

mod common;

use common::fixture;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::{
    EdwardsCurve, MontgomeryCurve, PreparedEdwardsCurves, PreparedMontgomeryCurves, eddsa, xdh,
};
use sunzi_pk::{KeyFileError, system_rng};

fn engine() -> Engine {
    Engine::new(Backend::PORTABLE).unwrap()
}

/// RFC 8410, section 10.3.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
/// The same with an attribute and the public key.
const PRIVATE_WITH_PUBLIC: &str = "-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
";
/// RFC 8410, section 10.1.
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
";

#[test]
fn examples_of_the_rfc() {
    let curves = PreparedEdwardsCurves::new(&engine());
    let read = |file: &str| eddsa::PrivateKey::from_pem_or_der(&curves, file.as_bytes(), None);
    let private = read(PRIVATE).unwrap();
    let public = eddsa::PublicKey::from_pem_or_der(PUBLIC.as_bytes()).unwrap();
    assert_eq!(*private.public_key(), public);
    assert_eq!(private.to_pkcs8_pem().as_str(), PRIVATE);
    assert_eq!(public.to_spki_pem(), PUBLIC);
    let with_public = read(PRIVATE_WITH_PUBLIC).unwrap();
    assert_eq!(with_public.as_bytes(), private.as_bytes());
    // Another public key, and another private one.
    for (place, letter) in [(170, "A"), (70, "A")] {
        let mut changed = PRIVATE_WITH_PUBLIC.to_owned();
        changed.replace_range(place..=place, letter);
        assert_eq!(read(&changed).unwrap_err(), eddsa::KeyError::Mismatch);
    }
}

#[test]
fn every_curve_in_every_format() {
    let curves = PreparedEdwardsCurves::new(&engine());
    for &curve in EdwardsCurve::ALL {
        let prepared = curves.get(curve).unwrap();
        let key = eddsa::PrivateKey::generate(&prepared, &mut system_rng()).unwrap();
        for file in [
            key.to_pkcs8_der().to_vec(),
            key.to_pkcs8_pem().as_bytes().to_vec(),
        ] {
            let read = eddsa::PrivateKey::from_pem_or_der(&curves, &file, None).unwrap();
            assert_eq!(read.as_bytes(), key.as_bytes());
            assert_eq!(read.public_key(), key.public_key());
            let refused = eddsa::PublicKey::from_pem_or_der(&file);
            assert_eq!(refused, Err(eddsa::KeyError::PrivateKeyGiven));
        }
        let public = key.public_key();
        for file in [public.to_spki_der(), public.to_spki_pem().into_bytes()] {
            assert_eq!(
                eddsa::PublicKey::from_pem_or_der(&file).as_ref(),
                Ok(public)
            );
            let refused = eddsa::PrivateKey::from_pem_or_der(&curves, &file, None).unwrap_err();
            assert_eq!(refused, eddsa::KeyError::File(KeyFileError::PublicKeyGiven));
        }
    }
    let curves = PreparedMontgomeryCurves::new(&engine());
    for &curve in MontgomeryCurve::ALL {
        let prepared = curves.get(curve).unwrap();
        let key = xdh::PrivateKey::generate(&prepared, &mut system_rng()).unwrap();
        for file in [
            key.to_pkcs8_der().to_vec(),
            key.to_pkcs8_pem().as_bytes().to_vec(),
        ] {
            let read = xdh::PrivateKey::from_pem_or_der(&curves, &file, None).unwrap();
            assert_eq!(read.as_bytes(), key.as_bytes());
            assert_eq!(read.public_key(), key.public_key());
            let refused = xdh::PublicKey::from_pem_or_der(&file);
            assert_eq!(refused, Err(xdh::KeyError::PrivateKeyGiven));
        }
        let public = key.public_key();
        for file in [public.to_spki_der(), public.to_spki_pem().into_bytes()] {
            assert_eq!(xdh::PublicKey::from_pem_or_der(&file).as_ref(), Ok(public));
            let refused = xdh::PrivateKey::from_pem_or_der(&curves, &file, None).unwrap_err();
            assert_eq!(refused, xdh::KeyError::File(KeyFileError::PublicKeyGiven));
        }
    }
}

#[test]
fn encrypted_files() {
    let curves = PreparedEdwardsCurves::new(&engine());
    let key = eddsa::PrivateKey::from_pem_or_der(&curves, PRIVATE.as_bytes(), None).unwrap();
    let encrypted = key
        .to_encrypted_pkcs8_pem(&mut system_rng(), b"correct")
        .unwrap();
    let open =
        |passphrase| eddsa::PrivateKey::from_pem_or_der(&curves, encrypted.as_bytes(), passphrase);
    assert_eq!(open(Some(b"correct")).unwrap().as_bytes(), key.as_bytes());
    let refused = |passphrase| open(passphrase).unwrap_err();
    let file = eddsa::KeyError::File;
    assert_eq!(refused(None), file(KeyFileError::PassphraseNeeded));
    assert_eq!(refused(Some(b"wrong")), file(KeyFileError::WrongPassphrase));
    let empty = key.to_encrypted_pkcs8_pem(&mut system_rng(), b"");
    assert_eq!(empty.unwrap_err(), file(KeyFileError::EmptyPassphrase));
}

#[test]
fn files_of_other_keys() {
    let edwards = PreparedEdwardsCurves::new(&engine());
    let montgomery = PreparedMontgomeryCurves::new(&engine());
    for (name, algorithm) in [
        ("rsa1024.pkcs8.pem", "RSA"),
        ("rsa2048.pkcs1.pem", "RSA"),
        ("ec.pkcs8.pem", "EC"),
        ("ec.sec1.pem", "EC"),
    ] {
        let file = fixture(name);
        let refused = eddsa::PrivateKey::from_pem_or_der(&edwards, &file, None).unwrap_err();
        assert_eq!(refused, eddsa::KeyError::OtherAlgorithm(algorithm.into()));
        let refused = xdh::PrivateKey::from_pem_or_der(&montgomery, &file, None).unwrap_err();
        assert_eq!(refused, xdh::KeyError::OtherAlgorithm(algorithm.into()));
    }
    let file = fixture("ed25519.pem");
    assert!(eddsa::PrivateKey::from_pem_or_der(&edwards, &file, None).is_ok());
    let refused = xdh::PrivateKey::from_pem_or_der(&montgomery, &file, None).unwrap_err();
    assert_eq!(refused, xdh::KeyError::OtherAlgorithm("Ed25519".into()));
    let refused = xdh::PublicKey::from_pem_or_der(PUBLIC.as_bytes()).unwrap_err();
    assert_eq!(refused, xdh::KeyError::OtherAlgorithm("Ed25519".into()));
    let refused = eddsa::PublicKey::from_pem_or_der(&fixture("certificate.pem")).unwrap_err();
    assert_eq!(refused, eddsa::KeyError::File(KeyFileError::Certificate));
}

/// A changed byte of a key file is noticed, or gives a key that belongs together.
#[test]
fn damaged_files() {
    let curves = PreparedEdwardsCurves::new(&engine());
    let key = eddsa::PrivateKey::from_pem_or_der(&curves, PRIVATE.as_bytes(), None).unwrap();
    let der = key.to_pkcs8_der();
    for place in 0..der.len() {
        for bit in [0x01, 0x20, 0x80] {
            let mut damaged = der.to_vec();
            damaged[place] ^= bit;
            let read = eddsa::PrivateKey::from_pem_or_der(&curves, &damaged, None);
            assert_eq!(read.is_ok(), place >= der.len() - 32, "{place}: {read:?}");
        }
        let cut = eddsa::PrivateKey::from_pem_or_der(&curves, &der[..place], None);
        assert!(cut.is_err());
    }
    let public = key.public_key().to_spki_der();
    for place in 0..public.len() {
        let mut damaged = public.clone();
        damaged[place] ^= 1;
        let read = eddsa::PublicKey::from_pem_or_der(&damaged);
        assert_eq!(
            read.is_ok(),
            place >= public.len() - 32,
            "{place}: {read:?}"
        );
    }
}
