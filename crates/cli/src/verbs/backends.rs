//! `sunzi backends`: the backends that can run here, and the one that is chosen.

use super::Run;
use crate::bench::measure_powers;
use crate::failure::{Failure, Outcome, Status};
use crate::io::calibration;
use crate::io::output::Output;
use crate::options::{CommonOptions, DefaultThreads};
use serde::Serialize;
use sunzi_engine::{Backend, Engine};

/// List the backends: which can run here, what the others lack, which one is chosen
///
/// The fastest backend that this processor can run is chosen, the first one below those for cards that is present, unless
/// --backend or the environment variable SUNZI_BACKEND names another. Asking for one that cannot run is an error. Keys
/// would go to a card's memory: backends for cards are chosen by name only.
///
/// With --explain, show how the chosen backend would compute a batch, with which bases, how long that is
/// predicted to take, and whether it pays: whether it should take less time than OpenSSL 4.0.3 with one
/// number after the other. With --measure, run the batch and show the time that it takes. Predictions
/// are by times of this processor: at the first use of any command some hundredths of a second are
/// spent on powers modulo 512 and 2048 bits, and the times are kept in the user's folder for caches
/// (sunzi/calibration-3-PROCESSOR.txt below XDG_CACHE_HOME, LOCALAPPDATA or ~/.cache); --calibrate measures
/// five sizes, for most of a second. Where there is no such folder, built-in times are used.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Explain the computation modulo numbers of BITS bits (a private RSA operation has two moduli
    /// of half the key's bits)
    #[arg(long, value_name = "BITS")]
    explain: Option<u32>,
    /// Size of the batch to explain
    #[arg(long, value_name = "N", default_value_t = 1, requires = "explain",
          value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Run the batch to explain for about a second, and show the time that it takes beside the
    /// predicted one
    #[arg(long, requires = "explain")]
    measure: bool,
    /// Measure how long each device and layout takes on this processor, and store the times: from
    /// then on batches are split by them
    #[arg(long, conflicts_with = "explain")]
    calibrate: bool,
}

/// A line of the list of backends.
#[derive(Debug, Serialize)]
struct BackendRow {
    backend: &'static str,
    available: bool,
    chosen: bool,
    /// A description of how it computes here, or of what is missing.
    detail: String,
}

/// The explanation of how a batch would be computed.
#[derive(Debug, Serialize)]
struct PlanDescription {
    backend: &'static str,
    bits: u32,
    plan_bits: u32,
    /// The words that the numbers of the first group consist of: limbs or residues.
    representation: &'static str,
    /// Bits of a limb, or of a prime.
    channel_bits: u32,
    /// Limbs and 0, or primes of both bases.
    channels: [usize; 2],
    multiplications_per_product: usize,
    overshoot: u64,
    /// The primes of this size for which the formulas of curves are compiled.
    compiled_primes: Vec<&'static str>,
    window_bits: u32,
    threads: usize,
    groups: Vec<GroupDescription>,
    /// The predicted time of the batch, in microseconds.
    predicted_us: f64,
    /// Whether the batch should take less time than with a conventional library, on one thread each.
    pays: bool,
    /// The time that the batch takes, if it was asked for.
    #[serde(flatten)]
    measured: Option<MeasuredBatch>,
}

/// The time of a batch, in microseconds.
#[derive(Debug, Serialize)]
struct MeasuredBatch {
    measured_us: f64,
    best_us: f64,
    /// The measured time, divided by the predicted one.
    measured_by_predicted: f64,
}

/// Equal groups of numbers of a batch, which are computed in the same way.
#[derive(Debug, Serialize)]
struct GroupDescription {
    /// The number of groups.
    groups: usize,
    /// The number of numbers in each group.
    numbers: usize,
    /// The device that computes them.
    device: &'static str,
    /// The layout of the numbers in a group.
    layout: String,
    /// The predicted time of a group's exponentiation, in microseconds.
    predicted_us: f64,
    /// The reason for this layout.
    reason: String,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        if self.calibrate {
            return calibrate(common);
        }
        if let Some(bits) = self.explain {
            return explain(bits, self.batch as usize, self.measure, common);
        }
        let forced = common.forced_backend()?;
        let chosen = forced.unwrap_or_else(Backend::best);
        let reason = if forced.is_some() {
            "chosen: asked for"
        } else {
            "chosen: the fastest here"
        };
        let mut output = Output::new();
        for &backend in Backend::ALL {
            let missing = backend.check().err();
            let row = BackendRow {
                backend: backend.name(),
                available: missing.is_none(),
                chosen: backend.name() == chosen.name(),
                detail: missing.map_or_else(|| backend.describe(), |error| error.to_string()),
            };
            if common.json {
                output.json(&row)?;
            } else {
                let state = match (row.chosen, row.available) {
                    (true, _) => reason,
                    (false, true) => "present",
                    (false, false) => "not here",
                };
                output.line(format_args!(
                    "{:<12} {state:<26} {}",
                    row.backend, row.detail
                ))?;
            }
        }
        output.flush()?;
        Ok(Status::Done)
    }
}

/// Measures every backend that can run here, and stores the times.
fn calibrate(common: &CommonOptions) -> Outcome {
    let mut output = Output::new();
    let mut text = String::new();
    let backends = match common.forced_backend()? {
        Some(backend) => vec![backend],
        None => Backend::ALL.to_vec(),
    };
    for backend in backends {
        let Ok(engine) = Engine::new(backend) else {
            continue;
        };
        let times = engine.calibrate().map_err(Failure::from_error)?.to_string();
        // A backend's fallback may have been measured before.
        for line in times.lines() {
            let key: Vec<&str> = line.split(' ').take(3).collect();
            let is_new = !text
                .lines()
                .any(|line| line.starts_with(&(key.join(" ") + " ")));
            if is_new {
                text = text + line + "\n";
            }
        }
    }
    let times = text.parse().map_err(|error: String| Failure::new(error))?;
    let path = calibration::store(&times)?;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [device, layout, bits, ns] = words[..] else {
            continue;
        };
        if common.json {
            output.json(&ProductTime {
                device,
                layout,
                bits: bits.parse().unwrap_or(0),
                ns: ns.parse().unwrap_or(0.0),
            })?;
        } else {
            output.line(format_args!(
                "{device:<10} {layout:<8} {bits:>5} bits {ns:>10} ns"
            ))?;
        }
    }
    if !common.json {
        output.line(format_args!("written to {}", path.display()))?;
    }
    output.flush()?;
    Ok(Status::Done)
}

/// The measured time of a product of a group, as JSON.
#[derive(Debug, Serialize)]
struct ProductTime<'a> {
    device: &'a str,
    layout: &'a str,
    bits: u32,
    ns: f64,
}

/// The time for which a batch is measured, unless a few runs take longer.
const MEASURED_SECONDS: f64 = 0.7;

/// Explains how a batch of `numbers` numbers modulo numbers of `bits` bits would be computed, and measures it
/// if that is asked for.
fn explain(bits: u32, numbers: usize, measure: bool, common: &CommonOptions) -> Outcome {
    let threads = common.start_threads(DefaultThreads::All)?;
    let engine = common.engine()?;
    let explanation = engine
        .explain(bits, numbers, threads)
        .map_err(Failure::from_error)?;
    let pays = engine.pays(bits, numbers).map_err(Failure::from_error)?;
    let predicted_us = explanation.predicted_us;
    let measured = if measure {
        let times = measure_powers(engine, bits, numbers, MEASURED_SECONDS)?;
        Some(MeasuredBatch {
            measured_us: times.median_us,
            best_us: times.best_us,
            measured_by_predicted: times.median_us / predicted_us,
        })
    } else {
        None
    };
    let mut parts = explanation.parts.iter().copied();
    let channels = [(); 2].map(|()| parts.next().unwrap_or(0));
    let groups: Vec<GroupDescription> = explanation
        .groups
        .into_iter()
        .map(|group| GroupDescription {
            groups: group.count,
            numbers: group.numbers,
            device: group.device,
            layout: group.layout.to_string(),
            predicted_us: group.predicted_us,
            reason: group.reason,
        })
        .collect();
    let plan = PlanDescription {
        backend: explanation.backend.name(),
        bits,
        plan_bits: explanation.plan_bits,
        representation: explanation.unit,
        channel_bits: explanation.word_bits,
        channels,
        multiplications_per_product: explanation.multiplications,
        overshoot: explanation.overshoot,
        compiled_primes: explanation.compiled_primes,
        window_bits: explanation.window,
        threads,
        groups,
        predicted_us,
        pays,
        measured,
    };
    let mut output = Output::new();
    if common.json {
        output.json(&plan)?;
    } else {
        let backend = explanation.backend;
        output.line(format_args!("backend    {backend}: {}", backend.describe()))?;
        output.line(format_args!(
            "plan       for moduli of up to {} bits: {}",
            plan.plan_bits, explanation.representation
        ))?;
        output.line(format_args!(
            "product    {} multiplications of {}; results stay below {} times the modulus",
            plan.multiplications_per_product, plan.representation, plan.overshoot
        ))?;
        if !plan.compiled_primes.is_empty() {
            output.line(format_args!(
                "formulas   of points are compiled for {}; modulo others they are computed operation by operation",
                plan.compiled_primes.join(", ")
            ))?;
        }
        output.line(format_args!(
            "exponent   {} bits at a time, if secret and as long as the modulus",
            plan.window_bits
        ))?;
        for group in &plan.groups {
            output.line(format_args!(
                "batch      {} x {} numbers on {threads} threads: {}, {} ({})",
                group.groups, group.numbers, group.device, group.layout, group.reason
            ))?;
        }
        output.line(format_args!(
            "predicted  {predicted_us:.0} us for the batch"
        ))?;
        if let Some(measured) = &plan.measured {
            output.line(format_args!(
                "measured   {:.0} us in the median, {:.0} at best: {:.2} times the predicted time",
                measured.measured_us, measured.best_us, measured.measured_by_predicted
            ))?;
        }
        let verdict = if pays {
            "yes"
        } else {
            "no: a conventional library should be faster"
        };
        output.line(format_args!(
            "pays       {verdict} (predicted, on one thread, against OpenSSL 4.0.3)"
        ))?;
    }
    output.flush()?;
    Ok(Status::Done)
}
