//! Secret operations with their secrets marked as undefined memory, for valgrind's memcheck, which then reports every
//! branch and every address that depends on one (the method of Langley's ctgrind, 2010). Usage: `valgrind taint BACKEND
//! OPERATION`; `make taint` runs all, with the list of permitted reports in `allowed.supp`.
//!
//! Valgrind has no AVX-512 and reports this to programs: the backends `portable`, `float`, `fused52` and
//! `radix64` run, on AVX2 where the processor has it.

use crypto_bigint::BoxedUint;
use std::error::Error;
use std::process::ExitCode;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use sunzi_pk::bls::{self, PreparedBls, SecretKey, Suite, Variant};
use sunzi_pk::ec::pairing::PreparedPairing;
use sunzi_pk::ec::{
    self, EdwardsCurve, MontgomeryCurve, PreparedCurve, PreparedEdwardsCurve,
    PreparedMontgomeryCurve, ecdh, ecdsa, eddsa, schnorr, xdh,
};
use sunzi_pk::paillier::{self, Method};
use sunzi_pk::rsa::blind::{BlindSignRequest, blind_sign_batch};
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
    Scheme, SignRequest, SigningKey, decrypt_batch, encrypt_batch, sign_batch,
};
use sunzi_pk::{Digest, Hash, system_rng};

mod valgrind;

/// Any error.
type Failure = Box<dyn Error + Send + Sync>;

/// Exit code in the absence of valgrind.
const NO_VALGRIND: u8 = 3;

fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [backend, operation] = &arguments[..] else {
        return Err("usage: taint BACKEND OPERATION".into());
    };
    if !valgrind::is_running() {
        eprintln!("taint shows nothing outside valgrind: use `make taint`");
        return Ok(ExitCode::from(NO_VALGRIND));
    }
    let engine = Engine::new(backend.parse::<Backend>()?)?;
    // One thread, so that all reports have the operation on their stacks.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()?
        .install(|| operate(&engine, operation))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs an operation with its secrets undefined.
fn operate(engine: &Engine, operation: &str) -> Result<(), Failure> {
    match operation {
        // A branch on a secret, by which the method itself is tested.
        "leak" => {
            let secret = BoxedUint::one_with_precision(64);
            taint(&secret);
            if secret.as_words()[0] == 1 {
                println!("one");
            }
        }
        "power" => power(engine)?,
        "sign" => sign(engine)?,
        "rsa-key" => rsa_key(engine)?,
        "decrypt" => decrypt(engine)?,
        "blind-sign" => blind_sign(engine)?,
        "paillier" => paillier(engine)?,
        "paillier-key" => paillier_key(engine)?,
        "ecdsa" => ecdsa(engine, "P-256", 1)?,
        "ecdsa-k1" => ecdsa(engine, "secp256k1", 1)?,
        // Enough that the points of their nonces are confirmed together, by pairs of affine points.
        "ecdsa-many" => ecdsa(engine, "P-256", 256)?,
        "schnorr" => schnorr(engine)?,
        "ecdh" => ecdh(engine, &["P-256", "secp256k1"], 1)?,
        // So many that multiples of points are affine, and groups share inversions.
        "ecdh-many" => ecdh(engine, &["P-256"], 512)?,
        "ed25519" => ed25519(engine)?,
        "x25519" => x25519(engine)?,
        "bls-g2" => bls(engine, Variant::MinPk)?,
        "bls-g1" => bls(engine, Variant::MinSig)?,
        other => return Err(format!("there is no operation {other}").into()),
    }
    Ok(())
}

/// Marks a number as undefined.
fn taint(number: &BoxedUint) {
    valgrind::make_undefined(number.as_words());
}

/// Powers with secret bases and exponents, one and a batch.
fn power(engine: &Engine) -> Result<(), Failure> {
    let number = |bits: u32, byte: u8| {
        let bytes = vec![byte; bits as usize / 8];
        BoxedUint::from_be_slice(&bytes, bits)
    };
    let modulus = engine.modulus(&number(512, 0xf1)?)?;
    let (base, exponent) = (number(512, 0x35)?, number(512, 0xa7)?);
    taint(&base);
    taint(&exponent);
    let task = Task::power(&modulus, &base, Exponent::Secret(&exponent));
    for count in [1, 16] {
        let mut powers = engine.run(&vec![task; count])?;
        for power in &mut powers {
            valgrind::make_defined(power.as_mut_words());
            assert!(power.bits_vartime() > 0);
        }
    }
    Ok(())
}

/// Signatures of both schemes, of a secret digest.
fn sign(engine: &Engine) -> Result<(), Failure> {
    sign_with(engine, &key()?)
}

/// Signatures of both schemes, of a secret digest.
fn sign_with(engine: &Engine, key: &PrivateKey) -> Result<(), Failure> {
    let key = SigningKey::new(engine, key)?;
    let digest = Hash::Sha256.digest(b"a message").as_bytes().to_vec();
    valgrind::make_undefined(&digest);
    let digest = Digest::new(Hash::Sha256, &digest)?;
    let requests = [Scheme::Pkcs1v15, Scheme::PSS].map(|scheme| SignRequest {
        key: &key,
        scheme,
        digest,
    });
    for signature in sign_batch(engine, &mut system_rng(), &requests) {
        // The signature is public.
        valgrind::make_defined(&signature?);
    }
    Ok(())
}

/// Preparation of a secret key, and a signature with it.
fn rsa_key(engine: &Engine) -> Result<(), Failure> {
    let der = key()?.to_pkcs1_der();
    let numbers: pkcs1::RsaPrivateKey<der::asn1::UintRef<'_>> =
        pkcs1::RsaPrivateKey::try_from(&**der)?;
    let number = |bytes: &[u8]| BoxedUint::from_be_slice(bytes, 8 * bytes.len() as u32);
    let n = number(numbers.modulus.as_bytes())?;
    let [d, p, q] = [numbers.private_exponent, numbers.prime1, numbers.prime2]
        .map(|secret| number(secret.as_bytes()));
    let [d, p, q] = [d?, p?, q?];
    for secret in [&d, &p, &q] {
        taint(secret);
    }
    let key = PrivateKey::from_components(&n, 65_537, &d, &p, &q)?.permit_1024();
    sign_with(engine, &key)
}

/// Decryption of right and of wrong ciphertexts, with both paddings: the output of the private operation is
/// as secret as the ciphertexts that are marked here.
fn decrypt(engine: &Engine) -> Result<(), Failure> {
    let key = key()?;
    let encryption = EncryptionKey::new(engine, key.public_key())?;
    let key = DecryptionKey::new(engine, &key)?;
    for scheme in [EncryptionScheme::OAEP, EncryptionScheme::Pkcs1v15] {
        let request = EncryptRequest {
            key: &encryption,
            scheme,
            message: b"a message",
        };
        let right = encrypt_batch(engine, &mut system_rng(), &[request]).remove(0)?;
        let mut wrong = right.clone();
        wrong[100] ^= 1;
        for ciphertext in [right, wrong] {
            // All but the first byte, which decides whether the integer is below the modulus.
            valgrind::make_undefined(&ciphertext[1..]);
            let request = DecryptRequest {
                key: &key,
                scheme,
                ciphertext: &ciphertext,
            };
            let answers = decrypt_batch(engine, &mut system_rng(), &[request]);
            // Whether there is a message, and its length, are public.
            valgrind::make_defined(&answers);
            drop(answers);
        }
    }
    Ok(())
}

/// A blind signature: the blinded message is as secret as the output of the private operation on it.
fn blind_sign(engine: &Engine) -> Result<(), Failure> {
    let key = SigningKey::new(engine, &key()?)?;
    let mut blinded = vec![0x5a; 128];
    blinded[0] = 0;
    // All but the first byte, which decides whether the integer is below the modulus.
    valgrind::make_undefined(&blinded[1..]);
    let request = BlindSignRequest {
        key: &key,
        blinded: &blinded,
    };
    for signature in blind_sign_batch(engine, &mut system_rng(), &[request]) {
        valgrind::make_defined(&signature?);
    }
    Ok(())
}

/// Encryption of a secret number with secret randomness, and decryption of a ciphertext that is as secret as
/// its plaintext.
fn paillier(engine: &Engine) -> Result<(), Failure> {
    let private = paillier_private()?;
    let key = paillier::EncryptionKey::new(engine, private.public_key(), Method::Full)?;
    let plaintext = BoxedUint::from_be_slice(&[0x35; 128], 1024)?;
    taint(&plaintext);
    let ciphertexts = encrypt_batch_of(engine, &key, &plaintext);
    let ciphertext = ciphertexts.into_iter().next().ok_or("no ciphertext")??;
    valgrind::make_defined(ciphertext.as_words());
    let key = paillier::DecryptionKey::new(engine, &private)?;
    // All but the last word, which decides whether it is a ciphertext.
    let words = ciphertext.as_words();
    valgrind::make_undefined(&words[..words.len() - 1]);
    for plaintext in paillier::decrypt_batch(engine, &key, &[ciphertext]) {
        valgrind::make_defined(plaintext?.as_words());
    }
    Ok(())
}

/// Preparation of a secret key, and decryption with it.
fn paillier_key(engine: &Engine) -> Result<(), Failure> {
    let private = paillier_private()?;
    let [p, q] = private.primes().map(BoxedUint::clone);
    taint(&p);
    taint(&q);
    let private = paillier::PrivateKey::from_primes(&p, &q)?;
    let public = private.public_key();
    valgrind::make_defined(public.n().as_words());
    valgrind::make_defined(public.n_squared().as_words());
    let key = paillier::DecryptionKey::new(engine, &private)?;
    let ciphertext = public.n().wrapping_sub(BoxedUint::one());
    for plaintext in paillier::decrypt_batch(engine, &key, &[ciphertext]) {
        valgrind::make_defined(plaintext?.as_words());
    }
    Ok(())
}

fn paillier_private() -> Result<paillier::PrivateKey, Failure> {
    let fixture = include_str!("../../crates/pk/tests/fixtures/phe.json");
    let fixture: serde_json::Value = serde_json::from_str(fixture)?;
    let json = fixture[0]["private"].as_str().ok_or("no key")?;
    Ok(paillier::PrivateKey::from_jwk(json)?)
}

fn encrypt_batch_of(
    engine: &Engine,
    key: &paillier::EncryptionKey,
    plaintext: &BoxedUint,
) -> Vec<Result<BoxedUint, paillier::PaillierError>> {
    let plaintexts = core::slice::from_ref(plaintext);
    paillier::encrypt_batch(engine, &mut system_rng(), key, plaintexts)
}

/// The key in marked memory. Its public half, which is computed from it, is marked with it.
fn curve_key(curve: &PreparedCurve) -> Result<ec::PrivateKey, Failure> {
    let bytes = [0x5a; 32];
    valgrind::make_undefined(&bytes);
    Ok(ec::PrivateKey::from_bytes(curve, &bytes)?)
}

fn ecdsa(engine: &Engine, curve: &str, count: usize) -> Result<(), Failure> {
    let curve = PreparedCurve::new(engine, &curve.parse()?)?;
    let key = ecdsa::SigningKey::new(&curve, &curve_key(&curve)?)?;
    let digest = Hash::Sha256.digest(b"a message");
    let request = ecdsa::SignRequest { key: &key, digest };
    let kind = ecdsa::NonceKind::Deterministic;
    for signature in ecdsa::sign_batch(engine, &mut system_rng(), kind, &vec![request; count]) {
        signature?;
    }
    Ok(())
}

fn schnorr(engine: &Engine) -> Result<(), Failure> {
    let curve = PreparedCurve::new(engine, &"secp256k1".parse()?)?;
    let key = schnorr::SigningKey::new(&curve, &curve_key(&curve)?)?;
    let request = schnorr::SignRequest {
        key: &key,
        message: b"a message",
        auxiliary: [0; 32],
    };
    for signature in schnorr::sign_batch(engine, &[request]) {
        signature?;
    }
    Ok(())
}

fn ecdh(engine: &Engine, curves: &[&str], count: usize) -> Result<(), Failure> {
    for name in curves {
        let curve = PreparedCurve::new(engine, &name.parse()?)?;
        let peer = ec::PrivateKey::from_bytes(&curve, &[0x3c; 32])?;
        let key = ecdh::AgreementKey::new(&curve, &curve_key(&curve)?)?;
        let peer = peer.public_key();
        let requests = vec![ecdh::AgreeRequest { key: &key, peer }; count];
        for secret in ecdh::agree_batch(engine, &requests) {
            secret?;
        }
    }
    Ok(())
}

fn ed25519(engine: &Engine) -> Result<(), Failure> {
    let curve = PreparedEdwardsCurve::new(engine, EdwardsCurve::Edwards25519)?;
    let private = eddsa::PrivateKey::from_bytes(&curve, &[0x5a; 32])?;
    valgrind::make_undefined(private.as_bytes());
    let key = eddsa::SigningKey::new(&curve, &private)?;
    let request = eddsa::SignRequest {
        key: &key,
        variant: eddsa::Variant::Pure,
        message: b"a message",
    };
    let nonces = eddsa::NonceKind::Deterministic;
    for signature in eddsa::sign_batch(engine, &mut system_rng(), nonces, &[request]) {
        signature?;
    }
    Ok(())
}

fn x25519(engine: &Engine) -> Result<(), Failure> {
    let curve = PreparedMontgomeryCurve::new(engine, MontgomeryCurve::Curve25519)?;
    let peer = xdh::PrivateKey::from_bytes(&curve, &[0x3c; 32])?;
    let private = xdh::PrivateKey::from_bytes(&curve, &[0x5a; 32])?;
    valgrind::make_undefined(private.as_bytes());
    let key = xdh::AgreementKey::new(&curve, &private)?;
    let peer = peer.public_key();
    for secret in xdh::agree_batch(engine, &[xdh::AgreeRequest { key: &key, peer }]) {
        secret?;
    }
    Ok(())
}

/// A public key and a signature of BLS, and two signatures, which are checked together.
fn bls(engine: &Engine, variant: Variant) -> Result<(), Failure> {
    let pairing = PreparedPairing::bls12_381(engine)?;
    let prepared = PreparedBls::new(&pairing, Suite::new(variant, bls::Scheme::Basic));
    let bytes = [0x5a; 32];
    valgrind::make_undefined(&bytes);
    let key = SecretKey::from_bytes(&bytes)?;
    let request = bls::SignRequest {
        key: &key,
        message: b"a message",
    };
    for count in [1, 2] {
        for signature in prepared.sign_batch(&vec![request; count]) {
            signature?;
        }
    }
    Ok(())
}

/// A key of 1024 bits.
fn key() -> Result<PrivateKey, Failure> {
    let file = include_bytes!("../../crates/pk/tests/fixtures/rsa1024.pkcs8.pem");
    Ok(PrivateKey::from_pem_or_der(file, None)?.permit_1024())
}
