//! ECDSA: key files and signatures cross over between Sunzi and OpenSSL, in both directions, on every
//! curve that both have.

use openssl::ec::{Asn1Flag, EcGroup, EcKey};
use openssl::ecdsa::EcdsaSig;
use openssl::md::Md;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private, Public};
use openssl::pkey_ctx::{NonceType, PkeyCtx};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::ecdsa::{
    Encoding, NonceKind, SRange, SignRequest, SigningKey, VerifyError, VerifyRequest, sign_batch,
    verify_batch,
};
use sunzi_pk::ec::{Curve, PreparedCurves, PrivateKey, PublicKey};
use sunzi_pk::{Hash, system_rng};

const CURVES: [(&str, Nid); 19] = [
    ("P-192", Nid::X9_62_PRIME192V1),
    ("P-224", Nid::SECP224R1),
    ("P-256", Nid::X9_62_PRIME256V1),
    ("P-384", Nid::SECP384R1),
    ("P-521", Nid::SECP521R1),
    ("secp160k1", Nid::SECP160K1),
    ("secp160r1", Nid::SECP160R1),
    ("secp160r2", Nid::SECP160R2),
    ("secp192k1", Nid::SECP192K1),
    ("secp224k1", Nid::SECP224K1),
    ("secp256k1", Nid::SECP256K1),
    ("brainpoolP256r1", Nid::BRAINPOOL_P256R1),
    // OpenSSL's numbers of the twisted curves, which its crate does not name.
    ("brainpoolP256t1", Nid::from_raw(928)),
    ("brainpoolP320t1", Nid::from_raw(930)),
    ("brainpoolP384t1", Nid::from_raw(932)),
    ("brainpoolP512t1", Nid::from_raw(934)),
    ("brainpoolP320r1", Nid::BRAINPOOL_P320R1),
    ("brainpoolP384r1", Nid::BRAINPOOL_P384R1),
    ("brainpoolP512r1", Nid::BRAINPOOL_P512R1),
];

/// One key, in Sunzi's and in OpenSSL's form.
struct Pair {
    ours: SigningKey,
    theirs: EcKey<Private>,
}

/// A key made by OpenSSL and one made by Sunzi, handed over in files.
fn pairs(curves: &PreparedCurves, name: &str, nid: Nid) -> Option<[Pair; 2]> {
    let mut group = EcGroup::from_curve_name(nid)
        .inspect_err(|_| println!("SKIPPED: OpenSSL has no {name}"))
        .ok()?;
    group.set_asn1_flag(Asn1Flag::NAMED_CURVE);
    let curve: Curve = name.parse().unwrap();
    let prepared = curves.get(&curve).unwrap();

    let theirs = EcKey::generate(&group).unwrap();
    let key = PKey::from_ec_key(theirs.clone()).unwrap();
    let file = key.private_key_to_pem_pkcs8().unwrap();
    let ours = PrivateKey::from_pem_or_der(curves, &file, None).unwrap();
    let sec1 = theirs.private_key_to_pem().unwrap();
    let from_sec1 = PrivateKey::from_pem_or_der(curves, &sec1, None).unwrap();
    assert_eq!(from_sec1.to_bytes(), ours.to_bytes());
    let public = PublicKey::from_pem_or_der(&key.public_key_to_pem().unwrap()).unwrap();
    assert_eq!(public, *ours.public_key());
    assert_eq!(ours.to_pkcs8_pem().unwrap().as_bytes(), file);
    assert_eq!(ours.to_sec1_pem().unwrap().as_bytes(), sec1);
    assert_eq!(
        public.to_spki_pem().unwrap().as_bytes(),
        key.public_key_to_pem().unwrap()
    );
    let first = Pair {
        ours: SigningKey::new(&prepared, &ours).unwrap(),
        theirs,
    };

    let ours = PrivateKey::generate(&prepared, &mut system_rng()).unwrap();
    let theirs = PKey::private_key_from_der(&ours.to_pkcs8_der().unwrap()).unwrap();
    let second = Pair {
        ours: SigningKey::new(&prepared, &ours).unwrap(),
        theirs: theirs.ec_key().unwrap(),
    };
    Some([first, second])
}

#[test]
fn signatures_cross_over() {
    let curves = PreparedCurves::new(&Engine::new(Backend::best()).unwrap());
    let engine = curves.engine();
    let pairs: Vec<Pair> = CURVES
        .iter()
        .filter_map(|(name, nid)| pairs(&curves, name, *nid))
        .flatten()
        .collect();
    assert!(pairs.len() >= 12);
    let digests: Vec<_> = Hash::ALL
        .iter()
        .map(|hash| hash.digest(b"a message"))
        .collect();
    let work: Vec<_> = pairs
        .iter()
        .flat_map(|pair| digests.iter().map(move |digest| (pair, *digest)))
        .collect();

    let requests: Vec<_> = work
        .iter()
        .map(|&(pair, digest)| SignRequest {
            key: &pair.ours,
            digest,
        })
        .collect();
    let ours = sign_batch(engine, &mut system_rng(), NonceKind::Hedged, &requests);
    for ((pair, digest), signature) in work.iter().zip(ours) {
        let signature = signature.unwrap().to_bytes(Encoding::Der);
        let signature = EcdsaSig::from_der(&signature).unwrap();
        let public: EcKey<Public> =
            EcKey::from_public_key(pair.theirs.group(), pair.theirs.public_key()).unwrap();
        assert!(signature.verify(digest.as_bytes(), &public).unwrap());
    }

    let theirs: Vec<Vec<u8>> = work
        .iter()
        .map(|(pair, digest)| {
            let signature = EcdsaSig::sign(digest.as_bytes(), &pair.theirs).unwrap();
            signature.to_der().unwrap()
        })
        .collect();
    let verify = |shift: usize| {
        let requests: Vec<_> = (0..work.len())
            .map(|k| VerifyRequest {
                key: work[k].0.ours.verifying_key(),
                digest: work[(k + shift) % work.len()].1,
                encoding: Encoding::Der,
                s: SRange::Any,
                signature: &theirs[k],
            })
            .collect();
        verify_batch(engine, &requests)
    };
    assert!(verify(0).iter().all(Result::is_ok));
    let refused = verify(1);
    assert!(
        refused
            .iter()
            .all(|verdict| *verdict == Err(VerifyError::Mismatch))
    );
}

/// Signatures with deterministic nonces equal OpenSSL's: on every curve, including Brainpool's, whose orders refuse a
/// third of all candidates for a nonce, and with every hash.
#[test]
fn deterministic_signatures() {
    let curves = PreparedCurves::new(&Engine::new(Backend::best()).unwrap());
    let hashes = [
        (Hash::Sha224, Md::sha224()),
        (Hash::Sha256, Md::sha256()),
        (Hash::Sha384, Md::sha384()),
        (Hash::Sha512, Md::sha512()),
        (Hash::Sha3_224, Md::sha3_224()),
        (Hash::Sha3_256, Md::sha3_256()),
        (Hash::Sha3_384, Md::sha3_384()),
        (Hash::Sha3_512, Md::sha3_512()),
    ];
    let pairs: Vec<Pair> = CURVES
        .iter()
        .filter_map(|(name, nid)| pairs(&curves, name, *nid))
        .flatten()
        .collect();
    let mut requests = Vec::new();
    let mut expected = Vec::new();
    for pair in &pairs {
        let key = PKey::from_ec_key(pair.theirs.clone()).unwrap();
        for message in 0..6u8 {
            for (hash, md) in hashes {
                let digest = hash.digest(&[message]);
                let mut context = PkeyCtx::new(&key).unwrap();
                context.sign_init().unwrap();
                context.set_signature_md(md).unwrap();
                context.set_nonce_type(NonceType::DETERMINISTIC_K).unwrap();
                let mut signature = Vec::new();
                context
                    .sign_to_vec(digest.as_bytes(), &mut signature)
                    .unwrap();
                expected.push(signature);
                requests.push(SignRequest {
                    key: &pair.ours,
                    digest,
                });
            }
        }
    }
    let kind = NonceKind::Deterministic;
    let signatures = sign_batch(curves.engine(), &mut system_rng(), kind, &requests);
    for ((signature, expected), request) in signatures.into_iter().zip(expected).zip(requests) {
        let signature = signature.unwrap().to_bytes(Encoding::Der);
        let (key, hash) = (request.key.public_key(), request.digest.hash());
        assert_eq!(signature, expected, "{} with {hash}", key.curve());
    }
}
