//! Measures whether the time of secret operations depends on their secrets, on every backend that
//! this processor can run. Usage: `constant-time [PART OF A CASE'S NAME]`; the environment variable
//! `MEASUREMENTS` is the number of timings for each case, 100,000 unless it is set.
//!
//! The method is dudect's (Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?",
//! 2017). The operation is timed on inputs of two classes in random order, and the two
//! distributions are compared by Welch's t-test, cropped at many percentiles. The largest |t| is
//! printed. Above [`THRESHOLD`], the two classes almost certainly take different times; below, that
//! many timings show no difference. The largest of many t passes the threshold now and then by
//! chance, and other work on the machine helps it: a case above it is measured again, and if it is
//! above it again, the command fails.
//!
//! The bencher prints its figures and returns none. Therefore this command runs itself for the cases, and
//! reads the output.

use crypto_bigint::{BoxedUint, RandomBits};
use dudect_bencher::ctbench::{BenchMetadata, BenchName, BenchOpts, run_benches_console};
use dudect_bencher::rand::{CryptoRng, RngExt};
use dudect_bencher::{BenchRng, Class, CtRunner};
use std::io::{self, BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use sunzi_pk::bls;
use sunzi_pk::ec::pairing::{G2Element, G2MultiplyRequest, PreparedPairing, multiply_g2_batch};
use sunzi_pk::ec::{
    self, EdwardsCurve, MontgomeryCurve, PreparedCurve, PreparedEdwardsCurve,
    PreparedMontgomeryCurve, ecdh, ecdsa, eddsa, schnorr, xdh,
};
use sunzi_pk::hash::PaddingHash;
use sunzi_pk::rsa::blind::{BlindSignRequest, blind_sign_batch};
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
    Scheme, SignRequest, SigningKey, decrypt_batch, encrypt_batch, sign_batch,
};
use sunzi_pk::{Hash, paillier, primes, system_rng};

/// Number of timings for each case, both classes together.
static MEASUREMENTS: LazyLock<usize> = LazyLock::new(|| {
    let given = std::env::var("MEASUREMENTS").ok();
    given.map_or(100_000, |text| {
        text.parse().expect("MEASUREMENTS is a number of timings")
    })
});
/// The largest |t| that shows no difference.
const THRESHOLD: f64 = 4.5;
/// The environment variable that is set when the command runs itself to measure.
const MEASURING: &str = "SUNZI_CONSTANT_TIME_MEASURING";
/// Number of ordinary timings that take as long as one timing in the cases of keys.
const KEY_COST: usize = 10;
/// Number of signatures in a batch whose nonces' points are checked together.
const TOGETHER: usize = 128;
/// Number of ordinary timings that take as long as one timing of such a batch.
const TOGETHER_COST: usize = 50;
/// Number of random keys in the cases of keys.
const KEYS: usize = 64;
/// Length in bits of modulus and exponent in the cases that measure the engine alone.
const BITS: u32 = 256;

/// The engine in a layout of one device, which was checked: other devices, to which the schedule may give small
/// batches, take no part.
fn engine(layout: &str) -> Engine {
    let backend: Backend = layout.parse().expect("a backend and its layout");
    Engine::new(backend).expect("it was checked")
}

/// Cases in a layout: for each its name after that of the backend, and the function that measures it.
macro_rules! cases {
    ($backend:ident, $layout:literal, $prefix:literal, { $($name:literal = $measure:expr;)+ }) => {
        [$((
            Backend::$backend,
            BenchMetadata {
                name: BenchName(concat!($prefix, "_", $name)),
                seed: None,
                benchfn: |runner, rng| $measure(&engine(concat!($prefix, $layout)), runner, rng),
            },
        ),)+]
    };
}

/// The cases of batches of powers, and of every secret operation of `sunzi-pk`, in a layout for batches. The powers
/// have the given number of numbers.
macro_rules! operations {
    ($backend:ident, $layout:literal, $prefix:literal, $batch:literal) => {
        cases!($backend, $layout, $prefix, {
            "base_batch" = bases::<$batch, BITS>;
            "exponent_batch" = exponents::<$batch, BITS>;
            "key" = keys;
            "rsa_sign" = signatures;
            "rsa_oaep" = oaep_defects;
            "rsa_pkcs1v15" = pkcs1v15_defects;
            "ecdsa_sign" = ecdsa_signatures;
            "ecdsa_split_sign" = ecdsa_split_signatures;
            "ecdsa_together" = ecdsa_signatures_together;
            "ecdsa_key" = ecdsa_keys;
            "ecdsa_split_key" = ecdsa_split_keys;
            "ecdh_key" = ecdh_keys;
            "ecdh_split_key" = ecdh_split_keys;
            "ed25519_sign" = ed25519_signatures;
            "ed25519_key" = ed25519_keys;
            "ed448_sign" = ed448_signatures;
            "ed448_key" = ed448_keys;
            "x25519_key" = x25519_keys;
            "x448_key" = x448_keys;
            "schnorr_sign" = schnorr_signatures;
            "schnorr_key" = schnorr_keys;
            "blind_sign" = blind_signatures;
            "bls_key" = bls_keys;
            "bls_multiple" = bls_multiples;
            "paillier_encrypt" = paillier_plaintexts;
            "paillier_decrypt" = paillier_ciphertexts;
            "paillier_key" = paillier_keys;
        })
    };
}

/// The cases of single powers, in a layout for single numbers if there is one.
macro_rules! alone {
    ($backend:ident, $layout:literal, $prefix:literal) => {
        cases!($backend, $layout, $prefix, {
            "base_alone" = bases::<1, BITS>;
            "exponent_alone" = exponents::<1, BITS>;
        })
    };
}

/// The cases of numbers of few bits, in a layout that has no others.
macro_rules! short {
    ($backend:ident, $layout:literal, $prefix:literal) => {
        cases!($backend, $layout, $prefix, {
            "ecdsa_sign" = ecdsa_signatures;
            "ecdsa_key" = ecdsa_keys;
            "ecdh_key" = ecdh_keys;
            "ed25519_sign" = ed25519_signatures;
            "ed25519_key" = ed25519_keys;
            "x25519_key" = x25519_keys;
            "bls_key" = bls_keys;
            "bls_multiple" = bls_multiples;
        })
    };
}

/// Every case and its backend.
fn cases() -> Vec<(Backend, BenchMetadata)> {
    let mut cases = Vec::new();
    cases.extend(alone!(PORTABLE, ":lanes", "portable"));
    cases.extend(operations!(PORTABLE, ":lanes", "portable", 16));
    cases.extend(alone!(FLOAT, ":spread", "float"));
    cases.extend(operations!(FLOAT, ":spread", "float", 2));
    cases.extend(operations!(FUSED52, ":lanes", "fused52", 8));
    cases.extend(alone!(AVX512, ":spread", "avx512"));
    cases.extend(operations!(AVX512, ":lanes", "avx512", 16));
    cases.extend(alone!(OCTET, ":spread", "octet"));
    cases.extend(short!(OCTET, ":spread", "octet"));
    cases.extend(operations!(RADIX52, ":lanes", "radix52", 8));
    cases.extend(alone!(RADIX64, "", "radix64"));
    cases.extend(operations!(RADIX64, "", "radix64", 2));
    cases
}

/// The cases whose backend this processor has, and the reasons why others cannot run. Cards have no cases:
/// whether their time depends on secrets is not measured.
///
/// # Panics
/// If a backend of the processor has no case.
fn present() -> (Vec<BenchMetadata>, Vec<String>) {
    let cases = cases();
    let mut missing = Vec::new();
    let cards = [Backend::CUDA, Backend::CUDA_MATRIX];
    for &backend in Backend::ALL {
        assert!(
            cards.contains(&backend) || cases.iter().any(|(of, _)| *of == backend),
            "no case for {backend}"
        );
        if let Err(reason) = backend.check() {
            missing.push(reason.to_string());
        }
    }
    let present = |(backend, case): (Backend, BenchMetadata)| backend.check().ok().map(|()| case);
    (cases.into_iter().filter_map(present).collect(), missing)
}

fn main() -> io::Result<ExitCode> {
    let filter = std::env::args().nth(1);
    if std::env::var_os(MEASURING).is_some() {
        measure(filter)?;
        return Ok(ExitCode::SUCCESS);
    }
    for reason in present().1 {
        println!("{reason}: skipped");
    }
    let (mut measured, mut confirmed) = (0, Vec::new());
    for (name, t) in measurements(filter.as_deref())? {
        measured += 1;
        if t.abs() <= THRESHOLD {
            continue;
        }
        println!("{name}: |t| is above {THRESHOLD}; once more");
        let again = measurements(Some(&name))?;
        if again.iter().any(|(_, t)| t.abs() > THRESHOLD) {
            confirmed.push(name);
        }
    }
    if measured == 0 {
        println!("no case was measured");
        return Ok(ExitCode::FAILURE);
    }
    if !confirmed.is_empty() {
        println!("the time depends on secrets: {}", confirmed.join(", "));
        return Ok(ExitCode::FAILURE);
    }
    println!("no time depends on secrets, in {measured} cases");
    Ok(ExitCode::SUCCESS)
}

/// Measures the cases whose names contain the filter, in this process.
fn measure(filter: Option<String>) -> io::Result<()> {
    let options = BenchOpts {
        filter,
        ..BenchOpts::default()
    };
    // All work stays on one thread: no hand-over between threads is timed.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(io::Error::other)?
        .install(|| run_benches_console(options, present().0))
}

/// Measures the cases whose names contain the filter, in a process of their own, and returns the names and
/// the largest t of each. The process' output is passed on.
fn measurements(filter: Option<&str>) -> io::Result<Vec<(String, f64)>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(filter)
        .env(MEASURING, "1")
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().expect("it is piped");
    let mut results = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        results.extend(result(&line));
    }
    let status = child.wait()?;
    if !status.success() {
        return Err(io::Error::other(format!("the measurement ended: {status}")));
    }
    Ok(results)
}

/// The name of a case and its t, in a line like `bench name ... : n == +0.1M, max t = +1.5, ...`.
fn result(line: &str) -> Option<(String, f64)> {
    let name = line.strip_prefix("bench ")?.split_whitespace().next()?;
    let (_, t) = line.split_once("max t = ")?;
    let t = t.split(',').next()?.trim().parse().ok()?;
    Some((name.into(), t))
}

/// Times `operate` on inputs of both classes. Inputs of both classes are made each time, and the
/// operation gets a copy of one of them, so that the preceding work and the input's place in memory
/// do not depend on the class.
fn compare<T: Clone, R>(
    runner: &mut CtRunner,
    rng: &mut BenchRng,
    mut left: impl FnMut(&mut BenchRng) -> T,
    mut right: impl FnMut(&mut BenchRng) -> T,
    operate: impl Fn(&T) -> R,
) {
    compare_times(*MEASUREMENTS, runner, rng, &mut left, &mut right, operate);
}

/// [`compare`] with this number of timings.
fn compare_times<T: Clone, R>(
    times: usize,
    runner: &mut CtRunner,
    rng: &mut BenchRng,
    mut left: impl FnMut(&mut BenchRng) -> T,
    mut right: impl FnMut(&mut BenchRng) -> T,
    operate: impl Fn(&T) -> R,
) {
    for _ in 0..times {
        let inputs = [left(rng), right(rng)];
        let is_right: bool = rng.random();
        let class = if is_right { Class::Right } else { Class::Left };
        let input = inputs[usize::from(is_right)].clone();
        drop(inputs);
        runner.run_one(class, || operate(&input));
    }
}

/// A random number of at most `bits` bits, with that precision.
fn random(rng: &mut (impl CryptoRng + ?Sized), bits: u32) -> BoxedUint {
    BoxedUint::random_bits_with_precision(rng, bits, bits)
}

/// A random odd modulus of exactly `bits` bits.
fn random_modulus(rng: &mut BenchRng, bits: u32) -> BoxedUint {
    let mut modulus = random(rng, bits);
    let words = modulus.as_mut_words();
    words[0] |= 1;
    words[words.len() - 1] |= 1 << 63;
    modulus
}

/// Compares the base 1 with random bases, all with the same exponent.
fn bases<const COUNT: usize, const BITS: u32>(
    engine: &Engine,
    runner: &mut CtRunner,
    rng: &mut BenchRng,
) {
    let modulus = engine
        .modulus(&random_modulus(rng, BITS))
        .expect("it is odd");
    let exponent = random(rng, BITS);
    let one = BoxedUint::one_with_precision(BITS);
    compare(
        runner,
        rng,
        |_| [(); COUNT].map(|()| one.clone()),
        |rng| [(); COUNT].map(|()| random(rng, BITS)),
        |bases| {
            let tasks = bases
                .each_ref()
                .map(|base| Task::power(&modulus, base, Exponent::Secret(&exponent)));
            engine.run(&tasks)
        },
    );
}

/// Compares the exponent 1, whose windows are zero except for one, with random exponents, all with
/// the same base.
fn exponents<const COUNT: usize, const BITS: u32>(
    engine: &Engine,
    runner: &mut CtRunner,
    rng: &mut BenchRng,
) {
    let modulus = engine
        .modulus(&random_modulus(rng, BITS))
        .expect("it is odd");
    let base = random(rng, BITS);
    let one = BoxedUint::one_with_precision(BITS);
    compare(
        runner,
        rng,
        |_| [(); COUNT].map(|()| one.clone()),
        |rng| [(); COUNT].map(|()| random(rng, BITS)),
        |exponents| {
            let tasks = exponents
                .each_ref()
                .map(|exponent| Task::power(&modulus, &base, Exponent::Secret(exponent)));
            engine.run(&tasks)
        },
    );
}

/// A key of 1024 bits. Its operations are short, so that a difference which depends on a secret is
/// a large part of their time.
fn key() -> PrivateKey {
    let file = include_bytes!("../../crates/pk/tests/fixtures/rsa1024.pkcs8.pem");
    PrivateKey::from_pem_or_der(file, None)
        .expect("the fixture is a key")
        .permit_1024()
}

/// Compares signing one fixed message with signing random ones: the whole operation, blinding
/// included.
fn signatures(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let key = SigningKey::new(engine, &key()).expect("short keys are permitted");
    compare(
        runner,
        rng,
        |_| Hash::Sha256.digest(&[0; 32]),
        |rng| Hash::Sha256.digest(&rng.random::<[u8; 32]>()),
        |&digest| {
            let scheme = Scheme::Pkcs1v15;
            let request = SignRequest {
                key: &key,
                scheme,
                digest,
            };
            sign_batch(engine, &mut system_rng(), &[request])
        },
    );
}

/// Compares one key with random ones: preparing it and signing one message, with the constants of
/// the primes, the first blinds and the fault check. Each time the key is a copy, in memory of its
/// own, so that no class finds more in the caches.
fn keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let fixed = key();
    let random: Vec<_> = (0..KEYS)
        .map(|_| {
            let key = PrivateKey::generate(1024, &mut system_rng()).expect("the size is allowed");
            key.permit_1024()
        })
        .collect();
    let digest = Hash::Sha256.digest(b"a message");
    compare_times(
        *MEASUREMENTS / KEY_COST,
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..KEYS)].clone(),
        |private| {
            let key = SigningKey::new(engine, private).expect("short keys are permitted");
            let request = SignRequest {
                key: &key,
                scheme: Scheme::Pkcs1v15,
                digest,
            };
            sign_batch(engine, &mut system_rng(), &[request])
        },
    );
}

/// The curve of the cases of ECDSA.
fn curve(engine: &Engine) -> PreparedCurve {
    let curve = "P-256".parse().expect("it has a name");
    PreparedCurve::new(engine, &curve).expect("every backend serves 256 bits")
}

/// The curve of the cases of BIP 340.
fn secp256k1(engine: &Engine) -> PreparedCurve {
    let curve = "secp256k1".parse().expect("it has a name");
    PreparedCurve::new(engine, &curve).expect("every backend serves 256 bits")
}

fn ecdsa_sign(
    engine: &Engine,
    key: &ecdsa::SigningKey,
    digest: sunzi_pk::Digest,
) -> Vec<Result<ecdsa::Signature, ecdsa::SignError>> {
    ecdsa_sign_batch(engine, key, &[digest])
}

/// One signature of each digest.
fn ecdsa_sign_batch(
    engine: &Engine,
    key: &ecdsa::SigningKey,
    digests: &[sunzi_pk::Digest],
) -> Vec<Result<ecdsa::Signature, ecdsa::SignError>> {
    let request = |&digest| ecdsa::SignRequest { key, digest };
    let requests: Vec<_> = digests.iter().map(request).collect();
    let kind = ecdsa::NonceKind::Deterministic;
    ecdsa::sign_batch(engine, &mut system_rng(), kind, &requests)
}

/// [`ecdsa_signatures_on`] P-256.
fn ecdsa_signatures(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    ecdsa_signatures_on::<1>(*MEASUREMENTS, &curve(engine), engine, runner, rng);
}

/// [`ecdsa_signatures_on`] secp256k1, which has an endomorphism.
fn ecdsa_split_signatures(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    ecdsa_signatures_on::<1>(*MEASUREMENTS, &secp256k1(engine), engine, runner, rng);
}

/// [`ecdsa_signatures_on`] P-256, with enough signatures that the points of their nonces are checked
/// together.
fn ecdsa_signatures_together(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let times = *MEASUREMENTS / TOGETHER_COST;
    ecdsa_signatures_on::<TOGETHER>(times, &curve(engine), engine, runner, rng);
}

/// Compares signing one fixed message by ECDSA, always with the same nonce, with signing random ones: the whole
/// operation, the generation of nonces and the check included. COUNT messages are signed in a batch, which is timed the
/// given number of times.
fn ecdsa_signatures_on<const COUNT: usize>(
    times: usize,
    curve: &PreparedCurve,
    engine: &Engine,
    runner: &mut CtRunner,
    rng: &mut BenchRng,
) {
    let private = ec::PrivateKey::generate(curve, &mut system_rng()).expect("it computes");
    let key = ecdsa::SigningKey::new(curve, &private).expect("it is of this curve");
    compare_times(
        times,
        runner,
        rng,
        |_| [(); COUNT].map(|()| Hash::Sha256.digest(&[0; 32])),
        |rng| [(); COUNT].map(|()| Hash::Sha256.digest(&rng.random::<[u8; 32]>())),
        |digests| ecdsa_sign_batch(engine, &key, digests),
    );
}

/// [`ecdsa_keys_on`] P-256.
fn ecdsa_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    ecdsa_keys_on(&curve(engine), engine, runner, rng);
}

/// [`ecdsa_keys_on`] secp256k1, which has an endomorphism.
fn ecdsa_split_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    ecdsa_keys_on(&secp256k1(engine), engine, runner, rng);
}

/// Compares signing with the key d = 1 by ECDSA with signing with random keys, each a copy in memory
/// of its own.
fn ecdsa_keys_on(
    curve: &PreparedCurve,
    engine: &Engine,
    runner: &mut CtRunner,
    rng: &mut BenchRng,
) {
    let mut one = [0; 32];
    one[31] = 1;
    let fixed = ec::PrivateKey::from_bytes(curve, &one).expect("1 is in range");
    let random: Vec<_> = (0..KEYS)
        .map(|_| ec::PrivateKey::generate(curve, &mut system_rng()).expect("it computes"))
        .collect();
    let digest = Hash::Sha256.digest(b"a message");
    compare(
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..KEYS)].clone(),
        |private| {
            let key = ecdsa::SigningKey::new(curve, private).expect("it is of this curve");
            ecdsa_sign(engine, &key, digest)
        },
    );
}

/// Compares signing with the BLS key 1 with signing with random keys, each a copy in memory of its own; public keys are
/// computed each time.
fn bls_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let pairing = PreparedPairing::bls12_381(engine).expect("every backend serves 384 bits");
    let suite = bls::Suite::new(bls::Variant::MinPk, bls::Scheme::Basic);
    let suite = bls::PreparedBls::new(&pairing, suite);
    let mut one = [0; 32];
    one[31] = 1;
    let fixed = bls::SecretKey::from_bytes(&one).expect("1 is in range");
    let random: Vec<_> = (0..KEYS)
        .map(|_| bls::SecretKey::generate(&mut system_rng()).expect("there are random numbers"))
        .collect();
    compare_times(
        *MEASUREMENTS / KEY_COST,
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..KEYS)].clone(),
        |key| {
            let message = b"a message";
            suite.sign_batch(&[bls::SignRequest { key, message }])
        },
    );
}

/// Compares the multiple of G2's generator by 1 with those by random numbers.
fn bls_multiples(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let pairing = PreparedPairing::bls12_381(engine).expect("every backend serves 384 bits");
    let element = G2Element::generator();
    let one = BoxedUint::one_with_precision(256);
    compare(
        runner,
        rng,
        |_| one.clone(),
        // Below the order, which has 255 bits.
        |rng| BoxedUint::random_bits_with_precision(rng, 254, 256),
        |scalar| {
            let element = &element;
            multiply_g2_batch(&pairing, &[G2MultiplyRequest { scalar, element }])
        },
    );
}

/// [`ecdh_keys_on`] P-256.
fn ecdh_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    ecdh_keys_on(&curve(engine), engine, runner, rng);
}

/// [`ecdh_keys_on`] secp256k1, where the preparation of a key splits it by the endomorphism.
fn ecdh_split_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    ecdh_keys_on(&secp256k1(engine), engine, runner, rng);
}

/// Compares the key d = 1 in ECDH with random keys, each a copy in memory of its own, the preparation of keys
/// included.
fn ecdh_keys_on(curve: &PreparedCurve, engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let mut one = [0; 32];
    one[31] = 1;
    let new = || ec::PrivateKey::generate(curve, &mut system_rng()).expect("it computes");
    let fixed = ec::PrivateKey::from_bytes(curve, &one).expect("1 is in range");
    let random: Vec<_> = (0..KEYS).map(|_| new()).collect();
    let peer = new();
    compare(
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..KEYS)].clone(),
        |private| {
            let key = ecdh::AgreementKey::new(curve, private).expect("it is of this curve");
            let peer = peer.public_key();
            ecdh::agree_batch(engine, &[ecdh::AgreeRequest { key: &key, peer }])
        },
    );
}

fn eddsa_sign(
    engine: &Engine,
    key: &eddsa::SigningKey,
    message: &[u8],
) -> Vec<Result<eddsa::Signature, eddsa::SignError>> {
    let variant = eddsa::Variant::Pure;
    let request = eddsa::SignRequest {
        key,
        variant,
        message,
    };
    let nonces = eddsa::NonceKind::Deterministic;
    eddsa::sign_batch(engine, &mut system_rng(), nonces, &[request])
}

fn ed25519_signatures(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    eddsa_signatures(EdwardsCurve::Edwards25519, engine, runner, rng);
}

fn ed448_signatures(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    eddsa_signatures(EdwardsCurve::Edwards448, engine, runner, rng);
}

fn ed25519_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    eddsa_keys(EdwardsCurve::Edwards25519, engine, runner, rng);
}

fn ed448_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    eddsa_keys(EdwardsCurve::Edwards448, engine, runner, rng);
}

/// Compares signing one fixed message by EdDSA, always with the same nonce, with signing random ones.
fn eddsa_signatures(
    curve: EdwardsCurve,
    engine: &Engine,
    runner: &mut CtRunner,
    rng: &mut BenchRng,
) {
    let curve = PreparedEdwardsCurve::new(engine, curve);
    let curve = curve.expect("every backend serves 448 bits");
    let private = eddsa::PrivateKey::generate(&curve, &mut system_rng()).expect("it computes");
    let key = eddsa::SigningKey::new(&curve, &private).expect("it is of this curve");
    compare(
        runner,
        rng,
        |_| [0; 32],
        RngExt::random::<[u8; 32]>,
        |message| eddsa_sign(engine, &key, message),
    );
}

/// Compares signing with one fixed key by EdDSA with signing with random ones, each a copy in memory of
/// its own, the preparation of keys included.
fn eddsa_keys(curve: EdwardsCurve, engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let bytes = vec![0; curve.encoded_bytes()];
    let curve = PreparedEdwardsCurve::new(engine, curve);
    let curve = curve.expect("every backend serves 448 bits");
    let fixed = eddsa::PrivateKey::from_bytes(&curve, &bytes).expect("it is as long as a key");
    let random: Vec<_> = (0..KEYS)
        .map(|_| eddsa::PrivateKey::generate(&curve, &mut system_rng()).expect("it computes"))
        .collect();
    compare(
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..KEYS)].clone(),
        |private| {
            let key = eddsa::SigningKey::new(&curve, private).expect("it is of this curve");
            eddsa_sign(engine, &key, b"a message")
        },
    );
}

fn x25519_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    xdh_keys(MontgomeryCurve::Curve25519, engine, runner, rng);
}

fn x448_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    xdh_keys(MontgomeryCurve::Curve448, engine, runner, rng);
}

/// Compares key agreement on a Montgomery curve with one fixed private key, of which only two bits are set,
/// with key agreement with random ones, each a copy in memory of its own.
fn xdh_keys(curve: MontgomeryCurve, engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let mut bytes = vec![0; curve.encoded_bytes()];
    bytes[0] = 8;
    let curve = PreparedMontgomeryCurve::new(engine, curve);
    let curve = curve.expect("every backend serves 448 bits");
    let fixed = xdh::PrivateKey::from_bytes(&curve, &bytes).expect("it is as long as a key");
    let random: Vec<_> = (0..KEYS)
        .map(|_| xdh::PrivateKey::generate(&curve, &mut system_rng()).expect("it computes"))
        .collect();
    let peer = xdh::PrivateKey::generate(&curve, &mut system_rng()).expect("it computes");
    compare(
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..KEYS)].clone(),
        |private| {
            let key = xdh::AgreementKey::new(&curve, private).expect("it is of this curve");
            let request = xdh::AgreeRequest {
                key: &key,
                peer: peer.public_key(),
            };
            xdh::agree_batch(engine, &[request])
        },
    );
}

fn schnorr_sign(
    engine: &Engine,
    key: &schnorr::SigningKey,
    message: &[u8],
) -> Vec<Result<schnorr::Signature, schnorr::SignError>> {
    let request = schnorr::SignRequest {
        key,
        message,
        auxiliary: [0; 32],
    };
    schnorr::sign_batch(engine, &[request])
}

/// Compares signing one fixed message by BIP 340, always with the same nonce, with signing random ones.
fn schnorr_signatures(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let curve = secp256k1(engine);
    let private = ec::PrivateKey::generate(&curve, &mut system_rng()).expect("it computes");
    let key = schnorr::SigningKey::new(&curve, &private).expect("it is of this curve");
    compare(
        runner,
        rng,
        |_| [0; 32],
        RngExt::random::<[u8; 32]>,
        |message| schnorr_sign(engine, &key, message),
    );
}

/// Compares signing with the key d = 1 by BIP 340 with signing with random keys, each a copy in memory of
/// its own, the preparation of keys included.
fn schnorr_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let curve = secp256k1(engine);
    let mut one = [0; 32];
    one[31] = 1;
    let fixed = ec::PrivateKey::from_bytes(&curve, &one).expect("1 is in range");
    let random: Vec<_> = (0..KEYS)
        .map(|_| ec::PrivateKey::generate(&curve, &mut system_rng()).expect("it computes"))
        .collect();
    compare(
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..KEYS)].clone(),
        |private| {
            let key = schnorr::SigningKey::new(&curve, private).expect("it is of this curve");
            schnorr_sign(engine, &key, b"a message")
        },
    );
}

/// Compares the blind signature of one fixed number with those of random ones: the whole operation, with
/// the signer's own blinding and the check.
fn blind_signatures(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let key = SigningKey::new(engine, &key()).expect("short keys are permitted");
    let number = |rng: &mut BenchRng| {
        let mut bytes = rng.random::<[u8; 128]>();
        // This makes the integer smaller than any modulus of this size.
        bytes[0] &= 0x7f;
        bytes
    };
    compare(
        runner,
        rng,
        |_| [1; 128],
        number,
        |blinded| {
            let request = BlindSignRequest { key: &key, blinded };
            blind_sign_batch(engine, &mut system_rng(), &[request])
        },
    );
}

/// Paillier keys of the shortest length, made together.
fn paillier_private_keys(engine: &Engine, count: usize) -> Vec<paillier::PrivateKey> {
    let (rng, watch) = (&mut system_rng(), &mut primes::unwatched);
    paillier::PrivateKey::generate_batch(engine, rng, paillier::MIN_BITS, count, watch)
        .expect("the size is allowed")
}

/// A random plaintext for a key of the shortest length.
fn plaintext(rng: &mut BenchRng) -> BoxedUint {
    let bits = paillier::MIN_BITS;
    // Shorter by a bit than any modulus.
    BoxedUint::random_bits_with_precision(rng, bits - 1, bits)
}

/// Compares the encryption of 0 by Paillier with that of random numbers, with short randomness, which
/// takes the smaller part of the time.
fn paillier_plaintexts(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let private = paillier_private_keys(engine, 1).remove(0);
    let method = paillier::Method::Short;
    let key = paillier::EncryptionKey::new(engine, private.public_key(), method);
    let key = key.expect("new keys have a base of short randomness");
    compare_times(
        *MEASUREMENTS / KEY_COST,
        runner,
        rng,
        |_| [BoxedUint::zero_with_precision(paillier::MIN_BITS)],
        |rng| [plaintext(rng)],
        |numbers| paillier::encrypt_batch(engine, &mut system_rng(), &key, numbers),
    );
}

/// Ciphertexts by one key.
fn paillier_encrypted(
    engine: &Engine,
    key: &paillier::PublicKey,
    numbers: &[BoxedUint],
) -> Vec<BoxedUint> {
    let key = paillier::EncryptionKey::new(engine, key, paillier::Method::Short);
    let key = key.expect("new keys have a base of short randomness");
    let ciphertexts = paillier::encrypt_batch(engine, &mut system_rng(), &key, numbers);
    let ciphertexts: Result<Vec<_>, _> = ciphertexts.into_iter().collect();
    ciphertexts.expect("the numbers are below n")
}

/// Compares the decryption of encryptions of 0 by Paillier with that of encryptions of random numbers.
fn paillier_ciphertexts(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let private = paillier_private_keys(engine, 1).remove(0);
    let key = paillier::DecryptionKey::new(engine, &private).expect("the key is right");
    // Both classes have the same number of different ciphertexts.
    let zeros = vec![BoxedUint::zero_with_precision(paillier::MIN_BITS); KEYS];
    let random: Vec<_> = zeros.iter().map(|_| plaintext(rng)).collect();
    let [zeros, random] =
        [zeros, random].map(|numbers| paillier_encrypted(engine, private.public_key(), &numbers));
    compare_times(
        *MEASUREMENTS / KEY_COST,
        runner,
        rng,
        |rng| [zeros[rng.random_range(0..KEYS)].clone()],
        |rng| [random[rng.random_range(0..KEYS)].clone()],
        |ciphertexts| paillier::decrypt_batch(engine, &key, ciphertexts),
    );
}

/// Compares one Paillier key with random ones: preparing it and decrypting one ciphertext. Each time the
/// key is a copy, in memory of its own.
fn paillier_keys(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let with_ciphertext = |key: paillier::PrivateKey| {
        let zero = BoxedUint::zero_with_precision(paillier::MIN_BITS);
        let ciphertexts = paillier_encrypted(engine, key.public_key(), &[zero]);
        (key, ciphertexts)
    };
    let mut random: Vec<_> = paillier_private_keys(engine, KEYS / 4 + 1)
        .into_iter()
        .map(with_ciphertext)
        .collect();
    let fixed = random.pop().expect("there are several");
    compare_times(
        *MEASUREMENTS / KEY_COST,
        runner,
        rng,
        |_| fixed.clone(),
        |rng| random[rng.random_range(0..random.len())].clone(),
        |(private, ciphertexts)| {
            let key = paillier::DecryptionKey::new(engine, private).expect("the key is right");
            paillier::decrypt_batch(engine, &key, ciphertexts)
        },
    );
}

/// Compares OAEP ciphertexts whose only defect is their label with ciphertexts that decrypt to
/// random bytes, most of which already have a wrong first byte. Manger's attack tells these apart.
fn oaep_defects(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let scheme = |label| EncryptionScheme::Oaep {
        hash: PaddingHash::Strong(Hash::Sha256),
        mgf1: PaddingHash::Strong(Hash::Sha256),
        label,
    };
    defects(engine, runner, rng, 62, scheme(b"another"), scheme(b""));
}

/// Compares correct PKCS#1 v1.5 ciphertexts with ciphertexts that decrypt to random bytes, most of
/// which already have a wrong first byte. Bleichenbacher's attack tells these apart. The messages'
/// lengths are uniform, as those of synthetic messages are: the caller sees the length anyway, and
/// copying and wiping more bytes takes longer.
fn pkcs1v15_defects(engine: &Engine, runner: &mut CtRunner, rng: &mut BenchRng) {
    let scheme = EncryptionScheme::Pkcs1v15;
    defects(engine, runner, rng, 117, scheme, scheme);
}

/// Compares ciphertexts under `encryption` with random ones, both decrypted under `decryption`;
/// messages have up to `longest` bytes.
fn defects(
    engine: &Engine,
    runner: &mut CtRunner,
    rng: &mut BenchRng,
    longest: usize,
    encryption: EncryptionScheme<'_>,
    decryption: EncryptionScheme<'_>,
) {
    let private = key();
    let public = private.public_key();
    let encryption_key = EncryptionKey::new(engine, public).expect("short keys are permitted");
    let key = DecryptionKey::new(engine, &private).expect("short keys are permitted");
    let size = public.size();
    let message = [7; 128];
    // Both classes have the same number of different ciphertexts.
    let requests: Vec<_> = (0..1024)
        .map(|_| EncryptRequest {
            key: &encryption_key,
            scheme: encryption,
            message: &message[..rng.random_range(0..=longest)],
        })
        .collect();
    let padded: Vec<_> = encrypt_batch(engine, &mut system_rng(), &requests)
        .into_iter()
        .map(|ciphertext| ciphertext.expect("the message is short"))
        .collect();
    let random: Vec<_> = padded
        .iter()
        .map(|_| {
            let mut ciphertext: Vec<u8> = (0..size).map(|_| rng.random()).collect();
            // This makes the integer smaller than any modulus of this size.
            ciphertext[0] &= 0x7f;
            ciphertext
        })
        .collect();
    compare(
        runner,
        rng,
        |rng| padded[rng.random_range(0..padded.len())].clone(),
        |rng| random[rng.random_range(0..random.len())].clone(),
        |ciphertext| {
            let request = DecryptRequest {
                key: &key,
                scheme: decryption,
                ciphertext,
            };
            decrypt_batch(engine, &mut system_rng(), &[request])
        },
    );
}
