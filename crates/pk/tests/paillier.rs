//! Paillier's cryptosystem against num-bigint and the Python package phe.

mod common;

use common::{big, boxed, fixture};
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use num_integer::Integer;
use serde::Deserialize;
use std::ops::ControlFlow;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::paillier::{
    DecryptionKey, EncodeError, Encoded, EncryptionKey, KeyError, Method, PaillierError,
    PrivateKey, PublicKey, add_batch, add_plain_batch, decrypt_batch, encrypt_batch, from_bytes,
    multiply_batch, multiply_batch_vartime, negate_batch_vartime, randomize_batch, sum, to_bytes,
};
use sunzi_pk::primes::unwatched;
use sunzi_pk::system_rng;

/// The numbers of phe for one key (`scripts/phe.py`).
#[derive(Deserialize)]
struct Phe {
    bits: u32,
    public: String,
    private: String,
    raw: Vec<Raw>,
    encoded: Vec<EncodedNumber>,
    product: Product,
}

#[derive(Deserialize)]
struct Raw {
    m: String,
    c: String,
}

#[derive(Deserialize)]
struct EncodedNumber {
    x: String,
    value: String,
    exponent: i32,
    #[serde(default)]
    fixed: bool,
}

#[derive(Deserialize)]
struct Product {
    c: String,
    exponent: i32,
    x: String,
}

fn phe() -> Vec<Phe> {
    serde_json::from_slice(&fixture("phe.json")).unwrap()
}

fn hex(text: &str) -> BigUint {
    BigUint::parse_bytes(text.trim_start_matches("0x").as_bytes(), 16).unwrap()
}

/// A double as Python's `float.hex` writes it.
fn float(text: &str) -> f64 {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, power) = text.trim_start_matches("0x").split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    let power = power.parse::<i32>().unwrap() - 4 * i32::try_from(fraction.len()).unwrap();
    // In two exact steps, as the power alone may be too small for a double.
    let x = digits as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
    if negative { -x } else { x }
}

fn engines() -> Vec<Engine> {
    let mut backends = vec![Backend::best()];
    if Backend::best() != Backend::PORTABLE {
        backends.push(Backend::PORTABLE);
    }
    let engine = |&backend| Engine::new(backend).unwrap();
    backends.iter().map(engine).collect()
}

/// The key of phe's numbers, with a base of short randomness if its primes allow one.
fn key(phe: &Phe) -> PrivateKey {
    PrivateKey::from_jwk(&phe.private).unwrap()
}

/// A key of Blum primes, made once.
fn short_key() -> &'static PrivateKey {
    static KEY: std::sync::OnceLock<PrivateKey> = std::sync::OnceLock::new();
    KEY.get_or_init(|| {
        let (engine, rng) = (&engines()[0], &mut system_rng());
        let keys = PrivateKey::generate_batch(engine, rng, 2048, 1, &mut unwatched);
        keys.unwrap().remove(0)
    })
}

/// Decryption by its definition: `L(c^lambda) / L((n + 1)^lambda)` with `L(x) = (x - 1)/n`.
fn decrypt(key: &PrivateKey, c: &BigUint) -> BigUint {
    let [p, q] = key.primes().map(big);
    let n = &p * &q;
    let square = &n * &n;
    let lambda = (&p - 1u32).lcm(&(&q - 1u32));
    let l = |x: BigUint| (x - 1u32) / &n;
    let below = l((&n + 1u32).modpow(&lambda, &square)).modinv(&n).unwrap();
    l(c.modpow(&lambda, &square)) * below % &n
}

/// Edges and numbers in between, all below n.
fn plaintexts(n: &BigUint, count: usize) -> Vec<BigUint> {
    let mut numbers = vec![
        BigUint::ZERO,
        BigUint::from(1u32),
        n / 3u32,
        n - 2u32,
        n - 1u32,
    ];
    let mut next = BigUint::from(0x1234_5678u32);
    while numbers.len() < count {
        next = (&next * &next + 12_345u32) % n;
        numbers.push(next.clone());
    }
    numbers.truncate(count);
    numbers
}

fn ok<T>(results: Vec<Result<T, PaillierError>>) -> Vec<T> {
    results.into_iter().map(Result::unwrap).collect()
}

#[test]
fn what_phe_encrypts_is_decrypted() {
    for phe in phe() {
        let private = key(&phe);
        assert_eq!(private.public_key().bits(), phe.bits);
        assert_eq!(
            PublicKey::from_jwk(&phe.public).as_ref(),
            Ok(private.public_key())
        );
        for engine in engines() {
            let key = DecryptionKey::new(&engine, &private).unwrap();
            let mut ciphertexts: Vec<_> = phe.raw.iter().map(|raw| boxed(&hex(&raw.c))).collect();
            ciphertexts.push(boxed(&hex(&phe.product.c)));
            let mut plaintexts = ok(decrypt_batch(&engine, &key, &ciphertexts));
            let product = Encoded {
                value: plaintexts.pop().unwrap(),
                exponent: phe.product.exponent,
            };
            let expected = float(&phe.product.x);
            assert_eq!(
                product.to_double_vartime(private.public_key()),
                Ok(expected)
            );
            for (m, raw) in plaintexts.iter().zip(&phe.raw) {
                assert_eq!(big(m), hex(&raw.m));
            }
        }
    }
}

#[test]
fn encodings_are_those_of_phe() {
    for phe in phe() {
        let key = PublicKey::from_jwk(&phe.public).unwrap();
        for number in &phe.encoded {
            let x = float(&number.x);
            let encoded = if number.fixed {
                Encoded::double_at(&key, x, number.exponent).unwrap()
            } else {
                Encoded::double(&key, x).unwrap()
            };
            assert_eq!(encoded.exponent, number.exponent, "{x}");
            assert_eq!(big(&encoded.value), hex(&number.value), "{x}");
            if !number.fixed {
                assert_eq!(encoded.to_double_vartime(&key), Ok(x));
            }
        }
    }
}

/// Every operation on `count` numbers against num-bigint.
fn operations(engine: &Engine, private: &PrivateKey, method: Method, count: usize) {
    let rng = &mut system_rng();
    let public = private.public_key();
    let (n, square) = (big(public.n()), big(public.n_squared()));
    let encryption = EncryptionKey::new(engine, public, method).unwrap();
    let decryption = DecryptionKey::new(engine, private).unwrap();
    let numbers = plaintexts(&n, count);
    let given: Vec<_> = numbers.iter().map(boxed).collect();

    let ciphertexts = ok(encrypt_batch(engine, rng, &encryption, &given));
    for (c, m) in ciphertexts.iter().zip(&numbers).take(20) {
        assert_eq!(&decrypt(private, &big(c)), m);
    }
    let decrypted = |ciphertexts: &[BoxedUint]| -> Vec<BigUint> {
        let plaintexts = ok(decrypt_batch(engine, &decryption, ciphertexts));
        plaintexts.iter().map(|m| big(m)).collect()
    };
    assert_eq!(decrypted(&ciphertexts), numbers);

    let again = ok(randomize_batch(engine, rng, &encryption, &ciphertexts));
    assert!(again.iter().zip(&ciphertexts).all(|(c, d)| c != d));
    assert_eq!(decrypted(&again), numbers);

    let others = || ciphertexts.iter().rev();
    let pairs: Vec<_> = ciphertexts.iter().zip(others()).collect();
    let sums = ok(add_batch(engine, &encryption, &pairs));
    for (c, (a, b)) in sums.iter().zip(&pairs) {
        assert_eq!(big(c), big(a) * big(b) % &square);
    }
    let total = sum(engine, &encryption, &ciphertexts).unwrap();
    let expected: BigUint = numbers.iter().sum();
    assert_eq!(decrypted(&[total]), [expected % &n]);

    let pairs: Vec<_> = ciphertexts.iter().zip(given.iter().rev()).collect();
    let expected = |f: &dyn Fn(&BigUint, &BigUint) -> BigUint| -> Vec<BigUint> {
        let pairs = numbers.iter().zip(numbers.iter().rev());
        pairs.map(|(a, b)| f(a, b) % &n).collect()
    };
    let sums = ok(add_plain_batch(engine, &encryption, &pairs));
    assert_eq!(decrypted(&sums), expected(&|a, b| a + b));
    for multiply in [multiply_batch, multiply_batch_vartime] {
        let products = ok(multiply(engine, &encryption, &pairs));
        assert_eq!(decrypted(&products), expected(&|a, b| a * b));
    }
    let negated = ok(negate_batch_vartime(&encryption, &ciphertexts));
    assert_eq!(decrypted(&negated), expected(&|a, _| &n - a));
}

#[test]
fn operations_with_full_randomness() {
    for phe in phe() {
        let count = if phe.bits == 2048 { 20 } else { 7 };
        operations(&engines()[0], &key(&phe), Method::Full, count);
    }
}

#[test]
fn operations_with_short_randomness() {
    for engine in engines() {
        operations(&engine, short_key(), Method::Short, 20);
    }
}

/// The largest keys: ciphertexts of 8,192 bits.
#[test]
fn operations_with_a_long_key() {
    let (engine, rng) = (&engines()[0], &mut system_rng());
    let key = PrivateKey::generate_batch(engine, rng, 4096, 1, &mut unwatched).unwrap();
    operations(engine, &key[0], Method::Short, 3);
}

#[test]
#[ignore = "takes minutes"]
fn operations_on_ten_thousand_numbers() {
    for engine in engines() {
        operations(&engine, short_key(), Method::Short, 10_000);
        operations(&engine, short_key(), Method::Full, 10_000);
    }
}

/// Refused items, each between good items, which are not harmed.
#[test]
fn bad_items_harm_no_neighbour() {
    let (engine, rng, private) = (&engines()[0], &mut system_rng(), short_key());
    let public = private.public_key();
    let encryption = EncryptionKey::new(engine, public, Method::Short).unwrap();
    let decryption = DecryptionKey::new(engine, private).unwrap();
    let five = BoxedUint::from(5u32);
    let huge = boxed(&(BigUint::from(1u32) << 20_000));
    let batch = [five.clone(), public.n().clone(), five.clone(), huge.clone()];
    let ciphertexts = encrypt_batch(engine, rng, &encryption, &batch);
    let range = Err(PaillierError::PlaintextRange);
    assert!(ciphertexts[0].is_ok() && ciphertexts[2].is_ok());
    assert_eq!([&ciphertexts[1], &ciphertexts[3]], [&range; 2]);
    let good = ciphertexts[0].clone().unwrap();

    let p = private.primes()[0].clone();
    let bad = [
        BoxedUint::zero(),
        public.n_squared().clone(),
        huge.clone(),
        p.clone(),
        boxed(&(big(&p) * 7u32)),
        public.n().clone(),
    ];
    let mut batch = vec![good.clone()];
    for bad in &bad {
        batch.extend([bad.clone(), good.clone()]);
    }
    let plaintexts = decrypt_batch(engine, &decryption, &batch);
    for (index, m) in plaintexts.iter().enumerate() {
        match index {
            1 | 3 | 5 => assert_eq!(m, &Err(PaillierError::CiphertextRange)),
            7 | 9 | 11 => assert_eq!(m, &Err(PaillierError::Fault)),
            _ => assert_eq!(m.as_deref(), Ok(&five)),
        }
    }
    let randomized = randomize_batch(engine, rng, &encryption, &batch[..4]);
    assert!(randomized[0].is_ok() && randomized[1].is_err() && randomized[2].is_ok());
    let negated = negate_batch_vartime(&encryption, &[good.clone(), p, good.clone()]);
    assert_eq!(negated[1], Err(PaillierError::CiphertextRange));
    let pairs = [
        (&good, &five),
        (&huge, &five),
        (&good, public.n()),
        (&good, &five),
    ];
    for operation in [add_plain_batch, multiply_batch, multiply_batch_vartime] {
        let results = operation(engine, &encryption, &pairs);
        assert_eq!(results[1], Err(PaillierError::CiphertextRange));
        assert_eq!(results[2], Err(PaillierError::PlaintextRange));
        assert!(results[0].is_ok() && results[0] == results[3]);
    }
    let nothing = sum(engine, &encryption, &[]).unwrap();
    assert_eq!(big(&nothing), BigUint::from(1u32));
    assert!(sum(engine, &encryption, &[good, huge]).is_err());
}

#[test]
fn keys_that_are_refused() {
    let private = short_key();
    let [p, q] = private.primes().map(big);
    let of = |p: &BigUint, q: &BigUint| PrivateKey::from_primes(&boxed(p), &boxed(q)).unwrap_err();
    assert_eq!(of(&p, &p), KeyError::EqualPrimes);
    assert_eq!(of(&(&p + 2u32), &q), KeyError::NotPrime('p'));
    assert_eq!(of(&p, &(&q + 1u32)), KeyError::EvenModulus);
    assert_eq!(of(&p, &BigUint::from(3u32)), KeyError::ModulusSize(1026));
    assert!(matches!(
        of(&(&p * &q), &BigUint::from(3u32)),
        KeyError::PrimeSize { name: 'q', .. }
    ));
    let huge = BigUint::from(1u32) << 100_000;
    assert_eq!(of(&huge, &q), KeyError::ModulusSize(100_001 + 1024));
    for bits in [2047, 4097] {
        let n = (BigUint::from(1u32) << (bits - 1)) + 1u32;
        assert_eq!(
            PublicKey::new(&boxed(&n)).unwrap_err(),
            KeyError::ModulusSize(bits)
        );
    }
    let n = BigUint::from(1u32) << 2047;
    assert_eq!(
        PublicKey::new(&boxed(&n)).unwrap_err(),
        KeyError::EvenModulus
    );
    let (engine, rng) = (&engines()[0], &mut system_rng());
    for bits in [2046, 2049, 4098] {
        let refused = PrivateKey::generate_batch(engine, rng, bits, 1, &mut unwatched);
        assert_eq!(refused.unwrap_err(), KeyError::ModulusSize(bits));
    }
    let mut cancel = |_| ControlFlow::Break(());
    let cancelled = PrivateKey::generate_batch(engine, rng, 2048, 1, &mut cancel);
    assert_eq!(cancelled.unwrap_err(), KeyError::Cancelled);
    let plain = PublicKey::new(private.public_key().n()).unwrap();
    let refused = EncryptionKey::new(engine, &plain, Method::Short);
    assert_eq!(refused.unwrap_err(), KeyError::NoBase);
    for base in [BoxedUint::one(), plain.n_squared().clone()] {
        assert_eq!(
            plain.clone().with_short_base(&base).unwrap_err(),
            KeyError::BaseRange
        );
    }
    let other = key(&phe()[1]).with_new_short_base(rng);
    assert_eq!(other.unwrap_err(), KeyError::NotShort);
}

/// The base of short randomness is an n-th power, and of the group that it must be of.
#[test]
fn short_bases() {
    let private = short_key();
    let [p, q] = private.primes().map(big);
    for prime in [&p, &q] {
        assert_eq!(prime % 4u32, BigUint::from(3u32));
    }
    assert_eq!((&p - 1u32).gcd(&(&q - 1u32)), BigUint::from(2u32));
    let public = private.public_key();
    let base = big(public.short_base().unwrap());
    let square = big(public.n_squared());
    // Its order divides lambda, and h = -y^2 is no square modulo either prime, nor is h^n.
    let lambda = (&p - 1u32).lcm(&(&q - 1u32));
    assert_eq!(base.modpow(&lambda, &square), BigUint::from(1u32));
    for prime in [&p, &q] {
        assert_eq!(base.modpow(&((prime - 1u32) / 2u32), prime), prime - 1u32);
    }
}

#[test]
fn keys_in_json() {
    let private = short_key();
    let text = private.to_jwk(Some("a \"name\""));
    let read = PrivateKey::from_jwk(&text).unwrap();
    assert_eq!(read.public_key(), private.public_key());
    assert_eq!(read.primes(), private.primes());
    let public = private.public_key().to_jwk(None);
    assert_eq!(
        PublicKey::from_jwk(&public).as_ref(),
        Ok(private.public_key())
    );
    // As phe writes them, member for member.
    let written: serde_json::Value = serde_json::from_str(&phe()[0].private).unwrap();
    let again = key(&phe()[0]).to_jwk(Some("a key"));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&again).unwrap(),
        written
    );
    for damaged in [
        String::new(),
        String::from("[]"),
        text.replace("DAJ", "RSA"),
        text.replace("PAI-GN1", "PAI-GN2"),
        text.replace("\"p\":\"", "\"p\":\"!"),
        text.replace("\"q\":\"", "\"p\":\""),
        text.replace("\"hs\":\"", "\"hs\":\"=/="),
        format!("{}{}", &*text, " ".repeat(1 << 17)),
        public.clone(),
        // The primes of one key, the modulus of another.
        other_modulus(&text),
    ] {
        let error = PrivateKey::from_jwk(&damaged).unwrap_err();
        assert!(matches!(error, KeyError::Json(_)), "{error:?}");
    }
}

/// The private key with the modulus of another key.
fn other_modulus(text: &str) -> String {
    let [mut key, other] = [text, &phe()[0].private]
        .map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
    key["pub"] = other["pub"].clone();
    key.to_string()
}

#[test]
fn numbers_as_bytes() {
    let key = short_key().public_key();
    assert_eq!((key.plaintext_size(), key.ciphertext_size()), (256, 512));
    let number = BoxedUint::from(0x0102_0304u32);
    assert_eq!(to_bytes(&number, 6), Some(vec![0, 0, 1, 2, 3, 4]));
    assert_eq!(to_bytes(&number, 4), Some(vec![1, 2, 3, 4]));
    assert_eq!(to_bytes(&number, 3), None);
    let bytes = to_bytes(key.n_squared(), 512).unwrap();
    assert_eq!(bytes.len(), 512);
    assert_eq!(big(&from_bytes(&bytes)), big(key.n_squared()));
    assert_eq!(big(&from_bytes(&[])), BigUint::ZERO);
}

#[test]
fn encodings_that_are_refused() {
    let key = short_key().public_key();
    let n = big(key.n());
    let third = boxed(&(&n / 3u32 - 1u32));
    assert!(Encoded::integer(key, true, &third).is_ok());
    let more = boxed(&(&n / 3u32));
    assert_eq!(Encoded::integer(key, false, &more), Err(EncodeError::Range));
    let huge = boxed(&(BigUint::from(1u32) << 9000));
    assert_eq!(Encoded::integer(key, false, &huge), Err(EncodeError::Range));
    assert_eq!(Encoded::double_at(key, 1.0, -1000), Err(EncodeError::Range));
    assert_eq!(
        big(&Encoded::double_at(key, 0.5, 0).unwrap().value),
        BigUint::ZERO
    );
    assert_eq!(
        big(&Encoded::double_at(key, 1.5, 0).unwrap().value),
        BigUint::from(2u32)
    );
    assert_eq!(
        big(&Encoded::double_at(key, -1.0, 0).unwrap().value),
        &n - 1u32
    );
    assert_eq!(
        big(&Encoded::double_at(key, 1.0, i32::MAX).unwrap().value),
        BigUint::ZERO
    );
    let of = |value: &BigUint| Encoded {
        value: boxed(value).into(),
        exponent: 0,
    };
    assert_eq!(of(&n).mantissa(key), Err(EncodeError::NotReduced));
    assert_eq!(of(&(&n / 2u32)).mantissa(key), Err(EncodeError::Overflow));
    let one = Encoded::double(key, 1.0).unwrap();
    let (from, to) = (one.exponent, one.exponent + 1);
    assert_eq!(
        one.with_exponent(key, to),
        Err(EncodeError::Raised { from, to })
    );
    assert_eq!(one.with_exponent(key, -600), Err(EncodeError::Range));
    assert_eq!(one.with_exponent(key, i32::MIN), Err(EncodeError::Range));
    let large = Encoded {
        exponent: 300,
        ..one.clone()
    };
    assert_eq!(large.to_double_vartime(key), Err(EncodeError::TooLarge));
    for secret in [format!("{one:?}"), format!("{:?}", short_key())] {
        assert!(!secret.contains("value") && secret.len() < 100, "{secret}");
    }
}
