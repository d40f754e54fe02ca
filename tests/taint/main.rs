//! Secret operations with their secrets marked as undefined memory, for valgrind's memcheck, which
//! then reports every branch and every address that depends on one (the method of Langley's ctgrind,
//! 2010). Usage: `valgrind taint BACKEND OPERATION`; `make taint` runs all, with the list of what is
//! allowed in `allowed.supp`.
//!
//! Valgrind has no AVX-512 and says so to programs: what runs are the backends `portable` and
//! `float`, on AVX2 where the processor has it.

use crypto_bigint::BoxedUint;
use std::error::Error;
use std::process::ExitCode;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
    Scheme, SignRequest, SigningKey, decrypt_batch, encrypt_batch, sign_batch,
};
use sunzi_pk::{Digest, Hash, system_rng};

mod valgrind;

/// Any error.
type Failure = Box<dyn Error + Send + Sync>;

/// Exit code where there is no valgrind.
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
            let mut secret = BoxedUint::one_with_precision(64);
            taint(&mut secret);
            if secret.as_words()[0] == 1 {
                println!("one");
            }
        }
        "power" => power(engine)?,
        "sign" => sign(engine)?,
        "decrypt" => decrypt(engine)?,
        other => return Err(format!("there is no operation {other}").into()),
    }
    Ok(())
}

/// Marks a number as undefined.
fn taint(number: &mut BoxedUint) {
    valgrind::make_undefined(number.as_mut_words());
}

/// Powers with secret bases and exponents, one and a batch.
fn power(engine: &Engine) -> Result<(), Failure> {
    let number = |bits: u32, byte: u8| {
        let bytes = vec![byte; bits as usize / 8];
        BoxedUint::from_be_slice(&bytes, bits)
    };
    let modulus = engine.modulus(&number(512, 0xf1)?)?;
    let (mut base, mut exponent) = (number(512, 0x35)?, number(512, 0xa7)?);
    taint(&mut base);
    taint(&mut exponent);
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
    let key = SigningKey::new(engine, &key()?)?;
    let mut digest = Hash::Sha256.digest(b"a message").as_bytes().to_vec();
    valgrind::make_undefined(&mut digest);
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

/// Decryption of right and of wrong ciphertexts, with both paddings: what leaves the private
/// operation is as secret as the ciphertexts that are marked here.
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
        for mut ciphertext in [right, wrong] {
            // Not the first byte, which decides whether the integer is below the modulus.
            valgrind::make_undefined(&mut ciphertext[1..]);
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

/// A key of 1024 bits.
fn key() -> Result<PrivateKey, Failure> {
    let file = include_bytes!("../../crates/pk/tests/fixtures/rsa1024.pkcs8.pem");
    Ok(PrivateKey::from_pem_or_der(file, None)?.permit_1024())
}
