//! Files as keys of any algorithm: those of curves for ECDSA and ECDH, of Edwards and of Montgomery curves and
//! of RSA, in PEM, DER and JSON, encrypted ones too. A key that is read is written in every format that it
//! has, and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::KdfLimits;
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey};

/// The passphrase of the encrypted seeds, which have few rounds.
const PASSPHRASE: &[u8] = b"sunzi";
const LIMITS: KdfLimits = KdfLimits::new(16, 1 << 14, 2);

static ALGORITHMS: LazyLock<Algorithms> = LazyLock::new(|| {
    let engine = Engine::new(Backend::best()).expect("it is present");
    Algorithms::new(&engine)
});

fuzz_target!(|file: &[u8]| {
    if let Ok(key) = PublicKey::from_pem_or_der(file) {
        check_public(&key);
    }
    let Ok(key) = PrivateKey::from_pem_or_der(&ALGORITHMS, file, Some(PASSPHRASE), LIMITS) else {
        return;
    };
    check_public(&key.public_key());
    // Curves of parameters without a name have no identifier, and some curves no name in JSON.
    let Ok(der) = key.to_pkcs8_der() else { return };
    let pem = key.to_pkcs8_pem().expect("it has been written as DER");
    let jwk = key.to_jwk().ok();
    let texts = [Some(pem), jwk].into_iter().flatten();
    let files = texts.map(|text| text.as_bytes().to_vec());
    for written in files.chain([der.to_vec()]) {
        let again = PrivateKey::from_pem_or_der(&ALGORITHMS, &written, None, LIMITS);
        let again = again.expect("what is written is read");
        assert_eq!(again.to_pkcs8_der().as_ref(), Ok(&der));
    }
});

fn check_public(key: &PublicKey) {
    assert!(!key.algorithm().is_empty());
    let texts = [key.to_spki_pem().ok(), key.to_jwk().ok()];
    let files = texts.into_iter().flatten().map(String::into_bytes);
    for written in files.chain(key.to_spki_der().ok()) {
        assert_eq!(PublicKey::from_pem_or_der(&written).as_ref(), Ok(key));
    }
}
