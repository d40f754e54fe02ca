//! The measurements of `sunzi bench`: jobs, the keys for them, the turns of backends and peers, and
//! the report.

mod bls;
mod bls_peers;
mod curves;
mod groups;
mod job;
mod key_choice;
mod key_ring;
mod measurement;
mod pairings;
mod peers;
mod plot;
mod report;
mod turns;

pub(crate) use curves::programs_on_curve;
pub(crate) use job::{CurveOperation, Job};
pub(crate) use key_choice::KeyChoice;
pub(crate) use turns::OperationTimes;

use crate::failure::{Failure, Outcome, Status};
use crate::io::calibration;
use crate::options::BasesOptions;
use crypto_bigint::{BoxedUint, RandomBits};
use getrandom::SysRng;
use key_ring::KeyRing;
use peers::{PowerBatch, SignatureBatch};
use report::{Conditions, Report};
use std::path::Path;
use std::sync::Arc;
use sunzi_engine::{Backend, Engine, Exponent, Modulus, Task};
use sunzi_pk::rsa::{Scheme, SignRequest, SigningKey, VerifyRequest, sign_batch, verify_batch};
use sunzi_pk::{Digest, Hash};
use turns::Contestant;

/// The length of a chain of modular products.
const CHAIN: usize = 1024;
/// The largest number of powers for which the results of peers are compared with ours.
const COMPARED: usize = 64;

/// A series of measurements, with the settings that all its jobs share.
pub(crate) struct Bench<'a> {
    /// The batch sizes, in operations.
    pub(crate) batches: Vec<usize>,
    /// The choice of keys.
    pub(crate) keys: KeyChoice,
    /// The time to measure each backend and peer at each job and batch size.
    pub(crate) seconds: f64,
    /// The bases in which the backends compute.
    pub(crate) bases: BasesOptions,
    /// The backends to measure.
    pub(crate) backends: &'a [Backend],
    /// The number of threads.
    pub(crate) threads: usize,
}

impl Bench<'_> {
    /// Measures the jobs, reports each measurement, and draws the plot if there is a path for it.
    pub(crate) fn run(&self, jobs: &[Job], plot: Option<&Path>, json: bool) -> Outcome {
        let conditions = Conditions::here(self.threads, self.keys, self.seconds, self.bases);
        let mut report = Report::start(
            conditions,
            self.backends,
            (jobs.len() * self.batches.len()) as u64,
            json,
        )?;
        let mut ring = None;
        for &job in jobs {
            self.measure(job, &mut ring, &mut report)?;
            report.end_job(job)?;
            if let Some(path) = plot {
                // Drawn after each job, so that a wrong path is found early and an interrupted run
                // leaves what it has measured.
                report.plot(path)?;
            }
        }
        Ok(Status::Done)
    }

    /// Measures a job at all batch sizes. `ring` keeps the keys for the next job of the same size.
    fn measure(
        &self,
        job: Job,
        ring: &mut Option<KeyRing>,
        report: &mut Report,
    ) -> Result<(), Failure> {
        match job {
            Job::Private(bits) | Job::Verify(bits) => {
                if ring.as_ref().is_none_or(|ring| ring.bits != bits) {
                    report.show_activity(&format_args!("keys of {bits} bits"));
                    *ring = Some(KeyRing::new(bits, self.keys_needed(), self.new_engines()?)?);
                }
                match ring {
                    Some(ring) => self.signatures(job, ring, report),
                    None => Ok(()),
                }
            }
            Job::Modexp(bits) => self.powers(job, bits, report),
            Job::Product(bits) => self.products(job, bits, report),
            Job::Curve(operation, curve) if operation.is_in_group() => {
                self.in_group(job, (operation, curve), report)
            }
            Job::Pairing(curve) => self.pairings(job, curve, report),
            Job::Bls(operation) => self.with_bls(job, operation, report),
            Job::Curve(operation, curve) => self.on_curve(job, (operation, curve), report),
        }
    }

    /// The largest batch size.
    fn largest_batch(&self) -> usize {
        self.batches.iter().copied().max().unwrap_or(1)
    }

    /// The number of keys, or moduli, for the largest batch.
    fn keys_needed(&self) -> usize {
        match self.keys {
            KeyChoice::One => 1,
            KeyChoice::Mixed => self.largest_batch(),
        }
    }

    /// Measures signing or verifying.
    fn signatures(&self, job: Job, ring: &KeyRing, report: &mut Report) -> Result<(), Failure> {
        let digests: Vec<_> = (0..self.largest_batch() as u64)
            .map(|i| Hash::Sha256.digest(&i.to_be_bytes()))
            .collect();
        let Some((engine, signing)) = ring.engines.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        report.show_activity(&format_args!("{job}: signatures"));
        let all_signatures = sign(engine, signing, &digests)?;
        let private = matches!(job, Job::Private(_));
        for &batch in &self.batches {
            let signatures = SignatureBatch {
                keys: &ring.keys,
                digests: &digests[..batch],
                signatures: &all_signatures[..batch],
                threads: self.threads,
            };
            let ours = ring.engines.iter().map(|(engine, keys)| Contestant {
                name: engine.backend().to_string(),
                unit: batch,
                repeat: Box::new(move |repetitions| {
                    (0..repetitions).try_for_each(|_| {
                        if private {
                            sign(engine, keys, signatures.digests).map(drop)
                        } else {
                            verify(engine, keys, &signatures)
                        }
                    })
                }),
            });
            let mut contestants: Vec<_> = ours.collect();
            contestants.extend(if private {
                peers::signing(&signatures)?
            } else {
                peers::verifying(&signatures)?
            });
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }

    /// Measures modular powers with secret exponents.
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
            (Some((engine, _)), Some(tasks)) => engine
                .run(&tasks[..compared])
                .map_err(Failure::from_error)?,
            _ => Vec::new(),
        };
        for &batch in &self.batches {
            let mut contestants = contestants(&engines, &tasks, batch, batch);
            contestants.extend(peers::powers(&PowerBatch {
                moduli: &moduli,
                numbers: &numbers[..batch],
                results: &results,
                threads: self.threads,
            })?);
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }

    /// Measures modular products, as powers with the exponent 2^1024, which are chains of squarings.
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

    /// Random odd moduli of exactly `bits` bits.
    fn moduli(&self, bits: u32) -> Result<Vec<BoxedUint>, Failure> {
        let one = BoxedUint::one_with_precision(bits.next_multiple_of(64));
        let ends = one.shl(bits - 1) | one;
        (0..self.keys_needed())
            .map(|_| Ok(random(bits, bits)? | &ends))
            .collect()
    }

    /// An engine for each backend, with the moduli prepared.
    fn engines(&self, moduli: &[BoxedUint]) -> Result<Vec<PreparedEngine>, Failure> {
        let prepare = |engine: Engine| {
            let moduli = moduli.iter().map(|modulus| engine.modulus(modulus));
            let moduli = moduli
                .collect::<Result<_, _>>()
                .map_err(Failure::from_error)?;
            Ok((engine, moduli))
        };
        self.new_engines()?.into_iter().map(prepare).collect()
    }

    /// An engine for each backend, which schedules by this processor's times as other commands do.
    fn new_engines(&self) -> Result<Vec<Engine>, Failure> {
        let times = match calibration::load()? {
            None => calibration::at_first_use(),
            stored => stored,
        };
        let engines = self.backends.iter().map(|&backend| {
            let mut engine = self.bases.of(Engine::builder().backend(backend));
            if let Some(times) = &times {
                engine = engine.calibration(times.clone());
            }
            engine.build().map_err(Failure::from_error)
        });
        engines.collect()
    }

    /// Measures all contestants at one batch size.
    fn turns(
        &self,
        job: Job,
        batch: usize,
        mut contestants: Vec<Contestant<'_>>,
        report: &mut Report,
    ) -> Result<(), Failure> {
        report.show_activity(&format_args!("{job} x {batch}"));
        let figures = turns::take(&mut contestants, self.seconds)?;
        let names = contestants.into_iter().map(|contestant| contestant.name);
        let measured: Vec<_> = names.zip(figures).collect();
        report.add(job, batch, measured, self.backends.len())
    }
}

/// The engine on a backend, with its prepared moduli.
type PreparedEngine = (Engine, Vec<Arc<Modulus>>);

/// A random number below `2^bits`, in the precision of a modulus of `modulus_bits` bits.
fn random(modulus_bits: u32, bits: u32) -> Result<BoxedUint, Failure> {
    let precision = modulus_bits.next_multiple_of(64);
    BoxedUint::try_random_bits_with_precision(&mut SysRng, bits, precision)
        .map_err(Failure::from_error)
}

/// The engines as contestants, each with the first `batch` of its tasks. An engine does `unit`
/// operations in a batch.
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
        repeat: Box::new(move |repetitions| {
            for _ in 0..repetitions {
                std::hint::black_box(engine.run(&tasks[..batch]).map_err(Failure::from_error)?);
            }
            Ok(())
        }),
    };
    engines.map(contestant).collect()
}

/// Measures a batch of powers modulo one number of `bits` bits, each with a secret exponent as long as that,
/// for some seconds: the times of the whole batch.
pub(crate) fn measure_powers(
    engine: Engine,
    bits: u32,
    batch: usize,
    seconds: f64,
) -> Result<OperationTimes, Failure> {
    let one = BoxedUint::one_with_precision(bits.next_multiple_of(64));
    let modulus = random(bits, bits)? | one.shl(bits - 1) | one;
    let moduli = vec![engine.modulus(&modulus).map_err(Failure::from_error)?];
    let numbers = (0..batch)
        .map(|_| Ok((random(bits, bits - 1)?, random(bits, bits)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let powers = numbers
        .iter()
        .map(|(base, exponent)| Task::power(&moduli[0], base, Exponent::Secret(exponent)))
        .collect();
    let (engines, tasks) = ([(engine, moduli.clone())], [powers]);
    let mut contestants = contestants(&engines, &tasks, batch, 1);
    Ok(turns::take(&mut contestants, seconds)?[0])
}

/// PKCS#1 v1.5 signatures of the digests, with the keys taken cyclically.
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
        .map_err(Failure::from_error)
}

/// Verifies PKCS#1 v1.5 signatures, with the keys taken cyclically.
fn verify(
    engine: &Engine,
    keys: &[SigningKey],
    signatures: &SignatureBatch<'_>,
) -> Result<(), Failure> {
    let requests: Vec<_> = signatures
        .digests
        .iter()
        .zip(signatures.signatures)
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
        .map_err(Failure::from_error)
}
