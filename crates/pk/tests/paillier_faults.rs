//! No plaintext of Paillier's cryptosystem leaves after a single fault, wherever it strikes: a bit of a
//! residue, a digit, a weight of a matrix, an entry of a table, or a constant of a modulus, at any operation
//! of any program, on any device in any layout.
//!
//! `SUNZI_PAILLIER_FAULTS` sets the number of faults.

mod common;

use common::{big, boxed, fixture};
use num_bigint::BigUint;
use std::panic::{self, AssertUnwindSafe};
use sunzi_engine::testing::{Fault, Faulty, layouts};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::paillier::{
    DecryptionKey, EncryptionKey, Method, PaillierError, PrivateKey, decrypt_batch, encrypt_batch,
};
use sunzi_pk::system_rng;

/// The faults of a run without `SUNZI_PAILLIER_FAULTS`.
const FAULTS: usize = 200;
/// Ciphertexts of a batch.
const REQUESTS: usize = 2;

/// A generator of numbers, the same ones in each run (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}

#[test]
fn no_plaintext_leaves_after_a_fault() {
    let faults = std::env::var("SUNZI_PAILLIER_FAULTS");
    let faults = faults.map_or(FAULTS, |faults| faults.parse().unwrap());
    let keys: serde_json::Value = serde_json::from_slice(&fixture("phe.json")).unwrap();
    let private = PrivateKey::from_jwk(keys[0]["private"].as_str().unwrap()).unwrap();
    let plain = Engine::new(Backend::best()).unwrap();
    let encryption = EncryptionKey::new(&plain, private.public_key(), Method::Full).unwrap();
    let numbers: Vec<_> = (1..=REQUESTS as u32)
        .map(|i| big(private.public_key().n()) / (i + 1) + i)
        .collect();
    let given: Vec<_> = numbers.iter().map(boxed).collect();
    let ciphertexts = encrypt_batch(&plain, &mut system_rng(), &encryption, &given);
    let ciphertexts: Vec<_> = ciphertexts.into_iter().map(Result::unwrap).collect();

    let (layouts, _) = layouts();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.unwrap();
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let (mut harmless, mut withheld, mut asserted) = (0, 0, 0);
    for (first, &layout) in (0u64..).zip(&layouts) {
        let faulty = Faulty::new(layout).unwrap();
        let key = DecryptionKey::new(&faulty.engine, &private).unwrap();
        let decrypt = || pool.install(|| decrypt_batch(&faulty.engine, &key, &ciphertexts));
        let targets = faulty.targets(|| {
            let right: Vec<BigUint> = decrypt().into_iter().map(|m| big(&m.unwrap())).collect();
            assert_eq!(right, numbers);
        });
        let mut random = Random(first);
        for _ in 0..faults.div_ceil(layouts.len()) {
            let operation = random.next() as usize % targets.len();
            let Some(&kind) = targets[operation].get(random.next() as usize % 5) else {
                continue;
            };
            let (operation, place) = (operation as u64, random.next());
            let fault = Fault {
                operation,
                kind,
                place,
            };
            faulty.set_fault(fault);
            // In a checked build a kernel may notice before the result is checked.
            let Ok(outcomes) = panic::catch_unwind(AssertUnwindSafe(decrypt)) else {
                asserted += 1;
                continue;
            };
            let mut errors = 0;
            for (outcome, right) in outcomes.iter().zip(&numbers) {
                match outcome {
                    Ok(m) => assert_eq!(&big(m), right, "{layout}: {fault:?}"),
                    Err(error) => {
                        assert_eq!(*error, PaillierError::Fault);
                        errors += 1;
                    }
                }
            }
            if errors == 0 {
                harmless += 1;
            } else {
                withheld += 1;
            }
        }
    }
    panic::set_hook(hook);
    println!("{harmless} harmless, {withheld} withheld, {asserted} asserted");
    assert!(withheld + asserted > harmless / 10);
}
