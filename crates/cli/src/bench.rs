//! `sunzi bench`: this machine, beside OpenSSL, in one run.

use crate::args::{Common, Threads};
use crate::failure::{Failure, Outcome, Status};
use crate::output::Output;
use crate::peer::{self, Burst, Powers, Signing};
use core::fmt;
use core::str::FromStr;
use crypto_bigint::{BoxedUint, RandomBits};
use getrandom::SysRng;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;
use sunzi_engine::{Backend, Engine, Exponent, MAX_BITS, MIN_BITS, Task};
use sunzi_pk::rsa::{
    PrivateKey, Scheme, SignRequest, SigningKey, VerifyRequest, sign_batch, verify_batch,
};
use sunzi_pk::{Digest, Hash, system_rng};

/// Measure private operations, verification and modular powers with every backend that can run
/// here, and with OpenSSL
///
/// Backends and OpenSSL take turns, a batch each, so that whatever else the machine does falls on
/// all of them. What is timed goes from the digest to the checked signature (padding, blinding,
/// the two exponentiations modulo the primes, recombination, verification of the result), from
/// the signature to the verdict, and from numbers to their powers in constant time with exponents
/// as long as the modulus; not hashing, files, or preparing keys and moduli. OpenSSL does the
/// same, one after another, with its contexts made beforehand (for powers it prepares the modulus
/// each time, a small part).
///
/// OpenSSL is measured if it was compiled in: cargo build --release --features peers (that needs
/// a C compiler and Perl).
///
/// With --json, each row is a line of JSON; ops_per_s are medians.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Sizes, 2048 to 8192: a private, a verifying and a power job of each
    #[arg(long, value_delimiter = ',', default_values_t = [2048, 3072, 4096])]
    bits: Vec<u32>,
    /// Only these jobs: rsaBITS-private, rsaBITS-verify (2048 to 8192 bits), modexpBITS (64 to
    /// 16384 bits)
    #[arg(
        long,
        value_name = "JOB",
        value_delimiter = ',',
        conflicts_with = "bits"
    )]
    only: Vec<Job>,
    /// Operations in a batch
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// All of a batch with one key (or modulus), or each with another; as many keys have to be
    /// made first
    #[arg(long, value_enum, default_value_t = Keys::One)]
    keys: Keys,
    /// How long to measure each row of each contestant
    #[arg(long, default_value_t = 2.0, value_parser = parse_seconds)]
    seconds: f64,
}

/// How many keys a batch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Keys {
    /// One for all.
    One,
    /// As many as operations.
    Mixed,
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "one key",
            Self::Mixed => "a key each",
        })
    }
}

/// What is measured, at a size in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Private(u32),
    Verify(u32),
    Modexp(u32),
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Private(bits) => write!(f, "rsa{bits}-private"),
            Self::Verify(bits) => write!(f, "rsa{bits}-verify"),
            Self::Modexp(bits) => write!(f, "modexp{bits}"),
        }
    }
}

impl FromStr for Job {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let rsa = name
            .strip_prefix("rsa")
            .and_then(|rest| rest.split_once('-'));
        let job = match (rsa, name.strip_prefix("modexp")) {
            (Some((bits, "private")), _) => number(bits).map(Self::Private),
            (Some((bits, "verify")), _) => number(bits).map(Self::Verify),
            (_, Some(bits)) => number(bits).map(Self::Modexp),
            _ => None,
        };
        match job {
            Some(Self::Private(bits) | Self::Verify(bits)) if !(2048..=8192).contains(&bits) => {
                Err(format!(
                    "RSA keys of 2048 to 8192 bits can be measured, not of {bits}"
                ))
            }
            Some(Self::Modexp(bits)) if !(MIN_BITS..=MAX_BITS).contains(&bits) => Err(format!(
                "moduli of {MIN_BITS} to {MAX_BITS} bits can be measured, not of {bits}"
            )),
            Some(job) => Ok(job),
            None => Err("a job is rsaBITS-private, rsaBITS-verify or modexpBITS".into()),
        }
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| String::from("not a number"))?;
    if (0.001..=3600.0).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(String::from("0.001 to 3600 seconds are possible"))
    }
}

/// A row of the table. Times are of one operation.
#[derive(Debug, Serialize)]
struct Row {
    job: String,
    backend: &'static str,
    batch: u32,
    keys: Keys,
    threads: usize,
    ops_per_s: f64,
    median_us: f64,
    min_us: f64,
    peer: Option<&'static str>,
    peer_ops_per_s: Option<f64>,
    peer_median_us: Option<f64>,
    peer_min_us: Option<f64>,
    /// Our speed over the peer's, by medians.
    ratio: Option<f64>,
    cpu: String,
}

/// Somebody who does the work, and how long each burst took.
struct Contestant<'a> {
    burst: Burst<'a>,
    seconds: Vec<f64>,
}

/// Every contestant has this many turns at least, however long that takes.
const MIN_BURSTS: usize = 5;

impl Contestant<'_> {
    fn new(burst: Burst<'_>) -> Contestant<'_> {
        Contestant {
            burst,
            seconds: Vec::new(),
        }
    }

    /// Median and minimum, in microseconds for each of `operations`.
    fn figures(&mut self, operations: u32) -> (f64, f64) {
        self.seconds.sort_by(f64::total_cmp);
        let n = self.seconds.len();
        let median = f64::midpoint(self.seconds[(n - 1) / 2], self.seconds[n / 2]);
        let scale = 1e6 / f64::from(operations);
        (median * scale, self.seconds[0] * scale)
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let backends = match common.forced_backend()? {
        Some(backend) => vec![backend],
        None => Backend::ALL
            .iter()
            .copied()
            .filter(|backend| backend.check().is_ok())
            .collect(),
    };
    let threads = common.start_threads(Threads::One)?;
    let cpu = processor();
    let mut output = Output::new();
    if !common.json {
        print_head(&mut output, args, &backends, threads, &cpu)?;
    }
    let jobs = if args.only.is_empty() {
        let of_size = |&bits| [Job::Private(bits), Job::Verify(bits), Job::Modexp(bits)];
        args.bits.iter().flat_map(of_size).collect()
    } else {
        args.only.clone()
    };
    let mut keys = KeyRing::default();
    for job in jobs {
        let bench = Bench {
            job,
            args,
            backends: &backends,
            threads,
            cpu: &cpu,
        };
        let rows = match job {
            Job::Private(bits) | Job::Verify(bits) => {
                bench.signatures(keys.of_size(bits, args)?)?
            }
            Job::Modexp(bits) => bench.powers(bits)?,
        };
        for row in rows {
            if common.json {
                output.json(&row)?;
            } else {
                print_row(&mut output, &row)?;
            }
            output.flush()?;
        }
    }
    Ok(Status::Done)
}

fn told(error: impl fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// The keys of the size made last.
#[derive(Default)]
struct KeyRing {
    bits: u32,
    keys: Vec<PrivateKey>,
}

impl KeyRing {
    fn of_size(&mut self, bits: u32, args: &Args) -> Result<&[PrivateKey], Failure> {
        if self.bits != bits {
            let count = if args.keys == Keys::One {
                1
            } else {
                args.batch
            };
            self.keys = (0..count)
                .into_par_iter()
                .map(|_| PrivateKey::generate(bits, &mut system_rng()).map_err(told))
                .collect::<Result<_, _>>()?;
            self.bits = bits;
        }
        Ok(&self.keys)
    }
}

/// One job on all backends and the peer.
struct Bench<'a> {
    job: Job,
    args: &'a Args,
    backends: &'a [Backend],
    threads: usize,
    cpu: &'a str,
}

impl Bench<'_> {
    /// Signing or verifying.
    fn signatures(&self, keys: &[PrivateKey]) -> Result<Vec<Row>, Failure> {
        let digests: Vec<_> = (0..self.args.batch)
            .map(|i| Hash::Sha256.digest(&i.to_be_bytes()))
            .collect();
        let mut ours = Vec::new();
        for &backend in self.backends {
            let engine = Engine::new(backend).map_err(told)?;
            let keys = keys
                .iter()
                .map(|key| SigningKey::new(&engine, key).map_err(told))
                .collect::<Result<Vec<_>, _>>()?;
            ours.push((engine, keys));
        }
        let Some((engine, signing)) = ours.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        let signatures = sign(engine, signing, &digests)?;
        let work = Signing {
            keys,
            digests: &digests,
            signatures: &signatures,
            threads: self.threads,
        };
        let private = matches!(self.job, Job::Private(_));
        let mut bursts: Vec<Burst<'_>> = Vec::new();
        for (engine, keys) in &ours {
            bursts.push(if private {
                Box::new(|| sign(engine, keys, work.digests).map(drop))
            } else {
                Box::new(|| verify(engine, keys, &work))
            });
        }
        bursts.extend(if private {
            peer::signing(&work)?
        } else {
            peer::verifying(&work)?
        });
        self.rows(bursts)
    }

    /// Modular powers, with secret exponents.
    fn powers(&self, bits: u32) -> Result<Vec<Row>, Failure> {
        let precision = bits.next_multiple_of(64);
        let random = |bits: u32| {
            BoxedUint::try_random_bits_with_precision(&mut SysRng, bits, precision).map_err(told)
        };
        let ends = BoxedUint::one_with_precision(precision).shl(bits - 1)
            | BoxedUint::one_with_precision(precision);
        let count = if self.args.keys == Keys::One {
            1
        } else {
            self.args.batch
        };
        let moduli = (0..count)
            .map(|_| Ok(random(bits)? | &ends))
            .collect::<Result<Vec<_>, Failure>>()?;
        let numbers = (0..self.args.batch)
            .map(|_| Ok((random(bits - 1)?, random(bits)?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        let mut ours = Vec::new();
        for &backend in self.backends {
            let engine = Engine::new(backend).map_err(told)?;
            let moduli = moduli
                .iter()
                .map(|modulus| engine.modulus(modulus).map_err(told))
                .collect::<Result<Vec<_>, _>>()?;
            ours.push((engine, moduli));
        }
        let mut results = Vec::new();
        let mut bursts: Vec<Burst<'_>> = Vec::new();
        for (engine, moduli) in &ours {
            let tasks: Vec<Task<'_>> = numbers
                .iter()
                .zip(moduli.iter().cycle())
                .map(|((base, exponent), modulus)| {
                    Task::power(modulus, base, Exponent::Secret(exponent))
                })
                .collect();
            results = engine.run(&tasks);
            bursts.push(Box::new(move || {
                std::hint::black_box(engine.run(&tasks));
                Ok(())
            }));
        }
        let work = Powers {
            moduli: &moduli,
            numbers: &numbers,
            results: &results,
            threads: self.threads,
        };
        bursts.extend(peer::powers(&work)?);
        self.rows(bursts)
    }

    /// Measures a burst of each backend, and the peer's if there is one behind them.
    fn rows(&self, bursts: Vec<Burst<'_>>) -> Result<Vec<Row>, Failure> {
        let mut contestants: Vec<_> = bursts.into_iter().map(Contestant::new).collect();
        take_turns(&mut contestants, self.args.seconds)?;
        let figures: Vec<_> = contestants
            .iter_mut()
            .map(|c| c.figures(self.args.batch))
            .collect();
        let rival = figures.get(self.backends.len());
        let row = |(backend, (median_us, min_us)): (&Backend, &(f64, f64))| Row {
            job: self.job.to_string(),
            backend: backend.name(),
            batch: self.args.batch,
            keys: self.args.keys,
            threads: self.threads,
            ops_per_s: 1e6 / median_us,
            median_us: *median_us,
            min_us: *min_us,
            peer: peer::name(),
            peer_ops_per_s: rival.map(|(median, _)| 1e6 / median),
            peer_median_us: rival.map(|(median, _)| *median),
            peer_min_us: rival.map(|(_, min)| *min),
            ratio: rival.map(|(median, _)| median / median_us),
            cpu: self.cpu.to_owned(),
        };
        Ok(self.backends.iter().zip(&figures).map(row).collect())
    }
}

/// Lets everyone do a burst, round after round, until `seconds` were spent on each on average.
fn take_turns(contestants: &mut [Contestant<'_>], seconds: f64) -> Result<(), Failure> {
    // Unmeasured: caches, plans and the processor's clock settle.
    for contestant in &mut *contestants {
        (contestant.burst)()?;
    }
    let enough = seconds * contestants.len() as f64;
    let mut spent = 0.0;
    let mut rounds = 0;
    while spent < enough || rounds < MIN_BURSTS {
        for contestant in &mut *contestants {
            let start = Instant::now();
            (contestant.burst)()?;
            let elapsed = start.elapsed().as_secs_f64();
            contestant.seconds.push(elapsed);
            spent += elapsed;
        }
        rounds += 1;
    }
    Ok(())
}

fn sign(engine: &Engine, keys: &[SigningKey], digests: &[Digest]) -> Result<Vec<Vec<u8>>, Failure> {
    let requests: Vec<_> = digests
        .iter()
        .zip(keys.iter().cycle())
        .map(|(&digest, key)| SignRequest {
            key,
            scheme: Scheme::Pkcs1v15,
            digest,
        })
        .collect();
    sign_batch(engine, &mut SysRng, &requests)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(told)
}

fn verify(engine: &Engine, keys: &[SigningKey], work: &Signing<'_>) -> Result<(), Failure> {
    let requests: Vec<_> = work
        .digests
        .iter()
        .zip(work.signatures)
        .zip(keys.iter().cycle())
        .map(|((&digest, signature), key)| VerifyRequest {
            key: key.verifying_key(),
            scheme: Scheme::Pkcs1v15,
            digest,
            signature,
        })
        .collect();
    verify_batch(engine, &requests)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(told)
}

/// The processor's name, where the system tells it.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    String::from(name)
}

fn print_head(
    output: &mut Output,
    args: &Args,
    backends: &[Backend],
    threads: usize,
    cpu: &str,
) -> std::io::Result<()> {
    output.line(format_args!("processor  {cpu}; threads: {threads}"))?;
    for backend in backends {
        output.line(format_args!("backend    {backend}: {}", backend.describe()))?;
    }
    output.line(format_args!(
        "peer       {}",
        peer::name().unwrap_or(
            "none compiled in: cargo run --release -p sunzi-cli --features peers -- bench"
        )
    ))?;
    output.line(format_args!(
        "work       batches of {} with {}; signatures are PKCS#1 v1.5 with SHA-256, from digest to \
         checked signature",
        args.batch, args.keys
    ))?;
    output.line(format_args!(
        "figures    operations per second, by the median (and the fastest) batch of {} s each, \
         taking turns",
        args.seconds
    ))?;
    output.line(format_args!(
        "\n{:<16} {:<10} {:>20} {:>20} {:>7}",
        "job", "backend", "sunzi", "peer", "ratio"
    ))?;
    output.flush()
}

fn print_row(output: &mut Output, row: &Row) -> std::io::Result<()> {
    let cell =
        |median_us: f64, min_us: f64| format!("{:.0} ({:.0})", 1e6 / median_us, 1e6 / min_us);
    let rival = match (row.peer_median_us, row.peer_min_us) {
        (Some(median), Some(min)) => cell(median, min),
        _ => String::from("-"),
    };
    let ratio = row
        .ratio
        .map_or(String::from("-"), |ratio| format!("{ratio:.2}"));
    output.line(format_args!(
        "{:<16} {:<10} {:>20} {rival:>20} {ratio:>7}",
        row.job,
        row.backend,
        cell(row.median_us, row.min_us)
    ))
}
