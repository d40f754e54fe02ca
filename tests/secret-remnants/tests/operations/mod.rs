//! The secret operations of the libraries. Each runs in a process of its own, which is this
//! executable again, and which then searches its own memory.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use rand_core::{TryCryptoRng, TryRng};
use sha2::{Digest as _, Sha256, Sha512};
use std::convert::Infallible;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use sunzi_engine::{Backend, Engine, Exponent, InstructionLimit, Task};
use sunzi_pk::ec::{
    self, EdwardsCurve, MontgomeryCurve, PreparedCurve, PreparedEdwardsCurve,
    PreparedMontgomeryCurve, ecdh, ecdsa, eddsa, schnorr, xdh,
};
use sunzi_pk::paillier::{self, Method};
use sunzi_pk::rsa::blind::{BlindSignRequest, blind_sign_batch};
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
    PublicKey, Scheme, SignRequest, SigningKey, decrypt_batch, encrypt_batch, sign_batch,
};
use sunzi_pk::{Hash, primes, system_rng};
use sunzi_secret_remnants::{Mask, Patterns, masked};
use zeroize::Zeroizing;

/// The environment variable that names the operation of a child process.
const OPERATION: &str = "SUNZI_REMNANTS_OPERATION";

/// The text between a backend and the limit of its instructions.
const WITHIN: &str = " within ";

const MASK: Mask = *b"\xa5\x3c\x96\x0f\x69\xc3\x5a\xf0\x1e\xd2\x4b\x87\x2d\xb4\x78\xe1";

/// A deterministic generator, so that two processes make the same key.
struct Seeded(Sha256, u64);

impl Seeded {
    fn new() -> Self {
        Self(Sha256::new_with_prefix(b"seed"), 0)
    }

    fn next(&mut self) -> [u8; 32] {
        self.1 += 1;
        self.0
            .clone()
            .chain_update(self.1.to_le_bytes())
            .finalize()
            .into()
    }
}

impl TryRng for Seeded {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|x| x as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(32) {
            let block = Zeroizing::new(self.next());
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Seeded {}

/// A private key on P-256, of Ed25519, and of X25519.
const EC_KEY: [u8; 32] = *b"\x4c\x2f\xd1\x97\x0b\xe8\x63\x5a\xc4\x1e\x8d\x72\xf6\x39\xa0\x5b\
    \xd8\x13\x7e\xc9\x24\x6f\xb1\x0c\x95\xea\x38\x47\xd2\x61\xfe\x83";

/// The size of the key that is generated: small, to be fast.
const GENERATED_BITS: u32 = 1024;

/// Runs an operation on inputs, which are plain only while it runs. `begins` is called when the key has been
/// read.
fn operate(operation: &str, inputs: &[Zeroizing<Vec<u8>>], begins: &mut dyn FnMut()) {
    let input = |k: usize| masked(&inputs[k], MASK);
    let key = |begins: &mut dyn FnMut()| {
        let key = PrivateKey::from_pem_or_der(&input(0), None).unwrap();
        begins();
        key
    };
    let (operation, backend) = operation
        .split_once(" on ")
        .unwrap_or((operation, "portable"));
    let (backend, limit) = backend
        .split_once(WITHIN)
        .unwrap_or((backend, InstructionLimit::Ifma.name()));
    limit.parse::<InstructionLimit>().unwrap().set().unwrap();
    let engine = Engine::new(backend.parse().unwrap()).unwrap();
    match operation {
        "nothing" => drop(input(0)),
        "leak" => std::mem::forget(input(0)),
        "read" => drop(key(&mut || {})),
        "read encrypted" => {
            drop(PrivateKey::from_pem_or_der(&input(0), Some(&input(1))).unwrap());
        }
        "write" => {
            let key = key(begins);
            drop((
                key.to_pkcs1_der(),
                key.to_pkcs1_pem(),
                key.to_pkcs8_der(),
                key.to_pkcs8_pem(),
            ));
        }
        "write encrypted" => {
            drop(
                key(begins)
                    .to_encrypted_pkcs8_pem(&mut system_rng(), &input(1))
                    .unwrap(),
            );
        }
        "generate" => drop(PrivateKey::generate(GENERATED_BITS, &mut Seeded::new()).unwrap()),
        "sign" => rsa_signatures(&engine, &key(begins)),
        "sign by ECDSA" => drop(ecdsa_signatures(&engine, &input(0))),
        "sign by BIP 340" => drop(schnorr_signatures(&engine, &input(0))),
        "agree by ECDH" => drop(shared_secrets(&engine, &input(0))),
        "sign by Ed25519" => eddsa_signatures(&engine, &input(0)),
        "agree by X25519" => drop(xdh_secrets(&engine, &input(0))),
        "sign blindly" => blind_signatures(&engine, &key(begins)),
        "encrypt and decrypt by Paillier" => {
            paillier_round_trip(&engine, &input(0), &input(1), begins);
        }
        "encrypt" => {
            let key = PublicKey::from_pem_or_der(&input(0)).unwrap();
            let key = EncryptionKey::new(&engine, &key).unwrap();
            let message = &input(1);
            let request = |scheme| EncryptRequest {
                key: &key,
                scheme,
                message,
            };
            let requests = [EncryptionScheme::OAEP, EncryptionScheme::Pkcs1v15].map(request);
            let ciphertexts = encrypt_batch(&engine, &mut system_rng(), &requests);
            assert!(ciphertexts.iter().all(Result::is_ok));
        }
        "decrypt" => {
            let key = DecryptionKey::new(&engine, &key(begins)).unwrap();
            let (oaep, pkcs1) = (input(1), input(2));
            let requests = [
                (EncryptionScheme::OAEP, &oaep),
                (EncryptionScheme::Pkcs1v15, &pkcs1),
            ];
            let requests = requests.map(|(scheme, ciphertext)| DecryptRequest {
                key: &key,
                scheme,
                ciphertext,
            });
            let messages = decrypt_batch(&engine, &mut system_rng(), &requests.repeat(20));
            assert!(messages.iter().all(Result::is_ok));
        }
        "power" => {
            let number = |k| {
                let bytes = input(k);
                Zeroizing::new(BoxedUint::from_be_slice(&bytes, 8 * bytes.len() as u32).unwrap())
            };
            let (modulus, base, exponent) = (number(0), number(1), number(2));
            let modulus = engine.modulus(&modulus).unwrap();
            let task = Task::power(&modulus, &base, Exponent::Secret(&exponent));
            assert_eq!(engine.run(&[task; 33]).unwrap().len(), 33);
        }
        "modulus" => {
            let bytes = input(0);
            let prime = BoxedUint::from_be_slice(&bytes, 8 * bytes.len() as u32).unwrap();
            let prime = Zeroizing::new(prime);
            drop(engine.modulus(&prime).unwrap());
            drop(engine.moduli(std::slice::from_ref(&*prime)));
        }
        _ => panic!("{operation:?} is no operation"),
    }
}

/// Signatures of one digest by PKCS#1 v1.5 and PSS.
fn rsa_signatures(engine: &Engine, key: &PrivateKey) {
    let key = SigningKey::new(engine, key).unwrap();
    let digest = Hash::Sha256.digest(b"message");
    let request = |scheme| SignRequest {
        key: &key,
        scheme,
        digest,
    };
    let requests = [Scheme::Pkcs1v15, Scheme::PSS].map(request).repeat(20);
    let signatures = sign_batch(engine, &mut system_rng(), &requests);
    assert!(signatures.iter().all(Result::is_ok));
}

/// Blind signatures of one blinded message.
fn blind_signatures(engine: &Engine, key: &PrivateKey) {
    let key = SigningKey::new(engine, key).unwrap();
    // Below any modulus of this size.
    let blinded = [1; 256];
    let request = BlindSignRequest {
        key: &key,
        blinded: &blinded,
    };
    let signatures = blind_sign_batch(engine, &mut system_rng(), &[request; 40]);
    assert!(signatures.iter().all(Result::is_ok));
}

/// Signatures of one digest on P-256, enough that they share inversions, and that points are confirmed together.
fn ecdsa_signatures(engine: &Engine, d: &[u8]) -> Vec<ecdsa::Signature> {
    let curve = PreparedCurve::new(engine, &"P-256".parse().unwrap()).unwrap();
    let private = ec::PrivateKey::from_bytes(&curve, d).unwrap();
    let key = ecdsa::SigningKey::new(&curve, &private).unwrap();
    let digest = Hash::Sha256.digest(b"message");
    let requests = [ecdsa::SignRequest { key: &key, digest }; 130];
    let kind = ecdsa::NonceKind::Deterministic;
    let signatures = ecdsa::sign_batch(engine, &mut system_rng(), kind, &requests);
    signatures.into_iter().map(Result::unwrap).collect()
}

/// Signatures of one message by BIP 340, enough that they share inversions, and that points are confirmed together.
fn schnorr_signatures(engine: &Engine, d: &[u8]) -> Vec<schnorr::Signature> {
    let curve = PreparedCurve::new(engine, &"secp256k1".parse().unwrap()).unwrap();
    let private = ec::PrivateKey::from_bytes(&curve, d).unwrap();
    let key = schnorr::SigningKey::new(&curve, &private).unwrap();
    let request = schnorr::SignRequest {
        key: &key,
        message: b"message",
        auxiliary: [0; 32],
    };
    let signatures = schnorr::sign_batch(engine, &[request; 130]);
    signatures.into_iter().map(Result::unwrap).collect()
}

/// The secret numbers of [`schnorr_signatures`]: d, n - d, and the nonce k or its negative.
fn schnorr_patterns(engine: &Engine, d: &[u8]) -> Patterns {
    let curve = PreparedCurve::new(engine, &"secp256k1".parse().unwrap()).unwrap();
    let public = ec::PrivateKey::from_bytes(&curve, d).unwrap();
    let public = public.public_key().to_sec1_bytes(true);
    let signature = schnorr_signatures(engine, d).remove(0);
    let (r, s) = signature.as_bytes().split_at(32);
    let tag = Sha256::digest(b"BIP0340/challenge");
    let challenge = Sha256::new_with_prefix(tag).chain_update(tag);
    let challenge = challenge.chain_update(r).chain_update(&public[1..]);
    let challenge = challenge.chain_update(b"message").finalize();
    let n = BigUint::from_bytes_be(&curve.curve().order().as_ref().to_be_bytes());
    let d = BigUint::from_bytes_be(d);
    // The one of the two whose point has an even y.
    let even = if public[0] == 2 { d.clone() } else { &n - &d };
    let e = BigUint::from_bytes_be(&challenge);
    let k = (BigUint::from_bytes_be(s) + &n * &n - e * even) % &n;
    let mut patterns = Patterns::new(MASK);
    patterns.number("n - d", &(&n - &d).to_bytes_be());
    patterns.number("d", &d.to_bytes_be());
    patterns.number("n - k", &(&n - &k).to_bytes_be());
    patterns.number("k", &k.to_bytes_be());
    patterns
}

/// Encryptions of one number with both kinds of randomness, and decryptions.
fn paillier_round_trip(engine: &Engine, json: &[u8], message: &[u8], begins: &mut dyn FnMut()) {
    let json = str::from_utf8(json).unwrap();
    let private = paillier::PrivateKey::from_jwk(json).unwrap();
    begins();
    let bits = 8 * message.len() as u32;
    let message = Zeroizing::new(BoxedUint::from_be_slice(message, bits).unwrap());
    for method in [Method::Full, Method::Short] {
        let key = paillier::EncryptionKey::new(engine, private.public_key(), method).unwrap();
        let numbers = core::slice::from_ref(&*message);
        for _ in 0..2 {
            let made = paillier::encrypt_batch(engine, &mut system_rng(), &key, numbers);
            let made = made.into_iter().next().unwrap().unwrap();
            let key = paillier::DecryptionKey::new(engine, &private).unwrap();
            let again = paillier::decrypt_batch(engine, &key, &vec![made; 20]);
            assert!(again.iter().all(Result::is_ok));
        }
    }
}

/// The secret numbers of [`paillier_round_trip`].
fn paillier_patterns(key: &paillier::PrivateKey, message: &[u8]) -> Patterns {
    let mut patterns = Patterns::new(MASK);
    for (name, prime) in ["p", "q"].into_iter().zip(key.primes()) {
        let prime = BigUint::from_bytes_be(&prime.to_be_bytes());
        patterns.number(name, &prime.to_bytes_be());
        patterns.number(&format!("{name} - 1"), &(&prime - 1u32).to_bytes_be());
        patterns.number(&format!("{name}^2"), &(&prime * &prime).to_bytes_be());
    }
    patterns.number("message", message);
    patterns
}

/// Shared secrets of one pair of keys on P-256, enough that they share inversions.
fn shared_secrets(engine: &Engine, d: &[u8]) -> Vec<ecdh::SharedSecret> {
    let curve = PreparedCurve::new(engine, &"P-256".parse().unwrap()).unwrap();
    let private = ec::PrivateKey::from_bytes(&curve, d).unwrap();
    let peer = ec::PrivateKey::from_bytes(&curve, &[0x3c; 32]).unwrap();
    let key = ecdh::AgreementKey::new(&curve, &private).unwrap();
    let peer = peer.public_key();
    let requests = [ecdh::AgreeRequest { key: &key, peer }; 40];
    let secrets = ecdh::agree_batch(engine, &requests);
    secrets.into_iter().map(Result::unwrap).collect()
}

/// The secret numbers of [`shared_secrets`]: d, and x of the common point.
fn ecdh_patterns(engine: &Engine, d: &[u8]) -> Patterns {
    let mut patterns = Patterns::new(MASK);
    patterns.number("d", d);
    patterns.number("x", shared_secrets(engine, d)[0].as_bytes());
    patterns
}

/// The secret numbers of [`ecdsa_signatures`]: d, n - d, and the nonce k or its negative.
fn ecdsa_patterns(engine: &Engine, d: &[u8]) -> Patterns {
    let curve: ec::Curve = "P-256".parse().unwrap();
    let signature = ecdsa_signatures(engine, d).remove(0);
    let signature = signature.to_bytes(ecdsa::Encoding::Raw);
    let [r, s] = [0, 32].map(|first| BigUint::from_bytes_be(&signature[first..][..32]));
    let n = BigUint::from_bytes_be(&curve.order().as_ref().to_be_bytes());
    let e = BigUint::from_bytes_be(Hash::Sha256.digest(b"message").as_bytes());
    let d = BigUint::from_bytes_be(d);
    let k = (e + r * &d) * s.modinv(&n).unwrap() % &n;
    let mut patterns = Patterns::new(MASK);
    patterns.number("n - d", &(&n - &d).to_bytes_be());
    patterns.number("d", &d.to_bytes_be());
    patterns.number("n - k", &(&n - &k).to_bytes_be());
    patterns.number("k", &k.to_bytes_be());
    patterns
}

/// Signatures of one message by Ed25519, enough that they share inversions.
fn eddsa_signatures(engine: &Engine, key: &[u8]) {
    let curve = PreparedEdwardsCurve::new(engine, EdwardsCurve::Edwards25519).unwrap();
    let private = eddsa::PrivateKey::from_bytes(&curve, key).unwrap();
    let key = eddsa::SigningKey::new(&curve, &private).unwrap();
    let request = eddsa::SignRequest {
        key: &key,
        variant: eddsa::Variant::Pure,
        message: b"message",
    };
    let nonces = eddsa::NonceKind::Deterministic;
    let signatures = eddsa::sign_batch(engine, &mut system_rng(), nonces, &[request; 40]);
    assert!(signatures.iter().all(Result::is_ok));
}

/// The secret numbers of [`eddsa_signatures`]: the key, the scalar a and its negative modulo the order, the prefix, the
/// hash that is the nonce, and the nonce.
fn eddsa_patterns(key: &[u8]) -> Patterns {
    let order = "7237005577332262213973186563042994240857116359379907606001950938285454250989";
    let order: BigUint = order.parse().unwrap();
    let mut hash = Sha512::digest(key);
    hash[0] &= 0xf8;
    hash[31] = hash[31] & 0x7f | 0x40;
    let nonce = Sha512::new_with_prefix(&hash[32..]).chain_update(b"message");
    let nonce = nonce.finalize();
    let a = BigUint::from_bytes_le(&hash[..32]) % &order;
    let mut patterns = Patterns::new(MASK);
    patterns.text("key", key);
    patterns.text("scalar as hashed", &hash[..32]);
    patterns.number("L - a", &(&order - &a).to_bytes_be());
    patterns.number("a", &a.to_bytes_be());
    patterns.text("prefix", &hash[32..]);
    patterns.text("hash of the nonce", &nonce);
    let nonce = BigUint::from_bytes_le(&nonce) % order;
    patterns.number("nonce", &nonce.to_bytes_be());
    patterns
}

/// Shared secrets of X25519 with one peer, enough that they share inversions.
fn xdh_secrets(engine: &Engine, key: &[u8]) -> Vec<xdh::SharedSecret> {
    let curve = PreparedMontgomeryCurve::new(engine, MontgomeryCurve::Curve25519).unwrap();
    let private = xdh::PrivateKey::from_bytes(&curve, key).unwrap();
    let key = xdh::AgreementKey::new(&curve, &private).unwrap();
    let peer = xdh::PublicKey::from_bytes(MontgomeryCurve::Curve25519, &[7; 32]).unwrap();
    let request = xdh::AgreeRequest {
        key: &key,
        peer: &peer,
    };
    let secrets = xdh::agree_batch(engine, &[request; 40]);
    secrets.into_iter().map(Result::unwrap).collect()
}

/// The secret numbers of [`xdh_secrets`]: the key, the scalar k, the differences of its bits, and the secret.
fn xdh_patterns(engine: &Engine, key: &[u8]) -> Patterns {
    let secret = xdh_secrets(engine, key).remove(0);
    let mut scalar = key.to_vec();
    scalar[0] &= 0xf8;
    scalar[31] = scalar[31] & 0x7f | 0x40;
    let k = BigUint::from_bytes_le(&scalar);
    let mut patterns = Patterns::new(MASK);
    patterns.text("key", key);
    patterns.number("k", &k.to_bytes_be());
    patterns.number("2 k xor k", &((&k << 1u32) ^ &k).to_bytes_be());
    patterns.number("secret", &{
        let mut secret = secret.as_bytes().to_vec();
        secret.reverse();
        secret
    });
    patterns.text("secret as bytes", secret.as_bytes());
    patterns
}

/// The operations on curves, and their secret numbers.
fn curve_patterns(engine: &Engine) -> [(&'static str, Patterns); 5] {
    [
        ("sign by ECDSA", ecdsa_patterns(engine, &EC_KEY)),
        ("sign by BIP 340", schnorr_patterns(engine, &EC_KEY)),
        ("agree by ECDH", ecdh_patterns(engine, &EC_KEY)),
        ("sign by Ed25519", eddsa_patterns(&EC_KEY)),
        ("agree by X25519", xdh_patterns(engine, &EC_KEY)),
    ]
}

/// The child process: runs the operation, and prints its remnants.
#[test]
fn child() {
    let Ok(operation) = std::env::var(OPERATION) else {
        return;
    };
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let (inputs, patterns) = text.split_once("\n\n").unwrap();
    let byte = |digits: &[u8]| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
    let input = |line: &str| Zeroizing::new(line.as_bytes().chunks(2).map(byte).collect());
    let inputs: Vec<Zeroizing<Vec<u8>>> = inputs.lines().map(input).collect();
    let patterns = Patterns::from_text(patterns).unwrap();
    let mut before = Vec::new();
    operate(&operation, &inputs, &mut || {
        before = patterns.search("self").unwrap();
    });
    let mut remnants = patterns.search("self").unwrap();
    remnants.retain(|remnant| !before.contains(remnant));
    for remnant in remnants {
        println!("REMNANT {}: {remnant:?}", remnant.name);
    }
    println!("SEARCHED");
}

/// The remnants of an operation, in a process of its own.
fn remnants(operation: &str, inputs: &[&[u8]], patterns: &Patterns) -> Vec<String> {
    let hexadecimal = |byte: &u8| format!("{byte:02x}");
    let line = |input: &&[u8]| -> String { masked(input, MASK).iter().map(hexadecimal).collect() };
    let lines: Vec<String> = inputs.iter().map(line).collect();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "operations::child", "--nocapture"])
        .env(OPERATION, operation)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = format!("{}\n\n{}", lines.join("\n"), patterns.to_text());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(output.contains("SEARCHED"), "{operation}: {output}");
    let lines = output.lines().filter(|line| line.starts_with("REMNANT"));
    lines.map(String::from).collect()
}

/// The secret numbers of a private key.
fn patterns_of(key: &PrivateKey) -> Patterns {
    let der = key.to_pkcs1_der();
    let numbers = pkcs1::RsaPrivateKeyRef::try_from(der.as_slice()).unwrap();
    let mut patterns = Patterns::new(MASK);
    for (name, number) in [
        ("d", numbers.private_exponent),
        ("p", numbers.prime1),
        ("q", numbers.prime2),
        ("dp", numbers.exponent1),
        ("dq", numbers.exponent2),
        ("qinv", numbers.coefficient),
    ] {
        patterns.number(name, number.as_bytes());
    }
    patterns
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/pk/tests/fixtures/"
    );
    std::fs::read(format!("{folder}{name}")).unwrap()
}

/// Ciphertexts of a message by OAEP and PKCS#1 v1.5.
fn ciphertexts(engine: &Engine, key: &PublicKey, message: &[u8]) -> [Vec<u8>; 2] {
    let key = EncryptionKey::new(engine, key).unwrap();
    [EncryptionScheme::OAEP, EncryptionScheme::Pkcs1v15].map(|scheme| {
        let request = EncryptRequest {
            key: &key,
            scheme,
            message,
        };
        encrypt_batch(engine, &mut system_rng(), &[request])
            .remove(0)
            .unwrap()
    })
}

/// Every backend of this processor, and backends that compute in another way with fewer instructions. `fused52` runs
/// without the device that single numbers fall back to.
fn backends() -> Vec<String> {
    let mut backends = Vec::new();
    for &backend in Backend::ALL {
        match backend.check() {
            Ok(()) if backend == Backend::FUSED52 => {
                let limit = InstructionLimit::Avx2;
                backends.extend([
                    "fused52:lanes".into(),
                    format!("fused52:lanes{WITHIN}{limit}"),
                    format!("float{WITHIN}{limit}"),
                ]);
            }
            Ok(()) => backends.push(backend.to_string()),
            Err(error) => println!("SKIPPED: {error}"),
        }
    }
    backends
}

/// Checks that no operation leaves remnants, except the secrets in `permitted` when a key is read or made.
pub(crate) fn check_all(permitted: &[&str]) {
    let pem = fixture("rsa2048.pkcs8.pem");
    let key = PrivateKey::from_pem_or_der(&pem, None).unwrap();
    let passphrase = b"correct horse battery staple, and more";
    let message = b"a message that is long enough to be found in pieces";
    let encrypted = key
        .to_encrypted_pkcs8_pem(&mut system_rng(), passphrase)
        .unwrap();
    let public = key.public_key().to_spki_pem();
    let mut secrets = patterns_of(&key);
    secrets.text("passphrase", passphrase);
    secrets.text("message", message);
    let generated = PrivateKey::generate(GENERATED_BITS, &mut Seeded::new()).unwrap();
    let generated = patterns_of(&generated);

    // The search finds existing remnants, and only these.
    let number = &key.to_pkcs1_der()[300..500];
    assert!(remnants("nothing", &[&pem], &secrets).is_empty());
    assert!(!remnants("leak", &[&pem], &secrets).is_empty());
    let mut part = Patterns::new(MASK);
    part.number("part", number);
    assert!(!remnants("leak", &[number], &part).is_empty());

    let mut failed = false;
    let mut check = |operation: &str, inputs: &[&[u8]], patterns: &Patterns| {
        let mut left = remnants(operation, inputs, patterns);
        let found = left.len();
        if operation.starts_with("read") || operation == "generate" {
            let permitted = |line: &String| {
                permitted
                    .iter()
                    .any(|name| line.contains(&format!(" {name}:")))
            };
            left.retain(|line| !permitted(line));
        }
        println!(
            "{operation}: {found} remnants, {} not permitted",
            left.len()
        );
        for remnant in &left {
            println!("    {remnant}");
        }
        failed |= !left.is_empty();
    };
    for name in [
        "rsa2048.pkcs8.pem",
        "rsa2048.pkcs8.der",
        "rsa2048.pkcs1.pem",
        "rsa2048.openssh.pem",
    ] {
        check("read", &[&fixture(name)], &secrets);
    }
    check(
        "read encrypted",
        &[encrypted.as_bytes(), passphrase],
        &secrets,
    );
    for name in [
        "rsa2048.scrypt.pem",
        "rsa2048.des3.pem",
        "rsa2048.openssh-aes256.pem",
        "rsa2048.p12",
    ] {
        check("read encrypted", &[&fixture(name), b"correct"], &secrets);
    }
    check("write", &[&pem], &secrets);
    check("write encrypted", &[&pem, passphrase], &secrets);
    check("generate", &[], &generated);

    let portable = Engine::new(Backend::PORTABLE).unwrap();
    let [oaep, pkcs1] = ciphertexts(&portable, key.public_key(), message);
    let n = key.public_key().n().to_be_bytes();
    let der = key.to_pkcs1_der();
    let numbers = pkcs1::RsaPrivateKeyRef::try_from(der.as_slice()).unwrap();
    let (p, d) = (
        numbers.prime1.as_bytes(),
        numbers.private_exponent.as_bytes(),
    );
    let curves = curve_patterns(&portable);
    let wide_p = [&[0; 16], p].concat();
    let (rng, watch) = (&mut system_rng(), &mut primes::unwatched);
    let paillier = paillier::PrivateKey::generate_batch(&portable, rng, 2048, 1, watch);
    let paillier = paillier.unwrap().remove(0);
    let (json, number) = (paillier.to_jwk(None), &message[..48]);
    let paillier = paillier_patterns(&paillier, number);
    for backend in backends() {
        let on = |operation| format!("{operation} on {backend}");
        check(&on("modulus"), &[p], &secrets);
        check(&on("modulus"), &[&wide_p], &secrets);
        check(&on("power"), &[&n, message, d], &secrets);
        check(&on("sign"), &[&pem], &secrets);
        check(&on("sign blindly"), &[&pem], &secrets);
        let inputs: [&[u8]; 2] = [json.as_bytes(), number];
        check(&on("encrypt and decrypt by Paillier"), &inputs, &paillier);
        for (operation, patterns) in &curves {
            check(&on(operation), &[&EC_KEY], patterns);
        }
        check(&on("decrypt"), &[&pem, &oaep, &pkcs1], &secrets);
        check(&on("encrypt"), &[public.as_bytes(), message], &secrets);
    }
    assert!(!failed, "secrets were left in memory");
}
