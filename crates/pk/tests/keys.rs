//! Keys are read and written in every format, and defective ones are refused.

mod common;

use common::{Numbers, big, boxed, fixture, private};
use core::convert::Infallible;
use num_bigint::BigUint;
use num_integer::Integer;
use rand_core::{Rng, TryCryptoRng, TryRng};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::primes::{Progress, unwatched};
use sunzi_pk::rsa::{
    DecryptionKey, EncryptionKey, KeyError, MAX_BITS, PrivateKey, PublicKey, SigningKey,
};
use sunzi_pk::{KeyFileError, system_rng};

fn refusal(name: &str) -> KeyError {
    PrivateKey::from_pem_or_der(&fixture(name), None).unwrap_err()
}

#[test]
fn one_key_in_every_format() {
    let expected = private("rsa2048.pkcs8.pem").to_pkcs1_der();
    for name in ["rsa2048.pkcs1.pem", "rsa2048.pkcs8.der"] {
        assert_eq!(private(name).to_pkcs1_der(), expected, "{name}");
    }
    for name in [
        "rsa2048.aes256.pem",
        "rsa2048.scrypt.pem",
        "rsa2048.des3.pem",
    ] {
        let key = PrivateKey::from_pem_or_der(&fixture(name), Some(b"correct")).unwrap();
        assert_eq!(key.to_pkcs1_der(), expected, "{name}");
    }
    let public = private("rsa2048.pkcs8.pem").public_key().clone();
    for name in [
        "rsa2048.spki.pem",
        "rsa2048.pkcs1.pub.pem",
        "rsa2048.pkcs8.pem",
        "rsa2048.pkcs1.pem",
    ] {
        assert_eq!(
            PublicKey::from_pem_or_der(&fixture(name)).unwrap(),
            public,
            "{name}"
        );
    }
}

#[test]
fn what_is_written_is_what_openssl_writes() {
    let key = private("rsa2048.pkcs8.pem");
    let public = key.public_key();
    for (written, name) in [
        (key.to_pkcs8_pem().as_bytes(), "rsa2048.pkcs8.pem"),
        (key.to_pkcs1_pem().as_bytes(), "rsa2048.pkcs1.pem"),
        (&key.to_pkcs8_der(), "rsa2048.pkcs8.der"),
        (public.to_spki_pem().as_bytes(), "rsa2048.spki.pem"),
        (public.to_pkcs1_pem().as_bytes(), "rsa2048.pkcs1.pub.pem"),
    ] {
        assert_eq!(written, fixture(name), "{name}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    for name in [
        "rsa1024.pkcs8.pem",
        "rsa2047.pkcs8.pem",
        "rsa8192.pkcs8.pem",
    ] {
        let key = private(name);
        let expected = key.to_pkcs1_der();
        for file in [key.to_pkcs1_der(), key.to_pkcs8_der()] {
            let read = PrivateKey::from_pem_or_der(&file, None).unwrap();
            assert_eq!(read.to_pkcs1_der(), expected, "{name}");
        }
        let public = key.public_key();
        for file in [
            public.to_spki_der(),
            public.to_spki_pem().into(),
            public.to_pkcs1_der(),
            public.to_pkcs1_pem().into(),
            expected.to_vec(),
            key.to_pkcs8_pem().as_bytes().to_vec(),
        ] {
            assert_eq!(
                PublicKey::from_pem_or_der(&file).unwrap(),
                *public,
                "{name}"
            );
        }
    }
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_only() {
    let key = private("rsa2048.pkcs8.pem");
    let write = || key.to_encrypted_pkcs8_pem(&mut system_rng(), b"correct");
    let (ours, again) = (write().unwrap(), write().unwrap());
    assert_ne!(ours, again, "the salt is fresh");
    for file in [
        ours.as_bytes(),
        &fixture("rsa2048.aes256.pem"),
        &fixture("rsa2048.scrypt.pem"),
    ] {
        let open = |passphrase| PrivateKey::from_pem_or_der(file, passphrase);
        assert_eq!(
            open(Some(b"correct")).unwrap().to_pkcs1_der(),
            key.to_pkcs1_der()
        );
        assert_eq!(
            open(None).unwrap_err(),
            KeyError::File(KeyFileError::PassphraseNeeded)
        );
        assert_eq!(
            open(Some(b"Correct")).unwrap_err(),
            KeyError::File(KeyFileError::WrongPassphrase)
        );
        assert_eq!(
            open(Some(b"")).unwrap_err(),
            KeyError::File(KeyFileError::WrongPassphrase)
        );
        assert_eq!(
            PublicKey::from_pem_or_der(file).unwrap_err(),
            KeyError::File(KeyFileError::PassphraseNeeded)
        );
    }
}

#[test]
fn unsupported_encryption_is_named_with_the_way_out() {
    let legacy = PrivateKey::from_pem_or_der(&fixture("rsa2048.legacy.pem"), Some(b"correct"));
    let legacy = legacy.unwrap_err();
    assert_eq!(legacy, KeyError::File(KeyFileError::LegacyEncryption));
    assert!(legacy.to_string().contains("openssl pkcs8 -topk8"));
    let pbes1 = PrivateKey::from_pem_or_der(&fixture("rsa2048.pbes1.pem"), Some(b"correct"));
    let pbes1 = pbes1.unwrap_err();
    assert!(
        matches!(
            pbes1,
            KeyError::File(KeyFileError::UnsupportedEncryption(_))
        ),
        "{pbes1:?}"
    );
    assert!(pbes1.to_string().contains("openssl pkcs8 -topk8"));
}

#[test]
fn a_key_that_is_not_rsa() {
    for (name, algorithm) in [
        ("ec.sec1.pem", "EC"),
        ("ec.pkcs8.pem", "EC"),
        ("ed25519.pem", "Ed25519"),
    ] {
        assert_eq!(refusal(name), KeyError::NotRsa(algorithm.into()), "{name}");
    }
    let ec = PublicKey::from_pem_or_der(&fixture("ec.spki.pem")).unwrap_err();
    assert_eq!(ec, KeyError::NotRsa("EC".into()));
    assert_eq!(refusal("rsa2048.three-primes.pem"), KeyError::MultiPrime);
}

#[test]
fn a_public_key_or_a_certificate_where_a_private_key_is_needed() {
    for name in ["rsa2048.spki.pem", "rsa2048.pkcs1.pub.pem", "ec.spki.pem"] {
        assert_eq!(
            refusal(name),
            KeyError::File(KeyFileError::PublicKeyGiven),
            "{name}"
        );
    }
    let public = private("rsa2048.pkcs8.pem").public_key().clone();
    for file in [public.to_spki_der(), public.to_pkcs1_der()] {
        let refused = PrivateKey::from_pem_or_der(&file, None).unwrap_err();
        assert_eq!(refused, KeyError::File(KeyFileError::PublicKeyGiven));
    }
    assert_eq!(
        refusal("certificate.pem"),
        KeyError::File(KeyFileError::Certificate)
    );
    let certificate = PublicKey::from_pem_or_der(&fixture("certificate.pem")).unwrap_err();
    assert_eq!(certificate, KeyError::File(KeyFileError::Certificate));
}

/// DER has no label, so the format of a file must be recognized by its structure.
#[test]
fn der_is_told_apart_as_pem_is() {
    for name in [
        "certificate.pem",
        "ec.pkcs8.pem",
        "ec.sec1.pem",
        "ec.spki.pem",
        "ed25519.pem",
        "rsa2048.aes256.pem",
        "rsa2048.pbes1.pem",
        "rsa2048.pkcs1.pem",
        "rsa2048.pkcs1.pub.pem",
        "rsa2048.pkcs8.pem",
        "rsa2048.pss-only.pem",
        "rsa2048.spki.pem",
        "rsa2048.three-primes.pem",
    ] {
        let pem = String::from_utf8(fixture(name)).unwrap();
        let last_block = &pem[pem.rfind("-----BEGIN").unwrap()..];
        let (_, der) = pkcs1::der::Document::from_pem(last_block).unwrap();
        for passphrase in [None, Some(&b"correct"[..])] {
            let read = |file: &[u8]| {
                PrivateKey::from_pem_or_der(file, passphrase).map(|key| key.to_pkcs1_der())
            };
            assert_eq!(read(der.as_bytes()), read(pem.as_bytes()), "{name}");
        }
        assert_eq!(
            PublicKey::from_pem_or_der(der.as_bytes()),
            PublicKey::from_pem_or_der(pem.as_bytes()),
            "{name}"
        );
    }
}

/// One wrong passphrase in 256 decrypts to bytes with correct padding.
#[test]
fn a_thousand_wrong_passphrases() {
    let file = fixture("rsa2048.aes256.pem");
    for i in 0..1000 {
        let wrong = PrivateKey::from_pem_or_der(&file, Some(format!("{i}").as_bytes()));
        assert_eq!(
            wrong.unwrap_err(),
            KeyError::File(KeyFileError::WrongPassphrase),
            "{i}"
        );
    }
}

#[test]
fn a_key_after_its_certificate_in_one_file() {
    let mut file = fixture("certificate.pem");
    file.extend(b"comment\n");
    file.extend(fixture("rsa2048.pkcs8.pem"));
    let key = PrivateKey::from_pem_or_der(&file, None).unwrap();
    assert_eq!(key.to_pkcs8_der().to_vec(), fixture("rsa2048.pkcs8.der"));
}

#[test]
fn other_line_ends_and_text_around() {
    let text = String::from_utf8(fixture("rsa2048.pkcs8.pem")).unwrap();
    let expected = private("rsa2048.pkcs8.pem").to_pkcs1_der();
    let trimmed = text.trim_end().to_owned();
    let windows = text.replace('\n', "\r\n");
    let around = format!("\u{feff}Bag Attributes: none\n\n{text}\n\nmore text\n");
    for file in [trimmed, windows, around] {
        let key = PrivateKey::from_pem_or_der(file.as_bytes(), None).unwrap();
        assert_eq!(key.to_pkcs1_der(), expected, "{file}");
    }
}

#[test]
fn not_a_key_at_all() {
    for file in [&b""[..], b"hello", &[0xff; 100]] {
        assert_eq!(
            PrivateKey::from_pem_or_der(file, None).unwrap_err(),
            KeyError::File(KeyFileError::NotAKey)
        );
        assert_eq!(
            PublicKey::from_pem_or_der(file).unwrap_err(),
            KeyError::File(KeyFileError::NotAKey)
        );
    }
    // An empty SEQUENCE, and a SEQUENCE of a BOOLEAN.
    for file in [&[0x30, 0][..], &[0x30, 3, 1, 1, 0xff]] {
        let refused = PrivateKey::from_pem_or_der(file, None).unwrap_err();
        assert!(
            matches!(refused, KeyError::File(KeyFileError::Malformed(_))),
            "{refused}"
        );
    }
}

#[test]
fn a_truncated_key_wherever_it_is_cut() {
    let der = fixture("rsa2048.pkcs8.der");
    for end in 1..der.len() {
        let refused = PrivateKey::from_pem_or_der(&der[..end], None).unwrap_err();
        assert!(
            matches!(refused, KeyError::File(KeyFileError::Truncated(_))),
            "{end}: {refused}"
        );
    }
    let pem = fixture("rsa2048.pkcs8.pem");
    let complete = pem.len() - "\n".len();
    let begin_line = "-----BEGIN ".len();
    for end in begin_line..complete {
        let refused = PrivateKey::from_pem_or_der(&pem[..end], None).unwrap_err();
        assert!(
            matches!(refused, KeyError::File(KeyFileError::Truncated(_))),
            "{end}: {refused}"
        );
    }
    // A PEM file without some lines in its middle.
    let text = String::from_utf8(pem).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines.drain(5..9);
    let refused = PrivateKey::from_pem_or_der(lines.join("\n").as_bytes(), None).unwrap_err();
    assert!(
        matches!(refused, KeyError::File(KeyFileError::Truncated(_))),
        "{refused}"
    );
}

#[test]
fn a_damaged_key_whichever_bit_it_is() {
    let der = private("rsa1024.pkcs8.pem").to_pkcs8_der();
    for bit in 0..8 * der.len() {
        let mut damaged = der.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(
            PrivateKey::from_pem_or_der(&damaged, None).is_err(),
            "bit {bit}"
        );
    }
}

#[test]
fn the_modulus() {
    let one = BigUint::from(1u32);
    let new = |n: &BigUint| PublicKey::new(&boxed(n), 65_537).map(|key| key.bits());
    assert_eq!(
        new(&BigUint::from(15u32)),
        Err(KeyError::ModulusSize(4)),
        "tiny"
    );
    assert_eq!(new(&BigUint::ZERO), Err(KeyError::ModulusSize(0)));
    assert_eq!(
        new(&((&one << 1023) - 1u32)),
        Err(KeyError::ModulusSize(1023))
    );
    assert_eq!(new(&((&one << 1024) - 1u32)), Ok(1024));
    assert_eq!(new(&(&one << 1024)), Err(KeyError::EvenModulus));
    assert_eq!(new(&((&one << MAX_BITS) - 1u32)), Ok(16_384));
    assert_eq!(
        new(&((&one << MAX_BITS) + 1u32)),
        Err(KeyError::ModulusSize(16_385))
    );

    // The same numbers, read from a file.
    let n = ((&one << MAX_BITS) + 1u32).to_bytes_be();
    let key = pkcs1::RsaPublicKeyRef {
        modulus: pkcs1::UintRef::new(&n).unwrap(),
        public_exponent: pkcs1::UintRef::new(&[1, 0, 1]).unwrap(),
    };
    let file = pkcs1::der::Encode::to_der(&key).unwrap();
    assert_eq!(
        PublicKey::from_pem_or_der(&file),
        Err(KeyError::ModulusSize(16_385))
    );
}

#[test]
fn the_public_exponent() {
    let n = private("rsa2048.pkcs8.pem").public_key().n().clone();
    let new = |e| PublicKey::new(&n, e).map(|key| key.e());
    for e in [3, 5, 17, 65_537, (1 << 33) - 1] {
        assert_eq!(new(e), Ok(e));
    }
    for e in [4, 65_536, (1 << 33) - 2] {
        assert_eq!(new(e), Err(KeyError::EvenExponent(e)));
    }
    for e in [0, 1, 2, 1 << 33, (1 << 33) + 1, u64::MAX] {
        assert_eq!(new(e), Err(KeyError::ExponentRange(e.to_string())));
    }
    let n = n.to_be_bytes();
    let key = pkcs1::RsaPublicKeyRef {
        modulus: pkcs1::UintRef::new(&n).unwrap(),
        public_exponent: pkcs1::UintRef::new(&[1; 9]).unwrap(),
    };
    let file = pkcs1::der::Encode::to_der(&key).unwrap();
    let refused = PublicKey::from_pem_or_der(&file).unwrap_err();
    assert!(matches!(refused, KeyError::ExponentRange(_)), "{refused}");
}

/// Each of the conditions on a private key's numbers, violated.
#[test]
fn numbers_that_do_not_belong_together() {
    let good = || Numbers::of(&private("rsa2048.pkcs8.pem"));
    let other = Numbers::of(&private("rsa2047.pkcs8.pem"));
    let with = |change: &dyn Fn(&mut Numbers)| {
        let mut numbers = good();
        change(&mut numbers);
        numbers.key().map(|_| ())
    };
    assert_eq!(with(&|_| ()), Ok(()));

    let equal = Err(KeyError::EqualPrimes);
    assert_eq!(with(&|k| k.q = k.p.clone()), equal);
    assert_eq!(with(&|k| (k.q, k.n) = (k.p.clone(), &k.p * &k.p)), equal);
    assert_eq!(with(&|k| k.n += 1u32), Err(KeyError::EvenModulus));
    let product = Err(KeyError::ProductMismatch);
    assert_eq!(with(&|k| k.q = other.q.clone()), product);
    assert_eq!(with(&|k| k.n += 2u32), product);
    assert_eq!(with(&|k| k.p = &k.n << 1), product);
    let size = Err(KeyError::PrimeSize {
        name: 'q',
        bits: 1,
        modulus: 2048,
    });
    assert_eq!(
        with(&|k| (k.p, k.q) = (k.n.clone(), BigUint::from(1u32))),
        size
    );

    let exponent = Err(KeyError::PrivateExponentMismatch);
    assert_eq!(with(&|k| k.d = BigUint::ZERO), exponent);
    assert_eq!(with(&|k| k.d += 1u32), exponent);
    assert_eq!(with(&|k| k.d += 2u32), exponent);
    assert_eq!(with(&|k| k.d = other.d.clone()), exponent);
    assert_eq!(with(&|k| k.e = 3), exponent);
    assert_eq!(with(&|k| k.e = 65_536), Err(KeyError::EvenExponent(65_536)));
    // An inverse of e modulo lcm(p - 1, q - 1) is accepted only if it is below n.
    let lcm = (good().p - 1u32).lcm(&(good().q - 1u32));
    let smallest = good().d % &lcm;
    assert_eq!(with(&|k| k.d = smallest.clone()), Ok(()));
    assert_eq!(
        with(&|k| k.d = &smallest + &lcm * (&k.n / &lcm + 1u32)),
        exponent
    );
}

/// All exponents match, but p is three times a prime.
#[test]
fn a_composite_in_a_primes_place() {
    let Numbers { p, q, e, .. } = Numbers::of(&private("rsa2048.pkcs8.pem"));
    let numbers = Numbers::from_primes(&(p * 3u32), &q, e);
    assert_eq!(numbers.key().unwrap_err(), KeyError::NotPrime('p'));
    let swapped = Numbers::from_primes(&q, &numbers.p, e);
    assert_eq!(swapped.key().unwrap_err(), KeyError::NotPrime('q'));
}

#[test]
fn values_for_the_remainder_theorem_that_do_not_match() {
    let der = private("rsa2048.pkcs8.pem").to_pkcs1_der();
    let one = pkcs1::UintRef::new(&[1]).unwrap();
    let good = || pkcs1::RsaPrivateKeyRef::try_from(der.as_slice()).unwrap();
    for (name, key) in [
        (
            "d mod (p - 1)",
            pkcs1::RsaPrivateKeyRef {
                exponent1: one,
                ..good()
            },
        ),
        (
            "d mod (q - 1)",
            pkcs1::RsaPrivateKeyRef {
                exponent2: one,
                ..good()
            },
        ),
        (
            "q^-1 mod p",
            pkcs1::RsaPrivateKeyRef {
                coefficient: one,
                ..good()
            },
        ),
    ] {
        let file = pkcs1::der::Encode::to_der(&key).unwrap();
        let refused = PrivateKey::from_pem_or_der(&file, None).unwrap_err();
        assert_eq!(refused, KeyError::CrtMismatch(name));
    }
}

#[test]
fn generation() {
    for bits in [2048, 2049] {
        let key = PrivateKey::generate(bits, &mut system_rng()).unwrap();
        check_generated(&key, bits);
    }
}

/// The conditions of FIPS 186-5, appendix A.1.
fn check_generated(key: &PrivateKey, bits: u32) {
    assert_eq!(key.bits(), bits);
    let Numbers { n, e, d, p, q } = Numbers::of(key);
    assert_eq!(e, 65_537);
    assert_eq!(&p * &q, n);
    assert_eq!(
        (p.bits(), q.bits()),
        (u64::from(bits.div_ceil(2)), u64::from(bits / 2))
    );
    // At least sqrt(2) times the least number of their length.
    assert!((&p * &p).bits() == 2 * p.bits() && (&q * &q).bits() == 2 * q.bits());
    let lcm = (&p - 1u32).lcm(&(&q - 1u32));
    assert_eq!((&d * e) % &lcm, BigUint::from(1u32));
    assert!(d < lcm && d.bits() > u64::from(bits / 2));
    let difference = if p > q { &p - &q } else { &q - &p };
    assert!(difference.bits() > u64::from(bits / 2 - 100));
    assert_eq!(big(key.public_key().n()), n);
}

/// A generator that remembers what it gave.
struct Recorder(Vec<u8>);

impl TryRng for Recorder {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        system_rng().fill_bytes(bytes);
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Recorder {}

/// FIPS 186-5, appendix A.1.3: a prime is a number that was drawn, not the next prime after it.
#[test]
fn every_candidate_for_a_prime_is_drawn_anew() {
    let mut recorder = Recorder(Vec::new());
    let key = PrivateKey::generate(1024, &mut recorder).unwrap();
    let Numbers { p, q, .. } = Numbers::of(&key);
    for prime in [p, q] {
        let prime = prime.to_bytes_le();
        let (middle, top) = (&prime[1..63], prime[63]);
        let drawn = recorder.0.windows(64).any(|drawn| {
            drawn[0] | 1 == prime[0] && &drawn[1..63] == middle && drawn[63] | 0x80 == top
        });
        assert!(drawn, "the prime was not drawn");
    }
}

/// Always the same byte.
struct Constant(u8);

impl TryRng for Constant {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_ne_bytes([self.0; 4]))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_ne_bytes([self.0; 8]))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(self.0);
        Ok(())
    }
}

impl TryCryptoRng for Constant {}

#[test]
fn a_broken_generator_ends_in_an_error() {
    for byte in [0, 1, 0x55, 0xff] {
        let refused = PrivateKey::generate(1024, &mut Constant(byte)).unwrap_err();
        assert_eq!(refused, KeyError::NoPrime(10_240), "{byte}");
    }
}

#[test]
fn sizes_that_are_not_generated() {
    let refused = |bits| PrivateKey::generate(bits, &mut system_rng()).unwrap_err();
    for bits in [0, 512, 1023, 8193, u32::MAX] {
        assert_eq!(refused(bits), KeyError::GeneratedSize { bits, min: 1024 });
    }
}

#[test]
fn a_short_key_signs_decrypts_and_encrypts_only_when_permitted() {
    let engine = sunzi_engine::Engine::new(sunzi_engine::Backend::best()).unwrap();
    for (name, bits) in [("rsa1024.pkcs8.pem", 1024), ("rsa2047.pkcs8.pem", 2047)] {
        let key = PrivateKey::from_pem_or_der(&fixture(name), None).unwrap();
        let refused = SigningKey::new(&engine, &key).unwrap_err();
        assert_eq!(refused, KeyError::TooShortToSign(bits));
        let refused = DecryptionKey::new(&engine, &key).unwrap_err();
        assert_eq!(refused, KeyError::TooShortToDecrypt(bits));
        let refused = EncryptionKey::new(&engine, key.public_key()).unwrap_err();
        assert_eq!(refused, KeyError::TooShortToEncrypt(bits));

        let public = key.public_key().clone();
        let permitted = public.clone().permit_1024();
        assert_eq!(public, permitted);
        assert!(EncryptionKey::new(&engine, &permitted).is_ok());
        let key = key.permit_1024();
        assert!(SigningKey::new(&engine, &key).is_ok());
        assert!(DecryptionKey::new(&engine, &key).is_ok());
        assert!(EncryptionKey::new(&engine, key.public_key()).is_ok());
    }
    let key = PrivateKey::generate(1024, &mut system_rng()).unwrap();
    assert!(SigningKey::new(&engine, &key).is_err());
    assert!(SigningKey::new(&engine, &key.permit_1024()).is_ok());
}

#[test]
fn debug_output_has_no_secrets() {
    let key = private("rsa2048.pkcs8.pem");
    let engine = sunzi_engine::Engine::new(sunzi_engine::Backend::best()).unwrap();
    let signing = SigningKey::new(&engine, &key).unwrap();
    assert_eq!(
        format!("{key:?}"),
        "PrivateKey { public: PublicKey { bits: 2048, e: 65537, .. }, .. }"
    );
    assert_eq!(
        format!("{signing:?}"),
        "SigningKey(PublicKey { bits: 2048, e: 65537, .. })"
    );
}

#[test]
fn the_fingerprint() {
    // openssl pkey -pubin -in rsa2048.spki.pem -outform DER | sha256sum
    let key = PublicKey::from_pem_or_der(&fixture("rsa2048.spki.pem")).unwrap();
    let expected = include_str!("fixtures/rsa2048.fingerprint.txt").trim();
    assert_eq!(
        BigUint::from_bytes_be(&key.fingerprint()),
        BigUint::parse_bytes(expected.as_bytes(), 16).unwrap()
    );
}

/// Keys by the batch satisfy the same conditions, and sign.
#[test]
fn keys_by_the_batch() {
    let engine = Engine::new(Backend::best()).unwrap();
    for (bits, count) in [(1024, 4), (1025, 2), (1536, 2)] {
        let mut last = Progress::default();
        let mut watch = |progress: Progress| {
            assert!(progress.found >= last.found && progress.wanted == 2 * count);
            last = progress;
            std::ops::ControlFlow::Continue(())
        };
        let rng = &mut system_rng();
        let keys = PrivateKey::generate_batch(&engine, rng, bits, count, &mut watch).unwrap();
        assert_eq!(keys.len(), count);
        for key in keys {
            check_generated(&key, bits);
        }
    }
    let rng = &mut system_rng();
    for bits in [1023, 8193] {
        let refused = PrivateKey::generate_batch(&engine, rng, bits, 1, &mut unwatched);
        assert!(matches!(refused, Err(KeyError::GeneratedSize { .. })));
    }
    let mut cancel = |_| std::ops::ControlFlow::Break(());
    let cancelled = PrivateKey::generate_batch(&engine, rng, 2048, 1, &mut cancel);
    assert_eq!(cancelled.unwrap_err(), KeyError::Cancelled);
}
