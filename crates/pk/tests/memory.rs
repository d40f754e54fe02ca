//! The memory of a large batch. This test has an executable of its own, because it measures the
//! whole process.

mod common;

use common::private;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{Scheme, SignRequest, SigningKey, sign_batch};
use sunzi_pk::{Hash, system_rng};

/// The most memory that 10,000 RSA-4096 signatures may take, in KiB.
const LIMIT: u64 = 200 << 10;

/// The largest resident set of this process so far, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The results are kept as well: they have 5 MB.
#[test]
#[ignore = "takes a minute"]
fn ten_thousand_signatures_of_4096_bits() {
    if peak().is_none() {
        println!("SKIPPED: the system does not tell how much memory was used");
        return;
    }
    for &backend in Backend::ALL {
        let engine = match Engine::new(backend) {
            Ok(engine) => engine,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        let key = SigningKey::new(&engine, &private("rsa4096.pkcs8.pem")).unwrap();
        let requests: Vec<_> = (0..10_000u32)
            .map(|i| SignRequest {
                key: &key,
                scheme: Scheme::Pkcs1v15,
                digest: Hash::Sha256.digest(&i.to_le_bytes()),
            })
            .collect();
        let before = peak().unwrap();
        let signatures = sign_batch(&engine, &mut system_rng(), &requests);
        assert!(signatures.iter().all(Result::is_ok));
        let after = peak().unwrap();
        println!(
            "{backend}: the process had at most {} MiB, before the batch {} MiB",
            after >> 10,
            before >> 10
        );
        assert!(after < LIMIT, "{backend}: {after} KiB");
    }
}
