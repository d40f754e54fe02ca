//! No result of a private operation leaves after a single fault, wherever it strikes: a bit of a
//! residue, a digit, a weight of a matrix, or an entry of a table, at any operation of any program.

mod common;

use std::panic::{self, AssertUnwindSafe};

use common::private;
use sunzi_engine::testing::{CountingEngine, Fault, FaultKind, Faulty, failing};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{
    KeyPrograms, PrivateKey, Scheme, SignError, SignRequest, SigningKey, VerifyError,
    VerifyRequest, VerifyingKey, sign_batch, verify_batch,
};
use sunzi_pk::{Hash, system_rng};

/// The layouts that faults strike, each with as many signatures as fill a group with the powers
/// modulo their primes.
const LAYOUTS: [(&str, usize); 7] = [
    ("float:lanes8", 4),
    ("float:spread", 1),
    ("radix52:lanes8", 4),
    ("avx512:lanes16", 8),
    ("avx512:spread", 1),
    ("portable:lanes4", 2),
    ("portable:lanes8", 4),
];

/// What became of the faults of one layout.
#[derive(Debug, Default)]
struct Tally {
    /// Faults that changed nothing, or that a later reduction undid: the signature is right.
    harmless: usize,
    /// Faults whose result was withheld.
    withheld: usize,
    /// Faults that an assertion of a checked build has stopped.
    asserted: usize,
}

/// Signs the same digest this often with an engine.
fn sign(engine: &Engine, key: &PrivateKey, count: usize) -> Vec<Result<Vec<u8>, SignError>> {
    let key = SigningKey::new(engine, key).unwrap();
    let request = SignRequest {
        key: &key,
        scheme: Scheme::Pkcs1v15,
        digest: Hash::Sha256.digest(b"message"),
    };
    sign_batch(engine, &mut system_rng(), &vec![request; count])
}

fn strike((layout, signatures): (&str, usize), count: u64) {
    let backend: Backend = layout.parse().unwrap();
    if let Err(error) = backend.check() {
        return println!("SKIPPED: {error}");
    }
    let key = private("rsa1024.pkcs8.pem");
    let portable = Engine::new(Backend::PORTABLE).unwrap();
    let right = sign(&portable, &key, 1).remove(0).unwrap();
    let never = Fault {
        operation: u64::MAX,
        kind: FaultKind::Residue,
        place: 0,
    };
    let unharmed = Faulty::new(backend, never).unwrap();
    for signature in sign(&unharmed.engine, &key, signatures) {
        assert_eq!(signature.unwrap(), right);
    }
    let operations = unharmed.operations();
    let mut tally = Tally::default();
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut random = || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        state ^ state >> 33
    };
    for index in 0..count {
        let fault = Fault {
            operation: random() % operations,
            kind: FaultKind::ALL[index as usize % 4],
            place: random(),
        };
        // In a checked build a kernel may notice before the result is checked.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            let faulty = Faulty::new(backend, fault).unwrap();
            sign(&faulty.engine, &key, signatures)
        }));
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(_) if cfg!(debug_assertions) => {
                tally.asserted += 1;
                continue;
            }
            Err(panic) => panic::resume_unwind(panic),
        };
        let mut withheld = 0;
        for signature in outcome {
            match signature {
                Ok(signature) => assert_eq!(signature, right, "has left after {fault:?}"),
                Err(SignError::Fault) => withheld += 1,
                Err(error) => panic!("{fault:?}: {error}"),
            }
        }
        if withheld > 0 {
            tally.withheld += 1;
        } else {
            tally.harmless += 1;
        }
    }
    println!("{layout}: {operations} operations, {count} faults: {tally:?}");
    assert!(
        tally.withheld + tally.asserted > count as usize / 10,
        "{tally:?}"
    );
}

/// Silences the messages of assertions that faults trip.
fn quietly(test: impl FnOnce() + panic::UnwindSafe) {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(test);
    panic::set_hook(hook);
    if let Err(panic) = outcome {
        panic::resume_unwind(panic);
    }
}

/// Ten thousand random places.
#[test]
fn no_result_leaves_after_a_fault() {
    quietly(|| LAYOUTS.into_iter().for_each(|layout| strike(layout, 2500)));
}

/// A device that is lost in the middle of a batch gives its work to another one, and the failure is
/// reported; where there is no other, every request has the error.
#[test]
fn a_lost_device() {
    let key = private("rsa1024.pkcs8.pem");
    let sign = |engine: &Engine| {
        let key = SigningKey::new(engine, &key).unwrap();
        let requests: Vec<_> = (0..40u8)
            .map(|i| SignRequest {
                key: &key,
                scheme: Scheme::Pkcs1v15,
                digest: Hash::Sha256.digest(&[i]),
            })
            .collect();
        sign_batch(engine, &mut system_rng(), &requests)
    };
    let right = sign(&Engine::new(Backend::PORTABLE).unwrap());
    for runs in [0, 1, 3] {
        let engine = failing(Backend::PORTABLE, runs, true).unwrap();
        assert_eq!(sign(&engine), right, "lost after {runs} groups");
        let failures = engine.take_failures();
        assert!(
            failures
                .iter()
                .all(|failure| failure.reason.contains("lost"))
        );
        let numbers: usize = failures.iter().map(|failure| failure.numbers).sum();
        assert!(numbers > 0, "{failures:?}");
        assert_eq!(engine.take_failures(), []);
    }
    let engine = failing(Backend::PORTABLE, 0, false).unwrap();
    for signature in sign(&engine) {
        let error = signature.unwrap_err();
        assert!(matches!(error, SignError::Engine(_)), "{error}");
        assert!(error.to_string().contains("lost"), "{error}");
    }
    let verifying = VerifyingKey::new(&engine, key.public_key()).unwrap();
    let request = VerifyRequest {
        key: &verifying,
        scheme: Scheme::Pkcs1v15,
        digest: Hash::Sha256.digest(&[0]),
        signature: right[0].as_ref().unwrap(),
    };
    let verdict = verify_batch(&engine, &[request]).remove(0);
    assert!(
        matches!(verdict, Err(VerifyError::Engine(_))),
        "{verdict:?}"
    );
}

/// What one signature makes a device execute is what the texts of its programs say.
#[test]
fn counts_of_a_signature() {
    let key = private("rsa1024.pkcs8.pem");
    for layout in ["portable:lanes4", "avx512:spread1"] {
        let Ok(counting) = CountingEngine::new(layout.parse().unwrap()) else {
            println!("SKIPPED: {layout}");
            continue;
        };
        let engine = &counting.engine;
        let programs = KeyPrograms::new(engine, key.bits(), key.public_key().e()).unwrap();
        let before = counting.counts();
        // On one thread, so that p and q are not shared out.
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let signatures = one_thread.unwrap().install(|| sign(engine, &key, 1));
        assert!(signatures[0].is_ok());
        let counts = counting.counts().since(&before);
        let (prime, modulus) = (programs.prime.program(), programs.modulus.program());
        // In lanes p and q are one group, and one after the other they are two.
        let groups = if layout.contains("lanes") { 1 } else { 2 };
        let expected = groups * prime.counts().products + modulus.counts().products;
        assert_eq!(counts.products, expected, "{layout}");
        let expected = groups * prime.counts().read + modulus.counts().read;
        assert_eq!(counts.read, expected, "{layout}");
    }
}
