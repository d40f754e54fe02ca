//! EdDSA, X25519 and X448: key files, signatures and shared secrets cross over between Sunzi and OpenSSL,
//! in both directions.

use openssl::derive::Deriver;
use openssl::pkey::{Id, PKey, Private};
use openssl::sign::{Signer, Verifier};
use openssl::symm::Cipher;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::eddsa::{
    self, NonceKind, SignRequest, SigningKey, Variant, VerifyError, VerifyRequest, VerifyingKey,
    sign_batch, verify_batch,
};
use sunzi_pk::ec::xdh::{self, AgreeRequest, AgreementKey, agree_batch};
use sunzi_pk::ec::{
    EdwardsCurve, MontgomeryCurve, PreparedEdwardsCurves, PreparedMontgomeryCurves,
};
use sunzi_pk::system_rng;

fn engine() -> Engine {
    Engine::new(Backend::best()).unwrap()
}

/// A key made by OpenSSL and one made by Sunzi, handed over in files, also encrypted.
fn signing_pairs(
    curves: &PreparedEdwardsCurves,
    curve: EdwardsCurve,
) -> [(SigningKey, PKey<Private>); 2] {
    let theirs = match curve {
        EdwardsCurve::Edwards25519 => PKey::generate_ed25519(),
        _ => PKey::generate_ed448(),
    };
    let theirs = theirs.unwrap();
    let file = theirs.private_key_to_pem_pkcs8().unwrap();
    let ours = eddsa::PrivateKey::from_pem_or_der(curves, &file, None).unwrap();
    assert_eq!(ours.to_pkcs8_pem().as_bytes(), file);
    let encrypted = theirs
        .private_key_to_pem_pkcs8_passphrase(Cipher::aes_256_cbc(), b"secret")
        .unwrap();
    let decrypted =
        eddsa::PrivateKey::from_pem_or_der(curves, &encrypted, Some(b"secret")).unwrap();
    assert_eq!(decrypted.as_bytes(), ours.as_bytes());
    let public_file = theirs.public_key_to_pem().unwrap();
    let public = eddsa::PublicKey::from_pem_or_der(&public_file).unwrap();
    assert_eq!(public, *ours.public_key());
    assert_eq!(public.to_spki_pem().as_bytes(), public_file);
    let prepared = curves.get(curve).unwrap();
    let first = (SigningKey::new(&prepared, &ours).unwrap(), theirs);

    let ours = eddsa::PrivateKey::generate(&prepared, &mut system_rng()).unwrap();
    let encrypted = ours
        .to_encrypted_pkcs8_pem(&mut system_rng(), b"secret")
        .unwrap();
    let theirs = PKey::private_key_from_pem_passphrase(encrypted.as_bytes(), b"secret").unwrap();
    assert_eq!(theirs.raw_private_key().unwrap(), ours.as_bytes());
    [first, (SigningKey::new(&prepared, &ours).unwrap(), theirs)]
}

#[test]
fn signatures_cross_over() {
    let engine = engine();
    let curves = PreparedEdwardsCurves::new(&engine);
    let pairs = EdwardsCurve::ALL
        .iter()
        .flat_map(|&curve| signing_pairs(&curves, curve));
    let pairs: Vec<_> = pairs.collect();
    let messages: Vec<Vec<u8>> = (0..40).map(|k| vec![k as u8; 7 * k]).collect();
    let work: Vec<_> = pairs
        .iter()
        .flat_map(|pair| messages.iter().map(move |message| (pair, message)))
        .collect();
    let requests: Vec<_> = work
        .iter()
        .map(|((key, _), message)| SignRequest {
            key,
            variant: Variant::Pure,
            message,
        })
        .collect();
    let nonces = NonceKind::Deterministic;
    let ours: Vec<_> = sign_batch(&engine, &mut system_rng(), nonces, &requests)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    for (((_, theirs), message), signature) in work.iter().zip(&ours) {
        let mut signer = Signer::new_without_digest(theirs).unwrap();
        let expected = signer.sign_oneshot_to_vec(message).unwrap();
        assert_eq!(signature.as_bytes(), expected);
        let mut verifier = Verifier::new_without_digest(theirs).unwrap();
        assert!(
            verifier
                .verify_oneshot(signature.as_bytes(), message)
                .unwrap()
        );
    }
    let verify = |shift: usize| {
        let requests: Vec<_> = (0..work.len())
            .map(|k| VerifyRequest {
                key: work[k].0.0.verifying_key(),
                variant: Variant::Pure,
                message: work[(k + shift) % work.len()].1,
                signature: ours[k].as_bytes(),
            })
            .collect();
        verify_batch(&engine, &requests)
    };
    assert!(verify(0).iter().all(Result::is_ok));
    assert!(
        verify(1)
            .iter()
            .all(|verdict| *verdict == Err(VerifyError::Mismatch))
    );
}

/// Every combination of special keys, points R and numbers S: the verdicts are the same.
#[test]
fn special_points() {
    let engine = engine();
    let curves = PreparedEdwardsCurves::new(&engine);
    let mut accepted = 0;
    for (&curve, id) in EdwardsCurve::ALL.iter().zip([Id::ED25519, Id::ED448]) {
        let length = curve.encoded_bytes();
        let prepared = curves.get(curve).unwrap();
        let private = eddsa::PrivateKey::from_bytes(&prepared, &vec![3; length]).unwrap();
        let points = special_points_of(curve, private.public_key().as_bytes());
        let mut one = vec![0; length];
        one[0] = 1;
        let ss = [vec![0; length], one];
        let mut requests = Vec::new();
        for key in &points {
            let theirs = PKey::public_key_from_raw_bytes(key, id).unwrap();
            let public = eddsa::PublicKey::from_bytes(curve, key).unwrap();
            let ours = VerifyingKey::new(&prepared, &public);
            for (k, (r, s)) in points
                .iter()
                .flat_map(|r| ss.iter().map(move |s| (r, s)))
                .enumerate()
            {
                let signature = [&r[..], &s[..]].concat();
                // A message for each remainder of h modulo the cofactor, at least.
                for message in 0..12u8 {
                    let message = [message, k as u8];
                    let mut verifier = Verifier::new_without_digest(&theirs).unwrap();
                    let verdict = verifier.verify_oneshot(&signature, &message);
                    let expected = verdict.unwrap_or(false);
                    match &ours {
                        Ok(key) => {
                            requests.push((key.clone(), message, signature.clone(), expected));
                        }
                        Err(_) => assert!(!expected),
                    }
                }
            }
        }
        let work: Vec<_> = requests
            .iter()
            .map(|(key, message, signature, _)| VerifyRequest {
                key,
                variant: Variant::Pure,
                message,
                signature,
            })
            .collect();
        let results = verify_batch(&engine, &work);
        for ((key, _, signature, expected), result) in requests.iter().zip(results) {
            accepted += usize::from(*expected);
            let key = key.public_key().as_bytes();
            assert_eq!(
                result.is_ok(),
                *expected,
                "{curve} {key:02x?} {signature:02x?}"
            );
        }
        println!(
            "{curve}: {} verdicts, {accepted} accepted so far",
            requests.len()
        );
    }
    assert!(accepted > 100);
}

/// Encodings of points of small order, with either sign and with y of p or more, encodings of y near 0 and p, and the
/// encoding of a key.
fn special_points_of(curve: EdwardsCurve, key: &[u8]) -> Vec<Vec<u8>> {
    let length = curve.encoded_bytes();
    let mut points = vec![key.to_vec()];
    let small = |y: u8| {
        let mut bytes = vec![0; length];
        bytes[0] = y;
        bytes
    };
    let mut ys: Vec<_> = (0..6).map(small).collect();
    match curve {
        EdwardsCurve::Edwards25519 => {
            // p - 2 to p + 5.
            for low in 0xeb..=0xf2u8 {
                let mut bytes = vec![0xff; length];
                (bytes[0], bytes[length - 1]) = (low, 0x7f);
                ys.push(bytes);
            }
            // The points of order 8.
            for hex in [
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            ] {
                let bytes = (0..32).map(|k| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16));
                ys.push(bytes.collect::<Result<_, _>>().unwrap());
            }
        }
        _ => {
            // p - 2 to p + 1, where p = 2^448 - 2^224 - 1.
            for (low, middle) in [(0xfd, 0xfe), (0xfe, 0xfe), (0xff, 0xfe), (0, 0xff)] {
                let rest = if middle == 0xff { 0 } else { 0xff };
                let mut bytes = vec![0xff; length];
                bytes[..28].fill(rest);
                (bytes[0], bytes[28], bytes[length - 1]) = (low, middle, 0);
                ys.push(bytes);
            }
        }
    }
    for y in ys {
        let mut other = y.clone();
        other[length - 1] |= 0x80;
        points.extend([y, other]);
    }
    points
}

#[test]
fn shared_secrets() {
    let engine = engine();
    let curves = PreparedMontgomeryCurves::new(&engine);
    for (&curve, id) in MontgomeryCurve::ALL.iter().zip([Id::X25519, Id::X448]) {
        let theirs = match curve {
            MontgomeryCurve::Curve25519 => PKey::generate_x25519(),
            _ => PKey::generate_x448(),
        };
        let theirs = theirs.unwrap();
        let file = theirs.private_key_to_pem_pkcs8().unwrap();
        let same = xdh::PrivateKey::from_pem_or_der(&curves, &file, None).unwrap();
        assert_eq!(same.to_pkcs8_pem().as_bytes(), file);
        let public_file = theirs.public_key_to_pem().unwrap();
        let public = xdh::PublicKey::from_pem_or_der(&public_file).unwrap();
        assert_eq!(public, *same.public_key());
        assert_eq!(public.to_spki_pem().as_bytes(), public_file);

        let prepared = curves.get(curve).unwrap();
        let ours = xdh::PrivateKey::generate(&prepared, &mut system_rng()).unwrap();
        let encrypted = ours
            .to_encrypted_pkcs8_pem(&mut system_rng(), b"secret")
            .unwrap();
        let read = PKey::private_key_from_pem_passphrase(encrypted.as_bytes(), b"secret").unwrap();
        assert_eq!(read.raw_private_key().unwrap(), ours.as_bytes());
        let key = AgreementKey::new(&prepared, &ours).unwrap();

        // The key of OpenSSL, and many others, some of the twist.
        let length = curve.encoded_bytes();
        let mut peers = vec![public];
        peers.extend((2..60u8).map(|k| {
            let bytes: Vec<u8> = (0..length).map(|i| k.wrapping_mul(i as u8 + 1)).collect();
            xdh::PublicKey::from_bytes(curve, &bytes).unwrap()
        }));
        let requests: Vec<_> = peers
            .iter()
            .map(|peer| AgreeRequest { key: &key, peer })
            .collect();
        for (peer, secret) in peers.iter().zip(agree_batch(&engine, &requests)) {
            let other = PKey::public_key_from_raw_bytes(peer.as_bytes(), id).unwrap();
            let mut deriver = Deriver::new(&read).unwrap();
            deriver.set_peer(&other).unwrap();
            assert_eq!(secret.unwrap().as_bytes(), deriver.derive_to_vec().unwrap());
        }
    }
}
