//! Keys of any algorithm, in batches that mix them.

use sunzi_engine::{Backend, Engine, EngineError};
use sunzi_pk::ec::{self, Curve, ecdsa, eddsa, schnorr};
use sunzi_pk::keys::{
    AgreeError, AgreeRequest, AgreementKey, Algorithms, Content, ContentError, KeyError, NonceKind,
    PrivateKey, PublicKey, Scheme, SignError, SignRequest, SigningKey, VerifyError, VerifyRequest,
    VerifyingKey, agree_batch, sign_batch, verify_batch,
};
use sunzi_pk::{Hash, KdfLimits, primes, rsa, system_rng};

fn algorithms() -> Algorithms {
    Algorithms::new(&Engine::new(Backend::best()).unwrap())
}

fn generate(algorithms: &Algorithms, names: &[&str]) -> Vec<PrivateKey> {
    let generate = |name| PrivateKey::generate(algorithms, name, &mut system_rng()).unwrap();
    names.iter().copied().map(generate).collect()
}

const SIGNING: [&str; 6] = [
    "RSA-2048",
    "P-256",
    "Ed25519",
    "secp256k1",
    "Ed448",
    "P-521",
];

/// A batch in which neighbours have different algorithms, schemes and messages.
#[test]
fn a_batch_mixes_algorithms() {
    let algorithms = algorithms();
    let keys = generate(&algorithms, &SIGNING);
    let keys: Vec<_> = keys
        .iter()
        .map(|key| SigningKey::new(&algorithms, key).unwrap())
        .collect();
    let messages: Vec<String> = (0..40).map(|k| format!("message {k}")).collect();
    let scheme = |k: usize| match (keys[k % keys.len()].public_key(), k % 2) {
        (PublicKey::Rsa(_), 0) => Scheme::Rsa(rsa::Scheme::PSS, Hash::Sha384),
        (PublicKey::Ec(_), 0) => Scheme::Ecdsa {
            hash: Hash::Sha512,
            encoding: ecdsa::Encoding::Raw,
            s: ecdsa::SRange::Low,
        },
        (PublicKey::Edwards(_), 0) => Scheme::Eddsa(eddsa::Variant::Context(b"context")),
        (key, _) => Scheme::of(key),
    };
    let request = |k: usize| SignRequest {
        key: &keys[k % keys.len()],
        scheme: scheme(k),
        content: messages[k].as_bytes().into(),
    };
    let requests: Vec<_> = (0..messages.len()).map(request).collect();
    let signatures = sign_batch(
        &algorithms,
        &mut system_rng(),
        NonceKind::Deterministic,
        &requests,
    );
    let signatures: Vec<_> = signatures.into_iter().map(Result::unwrap).collect();

    let verifying: Vec<_> = keys
        .iter()
        .map(|key| VerifyingKey::new(&algorithms, key.public_key()).unwrap())
        .collect();
    let request = |k: usize| VerifyRequest {
        key: &verifying[k % keys.len()],
        scheme: scheme(k),
        content: messages[k].as_bytes().into(),
        signature: &signatures[k],
    };
    let mut requests: Vec<_> = (0..messages.len()).map(request).collect();
    assert_eq!(verify_batch(&algorithms, &requests), vec![Ok(()); 40]);
    // Every third one has the message of its neighbour.
    for k in (0..39).step_by(3) {
        requests[k].content = messages[k + 1].as_bytes().into();
    }
    let verdicts = verify_batch(&algorithms, &requests);
    for (k, verdict) in verdicts.iter().enumerate() {
        assert_eq!(verdict.is_ok(), k == 39 || k % 3 != 0, "{k}: {verdict:?}");
        let undecided = |error: &VerifyError| error.is_undecided();
        assert!(!verdict.as_ref().is_err_and(undecided));
    }
}

/// The lengths of keys and of the longest signatures, which those that are made do not exceed.
#[test]
fn lengths_of_keys_and_signatures() {
    let algorithms = algorithms();
    for (name, bits, longest) in [
        ("RSA-2048", 2048, 256),
        ("P-224", 224, 64),
        ("P-256", 256, 72),
        ("P-384", 384, 104),
        ("P-521", 521, 139),
        ("Ed25519", 255, 64),
        ("Ed448", 448, 114),
    ] {
        let key = PrivateKey::generate(&algorithms, name, &mut system_rng()).unwrap();
        let key = SigningKey::new(&algorithms, &key).unwrap();
        let (public, scheme) = (key.public_key(), Scheme::of(key.public_key()));
        assert_eq!(public.bits(), bits, "{name}");
        assert_eq!(scheme.max_signature_bytes(public), Some(longest), "{name}");
        let lengths = scheme.signature_bytes(public).unwrap();
        let shortest = if name.starts_with("P-") { 8 } else { longest };
        assert_eq!(lengths, shortest..=longest, "{name}");
        let request = SignRequest {
            key: &key,
            scheme,
            content: b"".into(),
        };
        let nonces = NonceKind::Hedged;
        let made = sign_batch(&algorithms, &mut system_rng(), nonces, &[request; 16]);
        assert!(
            made.iter()
                .all(|made| made.as_ref().unwrap().len() <= longest)
        );
        let bip340 = Scheme::Bip340 { auxiliary: None };
        assert_eq!(bip340.max_signature_bytes(public), None, "{name}");
    }
    for (name, bits) in [("X25519", 255), ("X448", 448)] {
        let key = PrivateKey::generate(&algorithms, name, &mut system_rng()).unwrap();
        let public = key.public_key();
        assert_eq!(public.bits(), bits, "{name}");
        assert_eq!(Scheme::of(&public).max_signature_bytes(&public), None);
    }
}

const BIP340: &str = include_str!("fixtures/bip340.csv");

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// The vectors of BIP 340, signatures byte for byte, in batches with ECDSA by the same keys between them.
#[test]
fn vectors_of_bip_340() {
    let algorithms = algorithms();
    let curve = algorithms.curves().get(&"secp256k1".parse().unwrap());
    let curve = curve.unwrap();
    let (mut signing, mut verifying) = (Vec::new(), Vec::new());
    for row in BIP340.lines().skip(1) {
        let [_, secret, public, auxiliary, message, signature, valid, _] =
            row.splitn(8, ',').collect::<Vec<_>>().try_into().unwrap();
        let (message, signature) = (bytes(message), bytes(signature));
        if !secret.is_empty() {
            let key = ec::PrivateKey::from_bytes(&curve, &bytes(secret)).unwrap();
            let key = PrivateKey::Ec(Box::new(key));
            let key = SigningKey::new(&algorithms, &key).unwrap();
            let auxiliary = Some(bytes(auxiliary).try_into().unwrap());
            signing.push((key, auxiliary, message.clone(), signature.clone()));
        }
        let point = [&[2][..], &bytes(public)].concat();
        match ec::PublicKey::from_sec1_bytes(curve.curve(), &point) {
            Ok(key) => {
                let key = VerifyingKey::new(&algorithms, &PublicKey::Ec(key)).unwrap();
                verifying.push((key, message, signature, valid == "TRUE"));
            }
            Err(error) => assert_eq!(valid, "FALSE", "{error}"),
        }
    }
    assert_eq!((signing.len(), verifying.len()), (8, 17));
    let requests: Vec<_> = signing
        .iter()
        .flat_map(|&(ref key, auxiliary, ref message, _)| {
            let usual = Scheme::of(key.public_key());
            [Scheme::Bip340 { auxiliary }, usual].map(|scheme| SignRequest {
                key,
                scheme,
                content: Content::Message(message),
            })
        })
        .collect();
    let signatures = sign_batch(
        &algorithms,
        &mut system_rng(),
        NonceKind::Deterministic,
        &requests,
    );
    for (two, (.., expected)) in signatures.chunks(2).zip(&signing) {
        assert_eq!(two[0].as_ref().unwrap(), expected);
        assert_ne!(two[1].as_ref().unwrap(), expected);
    }
    // Auxiliary bytes do not matter to who verifies.
    let scheme = Scheme::Bip340 {
        auxiliary: Some([1; 32]),
    };
    let requests: Vec<_> = verifying
        .iter()
        .map(|(key, message, signature, _)| VerifyRequest {
            key,
            scheme,
            content: Content::Message(message),
            signature,
        })
        .collect();
    let verdicts = verify_batch(&algorithms, &requests);
    for (verdict, (.., valid)) in verdicts.iter().zip(&verifying) {
        assert_eq!(verdict.is_ok(), *valid, "{verdict:?}");
    }
    let key = signing[0].0.verifying_key();
    let request = VerifyRequest {
        key: &key,
        ..requests[0]
    };
    assert!(verify_batch(&algorithms, &[request])[0].is_ok());
}

/// With hedged nonces every signature of a key of a curve is another one, and right.
#[test]
fn hedged_nonces() {
    let algorithms = algorithms();
    let keys = generate(&algorithms, &["P-256", "secp256k1", "Ed25519", "Ed448"]);
    let keys: Vec<_> = keys
        .iter()
        .map(|key| SigningKey::new(&algorithms, key).unwrap())
        .collect();
    let auxiliary = |auxiliary| Scheme::Bip340 { auxiliary };
    let usual = keys.iter().map(|key| (key, Scheme::of(key.public_key())));
    let schemes = usual.chain([(&keys[1], auxiliary(None))]);
    let request = |(key, scheme)| SignRequest {
        key,
        scheme,
        content: b"m".into(),
    };
    let mut requests: Vec<_> = schemes.map(request).collect();
    let sign = |requests: &[_], kind| {
        let signatures = sign_batch(&algorithms, &mut system_rng(), kind, requests);
        signatures.into_iter().map(Result::unwrap).collect()
    };
    let [deterministic, again]: [Vec<Vec<u8>>; 2] =
        [(); 2].map(|()| sign(&requests, NonceKind::Deterministic));
    assert_eq!(deterministic, again);
    let [one, two] = [(); 2].map(|()| sign(&requests, NonceKind::Hedged));
    for (k, request) in requests.iter().enumerate() {
        assert!(one[k] != two[k] && one[k] != deterministic[k], "{k}");
        let verify = VerifyRequest {
            key: &request.key.verifying_key(),
            scheme: request.scheme,
            content: b"m".into(),
            signature: &one[k],
        };
        assert_eq!(verify_batch(&algorithms, &[verify]), [Ok(())], "{k}");
    }
    // Auxiliary data that are given are taken.
    requests = vec![request((&keys[1], auxiliary(Some([7; 32]))))];
    let [one, two] =
        [NonceKind::Deterministic, NonceKind::Hedged].map(|kind| sign(&requests, kind));
    assert_eq!(one, two);
}

/// Where nothing is known about a signature, the error says so.
#[test]
fn undecided_verdicts() {
    let failed = || EngineError::EvenModulus;
    for error in [
        VerifyError::from(rsa::VerifyError::Engine(failed())),
        ecdsa::VerifyError::Engine(failed()).into(),
        eddsa::VerifyError::Engine(failed()).into(),
        eddsa::VerifyError::Random.into(),
        schnorr::VerifyError::Engine(failed()).into(),
        schnorr::VerifyError::Random.into(),
        schnorr::KeyError::Engine(failed()).into(),
    ] {
        assert!(error.is_undecided(), "{error:?}");
    }
    for error in [
        VerifyError::from(rsa::VerifyError::Mismatch),
        ecdsa::VerifyError::Mismatch.into(),
        eddsa::VerifyError::Mismatch.into(),
        schnorr::VerifyError::Mismatch.into(),
        schnorr::KeyError::NoSuchX.into(),
        VerifyError::OtherScheme("P-256".into()),
    ] {
        assert!(!error.is_undecided(), "{error:?}");
    }
}

#[test]
fn other_keys_do_not_sign_by_bip_340() {
    let algorithms = algorithms();
    let scheme = Scheme::Bip340 { auxiliary: None };
    for name in ["P-256", "Ed25519"] {
        let key = SigningKey::new(&algorithms, &generate(&algorithms, &[name])[0]).unwrap();
        let request = SignRequest {
            key: &key,
            scheme,
            content: b"m".into(),
        };
        let signed = sign_batch(
            &algorithms,
            &mut system_rng(),
            NonceKind::Deterministic,
            &[request],
        )
        .remove(0);
        let request = VerifyRequest {
            key: &key.verifying_key(),
            scheme,
            content: b"m".into(),
            signature: &[0; 64],
        };
        let verified = verify_batch(&algorithms, &[request]).remove(0);
        if name == "P-256" {
            let error = || schnorr::KeyError::OtherCurve("P-256".into());
            assert_eq!(signed, Err(SignError::Bip340Key(error())));
            assert_eq!(verified, Err(VerifyError::Bip340Key(error())));
        } else {
            assert_eq!(signed, Err(SignError::OtherScheme(name.into())));
            assert_eq!(verified, Err(VerifyError::OtherScheme(name.into())));
        }
    }
}

#[test]
fn a_scheme_of_another_algorithm_harms_no_neighbour() {
    let algorithms = algorithms();
    let keys = generate(&algorithms, &["P-256", "Ed25519"]);
    let keys: Vec<_> = keys
        .iter()
        .map(|key| SigningKey::new(&algorithms, key).unwrap())
        .collect();
    let request = |key, scheme| SignRequest {
        key,
        scheme,
        content: b"m".into(),
    };
    let requests = [
        request(&keys[0], Scheme::of(keys[1].public_key())),
        request(&keys[1], Scheme::of(keys[1].public_key())),
        request(&keys[1], Scheme::Rsa(rsa::Scheme::PSS, Hash::Sha256)),
    ];
    let signatures = sign_batch(
        &algorithms,
        &mut system_rng(),
        NonceKind::Deterministic,
        &requests,
    );
    assert_eq!(signatures[0], Err(SignError::OtherScheme("P-256".into())));
    assert_eq!(signatures[2], Err(SignError::OtherScheme("Ed25519".into())));
    let key = keys[1].verifying_key();
    let request = |scheme| VerifyRequest {
        key: &key,
        scheme,
        content: b"m".into(),
        signature: signatures[1].as_ref().unwrap(),
    };
    let [right, wrong] = [1, 0].map(|k: usize| Scheme::of(keys[k].public_key()));
    let verdicts = verify_batch(&algorithms, &[request(right), request(wrong)]);
    assert_eq!(verdicts[0], Ok(()));
    assert_eq!(verdicts[1], Err(VerifyError::OtherScheme("Ed25519".into())));
}

#[test]
fn secrets_agree_in_a_mixed_batch() {
    let algorithms = algorithms();
    let names = ["P-256", "X25519", "P-384", "X448"];
    let (mine, theirs) = (generate(&algorithms, &names), generate(&algorithms, &names));
    let secrets = |mine: &[PrivateKey], theirs: &[PrivateKey]| {
        let keys: Vec<_> = mine
            .iter()
            .map(|key| AgreementKey::new(&algorithms, key).unwrap())
            .collect();
        let peers: Vec<_> = theirs.iter().map(PrivateKey::public_key).collect();
        let pairs = keys.iter().zip(&peers);
        let requests: Vec<_> = pairs
            .map(|(key, peer)| AgreeRequest { key, peer })
            .collect();
        let secrets = agree_batch(&algorithms, &requests).into_iter();
        secrets.map(Result::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(secrets(&mine, &theirs), secrets(&theirs, &mine));
    let key = AgreementKey::new(&algorithms, &mine[0]).unwrap();
    let peer = theirs[1].public_key();
    let error = &agree_batch(
        &algorithms,
        &[AgreeRequest {
            key: &key,
            peer: &peer,
        }],
    )[0];
    let Err(AgreeError::OtherAlgorithm { key, peer }) = error else {
        panic!("{error:?}");
    };
    assert_eq!((key.as_str(), peer.as_str()), ("P-256", "X25519"));
}

#[test]
fn keys_are_read_as_what_they_are() {
    let algorithms = algorithms();
    let names = [
        "RSA-2048",
        "P-256",
        "brainpoolP384r1",
        "Ed25519",
        "Ed448",
        "X25519",
        "X448",
    ];
    for key in generate(&algorithms, &names) {
        let name = key.public_key().algorithm();
        let read = |file: &[u8], passphrase| {
            PrivateKey::from_pem_or_der(&algorithms, file, passphrase, KdfLimits::default())
        };
        let der = key.to_pkcs8_der().unwrap();
        let pem = key.to_pkcs8_pem().unwrap();
        let sealed = key.to_encrypted_pkcs8_pem(&mut system_rng(), b"sesame");
        let sealed = sealed.unwrap();
        for read in [
            read(&der, None),
            read(pem.as_bytes(), None),
            read(sealed.as_bytes(), Some(b"sesame")),
        ] {
            assert_eq!(read.unwrap().to_pkcs8_der().unwrap(), der, "{name}");
        }
        assert!(matches!(
            read(sealed.as_bytes(), None),
            Err(KeyError::File(_))
        ));
        let public = key.public_key();
        for file in [
            public.to_spki_der().unwrap(),
            public.to_spki_pem().unwrap().into(),
        ] {
            assert_eq!(PublicKey::from_pem_or_der(&file).unwrap(), public, "{name}");
            assert!(matches!(read(&file, None), Err(KeyError::File(_))));
        }
        for file in [pem.as_bytes(), sealed.as_bytes()] {
            let error = PublicKey::from_pem_or_der(file).unwrap_err();
            assert_eq!(error, KeyError::PrivateKeyGiven, "{name}");
        }
        match (key.to_jwk(), public.to_jwk()) {
            (Ok(private), Ok(jwk)) => {
                let back = read(private.as_bytes(), None).unwrap();
                assert_eq!(back.to_pkcs8_der().unwrap(), der);
                assert_eq!(PublicKey::from_pem_or_der(jwk.as_bytes()).unwrap(), public);
            }
            (private, public) => assert!(private.is_err() && public.is_err(), "{name}"),
        }
    }
}

#[test]
fn keys_refuse_what_they_are_not_for() {
    let algorithms = algorithms();
    let keys = generate(&algorithms, &["RSA-2048", "Ed25519", "X25519"]);
    for (key, signs) in keys.iter().zip([true, true, false]) {
        assert_eq!(SigningKey::new(&algorithms, key).is_ok(), signs);
        let public = key.public_key();
        assert_eq!(VerifyingKey::new(&algorithms, &public).is_ok(), signs);
    }
    let error = SigningKey::new(&algorithms, &keys[2]).unwrap_err();
    assert_eq!(error.to_string(), "a key of X25519 cannot sign");
    let error = AgreementKey::new(&algorithms, &keys[0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a key of RSA-2048 cannot agree on a secret"
    );
    let symmetric = br#"{"kty":"oct","k":"AAAA"}"#;
    let error = PublicKey::from_pem_or_der(symmetric).unwrap_err();
    assert_eq!(error, KeyError::UnknownAlgorithm("symmetric".into()));
    for name in ["RSA-", "P-255", "", "ed25519?"] {
        let error = PrivateKey::generate(&algorithms, name, &mut system_rng());
        assert_eq!(error.err(), Some(KeyError::UnknownAlgorithm(name.into())));
    }
}

/// Keys of short curves, which come from elsewhere, verify and do nothing else.
#[test]
fn weak_curves_only_verify() {
    let algorithms = algorithms();
    let rng = &mut system_rng();
    for name in ["P-192", "secp160r1", "secp192k1"] {
        let weak = Err(KeyError::WeakCurve(name.into()));
        let made = PrivateKey::generate(&algorithms, name, rng);
        assert_eq!(made.map(drop), weak);
        let curve = algorithms.curves().get(&name.parse::<Curve>().unwrap());
        let curve = curve.unwrap();
        let key = ec::PrivateKey::generate(&curve, rng).unwrap();
        let request = ecdsa::SignRequest {
            key: &ecdsa::SigningKey::new(&curve, &key).unwrap(),
            digest: Hash::Sha256.digest(b"m"),
        };
        let nonces = ecdsa::NonceKind::Deterministic;
        let signature = ecdsa::sign_batch(algorithms.engine(), rng, nonces, &[request]).remove(0);
        let signature = signature.unwrap().to_bytes(ecdsa::Encoding::Der);
        let key = PrivateKey::Ec(Box::new(key));
        assert_eq!(SigningKey::new(&algorithms, &key).map(drop), weak);
        assert_eq!(AgreementKey::new(&algorithms, &key).map(drop), weak);
        let permitted = SigningKey::new_permitting_weak(&algorithms, &key).unwrap();
        let verifying = VerifyingKey::new(&algorithms, &key.public_key()).unwrap();
        let request = VerifyRequest {
            key: &verifying,
            scheme: Scheme::of(verifying.public_key()),
            content: b"m".into(),
            signature: &signature,
        };
        assert_eq!(verify_batch(&algorithms, &[request]), [Ok(())]);
        let signed = SignRequest {
            key: &permitted,
            scheme: request.scheme,
            content: b"m".into(),
        };
        assert_eq!(
            sign_batch(&algorithms, rng, nonces, &[signed]),
            [Ok(signature.clone())]
        );
    }
}

/// RSA keys of fewer than 2048 bits sign if they are permitted to.
#[test]
fn weak_rsa_keys_sign_if_permitted() {
    let algorithms = algorithms();
    let pem = include_bytes!("fixtures/rsa1024.pkcs8.pem");
    let limits = KdfLimits::default();
    let key = PrivateKey::from_pem_or_der(&algorithms, pem, None, limits).unwrap();
    let refused = SigningKey::new(&algorithms, &key).map(drop);
    let too_short = rsa::KeyError::TooShortToSign(1024);
    assert_eq!(refused, Err(KeyError::Rsa(Box::new(too_short))));
    let key = SigningKey::new_permitting_weak(&algorithms, &key).unwrap();
    let request = SignRequest {
        key: &key,
        scheme: Scheme::of(key.public_key()),
        content: b"m".into(),
    };
    let nonces = NonceKind::Deterministic;
    assert!(sign_batch(&algorithms, &mut system_rng(), nonces, &[request])[0].is_ok());
}

/// A digest gets the signature of its message, where the scheme takes digests; other requests are refused, and harm
/// no neighbour.
#[test]
fn digests_in_the_place_of_messages() {
    let algorithms = algorithms();
    let (rng, nonces) = (&mut system_rng(), NonceKind::Deterministic);
    let message = b"a message";
    let keys = generate(&algorithms, &SIGNING);
    let keys = keys.iter().map(|key| SigningKey::new(&algorithms, key));
    let keys: Vec<_> = keys.map(Result::unwrap).collect();
    let mut requests = Vec::new();
    for key in &keys {
        let scheme = Scheme::of(key.public_key());
        let digest = scheme.hash().unwrap_or(Hash::Sha512).digest(message);
        let other = Hash::Sha3_384.digest(message);
        for content in [message.into(), digest.into(), other.into()] {
            requests.push(SignRequest {
                key,
                scheme,
                content,
            });
        }
    }
    let bip340 = Scheme::Bip340 { auxiliary: None };
    for content in [
        Content::Message(message),
        Hash::Sha256.digest(message).into(),
        Hash::Sha3_384.digest(message).into(),
    ] {
        requests.push(SignRequest {
            key: &keys[3],
            scheme: bip340,
            content,
        });
    }
    let signatures = sign_batch(&algorithms, rng, nonces, &requests);
    for (requests, signatures) in requests.chunks(3).zip(signatures.chunks(3)) {
        let SignRequest { key, scheme, .. } = requests[0];
        let signature = signatures[0].as_ref().unwrap();
        let verifying = key.verifying_key();
        let verify = requests.iter().map(|request| VerifyRequest {
            key: &verifying,
            scheme,
            content: request.content,
            signature,
        });
        let verdicts = verify_batch(&algorithms, &verify.collect::<Vec<_>>());
        assert_eq!(verdicts[0], Ok(()));
        let refused = |error: ContentError, k: usize| {
            assert_eq!(signatures[k], Err(error.clone().into()));
            assert_eq!(verdicts[k], Err(error.into()));
        };
        if let Some(expected) = scheme.hash() {
            assert_eq!(signatures[1].as_ref(), Ok(signature));
            assert_eq!(verdicts[1], Ok(()));
            let given = Hash::Sha3_384;
            refused(ContentError::OtherHash { expected, given }, 2);
        } else {
            let name = if scheme == bip340 { "BIP 340" } else { "EdDSA" };
            for k in [1, 2] {
                refused(ContentError::MessageNeeded(name), k);
            }
        }
    }
    let other = ContentError::OtherHash {
        expected: Hash::Sha256,
        given: Hash::Sha512,
    };
    for (error, words) in [
        (
            other,
            "the scheme takes digests by sha256, and this is one by sha512",
        ),
        (
            ContentError::MessageNeeded("EdDSA"),
            "EdDSA takes messages as they are, and this is the digest of one",
        ),
    ] {
        assert_eq!(error.to_string(), words);
        assert!(!VerifyError::from(error).is_undecided());
    }
}

/// The algorithms of JSON Web Signatures are schemes of the keys that they are for, and of no others.
#[test]
fn schemes_of_json_web_signatures() {
    let algorithms = algorithms();
    let names = [
        "RSA-2048",
        "P-256",
        "secp256k1",
        "P-384",
        "P-521",
        "Ed25519",
        "Ed448",
        "X25519",
    ];
    let keys = generate(&algorithms, &names);
    let ecdsa = |hash| Scheme::Ecdsa {
        hash,
        encoding: ecdsa::Encoding::Raw,
        s: ecdsa::SRange::Any,
    };
    let pkcs1v15 = |hash| Scheme::Rsa(rsa::Scheme::Pkcs1v15, hash);
    let pss = |hash| Scheme::Rsa(rsa::Scheme::PSS, hash);
    let eddsa = Scheme::Eddsa(eddsa::Variant::Pure);
    for (alg, scheme, of) in [
        ("RS256", Some(pkcs1v15(Hash::Sha256)), &["RSA-2048"][..]),
        ("RS384", Some(pkcs1v15(Hash::Sha384)), &["RSA-2048"]),
        ("RS512", Some(pkcs1v15(Hash::Sha512)), &["RSA-2048"]),
        ("PS256", Some(pss(Hash::Sha256)), &["RSA-2048"]),
        ("PS384", Some(pss(Hash::Sha384)), &["RSA-2048"]),
        ("PS512", Some(pss(Hash::Sha512)), &["RSA-2048"]),
        ("ES256", Some(ecdsa(Hash::Sha256)), &["P-256"]),
        ("ES256K", Some(ecdsa(Hash::Sha256)), &["secp256k1"]),
        ("ES384", Some(ecdsa(Hash::Sha384)), &["P-384"]),
        ("ES512", Some(ecdsa(Hash::Sha512)), &["P-521"]),
        ("EdDSA", Some(eddsa), &["Ed25519", "Ed448"]),
        ("Ed25519", Some(eddsa), &["Ed25519"]),
        ("Ed448", Some(eddsa), &["Ed448"]),
        ("ECDH-ES", None, &[]),
        ("rs256", None, &[]),
    ] {
        for (name, key) in names.iter().zip(&keys) {
            let expected = scheme.filter(|_| of.contains(name));
            assert_eq!(
                Scheme::of_jws(alg, &key.public_key()),
                expected,
                "{alg}, {name}"
            );
        }
    }
}

#[test]
fn keys_are_made_by_the_batch() {
    let algorithms = algorithms();
    let rng = &mut system_rng();
    let mut make = |name: &str, count| {
        let watch = &mut primes::unwatched;
        PrivateKey::generate_batch(&algorithms, name, rng, count, watch)
    };
    for (name, count) in [("RSA-2048", 2), ("P-256", 3), ("X25519", 0)] {
        let keys = make(name, count).unwrap();
        let public: Vec<_> = keys.iter().map(PrivateKey::public_key).collect();
        assert_eq!(public.len(), count);
        for (place, key) in public.iter().enumerate() {
            assert_eq!(key.algorithm(), name);
            assert!(!public[..place].contains(key));
        }
    }
    assert!(matches!(make("RSA-512", 1), Err(KeyError::Rsa(_))));
    assert_eq!(
        make("P-192", 1).err(),
        Some(KeyError::WeakCurve("P-192".into()))
    );
    let mut stop = |_| core::ops::ControlFlow::Break(());
    let stopped =
        PrivateKey::generate_batch(&algorithms, "RSA-2048", &mut system_rng(), 1, &mut stop);
    assert!(matches!(stopped, Err(KeyError::Rsa(error)) if *error == rsa::KeyError::Cancelled));
}
