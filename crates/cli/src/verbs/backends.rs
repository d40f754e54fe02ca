//! `sunzi backends`: the backends that can run here, and the one that is chosen.

use super::Run;
use crate::failure::{Failure, Outcome, Status};
use crate::io::calibration;
use crate::io::output::Output;
use crate::options::{CommonOptions, DefaultThreads};
use serde::Serialize;
use sunzi_engine::{Backend, Engine, Layout};

/// List the backends: which can run here, what the others lack, which one is chosen
///
/// The fastest backend that this processor can run is chosen, unless --backend or the environment
/// variable SUNZI_BACKEND names another. Asking for one that cannot run is an error.
///
/// With --explain, show how the chosen backend would compute a batch, and with which bases.
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
    channel_bits: u32,
    channels: [usize; 2],
    multiplications_per_product: usize,
    overshoot: u64,
    window_bits: u32,
    threads: usize,
    groups: Vec<GroupDescription>,
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
            return explain(bits, self.batch as usize, common);
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

/// Explains how a batch of `numbers` numbers modulo numbers of `bits` bits would be computed.
fn explain(bits: u32, numbers: usize, common: &CommonOptions) -> Outcome {
    let threads = common.start_threads(DefaultThreads::All)?;
    let explanation = common
        .engine()?
        .explain(bits, numbers, threads)
        .map_err(|error| Failure::new(error.to_string()))?;
    let on_tiles = explanation
        .groups
        .first()
        .is_some_and(|group| matches!(group.layout, Layout::Tiles(_)));
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
        channel_bits: explanation.channel_bits,
        channels: [explanation.channels_a, explanation.channels_b],
        multiplications_per_product: explanation.multiplications,
        overshoot: explanation.overshoot,
        window_bits: explanation.window,
        threads,
        groups,
    };
    let (factors, widths) = if on_tiles {
        ("bytes", "two byte digits each, and the last few of 11 bits")
    } else {
        (
            "residues",
            "the widest for which every intermediate value fits",
        )
    };
    let mut output = Output::new();
    if common.json {
        output.json(&plan)?;
    } else {
        let backend = explanation.backend;
        output.line(format_args!("backend    {backend}: {}", backend.describe()))?;
        output.line(format_args!(
            "plan       for moduli of up to {} bits: {} + {} primes of {} bits, {widths}",
            plan.plan_bits, plan.channels[0], plan.channels[1], plan.channel_bits
        ))?;
        output.line(format_args!(
            "product    {} multiplications of {}; results stay below {} times the modulus",
            plan.multiplications_per_product, factors, plan.overshoot
        ))?;
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
    }
    output.flush()?;
    Ok(Status::Done)
}
