//! Key files that were made to cost their reader memory or time: each is an error, at once. Public keys
//! that were made to cost their users memory: they take what others take.

mod common;

use common::{boxed, fixture, private};
use core::num::NonZeroU32;
use num_bigint::BigUint;
use num_integer::Integer;
use pkcs8::EncryptedPrivateKeyInfoRef;
use pkcs8::pkcs5::EncryptionScheme;
use pkcs8::pkcs5::pbes2::{
    EncryptionScheme as Cipher, Kdf, Parameters, Pbkdf2Params, Pbkdf2Prf, ScryptParams,
};
use std::sync::Arc;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{
    KeyError, KeyPrograms, MAX_BITS, MAX_EXPONENT, PrivateKey, PublicKey, Scheme, VerifyError,
    VerifyRequest, VerifyingKey, verify_batch,
};
use sunzi_pk::{Hash, KdfLimits, KeyFileError, MAX_FILE_BYTES, keys, system_rng};
use sunzi_rns::primes;

/// An encrypted key file with this key derivation, whose ciphertext is nothing sensible.
fn encrypted_with(kdf: Kdf) -> Vec<u8> {
    let ciphertext = [0x55; 1232];
    let file = EncryptedPrivateKeyInfoRef {
        encryption_algorithm: EncryptionScheme::Pbes2(Parameters {
            kdf,
            encryption: Cipher::Aes256Cbc { iv: [7; 16] },
        }),
        encrypted_data: ciphertext[..].try_into().unwrap(),
    };
    pkcs1::der::Encode::to_der(&file).unwrap()
}

fn scrypt(n: u64, r: u16, p: u16) -> Vec<u8> {
    encrypted_with(Kdf::Scrypt(ScryptParams {
        salt: b"salt"[..].try_into().unwrap(),
        cost_parameter: n,
        block_size: r,
        parallelization: p,
        key_length: None,
    }))
}

fn pbkdf2(rounds: u32) -> Vec<u8> {
    encrypted_with(Kdf::Pbkdf2(Pbkdf2Params {
        salt: b"salt"[..].try_into().unwrap(),
        iteration_count: rounds,
        key_length: None,
        prf: Pbkdf2Prf::HmacWithSha512,
    }))
}

/// The refusal of a file, which must be the same with and without a passphrase: nobody is asked for
/// the passphrase of a file that will not be opened.
fn refusal(file: &[u8]) -> KeyError {
    let without = PrivateKey::from_pem_or_der(file, None).unwrap_err();
    let with = PrivateKey::from_pem_or_der(file, Some(b"correct")).unwrap_err();
    assert_eq!(without, with);
    with
}

#[test]
fn impossible_parameters_of_the_key_derivation() {
    for (file, name, value) in [
        (scrypt(0, 8, 1), "scrypt parameter N", 0),
        (scrypt(1, 8, 1), "scrypt parameter N", 1),
        (scrypt(16_383, 8, 1), "scrypt parameter N", 16_383),
        (scrypt(16_384, 0, 1), "scrypt parameter r", 0),
        (scrypt(16_384, 8, 0), "scrypt parameter p", 0),
        (pbkdf2(0), "number of PBKDF2 rounds", 0),
    ] {
        match refusal(&file) {
            KeyError::File(KeyFileError::KdfParameter {
                name: n, value: v, ..
            }) => assert_eq!((n, v), (name, value)),
            other => panic!("{name} = {value}: {other:?}"),
        }
    }
}

#[test]
fn a_key_derivation_that_costs_too_much() {
    let cost = |what, needed, limit, factor| {
        KeyError::File(KeyFileError::KdfCost {
            what,
            needed,
            limit,
            factor,
        })
    };
    let memory = |needed| {
        let limit = 64 << 20;
        cost(
            "bytes of memory for scrypt",
            needed,
            limit,
            needed.div_ceil(limit),
        )
    };
    // A petabyte; more than there are numbers for; and the state of many small blocks.
    assert_eq!(refusal(&scrypt(1 << 40, 8, 1)), memory(1 << 50));
    assert_eq!(refusal(&scrypt(1 << 63, u16::MAX, 1)), memory(u64::MAX));
    assert_eq!(
        refusal(&scrypt(2, u16::MAX, u16::MAX)),
        memory(128 * 65_535 * 65_535)
    );
    assert_eq!(
        refusal(&scrypt(1 << 16, 8, u16::MAX)),
        cost("passes of scrypt", 65_535, 16, 4096)
    );
    assert_eq!(
        refusal(&pbkdf2(u32::MAX)),
        cost("rounds of PBKDF2", 4_294_967_295, 10_000_000, 430)
    );
    let error = refusal(&pbkdf2(u32::MAX)).to_string();
    assert!(
        error.contains("4294967295 rounds") && error.contains("only 10000000 are permitted"),
        "{error}"
    );
}

#[test]
fn higher_limits_open_what_the_default_refuses() {
    let file = scrypt(1 << 17, 8, 1);
    assert!(matches!(
        refusal(&file),
        KeyError::File(KeyFileError::KdfCost { factor: 2, .. })
    ));
    let double = KdfLimits::times(NonZeroU32::new(2).unwrap());
    let open = |passphrase| PrivateKey::from_pem_or_der_within(&file, passphrase, double);
    assert_eq!(
        open(None).unwrap_err(),
        KeyError::File(KeyFileError::PassphraseNeeded)
    );
    // The ciphertext is no key, whatever the passphrase: this says that it was derived.
    assert_eq!(
        open(Some(b"any")).unwrap_err(),
        KeyError::File(KeyFileError::WrongPassphrase)
    );
    // No machine has an eighth of an exabyte.
    let file = scrypt(1 << 47, 8, 1);
    let highest = KdfLimits::times(NonZeroU32::MAX);
    assert_eq!(
        PrivateKey::from_pem_or_der_within(&file, Some(b"any"), highest).unwrap_err(),
        KeyError::File(KeyFileError::KdfMemory(1 << 57))
    );
}

/// Longer private keys than are made take seconds to check, and are refused by default, without and with
/// encryption; all sizes of public keys are read.
#[test]
fn a_private_key_that_takes_long_to_check() {
    let der = private("rsa2048.pkcs8.pem").to_pkcs1_der();
    let file = |bits: u32| {
        let n = (BigUint::from(1u32) << (bits - 1)) + 1u32;
        let n = n.to_bytes_be();
        let mut key = pkcs1::RsaPrivateKeyRef::try_from(der.as_slice()).unwrap();
        key.modulus = pkcs1::UintRef::new(&n).unwrap();
        pkcs1::der::Encode::to_der(&key).unwrap()
    };
    for bits in [8193, MAX_BITS] {
        let refused = KeyError::File(KeyFileError::KdfCost {
            what: "bits of an RSA modulus to be checked",
            needed: bits.into(),
            limit: 8192,
            factor: 2,
        });
        assert_eq!(refusal(&file(bits)), refused);
        assert_eq!(PublicKey::from_pem_or_der(&file(bits)), Err(refused));
        let double = KdfLimits::times(NonZeroU32::new(2).unwrap());
        // What the other numbers of this key are found to be.
        let read = PrivateKey::from_pem_or_der_within(&file(bits), None, double);
        assert!(matches!(read, Err(KeyError::PrimeSize { .. })), "{read:?}");
        // The same where the algorithm is found first.
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let algorithms = keys::Algorithms::new(&engine);
        let read = |limits| {
            let read = keys::PrivateKey::from_pem_or_der(&algorithms, &file(bits), None, limits);
            read.unwrap_err().to_string()
        };
        let usual = read(KdfLimits::default());
        assert!(usual.contains("8192 are permitted"), "{usual}");
        let doubled = read(double);
        assert!(doubled.contains("prime"), "{doubled}");
    }
    assert!(matches!(
        refusal(&file(8192)),
        KeyError::PrimeSize { .. } | KeyError::ProductMismatch
    ));
}

/// The parameters of a key's encryption are changed in single bits, with the right passphrase.
#[test]
fn damaged_descriptions_of_the_encryption() {
    // Every derivation takes time, that of scrypt most: not every bit, and not always the same one.
    for (name, step) in [("rsa2048.scrypt.pem", 29), ("rsa2048.des3.pem", 5)] {
        let pem = String::from_utf8(fixture(name)).unwrap();
        let (_, der) = pkcs1::der::Document::from_pem(&pem).unwrap();
        let right = PrivateKey::from_pem_or_der(der.as_bytes(), Some(b"correct")).unwrap();
        // The ciphertext, which comes last, is longer than the key itself.
        let description = der.as_bytes().len() - right.to_pkcs8_der().len();
        for bit in (0..8 * description).step_by(step) {
            let mut damaged = der.as_bytes().to_vec();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Some bits say nothing, such as whether absent parameters are written as NULL.
            if let Ok(key) = PrivateKey::from_pem_or_der(&damaged, Some(b"correct")) {
                assert_eq!(key.to_pkcs1_der(), right.to_pkcs1_der(), "{name}, {bit}");
            }
        }
    }
}

#[test]
fn a_file_longer_than_any_key() {
    let mut file = fixture("rsa2048.pkcs8.pem");
    file.resize(MAX_FILE_BYTES, b'\n');
    assert!(PrivateKey::from_pem_or_der(&file, None).is_ok());
    file.push(b'\n');
    let expected = KeyError::File(KeyFileError::FileTooLong(MAX_FILE_BYTES + 1));
    assert_eq!(
        PrivateKey::from_pem_or_der(&file, None).unwrap_err(),
        expected
    );
    assert_eq!(PublicKey::from_pem_or_der(&file).unwrap_err(), expected);
}

/// Every number of a key has at most as many bits as the longest modulus.
#[test]
fn numbers_longer_than_any_modulus() {
    let der = private("rsa2048.pkcs8.pem").to_pkcs1_der();
    let good = || pkcs1::RsaPrivateKeyRef::try_from(der.as_slice()).unwrap();
    for bits in [MAX_BITS + 1, 8 * 900_000] {
        let long = (BigUint::from(1u32) << (bits - 1)) + 1u32;
        let long = long.to_bytes_be();
        let long = pkcs1::UintRef::new(&long).unwrap();
        let refused = |key: &pkcs1::RsaPrivateKeyRef<'_>| {
            let file = pkcs1::der::Encode::to_der(key).unwrap();
            PrivateKey::from_pem_or_der(&file, None).unwrap_err()
        };
        let mut key = good();
        key.modulus = long;
        assert_eq!(refused(&key), KeyError::ModulusSize(bits));
        let mut key = good();
        key.public_exponent = long;
        assert!(matches!(refused(&key), KeyError::ExponentRange(_)));
        for name in [
            "d",
            "p",
            "q",
            "d mod (p - 1)",
            "d mod (q - 1)",
            "q^-1 mod p",
        ] {
            let mut key = good();
            *match name {
                "d" => &mut key.private_exponent,
                "p" => &mut key.prime1,
                "q" => &mut key.prime2,
                "d mod (p - 1)" => &mut key.exponent1,
                "d mod (q - 1)" => &mut key.exponent2,
                _ => &mut key.coefficient,
            } = long;
            let bits = bits.into();
            assert_eq!(refused(&key), KeyError::NumberSize { name, bits });
        }
    }
}

#[test]
fn a_new_key_is_never_encrypted_with_an_empty_passphrase() {
    let key = private("rsa1024.pkcs8.pem");
    assert_eq!(
        key.to_encrypted_pkcs8_pem(&mut system_rng(), b""),
        Err(KeyError::File(KeyFileError::EmptyPassphrase))
    );
}

/// An RSA key whose modulus is a product of nothing but primes of the engine's bases, with the signature
/// of a digest in PKCS#1 v1.5.
struct OfBasePrimes {
    key: PublicKey,
    digest: sunzi_pk::Digest,
    signature: Vec<u8>,
}

/// Primes of all widths that channels have, of each the first ones, as bases have them.
fn base_primes() -> Vec<u64> {
    let widths = [16].into_iter().chain(24..=30).chain(46..=50);
    widths
        .flat_map(|width| primes::descending_vartime(width).take(24))
        .map(|prime| prime as u64)
        .collect()
}

impl OfBasePrimes {
    /// Another one for each seed, with another exponent each.
    fn new(primes: &[u64], seed: usize) -> Self {
        let mut n = BigUint::from(1u32);
        let mut order = BigUint::from(1u32);
        // 7 is coprime to the number of primes, so that none comes twice.
        for index in (seed % primes.len()..).map(|k| 7 * k % primes.len()) {
            if n.bits() >= 1024 {
                break;
            }
            n *= primes[index];
            order = order.lcm(&(primes[index] - 1).into());
        }
        let e = (MAX_EXPONENT - 1000 * (1 + seed as u64)..=MAX_EXPONENT)
            .map(|e| e | 1)
            .find(|&e| order.gcd(&e.into()) == 1u32.into())
            .unwrap();
        let d = BigUint::from(e).modinv(&order).unwrap();
        let digest = Hash::Sha256.digest(&seed.to_le_bytes());
        let mut tail = vec![0];
        // DigestInfo of SHA-256 (RFC 8017, section 9.2).
        tail.extend(
            *b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20",
        );
        tail.extend(digest.as_bytes());
        let length = n.bits().div_ceil(8) as usize;
        let mut message = vec![0xff; length - tail.len()];
        message[..2].copy_from_slice(&[0, 1]);
        message.extend(tail);
        let power = BigUint::from_bytes_be(&message)
            .modpow(&d, &n)
            .to_bytes_be();
        let mut signature = vec![0; length - power.len()];
        signature.extend(power);
        Self {
            key: PublicKey::new(&boxed(&n), e).unwrap(),
            digest,
            signature,
        }
    }
}

/// The process' memory in bytes, if the system tells.
fn resident() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * pages.split(' ').nth(1)?.parse::<usize>().ok()?)
}

/// Verifies good and bad signatures by keys of base primes.
fn verdicts_are_right(engine: &Engine, keys: &[OfBasePrimes]) {
    let verifying: Vec<VerifyingKey> = keys
        .iter()
        .map(|hostile| VerifyingKey::new(engine, &hostile.key).unwrap())
        .collect();
    let wrong: Vec<Vec<u8>> = keys
        .iter()
        .enumerate()
        .map(|(index, hostile)| {
            let mut wrong = hostile.signature.clone();
            let last = wrong.len() - 1;
            wrong[last - index % 100] ^= 1 << (index % 8);
            wrong
        })
        .collect();
    let requests: Vec<VerifyRequest<'_>> = keys
        .iter()
        .zip(&verifying)
        .zip(&wrong)
        .flat_map(|((hostile, key), wrong)| {
            [&hostile.signature, wrong].map(|signature| VerifyRequest {
                key,
                scheme: Scheme::Pkcs1v15,
                digest: hostile.digest,
                signature,
            })
        })
        .collect();
    for (index, verdict) in verify_batch(engine, &requests).into_iter().enumerate() {
        let expected = if index % 2 == 0 {
            Ok(())
        } else {
            Err(VerifyError::Mismatch)
        };
        assert_eq!(verdict, expected, "{index}");
    }
}

#[test]
fn public_keys_of_base_primes_and_many_exponents() {
    /// More exponents than programs have ever been kept.
    const KEYS: usize = 600;
    /// Bytes that all of them together stay below.
    const MOST: usize = 32 << 20;
    let primes = base_primes();
    let keys: Vec<OfBasePrimes> = (0..KEYS)
        .map(|seed| OfBasePrimes::new(&primes, seed))
        .collect();
    let legitimate = private("rsa2048.pkcs8.pem");
    for &backend in Backend::ALL {
        let engine = match Engine::new(backend) {
            Ok(engine) => engine,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        let e = legitimate.public_key().e();
        let programs = || KeyPrograms::new(&engine, 2048, e).unwrap();
        let before = programs();
        // Makes the plan and the program that all of them share.
        verdicts_are_right(&engine, &keys[..8]);
        let (kept, _) = engine.kept_programs();
        let memory = resident();
        for part in keys.chunks(50) {
            verdicts_are_right(&engine, part);
        }
        let grown = memory.zip(resident()).map(|(b, a)| a.saturating_sub(b));
        println!("{backend}: {grown:?} bytes more");
        assert!(grown.is_none_or(|grown| grown <= MOST), "{grown:?}");
        assert!(engine.kept_programs().0 <= kept + 1, "of both size classes");
        let after = programs();
        assert!(Arc::ptr_eq(&before.public, &after.public));
        assert!(Arc::ptr_eq(&before.prime, &after.prime));
        assert!(Arc::ptr_eq(&before.modulus, &after.modulus));
    }
}
