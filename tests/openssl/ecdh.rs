//! ECDH: Sunzi and OpenSSL agree on the same secrets, on every curve that both have.

use openssl::derive::Deriver;
use openssl::ec::{Asn1Flag, EcGroup, EcKey};
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::ecdh::{AgreeRequest, AgreementKey, agree_batch};
use sunzi_pk::ec::{PreparedCurves, PrivateKey, PublicKey};
use sunzi_pk::system_rng;

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

/// A private key of Sunzi, and one of OpenSSL with its public half as Sunzi reads it.
struct Pair {
    ours: PrivateKey,
    theirs: PKey<Private>,
    their_public: PublicKey,
}

fn pair(curves: &PreparedCurves, name: &str, nid: Nid) -> Option<Pair> {
    let mut group = EcGroup::from_curve_name(nid)
        .inspect_err(|_| println!("SKIPPED: OpenSSL has no {name}"))
        .ok()?;
    group.set_asn1_flag(Asn1Flag::NAMED_CURVE);
    let theirs = PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap();
    let prepared = curves.get(&name.parse().unwrap()).unwrap();
    Some(Pair {
        ours: PrivateKey::generate(&prepared, &mut system_rng()).unwrap(),
        their_public: PublicKey::from_pem_or_der(&theirs.public_key_to_der().unwrap()).unwrap(),
        theirs,
    })
}

#[test]
fn secrets_are_the_same() {
    let curves = PreparedCurves::new(&Engine::new(Backend::best()).unwrap());
    let pairs: Vec<Pair> = CURVES
        .iter()
        .flat_map(|&curve| [curve; 4])
        .filter_map(|(name, nid)| pair(&curves, name, nid))
        .collect();
    assert!(pairs.len() >= 48);
    let keys: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let curve = curves.get(pair.ours.curve()).unwrap();
            AgreementKey::new(&curve, &pair.ours).unwrap()
        })
        .collect();
    let requests: Vec<_> = pairs
        .iter()
        .zip(&keys)
        .map(|(pair, key)| AgreeRequest {
            key,
            peer: &pair.their_public,
        })
        .collect();
    let secrets = agree_batch(curves.engine(), &requests);
    for (pair, secret) in pairs.iter().zip(secrets) {
        let ours = pair.ours.public_key().to_spki_der().unwrap();
        let ours = PKey::public_key_from_der(&ours).unwrap();
        let mut deriver = Deriver::new(&pair.theirs).unwrap();
        deriver.set_peer(&ours).unwrap();
        let right = deriver.derive_to_vec().unwrap();
        let curve = pair.ours.curve();
        assert_eq!(secret.unwrap().as_bytes(), right, "{curve}");
    }
}
