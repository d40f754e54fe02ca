//! Signatures and ciphertexts. The input is what the padding's decoder sees: it is made the result of
//! the public or the private operation by raising it to the other exponent. PKCS#1 v1.5 accepts exactly one
//! input; the other decoders must not panic, and whatever encrypts must decrypt to itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptionScheme, PrivateKey, SaltLen, Scheme, VerifyRequest,
    VerifyingKey, decrypt_batch, verify_batch,
};
use sunzi_pk::{Hash, system_rng};

/// Length of the modulus in bytes.
const SIZE: usize = 128;

struct Prepared {
    engine: Engine,
    verifying: VerifyingKey,
    decryption: DecryptionKey,
    modulus: BigUint,
    public_exponent: BigUint,
    private_exponent: BigUint,
}

static PREPARED: LazyLock<Prepared> = LazyLock::new(|| {
    let file = include_bytes!("../../crates/pk/tests/fixtures/rsa1024.pkcs8.pem");
    let key = PrivateKey::from_pem_or_der(file, None).expect("the fixture is a key");
    let key = key.permit_1024();
    let engine = Engine::new(Backend::best()).expect("it is present");
    // RSAPrivateKey is a sequence of integers: version, n, e, d, ...
    let der = key.to_pkcs1_der();
    let numbers = integers(&der[4..]);
    Prepared {
        verifying: VerifyingKey::new(&engine, key.public_key()).expect("the key is fit"),
        decryption: DecryptionKey::new(&engine, &key).expect("short keys are permitted"),
        engine,
        modulus: numbers[1].clone(),
        public_exponent: numbers[2].clone(),
        private_exponent: numbers[3].clone(),
    }
});

/// The integers of a sequence, whose lengths are below 256 bytes.
fn integers(mut der: &[u8]) -> Vec<BigUint> {
    let mut integers = Vec::new();
    while let [2, rest @ ..] = der {
        let (length, rest) = match rest {
            [0x81, length, rest @ ..] | [length, rest @ ..] => (*length as usize, rest),
            [] => break,
        };
        integers.push(BigUint::from_bytes_be(&rest[..length]));
        der = &rest[length..];
    }
    integers
}

fuzz_target!(|input: &[u8]| {
    let Prepared {
        engine,
        verifying,
        decryption,
        modulus,
        public_exponent,
        private_exponent,
    } = &*PREPARED;
    let mut encoded = [0; SIZE];
    let length = input.len().min(SIZE);
    encoded[..length].copy_from_slice(&input[..length]);
    let integer = BigUint::from_bytes_be(&encoded);
    if &integer >= modulus {
        return;
    }
    let raise = |exponent| {
        let power = integer.modpow(exponent, modulus).to_bytes_be();
        let mut octets = vec![0; SIZE - power.len()];
        octets.extend(power);
        octets
    };
    let (signature, ciphertext) = (raise(private_exponent), raise(public_exponent));

    let digest = Hash::Sha256.digest(b"");
    let schemes = [
        Scheme::Pkcs1v15,
        Scheme::PSS,
        Scheme::pss(SaltLen::Any),
        Scheme::pss(SaltLen::Bytes(0)),
    ];
    let requests = schemes.map(|scheme| VerifyRequest {
        key: verifying,
        scheme,
        digest,
        signature: &signature,
    });
    let verdicts = verify_batch(engine, &requests);
    assert_eq!(verdicts[0].is_ok(), encoded == expected(digest.as_bytes()));
    // A salt as long as the digest, or none, is one of any length.
    if verdicts[1].is_ok() || verdicts[3].is_ok() {
        assert_eq!(verdicts[2], Ok(()));
    }
    // Signatures of any length are refused, not only those as long as the modulus.
    let short = VerifyRequest {
        signature: &input[..length],
        ..requests[0]
    };
    assert!(length == SIZE || verify_batch(engine, &[short])[0].is_err());

    let schemes = [EncryptionScheme::OAEP, EncryptionScheme::Pkcs1v15];
    let requests = schemes.map(|scheme| DecryptRequest {
        key: decryption,
        scheme,
        ciphertext: &ciphertext,
    });
    let answers = decrypt_batch(engine, &mut system_rng(), &requests);
    let message = answers[1].as_ref().expect("wrong padding gives no error");
    if let Some(inside) = pkcs1v15_message(&encoded) {
        assert_eq!(message.as_slice(), inside);
    }
});

/// The encoded message of PKCS#1 v1.5 for a digest of SHA-256.
fn expected(digest: &[u8]) -> [u8; SIZE] {
    let mut suffix =
        b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\0\x04\x20".to_vec();
    suffix.extend_from_slice(digest);
    let mut encoded = [0xff; SIZE];
    encoded[..2].copy_from_slice(&[0, 1]);
    encoded[SIZE - suffix.len() - 1] = 0;
    encoded[SIZE - suffix.len()..].copy_from_slice(&suffix);
    encoded
}

/// The message in an encoded message of PKCS#1 v1.5 encryption, if its padding is right.
fn pkcs1v15_message(encoded: &[u8]) -> Option<&[u8]> {
    let padded = encoded.strip_prefix(&[0, 2])?;
    let zero = padded.iter().position(|&byte| byte == 0)?;
    (zero >= 8).then(|| &padded[zero + 1..])
}
