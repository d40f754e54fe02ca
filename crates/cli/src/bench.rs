//! `sunzi bench`: this machine, beside OpenSSL, AWS-LC and GMP, in one run.

mod job;
mod keys;
mod plot;
mod report;
pub(crate) mod turns;

use crate::args::{Common, Threads};
use crate::failure::{Failure, Outcome, Status};
use crate::peer::{self, Powers, Signing};
use core::fmt;
use crypto_bigint::{BoxedUint, RandomBits};
use getrandom::SysRng;
use job::Job;
use keys::KeyRing;
use report::{Machine, Report};
use serde::Serialize;
use std::path::PathBuf;
use sunzi_engine::{Backend, Engine, Exponent, Task};
use sunzi_pk::rsa::{Scheme, SignRequest, SigningKey, VerifyRequest, sign_batch, verify_batch};
use sunzi_pk::{Digest, Hash};
use turns::Contestant;

/// Measure private operations, verification, modular powers and products with every backend that
/// can run here, and with OpenSSL, AWS-LC and GMP
///
/// Backends and peers take turns, in bursts of some milliseconds or of one batch, so that whatever
/// else the machine does falls on all of them. What is timed goes from the digest to the checked
/// signature (padding, blinding, the two exponentiations modulo the primes, recombination,
/// verification of the result), from the signature to the verdict, and from numbers to their powers
/// in constant time with exponents as long as the modulus; not hashing, files, or preparing keys
/// and moduli. The peers do the same, one operation after another on each thread, with their keys
/// and numbers read beforehand (OpenSSL and GMP prepare the modulus of each power anew, a small
/// part); GMP has no RSA, but both a constant-time and a variable-time power. Modular products are
/// those of the backends, in chains of 1024 squarings: they have no peer.
///
/// The peers are measured if they were compiled in: cargo build --release --features peers (that
/// needs a C compiler, Perl, make and m4).
///
/// With --json, there is a line for each backend and peer; ops_per_s and ratio are by medians.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these jobs: rsaBITS-private, rsaBITS-verify (2048 to 8192 bits), modexpBITS,
    /// productBITS (64 to 16384 bits) [default: keys of 2048, 3072, 4096 and 8192 bits, moduli of
    /// these sizes and of 1024 and 1536 bits]
    #[arg(long, value_name = "JOB", value_delimiter = ',')]
    only: Vec<Job>,
    /// All jobs of these sizes, 2048 to 8192
    #[arg(long, value_delimiter = ',', conflicts_with = "only",
          value_parser = clap::value_parser!(u32).range(2048..=8192))]
    bits: Vec<u32>,
    /// Operations in a batch
    #[arg(long, value_name = "SIZE", value_delimiter = ',', default_values_t = [1, 8, 64, 1024],
          value_parser = clap::value_parser!(u32).range(1..=65_536))]
    batch: Vec<u32>,
    /// All of a batch with one key (or modulus), or each with another; as many keys have to be
    /// made first
    #[arg(long, value_enum, default_value_t = Keys::One)]
    keys: Keys,
    /// How long to measure each backend and peer at each job and batch size (some times longer
    /// where a batch takes longer)
    #[arg(long, default_value_t = 0.5, value_parser = parse_seconds)]
    seconds: f64,
    /// Draw the operations per second of each job against the batch size into FILE, as SVG (an
    /// existing file is replaced)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
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
            Self::One => "one key or modulus for a batch",
            Self::Mixed => "a key or modulus for each operation",
        })
    }
}

/// How long a chain of modular products is.
const CHAIN: usize = 1024;
/// So many results of peers are compared with ours.
const COMPARED: usize = 64;

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| String::from("not a number"))?;
    if (0.001..=3600.0).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(String::from("0.001 to 3600 seconds are possible"))
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
    let mut batches = args.batch.clone();
    batches.sort_unstable();
    batches.dedup();
    if args.plot.is_some() && batches.len() < 2 {
        return Err(Failure::new(
            "--plot draws against the batch size: give two or more, --batch 1,64 for example",
        ));
    }
    let jobs = match (args.only.as_slice(), args.bits.as_slice()) {
        ([], []) => Job::usual(),
        ([], sizes) => sizes.iter().copied().flat_map(Job::of_size).collect(),
        (jobs, _) => jobs.to_vec(),
    };
    let threads = common.start_threads(Threads::One)?;
    let machine = Machine::here(threads, args.keys, args.seconds);
    let mut report = Report::start(
        machine,
        &backends,
        (jobs.len() * batches.len()) as u64,
        common.json,
    )?;
    let bench = Bench {
        batches: batches.iter().map(|&batch| batch as usize).collect(),
        keys: args.keys,
        seconds: args.seconds,
        backends: &backends,
        threads,
    };
    let mut ring = None;
    for job in jobs {
        bench.measure(job, &mut ring, &mut report)?;
        if let Some(path) = &args.plot {
            // After each job: a wrong path is found out early, and an interrupted run leaves
            // what it has measured.
            report.plot(path)?;
        }
    }
    Ok(Status::Done)
}

fn told(error: impl fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// What all jobs share.
struct Bench<'a> {
    batches: Vec<usize>,
    keys: Keys,
    seconds: f64,
    backends: &'a [Backend],
    threads: usize,
}

impl Bench<'_> {
    fn measure(
        &self,
        job: Job,
        ring: &mut Option<KeyRing>,
        report: &mut Report,
    ) -> Result<(), Failure> {
        match job {
            Job::Private(bits) | Job::Verify(bits) => {
                if ring.as_ref().is_none_or(|ring| ring.bits != bits) {
                    report.doing(&format_args!("keys of {bits} bits"));
                    *ring = Some(KeyRing::new(bits, self.keys_needed(), self.backends)?);
                }
                match ring {
                    Some(ring) => self.signatures(job, ring, report),
                    None => Ok(()),
                }
            }
            Job::Modexp(bits) => self.powers(job, bits, report),
            Job::Product(bits) => self.products(job, bits, report),
        }
    }

    fn largest_batch(&self) -> usize {
        self.batches.iter().copied().max().unwrap_or(1)
    }

    /// Keys, or moduli, for the largest batch.
    fn keys_needed(&self) -> usize {
        match self.keys {
            Keys::One => 1,
            Keys::Mixed => self.largest_batch(),
        }
    }

    /// Signing or verifying.
    fn signatures(&self, job: Job, ring: &KeyRing, report: &mut Report) -> Result<(), Failure> {
        let digests: Vec<_> = (0..self.largest_batch() as u64)
            .map(|i| Hash::Sha256.digest(&i.to_be_bytes()))
            .collect();
        let Some((engine, signing)) = ring.engines.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        report.doing(&format_args!("{job}: signatures"));
        let signatures = sign(engine, signing, &digests)?;
        let private = matches!(job, Job::Private(_));
        for &batch in &self.batches {
            let work = Signing {
                keys: &ring.keys,
                digests: &digests[..batch],
                signatures: &signatures[..batch],
                threads: self.threads,
            };
            let ours = ring.engines.iter().map(|(engine, keys)| Contestant {
                name: engine.backend().to_string(),
                unit: batch,
                work: Box::new(move |repetitions| {
                    (0..repetitions).try_for_each(|_| {
                        if private {
                            sign(engine, keys, work.digests).map(drop)
                        } else {
                            verify(engine, keys, &work)
                        }
                    })
                }),
            });
            let mut contestants: Vec<_> = ours.collect();
            contestants.extend(if private {
                peer::signing(&work)?
            } else {
                peer::verifying(&work)?
            });
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }

    /// Modular powers, with secret exponents.
    fn powers(&self, job: Job, bits: u32, report: &mut Report) -> Result<(), Failure> {
        let moduli = self.moduli(bits)?;
        let numbers = (0..self.largest_batch())
            .map(|_| Ok((random(bits, bits - 1)?, random(bits, bits)?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        let engines = self.engines(&moduli)?;
        let tasks: Vec<Vec<Task<'_>>> = engines
            .iter()
            .map(|(_, moduli)| {
                numbers
                    .iter()
                    .zip(moduli.iter().cycle())
                    .map(|((base, exponent), modulus)| {
                        Task::power(modulus, base, Exponent::Secret(exponent))
                    })
                    .collect()
            })
            .collect();
        let compared = COMPARED.min(numbers.len());
        let results = match (engines.first(), tasks.first()) {
            (Some((engine, _)), Some(tasks)) => engine.run(&tasks[..compared]).map_err(told)?,
            _ => Vec::new(),
        };
        for &batch in &self.batches {
            let mut contestants = contestants(&engines, &tasks, batch, batch);
            contestants.extend(peer::powers(&Powers {
                moduli: &moduli,
                numbers: &numbers[..batch],
                results: &results,
                threads: self.threads,
            })?);
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }

    /// Modular products: powers with 2^1024, of which each is a chain of squarings.
    fn products(&self, job: Job, bits: u32, report: &mut Report) -> Result<(), Failure> {
        let moduli = self.moduli(bits)?;
        let bases = (0..self.largest_batch())
            .map(|_| random(bits, bits - 1))
            .collect::<Result<Vec<_>, Failure>>()?;
        let chain = CHAIN as u32;
        let exponent = BoxedUint::one_with_precision((chain + 1).next_multiple_of(64)).shl(chain);
        let engines = self.engines(&moduli)?;
        let tasks: Vec<Vec<Task<'_>>> = engines
            .iter()
            .map(|(_, moduli)| {
                bases
                    .iter()
                    .zip(moduli.iter().cycle())
                    .map(|(base, modulus)| Task::power(modulus, base, Exponent::Public(&exponent)))
                    .collect()
            })
            .collect();
        for &batch in &self.batches {
            let contestants = contestants(&engines, &tasks, batch, batch * CHAIN);
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }

    /// Random odd moduli of exactly so many bits.
    fn moduli(&self, bits: u32) -> Result<Vec<BoxedUint>, Failure> {
        let one = BoxedUint::one_with_precision(bits.next_multiple_of(64));
        let ends = one.shl(bits - 1) | one;
        (0..self.keys_needed())
            .map(|_| Ok(random(bits, bits)? | &ends))
            .collect()
    }

    fn engines(&self, moduli: &[BoxedUint]) -> Result<Vec<PreparedEngine>, Failure> {
        let prepare = |&backend| {
            let engine = Engine::new(backend).map_err(told)?;
            let moduli = moduli.iter().map(|modulus| engine.modulus(modulus));
            let moduli = moduli.collect::<Result<_, _>>().map_err(told)?;
            Ok((engine, moduli))
        };
        self.backends.iter().map(prepare).collect()
    }

    /// Measures everybody at one batch size.
    fn turns(
        &self,
        job: Job,
        batch: usize,
        mut contestants: Vec<Contestant<'_>>,
        report: &mut Report,
    ) -> Result<(), Failure> {
        report.doing(&format_args!("{job} x {batch}"));
        let figures = turns::take(&mut contestants, self.seconds)?;
        let names = contestants.into_iter().map(|contestant| contestant.name);
        let measured: Vec<_> = names.zip(figures).collect();
        report.add(job, batch, measured, self.backends.len())
    }
}

/// A backend at work, and its moduli.
type PreparedEngine = (Engine, Vec<std::sync::Arc<sunzi_engine::Modulus>>);

/// A random number below 2^bits, as wide as a modulus.
fn random(modulus_bits: u32, bits: u32) -> Result<BoxedUint, Failure> {
    let precision = modulus_bits.next_multiple_of(64);
    BoxedUint::try_random_bits_with_precision(&mut SysRng, bits, precision).map_err(told)
}

/// The engines, each with its first tasks.
fn contestants<'a>(
    engines: &'a [PreparedEngine],
    tasks: &'a [Vec<Task<'a>>],
    batch: usize,
    unit: usize,
) -> Vec<Contestant<'a>> {
    let engines = engines.iter().zip(tasks);
    let contestant = |((engine, _), tasks): (&'a PreparedEngine, &'a Vec<Task<'a>>)| Contestant {
        name: engine.backend().to_string(),
        unit,
        work: Box::new(move |repetitions| {
            for _ in 0..repetitions {
                std::hint::black_box(engine.run(&tasks[..batch]).map_err(told)?);
            }
            Ok(())
        }),
    };
    engines.map(contestant).collect()
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
