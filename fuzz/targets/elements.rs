//! Encodings of points: elements of groups of prime order, pairing-friendly curves included, by SEC 1 and as
//! Zcash has them, and public keys of Schnorr signatures, EdDSA and X25519. What is accepted is written as it
//! was read, and batches decide as single elements do.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::{
    Curve, EdwardsCurve, ElementFormat, GroupElement, MontgomeryCurve, PreparedCurve, decode_batch,
    eddsa, schnorr, xdh,
};

static CURVES: LazyLock<Vec<PreparedCurve>> = LazyLock::new(|| {
    let engine = Engine::new(Backend::best()).expect("it is present");
    let names = Curve::PAIRING_NAMES.iter().chain(Curve::ALL_NAMES);
    let curves = names.map(|name| name.parse().expect("it is a name"));
    curves
        .map(|curve| PreparedCurve::new(&engine, &curve).expect("all curves are served"))
        .collect()
});

fuzz_target!(|input: &[u8]| {
    let [choice, bytes @ ..] = input else {
        return;
    };
    let prepared = &CURVES[usize::from(choice & 0x3f) % CURVES.len()];
    let curve = prepared.curve();
    let format = match choice & 0x40 {
        0 => ElementFormat::Sec1,
        _ => ElementFormat::Zcash,
    };
    let element = GroupElement::from_bytes(curve, format, bytes);
    if let Ok(element) = &element {
        let written = [false, true].map(|compressed| element.to_bytes(format, compressed));
        let written = written.map(|bytes| bytes.expect("it was read in this format"));
        assert!(written.iter().any(|written| written == bytes), "{curve}");
        let opposite = element.negated();
        assert_eq!(opposite.negated(), *element);
        assert_eq!(opposite.is_identity(), element.is_identity());
    }
    if choice & 0x80 != 0 {
        let batch = decode_batch(prepared, format, &[bytes, bytes]).expect("the engine computes");
        assert_eq!(batch, [element.clone(), element], "{curve}");
    }

    if let Ok(key) = schnorr::VerifyingKey::from_bytes(prepared, bytes) {
        assert_eq!(key.to_bytes().as_slice(), bytes);
    }
    for &curve in EdwardsCurve::ALL {
        if let Ok(key) = eddsa::PublicKey::from_bytes(curve, bytes) {
            assert_eq!(key.as_bytes(), bytes);
        }
    }
    for &curve in MontgomeryCurve::ALL {
        if let Ok(key) = xdh::PublicKey::from_bytes(curve, bytes) {
            assert_eq!(key.as_bytes(), bytes);
        }
    }
});
