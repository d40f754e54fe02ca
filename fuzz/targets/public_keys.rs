//! Files as public keys: `SubjectPublicKeyInfo` and PKCS#1, PEM and DER. There is one DER of a key in
//! each format, so that what is accepted must be what is written, but for parameters that may be
//! left out.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sunzi_pk::rsa::{PrivateKey, PublicKey};

/// The algorithm of a key in `SubjectPublicKeyInfo`, with and without NULL as its parameters.
const ALGORITHM: [&[u8]; 2] = [
    b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00",
    b"\x30\x0b\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01",
];

fuzz_target!(|file: &[u8]| {
    let Ok(key) = PublicKey::from_pem_or_der(file) else {
        return;
    };
    let (spki, pkcs1) = (key.to_spki_der(), key.to_pkcs1_der());
    for written in [
        &spki,
        &pkcs1,
        key.to_spki_pem().as_bytes(),
        key.to_pkcs1_pem().as_bytes(),
    ] {
        assert_eq!(PublicKey::from_pem_or_der(written).as_ref(), Ok(&key));
    }
    let is_pem = file.windows(11).any(|window| window == b"-----BEGIN ");
    if !is_pem && PrivateKey::from_pem_or_der(file, None).is_err() {
        assert!(
            file == spki || file == pkcs1 || file == without_parameters(&spki),
            "two encodings of one key"
        );
    }
});

/// `SubjectPublicKeyInfo` without the parameters of its algorithm.
fn without_parameters(spki: &[u8]) -> Vec<u8> {
    let place = spki
        .windows(ALGORITHM[0].len())
        .position(|window| window == ALGORITHM[0])
        .expect("the algorithm is RSA");
    let key = &spki[place + ALGORITHM[0].len()..];
    let length = ALGORITHM[1].len() + key.len();
    let mut der = vec![0x30];
    match length {
        0..0x80 => der.push(length as u8),
        0x80..0x100 => der.extend([0x81, length as u8]),
        _ => der.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    der.extend_from_slice(ALGORITHM[1]);
    der.extend_from_slice(key);
    der
}
