//! What Paillier's cryptosystem takes from others: keys in JSON as `phe` writes them, encoded numbers with
//! their exponents, doubles, and ciphertexts. Encodings and sums are compared with num-bigint, and a
//! ciphertext is decrypted, or refused if it is none.

#![no_main]

use crypto_bigint::BoxedUint;
use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::paillier::{
    DecryptionKey, EncodeError, Encoded, EncryptionKey, Method, PaillierError, PrivateKey,
    PublicKey, add_batch, decrypt_batch, from_bytes,
};
use zeroize::Zeroizing;

struct Prepared {
    engine: Engine,
    key: PublicKey,
    encryption: EncryptionKey,
    decryption: DecryptionKey,
}

static PREPARED: LazyLock<Prepared> = LazyLock::new(|| {
    let seed = include_str!("../seeds/paillier/private");
    let private = PrivateKey::from_jwk(&seed[1..]).expect("the seed is a key");
    let engine = Engine::new(Backend::best()).expect("it is present");
    let key = private.public_key().clone();
    Prepared {
        encryption: EncryptionKey::new(&engine, &key, Method::Full).expect("the key is fit"),
        decryption: DecryptionKey::new(&engine, &private).expect("the key is fit"),
        engine,
        key,
    }
});

fuzz_target!(|input: &[u8]| {
    match input {
        [b'k', text @ ..] => keys(text),
        [b'e', exponent, rest @ ..] => encoded(*exponent, rest),
        [b'c', rest @ ..] => ciphertexts(rest),
        _ => {}
    }
});

/// Keys that are read are written and read again.
fn keys(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    if let Ok(key) = PublicKey::from_jwk(text) {
        assert_eq!(
            PublicKey::from_jwk(&key.to_jwk(Some(text))).as_ref(),
            Ok(&key)
        );
    }
    if let Ok(key) = PrivateKey::from_jwk(text) {
        let again = PrivateKey::from_jwk(&key.to_jwk(None)).expect("what is written is read");
        assert_eq!(again.primes(), key.primes());
        assert_eq!(again.public_key(), key.public_key());
    }
}

/// A number as others encode it, at most twice as long as n, and a double.
fn encoded(exponent: u8, rest: &[u8]) {
    let key = &PREPARED.key;
    let exponent = i32::from(exponent as i8) * if exponent % 7 == 0 { 1 << 24 } else { 1 };
    let bytes = &rest[..rest.len().min(2 * key.plaintext_size())];
    let (value, n) = (BigUint::from_bytes_be(bytes), big(key.n()));
    let number = Encoded {
        value: Zeroizing::new(from_bytes(bytes)),
        exponent,
    };
    let largest = &n / 3u32 - 1u32;
    let expected = if value >= n {
        Err(EncodeError::NotReduced)
    } else if value <= largest {
        Ok((false, value))
    } else if &n - &value <= largest {
        Ok((true, &n - &value))
    } else {
        Err(EncodeError::Overflow)
    };
    let mantissa = number.mantissa(key);
    let mantissa = mantissa.map(|(negative, magnitude)| (negative, big(&magnitude)));
    assert_eq!(mantissa, expected);
    let double = number.to_double_vartime(key);
    assert!(double.is_ok() || expected.is_err() || double == Err(EncodeError::TooLarge));
    if let (Ok(double), Ok(lower)) = (
        double,
        number.with_exponent(key, exponent.saturating_sub(3)),
    ) {
        assert_eq!(lower.to_double_vartime(key), Ok(double));
    }
    if let Some(bytes) = rest.first_chunk() {
        let x = f64::from_be_bytes(*bytes);
        match Encoded::double(key, x) {
            Ok(encoded) => assert_eq!(encoded.to_double_vartime(key), Ok(x)),
            Err(error) => assert!(!x.is_finite() && error == EncodeError::NotFinite),
        }
        if let Ok(encoded) = Encoded::double_at(key, x, exponent) {
            assert!(encoded.mantissa(key).is_ok());
        }
    }
}

/// Two ciphertexts, their product, and what the first one decrypts to.
fn ciphertexts(rest: &[u8]) {
    let Prepared {
        engine,
        key,
        encryption,
        decryption,
    } = &*PREPARED;
    let size = key.ciphertext_size() + 1;
    let (first, second) = rest.split_at(rest.len().min(size));
    let numbers = [first, &second[..second.len().min(size)]].map(from_bytes);
    let square = big(key.n_squared());
    let is_in_range = |x: &BoxedUint| big(x) != BigUint::ZERO && big(x) < square;
    let product = add_batch(engine, encryption, &[(&numbers[0], &numbers[1])]).remove(0);
    match product {
        Ok(product) => assert_eq!(big(&product), big(&numbers[0]) * big(&numbers[1]) % &square),
        Err(error) => {
            assert!(!numbers.iter().all(is_in_range));
            assert_eq!(error, PaillierError::CiphertextRange);
        }
    }
    match decrypt_batch(engine, decryption, &numbers[..1]).remove(0) {
        Ok(plaintext) => assert!(is_in_range(&numbers[0]) && *plaintext < *key.n()),
        // A prime of n is not found by chance, but n itself may be.
        Err(PaillierError::Fault) => assert_eq!(big(&numbers[0]) % big(key.n()), BigUint::ZERO),
        Err(error) => {
            assert!(!is_in_range(&numbers[0]));
            assert_eq!(error, PaillierError::CiphertextRange);
        }
    }
}

fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_be(&x.to_be_bytes())
}
