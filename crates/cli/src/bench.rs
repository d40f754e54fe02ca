//! `sunzi bench`: this machine, beside OpenSSL, in one run.

use crate::args::{Common, Threads};
use crate::failure::{Failure, Outcome, Status};
use crate::output::Output;
use crate::peer::{self, Burst, Workload};
use getrandom::SysRng;
use serde::Serialize;
use std::time::Instant;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{
    PrivateKey, Scheme, SignRequest, SigningKey, VerifyRequest, sign_batch, verify_batch,
};
use sunzi_pk::{Digest, Hash, system_rng};

/// Measure signing and verifying with every backend that can run here, and with OpenSSL
///
/// Backends and OpenSSL take turns, a batch each, so that whatever else the machine does falls on
/// all of them. What is timed goes from the digest to the checked signature (padding, blinding,
/// the two exponentiations modulo the primes, recombination, verification of the result) and from
/// the signature to the verdict; not hashing, files, or preparing the key. OpenSSL does the same,
/// one signature after another, with the context made beforehand.
///
/// OpenSSL is measured if it was compiled in: cargo build --release --features peers (that needs
/// a C compiler and Perl).
///
/// With --json, each row is a line of JSON; ops_per_s are medians.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Key sizes, 2048 to 8192
    #[arg(long, value_delimiter = ',', default_values_t = [2048, 3072, 4096])]
    bits: Vec<u32>,
    /// Signatures in a batch, all by one key
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: u32,
    /// How long to measure each row of each contestant
    #[arg(long, default_value_t = 2.0, value_parser = parse_seconds)]
    seconds: f64,
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
    keys: &'static str,
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
    for &bits in &args.bits {
        let key = PrivateKey::generate(bits, &mut system_rng())
            .map_err(|error| Failure::new(error.to_string()))?;
        for row in measure(&key, args, &backends, threads, &cpu)? {
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

/// Signing and verifying with one key.
fn measure(
    key: &PrivateKey,
    args: &Args,
    backends: &[Backend],
    threads: usize,
    cpu: &str,
) -> Result<Vec<Row>, Failure> {
    let told = |error: &dyn core::fmt::Display| Failure::new(error.to_string());
    let digests: Vec<_> = (0..args.batch)
        .map(|i| Hash::Sha256.digest(&i.to_be_bytes()))
        .collect();
    let mut ours = Vec::new();
    for &backend in backends {
        let engine = Engine::new(backend).map_err(|error| told(&error))?;
        let signing = SigningKey::new(&engine, key).map_err(|error| told(&error))?;
        ours.push((backend, engine, signing));
    }
    let Some((_, engine, signing)) = ours.first() else {
        return Err(Failure::new("no backend can run on this processor"));
    };
    let signatures = sign(engine, signing, &digests)?;
    let work = Workload {
        key,
        digests: &digests,
        signatures: &signatures,
        threads,
    };

    let mut rows = Vec::new();
    for job in ["private", "verify"] {
        let mut contestants = Vec::new();
        for (_, engine, key) in &ours {
            let burst: Burst<'_> = if job == "private" {
                Box::new(|| sign(engine, key, work.digests).map(drop))
            } else {
                Box::new(|| verify(engine, key, &work))
            };
            contestants.push(Contestant::new(burst));
        }
        let rival = if job == "private" {
            peer::signing(&work)
        } else {
            peer::verifying(&work)
        };
        contestants.extend(rival?.map(Contestant::new));
        take_turns(&mut contestants, args.seconds)?;

        let figures: Vec<_> = contestants
            .iter_mut()
            .map(|c| c.figures(args.batch))
            .collect();
        let rival = figures.get(ours.len());
        for ((backend, ..), (median_us, min_us)) in ours.iter().zip(&figures) {
            rows.push(Row {
                job: format!("rsa{}-{job}", key.bits()),
                backend: backend.name(),
                batch: args.batch,
                keys: "one",
                threads,
                ops_per_s: 1e6 / median_us,
                median_us: *median_us,
                min_us: *min_us,
                peer: peer::name(),
                peer_ops_per_s: rival.map(|(median, _)| 1e6 / median),
                peer_median_us: rival.map(|(median, _)| *median),
                peer_min_us: rival.map(|(_, min)| *min),
                ratio: rival.map(|(median, _)| median / median_us),
                cpu: cpu.to_owned(),
            });
        }
    }
    Ok(rows)
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

fn sign(engine: &Engine, key: &SigningKey, digests: &[Digest]) -> Result<Vec<Vec<u8>>, Failure> {
    let requests: Vec<_> = digests
        .iter()
        .map(|&digest| SignRequest {
            key,
            scheme: Scheme::Pkcs1v15,
            digest,
        })
        .collect();
    sign_batch(engine, &mut SysRng, &requests)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new(error.to_string()))
}

fn verify(engine: &Engine, key: &SigningKey, work: &Workload<'_>) -> Result<(), Failure> {
    let requests: Vec<_> = work
        .digests
        .iter()
        .zip(work.signatures)
        .map(|(&digest, signature)| VerifyRequest {
            key: key.verifying_key(),
            scheme: Scheme::Pkcs1v15,
            digest,
            signature,
        })
        .collect();
    verify_batch(engine, &requests)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new(error.to_string()))
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
        "work       PKCS#1 v1.5, SHA-256, batches of {} by one key, from digest to checked \
         signature",
        args.batch
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
