//! The cost of redundant channels and of random bases: RSA-2048 signatures and 2048-bit powers in batches, with
//! each protection and without, in turns.
//!
//! `cargo run --release --example protection_cost -- 5`, with the seconds for each engine and job.

use crypto_bigint::BoxedUint;
use std::error::Error;
use std::time::Instant;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use sunzi_pk::rsa::{PrivateKey, Scheme, SignRequest, SigningKey, sign_batch};
use sunzi_pk::{Hash, system_rng};

/// Operations of a batch: whole groups in every layout.
const BATCH: usize = 64;
/// Seconds for each engine and job without an argument.
const DEFAULT_SECONDS: f64 = 3.0;

/// An engine: backend, redundant channels, and plans in random bases.
type Choice = (&'static str, usize, Option<usize>);

/// The engines that are compared with the first one of their row.
const ENGINES: [&[Choice]; 2] = [
    &[
        ("avx512:lanes16", 0, None),
        ("avx512:lanes16", 1, None),
        ("avx512:lanes16", 2, None),
        ("avx512:lanes16", 0, Some(8)),
        // In limbs, which neither protection has.
        ("avx512", 0, None),
    ],
    &[
        ("portable:lanes32", 0, None),
        ("portable:lanes32", 1, None),
        ("portable:lanes32", 2, None),
        ("portable:lanes32", 0, Some(8)),
    ],
];

fn name((backend, redundancy, random_bases): Choice) -> String {
    let random_bases = random_bases.map(|plans| format!(", {plans} random bases"));
    format!(
        "{backend}, {redundancy} redundant{}",
        random_bases.unwrap_or_default()
    )
}

/// The processor's name, where the system tells it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(": "));
    name.map_or("unknown", |(_, name)| name).to_owned()
}

/// One engine's part of a job: a batch, in a closure.
type Batch<'a> = Box<dyn Fn() + 'a>;

/// Runs batches in turns and prints least and median milliseconds for one operation, and
/// their ratios to the first engine's.
fn compare(job: &str, choices: &[Choice], batches: &[Batch<'_>], seconds: f64) {
    let mut times = vec![Vec::new(); batches.len()];
    // Plans and constants are made, of each of the random bases.
    for batch in batches {
        (0..20).for_each(|_| batch());
    }
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds * batches.len() as f64 {
        for (batch, times) in batches.iter().zip(&mut times) {
            let start = Instant::now();
            batch();
            times.push(start.elapsed().as_secs_f64() * 1e3 / BATCH as f64);
        }
    }
    let mut first = None;
    for (&choice, mut times) in choices.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let (least, median) = (times[0], times[times.len() / 2]);
        let first = first.get_or_insert((least, median));
        println!(
            "{job:16} {:42} least {least:7.4} ms ({:.3}), median {median:7.4} ms ({:.3}), {} batches",
            name(choice),
            least / first.0,
            median / first.1,
            times.len()
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = match std::env::args().nth(1) {
        Some(number) => number.parse()?,
        None => DEFAULT_SECONDS,
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    println!("{}, one thread, batches of {BATCH}", processor());
    let key = include_bytes!("../tests/fixtures/rsa2048.pkcs8.pem");
    let key = PrivateKey::from_pem_or_der(key, None)?;
    let n = key.public_key().n();
    let number = |k: usize| n.wrapping_sub(BoxedUint::from(k as u64 + 3));
    let bases: Vec<BoxedUint> = (0..BATCH).map(number).collect();
    for choices in ENGINES {
        let mut engines = Vec::new();
        for &(backend, redundancy, random_bases) in choices {
            let backend: Backend = backend.parse()?;
            let mut builder = Engine::builder().backend(backend).redundancy(redundancy);
            if let Some(plans) = random_bases {
                builder = builder.random_bases(plans);
            }
            engines.push(builder.build()?);
        }
        let keys = engines.iter().map(|engine| SigningKey::new(engine, &key));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let sign = |(engine, key)| -> Batch<'_> {
            Box::new(move || {
                let requests = (0..BATCH).map(|k| SignRequest {
                    key,
                    scheme: Scheme::Pkcs1v15,
                    digest: Hash::Sha256.digest(&k.to_be_bytes()),
                });
                let requests: Vec<_> = requests.collect();
                let signatures = sign_batch(engine, &mut system_rng(), &requests);
                assert!(signatures.iter().all(Result::is_ok));
            })
        };
        let batches: Vec<_> = engines.iter().zip(&keys).map(sign).collect();
        compare("rsa2048-private", choices, &batches, seconds);
        let moduli = engines.iter().map(|engine| engine.modulus(n));
        let moduli = moduli.collect::<Result<Vec<_>, _>>()?;
        let power = |(engine, modulus)| -> Batch<'_> {
            let engine: &Engine = engine;
            let bases = &bases;
            Box::new(move || {
                let exponent = Exponent::Secret(n);
                let tasks = bases
                    .iter()
                    .map(|base| Task::power(modulus, base, exponent));
                let powers = engine.run(&tasks.collect::<Vec<_>>());
                assert!(powers.is_ok_and(|powers| powers.len() == BATCH));
            })
        };
        let batches: Vec<_> = engines.iter().zip(&moduli).map(power).collect();
        compare("modexp2048", choices, &batches, seconds);
        assert!(engines.iter().all(|engine| engine.faults_found() == 0));
    }
    Ok(())
}
