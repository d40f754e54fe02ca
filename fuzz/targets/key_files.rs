//! Files as private keys, encrypted ones too. A key that is read is written, in all formats, and
//! read again. The limits on key derivation are so low that no case is slow.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sunzi_pk::rsa::{KeyError, PrivateKey, PublicKey};
use sunzi_pk::{KdfLimits, KeyFileError};

/// The passphrase of the encrypted seeds, which have few rounds.
const PASSPHRASE: &[u8] = b"sunzi";
const LIMITS: KdfLimits = KdfLimits::new(16, 1 << 14, 2);

fuzz_target!(|file: &[u8]| {
    let locked = PrivateKey::from_pem_or_der_within(file, None, LIMITS);
    let open = PrivateKey::from_pem_or_der_within(file, Some(PASSPHRASE), LIMITS);
    match (&locked, &open) {
        (Err(KeyError::File(KeyFileError::PassphraseNeeded)), _) => {}
        (locked, open) => assert_eq!(numbers(locked), numbers(open), "no passphrase is needed"),
    }
    // A file of several blocks may have one of each.
    let _ = PublicKey::from_pem_or_der(file);
    let Ok(key) = open else { return };
    for written in [
        key.to_pkcs8_der().to_vec(),
        key.to_pkcs1_der().to_vec(),
        key.to_pkcs8_pem().as_bytes().to_vec(),
        key.to_pkcs1_pem().as_bytes().to_vec(),
        key.to_jwk().as_bytes().to_vec(),
    ] {
        let again = PrivateKey::from_pem_or_der(&written, None);
        assert_eq!(numbers(&again), Ok(key.to_pkcs1_der().to_vec()));
        let public = PublicKey::from_pem_or_der(&written).expect("a private key has a public half");
        assert_eq!(&public, key.public_key());
    }
});

/// The numbers of a key, to be compared, or the error.
fn numbers(key: &Result<PrivateKey, KeyError>) -> Result<Vec<u8>, &KeyError> {
    key.as_ref().map(|key| key.to_pkcs1_der().to_vec())
}
