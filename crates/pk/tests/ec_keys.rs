//! Keys of curves, and their files.

mod common;

use common::fixture;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::{Curve, KeyError, PointError, PreparedCurves, PrivateKey, PublicKey};
use sunzi_pk::{KeyFileError, system_rng};

fn curves() -> PreparedCurves {
    PreparedCurves::new(&Engine::new(Backend::PORTABLE).unwrap())
}

#[test]
fn files_of_openssl() {
    let curves = curves();
    let keys = ["ec.pkcs8.pem", "ec.sec1.pem"]
        .map(|name| PrivateKey::from_pem_or_der(&curves, &fixture(name), None).unwrap());
    assert_eq!(keys[0].to_bytes(), keys[1].to_bytes());
    assert_eq!(keys[0].to_bytes()[..4], [0x8f, 0xcc, 0x04, 0xff]);
    assert_eq!(keys[0].curve().name(), Some("P-256"));
    let public = PublicKey::from_pem_or_der(&fixture("ec.spki.pem")).unwrap();
    assert_eq!(*keys[0].public_key(), public);
    assert_eq!(
        public.to_spki_pem().unwrap().as_bytes(),
        fixture("ec.spki.pem")
    );
    let pkcs8 = keys[0].to_pkcs8_pem().unwrap();
    assert_eq!(pkcs8.as_bytes(), fixture("ec.pkcs8.pem"));
}

#[test]
fn every_curve_in_every_format() {
    let curves = curves();
    for name in Curve::ALL_NAMES {
        let curve = curves.get(&name.parse().unwrap()).unwrap();
        let key = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let files = [
            key.to_sec1_der().unwrap().to_vec(),
            key.to_sec1_pem().unwrap().as_bytes().to_vec(),
            key.to_pkcs8_der().unwrap().to_vec(),
            key.to_pkcs8_pem().unwrap().as_bytes().to_vec(),
        ];
        for file in files {
            let read = PrivateKey::from_pem_or_der(&curves, &file, None).unwrap();
            assert_eq!(read.to_bytes(), key.to_bytes(), "{name}");
            assert_eq!(read.public_key(), key.public_key());
            assert_eq!(
                PublicKey::from_pem_or_der(&file),
                Err(KeyError::PrivateKeyGiven)
            );
        }
        let public = key.public_key();
        for file in [
            public.to_spki_der().unwrap(),
            public.to_spki_pem().unwrap().into_bytes(),
        ] {
            assert_eq!(PublicKey::from_pem_or_der(&file).as_ref(), Ok(public));
            let refused = PrivateKey::from_pem_or_der(&curves, &file, None).unwrap_err();
            assert_eq!(refused, KeyError::File(KeyFileError::PublicKeyGiven));
        }
        for compressed in [false, true] {
            let bytes = public.to_sec1_bytes(compressed);
            let read = PublicKey::from_sec1_bytes(public.curve(), &bytes);
            assert_eq!(read.as_ref(), Ok(public), "{name}");
        }
    }
}

#[test]
fn encrypted_files() {
    let curves = curves();
    let pem = fixture("ec.pkcs8.pem");
    let key = PrivateKey::from_pem_or_der(&curves, &pem, None).unwrap();
    let encrypted = key
        .to_encrypted_pkcs8_pem(&mut system_rng(), b"correct")
        .unwrap();
    let open = |passphrase| PrivateKey::from_pem_or_der(&curves, encrypted.as_bytes(), passphrase);
    assert_eq!(open(Some(b"correct")).unwrap().to_bytes(), key.to_bytes());
    let refused = |passphrase| match open(passphrase).unwrap_err() {
        KeyError::File(error) => error,
        other => panic!("{other}"),
    };
    assert_eq!(refused(None), KeyFileError::PassphraseNeeded);
    assert_eq!(refused(Some(b"wrong")), KeyFileError::WrongPassphrase);
    let empty = key.to_encrypted_pkcs8_pem(&mut system_rng(), b"");
    assert_eq!(
        empty.unwrap_err(),
        KeyError::File(KeyFileError::EmptyPassphrase)
    );
}

#[test]
fn files_of_other_keys() {
    let curves = curves();
    for (name, algorithm) in [
        ("rsa1024.pkcs8.pem", "RSA"),
        ("rsa2048.pkcs1.pem", "RSA"),
        ("ed25519.pem", "Ed25519"),
    ] {
        let refused = PrivateKey::from_pem_or_der(&curves, &fixture(name), None).unwrap_err();
        assert_eq!(
            refused,
            KeyError::OtherAlgorithm(algorithm.into()),
            "{name}"
        );
    }
    let certificate = KeyError::File(KeyFileError::Certificate);
    assert_eq!(
        PublicKey::from_pem_or_der(&fixture("certificate.pem")),
        Err(certificate)
    );
}

/// A changed byte of a key file is noticed, or gives a key that belongs together.
#[test]
fn damaged_files() {
    let curves = curves();
    let key = PrivateKey::from_pem_or_der(&curves, &fixture("ec.sec1.pem"), None).unwrap();
    let der = key.to_sec1_der().unwrap();
    let mut refused = 0;
    for place in 0..der.len() {
        let mut changed = der.to_vec();
        changed[place] ^= 1;
        match PrivateKey::from_pem_or_der(&curves, &changed, None) {
            Ok(read) => assert_eq!(read.to_bytes(), key.to_bytes(), "{place}"),
            Err(_) => refused += 1,
        }
    }
    assert_eq!(refused, der.len());
    let mut changed = der.to_vec();
    // The last byte of y.
    *changed.last_mut().unwrap() ^= 1;
    let error = PrivateKey::from_pem_or_der(&curves, &changed, None).unwrap_err();
    assert_eq!(error, KeyError::Point(PointError::NotOnCurve));
    // The first byte of d.
    let mut changed = der.to_vec();
    changed[7] ^= 0x40;
    let error = PrivateKey::from_pem_or_der(&curves, &changed, None).unwrap_err();
    assert_eq!(error, KeyError::Mismatch);
    for end in 0..der.len() {
        assert!(PrivateKey::from_pem_or_der(&curves, &der[..end], None).is_err());
    }
}

#[test]
fn numbers_out_of_range() {
    let curves = curves();
    for name in Curve::ALL_NAMES {
        let curve = curves.get(&name.parse().unwrap()).unwrap();
        let order = curve.curve().order().as_ref().to_be_bytes();
        let length = curve.curve().order_bytes();
        let order = &order[order.len() - length..];
        let from = |bytes: &[u8]| PrivateKey::from_bytes(&curve, bytes).map(|key| key.to_bytes());
        assert_eq!(from(&vec![0; length]), Err(KeyError::OutOfRange), "{name}");
        assert_eq!(from(order), Err(KeyError::OutOfRange), "{name}");
        assert_eq!(from(&vec![0xff; length]), Err(KeyError::OutOfRange));
        let mut last = order.to_vec();
        *last.last_mut().unwrap() -= 1;
        assert_eq!(*from(&last).unwrap(), last, "{name}");
        let short = Err(KeyError::Length {
            expected: length,
            given: length - 1,
        });
        assert_eq!(from(&last[1..]), short);
    }
}

/// Points that are none, each with the error that names the cause.
#[test]
fn points_that_are_refused() {
    let curve: Curve = "P-256".parse().unwrap();
    let key = PublicKey::from_pem_or_der(&fixture("ec.spki.pem")).unwrap();
    let point = key.to_sec1_bytes(false);
    let refused = |bytes: &[u8]| match PublicKey::from_sec1_bytes(&curve, bytes).unwrap_err() {
        KeyError::Point(error) => error,
        other => panic!("{other}"),
    };
    let changed = |place: usize, byte: u8| {
        let mut bytes = point.clone();
        bytes[place] = byte;
        bytes
    };
    assert_eq!(refused(&[0]), PointError::Infinity);
    assert_eq!(refused(&changed(0, 5)), PointError::Tag(5));
    assert_eq!(refused(&changed(64, point[64] ^ 1)), PointError::NotOnCurve);
    let length = PointError::Length {
        uncompressed: 65,
        compressed: 33,
        given: 64,
    };
    assert_eq!(refused(&point[..64]), length);
    assert_eq!(
        refused(&[]),
        PointError::Length {
            uncompressed: 65,
            compressed: 33,
            given: 0
        }
    );
    let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
    let prime: Vec<u8> = (0..32)
        .map(|k| u8::from_str_radix(&prime[2 * k..2 * k + 2], 16).unwrap())
        .collect();
    let with_x = |x: &[u8]| [&[4], x, &point[33..]].concat();
    assert_eq!(refused(&with_x(&prime)), PointError::Coordinate('x'));
    let none = (1..=255u8).find(|&x| {
        let mut bytes = vec![2; 33];
        bytes[1..].fill(0);
        bytes[32] = x;
        PublicKey::from_sec1_bytes(&curve, &bytes) == Err(PointError::NoSuchX.into())
    });
    assert!(none.is_some());
}

/// A curve that a file cannot name, and one that nobody knows.
#[test]
fn curves_without_a_name() {
    let mut der = PublicKey::from_pem_or_der(&fixture("ec.spki.pem"))
        .unwrap()
        .to_spki_der()
        .unwrap();
    // The last byte of the curve's object identifier, 1.2.840.10045.3.1.7.
    let place = der
        .windows(4)
        .position(|bytes| bytes == [0x3d, 0x03, 0x01, 0x07])
        .unwrap()
        + 3;
    der[place] = 6;
    let unknown = KeyError::UnknownCurve("1.2.840.10045.3.1.6".into());
    assert_eq!(PublicKey::from_pem_or_der(&der), Err(unknown));
}
