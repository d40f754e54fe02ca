//! Measures whether the time of secret operations depends on their secrets, on every backend that
//! this processor can run. Usage: `constant-time [PART OF A CASE'S NAME]`.
//!
//! The method is dudect's (Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?",
//! 2017). The operation is timed on inputs of two classes in random order, and the two
//! distributions are compared by Welch's t-test, cropped at many percentiles. The largest |t| is
//! printed. Above
//! 4.5, the two classes almost certainly take different times; below, [`MEASUREMENTS`] timings show
//! no difference.

use crypto_bigint::{BoxedUint, RandomBits};
use dudect_bencher::ctbench::{BenchMetadata, BenchName, BenchOpts, run_benches_console};
use dudect_bencher::rand::{CryptoRng, RngExt};
use dudect_bencher::{BenchRng, Class, CtRunner};
use std::io;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use sunzi_pk::hash::PaddingHash;
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
    Scheme, SignRequest, SigningKey, decrypt_batch, encrypt_batch, sign_batch,
};
use sunzi_pk::{Hash, system_rng};

/// Number of timings for each case, both classes together.
const MEASUREMENTS: usize = 100_000;
/// Length in bits of modulus and exponent in the cases that measure the engine alone.
const BITS: u32 = 256;
/// The same length for the AMX backend, which computes smaller numbers on AVX-512.
const BITS_ON_TILES: u32 = 512;

/// Defines the cases: for each its backend, its name and the function that measures it.
macro_rules! cases {
    ($($backend:ident { $($name:ident = $measure:expr;)+ })+) => {
        $($(
            fn $name(runner: &mut CtRunner, rng: &mut BenchRng) {
                let engine = Engine::new(Backend::$backend).expect("it was checked");
                $measure(&engine, runner, rng);
            }
        )+)+
        fn cases() -> Vec<(Backend, BenchMetadata)> {
            vec![$($((
                Backend::$backend,
                BenchMetadata {
                    name: BenchName(stringify!($name)),
                    seed: None,
                    benchfn: $name,
                },
            ),)+)+]
        }
    };
}

cases! {
    PORTABLE {
        portable_base_alone = bases::<1, BITS>;
        portable_base_batch = bases::<16, BITS>;
        portable_exponent_alone = exponents::<1, BITS>;
        portable_exponent_batch = exponents::<16, BITS>;
        portable_rsa_sign = signatures;
        portable_rsa_oaep = oaep_defects;
        portable_rsa_pkcs1v15 = pkcs1v15_defects;
    }
    AVX512 {
        avx512_base_alone = bases::<1, BITS>;
        avx512_base_batch = bases::<16, BITS>;
        avx512_exponent_alone = exponents::<1, BITS>;
        avx512_exponent_batch = exponents::<16, BITS>;
        avx512_rsa_sign = signatures;
        avx512_rsa_oaep = oaep_defects;
        avx512_rsa_pkcs1v15 = pkcs1v15_defects;
    }
    RADIX52 {
        radix52_base_batch = bases::<8, BITS>;
        radix52_exponent_batch = exponents::<8, BITS>;
        radix52_rsa_sign = signatures;
        radix52_rsa_oaep = oaep_defects;
        radix52_rsa_pkcs1v15 = pkcs1v15_defects;
    }
    AMX {
        amx_base_batch = bases::<32, BITS_ON_TILES>;
        amx_exponent_batch = exponents::<32, BITS_ON_TILES>;
    }
}

fn main() -> io::Result<()> {
    let cases = cases();
    for &backend in Backend::ALL {
        assert!(
            cases.iter().any(|(of, _)| *of == backend),
            "no case for {backend}"
        );
        if let Err(reason) = backend.check() {
            println!("{reason}: skipped");
        }
    }
    let present = |(backend, case): (Backend, BenchMetadata)| backend.check().ok().map(|()| case);
    let cases: Vec<_> = cases.into_iter().filter_map(present).collect();
    let options = BenchOpts {
        filter: std::env::args().nth(1),
        ..BenchOpts::default()
    };
    // All work stays on one thread, so that no hand-over between threads is timed.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(io::Error::other)?
        .install(|| run_benches_console(options, cases))
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
    for _ in 0..MEASUREMENTS {
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
