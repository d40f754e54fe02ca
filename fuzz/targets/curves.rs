//! Files as public keys of curves, points, and signatures by ECDSA. What is accepted is written as it
//! was read: keys and points in one of two forms, signatures byte for byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use sunzi_pk::ec::ecdsa::{Encoding, Signature};
use sunzi_pk::ec::{Curve, PublicKey, eddsa, xdh};

static CURVES: LazyLock<Vec<Curve>> = LazyLock::new(|| {
    let curves = Curve::ALL_NAMES.iter().map(|name| name.parse());
    curves.map(|curve| curve.expect("it is a name")).collect()
});

fuzz_target!(|bytes: &[u8]| {
    if let Ok(key) = PublicKey::from_pem_or_der(bytes) {
        let written = key.to_spki_der().expect("its curve has a name");
        assert_eq!(PublicKey::from_pem_or_der(&written).as_ref(), Ok(&key));
    }
    if let Ok(key) = eddsa::PublicKey::from_pem_or_der(bytes) {
        let written = eddsa::PublicKey::from_pem_or_der(&key.to_spki_der());
        assert_eq!(written.as_ref(), Ok(&key));
    }
    if let Ok(key) = xdh::PublicKey::from_pem_or_der(bytes) {
        let written = xdh::PublicKey::from_pem_or_der(&key.to_spki_der());
        assert_eq!(written.as_ref(), Ok(&key));
    }
    for curve in &*CURVES {
        if let Ok(key) = PublicKey::from_sec1_bytes(curve, bytes) {
            let written = [false, true].map(|compressed| key.to_sec1_bytes(compressed));
            assert!(written.iter().any(|written| written == bytes), "{curve}");
        }
        for encoding in [Encoding::Der, Encoding::Raw] {
            if let Ok(signature) = Signature::from_bytes(curve, encoding, bytes) {
                assert_eq!(signature.to_bytes(encoding), bytes, "{curve}");
            }
        }
    }
});
