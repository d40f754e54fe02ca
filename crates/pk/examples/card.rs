//! A card beside the processor: the same batches on both, with results compared, and rates.
//!
//! ```sh
//! cargo run --release --features sunzi-engine/testing --example card -- power-2048 100000
//! cargo run --release --features sunzi-engine/testing --example card -- RSA-2048 100000
//! cargo run --release --features sunzi-engine/testing --example card -- secp256k1 100000 cuda:lanes 0
//! ```
//!
//! A job is `power-BITS`, with exponents as long as the modulus, or the name of a key's algorithm, for signatures and
//! their verification. The backend is `cuda`, which leaves to the processor what that computes faster, or `cuda:lanes`,
//! which does not; `cuda-matrix:lanes` has residues on matrix units for everything. The processor's own backend computes
//! as many operations again as the last argument says, all if there is none. Whole times are from numbers or digests to
//! results in memory.

use core::time::Duration;
use crypto_bigint::BoxedUint;
use std::{env, error::Error, time::Instant};
use sunzi_engine::{Backend, Engine, Exponent, Task, testing::card_kernel_seconds};
use sunzi_pk::{
    ec::NonceKind,
    keys::{
        Algorithms, Content, PrivateKey, Scheme, SignRequest, SigningKey, VerifyRequest,
        sign_batch, verify_batch,
    },
    system_rng,
};

/// How often a batch is repeated; the fastest run counts.
const REPETITIONS: usize = 3;

type Failure = Box<dyn Error>;

/// Runs a batch a few times and prints its rate; returns the last results.
fn measure<T>(
    what: &str,
    count: usize,
    repetitions: usize,
    mut run: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut fastest = Duration::MAX;
    let mut kernels = f64::INFINITY;
    let mut last = None;
    for _ in 0..repetitions {
        let before = card_kernel_seconds();
        let start = Instant::now();
        let results = run()?;
        fastest = fastest.min(start.elapsed());
        if let (Some(before), Some(after)) = (before, card_kernel_seconds()) {
            kernels = kernels.min(after - before);
        }
        last = Some(results);
    }
    let rate = count as f64 / fastest.as_secs_f64();
    print!("{what}: {rate:.0} a second, whole");
    if kernels > 0.0 && kernels.is_finite() {
        print!(
            "; kernels {kernels:.4} s, {:.0} a second",
            count as f64 / kernels
        );
    }
    println!();
    last.ok_or_else(|| "nothing was run".into())
}

fn words(seed: &mut u64, bits: u32) -> BoxedUint {
    let words = (0..bits.div_ceil(64)).map(|_| {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        *seed ^ *seed >> 29
    });
    BoxedUint::from_words(words)
}

fn powers(bits: u32, count: usize, checked: usize, backends: &[Backend]) -> Result<(), Failure> {
    let mut seed = 1;
    let mut results = Vec::new();
    let top = BoxedUint::one_with_precision(bits).shl(bits - 1);
    let p = words(&mut seed, bits)
        .bitor(&top)
        .bitor(&BoxedUint::one_with_precision(bits));
    let numbers: Vec<[BoxedUint; 2]> = (0..count)
        .map(|_| [words(&mut seed, bits), words(&mut seed, bits)])
        .collect();
    for (index, &backend) in backends.iter().enumerate() {
        let engine = Engine::new(backend)?;
        let modulus = engine.modulus(&p)?;
        let count = if index == 0 {
            count
        } else {
            checked.min(count)
        };
        let tasks: Vec<Task<'_>> = numbers[..count]
            .iter()
            .map(|[x, e]| Task::power(&modulus, x, Exponent::Secret(e)))
            .collect();
        let name = format!("power-{bits} x {count}, {backend}");
        let repetitions = if index == 0 { REPETITIONS } else { 1 };
        results.push(measure(&name, count, repetitions, || {
            Ok(engine.run(&tasks)?)
        })?);
    }
    if let [card, processor] = &results[..] {
        let differ = card.iter().zip(processor).filter(|(x, y)| x != y).count();
        println!(
            "power-{bits}: {} compared, {differ} differ",
            processor.len()
        );
        if differ > 0 {
            return Err("results differ".into());
        }
    }
    Ok(())
}

/// Signatures by a new key on each backend, and their verdicts: one signature of a thousand is wrong.
fn signatures(name: &str, count: usize, backends: &[Backend]) -> Result<(), Failure> {
    let mut rng = system_rng();
    let messages: Vec<[u8; 8]> = (0..count).map(usize::to_le_bytes).collect();
    let processor = Algorithms::new(&Engine::new(Backend::best())?);
    let key = PrivateKey::generate(&processor, name, &mut rng)?;
    let mut signed: Vec<Vec<u8>> = Vec::new();
    for (index, &backend) in backends.iter().enumerate() {
        let algorithms = Algorithms::new(&Engine::new(backend)?);
        let signing = SigningKey::new(&algorithms, &key)?;
        let verifying = signing.verifying_key();
        let scheme = Scheme::of(signing.public_key());
        let content = |number: usize| {
            let message = &messages[number];
            match scheme.hash() {
                Some(hash) => Content::Digest(hash.digest(message)),
                None => Content::Message(message),
            }
        };
        let request = |number| SignRequest {
            key: &signing,
            scheme,
            content: content(number),
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        let nonces = NonceKind::Deterministic;
        let what = format!("{name} sign x {count}, {backend}");
        // The first batch on a card waits for its kernels to be compiled.
        let repetitions = if index == 0 { 2 } else { 1 };
        let own = measure(&what, count, repetitions, || {
            let own = sign_batch(&algorithms, &mut rng, nonces, &requests).into_iter();
            Ok(own.collect::<Result<Vec<_>, _>>()?)
        })?;
        // Each backend verifies what the first one has signed.
        if index == 0 {
            signed = own;
            for wrong in signed.iter_mut().step_by(1000) {
                let place = wrong.len() / 2;
                wrong[place] ^= 1;
            }
        }
        let request = |number: usize| VerifyRequest {
            key: &verifying,
            scheme,
            content: content(number),
            signature: &signed[number],
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        let what = format!("{name} verify x {count}, {backend}");
        let repetitions = if index == 0 { REPETITIONS } else { 1 };
        let verdicts = measure(&what, count, repetitions, || {
            Ok(verify_batch(&algorithms, &requests))
        })?;
        let verdicts = verdicts.iter().enumerate();
        let wrong =
            verdicts.filter(|(number, verdict)| verdict.is_ok() == number.is_multiple_of(1000));
        let wrong = wrong.count();
        println!("{name}, {backend}: {wrong} wrong verdicts of {count}");
        if wrong > 0 {
            return Err("verdicts differ".into());
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [job, count, rest @ ..] = &arguments[..] else {
        return Err("usage: card JOB COUNT [BACKEND [COMPARED]]".into());
    };
    let count: usize = count.parse()?;
    let backend = rest.first().map_or("cuda", |text| text);
    let compared = rest.get(1).map_or(Ok(count), |text| text.parse())?;
    let mut backends = vec![backend.parse()?];
    if compared > 0 {
        backends.push(Backend::best());
    }
    match job.strip_prefix("power-") {
        Some(bits) => powers(bits.parse()?, count, compared, &backends),
        None => signatures(job, count, &backends),
    }
}
